"""Groups by words in the text: from a file of the user, from the word lists of the package, or from both.

`default:de` is the German list, `default:en,de` both, `strict:de` the list without ambiguous words, and
`default:de+own.txt` adds the words of a file. A word that ends in ? is ambiguous: it counts, and is counted apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from evenhand.errors import InputError
from evenhand.evidence.word_lists import AMBIGUOUS_MARK, FIRST_LANGUAGE, listed_terms
from evenhand.files import text_of
from evenhand.formatting import format_share

TERM, BY_AMBIGUOUS = "\0term:", "\0ambiguous:"  # columns of a table, by names that no file can hold
LIST_NAME = re.compile(r"(?P<kind>default|strict)(?::(?P<languages>[\w,]*))?(?:\+(?P<more>.+))?", re.DOTALL)
OTHER_SUFFIXES = {".json", ".jsonl", ".toml", ".xlsx", ".parquet", ".arrow"}  # which would be read as words
LINES = "per line a word or 'name: word, word'"
REMOVED_MARK = "-"  # in front of a word that an extension takes out of a list
MOST_NAMED = 4
MOST_IN_PATTERN = 20_000  # characters; a pattern of many more is refused
BORDER = "\x01"


class ListedTerms(dict[str, tuple[str, ...]]):
    """Groups of a word list of the package: those that no text mentions are left out."""


def normalised_terms(value: object) -> dict[str, tuple[str, ...]]:
    """Groups by words: a list of words, names with their words, the file that holds them, or a word list."""
    if isinstance(value, Path) or (isinstance(value, str) and _is_read(value)):
        value = read_terms(value)
    listed = (value,) if isinstance(value, str) else value
    if not isinstance(listed, Iterable):
        raise InputError(f"terms must be words, or names with their words, not {value!r}")
    named = listed if isinstance(listed, Mapping) else {str(word).removesuffix("?"): word for word in listed}
    terms = {
        str(name): (words,) if isinstance(words, str) else tuple(words) if isinstance(words, Iterable) else ()
        for name, words in named.items()
    }
    for name, words in terms.items():
        if not words or not all(isinstance(word, str) and word.strip(" ?") for word in words):
            raise InputError(f"the group '{name}' has no words")
    kind = ListedTerms if isinstance(value, ListedTerms) else dict
    return kind({name: tuple(word.strip().lower() for word in words) for name, words in terms.items()})


def _is_read(text: str) -> bool:
    """Whether this names a file or a list rather than a word: by its ending .txt, or because such a file is there."""
    named = text.endswith(".txt") or (bool(Path(text).suffix) and Path(text).is_file())
    return named or LIST_NAME.fullmatch(text) is not None


def read_terms(given: str | Path, beside: Path | None = None) -> dict[str, tuple[str, ...]]:
    """The groups of a text file or of a word list; paths are relative to the folder `beside`."""
    folder = beside or Path()
    named = LIST_NAME.fullmatch(str(given))
    if named is None or (folder / given).is_file():
        return _read_file(folder / given)
    languages = (named["languages"] or FIRST_LANGUAGE).split(",")
    terms = listed_terms(tuple(dict.fromkeys(filter(None, languages))), strict=named["kind"] == "strict")
    if not terms:
        raise InputError(f"'{given}' names no language: write, for example, default:en,de")
    more = folder / named["more"] if named["more"] else None
    return ListedTerms(terms if more is None else _extended(terms, _read_file(more), more))


def _read_file(path: Path) -> dict[str, tuple[str, ...]]:
    """One group per line, "word" or "name: word, word"; # starts a comment."""
    if path.suffix.lower() in OTHER_SUFFIXES:
        raise InputError(f"a {path.suffix} file is not a list of words: `terms` takes text, {LINES}", source=str(path))
    if not path.exists():
        problem = f"there is no such file: `terms` takes a text file, {LINES}; or a word list, such as default:de"
        raise InputError(problem, source=str(path))
    lines = text_of(path, lambda error: f"the terms cannot be read: {error}").splitlines()
    terms: dict[str, tuple[str, ...]] = {}
    for row, line in enumerate(lines, start=1):
        text = line.split("#", 1)[0].strip()
        if not text:
            continue
        name, _, words = text.partition(":")
        own_words = tuple(word.strip() for word in (words or name).split(",") if word.strip())
        name = name.strip() if words else name.strip().removesuffix(AMBIGUOUS_MARK)
        if not own_words or name in terms:
            problem = "this group is there already" if own_words else "this group has no words"
            raise InputError(problem, source=str(path), row=row)
        terms[name] = own_words
    if not terms:
        raise InputError("the file holds no terms", source=str(path))
    return terms


def _extended(
    terms: Mapping[str, tuple[str, ...]], more: Mapping[str, tuple[str, ...]], path: Path
) -> dict[str, tuple[str, ...]]:
    """A list with the words of a file added, and those with a minus in front taken out; a group by `name: -` too."""
    groups = {name: dict.fromkeys(words) for name, words in terms.items()}
    for name, words in more.items():
        if words == (REMOVED_MARK,):
            if groups.pop(name, None) is None:
                raise InputError(f"the word list has no group '{name}' to leave out", source=str(path))
            continue
        own = groups.setdefault(name, {})
        for word in words:
            _change(own, word.lower(), name, path)
    return {name: tuple(words) for name, words in groups.items() if words}


def _change(words: dict[str, None], word: str, group: str, path: Path) -> None:
    plain = word.removeprefix(REMOVED_MARK).strip().removesuffix(AMBIGUOUS_MARK)
    known = [form for form in (plain, plain + AMBIGUOUS_MARK) if form in words]
    if word.startswith(REMOVED_MARK) and not known:
        raise InputError(f"the group '{group}' has no word '{plain}' to leave out", source=str(path))
    for form in known:
        del words[form]
    if not word.startswith(REMOVED_MARK):
        words[word] = None


