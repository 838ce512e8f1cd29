"""A model as transformers saves it: a directory of its own, checked before anything is loaded from it.

Nothing in it may be code: weights are safetensors, never a pickle, and classes are those of transformers itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand.classifiers import fingerprint
from evenhand.classifiers.adapters.extras import library
from evenhand.errors import InputError

VOCABULARIES = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model", "*.tiktoken")
PARTS = ("*.json", "*.safetensors", "*.txt", "*.model", "*.tiktoken", "*.jinja")  # what a model is made of
CONVERT = "save it again with model.save_pretrained(folder)"
ENDLESS = 1_000_000  # transformers writes a huge number where a length is not known


@dataclass(frozen=True)
class Directory:
    """A directory that holds a configuration, safetensors and a vocabulary."""

    path: Path

    @classmethod
    def at(cls, path: str | Path, *, download: bool = False) -> Directory:
        """The local directory of this name, or, only where asked, what the Hugging Face hub has under it."""
        local = Path(path)
        if not local.exists():
            if not download:
                hint = "from the Hugging Face hub one is only fetched with --download, or download = true in a file"
                raise InputError(f"there is no such directory ({hint})", source=str(path))
            local = _downloaded(str(path))
        if not local.is_dir():
            raise InputError("this is a file: give the directory that holds config.json", source=str(path))
        found = cls(local)
        found._check_weights()
        return found

    def config(self, *endings: str) -> dict[str, Any]:
        """What config.json says; its architecture must end like one of these."""
        file = self.path / "config.json"
        try:
            told = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError("there is no config.json: this is no transformers model", source=str(self.path)) from None
        except (OSError, ValueError, RecursionError):
            raise InputError("config.json cannot be read", source=str(self.path)) from None
        kinds = told.get("architectures") if isinstance(told, dict) else None
        if not isinstance(kinds, list) or not any(str(kind).endswith(endings) for kind in kinds):
            what = ", ".join(map(str, kinds)) if isinstance(kinds, list) and kinds else "nothing"
            raise InputError(f"config.json declares {what}, and a …{endings[0]} is needed", source=str(self.path))
        return dict(told)

    def version(self, options: dict[str, Any]) -> str:
        """The hash of everything in it that could change an answer."""
        return fingerprint.of_files({file for part in PARTS for file in self.path.glob(part)}, options)

    def tokenizer(self) -> Any:
        """Its tokenizer; never an empty one, which transformers would make up where there is none."""
        if not any(file for pattern in VOCABULARIES for file in self.path.glob(pattern)):
            raise InputError("there is no tokenizer (tokenizer.json) in it: save it there too", source=str(self.path))
        transformers = library("transformers")
        with self.explained("the tokenizer"), quiet():
            return transformers.AutoTokenizer.from_pretrained(
                str(self.path), local_files_only=True, trust_remote_code=False
            )

    def model(self, kind: str, *, dtype: Any, device: str = "cpu", unused: str | None = None) -> Any:
        """Its model, ready to be asked. Weights that are missing are an error: transformers would make them up.

        `unused` is a part that nobody asks, and that may be missing.
        """
        auto = getattr(library("transformers"), kind)
        with self.explained("the model"), quiet():
            model, told = auto.from_pretrained(
                str(self.path),
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                output_loading_info=True,
                dtype=dtype,
            )
        missing = sorted(name for name in map(str, told["missing_keys"]) if not unused or unused not in name)
        if missing:
            problem = f"{len(missing)} weights are missing, such as {missing[0]}: the model was not trained for this"
            raise InputError(problem, source=str(self.path))
        return model.eval().to(device)

    def _check_weights(self) -> None:
        if any(self.path.glob("*.safetensors")):
            return
        if any(file for pattern in ("*.bin", "*.pt", "*.pth", "*.ckpt") for file in self.path.glob(pattern)):
            problem = f"its weights are a pickle, which can run any code when it is loaded: {CONVERT}"
            raise InputError(problem, source=str(self.path))
        raise InputError("there are no weights (model.safetensors) in it", source=str(self.path))

    @contextmanager
    def explained(self, what: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # transformers raises anything at all for a directory that does not fit together
            reason = str(error).strip().split("\n")[0][:200]
            raise InputError(f"{what} cannot be loaded: {reason}", source=str(self.path)) from error


@contextmanager
def quiet() -> Iterator[None]:
    """Without bars and reports of transformers, which then speaks as before."""
    logging = library("transformers").utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def readable(text: str) -> str:
    """What a tokenizer can read: half a character, as broken exports have them, becomes the sign for an unknown one."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def longest(tokenizer: Any, model: Any, asked: int | None) -> int:
    """How many tokens the model can read: what is asked for, within what tokenizer and position table allow."""
    positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    for name, module in model.named_modules():  # RoBERTa and its kin begin to count after the padding
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            positions = module.num_embeddings - module.padding_idx - 1
    limits = [limit for limit in (tokenizer.model_max_length, positions, asked) if limit and limit < ENDLESS]
    return int(min(limits, default=512))


def best_device(asked: str | None) -> str:
    """The device that is asked for, if it is there; or else a graphics card if there is one."""
    torch = library("torch")
    if asked is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(asked)
    except RuntimeError:
        raise InputError(f"there is no device '{asked}': give cpu or cuda") from None
    cards = {"cpu": 1, "cuda": torch.cuda.device_count(), "mps": int(torch.backends.mps.is_available())}
    if device.type not in cards:
        raise InputError(f"there is no device '{asked}': give cpu or cuda")
    if (device.index or 0) >= cards[device.type]:
        raise InputError(f"a graphics card was asked for ({asked}), and there is none here: leave it out, or say cpu")
    return asked


def _downloaded(name: str) -> Path:
    hub = library("huggingface_hub")
    try:
        return Path(hub.snapshot_download(name, allow_patterns=list(PARTS)))
    except Exception as error:  # no network, no such model, no permission: the hub has a class for each
        reason = str(error).strip().split("\n")[0][:200]
        raise InputError(f"the model cannot be fetched from the hub: {reason}", source=name) from error
