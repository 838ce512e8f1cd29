"""A saved model: the same answers again, every byte accounted for, and never half there."""

from __future__ import annotations

import errno
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from classifiers.made import cards, comments, contents, saved, trained
from evenhand.classifiers import fingerprint, model_folder
from evenhand.classifiers.protocol import Targets
from evenhand.errors import InputError

FILES = ("card.json", "card.md", "model.json", "weights.npz")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    saved(tmp_path / "tiny")
    return tmp_path / "tiny"


@pytest.mark.parametrize(
    "targets",
    [
        Targets("binary", ("toxic",)),
        Targets("multi-class", ("a", "b", "é|`")),
        Targets("multi-label", ("a", "b")),
    ],
    ids=lambda targets: targets.kind,
)
def test_a_model_says_the_same_after_it_was_saved(tmp_path: Path, targets: Targets) -> None:
    before = trained(targets)
    kept = model_folder.save_model(before, tmp_path / "m", name="näme", cards=cards)
    after = model_folder.load_model(tmp_path / "m")
    texts = [*comments(50, seed=3)["text"], "", "漢字 🙂", "a" * 100_000]
    for model in (kept, after):
        assert model.score(texts).probabilities.tobytes() == before.score(texts).probabilities.tobytes()
        assert (model.name, model.version, model.targets) == ("näme", kept.version, targets)
    assert (tmp_path / "m" / "card.md").read_text() == f"# {kept.version}\n"
    assert sorted(path.name for path in (tmp_path / "m").iterdir()) == sorted(FILES)


def refused(folder: Path, *says: str) -> None:
    with pytest.raises(InputError) as caught:
        model_folder.load_model(folder)
    line = str(caught.value)
    assert line.startswith(str(folder))
    assert all(piece in line for piece in says), line
    assert "\n" not in line


@pytest.mark.parametrize("name", FILES)
def test_any_changed_byte_is_refused(folder: Path, name: str) -> None:
    path = folder / name
    good = path.read_bytes()
    for place in np.linspace(0, len(good) - 1, 23).astype(int):
        for flipped in (1, 0x80):
            path.write_bytes(good[:place] + bytes([good[place] ^ flipped]) + good[place + 1 :])
            refused(folder, name)
    for changed in (good + b"\n", good[:-1], b"", b" " + good):
        path.write_bytes(changed)
        refused(folder, name)
    path.write_bytes(good)
    model_folder.load_model(folder)


@pytest.mark.parametrize(
    ("old", "new"), [(b"\n", b"\r"), (b"\n", b"\r\n"), (b"\n ", b"\n\t"), (b'": ', b'":  '), (b"12", b"12.0")]
)
def test_white_space_and_line_ends_count_too(folder: Path, old: bytes, new: bytes) -> None:
    path = folder / "model.json"
    assert old in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    refused(folder, "model.json was altered")


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file(folder: Path, name: str) -> None:
    (folder / name).unlink()
    refused(folder, f"{name} is missing")


@pytest.mark.parametrize("text", ["", "{", "\xff", '{"format": 1, "targets": {}}', '{"seal": "x"}'])
def test_a_manifest_that_is_damaged(folder: Path, text: str) -> None:
    (folder / "model.json").write_bytes(text.encode("latin-1"))
    refused(folder, "model.json was altered")


@pytest.mark.parametrize("text", ["[]", "3", '"x"', "null", "{}", '{"format": "layers-model", "weightsManifest": []}'])
def test_a_folder_of_another_program(folder: Path, text: str) -> None:
    (folder / "model.json").write_text(text)
    refused(folder, "not a model folder: model.json was not written by 'evenhand train'")


def resealed(folder: Path, **changes: object) -> None:
    """As somebody would write it who knows how."""
    content = json.loads((folder / "model.json").read_text())
    content.pop("seal")
    files = {name: fingerprint.hash_file(folder / name) for name in FILES if name != "model.json"}
    (folder / "model.json").write_text(model_folder._sealed({**content, "files": files, **changes}), encoding="utf-8")


def test_another_format_or_kind(folder: Path) -> None:
    resealed(folder, format=2)
    refused(folder, "another version of Evenhand", "format 2", "train it again")
    resealed(folder, format=1, kind="lineer")
    refused(folder, "no kind of model 'lineer'", "did you mean 'linear'")


def test_settings_that_do_not_fit(folder: Path) -> None:
    settings = json.loads((folder / "model.json").read_text())["settings"]
    resealed(folder, settings={**settings, "bits": 13})
    refused(folder, "weights.npz does not fit the settings", "'steps'")
    resealed(folder, settings={**settings, "bits": "12"})
    refused(folder, "bits must be a whole number")
    resealed(folder, settings={**settings, "bite": 12})
    refused(folder, "no setting 'bite'")
    resealed(folder, settings={name: value for name, value in settings.items() if name != "bits"})
    refused(folder, "incomplete")


def test_weights_of_other_shapes_and_types(folder: Path) -> None:
    with np.load(folder / "weights.npz") as file:
        arrays = dict(file)
    for name, array in arrays.items():
        for wrong in (array[..., :0], array.astype(np.float64)):
            np.savez(folder / "weights.npz", **{**arrays, name: wrong})
            resealed(folder)
            refused(folder, "weights.npz", f"'{name}'")
    np.savez(folder / "weights.npz", **{name: array for name, array in arrays.items() if name != "steps"})
    resealed(folder)
    refused(folder, "weights.npz cannot be read")


