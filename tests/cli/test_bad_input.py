"""Whatever is wrong with the input: exit code 2, one line that names file, column and row, and nothing written."""

from __future__ import annotations

import gzip
import shlex
import sqlite3
import tomllib
from pathlib import Path

import polars as pl
import pytest

from cli.program import fails as program_fails
from cli.program import refused
from evenhand.evidence import reading_errors

GOOD = ["--score", "p", "--label", "y", "--groups", "g", "--audits", "bias"]


def table(**columns) -> pl.DataFrame:
    base = {"id": range(8), "p": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], "y": [0, 1] * 4, "g": [1, 1, 0, 0] * 2}
    return pl.DataFrame({**base, **columns}, strict=False)


def fails(program, *arguments: object, says: list[str]) -> str:
    return program_fails(program, "audit", *arguments, says=says)


def test_missing_column_suggests_the_nearest(program) -> None:
    table().write_csv("items.csv")
    fails(program, "items.csv", "--score", "p", "--label", "y", "--groups", "gg", says=["items.csv", "'gg'", "'g'"])
    fails(
        program,
        "items.csv",
        "--score",
        "zebra",
        "--label",
        "y",
        "--groups",
        "g",
        says=["'zebra'", "choose from: ", "p"],
    )


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ([0.1, 0.2, None, 0.4, 0.5, 0.6, 0.7, 0.8], ["column 'p', row 3", "empty"]),
        ([0.1, float("nan"), 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], ["column 'p', row 2", "NaN"]),
        ([0.1, 0.2, 0.3, float("inf"), 0.5, 0.6, 0.7, 0.8], ["column 'p', row 4", "infinite"]),
        ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.7, 0.8], ["column 'p', row 7", "1.7", "scale"]),
        ([-0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], ["column 'p', row 1", "-0.1"]),
        (["0.1", "0.2", "high", "0.4", "0.5", "0.6", "0.7", "0.8"], ["column 'p', row 3", "numbers", "high"]),
    ],
    ids=["empty", "NaN", "infinite", "above", "below", "text"],
)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_bad_scores(program, scores, says, kind) -> None:
    frame = table(p=pl.Series(scores, strict=False))
    frame.write_csv("items.csv") if kind == "csv" else frame.write_parquet("items.parquet")
    fails(program, f"items.{kind}", *GOOD, says=[f"items.{kind}", *says])


def test_rows_are_those_of_the_file_also_when_some_are_left_out(program) -> None:
    table(p=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.7, 0.8]).write_csv("items.csv")
    fails(program, "items.csv", *GOOD, "--where", "id > 3", says=["column 'p', row 7", "1.7"])


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        ([0, 1, 2, 0, 1, 0, 1, 0], ["column 'y', row 3", "2", "--positive"]),
        (["good", "bad"] * 4, ["column 'y'", "'bad', 'good'", "--positive"]),
        (["a", "b", "c", "d"] * 2, ["column 'y'", "'a', 'b', 'c', 'd'", "--positive"]),
        ([0, 1, None, 0, 1, 0, 1, 0], ["column 'y', row 3", "empty"]),
        ([0] * 8, ["column 'y'", "every item is benign", "both"]),
        ([True] * 8, ["column 'y'", "every item is violating", "both"]),
    ],
    ids=["three codes", "two words", "four words", "empty", "all benign", "all violating"],
)
def test_bad_labels(program, labels, says) -> None:
    table(y=labels).write_parquet("items.parquet")
    fails(program, "items.parquet", *GOOD, says=["items.parquet", *says])


def test_a_label_that_does_not_occur(program) -> None:
    table(y=["good", "bad"] * 4).write_parquet("items.parquet")
    fails(program, "items.parquet", *GOOD, "--positive", "badd", says=["'badd'", "did you mean 'bad'"])
    table().write_parquet("items.parquet")
    fails(program, "items.parquet", *GOOD, "--positive", "bad", says=["numbers", "'bad'"])


