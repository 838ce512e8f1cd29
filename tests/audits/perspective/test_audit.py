"""The perspective audit: what it finds of annotators whose judgement is known."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.errors import InputError

ROLES = {"item": "item", "annotator": "who", "label": "y", "score": "p", "annotator_groups": "gender"}
SMALL = {"replicates": 60, "permutations": 199}


def made(
    seed: int, *, people: int = 120, items: int = 200, each: int = 30, apart: float = 0.0
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Labels, items and annotators; women call more violating by `apart` on the log-odds, which the model does not."""
    rng = np.random.default_rng(seed)
    harm = rng.normal(-0.5, 1.5, items)
    women = rng.random(people) < 0.5
    strict = rng.normal(0.0, 0.5, people) + apart * women
    who = np.repeat(np.arange(people), each)
    item = np.concatenate([rng.choice(items, each, replace=False) for _ in range(people)])
    y = rng.random(len(who)) < 1.0 / (1.0 + np.exp(-(harm[item] + strict[who])))
    p = 1.0 / (1.0 + np.exp(-1.5 * harm))
    return (
        pl.DataFrame({"item": item, "who": who, "y": y}),
        pl.DataFrame({"item": np.arange(items), "p": p, "q": 1.0 - p}),
        pl.DataFrame({"who": np.arange(people), "gender": np.where(women, "women", "men"), "land": who[::each] % 3}),
    )


def audited(tables, **options) -> eh.Finding:
    labels, items, people = tables
    given = {**ROLES, **SMALL, **options}
    return eh.audit(labels, audits="perspective", items=items, annotators=people, **given).findings[0]


def test_the_numbers_are_those_of_the_definitions() -> None:
    """By loops, from the definitions."""
    tables = made(1, people=20, items=25, each=8)
    finding = audited(tables)
    labels, items, people = tables
    p = dict(zip(items["item"], items["p"], strict=True))
    gender = dict(zip(people["who"], people["gender"], strict=True))
    rows = list(labels.iter_rows())
    votes: dict[int, list[int]] = {}
    for item, _, y in rows:
        votes.setdefault(item, [0, 0])[int(y)] += 1
    deltas: dict[str, list[float]] = {"women": [], "men": [], "": []}
    for item, who, y in rows:
        no, yes = votes[item]
        if no == yes:
            continue
        delta = (y - p[item]) ** 2 - ((yes > no) - p[item]) ** 2
        for name in (gender[who], ""):
            deltas[name].append(delta)
    for name, values in deltas.items():
        slice_ = {"annotators": name} if name else {}
        assert finding.get("conformity_delta", **slice_).value == pytest.approx(np.mean(values), abs=1e-12)
        assert finding.get("delta_above_share", **slice_).value == pytest.approx(np.mean(np.array(values) > 1e-15))
        tp = sum(y and p[item] >= 0.5 for item, who, y in rows if name in ("", gender[who]))
        wrong = sum(y != (p[item] >= 0.5) for item, who, y in rows if name in ("", gender[who]))
        assert finding.get("f1", **slice_).value == pytest.approx(2 * tp / (2 * tp + wrong), abs=1e-12)
    shares = {name: [np.mean(np.sign(np.round(v, 15)) == s) for s in (-1, 0, 1)] for name, v in deltas.items()}
    for name in ("women", "men"):
        kl = sum(a * np.log(a / b) for a, b in zip(shares[""], shares[name], strict=True) if a)
        assert finding.get("uncertainty_divergence", annotators=name).value == pytest.approx(kl, abs=1e-12)


def test_groups_that_judge_alike_are_not_told_apart() -> None:
    marked = 0
    for seed in range(10):
        finding = audited(made(50 + seed, people=60, items=80, each=20), replicates=50, permutations=99)
        marked += any("stands_out" in m.estimate.flags for m in finding)
    assert marked <= 2  # one in twenty by chance


def test_a_group_that_judges_otherwise_is_found() -> None:
    finding = audited(made(3, apart=1.6), permutations=499)
    assert "stands_out" in finding.get("conformity_delta", annotators="women").flags
    assert any(r.tendency == "differs" for r in finding.readings)
    divergence = finding.get("uncertainty_divergence", annotators="women")
    assert divergence.p_value is not None
    assert divergence.p_value < 0.05
    assert divergence.low is None
    shuffled = finding.get("uncertainty_divergence", annotators="women", as_if="shuffled")
    assert shuffled.value < divergence.value


def test_a_partial_model_is_found_among_many() -> None:
    """Marks allow for the numbers of one model, and groups are shuffled as often as that takes."""
    labels, items, people = made(3, apart=1.6)
    items = items.with_columns(**{f"m{k}": pl.col("p") for k in range(7)})
    finding = audited(
        (labels, items, people), score=["p", *(f"m{k}" for k in range(7))], permutations=99, replicates=50
    )
    assert "stands_out" in finding.get("conformity_delta", model="m6", annotators="women").flags
    assert finding.provenance["settings"]["permutations"] == 200  # what five tests at 5 % take, twice over


