"""Several files as one table: folders, patterns, values in the names of folders, files that cannot be read."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.evidence import open_source, table_folder
from evenhand.evidence.table_folder import TableFolder

ROLES = {"score": "first", "label": "y", "groups": ["a", "b"]}
WRITERS = {"parquet": pl.DataFrame.write_parquet, "csv": pl.DataFrame.write_csv, "jsonl": pl.DataFrame.write_ndjson}


def pieces(folder: Path, table: pl.DataFrame, ending: str = "parquet", named: str = "day=2026-05-0{}") -> list[Path]:
    """The table in three files, each in a folder of its own."""
    paths = []
    for number in range(3):
        paths.append(folder / named.format(number) / f"part.{ending}")
        paths[-1].parent.mkdir(parents=True)
        WRITERS[ending](table[number * 200 : (number + 1) * 200], paths[-1])
    return paths


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("pattern", ["", "*/*", "**"])
def test_files_of_a_folder_are_one_table(tmp_path: Path, small: pl.DataFrame, ending: str, pattern: str) -> None:
    pieces(tmp_path, small, ending)
    whole = eh.audit(small, **ROLES, audits="bias").findings[0]
    (tmp_path / "_SUCCESS").touch()
    several = eh.audit(tmp_path / pattern, **ROLES, audits="bias").findings[0]
    assert several.estimates == whole.estimates
    assert several.provenance["files"] == 3


def test_values_in_the_names_of_folders_are_columns(tmp_path: Path, small: pl.DataFrame) -> None:
    pieces(tmp_path, small, named="lang=en%2FUK/month={}")
    source = open_source(tmp_path)
    months = source.collect(lambda lazy: lazy.select("lang", "month").unique().sort("month"))
    assert months.rows() == [("en/UK", 0), ("en/UK", 1), ("en/UK", 2)]
    finding = eh.audit(tmp_path, **ROLES, slices="month", audits="bias").findings[0]
    assert set(finding.values("month")) == {"0", "1", "2"}


def test_a_bad_value_is_named_with_its_file_and_row(tmp_path: Path, small: pl.DataFrame) -> None:
    paths = pieces(tmp_path, small, "csv")
    lines = paths[1].read_text().splitlines()
    lines[5] = lines[5].replace(str(small["first"][204]), "oops")
    paths[1].write_text("\n".join(lines) + "\n")
    with pytest.raises(eh.InputError, match=r"day=2026-05-01/part.csv: column 'first', row 5: scores must be numbers"):
        eh.audit(tmp_path, **ROLES)


def test_a_corrupt_file_is_named_and_left_out_on_request(tmp_path: Path, small: pl.DataFrame) -> None:
    paths = pieces(tmp_path, small)
    content = paths[1].read_bytes()
    pages = len(content) - 8 - int.from_bytes(content[-8:-4], "little")  # the footer is sound, the pages are not
    paths[1].write_bytes(content[:4] + b"\xff" * (pages - 4) + content[pages:])
    with pytest.raises(eh.InputError, match=r"day=2026-05-01/part\.parquet: not a readable Parquet file"):
        eh.audit(tmp_path, **ROLES)
    finding = eh.audit(tmp_path, **ROLES, skip_bad=True, audits="bias").findings[0]
    rest = pl.concat([small[:200], small[400:]])
    assert finding.estimates == eh.audit(rest, **ROLES, audits="bias").findings[0].estimates
    assert any(
        caveat.startswith(f"1 of 3 files of {tmp_path} could not be read and are left out (")
        for caveat in finding.caveats
    )


def test_columns_of_other_order_and_type_are_taken_together(tmp_path: Path, small: pl.DataFrame) -> None:
    paths = pieces(tmp_path, small)
    small[200:400].with_columns(pl.col("first").cast(pl.Float32)).select(reversed(small.columns)).write_parquet(
        paths[1]
    )
    assert eh.audit(tmp_path, **ROLES, audits="bias").findings[0].get("count").value == 600


def test_what_is_no_one_table_is_refused(tmp_path: Path, small: pl.DataFrame) -> None:
    paths = pieces(tmp_path, small)
    cases = {
        "other files have the column 'first', and this one has not": small.drop("first"),
        r"it is String here and Float64 in .*05-00/part.parquet": small.with_columns(pl.col("first").cast(pl.String)),
    }
    for says, table in cases.items():
        table.write_parquet(paths[1])
        with pytest.raises(eh.InputError, match=says):
            eh.audit(tmp_path, **ROLES)
    small.write_csv(tmp_path / "more.csv")
    with pytest.raises(eh.InputError, match="these are files of CSV and Parquet: name those of one format"):
        eh.audit(tmp_path, **ROLES)
    with pytest.raises(eh.InputError, match="no file has a name of this pattern"):
        eh.audit(tmp_path / "*.jsonl", **ROLES)
    (tmp_path / "empty").mkdir()
    with pytest.raises(eh.InputError, match="this is a folder with no file in it"):
        eh.audit(tmp_path / "empty", **ROLES)
    small.write_parquet(tmp_path / "stray.parquet")
    (tmp_path / "more.csv").unlink()
    small.write_parquet(paths[1])
    with pytest.raises(eh.InputError, match=r"its folders name no column, and those of .* 'day'"):
        eh.audit(tmp_path, **ROLES)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("", ["a/x.csv", "a/y/x.csv", "x.csv"]),
        ("**/*.csv", ["a/x.csv", "a/y/x.csv", "x.csv"]),
        ("*/x.csv", ["a/x.csv", "link/x.csv"]),
        ("**/y/**/x.csv", ["a/y/x.csv"]),
        ("a", ["a/x.csv", "a/y/x.csv"]),
        ("[al]*/*", ["a/x.csv", "a/y/x.csv", "link/x.csv", "link/y/x.csv"]),
    ],
)
def test_a_pattern_finds_files_and_does_not_walk_in_circles(tmp_path: Path, pattern: str, found: list[str]) -> None:
    for name in ("x.csv", "a/x.csv", "a/y/x.csv", "_hidden/x.csv", ".hidden/x.csv"):
        Path(tmp_path, name).parent.mkdir(parents=True, exist_ok=True)
        Path(tmp_path, name).write_text("p,y\n0.5,1\n")
    for name in ("one", "two"):
        Path(tmp_path, name).symlink_to(".", target_is_directory=True)
    if "link/x.csv" in found:
        Path(tmp_path, "link").symlink_to("a", target_is_directory=True)
        Path(tmp_path, "one").unlink()
        Path(tmp_path, "two").unlink()
    folder = TableFolder.from_path(tmp_path / pattern)
    assert [str(file.path.relative_to(tmp_path)) for file in folder.files] == found


def test_a_folder_named_after_a_huge_number_is_text(tmp_path: Path) -> None:
    Path(tmp_path, f"day={'9' * 200}").mkdir()
    Path(tmp_path, f"day={'9' * 200}", "x.csv").write_text("p,y\n0.5,1\n")
    assert open_source(tmp_path).collect(lambda lazy: lazy).schema["day"] == pl.String


def test_a_value_in_the_name_of_a_folder_hides_no_column(tmp_path: Path, small: pl.DataFrame) -> None:
    pieces(tmp_path, small, named="y={}")
    with pytest.raises(InputError, match="column 'y': it is a column of this file and in the name of its folder"):
        eh.audit(tmp_path, **ROLES)


def test_a_search_through_everything_comes_to_an_end(
    tmp_path: Path, small: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces(tmp_path, small)
    monkeypatch.setattr(table_folder, "MOST_ENTRIES", 5)
    with pytest.raises(InputError, match="more than 5 files and folders below it"):
        eh.audit(tmp_path / "**" / "*.parquet", **ROLES)