def test_bad_groups(program) -> None:
    table(g=[0] * 8).write_csv("items.csv")
    fails(program, "items.csv", *GOOD, says=["column 'g'", "group 'g' has no members in this data"])
    table(g=pl.Series([None] * 8, dtype=pl.Float64)).write_csv("items.csv")
    fails(program, "items.csv", *GOOD, says=["column 'g'", "group 'g' has no members in this data"])
    table(g=[1, 1, 0, 5, 1, 1, 0, 0]).write_csv("items.csv")
    fails(program, "items.csv", *GOOD, says=["column 'g', row 4", "5", "--group-by"])
    table(g=["yes", "no"] * 4).write_csv("items.csv")
    fails(program, "items.csv", *GOOD, says=["column 'g', row 1", "numbers", "yes"])
    table(g=["same"] * 8).write_csv("items.csv")
    fails(program, "items.csv", "--score", "p", "--label", "y", "--group-by", "g", says=["column 'g'", "two different"])
    pl.concat([table(id=range(8 * i, 8 * i + 8), g=[f"v{8 * i + j}" for j in range(8)]) for i in range(30)]).write_csv(
        "items.csv"
    )
    fails(program, "items.csv", "--score", "p", "--label", "y", "--group-by", "g", says=["240 different values", "200"])


def test_bad_terms(program) -> None:
    table(t=["hello there"] * 8).write_csv("items.csv")
    words = ["items.csv", "--score", "p", "--label", "y", "--text", "t", "--terms"]
    fails(program, *words, "terms.txt", says=["terms.txt", "no such file"])
    Path("terms.txt").write_text("# nothing\n\n")
    fails(program, *words, "terms.txt", says=["terms.txt", "no terms"])
    Path("terms.txt").write_text("hello\nhello\n")
    fails(program, *words, "terms.txt", says=["terms.txt", "row 2", "already"])
    Path("terms.txt").write_text("greetings: ,\n")
    fails(program, *words, "terms.txt", says=["terms.txt", "row 1", "no words"])
    Path("terms.json").write_text('{"women": ["she", "her"]}\n')
    fails(
        program,
        *words,
        "terms.json",
        says=["terms.json", "not a list of words: --terms takes text"],
    )
    Path("terms.txt").write_text("zebra\n")
    fails(program, *words, "terms.txt", says=["items.csv", "group 'zebra' has no members"])
    fails(program, "items.csv", "--score", "p", "--label", "y", "--terms", "terms.txt", says=["set --text"])


def test_duplicate_ids(program) -> None:
    table(id=[1, 2, 3, 4, 5, 3, 7, 8]).write_csv("items.csv")
    fails(program, "items.csv", *GOOD, "--id", "id", says=["items.csv", "column 'id', row 6", "3", "twice"])


def test_bad_weights(program) -> None:
    table(n=[1, 2, 0.5, 1, 1, 1, 1, 1]).write_csv("items.csv")
    fails(program, "items.csv", *GOOD, "--count", "n", says=["column 'n', row 3", "0.5", "inclusion"])
    table(n=[1, -2, 1, 1, 1, 1, 1, 1]).write_csv("items.csv")
    fails(program, "items.csv", *GOOD, "--count", "n", says=["column 'n', row 2", "-2"])
    table(n=[0] * 8).write_csv("items.csv")
    fails(program, "items.csv", *GOOD, "--count", "n", says=["column 'n'", "all counts are 0"])
    table(n=[0.1, 0.0, 1, 1, 1, 1, 1, 1]).write_csv("items.csv")
    fails(program, "items.csv", *GOOD, "--inclusion", "n", says=["column 'n', row 2", "above 0 and at most 1"])
    table(n=[0.1, 1.5, 1, 1, 1, 1, 1, 1]).write_csv("items.csv")
    fails(program, "items.csv", *GOOD, "--inclusion", "n", says=["column 'n', row 2", "1.5"])
    table(n=[0.1, None, 1, 1, 1, 1, 1, 1]).write_csv("items.csv")
    fails(program, "items.csv", *GOOD, "--inclusion", "n", says=["column 'n', row 2", "empty"])
    table(n=[0.1, float("nan"), 1, 1, 1, 1, 1, 1]).write_parquet("items.parquet")
    fails(program, "items.parquet", *GOOD, "--inclusion", "n", says=["column 'n', row 2", "finite"])


def test_files_that_are_not_there_or_not_readable(program) -> None:
    fails(program, "nowhere.parquet", *GOOD, says=["nowhere.parquet", "no such file"])
    Path("folder").mkdir()
    fails(program, "folder", *GOOD, says=["folder", "a folder with no file in it"])
    Path("items.sav").write_text("x")
    fails(program, "items.sav", *GOOD, says=["items.sav", "format", ".parquet"])


