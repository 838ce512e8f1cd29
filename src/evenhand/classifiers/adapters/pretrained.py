"""A pretrained model in a directory as transformers saves it: checked, loaded, and batched by length.

Nothing in the directory may be code: weights are safetensors, never a pickle, and classes are those of transformers
itself. Optional libraries (torch, transformers, skops) are imported when they are needed; the error names the extra.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from evenhand import limits
from evenhand.classifiers import fingerprint
from evenhand.classifiers.adapters.hub import fetch_model
from evenhand.classifiers.adapters.pretrained_files import (
    MODEL_FILES,
    StoredTensors,
    check_files,
    check_network,
    check_numbers,
    read_headers,
    stored_weights,
)
from evenhand.classifiers.bounded_files import parse_json, read_bounded
from evenhand.errors import ErrorKind, InputError
from evenhand.inputs import note_input


class Tokenizer(Protocol):
    """What is used of a tokenizer of transformers."""

    model_max_length: int
    unk_token_id: int | None

    def __len__(self) -> int: ...

    def __call__(self, texts: list[str], *, truncation: bool, max_length: int) -> Mapping[str, list[list[int]]]: ...

    def save_pretrained(self, folder: Path) -> object: ...


class ModelConfig(Protocol):
    """What is used of a configuration of transformers."""

    id2label: Mapping[int, str]

    def save_pretrained(self, folder: Path) -> object: ...


EXTRAS = {"torch": "train", "transformers": "train", "safetensors": "train", "huggingface_hub": "train"}
EXTRAS |= {"sklearn": "skops", "skops": "skops"}


def require_library(module: str) -> ModuleType:
    """The module, or one line that says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        top = module.split(".")[0]
        missing = (error.name or top).split(".")[0]
        if missing not in EXTRAS:
            raise
        raise InputError(f"this needs {missing}: pip install 'evenhand[{EXTRAS[top]}]'") from None


VOCABULARIES = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model", "*.tiktoken")
CONVERT = "save it again with model.save_pretrained(folder)"
UNKNOWN_LENGTH = 1_000_000  # transformers writes a huge number where a length is not known


