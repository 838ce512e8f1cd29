"""Models that people already have, as classifiers: scikit-learn objects and files, transformers directories, endpoints.

Nothing is imported that is not needed, no pickle is ever loaded, and no code that comes with a model is run.
"""

from __future__ import annotations

from evenhand.classifiers.adapters.endpoint import Endpoint
from evenhand.classifiers.adapters.pipeline import adapt
from evenhand.classifiers.adapters.prompt import open_prompt
from evenhand.classifiers.adapters.remote import EndpointClassifier
from evenhand.classifiers.adapters.skops_file import open_skops
from evenhand.classifiers.adapters.transformers_directory import open_transformers

__all__ = ["Endpoint", "EndpointClassifier", "adapt", "open_prompt", "open_skops", "open_transformers"]
