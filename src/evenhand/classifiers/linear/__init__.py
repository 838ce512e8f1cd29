"""The model that is always there: hashed words and parts of words, logistic regression, an ensemble of bags."""

from evenhand.classifiers.linear.model import LinearClassifier
from evenhand.classifiers.linear.settings import UNIGRAM, LinearSettings

__all__ = ["UNIGRAM", "LinearClassifier", "LinearSettings"]