def test_empty_files(program) -> None:
    Path("items.csv").write_text("")
    fails(program, "items.csv", *GOOD, says=["items.csv", "empty"])
    Path("items.csv").write_text("id,p,y,g\n")
    fails(program, "items.csv", *GOOD, says=["items.csv", "no rows"])
    table().head(0).write_parquet("items.parquet")
    fails(program, "items.parquet", *GOOD, says=["items.parquet", "no rows"])


def test_truncated_files(program) -> None:
    for kind, write in (
        ("parquet", table().write_parquet),
        ("arrow", table().write_ipc),
        ("xlsx", table().write_excel),
    ):
        path = Path(f"items.{kind}")
        write(path)
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        fails(program, path, *GOOD, says=[path.name, "not a readable"])


def test_broken_text_files(program) -> None:
    path = Path("items.csv")
    path.write_text('id,p,y,g,t\n1,0.2,0,1,"fine"\n2,0.3,1,0,"not closed\n3,0.4,0,1,"ok"\n')
    fails(program, path, *GOOD, "--text", "t", says=["items.csv", "row 2", "quote"])
    path.write_bytes(b"id,p,y,g,t\n1,0.2,0,1,fine\n2,0.3,1,0,caf\x81\n")
    layout = ("--separator", ",", "--decimal", ".", "--encoding", "cp1252")
    fails(program, path, *GOOD, *layout, says=["column 't', row 2", "CP1252", "0x81", "--encoding"])
    path.write_text("id,p,y,g\n1,0.2,0,1\n2,0.3,1,0,0,0\n")
    fails(program, path, *GOOD, says=["items.csv", "row 2", "6 fields", "4"])
    lines = Path("items.jsonl")
    lines.write_text('{"p": 0.1, "y": 1, "g": 1}\n{"p": 0.2, "y":\n')
    fails(program, lines, *GOOD, says=["items.jsonl", "row 2", "JSON"])
    lines.write_text('{"p": 0.1, "y": 1, "g": 1}\n[1, 2]\n')
    fails(program, lines, *GOOD, says=["items.jsonl"])


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("p >>", ["--where is not a valid SQL condition"]),
        ("q > 0.5", ["'q'"]),
        ("p + 1", ["true or false", "p + 1"]),
        ("p", ["true or false"]),
        ("p > 5", ["no row meets the condition --where: p > 5"]),
        ("p IN (SELECT a FROM read_csv('/etc/passwd'))", ["not a query"]),
    ],
)
def test_bad_conditions(program, where: str, says: list[str]) -> None:
    table().write_csv("items.csv")
    fails(program, "items.csv", *GOOD, "--where", where, says=says)


def test_databases(program, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'items.db'}"
    fails(program, url, *GOOD, "--query", "SELECT 1", says=["no such database"])
    table().write_database("items", url, engine="sqlalchemy")
    fails(program, url, *GOOD, says=["--query"])
    fails(program, url, *GOOD, "--query", "SELECT * FROM nothing", says=["query failed", "nothing"])
    fails(program, url, *GOOD, "--query", "SELECT p, y FROM items", says=["'g'"])
    line = fails(
        program, "postgresql+psycopg://me:secret@127.0.0.1:1/db", *GOOD, "--query", "SELECT 1", says=["query failed"]
    )
    assert "secret" not in line
    fails(program, "nonsense://x", *GOOD, "--query", "SELECT 1", says=["nonsense"])
    table().write_csv("items.csv")
    fails(program, "items.csv", *GOOD, "--query", "SELECT 1", says=["database"])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--audits", "bais"], ["'bais'", "did you mean 'bias'"]),
        (["--scale", "grades"], ["'grades'"]),
        (["--scale", "rank,rank"], ["the number of scales (2) is not that of the scores (1)"]),
        (["--group-by", "id"], ["more than one way"]),
        (["--label-threshold", "1.5"], ["1.5 or more", "--label-threshold"]),
        (["--level", "95"], ["level", "95"]),
        (["--interval", "bayes"], ["'bayes'"]),
        (["--interval", "bootstrap", "--replicates", "3"], ["invalid --replicates: 3", "50"]),
        (["--examples", "3"], ["text"]),
        (["--seed", "-1"], ["invalid --seed: -1"]),
        (["--score", "p,p"], ["'p'", "twice"]),
        (["--threshold", "nan"], ["threshold", "finite"]),
        (["--threshold", "1.5"], ["column 'p'", "1.5 is outside 0 to 1"]),
        (["--json", "--csv"], ["choose one"]),
    ],
)
def test_bad_settings(program, options: list[str], says: list[str]) -> None:
    table().write_csv("items.csv")
    fails(program, "items.csv", *GOOD, *options, says=says)


