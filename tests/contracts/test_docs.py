"""Docs cannot drift: what there is, is documented, and what the docs run, runs."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import evenhand as eh
from evenhand.audits.bias.quantities import GROUP_QUANTITIES
from evenhand.audits.calibration.quantities import CLASS_MEASURES, OVERALL_MEASURES
from evenhand.audits.collaboration.quantities import (
    MODEL_QUANTITIES,
    UNGROUPED_QUANTITIES,
    capacity_quantities,
    strategy_quantities,
)
from evenhand.audits.perspective import PerspectiveSettings
from evenhand.audits.quantities import OVERALL_QUANTITIES
from evenhand.audits.settings import Settings
from evenhand.calibrators import METHODS
from evenhand.classifiers.description import DESCRIBED_KINDS, ModelDescription
from evenhand.classifiers.methods import METHODS as TRAINED
from evenhand.classifiers.presets import PRESETS
from evenhand.cli.main import app
from evenhand.evidence.declaration import Declaration
from evenhand.measures.collaboration import Capacity
from evenhand.reports.accuracy import GLOSSARY as ACCURACY_GLOSSARY
from evenhand.reports.migration import GLOSSARY as MIGRATION_GLOSSARY
from evenhand.reports.perspective import GLOSSARY
from evenhand.routing.strategies import UNCERTAINTY
from evenhand.synthetic.community import community, parameters
from evenhand.synthetic.templates import templates
from exchange.dsa import corpus
from store.desks import sqlite_desk

ROOT = Path(__file__).parents[2]
DOCS = {
    path.relative_to(ROOT).as_posix(): path.read_text() for path in [*ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
}


def help_of(*command: str) -> str:
    result = CliRunner().invoke(app, [*command, "--help"], prog_name="evenhand")
    assert result.exit_code == 0, result.output
    return result.output


def commands(*group: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every command with its help, those of a group in place of the group."""
    for name in re.findall(r"^  (\w+)  ", help_of(*group).split("Commands:")[1], re.MULTILINE):
        text = help_of(*group, name)
        if "Commands:" in text:
            yield from commands(*group, name)
        else:
            yield (*group, name), text


def test_the_readme_opens_with_the_two_commands() -> None:
    opening = DOCS["README.md"].splitlines()[:8]
    assert any(line.startswith("make demo") for line in opening)
    assert any(line.startswith("make test") for line in opening)


def test_every_command_and_option_is_documented() -> None:
    page = DOCS["docs/command-line.md"]
    shared = page.split("## Every command that reads a table")[1].split("\n## ")[0]
    found = dict(commands())
    assert {("audit",), ("synthesise", "community")} <= set(found)
    for command, text in found.items():
        section = page.split(f"## evenhand {' '.join(command)}")[1].split("\n## ")[0]
        for option in re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.MULTILINE):
            if option != "--help":
                assert f"`{option}`" in section + shared, (command, option)


def test_every_audit_has_a_page_and_says_what_it_needs() -> None:
    for audit in eh.AUDITS:
        page = DOCS[f"docs/audits/{audit.name}.md"]
        assert audit.question.removesuffix("?").lower() in page.lower()
        assert f"docs/audits/{audit.name}.md" in DOCS["README.md"]


def test_every_measure_is_explained() -> None:
    names = [q.name for q in (*OVERALL_QUANTITIES, *GROUP_QUANTITIES)] + ["jigsaw_score", "bpsn_auc_power_mean"]
    for name in names:
        assert f"`{name}`" in DOCS["docs/audits/bias.md"], name
    for quantity in (
        *MODEL_QUANTITIES,
        *UNGROUPED_QUANTITIES,
        *strategy_quantities(UNCERTAINTY),
        *capacity_quantities(UNCERTAINTY, Capacity.fraction(0.01)),
    ):
        assert f"`{quantity.name}`" in DOCS["docs/audits/collaboration.md"], quantity.name
    for name in (*(number.measure for number in OVERALL_MEASURES), *CLASS_MEASURES):
        assert f"`{name}`" in DOCS["docs/audits/calibration.md"], name
    for name in ("count", "rank_agreement", *ACCURACY_GLOSSARY):
        assert f"`{name}`" in DOCS["docs/audits/accuracy.md"], name
    for name in MIGRATION_GLOSSARY:
        assert f"`{name}`" in DOCS["docs/moving-from-perspective.md"], name
    for name in ("count", "annotator_count", *GLOSSARY):
        assert f"`{name}`" in DOCS["docs/audits/perspective.md"], name


