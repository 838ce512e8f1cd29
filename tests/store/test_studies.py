"""Studies: sealed plans, drawn by their seed, labelled, adjudicated, estimated after whole batches, and stopped."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import sqlalchemy as sa

from evenhand.errors import InputError
from evenhand.findings_file import to_json
from evenhand.measurement import (
    AnswerFiles,
    Campaign,
    ItemColumns,
    Measurement,
    SampleSizeRequest,
    make_plan,
    write_plan,
)
from evenhand.measurement.plan_file import plan_as_json, plan_from_json
from evenhand.sampling import RandomDesign
from evenhand.store import ConflictError, ForbiddenError, perform, schema
from evenhand.store.exporting import export
from evenhand.store.studies import StudySetup
from evenhand.store.study_ledger import load_study
from evenhand.store.study_population import plan_on_population, population_frame, population_texts
from evenhand.store.study_results import batch_outcomes, labels_of, labels_text, outcome_of, plan_of, plan_text
from store.desks import Desk, check, sqlite_desk
from store.study_desks import label_all, open_study, truthful, violates, with_items


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return with_items(sqlite_desk(tmp_path))


def exported(desk: Desk, study: str, folder: Path) -> tuple[Path, Path]:
    """The plan and the labels as a lead downloads them."""
    with desk.store.database.reading() as connection:
        case = load_study(connection, study, subjects=())
        (folder / "plan.json").write_text(plan_text(case))
        labels = labels_text(labels_of(connection, desk.store.keys, study, case.complete))
    (folder / "labels.csv").write_text(labels, newline="")
    return folder / "plan.json", folder / "labels.csv"


DESIGNS: dict[str, dict[str, Any]] = {
    "random": {"design": "random", "n": "60"},
    "score-driven": {"design": "score-driven", "n": "80"},
    "two pools, by language": {"design": "score-driven", "decided": True, "n": "90", "by": ("language",)},
    "in batches": {
        "design": "stratified", "n": "80", "settings": {"allocation": "pilot", "pilot": 5, "count": 4},
    },
    "until precise": {"design": "sequential", "n": None, "target": {"width": 0.35}},
    "with a target": {"design": "random", "n": None, "target": {"width": 0.3}, "prevalence": 0.2},
}  # fmt: skip


def estimates_equal_those_of_files(desk: Desk, study: str, folder: Path) -> None:
    """The whole finding, and what is left to draw, are those of `evenhand sample estimate` on the exported files."""
    plan, labels = exported(desk, study, folder)
    outcome = Campaign(plan).take(AnswerFiles((labels,), annotator="annotator"))
    with desk.store.database.reading() as connection:
        case = load_study(connection, study, subjects=())
        own = outcome_of(connection, desk.store.keys, case)
    assert own is not None
    assert to_json([own.finding]) == to_json([outcome.finding])
    assert (own.to_come, own.kept, own.progress) == (outcome.to_come, outcome.kept, outcome.progress)


@pytest.mark.parametrize("name", DESIGNS)
def test_the_estimate_is_that_of_the_command_line_after_every_batch(desk: Desk, name: str, tmp_path: Path) -> None:
    study = open_study(desk, draw=False, **DESIGNS[name])
    for number in range(1, 6):
        desk.do("draw_batch", "lee", study=study, number=number)
        assert label_all(desk, study, "una") > 0
        estimates_equal_those_of_files(desk, study, tmp_path)
        with desk.store.database.reading() as connection:
            outcome = outcome_of(connection, desk.store.keys, load_study(connection, study, subjects=()))
        assert outcome is not None
        if outcome.to_come == 0:
            break
    check(desk.store)


def test_a_batch_is_the_one_that_the_command_line_draws(desk: Desk, tmp_path: Path) -> None:
    """The same plan on the same population: an imported plan draws what `evenhand sample draw` draws."""
    export(desk.store, tmp_path / "export", file_format="csv")
    items = tmp_path / "export" / "items.csv"
    made = make_plan(
        items, tmp_path / "plan.json", roles=ItemColumns(id="item_id", score="score", text="text"),
        design=RandomDesign(), size=SampleSizeRequest(n=50), seed=11,
        measurement=Measurement("policy", "v1", "all", "2026-01", "prevalence"),
    )  # fmt: skip
    write_plan(made.plan, tmp_path / "plan.json")
    setup = StudySetup("Imported", ("una",))
    document = base64.b64encode(items.read_bytes()).decode()
    answer = desk.do("import_study", "lee", setup=setup, plan=plan_as_json(made.plan), items=document)
    assert answer == {"study": "1", "labels": 50, "items": 200}
    desk.do("draw_batch", "lee", study="1", number=1)
    Campaign(tmp_path / "plan.json").draw(tmp_path / "sheet.csv")
    drawn = pl.read_csv(tmp_path / "sheet.csv", infer_schema=False)["id"].to_list()
    with desk.store.database.reading() as connection:
        plan = plan_of(load_study(connection, "1"))
    assert sorted(plan.rounds[0].ids) == sorted(drawn)
    assert plan_as_json(plan) == (tmp_path / "plan.json").read_text()
    label_all(desk, "1", "una")
    estimates_equal_those_of_files(desk, "1", tmp_path)
    check(desk.store)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda plan, items: (plan, items[:-40]), "base64|do not fit the plan"),
        (lambda plan, items: (plan, base64.b64encode(b"id,score\na,0.5\n").decode()), "do not fit the plan"),
        (lambda plan, items: (plan.replace('"seed": 11', '"seed": 12'), items), "altered"),
        (lambda plan, items: ("{}", items), "not a sampling plan"),
        (lambda plan, items: ("[" * 5000, items), "more than 100 levels"),
        (lambda plan, items: (plan, "???"), "base64"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(desk: Desk, tmp_path: Path, change: Any, problem: str) -> None:
    frame = pl.DataFrame({"id": [f"e{n}" for n in range(200)], "score": [n / 200 for n in range(200)]})
    plan, items = _plan_and_items(frame, tmp_path)
    changed, document = change(plan, items)
    with pytest.raises(InputError, match=problem):
        desk.do("import_study", "lee", setup=StudySetup("x", ("una",)), plan=changed, items=document)
    with desk.store.database.reading() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(schema.studies)) == 0


def test_a_plan_over_other_items_or_already_drawn_is_refused(desk: Desk, tmp_path: Path) -> None:
    strange = pl.DataFrame({"id": [f"q{n}" for n in range(200)], "score": [n / 200 for n in range(200)]})
    plan, items = _plan_and_items(strange, tmp_path)
    setup = StudySetup("x", ("una",))
    with pytest.raises(InputError, match="'q0' that this store does not have"):
        desk.do("import_study", "lee", setup=setup, plan=plan, items=items)
    (tmp_path / "drawn.json").write_text(plan)
    Campaign(tmp_path / "drawn.json").draw(tmp_path / "sheet.csv")
    with pytest.raises(InputError, match="drawn with this plan already"):
        desk.do("import_study", "lee", setup=setup, plan=(tmp_path / "drawn.json").read_text(), items=items)


def _plan_and_items(frame: pl.DataFrame, folder: Path) -> tuple[str, str]:
    path = folder / "population.csv"
    frame.write_csv(path)
    made = make_plan(
        path, folder / "plan.json", roles=ItemColumns(id="id", score="score"), design=RandomDesign(),
        size=SampleSizeRequest(n=50), seed=11, measurement=Measurement("", "", "all", "", "prevalence"),
    )  # fmt: skip
    return plan_as_json(made.plan), base64.b64encode(path.read_bytes()).decode()


def test_the_interval_narrows_batch_by_batch_and_the_rule_ends_it(desk: Desk) -> None:
    study = open_study(desk, draw=False, design="sequential", n=None, target={"width": 0.3})
    number = 0
    while True:
        number += 1
        desk.do("draw_batch", "lee", study=study, number=number)
        with pytest.raises(ConflictError, match="not finished"):
            desk.do("draw_batch", "lee", study=study, number=number + 1)
        label_all(desk, study, "una")
        with desk.store.database.reading() as connection:
            outcomes = batch_outcomes(connection, desk.store.keys, load_study(connection, study))
        if outcomes[-1].kept:
            break
        with pytest.raises(InputError, match="give a reason"):
            desk.do("stop_study", "lee", study=study, batches=number)
    widths = [one.finding.get("prevalence").high - one.finding.get("prevalence").low for one in outcomes]  # type: ignore[operator]
    assert len(widths) == number >= 2
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] <= 0.3 < widths[-2]
    with pytest.raises(ConflictError, match="target is reached"):
        desk.do("draw_batch", "lee", study=study, number=number + 1)
    with pytest.raises(ConflictError, match="another batch"):
        desk.do("stop_study", "lee", study=study, batches=number - 1)
    assert desk.do("stop_study", "lee", study=study, batches=number)["target_reached"] is True
    for name, more in (("draw_batch", {"number": number + 1}), ("stop_study", {"batches": number})):
        with pytest.raises(ConflictError, match="was stopped"):
            desk.do(name, "lee", study=study, **more)
    with pytest.raises(ConflictError, match="was stopped"):
        desk.do("undo_label", "una", study=study)
    check(desk.store)


def test_a_study_that_is_not_done_ends_with_a_reason(desk: Desk) -> None:
    study = open_study(desk)
    with pytest.raises(InputError, match="give a reason"):
        desk.do("stop_study", "lee", study=study, batches=1, reason="  ")
    assert desk.do("stop_study", "lee", study=study, batches=1, reason="budget") == {
        "study": study, "labels": 0, "target_reached": None,
    }  # fmt: skip


def test_split_votes_go_to_somebody_else_and_count_as_one_vote_more(desk: Desk, tmp_path: Path) -> None:
    study = open_study(desk, annotators=("una", "vic"), adjudicators=("wes",), per_item=2)

    def answers(person: str, subject: str) -> str:
        if int(subject.removeprefix("e")) % 3 == 0:
            return {"una": "yes", "vic": "no", "wes": "yes"}[person]
        return "cannot tell" if int(subject.removeprefix("e")) % 7 == 0 else truthful(person, subject)

    assert label_all(desk, study, "una", answers) == 60
    assert label_all(desk, study, "wes", answers) == 0
    assert label_all(desk, study, "vic", answers) == 60
    with desk.store.database.reading() as connection:
        case = load_study(connection, study)
        split = {item.id for item in case.items.values() if item.state == "split"}
    assert split == {subject for subject in case.items if int(subject.removeprefix("e")) % 3 == 0}
    assert case.complete == 0
    assert label_all(desk, study, "wes", answers) == len(split) > 0
    estimates_equal_those_of_files(desk, study, tmp_path)
    with desk.store.database.reading() as connection:
        case = load_study(connection, study)
        labels = outcome_of(connection, desk.store.keys, case).given.labels.values  # type: ignore[union-attr]
    expected = {"violating": 1.0, "benign": 0.0, "unclear": None}
    assert {item.id: expected[str(item.label)] for item in case.items.values()} == dict(labels)
    check(desk.store)


def test_an_answer_can_be_taken_back_until_it_is_used(desk: Desk) -> None:
    study = open_study(desk, annotators=("una", "vic"), adjudicators=("wes",), per_item=2, n="20")
    with pytest.raises(ConflictError, match="no answer of yours"):
        desk.do("undo_label", "una", study=study)
    label_all(desk, study, "una", lambda *_: "yes")
    label_all(desk, study, "vic", lambda *_: "no", most=1)
    undone = desk.do("undo_label", "vic", study=study)
    with desk.store.database.reading() as connection:
        case = load_study(connection, study)
    assert not [item for item in case.items.values() if item.state == "split"]
    assert [task.state for task in case.tasks.values() if task.purpose == "adjudicate"] == ["withdrawn"]
    again = {"study": study, "task": undone["task"], "answer": "no"}
    with pytest.raises(ConflictError, match="has changed"):
        desk.do("label_item", "vic", version=undone["version"] - 1, **again)
    desk.do("label_item", "vic", version=undone["version"], **again)
    assert label_all(desk, study, "wes", lambda *_: "yes") == 1
    with pytest.raises(ConflictError, match="has been used"):
        desk.do("undo_label", "vic", study=study)
    desk.do("undo_label", "wes", study=study)
    desk.do("undo_label", "vic", study=study)
    label_all(desk, study, "vic", lambda *_: "yes")
    check(desk.store)
    desk.do("undo_label", "vic", study=study)
    with desk.store.database.reading() as connection:
        assert load_study(connection, study).complete == 0
    check(desk.store)


def test_labels_are_spread_and_everybody_has_an_order_of_their_own(desk: Desk) -> None:
    study = open_study(desk, annotators=("una", "vic", "wes"), adjudicators=("max",), per_item=2)
    with desk.store.database.reading() as connection:
        case = load_study(connection, study)
    own = {person: [task for task in case.tasks.values() if task.person == person] for person in ("una", "vic", "wes")}
    assert [len(tasks) for tasks in own.values()] == [40, 40, 40]
    for subject in case.items:
        assert len({task.person for task in case.tasks_of(subject)}) == 2
    orders = [[task.subject for task in sorted(tasks, key=lambda one: one.place)] for tasks in own.values()]
    both = set(orders[0]) & set(orders[1])
    assert [one for one in orders[0] if one in both] != [one for one in orders[1] if one in both]


def test_people_can_change_and_nothing_is_asked_twice(desk: Desk, tmp_path: Path) -> None:
    study = open_study(desk, annotators=("una", "vic"), adjudicators=("wes",), per_item=2)
    label_all(desk, study, "una", most=30)
    label_all(desk, study, "vic", lambda *_: "yes", most=60)
    desk.do("staff_study", "lee", study=study, annotators=("vic", "max"), adjudicators=("wes",))
    assert label_all(desk, study, "una") == 0
    assert label_all(desk, study, "max") == 30
    with pytest.raises(InputError, match="each item gets 2"):
        desk.do("staff_study", "lee", study=study, annotators=("vic",), adjudicators=("wes",))
    label_all(desk, study, "wes")
    estimates_equal_those_of_files(desk, study, tmp_path)
    check(desk.store)


@pytest.mark.parametrize(
    ("setup", "problem"),
    [
        (StudySetup("x", ("nobody",)), "'nobody' is no annotator"),
        (StudySetup("x", ("io",)), "'io' is no annotator"),
        (StudySetup("x", ("una", "una")), "named twice"),
        (StudySetup("x", ()), "each item gets 1"),
        (StudySetup("x", ("una",), per_item=2), "each item gets 2"),
        (StudySetup("x", ("una", "vic"), per_item=2), "who decides then"),
        (StudySetup("x", ("una", "vic"), ("vic",), per_item=2), "cannot adjudicate"),
        (StudySetup(" ", ("una",)), "title"),
        (StudySetup("x", ("una",), codebook="y" * 50_001), "codebook"),
        (StudySetup("x", ("una",), per_item=0), "per_item"),
    ],
)
def test_people_and_names_are_checked(desk: Desk, setup: StudySetup, problem: str) -> None:
    from evenhand.store.studies import StudyDesign

    with pytest.raises(InputError, match=problem):
        desk.do("open_study", "lee", setup=setup, design=StudyDesign(design="random", n="20"))


def test_a_label_is_the_business_of_whoever_is_asked(desk: Desk) -> None:
    study = open_study(desk)
    with desk.store.database.reading() as connection:
        (task, *_) = load_study(connection, study).tasks.values()
    answer = {"study": study, "task": task.id, "version": 1}
    for person in ("vic", "lee"):
        with pytest.raises(ConflictError, match="not asked"):
            desk.do("label_item", person, answer="yes", **answer)
    with pytest.raises(ForbiddenError):
        desk.do("label_item", "io", answer="yes", **answer)
    with pytest.raises(InputError, match="invalid answer"):
        desk.do("label_item", "una", answer="maybe", **answer)
    once = perform(desk.store, "label_item", actor="una", key="k", answer="yes", note="see above", **answer)
    assert perform(desk.store, "label_item", actor="una", key="k", answer="yes", note="see above", **answer) == once
    with pytest.raises(ConflictError, match="answered this item already"):
        desk.do("label_item", "una", answer="yes", **answer)
    for name in ("open_study", "draw_batch", "stop_study", "staff_study", "import_study"):
        with pytest.raises(ForbiddenError):
            desk.do(name, "una", study=study)


def test_the_export_has_the_labels_and_a_snapshot_those_of_its_time(desk: Desk, tmp_path: Path) -> None:
    study = open_study(desk, n="20")
    label_all(desk, study, "una", most=5)
    number = export(desk.store, tmp_path / "early").number
    label_all(desk, study, "una")
    export(desk.store, tmp_path / "late")
    export(desk.store, tmp_path / "again", at=number)
    late = pl.read_parquet(tmp_path / "late" / "labels.parquet")
    assert (len(late), late["annotator_role"].unique().to_list()) == (20, ["annotator"])
    assert [violates(item) for item in late["item_id"]] == (late["label"] == "yes").to_list()
    early, again = (pl.read_parquet(tmp_path / name / "labels.parquet") for name in ("early", "again"))
    assert len(early) == 5
    assert early.equals(again)


def test_a_note_is_erased_with_its_item_and_a_text_too(desk: Desk) -> None:
    from evenhand.store.labelling import next_label

    study = open_study(desk, n="20")
    with desk.store.database.reading() as connection:
        view = next_label(connection, study, "una")
        assert view is not None
        item = connection.scalar(
            sa.select(schema.study_items.c.item)
            .join(schema.study_tasks, schema.study_tasks.c.subject == schema.study_items.c.id)
            .where(schema.study_tasks.c.id == view.task)
        )
    desk.do("label_item", "una", study=study, task=view.task, version=1, answer="no", note="my neighbour")
    desk.do("undo_label", "una", study=study)
    desk.do("erase_item", "lee", item=item, reason="request")
    with desk.store.database.reading() as connection:
        shown = next_label(connection, study, "una")
        values = connection.scalars(sa.select(schema.contents.c.value).where(schema.contents.c.item == item))
        assert set(values) == {None, "request"}  # why it was erased
    assert shown is not None
    assert (shown.task, shown.text) == (view.task, None)
    check(desk.store)


def test_an_edited_text_stays_as_it_was_drawn(desk: Desk) -> None:
    from evenhand.store import NewItem, NewScore
    from evenhand.store.labelling import next_label

    study = open_study(desk, n="all")
    with desk.store.database.reading() as connection:
        before = next_label(connection, study, "una")
    edits = [NewItem(f"e{place}", "another text", scores=[NewScore("m", "1", 0.5)]) for place in range(200)]
    desk.do("receive", "io", items=edits)
    with desk.store.database.reading() as connection:
        assert next_label(connection, study, "una") == before


def test_the_population_is_kept_as_the_plan_saw_it(desk: Desk, tmp_path: Path) -> None:
    """Scores change between two batches; the second is drawn as if they had not."""
    from evenhand.store import NewScore

    settings = {"design": "stratified", "n": "80", "settings": {"allocation": "pilot", "pilot": 5, "count": 4}}
    drawn = []
    for folder, change in (("a", False), ("b", True)):
        (tmp_path / folder).mkdir()
        other = with_items(sqlite_desk(tmp_path / folder))
        study = open_study(other, **settings)
        label_all(other, study, "una")
        if change:
            with other.store.database.reading() as connection:
                ids = list(connection.scalars(sa.select(schema.items.c.id)))
            for item in ids:
                other.do("rescore", "io", item=item, scores=[NewScore("m", "2", 0.5)])
        other.do("draw_batch", "lee", study=study, number=2)
        with other.store.database.reading() as connection:
            drawn.append(plan_of(load_study(connection, study)).rounds[1].ids)
    assert drawn[0] == drawn[1]


def test_pieces_of_a_population_come_back(tmp_path: Path) -> None:
    from evenhand.store import study_population

    frame = pl.DataFrame({"id": ["a", "=1", 'b"', "ü,\n"], "score": [0.1, 1 / 3, 0.0, 1.0], "group": list("xyxy")})
    study_population.PIECE, usual = 3, study_population.PIECE
    try:
        texts = list(population_texts(frame))
    finally:
        study_population.PIECE = usual
    assert len(texts) == 2
    assert population_frame(texts).equals(frame)
    plan = plan_from_json(_plan_and_items(pl.DataFrame({"id": range(99), "score": [0.5] * 99}), tmp_path)[0])
    assert plan_on_population(plan, frame, tmp_path)[0].items.rows == 4


def test_items_without_a_score_and_gold_items_are_left_out(desk: Desk) -> None:
    from evenhand.store import NewItem

    desk.do("receive", "io", items=[NewItem("plain", "no score"), NewItem("test", "gold", gold="benign")])
    with desk.store.database.reading() as connection:
        scored = open_study(desk, design="score-driven", n="40", draw=False)
        every = open_study(desk, design="random", n="40", draw=False)
    with desk.store.database.reading() as connection:
        sizes = [plan_of(load_study(connection, study)).pools[0].items for study in (scored, every)]
    assert sizes == [200, 201]


@pytest.mark.parametrize(
    ("design", "problem"),
    [
        ({"design": "clusters", "n": "20"}, "import a plan by clusters"),
        ({"design": "nonsense"}, "there is no design"),
        ({"design": "random", "n": "many"}, "invalid `n`: 'many'"),
        ({"design": "random", "n": "5000"}, "only 200 items"),
        ({"design": "random", "n": "20", "by": ("author",)}, "choose from: language"),
        ({"design": "random", "n": "20", "settings": {"pilot": 5}}, "apply only to"),
        ({"design": "random", "n": "20", "level": 2.0}, "level"),
    ],
)
def test_a_design_that_cannot_be_is_refused(desk: Desk, design: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        open_study(desk, **design)
