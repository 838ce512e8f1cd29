"""The model that is always there: hashed words and parts of words, logistic regression, an ensemble of bags."""