def test_every_choice_about_annotators_is_explained() -> None:
    own = set(PerspectiveSettings.__dataclass_fields__) - set(Settings.__dataclass_fields__)
    for name in sorted(own - {"permutations"}):
        assert f"--{name.replace('_', '-')}" in DOCS["docs/audits/perspective.md"], name


def test_every_calibrator_is_explained() -> None:
    table, when = DOCS["docs/calibrators.md"].split("## When which")
    for name in METHODS:
        assert f"| `{name}` |" in table, name
        assert f"`{name}`" in when, name


def test_every_role_is_explained() -> None:
    for name in Declaration.__dataclass_fields__:
        assert f"`{name}`" in DOCS["docs/evidence.md"], name


def test_every_kind_of_model_and_its_options_are_explained() -> None:
    sections = re.split(r"^### ", DOCS["docs/models.md"], flags=re.MULTILINE)
    for kind, function in DESCRIBED_KINDS.items():
        (section,) = [text for text in sections if f'kind = "{kind}"' in text]
        for option in inspect.signature(function).parameters:
            assert f"`{option}`" in section or f"{option} = " in section, (kind, option)


def test_every_way_to_train_and_its_settings_are_explained() -> None:
    page = DOCS["docs/models.md"]
    for name, method in TRAINED.items():
        assert f"`{name}`" in page, name
        for setting in type(method.settings).__dataclass_fields__:
            assert f"`{setting}`" in page, (name, setting)
    for preset in PRESETS.values():
        assert f"`{preset.name}`" in page, preset.name
        assert preset.hub in page, preset.hub


def test_every_public_name_is_explained() -> None:
    for name in eh.__all__:
        assert f"`{name}`" in DOCS["docs/python.md"], name


def test_links_lead_somewhere() -> None:
    for name, text in DOCS.items():
        for target in re.findall(r"(?:\]\(|src=\")([^)#:\"]+)[)#\"]", text):
            assert (ROOT / name).parent.joinpath(target).exists(), (name, target)


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    made = community(4000, seed=3)
    table = made.items.rename({"model_a": "p", "toxicity": "toxic"})
    table.write_parquet(folder / "comments.parquet")
    table.head(2000).write_parquet(folder / "validation.parquet")
    table.tail(2000).write_parquet(folder / "test.parquet")
    table.select("text", "toxic").write_parquet(folder / "labelled.parquet")
    removed = pl.col("decision") == "removed"
    drawn = table.with_columns(removed=removed, pi=pl.lit(0.5), y=pl.col("toxic") >= 0.5).filter(
        pl.col("id").hash(1) % 2 == 0
    )
    drawn.with_columns(stratum=pl.col("decision")).write_parquet(folder / "sampled.parquet")
    table.select("text", "women", "men", "language", perspective="p", ours="model_b").write_csv(
        folder / "perspective-log.csv"
    )
    for name in ("texts", "comments"):
        table.select("text").head(50).write_csv(folder / f"{name}.csv")
    made.annotations.head(6000).write_parquet(folder / "labels.parquet")
    made.annotators.rename({"id": "annotator"}).write_parquet(folder / "people.parquet")
    table.select(item="id", p="p").write_parquet(folder / "scored.parquet")
    lay_out_reviews(table, folder)
    lay_out_cases(folder)
    lay_out_scores(table, folder)
    (folder / "map.toml").write_text(
        '[gender]\nwomen = "woman"\nmen = "man"\n[ethnicity]\nwhite = "white"\nother = "*"\n'
    )
    return folder


