"""Existing models as classifiers: scikit-learn, transformers, language models asked by prompt, servers.

Libraries are imported only where they are needed, no pickle is ever loaded, and no code that comes with a model is run.
"""

from evenhand.classifiers.adapters.endpoint import Endpoint
from evenhand.classifiers.adapters.endpoint_classifier import EndpointClassifier
from evenhand.classifiers.adapters.language_model_server import LanguageModelServer
from evenhand.classifiers.adapters.prompt_classifier import open_prompt
from evenhand.classifiers.adapters.scikit_learn import adapt, open_skops
from evenhand.classifiers.adapters.sequence_classifier import open_transformers

__all__ = [
    "Endpoint",
    "EndpointClassifier",
    "LanguageModelServer",
    "adapt",
    "open_prompt",
    "open_skops",
    "open_transformers",
]
