"""One door for every model: a name, a folder, or a file that describes one."""

from __future__ import annotations

from pathlib import Path

from evenhand.classifiers import directory
from evenhand.classifiers.place import Place
from evenhand.classifiers.presets import PREFIX, open_preset
from evenhand.classifiers.protocol import Classifier
from evenhand.errors import InputError, nearest

SHIPPED = Path(__file__).parent / "shipped"


def open_model(model: str | Path | Classifier, *, device: str | None = None, download: bool = False) -> Classifier:
    """The shipped model 'default', a folder that `evenhand train` wrote, a TOML file, 'preset:NAME', or a classifier.

    Models of other makes (scikit-learn, transformers, an HTTP endpoint, a prompt) are described in a TOML file.
    `device` is where an encoder works: cuda or cpu, and by default a graphics card if there is one. A preset is fetched
    from the Hugging Face hub only with `download`.
    """
    if not isinstance(model, (str, Path)):
        return model
    if str(model).startswith(PREFIX):
        return open_preset(str(model).removeprefix(PREFIX), device=device, download=download)
    if download:
        raise InputError("--download goes with presets; a TOML file says download = true", source=str(model))
    if str(model) in shipped():
        return directory.load(SHIPPED / str(model), Place(device=device))
    path = Path(model)
    if path.suffix == ".toml":
        from evenhand.classifiers.description import open_described

        return open_described(path, device=device)
    if path.is_dir() and (path / "config.json").exists() and not (path / directory.MANIFEST).exists():
        return _described("transformers", path, "this is a transformers directory", device)
    if path.is_dir():
        return directory.load(path, Place(device=device))
    if path.suffix == ".skops":
        return _described("skops", path, "this is a skops file", device)
    if not path.exists():
        raise InputError(f"there is no such model, file or folder; {nearest(str(model), shipped())}", source=str(model))
    raise InputError(
        "this is no model: give a folder that 'evenhand train' wrote, or a TOML file that describes a model",
        source=str(model),
    )


def shipped() -> list[str]:
    """The names of the models that come with Evenhand."""
    return sorted(path.parent.name for path in SHIPPED.glob(f"*/{directory.MANIFEST}"))


def _described(kind: str, path: Path, what: str, device: str | None) -> Classifier:
    """A foreign model without a description: opened if it leaves nothing open, or else the error says what is."""
    from evenhand.classifiers.adapters import open_skops, open_transformers

    try:
        return open_skops(path) if kind == "skops" else open_transformers(path, device=device)
    except InputError as error:
        hint = f'{error.problem}; {what}: describe it in a TOML file (kind = "{kind}", path = …)'
        raise InputError(hint, source=error.source or str(path)) from None
