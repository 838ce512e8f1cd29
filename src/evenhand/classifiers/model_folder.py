"""A saved model is a folder: its weights, its settings, its card, and the hashes that show that nothing was changed.

model.json     what the model is, and the hash of every other file
weights.npz    (or safetensors) numbers only; a pickle is never written or read
card.md        the model card for people; card.json has the same content for programs
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any

from evenhand import limits
from evenhand.classifiers import fingerprint
from evenhand.classifiers.bounded_files import check_size, file_within, parse_json, read_bounded
from evenhand.classifiers.methods import MODEL_KINDS, TrainedClassifier, recorded_settings, restore_settings
from evenhand.classifiers.protocol import DEFAULT_RUNTIME, Runtime, Targets
from evenhand.errors import ErrorKind, InputError, nearest
from evenhand.files import file_hash
from evenhand.inputs import note_input, unrecorded
from evenhand.output_folder import FolderContents, staged_folder
from evenhand.version import __version__

FORMAT = 1
MANIFEST = "model.json"
OWN_KEYS = {"seal", "targets"}  # other programs write files of this name, without these
CardDocuments = Callable[[str], Mapping[str, str]]  # from the version of the model: its cards


def save_model(model: TrainedClassifier, folder: Path, *, name: str, cards: CardDocuments) -> TrainedClassifier:
    """Write a model, whole or not at all; a model that was there before is replaced only when all went well."""
    check_replaceable(folder)
    with staged_folder(folder, MODEL_CONTENTS) as staging:
        model.write(staging)
        about = _about(model)
        version = fingerprint.fingerprint_files(staging.iterdir(), about)
        for file, text in cards(version).items():
            (staging / file).write_text(text, encoding="utf-8")
        files = {path.name: fingerprint.hash_file(path) for path in sorted(staging.iterdir())}
        content = {"format": FORMAT, "evenhand": __version__, "name": name, "version": version, **about, "files": files}
        (staging / MANIFEST).write_text(_sealed(content), encoding="utf-8")
    saved: TrainedClassifier = replace(model, name=name, version=version)  # type: ignore[type-var]
    return saved


def _listed_files(folder: Path) -> dict[str, str]:
    """The files of the model that is there, with their hashes; none where its seal is broken."""
    try:
        files = {**read_manifest(folder)["files"], MANIFEST: file_hash(folder / MANIFEST)}
    except (InputError, OSError):
        return {}
    return {name: known for name, known in files.items() if Path(name).name == name}


MODEL_CONTENTS = FolderContents((MANIFEST, "card.md", "card.json", "*"), listed=_listed_files, list_again=None)


def describe_saved_model(folder: Path) -> str | None:
    """The model that a folder holds already, in words; None where there is none that could be read."""
    try:
        content = read_manifest(folder)
        saved = date.fromtimestamp((folder / MANIFEST).stat().st_mtime)
    except (InputError, OSError):
        return None
    return f"{content['name']} {content['version']} ({content['kind']}), saved on {saved:%Y-%m-%d}"


def check_replaceable(folder: Path) -> None:
    """A folder may be replaced if it is a model already, with a whole seal; another one only if it is empty."""
    if folder.is_file():
        raise InputError("a model is a folder, and this is a file", source=str(folder))
    if not folder.is_dir() or not any(_other_files(folder)):
        return
    if MANIFEST not in _listed_files(folder):
        broken = f", {MANIFEST} is not as it was saved" if (folder / MANIFEST).exists() else ""
        raise InputError(
            f"this folder contains files that are not part of a model{broken}: choose another", source=str(folder)
        )


def _other_files(folder: Path) -> Iterator[Path]:
    """All files but those that an interrupted run left."""
    return (path for path in folder.iterdir() if not path.name.startswith(".evenhand-"))


def load_model(folder: Path, place: Runtime = DEFAULT_RUNTIME) -> TrainedClassifier:
    """Read a model; refuse one that is incomplete, altered, or of another version."""
    try:
        content = read_manifest(folder)
        note_input(folder / MANIFEST, *(folder / file for file in content["files"]))
        check_file_hashes(folder, content)
        targets = Targets(content["targets"]["kind"], tuple(content["targets"]["classes"]))
        settings = restore_settings(content["kind"], content["settings"])
        kind = MODEL_KINDS[content["kind"]]
        if place.device not in (None, "cpu") and not kind.placed:
            raise InputError(f"a {content['kind']} model does not use a GPU: leave out `device`")
        model = kind.family.read(folder, targets, settings, place)
    except InputError as error:
        raise error.within(str(folder)) from None
    named: TrainedClassifier = replace(model, name=content["name"], version=content["version"])  # type: ignore[type-var]
    return named


def read_manifest(folder: Path) -> dict[str, Any]:
    """What model.json says, if it is whole."""
    text = _text(folder)
    try:
        content = parse_json(text.encode())
    except ValueError:
        raise _altered(MANIFEST) from None
    if not isinstance(content, dict) or not OWN_KEYS & content.keys():
        raise InputError(f"not a model folder: {MANIFEST} was not written by 'evenhand train'")
    form = content.get("format")
    if form is None:
        raise _altered(MANIFEST)
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
    if content["kind"] not in MODEL_KINDS:
        raise InputError(f"there is no kind of model '{content['kind']}'; {nearest(content['kind'], MODEL_KINDS)}")
    manifest: dict[str, Any] = content
    return manifest


def _complete(content: Mapping[str, object]) -> bool:
    """Everything is there and of its kind; what it says is looked at where it is used."""
    files, targets = content.get("files"), content.get("targets")
    if not isinstance(files, dict) or not isinstance(targets, dict) or not isinstance(targets.get("classes"), list):
        return False
    words = [content.get("kind"), content.get("name"), content.get("version"), targets.get("kind")]
    words += [*files.values(), *targets["classes"]]
    return all(isinstance(word, str) for word in words) and isinstance(content.get("settings"), dict)


def check_file_hashes(folder: Path, content: Mapping[str, Any]) -> None:
    """Every file is there and as it was saved."""
    model_size(folder, content)
    for name, digest in content["files"].items():
        if fingerprint.hash_file(folder / name) != digest:
            raise _altered(name)


def model_size(folder: Path, content: Mapping[str, Any]) -> int:
    """The bytes of all files that the manifest names, each of them in the folder, and not too many together."""
    size = sum(_file(folder, name).stat().st_size for name in content["files"])
    check_size("the model", size, limits.MODEL_BYTES)
    return size


def _file(folder: Path, name: str) -> Path:
    try:
        return file_within(folder, name)
    except InputError as error:
        if error.kind is ErrorKind.NOT_FOUND:
            raise InputError(f"{name} is missing: the model is not complete") from None
        raise


def _text(folder: Path) -> str:
    try:
        with unrecorded():  # also read where the model is to be replaced
            return read_bounded(folder / MANIFEST, limits.MANIFEST_BYTES).decode("utf-8")  # in text line ends go unseen
    except UnicodeDecodeError:
        raise _altered(MANIFEST) from None
    except OSError as error:
        raise InputError(f"{MANIFEST} cannot be read: {error.strerror}") from None
    except InputError as error:
        if error.kind is ErrorKind.NOT_FOUND:
            raise InputError(f"{MANIFEST} is missing: not a model, or an incomplete one") from None
        raise


def _altered(name: str) -> InputError:
    return InputError(f"{name} was altered since the model was saved: get the model again, or train it")


def _about(model: TrainedClassifier) -> dict[str, Any]:
    """What the answers of a model depend on, beside its weights."""
    return {"kind": model.kind, "targets": asdict(model.targets), "settings": recorded_settings(model.settings)}


def _sealed(content: Mapping[str, object]) -> str:
    """As JSON, with a hash of itself: every byte of the file counts."""
    plain = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True)
    seal = hashlib.sha256(plain.encode()).hexdigest()
    return json.dumps({**json.loads(plain), "seal": seal}, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
