"""Hostile folders of saved models: forged manifests, sealed as if they were ours, pickled and packed weights."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from typing import Any

from hostile import ordinary
from hostile.corpus.archives import Packed, archive, repeated
from hostile.corpus.places import BIDI, ESCAPE
from hostile.corpus.registry import hostile, put
from hostile.corpus.tables import MARKUP
from hostile.site import Site


def seal(content: dict[str, Any]) -> str:
    """A manifest with the hash of itself, as a saved model has it."""
    content = {name: value for name, value in content.items() if name != "seal"}
    plain = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True)
    digest = hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()
    return json.dumps({**json.loads(plain), "seal": digest}, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def forged(site: Site, change: Callable[[dict[str, Any]], None], *, folder: str = "in", **files: bytes) -> str:
    """A saved model with other files and another manifest, hashes and seal as they should be."""
    made = {**ordinary.model(), **files}
    content = json.loads(made["model.json"])
    content["files"] = {n: hashlib.sha256(made[n]).hexdigest() for n in made if n != "model.json"}
    change(content)
    ordinary.lay_out(site, {**made, "model.json": seal(content).encode("utf-8", "surrogatepass")}, folder)
    return folder


def _as_list(build: Callable[[Site, str], None]) -> Callable[[Site], str]:
    """The same folder as a model by itself, and in a folder of models."""

    def make(site: Site) -> str:
        build(site, "in")
        (site.work / "models").mkdir()
        (site.work / "in").rename(site.work / "models" / "in")
        return "models"

    return make


def model_folder(*, refused: bool = True, reads: bool = False) -> Callable[[Callable[[Site, str], None]], Any]:
    """A folder that can be scored with, and listed among others; a list says what is wrong and goes on."""

    def add(build: Callable[[Site, str], None]) -> Callable[[Site, str], None]:
        def alone(site: Site) -> str:
            build(site, "in")
            return "in"

        put(build.__name__, ("model",), alone, refused=refused, reads=reads)
        put(f"{build.__name__} in a list", ("model list",), _as_list(build), reads=reads)
        return build

    return add


FOREIGN = {
    "precious": "../../precious/precious.txt",
    "above": "../../precious/precious.csv",
    "absolute": "PRECIOUS/precious.txt",
    "device": "/dev/zero",
    "random": "/dev/urandom",
    "system": "/etc/passwd",
    "memory": "/proc/self/mem",
}


def _naming(target: str) -> Callable[[Site, str], None]:
    def build(site: Site, folder: str) -> None:
        name = target.replace("PRECIOUS", str(site.precious))
        forged(site, lambda content: content["files"].update({name: "0" * 64}), folder=folder)

    build.__name__ = ""
    return build


for _name, _target in FOREIGN.items():
    _build = _naming(_target)
    _build.__name__ = f"manifest_that_names_{_name}"
    model_folder()(_build)


@model_folder()
def manifest_that_names_a_pipe(site: Site, folder: str) -> None:
    forged(site, lambda content: content["files"].update(pipe="0" * 64), folder=folder)
    os.mkfifo(site.work / folder / "pipe")


@model_folder()
def manifest_that_is_a_pipe(site: Site, folder: str) -> None:
    (site.work / folder).mkdir()
    os.mkfifo(site.work / folder / "model.json")


@model_folder()
def manifest_that_is_a_device(site: Site, folder: str) -> None:
    (site.work / folder).mkdir()
    (site.work / folder / "model.json").symlink_to("/dev/zero")


@model_folder(reads=True)
def manifest_elsewhere(site: Site, folder: str) -> None:
    """A link to a file is followed, as everywhere; what it holds is no manifest."""
    (site.work / folder).mkdir()
    (site.work / folder / "model.json").symlink_to(site.precious / "precious.txt")


@model_folder(refused=False)
def weights_elsewhere(site: Site, folder: str) -> None:
    """The whole model is ours, but for the weights, which a link takes from another folder."""
    forged(site, lambda content: None, folder=folder)
    weights = site.work / folder / "weights.npz"
    weights.rename(site.root / "weights.npz")
    weights.symlink_to(site.root / "weights.npz")


@model_folder()
def weights_in_a_pipe(site: Site, folder: str) -> None:
    forged(site, lambda content: None, folder=folder)
    (site.work / folder / "weights.npz").unlink()
    os.mkfifo(site.work / folder / "weights.npz")


def _npz(**arrays: bytes | Packed) -> bytes:
    return archive({f"{name}.npy": content for name, content in arrays.items()})


def _header(shape: str, kind: str = "|i1") -> bytes:
    words = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00v\x00" + words.ljust(117) + b"\n"


@model_folder()
def pickled_weights(site: Site, folder: str) -> None:
    code = f"cbuiltins\nexec\n(S{site.code!r}\ntR.".encode()
    packed = _npz(**dict.fromkeys(("steps", "largest", "offsets", "weight"), _header("(1,)", "|O") + code))
    forged(site, lambda content: None, folder=folder, **{"weights.npz": packed})


@model_folder()
def weights_bomb(site: Site, folder: str) -> None:
    packed = _npz(steps=repeated(_header("(3000000000, 1, 1)"), bytes(30_000_000), 100))
    forged(site, lambda content: None, folder=folder, **{"weights.npz": packed})


@model_folder()
def weights_of_a_shape_that_is_not_there(site: Site, folder: str) -> None:
    packed = _npz(steps=_header("(99999999999999, 1, 1)"), largest=_header("(-5, 1)"))
    forged(site, lambda content: None, folder=folder, **{"weights.npz": packed})


@model_folder()
def weights_with_a_name_above(site: Site, folder: str) -> None:
    packed = _npz(**{"../../../precious/precious": b"out of the folder", "steps": _header("(1, 1, 1)")})
    forged(site, lambda content: None, folder=folder, **{"weights.npz": packed})


CONTENT: dict[str, Callable[[dict[str, Any]], None]] = {
    "manifest_with_absurd_settings": lambda content: content["settings"].update(bits=24, members=100),
    "manifest_with_endless_settings": lambda content: content["settings"].update(members=10**12, rounds=10**15),
    "manifest_with_endless_words": lambda content: content["settings"].update(neutral=["w" * 50] * 300_000),
    "manifest_with_many_classes": lambda content: content["targets"].update(
        kind="multi-class", classes=[f"c{n}" for n in range(200_000)]
    ),
    "manifest_with_characters": lambda content: content.update(name=f"{ESCAPE}{BIDI}{MARKUP}", version=f"{ESCAPE}1"),
    "manifest_with_characters_in_classes": lambda content: content["targets"].update(classes=[f"{ESCAPE}{BIDI}"]),
    "manifest_with_a_foreign_kind": lambda content: content.update(kind="__import__('os')"),
    "manifest_with_many_files": lambda content: content["files"].update({f"f{n}": "0" * 64 for n in range(100_000)}),
}


def _altered(change: Callable[[dict[str, Any]], None]) -> Callable[[Site, str], None]:
    def build(site: Site, folder: str) -> None:
        forged(site, change, folder=folder)

    return build


for _name, _change in CONTENT.items():
    _build = _altered(_change)
    _build.__name__ = _name
    model_folder(refused="characters" not in _name and "words" not in _name)(_build)


@hostile("model list")
def list_of_pipes_and_devices(site: Site) -> str:
    folder = site.work / "models"
    folder.mkdir()
    os.mkfifo(folder / "pipe.toml")
    (folder / "zero.toml").symlink_to("/dev/zero")
    (folder / "system.toml").symlink_to("/etc/passwd")
    return "models"


@hostile("model list")
def list_of_odd_names(site: Site) -> str:
    for number, name in enumerate((f"{ESCAPE}{BIDI}", "a\nevenhand: all is well", "[bold]x", "in\udcff")):
        site.write(f"models/{name}/model.json", "{}")
        site.write(f"models/{number}{name}.toml", 'kind = "endpoint"\n')
    return "models"


@hostile("model list")
def list_of_thousands(site: Site) -> str:
    for number in range(300):
        site.write(f"models/{number}/model.json", "[" * 1000)
    return "models"


@hostile("model list")
def list_of_large_files(site: Site) -> str:
    site.write("models/large.toml", 'kind = "endpoint"\n' + "# " + "x" * (40 << 20))
    return "models"
