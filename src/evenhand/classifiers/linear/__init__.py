"""The default kind of model: hashed words and parts of words, logistic regression, an ensemble of bags."""

from evenhand.classifiers.linear.classifier import LinearClassifier
from evenhand.classifiers.linear.settings import UNIGRAM, LinearSettings

__all__ = ["UNIGRAM", "LinearClassifier", "LinearSettings"]
