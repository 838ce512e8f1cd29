"""No command destroys what it reads, or a file that is not its own: every output of every command, by every name.

The commands and their outputs come from the command line itself. A new command, a new output or a new option that takes
a path fails here until it has its row in the table.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from inspect import unwrap
from pathlib import Path
from typing import Any, get_type_hints

import polars as pl
import pytest
import typer

from cli.loop import answered, made_up
from cli.program import Outcome
from evenhand.cli import main
from evenhand.cli.main import app
from evenhand.reproduce.corpora import CORPORA
from evenhand.reproduce.papers import PAPERS
from evenhand.routing import ReviewPolicy
from exchange.dsa import corpus
from migration.logs import frame
from reproduce import tiny

ROLES = "--score p --label truth"
QUICK = "--set bits=10 --set members=2 --set rounds=2"


@dataclass(frozen=True)
class Row:
    """A command that runs, without its outputs; the files that it reads, and an output of each kind.

    `reads` are files in the folder `made`, those behind a plan, a declaration or a model included. `paths` are options
    that take the path of an input. An output that ends in / is a folder. What is `slow` is left to `make verify`.
    """

    line: str
    reads: tuple[str, ...] = ()
    outputs: dict[str, str] = field(default_factory=dict)
    paths: frozenset[str] = frozenset()
    slow: bool = False


def paths(*names: str) -> frozenset[str]:
    return frozenset(names)


TABLE = {
    "audit": Row(
        f"audit.toml {ROLES} --audits bias --terms terms.txt --map map.toml --compare findings.json",
        ("audit.toml", "items.csv", "terms.txt", "map.toml", "findings.json"),
        {"out": "report/"},
        paths("terms", "spellings", "compare"),
    ),
    "init": Row("items.csv", ("items.csv",), {"out": "new.toml"}),
    "agreement": Row("findings.json findings.json", paths=paths("first", "second")),
    "plan": Row(f"items.csv {ROLES} --reviewers 1", ("items.csv",), {"out": "report/"}, slow=True),
    "queue": Row(
        "items.csv --score p --policy policy.json --text text",
        ("items.csv", "policy.json"),
        {"out": "new.csv", "sheet": "new.csv"},
        paths("policy"),
    ),
    "check-labels": Row(f"items.csv {ROLES} --text text", ("items.csv",), {"out": "new.csv", "sheet": "new.csv"}),
    "score": Row(
        "model items.csv --text text --prefix x_",
        ("items.csv", "model/model.json", "model/weights.npz", "model/card.md"),
        {"out": "new.csv"},
    ),
    "train": Row(
        f"items.csv --label truth --text text --test other.csv {QUICK}", ("items.csv", "other.csv"), {"out": "fresh/"}
    ),
    "models": Row(".", paths=paths("folder")),
    "card": Row("findings.json", ("findings.json",), {"out": "new.md"}, paths("findings")),
    "reproduce": Row(
        "bias --data papers --light", ("papers/MADLIBS",), {"out": "report/", "download": "data/"}, paths("data"), True
    ),
    "migrate perspective": Row(
        "log.csv --old-score perspective --new-score ours --threshold 0.8 --text text --terms words.txt",
        ("log.csv", "words.txt"),
        {"out": "report/"},
        paths("terms"),
        slow=True,
    ),
    "serve tokens add": Row("name --file tokens.json", paths=paths("file")),  # kept up to date, and nothing else
    "serve tokens list": Row("--file tokens.json", paths=paths("file")),
    "serve tokens revoke": Row("name --file tokens.json", paths=paths("file")),
    "desk recover": Row("desk.db lee", paths=paths("key")),
    "store init": Row("new.db", paths=paths("key")),
    "store verify": Row("desk.db --head head.json", paths=paths("head", "key")),
    "store head": Row("desk.db", ("desk.db", "desk.db.key"), {"out": "new.json"}, paths("key")),
    "store rebuild": Row("desk.db", paths=paths("key")),
    "store export": Row("desk.db", ("desk.db", "desk.db.key"), {"out": "report/"}, paths("key")),
    "store import": Row("desk.db items.csv --column id=id", paths=paths("key")),
    "store activate": Row("desk.db desk-policy.json --actor system", paths=paths("policy", "key")),
    "store invite": Row("desk.db ana --role lead", paths=paths("key")),
    "store backup": Row("desk.db", ("desk.db", "desk.db.key"), {"out": "new.db"}, paths("key")),
    "store restore": Row("copy.db new.db --key desk.db.key", paths=paths("backup", "key")),
    "store upgrade": Row("desk.db"),
    "store erase": Row("desk.db --days 400", paths=paths("key")),
    "store hold": Row("desk.db 1 --reason court", paths=paths("key")),
    "store measure": Row("desk.db", paths=paths("key")),
    "demo": Row("--rows 3000 --seed 1", (), {"out": "report/"}, slow=True),
    "calibrate file": Row(f"items.csv {ROLES}", ("items.csv",), {"out": "new.csv", "calibrator": "new.json"}),
    "calibrate fit": Row(f"items.csv {ROLES}", ("items.csv",), {"out": "new.json"}),
    "calibrate apply": Row(
        "calibrator.json items.csv", ("calibrator.json", "items.csv"), {"out": "new.csv"}, paths("calibrator")
    ),
    "calibrate compare": Row(
        f"items.csv other.csv {ROLES} --beside them=third.csv --seeds 1",
        ("items.csv", "other.csv", "third.csv"),
        {"out": "report/"},
        slow=True,
    ),
    "report dsa": Row(
        "--provider vlop --service Forum --period 2026-01-01/2026-06-30 --decisions decisions.jsonl",
        ("decisions.jsonl",),
        {"out": "report/"},
        paths("annotations", "notice_labels", "decisions", "notices", "appeals", "values", "codes"),
    ),
    "report lint": Row("filed", paths=paths("folder")),
    "statements prepare": Row("exported --codes codes.toml", ("codes.toml",), {"out": "report/"}, paths("codes")),
    "statements write": Row("decisions.jsonl", ("decisions.jsonl",), {"out": "new.jsonl"}, paths("decisions")),
    "statements submit": Row("new.jsonl --dry-run", paths=paths("statements")),
    "statements compare": Row(
        "dump.csv --report filed --platform Forum --period 2026-01-01/2026-06-30", paths=paths("dumps", "report")
    ),
    "annotations read": Row("export.json --from label-studio", ("export.json",), {"out": "new.csv"}, paths("files")),
    "annotations write": Row("answers.csv", ("answers.csv",), {"out": "new.json"}, paths("table")),
    "sample plan": Row("items.csv --score p --n 40", ("items.csv",), {"out": "new.json"}, paths("items")),
    "sample draw": Row("plan.json", ("plan.json", "items.csv"), {"out": "new.csv"}, paths("plan", "items")),
    "sample extend": Row("plan.json --n 60", ("plan.json",), {"out": "new.json"}, paths("plan")),
    "sample estimate": Row(
        "plan.json batch.csv --gold gold.csv",
        ("plan.json", "batch.csv", "gold.csv", "items.csv"),
        {"out": "report/", "evidence": "new.csv", "next": "new.csv"},
        paths("plan", "labels", "gold", "panel", "items"),
    ),
    "sample panel": Row(
        "plan.json batch.csv --gold gold.csv --n 30",
        ("plan.json", "batch.csv", "gold.csv", "items.csv"),
        {"out": "new.csv"},
        paths("plan", "labels", "gold", "items"),
    ),
    "sample second": Row("plan.json --n 5", ("plan.json", "items.csv"), {"out": "new.csv"}, paths("plan", "items")),
    "sample annotators": Row("plan.json batch.csv", paths=paths("plan", "labels", "second", "panel", "gold")),
    "sample compare": Row("findings.json findings.json"),
    "sample chart": Row("may.json june.json", ("may.json", "june.json"), {"out": "report/"}),
    "sample simulate": Row(
        f"items.csv {ROLES} --quick --simulations 100", ("items.csv",), {"out": "report/"}, slow=True
    ),
    "sample size": Row("--prevalence 0.1"),
    "sample mde": Row("--prevalence 0.1 --n 100"),
    "synthesise templates": Row("--terms terms.txt --rows 200", ("terms.txt",), {"out": "new.csv"}, paths("terms")),
    "synthesise community": Row("--items 200", (), {"out": "report/"}),
}


def commands(group: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*before, name))
        else:
            yield " ".join((*before, name)), command


COMMANDS = dict(commands(typer.main.get_command(app)))


def outputs(command: Any) -> set[str]:
    return set(getattr(command.callback, "outputs", ()))


def flag(name: str, output: str) -> str:
    return str(next(option.opts[0] for option in COMMANDS[name].params if option.name == output))


def test_every_command_every_output_and_every_path_is_in_the_table() -> None:
    assert set(COMMANDS) == set(TABLE)
    for name, command in COMMANDS.items():
        assert outputs(command) == set(TABLE[name].outputs), name
        hints = get_type_hints(unwrap(command.callback), include_extras=True)
        taken = {option for option, hint in hints.items() if "Path" in str(hint)}
        assert taken - outputs(command) == TABLE[name].paths, f"{name}: is it read or written? Outputs are OutputValue"


def run(*arguments: object) -> Outcome:
    said, complained, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv, code = ["evenhand", *map(str, arguments)], 0
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
            main()
    except SystemExit as stop:
        code = int(stop.code or 0)
    finally:
        sys.argv = before
    return Outcome(code, said.getvalue(), complained.getvalue())


def ran(line: str) -> str:
    done = run(*line.split())
    assert done.code == 0, (line, done.err)
    return done.out


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every file that a command of the table reads."""
    folder, before = tmp_path_factory.mktemp("made"), Path.cwd()
    os.chdir(folder)
    items = made_up().head(400)
    items.write_csv("items.csv")
    for name in ("other.csv", "third.csv"):
        made_up().slice(400, 400).write_csv(name)
    Path("audit.toml").write_text('data = "items.csv"\n[columns]\ntext = "text"\n')
    Path("terms.txt").write_text("item\n")
    Path("map.toml").write_text("")
    Path("findings.json").write_text(ran(f"audit audit.toml {ROLES} --audits bias --terms terms.txt --json"))
    for month in ("may", "june"):
        moderation = ran("audit items.csv --label truth --decision removed --audits accuracy --json")
        Path(f"{month}.json").write_text(moderation)
    ran(f"calibrate fit items.csv {ROLES} -o calibrator.json")
    policy = ReviewPolicy(upper=0.9, strategy="below-threshold:0.9", capacity=9, items_per_day=90)
    Path("policy.json").write_text(json.dumps(policy.to_dict()))
    ran("sample plan items.csv --score p --n 40 -o plan.json")
    ran("sample draw plan.json -o batch.csv")
    answered(Path("batch.csv"), items)
    gold = [f"g{number}" for number in range(8)]
    pl.DataFrame({"id": gold, "truth": [1, 0] * 4}).write_csv("gold.csv")
    with Path("batch.csv").open("a") as file:
        file.writelines(f"{id_},,,,{answer}\n" for id_, answer in zip(gold, ["yes", "no"] * 4, strict=True))
    frame(400).write_csv("log.csv")
    corpus.jsonl(Path("decisions.jsonl"), corpus.decisions(20))
    Path("answers.csv").write_text("item,text,annotator,label\ni1,calm,ann,no\n")
    ran("annotations write answers.csv -o export.json")
    Path("words.txt").write_text("says\n")
    ran(f"train items.csv --label truth --text text --test other.csv {QUICK} -o model")
    ran("store init desk.db")
    ran("store import desk.db items.csv --column id=id --column text=text")
    ran("store invite desk.db lee --role lead")
    ran("store export desk.db -o exported")
    Path("codes.toml").write_text(corpus.DESK_CODES)
    Path("papers").mkdir()
    tiny.madlibs(Path("papers"))
    os.chdir(before)
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of all of them."""
    folder = tmp_path / "here"
    shutil.copytree(made, folder)
    monkeypatch.chdir(folder)
    return folder


def contents() -> dict[str, bytes | str | None]:
    """What there is: files, where links lead, and folders."""
    found: dict[str, bytes | str | None] = {}
    for path in sorted(Path().rglob("*")):
        plain = path.read_bytes() if path.is_file() else None
        found[str(path)] = os.readlink(path) if path.is_symlink() else plain
    return found


def refused(name: str, output: str, at: Path, says: str = "", *, force: bool = False) -> None:
    """One line, code 2, and nothing is other than it was."""
    before = contents()
    forced = ["--force"] if force else []
    done = run(*name.split(), *arguments(name, output), flag(name, output), at, *forced)
    assert done.code == 2, (done.out, done.err)
    (line,) = done.err.strip().splitlines()
    assert line.startswith("evenhand: ")
    assert says in line
    assert "internal error" not in line
    assert contents() == before


def arguments(name: str, output: str) -> list[str]:
    """What the command is given beside this output."""
    line = TABLE[name].line.split()
    if (name, output) == ("reproduce", "download"):
        line = ["bias", "--light"]
    main = TABLE[name].outputs.get("out", "/")
    return line if output == "out" or main.endswith("/") else [*line, "--out", f"main{Path(main).suffix}"]


def itself(path: Path, suffix: str) -> Path:
    return path


def by_detour(path: Path, suffix: str) -> Path:
    Path("detour").mkdir()
    return Path("detour", "..", path)


def by_link(path: Path, suffix: str) -> Path:
    alias = Path(f"alias{suffix}")
    alias.symlink_to(path.absolute())
    return alias


def by_hard_link(path: Path, suffix: str) -> Path:
    alias = Path(f"alias{suffix}")
    alias.hardlink_to(path)
    return alias


NAMES: tuple[Callable[[Path, str], Path], ...] = (itself, by_detour, by_link, by_hard_link)
AIMED = [
    pytest.param(name, output, read, alias, id=f"{name}: {output} at {read}, {alias.__name__}")
    for name, row in TABLE.items()
    for output in row.outputs
    for read in row.reads
    for alias in NAMES
]


@pytest.mark.parametrize(("name", "output", "read", "alias"), AIMED)
def test_an_output_that_is_an_input_is_refused(
    here: Path, name: str, output: str, read: str, alias: Callable[[Path, str], Path]
) -> None:
    path = Path(read.replace("MADLIBS", next(path.name for path in Path("papers").iterdir())))
    at = alias(path, Path(TABLE[name].outputs[output]).suffix)
    refused(name, output, at, force=has_force(name))  # which replaces no input either


def has_force(name: str) -> bool:
    return any("--force" in option.opts for option in COMMANDS[name].params)


FILES = [(name, output) for name, row in TABLE.items() for output, at in row.outputs.items() if not at.endswith("/")]


def test_what_writes_a_file_takes_force_and_nothing_else_does() -> None:
    assert {name for name in COMMANDS if has_force(name)} == {name for name, _ in FILES}


@pytest.mark.parametrize(("name", "output"), FILES)
def test_a_file_that_exists_is_never_replaced_unless_it_is_asked_for(here: Path, name: str, output: str) -> None:
    """Whoever wrote it: what an earlier run has written may have been edited since."""
    path = Path(TABLE[name].outputs[output])
    path.write_text("my thesis")
    says = f"{path}: this file exists: choose another name with {flag(name, output)}, or replace it with --force"
    refused(name, output, path, says)


QUICKLY = ("calibrate fit", "out")
NOT_TWICE = (  # of this plan there is no next batch, its labels are kept with --force too, and no calibrator is needed
    *(("sample estimate", "next"), ("sample extend", "out"), ("calibrate file", "calibrator")),
)
REPLACED = [pytest.param(*one, marks=pytest.mark.verify) for one in FILES if one not in (QUICKLY, *NOT_TWICE)]


@pytest.mark.parametrize(("name", "output"), [QUICKLY, *REPLACED])
def test_force_replaces_what_a_run_has_written(here: Path, name: str, output: str) -> None:
    path = Path(TABLE[name].outputs[output])
    line = [*name.split(), *arguments(name, output), flag(name, output), str(path)]
    assert run(*line).code == 0
    written = path.read_bytes()
    assert run(*line).code == 2
    assert path.read_bytes() == written
    done = run(*line, "--force")
    assert done.code == 0, done.err
    assert path.is_file()


@pytest.mark.parametrize("line", ["store init theirs.db", "store init fresh.db --key theirs.db"])
def test_a_new_store_takes_no_name_that_is_taken(here: Path, line: str) -> None:
    Path("theirs.db").write_text("my thesis")
    before = contents()
    assert run(*line.split()).code == 2
    assert run(*f"store restore desk.db {line.split()[2]} --key desk.db.key".split()).code in (0, 2)
    assert Path("theirs.db").read_text() == "my thesis"
    assert {path: content for path, content in contents().items() if path in before} == before


FOLDERS = [(name, output) for name, row in TABLE.items() for output, at in row.outputs.items() if at.endswith("/")]


def written_by(name: str, output: str) -> list[str]:
    """The names of the files that a command writes into a new folder."""
    if output == "download":
        remotes = [(corpus, remote) for corpus in PAPERS["bias"].needs for remote in CORPORA[corpus].remotes]
        return sorted({f"{corpus}/{remote.name}" for corpus, remote in remotes})
    ran(f"{name} {' '.join(arguments(name, output))} {flag(name, output)} first")
    found = sorted(path.relative_to("first").as_posix() for path in Path("first").rglob("*") if path.is_file())
    return [file for file in found if name != "demo" or "/" not in file]  # it saves its data before its figures


CASES = [
    pytest.param(name, output, every, marks=[pytest.mark.verify] if every else [])
    for name, output in FOLDERS
    for every in ((True,) if TABLE[name].slow else (False, True))
]


def some(names: list[str], *, every: bool) -> list[str]:
    """All names at the top, which are looked at before the work, and two within each folder; or one of each."""
    top, within = [name for name in names if "/" not in name], {str(Path(name).parent): name for name in names}
    first = {str(Path(name).parent): name for name in reversed(names)}
    return list(dict.fromkeys([*top, *within.values(), *first.values()] if every else within.values()))


@pytest.mark.parametrize(("name", "output", "every"), CASES)
def test_a_file_of_somebody_else_is_never_replaced_in_a_folder(here: Path, name: str, output: str, every: bool) -> None:
    """By any name that the command writes, the file stays, and the folder is as it was."""
    for number, file in enumerate(some(written_by(name, output), every=every)):
        theirs = Path(f"theirs{number}", file)
        theirs.parent.mkdir(parents=True)
        theirs.write_text("theirs")
        refused(name, output, Path(f"theirs{number}"), f"theirs{number}" if name == "train" else str(theirs))


CHANGED = [pytest.param(name, "out", marks=pytest.mark.verify) for name, output in FOLDERS if output == "out"]


@pytest.mark.parametrize(("name", "output"), [("synthesise community", "out"), *CHANGED])
def test_a_file_that_somebody_has_changed_is_never_replaced(here: Path, name: str, output: str) -> None:
    """Nor removed; what nobody has changed is replaced without a question."""
    names = written_by(name, output)
    line = f"{name} {' '.join(arguments(name, output))} {flag(name, output)} first"
    Path("first/notes.txt").write_text("mine")
    for file in some(names, every=False):
        path = Path("first", file)
        before = path.read_bytes()
        path.write_bytes(before + b" ")
        refused(name, output, Path("first"))
        path.write_bytes(before)
    ran(line)
    assert Path("first/notes.txt").read_text() == "mine"


def test_what_a_run_is_compared_with_stays(here: Path) -> None:
    line = f"audit items.csv {ROLES} --text text --terms terms.txt --audits bias"
    ran(f"{line} --out report")
    before = contents()
    done = run(*f"{line} --compare report/findings.json --out report".split())
    assert done.code == 2
    assert "report/findings.json: the output would replace the file that is read" in done.err
    assert contents() == before


@pytest.mark.parametrize("kind", ["symlink", "config"])
def test_beside_an_output_nothing_else_is_replaced(here: Path, kind: str) -> None:
    """The labelling interface that goes with tasks has a name that nobody has given."""
    config = Path("tasks.config.xml")
    if kind == "symlink":
        config.symlink_to("gold.csv")
    else:
        config.write_text("mine")
    before = contents()
    done = run("sample", "draw", "plan.json", "-o", "tasks.json")
    assert done.code == 2
    assert "tasks.config.xml: the labelling interface would replace this file" in done.err
    assert contents() == before
    config.unlink()
    ran("sample draw plan.json -o tasks.json")
    ran("sample draw plan.json -o tasks.json --force")