def lay_out_scores(table: pl.DataFrame, folder: Path) -> None:
    """What the pages on reviewers, calibration and clusters read."""
    verdict = pl.when(pl.col("toxic") >= 0.5).then(pl.lit("remove")).otherwise(pl.lit("keep"))
    scores = table.select("id", "text", tox_pct=100.0 * pl.col("p"), verdict=verdict)
    scores.write_csv(folder / "history.csv")
    scores.drop("verdict").write_csv(folder / "items.csv")
    sentences = [(term, frame) for frame in range(40) for term in ("gay", "tall", "old", "deaf")]
    templates = pl.DataFrame(sentences, schema=["term", "template"], orient="row")
    number = pl.int_range(pl.len())
    templates.with_columns(p=(number * 7 % 100) / 100.0, y=pl.col("template") % 2).write_csv(folder / "templates.csv")


def lay_out_reviews(table: pl.DataFrame, folder: Path) -> None:
    """What two reviewers decided, each wrong about every ninth or seventh item; every third label is adjudicated."""
    number, label = pl.int_range(pl.len()), pl.col("toxic") >= 0.5
    table.with_columns(
        toxic=label,
        first_decision=label ^ (number % 9 == 0),
        second_decision=label ^ (number % 7 == 0),
        is_gold=number % 3 == 0,
    ).write_parquet(folder / "reviewed.parquet")


def lay_out_cases(folder: Path) -> None:
    """What the pages on transparency reports and annotation tools read."""
    decided = corpus.decisions(200)
    corpus.jsonl(folder / "decisions.jsonl", decided)
    pl.DataFrame(corpus.notices(50)).write_csv(folder / "notices.csv")
    pl.DataFrame(corpus.appeals(50)).write_csv(folder / "appeals.csv")
    desk = sqlite_desk(folder, "forum.db")
    desk.receive(0.95, 0.99, language="en")
    desk.store.close()
    columns = ("application_date", "source_type", "automated_detection", "automated_decision", "content_language")
    pl.DataFrame([{"platform_name": "Forum", **{name: row[name] for name in columns}} for row in decided]).write_csv(
        folder / "dump.csv"
    )
    answer = {"completed_by": 1, "result": [{"from_name": "label", "value": {"choices": ["no"]}}]}
    task = {"id": 1, "data": {"item": "i1", "text": "calm"}, "annotations": [answer]}
    (folder / "export.json").write_text(json.dumps([task]))


OPENING = ("README.md", "docs/python.md")  # what `make test` runs; `make verify` runs every page
BLOCKS = [
    (name, language, block)
    for name, text in DOCS.items()
    for language, block in re.findall(r"```(\w*)\n(.*?)```", text, re.DOTALL)
    if name != "docs/tutorial.md"  # has a test of its own: each block needs those before it
]


@pytest.mark.parametrize(
    ("name", "language", "block"),
    [
        pytest.param(*block, id=f"{block[0]}-{number}", marks=() if block[0] in OPENING else pytest.mark.verify)
        for number, block in enumerate(BLOCKS)
    ],
)
def test_every_block_runs(
    name: str, language: str, block: str, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workplace)
    assert language in {"python", "sh", "toml"}, f"nothing runs a block of '{language}'"
    if language == "python":
        exec(compile(block, name, "exec"), {})
    elif language == "toml" and name == "docs/models.md":
        Path("model.toml").write_text(block)
        ModelDescription.read(Path("model.toml"))
    elif language == "toml" and name == "docs/transparency-reports.md":
        Path("codes.toml").write_text(block)
    elif language == "toml":
        Path("audit.toml").write_text(block)
        run("evenhand audit audit.toml --json")
    else:
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("evenhand agreement"):
                roles = "--score p --label toxic --groups women,men,gay,black"
                for folder in ("real", "templates"):
                    run(f"evenhand audit comments.parquet {roles} --out {folder}")
            if line.startswith("evenhand sample compare"):
                roles = {"label": "y", "decision": "removed", "inclusion": "pi", "audits": "accuracy"}
                for name, rest in (("this", "id > 'c0002'"), ("last", "id <= 'c0002'")):
                    Path(f"{name}.json").write_text(eh.audit("sampled.parquet", **roles, where=rest).json())
            if line.startswith("evenhand sample chart"):
                for name in ("january", "february", "march"):
                    Path(f"{name}.json").write_text(Path("last.json").read_text())
            if not line.startswith(("make ", "#")):
                run(line)
            for sheet in re.findall(r"(?:(?:draw|panel|second) .*-o|--next|--sheet) (\S+\.csv)", line):
                annotate(Path(sheet))


