"""How much is read of what others wrote, and how much a user may ask for: far beyond real data, and well before a
machine runs out of memory or time.

Tables have no limit of their own on bytes or rows: these limits are about files that say or become far more than they
weigh, and about text that is read whole. The limits of a request to the service are settings, in `service`.
"""

from __future__ import annotations

from collections.abc import Mapping

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

# A condition on the rows (`where`).
CONDITION_CHARACTERS = 10_000  # a list of a thousand names in IN (…)
CONDITION_STEPS = 1_000  # words and operators: Polars takes quadratic time to plan them, and crashes at some thousands
CONDITION_DEPTH = 20  # brackets within brackets: its parser gives up at 50
CONDITION_PATTERNS = 20  # regular expressions: one may take 20 MB and a tenth of a second to compile

# Text that is read whole: plans, findings, calibrators, declarations, terms, exports of labelling tools.
TEXT_BYTES = 128 * MIB  # an export of 50,000 annotated comments has some 100 MB
TOML_BYTES = MIB  # a declaration is a page, with the spellings of every country some 100 KB
JSON_LISTS = 2_000_000  # lists and objects: an estimate has two, an annotation of an item some ten
JSON_VALUES = 10_000_000  # numbers and words: a sampled row has two
NESTING = 100  # levels: a finding has about ten, and 1,000 are more than Python follows

# Declared groups.
TERM_GROUPS = 500  # groups by words in the text: published lists have fifty
TERM_WORDS = 20_000  # of all groups: a regular expression of more takes seconds to compile
TERM_LENGTH = 200  # characters of one word or phrase: to look for one of signs alone takes quadratic time
TERM_CHARACTERS = 500_000  # of all words

# Tables. There is no limit on rows or bytes as such.
COLUMNS = 20_000  # more than any table of items; every one is named in a schema
FIELD_BYTES = 16 * MIB  # of one cell, or one line of JSON: a long book has one or two
UNPACKED_FREE = 64 * MIB  # what any file may unpack to, however small it is
UNPACKED_TEXT = 200  # times its size for gzip and for holes in a file: tables of nothing but flags reach 70
UNPACKED_TABLE = 250  # times its size for Parquet and Arrow, whose zeros pack better than text
ROWS_FREE = 1_000_000  # what any Parquet or Arrow file may hold, however small it is
ROWS_PER_BYTE = 32  # beyond that: two columns of yes and no reach 13, a score alone is below 1
TEXTS_ADDED_UP = 64 * MIB  # Parquet and Arrow files up to here: a larger one takes too long to look through twice
FOOTER_BYTES = 32 * MIB  # what a Parquet or Arrow file says about itself: 100 columns of 100 million rows need 20 MB

# Workbooks (XLSX), which are read whole; a larger table comes as CSV or Parquet.
XLSX_UNPACKED = GIB  # its XML: a million rows of twenty columns
XLSX_CELLS = 100_000_000  # that it says it has, empty ones too: a hundred columns formatted to the last row
XLSX_MEMORY = 1536 * MIB  # what such a sheet takes to read
XLSX_SECONDS = 4  # of the processor, and one more for each megabyte: 50,000 rows take less than one
XLSX_SMALL = 4 * MIB  # bytes of a file up to which reading twice is faster than handing the table over

# Queries to a file of SQLite; what it gives is limited like a file that unpacks.
QUERY_SECONDS = 8  # of the processor, and one more for each megabyte: a second reads some ten of them

# Models: their own files, and those of others.
MODEL_BYTES = 8 * GIB  # all files of a folder together: ten members of a large encoder are 7
MODEL_LIST_BYTES = 8 * GIB  # that are hashed for a list of models: some seconds
MANIFEST_BYTES = MIB  # model.json
DESCRIPTION_BYTES = 256 * KIB  # a TOML file that describes a model: a prompt may be long
ARCHIVE_LIST_BYTES = 4 * MIB  # the list of entries of an archive: some forty thousand of them
COEFFICIENTS_FREE = 1 << 28  # sixty classes with the default settings, or one of 24 bits with sixteen members
COEFFICIENTS_PER_BYTE = 4  # that a file of weights may hold beyond those
SKOPS_UNPACKED_FREE, SKOPS_UNPACKED = 64 * MIB, GIB  # bytes that any skops file may unpack to, and the largest
SKOPS_UNPACKED_RATIO = 20  # times its size, between the two
SKOPS_SCHEMA_MEMORY = 5 * GIB // 4  # a vocabulary of some 350,000 words
VOCABULARY_BYTES = 48 * MIB  # of a transformers model: the largest known has 34
TRANSFORMERS_SETTINGS_BYTES, WEIGHTS_INDEX_BYTES = 4 * MIB, 16 * MIB
HUB_LIST_BYTES = 64 * MIB  # what the Hugging Face Hub says of a model
ANSWER_BYTES = 32 * MIB  # of an endpoint: larger than any list of scores
ANSWER_BYTES_PER_TEXT, ANSWERS_BYTES = 64 * KIB, 64 * MIB  # for each text; of all answers that come at a time

# Settings, by their names: the most that may be asked for, so that only a slip meets it.
MOST: Mapping[str, int] = {
    # drawn again and again
    "replicates": 1_000_000,
    "permutations": 1_000_000,
    "simulations": 1_000_000,
    "seeds": 10_000,
    # parts that items or people are sorted into
    "bins": 10_000,
    "strata": 10_000,
    "count": 10_000,
    "clusters": 10_000,
    # rows that are made or shown
    "items": 100_000_000_000,
    "rows": 100_000_000,
    "balance": 10_000_000,
    "examples": 10_000,
    "smallest_group": 1_000_000_000,
    # labels
    "pilot": 1_000_000_000,
    "pilots": 1_000_000_000,
    "pilot_totals": 1_000_000_000,
    "first": 1_000_000_000,
    "each": 1_000_000_000,
    "n": 100_000_000_000,
    "fewest_labels": 1_000_000_000,
    "annotators": 1_000_000,
    # training
    "epochs": 10_000,
    "rounds": 100_000,
    "members": 1_000,
    "samples": 10_000,
    "batch": 1_000_000,
    "length": 1_000_000,
    "reads": 1_000_000,
    "features": 1_000_000,
    "oversample_neighbours": 10_000,
    "seed": 2**63 - 1,
}


LONGEST: Mapping[str, int] = {"strategies": 100, "capacities": 1_000}  # lists, by their length