def test_agreement_is_not_told_of_a_few_people() -> None:
    """Two groups, of which only three people of the second share items with anybody of it."""
    labels, items, people = made(5, people=40, items=400, each=10)
    women = people.filter(pl.col("gender") == "women")["who"].to_list()
    alone = {who: 1000 + 100 * place for place, who in enumerate(women[3:])}
    own = [
        alone[who] + k % 10 if who in alone else item
        for k, (item, who) in enumerate(labels.select("item", "who").iter_rows())
    ]
    far = pl.DataFrame({"item": sorted({item for item in own if item >= 1000})}).with_columns(p=0.3, q=0.7)
    finding = audited((labels.with_columns(item=pl.Series(own)), pl.concat([items, far]), people))
    within = finding.get("cohen_kappa", annotators="women")
    assert not within.defined
    assert "fewer than 5 of these annotators" in str(within.note)


def test_nobody_is_shown_alone() -> None:
    """Groups too small to be shown go together, with the next smallest; and the whole less the groups is nobody."""
    labels, items, people = made(4, people=40)

    def with_few(**few: tuple[int, int]) -> eh.Finding:
        gender = pl.col("gender")
        for name, (first, last) in few.items():
            gender = pl.when(pl.col("who").is_between(first, last)).then(pl.lit(name)).otherwise(gender)
        return audited((labels, items, people.with_columns(gender=gender)))

    for finding in (with_few(rare=(0, 2), seldom=(3, 8)), with_few(rare=(0, 2), seldom=(3, 5))):
        assert finding.values("annotators") == ("men", "women", "other groups")
        assert finding.get("annotator_count", annotators="other groups").value >= 5
        groups = [finding.get("count", annotators=name).value for name in finding.values("annotators")]
        assert sum(groups) == finding.get("count").value == len(labels)
        assert any("not shown separately, to protect their members" in caveat for caveat in finding.caveats)
    only = people.with_columns(gender=pl.when(pl.col("who") < 37).then(pl.lit("men")).otherwise(pl.lit("women")))
    with pytest.raises(eh.InputError, match="fewer than two groups"):
        audited((labels, items, only))


def test_ids_of_annotators_are_nowhere() -> None:
    labels, items, people = made(5, people=30)
    secret = pl.format("person-{}", pl.col("who"))
    tables = labels.with_columns(who=secret), items, people.with_columns(who=secret)
    report = eh.audit(tables[0], audits="perspective", items=items, annotators=tables[2], **ROLES, **SMALL)
    assert "person-" not in report.json()
    assert "person-" not in report.html()


def test_several_models_are_ranked_and_correlated() -> None:
    labels, items, people = made(6)
    rng = np.random.default_rng(0)
    more = {f"m{k}": np.clip(items["p"].to_numpy() + rng.normal(0, 0.1 * k, len(items)), 0, 1) for k in range(4)}
    items = items.with_columns(**{name: pl.Series(values) for name, values in more.items()})
    finding = audited((labels, items, people), score=["p", "q", *more], replicates=50)
    assert finding.values("model") == ("p", "q", *more)
    good, bad = (finding.get("f1", model=model).value for model in ("p", "q"))
    assert good > bad
    correlation = finding.get("f1_delta_correlation")
    assert -1.0 <= correlation.low <= correlation.value <= correlation.high <= 1.0
    assert correlation.n == 6
    assert finding.get("f1_delta_t", annotators="women").p_value is not None


def test_the_majority_may_be_of_others_or_of_a_group() -> None:
    tables = made(7)
    of_all = audited(tables).get("differing_share").value
    of_others = audited(tables, majority="others").get("differing_share").value
    assert of_others > of_all  # one's own vote no longer helps
    of_women = audited(tables, majority="women")
    mean = {name: of_women.get("differing_share", annotators=name).value for name in ("women", "men")}
    assert mean["women"] < mean["men"]
    assert any("'women'" in caveat for caveat in of_women.caveats)
    with pytest.raises(eh.InputError, match="did you mean 'women'"):
        audited(tables, majority="womne")


def test_sets_keep_their_promise_for_each_group() -> None:
    finding = audited(made(8, people=200, items=600, each=40, apart=1.0), miss=0.2)
    for kind in ("marginal", "class", "group"):
        assert finding.get("set_coverage", sets=kind).high >= 0.8
    for name in ("women", "men"):
        assert finding.get("set_coverage", sets="group", annotators=name).high >= 0.8
        assert 1.0 <= finding.get("set_size", sets="group", annotators=name).value <= 2.0


