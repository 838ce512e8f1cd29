"""Pretrained text encoders, fine-tuned to give probabilities with their uncertainty.

One training loop for all. An ensemble is a dimension of it, a method is a head and a number of members or samples, a
loss is a function. Nothing here is imported before it is needed: PyTorch takes seconds.
"""

from evenhand.classifiers.encoder.family import EncoderFamily
from evenhand.classifiers.encoder.settings import EncoderSettings

__all__ = ["EncoderFamily", "EncoderSettings"]