@dataclass(frozen=True)
class PretrainedDirectory:
    """A directory that holds a configuration, safetensors and a vocabulary, none of which transformers has read yet."""

    path: Path
    stored: StoredTensors

    @classmethod
    def at(cls, path: str | Path, *, download: bool = False) -> PretrainedDirectory:
        """The local directory of this name, or, only where asked, what the Hugging Face Hub has under it."""
        local = Path(path)
        if not local.exists():
            if not download:
                hint = "to get it from the Hugging Face Hub, set `download` (in a TOML file: download = true)"
                raise InputError(f"there is no such directory; {hint}", source=str(path))
            local = _downloaded(str(path))
        if not local.is_dir():
            raise InputError("this is a file: give the directory that holds config.json", source=str(path))
        note_input(*(file for file in local.rglob("*") if file.is_file()))
        _refuse_pickles(local)
        return cls.with_weights(local, None)

    @classmethod
    def with_weights(cls, path: Path, weights: Sequence[Path] | None) -> PretrainedDirectory:
        """A local directory, checked, whose weights are in these files, or where transformers looks for them."""
        try:
            check_files(path)
            files = stored_weights(path) if weights is None else weights
            if not files:
                raise InputError("there are no weights (model.safetensors) in it")
            directory = cls(path, read_headers(files))
            check_numbers(directory.settings(), directory.stored)
        except InputError as error:
            raise error.within(str(path)) from None
        return directory

    def config(self, *endings: str) -> dict[str, Any]:
        """What config.json says; its architecture must end like one of these."""
        settings = self.settings()
        kinds = settings.get("architectures")
        if not isinstance(kinds, list) or not any(str(kind).endswith(endings) for kind in kinds):
            what = ", ".join(map(str, kinds)) if isinstance(kinds, list) and kinds else "nothing"
            raise InputError(f"config.json declares {what}, and a …{endings[0]} is needed", source=str(self.path))
        return settings

    def settings(self) -> dict[str, Any]:
        """What config.json says."""
        try:
            content = parse_json(read_bounded(self.path / "config.json", limits.TRANSFORMERS_SETTINGS_BYTES))
        except InputError as error:
            if error.kind is not ErrorKind.NOT_FOUND:
                raise
            raise InputError("config.json is missing: not a transformers model", source=str(self.path)) from None
        except (OSError, ValueError):
            raise InputError("config.json cannot be read", source=str(self.path)) from None
        return dict(content) if isinstance(content, dict) else {}

    def checked_config(self, kind: str, copies: int = 1) -> Any:
        """Its configuration, if so many models made from it would not be larger than its weights."""
        transformers, torch = require_library("transformers"), require_library("torch")
        with self.explained("config.json"), quiet_transformers():
            config = transformers.AutoConfig.from_pretrained(
                str(self.path), local_files_only=True, trust_remote_code=False
            )
            with torch.device("meta"):  # which has shapes and no numbers
                blank = getattr(transformers, kind).from_config(config, trust_remote_code=False)
        try:
            size = sum(part.numel() for part in (*blank.parameters(), *blank.buffers()))
            check_network(copies * size, self.stored)
        except InputError as error:
            raise error.within(str(self.path)) from None
        return config

    def version(self, options: Mapping[str, object]) -> str:
        """The hash of everything in it that could change an answer."""
        return fingerprint.fingerprint_files({file for part in MODEL_FILES for file in self.path.glob(part)}, options)

    def tokenizer(self) -> Any:
        """Its tokenizer; never an empty one, which transformers would make up where there is none."""
        if not any(file for pattern in VOCABULARIES for file in self.path.glob(pattern)):
            raise InputError("there is no tokenizer (tokenizer.json) in it: save it there too", source=str(self.path))
        transformers = require_library("transformers")
        with self.explained("the tokenizer"), quiet_transformers():
            return transformers.AutoTokenizer.from_pretrained(
                str(self.path), local_files_only=True, trust_remote_code=False
            )

    def model(self, kind: str, *, dtype: Any, device: str = "cpu", unused: str | None = None) -> Any:
        """Its model, ready to be asked. Weights that are missing are an error: transformers would make them up.

        `unused` is a part that is not used, and may be missing.
        """
        auto = getattr(require_library("transformers"), kind)
        self.checked_config(kind)
        with self.explained("the model"), quiet_transformers():
            model, loading = auto.from_pretrained(
                str(self.path),
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                output_loading_info=True,
                dtype=dtype,
            )
        missing = sorted(name for name in map(str, loading["missing_keys"]) if not unused or unused not in name)
        if missing:
            problem = f"{len(missing)} weights are missing, such as {missing[0]}: the model was not trained for this"
            raise InputError(problem, source=str(self.path))
        return model.eval().to(device)

    @contextmanager
    def explained(self, what: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # transformers raises anything at all for a directory that does not fit together
            reason = str(error).strip().split("\n")[0][:200]
            raise InputError(f"{what} cannot be loaded: {reason}", source=str(self.path)) from error


def _refuse_pickles(folder: Path) -> None:
    pickles = (file for pattern in ("*.bin", "*.pt", "*.pth", "*.ckpt") for file in folder.glob(pattern))
    if not any(folder.glob("*.safetensors")) and any(pickles):
        problem = f"its weights are a pickle, which can run any code when it is loaded: {CONVERT}"
        raise InputError(problem, source=str(folder))


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Without bars and reports of transformers, and without the hub, which then are as before."""
    logging = require_library("transformers").utils.logging
    hub = require_library("huggingface_hub").constants
    level, bars, offline = logging.get_verbosity(), logging.is_progress_bar_enabled(), hub.HF_HUB_OFFLINE
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    hub.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        hub.HF_HUB_OFFLINE = offline
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def replace_surrogates(text: str) -> str:
    """What a tokenizer can read: half a character, as broken exports have them, becomes the sign for an unknown one."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def token_limit(tokenizer: Tokenizer, model: Any, requested: int | None) -> int:
    """How many tokens the model can read: what is asked for, within what tokenizer and position table allow."""
    positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    for name, module in model.named_modules():  # RoBERTa and its kin begin to count after the padding
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            positions = module.num_embeddings - module.padding_idx - 1
    limits = [limit for limit in (tokenizer.model_max_length, positions, requested) if limit and limit < UNKNOWN_LENGTH]
    return int(min(limits, default=512))


def best_device(requested: str | None) -> str:
    """The device that is asked for, if it is there; or else a GPU if there is one."""
    torch = require_library("torch")
    if requested is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(requested)
    except RuntimeError:
        raise InputError(f"there is no device '{requested}': give cpu or cuda") from None
    cards = {"cpu": 1, "cuda": torch.cuda.device_count(), "mps": int(torch.backends.mps.is_available())}
    if device.type not in cards:
        raise InputError(f"there is no device '{requested}': give cpu or cuda")
    if (device.index or 0) >= cards[device.type]:
        raise InputError(f"no GPU is available for the device '{requested}': leave out `device`, or set it to cpu")
    return requested


def _downloaded(name: str) -> Path:
    return fetch_model(require_library("huggingface_hub"), name, MODEL_FILES)


TOKENS_PER_BATCH = 16_384  # in one batch, padding included: about what a laptop holds beside a base-size model


def length_buckets(lengths: Sequence[int], most: int, *, even: bool = False) -> Iterator[list[int]]:
    """Row numbers in batches of at most `most`, longest first: if memory is short, that shows at once.

    With `even` the rows of a batch have one length, for models that must not see padding.
    """
    order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    start = 0
    while start < len(order):
        length = lengths[order[start]]
        rows = order[start : start + max(1, min(most, TOKENS_PER_BATCH // max(1, length)))]
        if even:
            rows = [row for row in rows if lengths[row] == length]
        yield rows
        start += len(rows)


def pad_tokens(tokens: Sequence[Sequence[int]], padding: int) -> tuple[Any, Any]:
    """Rows of one length, filled up at their end, and the mask of what is text."""
    torch = require_library("torch")
    width = max(1, max(len(row) for row in tokens))
    ids = torch.full((len(tokens), width), padding, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for number, row in enumerate(tokens):
        ids[number, : len(row)] = torch.tensor(row, dtype=torch.long)
        mask[number, : len(row)] = 1
    return ids, mask