def whole_word_pattern(words: Sequence[str]) -> str:
    """A pattern that finds any of the words in a lower-cased text, standing by itself."""
    plain = (word.removesuffix(AMBIGUOUS_MARK) for word in words)
    return rf"(?:^|\W)(?:{'|'.join(re.escape(word) for word in plain)})(?:\W|$)"


def mentions_expression(text: pl.Expr, terms: Mapping[str, tuple[str, ...]]) -> pl.Expr:
    """A struct: for each group whether a text mentions it, and whether it does so by ambiguous words alone."""
    names = [TERM + name for name in terms] + [BY_AMBIGUOUS + name for name in _with_ambiguous(terms)]
    kinds = pl.Struct(dict.fromkeys(names, pl.Boolean))
    return text.map_batches(lambda texts: _mentions(texts, terms), return_dtype=kinds, is_elementwise=True)


def _with_ambiguous(terms: Mapping[str, tuple[str, ...]]) -> list[str]:
    return [name for name, words in terms.items() if len(certain_words(words)) < len(words)]


def _mentions(texts: pl.Series, terms: Mapping[str, tuple[str, ...]]) -> pl.Series:
    """Most texts mention nobody: patterns of all words find the others, and only in these words are told apart."""
    lower = texts.str.to_lowercase()
    words = tuple(dict.fromkeys(word.removesuffix(AMBIGUOUS_MARK) for own in terms.values() for word in own))
    candidate = pl.repeat(False, len(texts), eager=True)
    for some in _in_batches(words):
        candidate |= lower.str.contains(whole_word_pattern(some)).fill_null(False)
    places, unknown = candidate.arg_true(), texts.is_null().arg_true()
    hits = _words_found(lower.gather(places), places, words)

    def mask(own: Sequence[str]) -> pl.Series:
        rows = hits.filter(pl.col("word").is_in([word.removesuffix(AMBIGUOUS_MARK) for word in own]))["row"]
        return pl.repeat(False, len(texts), eager=True).scatter(rows, True).scatter(unknown, None)

    columns = {TERM + name: mask(own) for name, own in terms.items()}
    for name in _with_ambiguous(terms):
        columns[BY_AMBIGUOUS + name] = columns[TERM + name] & ~mask(certain_words(terms[name]))
    return pl.DataFrame(columns).to_struct()


def _in_batches(words: Sequence[str]) -> Iterator[list[str]]:
    """As many words at a time as one pattern may hold."""
    batch, size = list[str](), 0
    for word in words:
        if batch and size + len(word) > MOST_IN_PATTERN:
            yield batch
            batch, size = [], 0
        batch.append(word)
        size += len(word)
    if batch:
        yield batch


def _words_found(lower: pl.Series, rows: pl.Series, words: Sequence[str]) -> pl.DataFrame:
    """The row and the word of each whole word, also of those within another: every border of a word is marked."""
    borders = BORDER + lower.str.replace_all(r"\W", f"{BORDER}$0{BORDER}") + BORDER
    marked = BORDER + pl.Series(words).str.replace_all(r"\W", f"{BORDER}$0{BORDER}") + BORDER
    hits = borders.str.extract_many(marked.to_list(), overlapping=True)
    pairs = pl.DataFrame({"row": rows, "marked": hits}).explode("marked").drop_nulls().unique()
    return pairs.join(pl.DataFrame({"marked": marked, "word": words}), on="marked")


def certain_words(words: Sequence[str]) -> tuple[str, ...]:
    """Those that have no other meaning."""
    return tuple(word for word in words if not word.endswith(AMBIGUOUS_MARK))


def term_notes(table: pl.DataFrame, terms: Mapping[str, tuple[str, ...]], count: str) -> Iterator[str]:
    """`mention_notes` of a table with the columns of `term_expressions`, and perhaps with a count."""

    def number(column: str) -> int:
        inside = table[column]
        return int(((inside * table[count]) if count in table.columns else inside).sum())

    mentions = {name: number(TERM + name) for name in terms}
    unsure = {name: number(BY_AMBIGUOUS + name) for name in terms if BY_AMBIGUOUS + name in table.columns}
    yield from mention_notes(terms, mentions, unsure)


def mention_notes(
    terms: Mapping[str, tuple[str, ...]], mentions: Mapping[str, int], unsure: Mapping[str, int]
) -> Iterator[str]:
    """How many mentions rest on ambiguous words alone, and which groups of a word list no text mentions."""
    if sum(unsure.values()):
        yield _ambiguity_note(mentions, unsure)
    absent = [name for name, number in mentions.items() if not number]
    if absent and isinstance(terms, ListedTerms):
        yield f"Groups of the word list that no text here mentions, which are left out: {', '.join(absent)}."


def _ambiguity_note(mentions: Mapping[str, int], unsure: Mapping[str, int]) -> str:
    """The share of all mentions, and the groups that it concerns most."""
    whole, part = sum(mentions.values()), sum(unsure.values())
    shares = {name: number / mentions[name] for name, number in unsure.items() if number}
    order = sorted(shares, key=lambda name: (-shares[name], name))
    named = [f"{name} ({format_share(shares[name])} of {mentions[name]:,})" for name in order[:MOST_NAMED]]
    others = f" and {len(order) - MOST_NAMED} other groups" if len(order) > MOST_NAMED else ""
    return (
        f"{part:,} of {whole:,} mentions of groups ({format_share(part / whole)}) rest on words with other meanings, "
        f"such as colours or names, and may be about something else; the largest shares: {', '.join(named)}{others}. "
        "Repeat the audit without these words (`terms` strict) to see whether the results hold."
    )