def test_what_is_not_declared(program) -> None:
    table().write_csv("items.csv")
    fails(program, "items.csv", says=["label", "score"])
    fails(program, "items.csv", says=["set --label, the label column, and --score, the score column", "columns are: "])
    fails(program, "items.csv", "--score", "p", says=["items.csv: set --label, the label column; the columns are: "])
    fails(program, "items.csv", "--label", "y", says=["items.csv: set --score, the score column (or --probabilities"])
    fails(program, "none.csv", says=["none.csv: there is no such file"])
    fails(program, "items.csv", "--score", "p", "--label", "y", "--audits", "bias", says=["'bias' also needs --groups"])


def test_an_output_folder_that_cannot_be_written(program) -> None:
    table().write_csv("items.csv")
    Path("taken").write_text("a file")
    fails(program, "items.csv", *GOOD, "--out", "taken", says=["taken", "cannot be written"])
    fails(program, "items.csv", *GOOD, "--out", "taken/deeper", says=["taken", "cannot be written"])


def test_a_full_disk_leaves_the_earlier_report_whole(program, monkeypatch: pytest.MonkeyPatch) -> None:
    table().write_csv("items.csv")
    assert program("audit", "items.csv", *GOOD, "--out", "out").code == 0
    before = {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
    write = Path.write_text

    def full(self: Path, *args: object, **kwargs: object) -> int:
        if self.name == "report.html":
            raise OSError(28, "No space left on device")
        return write(self, *args, **kwargs)

    monkeypatch.setattr(Path, "write_text", full)
    done = program("audit", "items.csv", *GOOD, "--out", "out", "--level", "0.9")
    assert done.code == 2
    assert "No space left" in done.err
    assert {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()} == before


def test_declarations(program) -> None:
    fails(program, "none.toml", says=["none.toml", "no such file"])
    path = Path("audit.toml")
    path.write_text("data = [")
    fails(program, path, says=["audit.toml", "TOML"])
    path.write_text("[columns]\nscore = 'p'\n")
    fails(program, path, says=["audit.toml", "'data'"])
    path.write_text("data = 'items.csv'\n[colums]\nscore = 'p'\n")
    fails(program, path, says=["audit.toml", "'colums'", "did you mean 'columns'"])
    path.write_text("data = 'items.csv'\ncolumns = 3\n")
    fails(program, path, says=["audit.toml", "[columns]"])
    table().write_csv("items.csv")
    path.write_text("data = 'items.csv'\n[columns]\nscoer = 'p'\n")
    fails(program, path, says=["'scoer'", "did you mean 'score'"])
    path.write_text(
        "data = 'items.csv'\n[columns]\nscore = ['p']\nlabel = 'y'\ngroups = ['g']\n[settings]\nlevel = 'high'\n"
    )
    fails(program, path, says=["level", "number"])
    path.write_text("data = 'items.csv'\n[columns]\nscore = [['p']]\nlabel = 'y'\ngroups = ['g']\n")
    fails(program, path, says=["score", "name"])


def test_permission_denied() -> None:
    """As root every file can be read, so the fault is handed in."""
    error = reading_errors.explain_failure(PermissionError(13, "Permission denied"), "items.csv", "CSV", None)
    assert str(error) == "items.csv: the file may not be read: permission denied"


def test_compressed_files_that_are_damaged(program) -> None:
    table().write_csv("items.csv")
    whole = gzip.compress(Path("items.csv").read_bytes())
    Path("items.csv").unlink()
    Path("items.csv.gz").write_bytes(whole[:-20])
    fails(program, "items.csv.gz", *GOOD, says=["items.csv.gz", "damaged or cut off"])
    Path("items.csv.gz").write_bytes(whole[:30] + bytes([whole[30] ^ 0xFF]) + whole[31:])
    fails(program, "items.csv.gz", *GOOD, says=["items.csv.gz", "damaged or cut off"])


def test_text_files_that_readers_would_take_without_a_word(program) -> None:
    Path("items.csv").write_text("p,y,g\n.1,1,1\n.2,0,1\n.3,1,0\n.4,0\n")
    fails(program, "items.csv", *GOOD, says=["items.csv", "row 4", "2 fields, but the header has 3"])
    Path("items.csv").write_text("p,y,g,p\n.1,1,1,2\n.2,0,1,3\n")
    fails(program, "items.csv", *GOOD, says=["items.csv", "the header names 'p' more than once"])
    Path("items.csv").write_bytes(b"p,y,g\0\n.1,1,1\n")
    fails(program, "items.csv", *GOOD, says=["items.csv", "not UTF-8 text in the header", "--encoding"])


def test_a_column_means_one_thing(program) -> None:
    table().write_csv("items.csv")
    wrong = ["--score", "p", "--label", "p", "--groups", "g"]
    fails(program, "items.csv", *wrong, says=["'p' is declared as --score and as --label"])


def test_columns_of_lists(program) -> None:
    table(g=[["a"], ["b"]] * 4).write_parquet("items.parquet")
    by = ["--score", "p", "--label", "y", "--group-by", "g"]
    fails(program, "items.parquet", *by, says=["column 'g'", "words or numbers, not List"])
    table(y=[["a"], ["b"]] * 4).write_parquet("items.parquet")
    fails(program, "items.parquet", *GOOD, "--positive", "a", says=["column 'y'", "words or numbers, not List"])
    fails(program, "items.parquet", *GOOD, "--slice", "y", says=["column 'y'", "not List"])


def test_a_label_that_is_not_a_number(program) -> None:
    table(y=[0.0, 1.0, float("nan"), 1.0] * 2).write_parquet("items.parquet")
    fails(program, "items.parquet", *GOOD, "--positive", "1", says=["column 'y', row 3", "the label is empty"])
    for blank in ("", "  "):
        table(y=["bad", "ok", blank, "ok"] * 2).write_parquet("items.parquet")
        fails(program, "items.parquet", *GOOD, "--positive", "bad", says=["column 'y', row 3", "the label is empty"])


def test_the_hint_for_empty_cells_can_be_pasted(program) -> None:
    table(p=[0.1, None, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]).rename({"p": "risk %"}).write_csv("items.csv")
    roles = ["--score", "risk %", "--label", "y", "--groups", "g"]
    line = fails(program, "items.csv", *roles, says=["column 'risk %', row 2", "--skip-unscored"])
    pasted = shlex.split(line[line.index("--skip-unscored") :])
    assert program("audit", "items.csv", *roles, *pasted, "--json").code == 0


def test_names_with_control_characters(program) -> None:
    table(g=["a\x1b[2J", "b"] * 4).write_parquet("items.parquet")
    small = ("--smallest-group", "1", "--out", "there")
    done = program("audit", "items.parquet", "--score", "p", "--label", "y", "--group-by", "g", *small)
    assert done.code == 0, done.err
    assert "\x1b[2J" not in done.out + Path("there/report.html").read_text()
    table().rename({"g": "g\x1b"}).write_parquet("items.parquet")
    where = ["--score", "p", "--label", "y", "--groups", "g\x1b", "--out", "elsewhere"]
    assert "\x1b" not in fails(program, "items.parquet", *where, says=["control character"])


def test_what_is_left_to_fill_in(program) -> None:
    table().write_csv("items.csv")
    Path("audit.toml").write_text('data = "items.csv"\n[columns]\nscore = ["?"]\nlabel = "y"\ngroups = ["g"]\n')
    fails(program, "audit.toml", says=["a column is still '?'"])
    Path("audit.toml").write_text('data = "items.csv"\n[columns]\nscor = ["p"]\nlabel = "y"\ngroups = ["g"]\n')
    fails(program, "audit.toml", says=["audit.toml", "'scor'", "did you mean 'score'"])


def test_a_statement_that_gives_no_rows(program, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "d.sqlite") as connection:
        connection.execute("create table t (p real)")
        connection.execute("insert into t values (0.5)")
    url = f"sqlite:///{tmp_path}/d.sqlite"
    fails(program, url, *GOOD, "--query", "delete from t", says=["one statement that reads: SELECT"])
    with sqlite3.connect(tmp_path / "d.sqlite") as connection:
        assert connection.execute("select count(*) from t").fetchone() == (1,)


def test_passwords_stay_out_of_messages(program) -> None:
    url = "postgresql://127.0.0.1:1/db?user=u&password=secret"  # without a query it may be a desk, so it is opened
    assert "secret" not in fails(program, url, *GOOD, says=["127.0.0.1:1/db", "the database failed"])
    url = "postgresql://u:secret@127.0.0.1:1/db"
    assert "secret" not in fails(program, url, *GOOD, says=["127.0.0.1:1/db", "the database failed"])
    url = "mysql://u:secret@127.0.0.1:1/db"
    assert "secret" not in fails(program, url, *GOOD, says=["needs a query"])


def test_an_output_that_is_in_the_way(program) -> None:
    table().write_csv("items.csv")
    Path("there/report.html").mkdir(parents=True)
    fails(
        program, "items.csv", *GOOD, "--out", "there", says=["there", "'report.html' is to be a file and is a folder"]
    )
    Path("file").write_text("")
    fails(program, "items.csv", *GOOD, "--out", "file/deep/er", says=["file/deep/er", "cannot be written"])


def test_all_groups_that_nobody_is_in_are_named_at_once(program) -> None:
    table(t=["hello there"] * 8).write_csv("items.csv")
    Path("terms.txt").write_text("hello\nqueer\nold: elder, old\n")
    words = ["--score", "p", "--label", "y", "--text", "t", "--terms", "terms.txt"]
    fails(program, "items.csv", *words, says=["column 't'", "groups 'queer' and 'old' have no members"])


def test_hints(program) -> None:
    Path("items.csv").write_text("p;y;g\n0,1;1;1\n0,2;0;1\n0,3;1;0\n")
    layout = ("--separator", ";", "--decimal", ".", "--encoding", "utf-8")
    fails(program, "items.csv", *GOOD, *layout, says=["column 'p', row 1", "'0,1'", "set --decimal to ','"])
    Path("items.csv").write_bytes("p,y,g,caf\u00e9\n.1,1,1,1\n".encode("latin-1"))
    line = fails(
        program,
        "items.csv",
        *GOOD,
        *("--separator", ",", "--decimal", ".", "--encoding", "utf-8"),
        says=["items.csv", "not UTF-8 text in the header"],
    )
    assert "row" not in line
    table(g=["yes", "no"] * 4).write_csv("items.csv")
    fails(program, "items.csv", *GOOD, says=["column 'g', row 1", "true/false or numbers", "yes"])


def test_an_output_that_is_full(program, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_text: str) -> None:
        raise OSError(28, "No space left on device")

    table().write_csv("items.csv")
    monkeypatch.setattr("evenhand.cli.output.show", lambda *_: full(""))
    fails(program, "items.csv", *GOOD, "--json", says=["the output: No space left on device"])


def test_rows_cut_off_before_a_text(program) -> None:
    Path("items.csv").write_text("p,y,g,h,t\n.1,1,1,1,hello\n.2,0,1,0,hello\n.3,1,0,1,hello\n.4,0,0\n")
    roles = ["--score", "p", "--label", "y", "--groups", "g,h", "--text", "t"]
    fails(program, "items.csv", *roles, says=["items.csv", "row 4", "3 fields, but the header has 5"])


def test_control_characters_in_a_first_declaration(program) -> None:
    table(t=["a\x1bb", "c"] * 4, u=["\U0001f600\U000e0001", "x"] * 4).rename({"u": "u\U000e0001"}).write_parquet(
        "items.parquet"
    )
    assert program("init", "items.parquet").code == 0
    tomllib.loads(Path("audit.toml").read_text())


def test_declarations_that_only_a_file_or_python_can_make(program) -> None:
    table(text=["a b"] * 8).write_parquet("items.parquet")
    head = 'data = "items.parquet"\n[columns]\nscore = "p"\nlabel = "y"\n'
    for rest, *says in (
        ("label_threshold = true", "label_threshold must be a number, not True"),
        ("annotator_groups = ['g']", "groups of annotators need --item and --annotator"),
        ("text = 'text'\nterms = {a = []}", "the group 'a' has no words"),
        ("text = 'text'\nterms = {a = ['  ']}", "the group 'a' has no words"),
        ("groups = ['g']\n[settings]\nexamples = -1", "invalid --examples: -1 (must be 0 or more)"),
    ):
        Path("audit.toml").write_text(head + rest)
        refused(program("audit", "audit.toml", "--audits", "calibration"), *says)


def test_files_without_rows_and_lines_of_json(program) -> None:
    Path("items.jsonl").write_text("\n\n")
    refused(program("audit", "items.jsonl", "--score", "p", "--label", "y"), "items.jsonl")
    table().clear().write_parquet("items.parquet")
    refused(program("audit", "items.parquet", "--score", "p", "--label", "y", "--groups", "g"), "there are no rows")
