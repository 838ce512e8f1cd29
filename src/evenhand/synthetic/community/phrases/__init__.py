"""The phrasebooks, by language. Every sentence was written for Evenhand."""

from evenhand.synthetic.community.phrasebook import Phrasebook
from evenhand.synthetic.community.phrases.english import ENGLISH
from evenhand.synthetic.community.phrases.french import FRENCH
from evenhand.synthetic.community.phrases.german import GERMAN
from evenhand.synthetic.community.phrases.italian import ITALIAN
from evenhand.synthetic.community.phrases.portuguese import PORTUGUESE
from evenhand.synthetic.community.phrases.spanish import SPANISH

PHRASEBOOKS: dict[str, Phrasebook] = {
    "en": ENGLISH,
    "es": SPANISH,
    "de": GERMAN,
    "fr": FRENCH,
    "it": ITALIAN,
    "pt": PORTUGUESE,
}

__all__ = ["PHRASEBOOKS"]
