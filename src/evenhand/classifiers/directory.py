"""A model in a folder: its weights, its settings, its card, and the hashes that show that nothing was changed.

model.json     what it is, and the hash of every other file
weights.npz    (or safetensors) numbers alone; a pickle is never written or read
card.md        for people; card.json has the same for programs
"""

from __future__ import annotations

import glob
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any

from evenhand.classifiers import fingerprint
from evenhand.classifiers.methods import KINDS, Trainable, recorded, settings_of
from evenhand.classifiers.place import HERE, Place
from evenhand.classifiers.protocol import Targets
from evenhand.errors import InputError, nearest
from evenhand.files import writing
from evenhand.version import __version__

FORMAT = 1
MANIFEST = "model.json"
Documents = Callable[[str], Mapping[str, str]]  # from the version of the model: its cards


def save(model: Any, folder: Path, *, name: str, cards: Documents) -> Trainable:
    """Write a model, whole or not at all; a model that was there before is replaced only when all went well."""
    check_free(folder)
    with writing(folder, replaces=_earlier(folder)) as staging:
        model.write(staging)
        about = _about(model)
        version = fingerprint.of_files(staging.iterdir(), about)
        for file, text in cards(version).items():
            (staging / file).write_text(text, encoding="utf-8")
        files = {path.name: fingerprint.of_file(path) for path in sorted(staging.iterdir())}
        content = {"format": FORMAT, "evenhand": __version__, "name": name, "version": version, **about, "files": files}
        (staging / MANIFEST).write_text(_sealed(content), encoding="utf-8")
    saved: Trainable = replace(model, name=name, version=version)
    return saved


def _earlier(folder: Path) -> list[str]:
    """The files of the model that was there before: a model of another kind leaves none of them behind."""
    try:
        files = manifest(folder)["files"]
    except InputError:
        return []
    return [glob.escape(name) for name in files if Path(name).name == name]


def held(folder: Path) -> str | None:
    """The model that a folder holds already, in words; None where there is none that could be read."""
    try:
        content = manifest(folder)
        saved = date.fromtimestamp((folder / MANIFEST).stat().st_mtime)
    except (InputError, OSError):
        return None
    return f"{content['name']} {content['version']} ({content['kind']}), saved on {saved:%Y-%m-%d}"


def check_free(folder: Path) -> None:
    """A folder may be replaced if it is a model already; another one only if it is empty."""
    if folder.is_file():
        raise InputError("a model is a folder, and this is a file", source=str(folder))
    if folder.is_dir() and not (folder / MANIFEST).exists() and any(_others(folder)):
        raise InputError("this folder holds something else than a model: choose another", source=str(folder))


def _others(folder: Path) -> Iterator[Path]:
    """What is not left from a run that was broken off."""
    return (path for path in folder.iterdir() if not path.name.startswith(".evenhand-"))


def load(folder: Path, place: Place = HERE) -> Trainable:
    """Read a model; refuse one that is incomplete, altered, or of another version."""
    try:
        content = manifest(folder)
        check_files(folder, content)
        targets = Targets(content["targets"]["kind"], tuple(content["targets"]["classes"]))
        settings = settings_of(content["kind"], content["settings"])
        kind = KINDS[content["kind"]]
        if place.device not in (None, "cpu") and not kind.placed:
            raise InputError(f"a {content['kind']} model works without a graphics card: leave out --device")
        model = kind.family.read(folder, targets, settings, place)
    except InputError as error:
        raise error.within(str(folder)) from None
    named: Trainable = replace(model, name=content["name"], version=content["version"])  # type: ignore[type-var]
    return named


def manifest(folder: Path) -> dict[str, Any]:
    """What model.json says, if it is whole."""
    text = _text(folder)
    try:
        content = json.loads(text)
        form = content["format"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _altered(MANIFEST) from None
    if form != FORMAT:
        raise InputError(
            f"made by another version of Evenhand (format {form}; this one reads {FORMAT}): train it again"
        )
    content.pop("seal", None)
    try:
        whole = text == _sealed(content) and _complete(content)
    except (ValueError, RecursionError):  # half a character, or a nest without end
        whole = False
    if not whole:
        raise _altered(MANIFEST)
    if content["kind"] not in KINDS:
        raise InputError(f"there is no kind of model '{content['kind']}'; {nearest(content['kind'], KINDS)}")
    found: dict[str, Any] = content
    return found


def _complete(content: Mapping[str, Any]) -> bool:
    """Everything is there and of its kind; what it says is looked at where it is used."""
    files, targets = content.get("files"), content.get("targets")
    if not isinstance(files, dict) or not isinstance(targets, dict) or not isinstance(targets.get("classes"), list):
        return False
    words = [content.get("kind"), content.get("name"), content.get("version"), targets.get("kind")]
    words += [*files.values(), *targets["classes"]]
    return all(isinstance(word, str) for word in words) and isinstance(content.get("settings"), dict)


def check_files(folder: Path, content: Mapping[str, Any]) -> None:
    """Every file is there and as it was saved."""
    for name, digest in content["files"].items():
        path = folder / name
        if not path.exists():
            raise InputError(f"{name} is missing: the model is not complete")
        if fingerprint.of_file(path) != digest:
            raise _altered(name)


def _text(folder: Path) -> str:
    try:
        return (folder / MANIFEST).read_bytes().decode("utf-8")  # as text, other line ends would go unseen
    except FileNotFoundError:
        raise InputError(f"{MANIFEST} is missing: this is no model, or not all of it") from None
    except UnicodeDecodeError:
        raise _altered(MANIFEST) from None
    except OSError as error:
        raise InputError(f"{MANIFEST} cannot be read: {error.strerror}") from None


def _altered(name: str) -> InputError:
    return InputError(f"{name} was altered since the model was saved: get the model again, or train it")


def _about(model: Trainable) -> dict[str, Any]:
    """What the answers of a model depend on, beside its weights."""
    return {"kind": model.kind, "targets": asdict(model.targets), "settings": recorded(model.settings)}


def _sealed(content: Mapping[str, Any]) -> str:
    """As JSON, with a hash of itself: every byte of the file counts."""
    plain = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True)
    seal = hashlib.sha256(plain.encode()).hexdigest()
    return json.dumps({**json.loads(plain), "seal": seal}, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