class Burglar:
    """Leaves a trace when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("burgled",)


@pytest.mark.parametrize("form", ["object array", "plain pickle", "plain array", "not a zip"])
def test_code_in_the_weights_is_never_run(folder: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.chdir(folder.parent)
    path = folder / "weights.npz"
    if form == "object array":
        with np.load(path) as file:
            arrays = {**file, "steps": np.array([Burglar()], dtype=object)}
        np.savez(path, allow_pickle=True, **arrays)
    elif form == "plain array":
        with path.open("wb") as file:
            np.save(file, np.zeros(3))
    else:
        path.write_bytes(pickle.dumps(Burglar()) if form == "plain pickle" else b"PK\x03\x04 and then nothing")
    resealed(folder)
    refused(folder, "weights.npz does not fit" if form == "object array" else "weights.npz cannot be read")
    assert not Path("burgled").exists()


def test_what_a_folder_may_hold_before(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.docx").write_text("x")
    (tmp_path / "empty").mkdir()
    before = contents(tmp_path)
    with pytest.raises(InputError, match="a model is a folder"):
        saved(tmp_path / "file")
    with pytest.raises(InputError, match="files that are not part of a model"):
        saved(tmp_path / "other")
    assert contents(tmp_path) == before
    saved(tmp_path / "empty")
    model_folder.load_model(tmp_path / "empty")
    saved(tmp_path / "deep" / "er")
    model_folder.load_model(tmp_path / "deep" / "er")


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_somebody_else_is_never_replaced(tmp_path: Path, name: str) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / name).write_text("theirs")
    before = contents(tmp_path)
    with pytest.raises(InputError, match="files that are not part of a model"):
        saved(tmp_path / "m")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", FILES)
def test_a_model_that_somebody_has_changed_is_not_replaced(folder: Path, name: str) -> None:
    (folder / name).write_bytes((folder / name).read_bytes() + b" ")
    before = contents(folder)
    with pytest.raises(InputError, match=rf"{name}"):
        saved(folder, seed=1)
    assert contents(folder) == before


def test_a_forged_manifest_has_nothing_removed(folder: Path) -> None:
    """It names files of somebody else: those without their hash stay, and nothing outside the folder is reached."""
    (folder / "thesis.docx").write_text("theirs")
    (folder.parent / "secret").write_text("theirs")
    hashed = fingerprint.hash_file(folder.parent / "secret")
    listed = {name: fingerprint.hash_file(folder / name) for name in FILES if name != "model.json"}
    resealed(
        folder, files={**listed, "thesis.docx": "0" * 64, "../secret": hashed, str(folder.parent / "secret"): hashed}
    )
    saved(folder, seed=1)
    assert (folder / "thesis.docx").read_text() == "theirs"
    assert (folder.parent / "secret").read_text() == "theirs"
    model_folder.load_model(folder)


def test_the_version_follows_the_answers(tmp_path: Path) -> None:
    first = saved(tmp_path / "a")
    assert saved(tmp_path / "b", name="other").version == first.version

    def other_cards(version: str) -> dict[str, str]:
        return {"card.json": "{}", "card.md": "something else"}

    assert model_folder.save_model(trained(), tmp_path / "c", name="x", cards=other_cards).version == first.version
    for number, change in enumerate(({"seed": 1}, {"members": 3}, {"neutral": ()}, {"strength": 4.0})):
        assert saved(tmp_path / str(number), **change).version != first.version
    renamed = model_folder.save_model(trained(Targets("binary", ("rude",))), tmp_path / "d", name="x", cards=cards)
    assert renamed.version != first.version


@pytest.mark.parametrize("name", FILES)
def test_a_full_disk_leaves_the_model_that_was_there(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before = contents(folder)
    model = trained(seed=1)
    write, savez = Path.write_text, np.savez_compressed

    def full(self: Path, *args: object, **kwargs: object) -> int:
        if self.name == name:
            self.write_bytes(b"half")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(self, *args, **kwargs)

    def full_of_numbers(path: Path, **arrays: object) -> None:
        if name == "weights.npz":
            full(path)
        savez(path, **arrays)

    monkeypatch.setattr(Path, "write_text", full)
    monkeypatch.setattr(np, "savez_compressed", full_of_numbers)
    with pytest.raises(InputError, match=f"{folder.name}: the output could not be written: No space left"):
        model_folder.save_model(model, folder, name="new", cards=cards)
    assert contents(folder) == before
    with pytest.raises(InputError, match="No space left"):
        model_folder.save_model(model, folder.parent / "new" / "er", name="new", cards=cards)
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


FULL = """
import resource, signal, sys
from pathlib import Path
from classifiers.made import cards, trained
from evenhand.classifiers import model_folder
from evenhand.errors import InputError

model = trained(seed=1)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    model_folder.save_model(model, Path(sys.argv[1]), name="new", cards=cards)
except InputError as error:
    sys.exit(str(error))
"""


@pytest.mark.parametrize("limit", [0, 1000])
@pytest.mark.verify
def test_a_limit_that_the_system_sets(folder: Path, limit: int) -> None:
    before = contents(folder)
    done = subprocess.run(
        [sys.executable, "-c", FULL, folder, str(limit)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    assert done.returncode == 1
    assert done.stderr.strip() == f"{folder}: the output could not be written: File too large"
    assert contents(folder) == before
    model_folder.load_model(folder)