def test_a_seed_gives_the_same_bytes_and_the_contract_holds() -> None:
    labels, items, people = made(9, people=40)
    one, two = (
        eh.audit(labels, audits="perspective", items=items, annotators=people, **ROLES, **SMALL).json() for _ in "ab"
    )
    assert one == two
    records = json.loads(one)["findings"][0]["estimates"]
    keys = [(record["measure"], tuple(sorted(record["slice"].items()))) for record in records]
    assert len(keys) == len(set(keys))
    divergences = [r for r in records if r["measure"].endswith("_divergence") and "as_if" not in r["slice"]]
    assert divergences
    assert all(r["low"] is None and "p_value" in r for r in divergences if r["value"] is not None)
    assert any("p_value" in r and r["low"] is not None for r in records if r["measure"] == "conformity_delta")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"ties": "coin"}, "unknown rule for ties: 'coin'"),
        ({"permutations": 5}, "must be 99 or more"),
        ({"miss": 0.7}, "below 0.5"),
        ({"clusters": 1}, "must be 2 or more"),
        ({"fewest_labels": 0}, "1 or more"),
    ],
)
def test_settings_that_cannot_be(options: dict[str, object], says: str) -> None:
    with pytest.raises(eh.InputError, match=says):
        audited(made(1, people=20), **options)


def test_one_label_an_item_cannot_show_disagreement() -> None:
    labels, items, people = made(2)
    with pytest.raises(eh.InputError, match="one label only: disagreement"):
        audited((labels.unique("item", maintain_order=True), items, people))


def test_few_labels_make_no_clusters_and_say_so() -> None:
    finding = audited(made(2, people=30, each=6))
    estimate = finding.get("demographic_divergence")
    assert not estimate.defined
    assert "annotators have 20 labels or more" in str(estimate.note)


