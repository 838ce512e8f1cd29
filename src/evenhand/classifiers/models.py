"""The models that are available, and how to open any of them: by name, folder, TOML description or preset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Unpack

from evenhand import limits
from evenhand.classifiers import model_folder
from evenhand.classifiers.permissions import PermissionArguments, Permissions
from evenhand.classifiers.presets import PRESET_PREFIX, open_preset
from evenhand.classifiers.protocol import Classifier, Runtime
from evenhand.errors import InputError, nearest

SHIPPED_FOLDER = Path(__file__).parent / "shipped"


def open_model(
    model: str | Path | Classifier,
    *,
    device: str | None = None,
    **permissions: Unpack[PermissionArguments],
) -> Classifier:
    """Open a model: 'default', a folder that `evenhand train` wrote, a TOML file, 'preset:NAME', or a classifier.

    A TOML file describes a model of another kind: scikit-learn, transformers, a prompt, a server. `device` is cuda or
    cpu, by default a GPU if there is one. `download` allows a download from the Hugging Face Hub; `trust` names types
    beyond scikit-learn that a skops file may use; `send_to` is the server that may receive texts (https://host), and
    `secrets` are the environment variables that may be sent to it.

    >>> eh.open_model("default").name
    'default'
    """
    if not isinstance(model, (str, Path)):
        return model
    try:
        return _open_named(model, device, Permissions.from_arguments(**permissions))
    except InputError as error:
        raise error.within(str(model)) from None


def used_permissions(model: str | Path) -> tuple[str, ...]:
    """The names of what a model of this name has a use for, if it is allowed."""
    path = Path(model)
    if str(model).startswith(PRESET_PREFIX):
        return ("download",)
    if path.suffix == ".toml":
        from evenhand.classifiers.description import USED_PERMISSIONS, ModelDescription

        return USED_PERMISSIONS[ModelDescription.read(path).kind]
    return ("trust",) if path.suffix == ".skops" and path.is_file() else ()


def _open_named(model: str | Path, device: str | None, permissions: Permissions) -> Classifier:
    permissions.only(*used_permissions(model))
    if str(model).startswith(PRESET_PREFIX):
        return open_preset(str(model).removeprefix(PRESET_PREFIX), device=device, download=permissions.download)
    path = Path(model)
    if path.suffix == ".toml":
        from evenhand.classifiers.description import open_described

        return open_described(path, device=device, permissions=permissions)
    if path.suffix == ".skops" and path.is_file():
        return _open_undescribed("skops", path, device, permissions)
    if str(model) in shipped_models():
        return model_folder.load_model(SHIPPED_FOLDER / str(model), Runtime(device=device))
    if path.is_dir() and (path / "config.json").exists() and not (path / model_folder.MANIFEST).exists():
        return _open_undescribed("transformers", path, device, permissions)
    if path.is_dir():
        return model_folder.load_model(path, Runtime(device=device))
    if not path.exists():
        raise InputError(f"there is no such model, file or folder; {nearest(str(model), shipped_models())}")
    raise InputError(
        "not a model file: give a folder that 'evenhand train' wrote, or a TOML file that describes a model"
    )


def shipped_models() -> list[str]:
    """The names of the models that come with Evenhand."""
    return sorted(path.parent.name for path in SHIPPED_FOLDER.glob(f"*/{model_folder.MANIFEST}"))


UNDESCRIBED = {"skops": "this is a skops file", "transformers": "this is a transformers directory"}


def _open_undescribed(kind: str, path: Path, device: str | None, permissions: Permissions) -> Classifier:
    """A foreign model without a description: opened if it leaves nothing open, or else the error says what is."""
    from evenhand.classifiers.adapters import open_skops, open_transformers

    try:
        return open_skops(path, trust=permissions.trust) if kind == "skops" else open_transformers(path, device=device)
    except InputError as error:
        if error.remedy:
            raise
        hint = f'{error.problem}; {UNDESCRIBED[kind]}: describe it in a TOML file (kind = "{kind}", path = …)'
        raise InputError(hint, source=error.source or str(path)) from None


class ModelEntry(NamedTuple):
    """How a model is called on the command line, and what it is. `note` is why it cannot be used, if it cannot."""

    model: str
    version: str
    kind: str
    classes: str
    note: str = ""


MANIFEST_BYTE, DESCRIPTION_BYTE = 512, 2048  # what it takes to check a byte of one, in bytes that are hashed
NOT_CHECKED = "not checked: the models here are too many or too large to check them all"


class _ListingWork:
    """How much may still be read for a list."""

    def __init__(self) -> None:
        self._left = limits.MODEL_LIST_BYTES

    def allows(self, size: int) -> bool:
        """Take this much off, if that much is left."""
        allowed = size <= self._left
        self._left -= size if allowed else 0
        return allowed


def list_models(folder: Path) -> list[ModelEntry]:
    """The shipped models, then saved and described ones in a folder; those at fault too, with the fault."""
    if not folder.is_dir():
        raise InputError("there is no such folder", source=str(folder))
    work = _ListingWork()
    entries = [_saved_entry(SHIPPED_FOLDER / name, name, work) for name in shipped_models()]
    entries += [
        _saved_entry(path.parent, str(path.parent), work) for path in sorted(folder.glob(f"*/{model_folder.MANIFEST}"))
    ]
    return entries + list(_described_entries(folder, work))


def _saved_entry(folder: Path, name: str, work: _ListingWork) -> ModelEntry:
    try:
        if not work.allows(MANIFEST_BYTE * _size(folder / model_folder.MANIFEST)):
            return ModelEntry(name, "", "", "", NOT_CHECKED)
        manifest = model_folder.read_manifest(folder)
        checked = work.allows(model_folder.model_size(folder, manifest))
        if checked:
            model_folder.check_file_hashes(folder, manifest)
    except InputError as error:
        return ModelEntry(name, "", "", "", error.problem)
    targets = manifest["targets"]
    classes = f"{targets['kind']}: {', '.join(targets['classes'])}"
    return ModelEntry(name, manifest["version"], manifest["kind"], classes, "" if checked else NOT_CHECKED)


def _size(file: Path) -> int:
    """Of what would be read; none of what is refused unread."""
    size = file.stat().st_size if file.is_file() else 0
    return size if size <= limits.MANIFEST_BYTES else 0


def _described_entries(folder: Path, work: _ListingWork) -> Iterator[ModelEntry]:
    """TOML files that say which kind of model they describe; others are none of ours."""
    from evenhand.classifiers.description import ModelDescription as Description
    from evenhand.classifiers.description import read_table

    for path in sorted(folder.glob("*.toml")):
        if not work.allows(DESCRIPTION_BYTE * _size(path)):
            yield ModelEntry(str(path), "", "", "", NOT_CHECKED)
            continue
        try:
            if "kind" not in read_table(path):
                continue
        except InputError:
            continue
        try:
            yield ModelEntry(str(path), "", Description.read(path).kind, "")
        except InputError as error:
            yield ModelEntry(str(path), "", "", "", error.problem)
