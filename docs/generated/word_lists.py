"""The page of the word lists, from the files themselves."""

from __future__ import annotations

from docs.generated.words import cell, table

from evenhand.evidence.word_lists import LANGUAGES, WordList, word_list

HEAD = """# Word lists

The words by which [`--terms default`](../terms.md) finds mentions of groups. A word with another meaning stands in the
last column, with that meaning; `strict` leaves it out. Words with accents are also found without them.
"""


def page() -> str:
    """One table for each language."""
    return "\n".join([HEAD, *(_language(word_list(language)) for language in LANGUAGES)])


def _language(words: WordList) -> str:
    rows = ((group, _plain(own), _ambiguous(own)) for group, own in words.groups.items())
    return f"## {words.name} (`default:{words.language}`)\n\n{table(('group', 'words', 'with other meanings'), rows)}"


def _plain(words: dict[str, str]) -> str:
    return cell(", ".join(word for word, meaning in words.items() if not meaning))


def _ambiguous(words: dict[str, str]) -> str:
    by_meaning: dict[str, list[str]] = {}
    for word, meaning in words.items():
        if meaning:
            by_meaning.setdefault(meaning, []).append(word)
    return cell("; ".join(f"{', '.join(own)} ({meaning.replace(';', ',')})" for meaning, own in by_meaning.items()))
