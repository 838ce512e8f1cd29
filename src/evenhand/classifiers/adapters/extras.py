"""Libraries that not everybody needs: imported where they are used, and asked for by the extra that brings them."""

from __future__ import annotations

import importlib
from typing import Any

from evenhand.errors import InputError

EXTRAS = {"torch": "train", "transformers": "train", "safetensors": "train", "huggingface_hub": "train"}
EXTRAS |= {"sklearn": "skops", "skops": "skops"}


def library(module: str) -> Any:
    """The module, or one line that says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        top = module.split(".")[0]
        missing = (error.name or top).split(".")[0]
        if missing not in EXTRAS:
            raise
        raise InputError(f"this needs {missing}: pip install 'evenhand[{EXTRAS[top]}]'") from None
