"""A scikit-learn model in a file. Only the skops format is read: loading a pickle runs whatever its author wrote."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evenhand.classifiers import fingerprint
from evenhand.classifiers.adapters.extras import library
from evenhand.classifiers.adapters.pipeline import BATCH, PipelineClassifier, adapt
from evenhand.classifiers.protocol import Kind
from evenhand.errors import InputError

PICKLES = {".pkl", ".pickle", ".joblib", ".dill", ".cloudpickle"}
CONVERT = "load it once where you trust it and save it again: skops.io.dump(model, 'model.skops')"


def open_skops(
    path: str | Path,
    *,
    trusted: Sequence[str] = (),
    positive: str | Sequence[str] | None = None,
    task: Kind | None = None,
    classes: Sequence[str] | None = None,
    batch: int = BATCH,
    name: str | None = None,
) -> PipelineClassifier:
    """A file that `skops.io.dump` wrote; its version is its hash.

    What the file would build is listed before anything is built. Types beyond scikit-learn, NumPy and SciPy are
    refused unless they are named in `trusted`: look at the code of each before naming it.
    """
    file = Path(path)
    _refuse_pickles(file)
    model = _loaded(file, tuple(trusted))
    options = {"positive": positive, "task": task, "classes": classes}
    version = fingerprint.of_files([file], options)
    return adapt(
        model, name=name or file.stem, version=version, positive=positive, task=task, classes=classes, batch=batch
    )


def _refuse_pickles(file: Path) -> None:
    if not file.is_file():
        raise InputError("there is no such file", source=str(file))
    with file.open("rb") as opened:
        pickled = opened.read(1) == b"\x80"  # how every pickle of the last twenty years begins
    if pickled or file.suffix.lower() in PICKLES:
        raise InputError(f"a pickle can run any code when it is loaded, so none is: {CONVERT}", source=str(file))


def _loaded(file: Path, trusted: tuple[str, ...]) -> Any:
    io = library("skops.io")
    try:
        found = [kind for kind in io.get_untrusted_types(file=file) if kind not in trusted]
        if found:
            problem = f"the file would build types nobody vouched for ({', '.join(found)}): "
            raise InputError(problem + "read their code, then name them in trusted", source=str(file))
        return io.load(file, trusted=list(trusted))
    except InputError:
        raise
    except zipfile.BadZipFile:
        raise InputError(f"this is not a skops file: {CONVERT}", source=str(file)) from None
    except Exception as error:  # whatever a damaged file makes the reader stumble over
        raise InputError(f"the skops file cannot be read ({type(error).__name__})", source=str(file)) from error