INDENTED = [  # what needs a server, a download or another machine is not in a block that runs
    pytest.param(line, id=f"{name}-{line[:60]}")
    for name, text in DOCS.items()
    for line in re.findall(r"^    (evenhand .*)$", re.sub(r" \\\n +", " ", text), re.MULTILINE)
]


@pytest.mark.parametrize("line", INDENTED)
def test_commands_that_are_only_shown_exist_with_their_options(line: str) -> None:
    words = [word.partition("=")[0] for word in shlex.split(line, comments=True)[1:]]
    text, rest = help_of(), list(words)
    while "Commands:" in text and rest and re.search(rf"(?m)^  {re.escape(rest[0])}  ", text):
        rest.pop(0)
        text = help_of(*words[: len(words) - len(rest)])
    assert len(rest) < len(words), f"'{words[0]}' is no command"
    for word in rest:
        if word.startswith("-"):
            assert re.search(rf"(?m)^  .*(?<![\w-]){re.escape(word)}(?![\w-])", text), word


def annotate(sheet: Path) -> None:
    """What people would do between two commands."""
    truth = dict(pl.read_parquet("comments.parquet").select("id", pl.col("toxic") >= 0.5).iter_rows())
    table = pl.read_csv(sheet, infer_schema=False)
    said = ["yes" if truth[id_.removeprefix("'")] else "no" for id_ in table["id"]]
    table.with_columns(label=pl.Series(said)).write_csv(sheet)


OUTPUT_OPTIONS = ("-o", "--out", "--sheet", "--next", "--evidence", "--calibrator")


def run(line: str) -> None:
    program, *arguments = shlex.split(line, comments=True)
    assert program == "evenhand", line
    named = [value for option, value in pairwise(arguments) if option in OUTPUT_OPTIONS]
    if any(Path(name).is_file() for name in named):  # a block before this one, in another place, has written it
        arguments.append("--force")
    done = subprocess.run([sys.executable, "-m", "evenhand", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_tables_of_the_studies_are_the_committed_ones() -> None:
    from studies.tables import ACCURACY, ROUTING, RUNNING, SAMPLING, STATISTICS, TABLES

    for table in TABLES:
        assert table() in DOCS["docs/intervals.md"], table.__name__
    for table in ROUTING:
        assert table() in DOCS["docs/routing.md"], table.__name__
    for table in SAMPLING:
        assert table() in DOCS["docs/sampling.md"], table.__name__
    for table in ACCURACY:
        assert table() in DOCS["docs/audits/accuracy.md"], table.__name__
    for table in STATISTICS:
        assert table() in DOCS["docs/statistics.md"], table.__name__
    for table in RUNNING:
        assert table() in DOCS["docs/running.md"], table.__name__


def test_the_page_on_made_up_data_says_what_is_planted() -> None:
    page = DOCS["docs/synthetic.md"]
    table = templates()
    said = [
        f"{len(table):,} rows",
        f"{len(table) // table['term'].n_unique():,} sentences",
        f"{table['term'].n_unique()} terms",
        f"{table['template'].n_unique()} patterns",
        f"by {parameters.TEMPERATURE}",
        f"`{parameters.RARE}` by {parameters.RARE_TEMPERATURE}",
        f"prevalence times {parameters.LATER_PREVALENCE_FACTOR}",
        f"{parameters.MODEL_B_KEEPS:.0%}".replace("%", " %"),
        f"fewer than {parameters.SHORT} characters",
        f"`{parameters.NULL_ATTRIBUTE}` has nothing",
        *(f"`{name}`" for name, group in parameters.GROUPS.items() if not group.benign and not group.violating),
    ]
    assert [piece for piece in said if piece not in page] == []
