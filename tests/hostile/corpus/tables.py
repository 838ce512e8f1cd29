"""Hostile tables: delimited text, JSON lines, Parquet and Arrow; values that do harm when shown, and bombs."""

from __future__ import annotations

import gzip
import io
import json
import os
import struct
import zlib
from functools import cache

import polars as pl

from hostile.corpus.places import BIDI, ESCAPE, TITLE
from hostile.corpus.registry import hostile
from hostile.corpus.rows import as_csv, changed, filled, rows
from hostile.site import Site

TABLES = ("table", "sheet")
MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>"


@hostile(*TABLES)
def formula_cells(site: Site) -> str:
    table = [
        {**row, "id": f"=cmd|'/C calc'!A{n}", "text": f"@SUM(1+1)*{n}", "who": f"+{n}", "gender": "-2+3"}
        for n, row in enumerate(rows())
    ]
    return site.write("in.csv", as_csv(table)).name


@hostile(*TABLES)
def control_characters_in_a_number(site: Site) -> str:
    table = [
        {**row, **dict.fromkeys(("p", "label", "items", "prevalence"), f"{ESCAPE}{BIDI}{TITLE}")} for row in rows()
    ]
    return site.write("in.csv", as_csv(table)).name


@hostile(*TABLES)
def control_characters_in_names(site: Site) -> str:
    table = [{**row, "gender": f"{ESCAPE}{row['gender']}{BIDI}", "lang": f"{TITLE}{row['lang']}"} for row in rows()]
    return site.write("in.csv", as_csv(table)).name


@hostile(*TABLES)
def control_characters_in_the_header(site: Site) -> str:
    return site.write("in.csv", as_csv(rows()).replace("text,p,y", f"te{BIDI}xt,p{ESCAPE},y", 1)).name


@hostile(*TABLES)
def markup_in_values(site: Site) -> str:
    table = [{**row, "text": MARKUP, "gender": MARKUP + row["gender"], "lang": MARKUP} for row in rows()]
    return site.write("in.csv", as_csv(table)).name


@hostile(*TABLES)
def huge_numbers(site: Site) -> str:
    wide = {"p": "9" * 5000, "items": "9" * 400, "prevalence": "1e400", "label": "1" * 300, "pi": "-1e308"}
    return site.write("in.csv", as_csv([{**row, **wide} for row in rows()])).name


@hostile(*TABLES)
def numbers_that_are_none(site: Site) -> str:
    table = [{**row, "p": "NaN", "items": "-inf", "prevalence": "Infinity", "pi": "-0.0"} for row in rows()]
    return site.write("in.csv", as_csv(table)).name


@hostile(*TABLES)
def negative_sizes(site: Site) -> str:
    return site.write(
        "in.csv", as_csv([{**row, "items": -5, "prevalence": -0.1, "pi": -1, "p": -1} for row in rows()])
    ).name


@hostile(*TABLES)
def a_quote_that_never_closes(site: Site) -> str:
    return site.write("in.csv", as_csv(rows()) + '"' + "x" * 100_000).name


@hostile(*TABLES)
def nul_in_a_value(site: Site) -> str:
    return site.write("in.csv", changed("text", "a\0b")).name


@hostile(*TABLES)
def a_value_of_megabytes(site: Site) -> str:
    return site.write("in.csv", changed("p", "x" * (8 << 20))).name


@hostile(*TABLES)
def values_that_name_files(site: Site) -> str:
    return site.write("in.csv", filled("text", f"file://{site.precious}/precious.txt")).name


@hostile(*TABLES)
def a_hundred_thousand_columns(site: Site) -> str:
    names = [f"c{n}" for n in range(100_000)]
    lines = [",".join([*rows()[0], *names])]
    lines += [",".join([*map(str, row.values()), *("0" for _ in names)]) for row in rows()[:12]]
    return site.write("in.csv", "\n".join(lines) + "\n").name