def test_bad_input_is_one_line(program) -> None:
    labels, items, people = made(2, people=30)
    labels.write_csv("labels.csv")
    items.write_csv("items.csv")
    people.write_csv("people.csv")
    command = ["audit", "labels.csv", "--item", "item", "--annotator", "who", "--label", "y", "--score", "p"]
    command += ["--items", "items.csv", "--annotators", "people.csv", "--annotator-groups", "gender"]
    done = program(*command, "--permutations", "99", "--replicates", "50", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["findings"][0]["audit"] == "perspective"
    Path("map.toml").write_text('[gender]\npeople = "*"\n')
    for more, says in (
        (["--map", "map.toml"], "every annotator is 'people'"),
        (["--map", "none.toml"], "none.toml: there is no such file"),
        (["--items", "none.csv"], "none.csv: there is no such file"),
        (["--audits", "bias"], "is of items"),
        (["--skip", "maybe"], "no label is 'maybe'"),
        (["--annotator-groups", "gendre"], "'gendre'"),
        (["--annotator-groups", ""], "name the columns that describe the annotators"),
    ):
        done = program(*command, *more)
        assert done.code == 2, done
        assert len(done.err.strip().splitlines()) == 1
        assert says in done.err
    assert sorted(path.name for path in Path().iterdir()) == ["items.csv", "labels.csv", "map.toml", "people.csv"]


def test_crehate(real_data: Path) -> None:
    """Facts of the corpus, and that with the default model no group of annotators stands out."""
    texts = pl.read_parquet(real_data / "crehate_texts.parquet")
    scores = eh.open_model("default").score(texts["Text"].to_list()).probabilities[:, 0]
    items = texts.select("ID").with_columns(p=pl.Series(scores))
    labels = pl.read_parquet(real_data / "crehate_annotations.parquet")
    assert len(labels) == 42_546
    assert len(texts) == 1_580
    roles = {"item": "ID", "annotator": "annotator_id", "label": "annotation", "score": "p", "skip": "2"}
    spellings = {
        "gender": {"women": "female", "men": "male", "others": "*"},
        "ethnicity": {"white": "White", "non-white": "*"},
    }
    finding = eh.audit(
        labels,
        audits="perspective",
        items=items,
        annotator_groups=["gender", "ethnicity"],
        spellings=spellings,
        within="nationality",
        duplicates="drop",
        **roles,
        **SMALL,
    ).findings[0]
    assert {"women × white", "women × non-white", "men × white", "men × non-white"} <= set(finding.values("annotators"))
    assert finding.get("differing_share").value == pytest.approx(0.220, abs=0.0005)
    assert 0.35 < finding.get("krippendorff_alpha").value < 0.40


def labels(rows: list[tuple[int, str, int]], groups: dict[str, str]) -> tuple[pl.DataFrame, ...]:
    frame = pl.DataFrame(rows, schema=["item", "who", "y"], orient="row")
    items = frame.select("item").unique(maintain_order=True)
    items = items.with_columns(p=pl.Series(np.linspace(0.2, 0.8, len(items))))
    return frame, items, pl.DataFrame({"who": list(groups), "gender": list(groups.values())})


def test_items_that_are_all_tied() -> None:
    who = {f"a{n}": ("women", "men")[n % 2] for n in range(12)}
    rows = [(item, name, n % 2) for item in range(10) for n, name in enumerate(who)]
    with pytest.raises(InputError, match="no item has a majority"):
        audited(labels(rows, who))


def test_labels_that_nobody_of_the_majority_saw() -> None:
    rng = np.random.default_rng(2)
    who = {f"a{n}": ("women", "men")[n % 2] for n in range(30)}
    rows = [
        (item, name, int(rng.random() < 0.4))
        for item in range(30)
        for n, name in enumerate(who)
        if n % 2 == 0 or item < 25
    ]
    finding = audited(labels(rows, who), majority="men")
    assert any("labels of items without a majority label" in caveat for caveat in finding.caveats)


def starred(seed: int = 4) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Labels on a scale of four, whose numbers are not evenly spaced; the columns are not in their order."""
    labels, items, people = made(seed, people=40, items=60, each=12)
    rng = np.random.default_rng(seed)
    stars = np.array([1, 2, 5, 10])[np.clip(labels["item"].to_numpy() % 4 + rng.integers(-1, 2, len(labels)), 0, 3)]
    shares = rng.dirichlet(np.ones(4), len(items))
    names = {f"p_{star}": shares[:, number] for number, star in enumerate((10, 1, 5, 2))}
    return labels.with_columns(y=pl.Series(stars)), items.select("item").with_columns(**names), people


@pytest.mark.parametrize("distance", ["nominal", "ordinal", "interval"])
def test_alpha_by_distance_is_that_of_the_metrics(distance: str) -> None:
    tables = starred()
    columns = [name for name in tables[1].columns if name != "item"]
    finding = audited(tables, score=None, probabilities=columns, distance=distance)
    labels = tables[0]
    expected = eh.metrics.krippendorff_alpha(
        labels["item"], labels["who"], labels["y"], distance=distance, replicates=50
    )
    assert finding.get("krippendorff_alpha").value == pytest.approx(expected.value, abs=1e-12)
    said = f"alpha with {distance} distance)" if distance != "nominal" else "(Krippendorff's alpha)"
    assert any(said in reading.text for reading in finding.readings)


def test_words_have_the_order_in_which_they_are_declared() -> None:
    labels, items, people = starred()
    words = {1: "none", 2: "mild", 5: "severe", 10: "extreme"}
    columns = {f"p_{star}": word for star, word in words.items()}
    tables = (
        labels.with_columns(pl.col("y").replace_strict(words)),
        items.rename(columns).select("item", *words.values()),
        people,
    )
    declared = {"score": None, "probabilities": list(words.values())}
    ranks = labels["y"].replace_strict({star: rank for rank, star in enumerate(words)})
    expected = eh.metrics.krippendorff_alpha(labels["item"], labels["who"], ranks, distance="ordinal", replicates=50)
    finding = audited(tables, **declared, distance="ordinal")
    assert finding.get("krippendorff_alpha").value == pytest.approx(expected.value, abs=1e-12)
    with pytest.raises(
        InputError, match=r"`distance` interval: classes must be numbers, not words such as 'none'; use ordi"
    ):
        audited(tables, **declared, distance="interval")
    with pytest.raises(InputError, match=r"invalid `distance`: 'far' \(choose from: nominal, ordinal, interval\)"):
        audited(tables, **declared, distance="far")


@pytest.mark.parametrize("seed", [1, 2])
def test_neither_the_order_of_the_rows_nor_the_seed_moves_an_interval(seed: int) -> None:
    """Rows by nothing; the seed by less than a twentieth of the width, and by nothing where numbers are sums."""
    labels, items, people = made(5, people=24, items=100, each=30)
    first = audited((labels, items, people), replicates=200)
    shuffled = tuple(table.sample(fraction=1.0, shuffle=True, seed=seed) for table in (labels, items, people))
    assert [m.estimate for m in audited(shuffled, replicates=200)] == [m.estimate for m in first]
    again = audited((labels, items, people), replicates=200, seed=seed)
    for m in first:
        other = again.get(m.measure, **m.slice)
        if m.estimate.low is None or other.low is None or "bootstrap" not in m.estimate.method:
            continue
        width = m.estimate.high - m.estimate.low
        assert abs(other.low - m.estimate.low) < width / 20.0
        assert abs(other.high - m.estimate.high) < width / 20.0
    assert first.get("f1", annotators="women") == again.get("f1", annotators="women")
