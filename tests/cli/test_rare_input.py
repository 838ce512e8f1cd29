"""What is seldom given and seldom wrong: each is refused in one line, or said in plain words."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from audits.test_calibration_audit import COLUMNS, made
from evenhand.audits.planning import PlanSettings, make_plan
from evenhand.errors import InputError
from evenhand.evidence import Declaration, open_evidence
from evenhand.progress import silent

STRATA = {"stratum": ["a", "b"], "items": [900, 100], "prevalence": [0.01, 0.3]}


def table(rows: int = 200, **columns) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    p = rng.beta(0.5, 2.0, rows)
    base = {
        "p": p,
        "q": rng.random(rows),
        "y": rng.random(rows) < p,
        "g": rng.random(rows) < 0.5,
        "text": ["a b"] * rows,
    }
    return pl.DataFrame({**base, **columns})


def refused(done, *says: str) -> None:
    assert done.code == 2, done
    (line,) = done.err.strip().splitlines()
    for part in says:
        assert part in line, line
    assert done.out == ""


def ran(program, *arguments: object) -> str:
    done = program(*arguments)
    assert done.code == 0, done.err
    return done.out


@pytest.mark.parametrize(
    ("roles", "settings", "says"),
    [
        ({"scale": "rank"}, {"targets": ("oc_accuracy=0.9",)}, "column 'p': a plan needs probabilities"),
        ({"inclusion": "pi"}, {"targets": ("oc_accuracy=0.9",)}, "counts of equal rows, not inclusion probabilities"),
        ({"count": "n"}, {"wrong_removals": 0.1}, "one row per labelled item, without counts or weights"),
    ],
)
def test_histories_that_cannot_be_planned_with(roles: dict[str, str], settings: dict, says: str) -> None:
    frame = table().with_columns(pi=pl.lit(0.5), n=pl.lit(2))
    evidence = open_evidence(frame, Declaration.of({"score": "p", "label": "y", **roles}))
    with pytest.raises(InputError, match=says):
        make_plan(evidence, PlanSettings(strategies=("toxicity",), replicates=50, **settings), silent)


def test_changes_in_strata_that_can_be_seen(program) -> None:
    pl.DataFrame(STRATA).write_csv("strata.csv")
    whole = json.loads(ran(program, "sample", "mde", "--prevalence", "0.039", "--n", "500", "--json"))
    parts = json.loads(ran(program, "sample", "mde", "--strata", "strata.csv", "--n", "500", "--json"))
    spread = 0.9 * (0.01 * 0.99) ** 0.5 + 0.1 * (0.3 * 0.7) ** 0.5
    assert parts["effect"] / whole["effect"] == pytest.approx(spread / (0.039 * 0.961) ** 0.5)
    pl.DataFrame(STRATA).clear().write_parquet("none.parquet")
    ask = ("sample", "mde", "--n", "500")
    refused(program(*ask, "--strata", "none.parquet"), "none.parquet: the file holds no rows")
    refused(program(*ask), "one of them")
    refused(program(*ask, "--prevalence", "0.1", "--strata", "strata.csv"), "one of them")
    refused(program(*ask, "--prevalence", "0.1", "--items", "500"), "--n 500 is all of the 500 items or more")


def test_a_prevalence_that_no_labels_show_to_be_safe(program) -> None:
    refused(program("sample", "size", "--prevalence", "0.0999999999", "--below", "0.1"), "no number of labels")


def test_declarations_that_only_a_file_or_python_can_make(program) -> None:
    table().write_parquet("items.parquet")
    head = 'data = "items.parquet"\n[columns]\nscore = "p"\nlabel = "y"\n'
    for rest, *says in (
        ("label_threshold = true", "label_threshold must be a number, not True"),
        ("annotator_groups = ['g']", "groups of annotators need item and annotator"),
        ("text = 'text'\nterms = {a = []}", "the group 'a' has no words"),
        ("text = 'text'\nterms = {a = ['  ']}", "the group 'a' has no words"),
        ("groups = ['g']\n[settings]\nexamples = -1", "examples may not be negative"),
    ):
        Path("audit.toml").write_text(head + rest)
        refused(program("audit", "audit.toml", "--audits", "calibration"), *says)


def test_a_role_that_there_is_not() -> None:
    with pytest.raises(InputError, match="there is no role 'scores'; did you mean 'score'"):
        Declaration.of({"scores": "p"})


def test_words_and_ranks_beside_a_file_are_found_from_anywhere(program) -> None:
    Path("there").mkdir()
    removed = np.arange(200) < 60
    table(removed=removed, text=["women talk", "men talk"] * 100, language=["de", "en", "fr", "it"] * 50).write_parquet(
        "there/items.parquet"
    )
    Path("there/terms.txt").write_text("w: women\nm: men\n")
    columns = 'data = "items.parquet"\n[columns]\nlabel = "y"\n'
    Path("there/bias.toml").write_text(columns + 'score = "p"\ntext = "text"\nterms = "terms.txt"\n')
    found = json.loads(ran(program, "audit", "there/bias.toml", "--audits", "bias", "--json"))["findings"][0]
    assert {e["slice"].get("group") for e in found["estimates"]} >= {"w", "m"}
    pl.DataFrame({"language": ["de", "en", "fr", "it"], "prevalence": [0.1, 0.2, 0.3, 0.4]}).write_csv(
        "there/other.csv"
    )
    Path("there/ranks.toml").write_text(
        columns + 'decision = "removed"\nslices = ["language"]\n[settings]\nrank_with = "other.csv"\n'
    )
    found = json.loads(ran(program, "audit", "there/ranks.toml", "--audits", "accuracy", "--json"))["findings"][0]
    assert any(e["measure"] == "kendall_tau" for e in found["estimates"])
    assert not any("Not in both sources" in caveat for caveat in found["caveats"])


def test_files_without_rows_and_lines_of_json(program) -> None:
    Path("items.jsonl").write_text("\n\n")
    refused(program("audit", "items.jsonl", "--score", "p", "--label", "y"), "items.jsonl")
    table().clear().write_parquet("items.parquet")
    refused(program("audit", "items.parquet", "--score", "p", "--label", "y", "--groups", "g"), "holds no rows")


def test_logits_that_look_like_probabilities_are_asked_about() -> None:
    roles = {"probabilities": COLUMNS, "label": "kind", "scale": "logit"}
    evidence = open_evidence(made(50, 1), Declaration.of(roles))
    list(evidence.classed(evidence.parts[0]))
    assert any("are these probabilities rather than logits?" in note for note in evidence.notes)


def test_groups_of_whole_numbers(program) -> None:
    table().with_columns(pl.col("g").cast(pl.Int64)).write_parquet("items.parquet")
    out = ran(program, "audit", "items.parquet", "--score", "p", "--label", "y", "--groups", "g", "--json")
    assert any(e["slice"].get("group") == "g" for e in json.loads(out)["findings"][0]["estimates"])


def test_calibrators_say_what_to_beware_of(program) -> None:
    table().write_parquet("items.parquet")
    table().reverse().write_parquet("test.parquet")
    two = ("--score", "p,q", "--label", "y")
    refused(program("calibrate", "fit", "items.parquet", *two, "-o", "c.json"), "fitted to one model")
    refused(program("calibrate", "compare", "items.parquet", "test.parquet", *two), "compared for one model")
    one = ("--score", "p", "--label", "y")
    out = ran(
        program, "calibrate", "fit", "items.parquet", *one, "--method", "histogram", "--bins", "60", "-o", "c.json"
    )
    assert "\n· " in out
    out = ran(program, "calibrate", "apply", "c.json", "items.parquet", "--score", "q", "-o", "out.parquet")
    assert "· fitted on p: is this the same model and question?" in out


def accuracy(**columns) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    removed = np.arange(300) < 60
    base = {
        "y": (rng.random(300) < np.where(removed, 0.9, 0.1)).astype(float),
        "removed": removed,
        "pi": np.where(removed, 0.5, 0.02),
        "s": np.where(removed, "removed", "visible"),
        "language": ["de", "fr", "it"] * 100,
    }
    return pl.DataFrame({**base, **columns}, strict=False)


ROLES = ("--audits", "accuracy", "--label", "y", "--decision", "removed", "--inclusion", "pi")


def test_parts_of_which_nothing_is_visible(program) -> None:
    """Everything in Italian was removed: there is no visible share to plan for, and nothing breaks."""
    frame = accuracy().with_columns(language=pl.when("removed").then(pl.lit("it")).otherwise("language"))
    frame = frame.filter(pl.col("removed") | (pl.col("language") != "it"))
    frame.write_parquet("items.parquet")
    out = ran(program, "audit", "items.parquet", *ROLES, "--stratum", "s", "--by", "language", "--out", "report")
    assert "Recall has no value" in out or "Of what was removed" in out
    found = json.loads(Path("report/findings.json").read_text())["findings"][0]
    of = {e["measure"] for e in found["estimates"] if e["slice"] == {"language": "it", "pool": "visible"}}
    assert "labels_needed" not in of


def test_a_stratum_may_be_a_slice_too(program) -> None:
    accuracy().write_parquet("items.parquet")
    out = ran(program, "audit", "items.parquet", *ROLES, "--by", "s", "--json")
    assert any(e["slice"] == {"s": "visible"} for e in json.loads(out)["findings"][0]["estimates"])


def test_nobody_could_tell_of_a_stratum(program) -> None:
    odd = pl.int_range(pl.len()) % 2 == 1
    said = pl.col("y").cast(pl.Int64).cast(pl.String)
    frame = accuracy().with_columns(
        y=pl.when(odd & ~pl.col("removed")).then(pl.lit("cannot tell")).otherwise(said),
        s=pl.when(odd & ~pl.col("removed")).then(pl.lit("odd")).otherwise("s"),
    )
    frame.write_parquet("items.parquet")
    done = program("audit", "items.parquet", *ROLES, "--skip", "cannot tell", "--stratum", "s")
    refused(done, "nobody could tell of any item in stratum 'odd': no label stands for it")


def test_all_that_is_visible_violates(program) -> None:
    frame = accuracy().with_columns(y=pl.when(~pl.col("removed")).then(1.0).otherwise("y"))
    frame.write_parquet("items.parquet")
    found = json.loads(ran(program, "audit", "items.parquet", *ROLES, "--stratum", "s", "--json"))["findings"][0]
    (needed,) = [e for e in found["estimates"] if e["measure"] == "labels_needed" and e["slice"] == {"pool": "visible"}]
    assert needed["value"] is None
    assert "violate" in needed["note"]


def test_too_few_parts_to_rank(program) -> None:
    accuracy(language=["de", "fr"] * 150).write_parquet("items.parquet")
    pl.DataFrame({"language": ["de", "es"], "prevalence": [0.1, 0.2]}).write_csv("other.csv")
    out = ran(program, "audit", "items.parquet", *ROLES, "--by", "language", "--rank-with", "other.csv")
    assert "The order by language cannot be held against the other source" in out


def test_periods_that_cannot_be_compared(program) -> None:
    accuracy().write_parquet("items.parquet")
    for name, level in (("this", "0.95"), ("last", "0.9")):
        Path(f"{name}.json").write_text(ran(program, "audit", "items.parquet", *ROLES, "--level", level, "--json"))
    refused(program("sample", "compare", "this.json", "last.json"), "the levels of the intervals differ: 0.9 and 0.95")
    data = json.loads(Path("last.json").read_text())
    nothing = {"value": None, "low": None, "high": None, "method": "none", "note": "nothing was labelled"}
    estimates = [e | nothing for e in data["findings"][0]["estimates"] if e["measure"] == "prevalence"]
    data["findings"][0]["estimates"] = estimates
    Path("last.json").write_text(json.dumps(data))
    refused(program("sample", "compare", "this.json", "last.json"), "no estimate of moderation in common")


def test_a_full_disk_is_one_line_or_a_traceback_where_asked(program, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "report.html")

    monkeypatch.setattr(sys.modules["evenhand.cli.main"], "app", full)
    monkeypatch.delenv("EVENHAND_DEBUG", raising=False)
    refused(program("audit"), "report.html: No space left on device")
    monkeypatch.setenv("EVENHAND_DEBUG", "1")
    with pytest.raises(OSError, match="No space left"):
        program("audit")


def test_a_bar_that_moves_on_with_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    from evenhand.cli.progress import progress_bar

    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", shown)
    with progress_bar() as move:
        for done in range(3):
            move("counting", done, 3)
        move("drawing", 0, 2)
    assert "drawing" in shown.getvalue()