@cache
def _packed(times: int) -> bytes:
    """Rows that take a thousandth of their size: a header, and the same member again and again."""
    head, row = as_csv(rows()).encode().split(b"\n")[:2]
    member = gzip.compress((row + b"\n") * (100_000_000 // len(row)), 9)
    return gzip.compress(head + b"\n") + member * times


@hostile(*TABLES)
def gzip_bomb(site: Site) -> str:
    return site.write("in.csv.gz", _packed(80)).name


@hostile(*TABLES, refused=True)
def gzip_of_one_line(site: Site) -> str:
    zeros = gzip.compress(b"0" * 100_000_000, 9)
    return site.write("in.csv.gz", zeros * 60).name


@hostile(*TABLES, refused=True)
def gzip_cut_off(site: Site) -> str:
    return site.write("in.csv.gz", gzip.compress(as_csv(rows()).encode())[:-20]).name


@hostile(*TABLES, refused=True)
def json_lines_nested_deep(site: Site) -> str:
    line = '{"id": ' + "[" * 100_000 + "]" * 100_000 + "}\n"
    return site.write("in.jsonl", json.dumps(rows()[0]) + "\n" + line).name


@hostile(*TABLES)
def json_lines_with_a_name_each(site: Site) -> str:
    lines = [json.dumps({**row, f"{'k' * 200}{n}": n}) for n in range(60) for row in rows()]
    return site.write("in.jsonl", "\n".join(lines)).name


@hostile(*TABLES)
def json_lines_with_huge_numbers(site: Site) -> str:
    text = "\n".join(json.dumps(row) for row in rows())
    return site.write("in.jsonl", text.replace('"p": 0.', '"p": 1e99999, "q": 1' + "0" * 3000 + ', "z": 0.')).name


@hostile(*TABLES, refused=True)
def parquet_cut_off(site: Site) -> str:
    return site.write("in.parquet", _parquet()[:-30]).name


@hostile(*TABLES, refused=True)
def parquet_with_a_huge_footer(site: Site) -> str:
    return site.write("in.parquet", _parquet()[:-8] + struct.pack("<I", 0xFFFFFFF0) + b"PAR1").name


@hostile(*TABLES)
def parquet_spoilt(site: Site) -> str:
    whole = bytearray(_parquet())
    for place in range(len(whole) // 3, len(whole) - 8, 97):
        whole[place] ^= 0x5A
    return site.write("in.parquet", bytes(whole)).name


def _parquet() -> bytes:
    target = io.BytesIO()
    pl.DataFrame(rows()).write_parquet(target)
    return target.getvalue()


@cache
def _parquet_of_equal_rows(each: int, times: int) -> bytes:
    """Hundreds of millions of equal rows in some kilobytes: the same part of the file is listed again and again."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    target, footer = io.BytesIO(), io.BytesIO()
    table = pa.table({name: pa.repeat(value, each) for name, value in rows()[0].items()})
    pq.write_table(table, target, compression="zstd", row_group_size=each)
    told, once = pq.read_metadata(target), pq.read_metadata(target)
    for _ in range(times - 1):
        told.append_row_groups(once)
    told.write_metadata_file(footer)
    return target.getvalue() + footer.getvalue().removeprefix(b"PAR1")


@hostile(*TABLES)
def parquet_bomb(site: Site) -> str:
    return site.write("in.parquet", _parquet_of_equal_rows(500_000, 800)).name


@hostile(*TABLES, refused=True)
def arrow_cut_off(site: Site) -> str:
    return site.write("in.arrow", _arrow()[:-60]).name


@hostile(*TABLES)
def arrow_spoilt(site: Site) -> str:
    whole = bytearray(_arrow())
    for place in range(40, len(whole) - 10, 61):
        whole[place] ^= 0xA5
    return site.write("in.arrow", bytes(whole)).name


def _arrow() -> bytes:
    target = io.BytesIO()
    pl.DataFrame(rows()).write_ipc(target)
    return target.getvalue()


@cache
def _arrow_of_equal_rows(each: int, times: int) -> bytes:
    import pyarrow as pa

    def column(value: object) -> pa.Array:
        if not isinstance(value, str):
            return pa.repeat(value, each)
        return pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int8()), each), [value])

    target, options = io.BytesIO(), pa.ipc.IpcWriteOptions(compression="zstd")
    zeros = dict.fromkeys(("b", "items"), 0)  # which pack better than other whole numbers
    table = pa.table({name: column(value) for name, value in {**rows()[0], **zeros}.items()})
    with pa.ipc.new_file(target, table.schema, options=options) as writer:
        for _ in range(times):
            writer.write_table(table)
    return target.getvalue()


@hostile(*TABLES)
def arrow_bomb(site: Site) -> str:
    return site.write("in.arrow", _arrow_of_equal_rows(4_000_000, 12)).name


@hostile(*TABLES, refused=True)
def another_format_by_name(site: Site) -> str:
    return site.write("in.parquet", zlib.compress(b"x" * 1000)).name


@hostile(*TABLES, refused=True)
def a_pickle_by_name(site: Site) -> str:
    return site.write("in.pkl", b"\x80\x04" + f"cbuiltins\nexec\n(S{site.code!r}\ntR.".encode()).name


@hostile(*TABLES, refused=True)
def an_address(site: Site) -> str:
    return f"{site.url}/in.csv"


@hostile(*TABLES, refused=True)
def an_address_of_a_store(site: Site) -> str:
    return "s3://evenhand-test.invalid/in.parquet"


@hostile(*TABLES, refused=True)
def an_address_of_a_hub(site: Site) -> str:
    return "hf://datasets/evenhand-test.invalid/in.parquet"


@hostile("table", refused=True)
def folder_with_a_pipe(site: Site) -> str:
    site.write("several/a.csv", as_csv(rows()))
    os.mkfifo(site.work / "several/b.csv")
    return "several"


@hostile("table", refused=True)
def folder_with_a_name_that_is_no_text(site: Site) -> str:
    site.write("several/day=\udcff/a.csv", as_csv(rows()))
    return "several"


@hostile("table")
def pattern_with_links_in_circles(site: Site) -> str:
    """Every way around is another path, and so are the ways around those."""
    site.write(f"several/{ESCAPE}={'9' * 200}/a.csv", as_csv(rows()))
    for name in ("one", "two"):
        (site.work / "several" / name).symlink_to(".")
    return "several/**/*.csv"
