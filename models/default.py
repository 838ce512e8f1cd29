"""Trains the default model on public Wikipedia talk page comments, and writes it where the package ships it.

    EVENHAND_DATA=folder make model

The folder holds wikipedia_talk.parquet (id, text, label, split): the Wikipedia talk page comments that Jigsaw published
in 2018, label 1 where any of their six toxicity labels is.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from evenhand.cards import train
from evenhand.cards.training import CardNotes
from evenhand.classifiers.models import SHIPPED_FOLDER
from evenhand.cli.output import progress_bar

BALANCE = 6000

ABOUT = """A small linear model of comments that others would call toxic, so that Evenhand can score text from the first
minute. It is fast (tens of thousands of comments a second on two cores) and reads no more than two words in a row. It
is there to try things out, as a baseline, and to decide which comments people look at first."""

LIMITS = """- English, and comments on encyclopaedia talk pages. Elsewhere it ranks far worse: see the table above.
- Words that describe people were made neutral by a list of English words. A word missing from that list, or one that
  is an insult only in some contexts, is not; and an insult that consists of such a word alone is missed.
- It does not understand negation, quotation, irony or context: "nobody should call you that" reads like an insult.
- The labels are those of crowd workers around 2017. Whose judgement that is, the data does not say.
- A high model uncertainty means that the members disagree. They do so more on other languages and on noise, but only
  on average: a rude sentence in French may get a low score and a low uncertainty. It is no detector of language."""

LICENCE = """The weights are numbers in hashed buckets: neither texts nor a vocabulary can be read from them. They were
estimated from comments by Wikipedia contributors (CC BY-SA 3.0) with labels by Jigsaw (CC0), and from synthetic
sentences. You may use them under CC BY-SA 3.0, naming Wikipedia contributors and Jigsaw; the code is
Apache-2.0."""


def main() -> None:
    """Train, examine, save."""
    folder = os.environ.get("EVENHAND_DATA")
    if not folder:
        sys.exit("set EVENHAND_DATA to the folder that holds wikipedia_talk.parquet")
    with progress_bar() as progress:
        model = train(
            Path(folder) / "wikipedia_talk.parquet",
            SHIPPED_FOLDER / "default",
            text="text",
            label="label",
            called="toxic",
            where="split = 'train'",
            test_where="split = 'test'",
            balance=BALANCE,
            name="default",
            papers=CardNotes(about=ABOUT, limits=LIMITS, licence=LICENCE, more=_compared()),
            progress=progress,
        )
    print(f"{model.name} {model.version}")


def _compared() -> str:
    """The table of `make compared`, if there is one."""
    path = Path(__file__).with_name("COMPARED.md")
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    main()
