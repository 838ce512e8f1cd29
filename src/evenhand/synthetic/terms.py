"""Words that describe people: the groups of template tests, and words that alone should not change a score.

Descriptions of people, never insults. English, far from complete, and in no order of importance.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Identity:
    """An adjective for people, what it is about, and the other words that say the same."""

    term: str
    about: str
    others: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """All spellings, in lower case."""
        return (self.term, *self.others)


def _about(about: str, *entries: str) -> tuple[Identity, ...]:
    parts = [entry.split("/") for entry in entries]
    return tuple(Identity(first, about, tuple(others)) for first, *others in parts)


IDENTITIES: tuple[Identity, ...] = (
    *_about(
        "gender",
        "female/woman/women/girl/girls/females",
        "male/man/men/boy/boys/males",
        "transgender/trans",
        "nonbinary/non-binary",
        "intersex",
        "cisgender/cis",
    ),
    *_about(
        "sexuality",
        "gay/gays",
        "lesbian/lesbians",
        "bisexual/bisexuals/bi",
        "queer",
        "homosexual/homosexuals/homosexuality",
        "heterosexual/heterosexuals",
        "straight",
        "asexual",
        "lgbt/lgbtq/lgbtqia",
    ),
    *_about(
        "ethnicity",
        "black/blacks",
        "white/whites",
        "asian/asians",
        "african/africans",
        "african american/african-american/african americans",
        "latino/latina/latinx/latinos/latinas",
        "hispanic/hispanics",
        "arab/arabs/arabic",
        "indigenous/aboriginal/native american",
        "roma/romani",
        "middle eastern",
        "european/europeans",
        "caucasian/caucasians",
        "mixed-race/biracial",
    ),
    *_about(
        "origin",
        "mexican/mexicans",
        "chinese",
        "japanese",
        "korean/koreans",
        "indian/indians",
        "pakistani/pakistanis",
        "turkish/turks",
        "polish/poles",
        "russian/russians",
        "german/germans",
        "french",
        "italian/italians",
        "irish",
        "nigerian/nigerians",
        "american/americans",
        "canadian/canadians",
        "iranian/iranians/persian",
        "israeli/israelis",
        "palestinian/palestinians",
        "foreign/foreigner/foreigners/immigrant/immigrants/migrant/migrants/refugee/refugees",
    ),
    *_about(
        "religion",
        "christian/christians/christianity",
        "catholic/catholics",
        "protestant/protestants",
        "muslim/muslims/islamic/islam",
        "jewish/jew/jews/judaism",
        "hindu/hindus/hinduism",
        "buddhist/buddhists/buddhism",
        "sikh/sikhs/sikhism",
        "taoist/taoists",
        "mormon/mormons",
        "atheist/atheists/atheism",
    ),
    *_about(
        "disability",
        "disabled",
        "blind",
        "deaf",
        "paralyzed/paralysed",
        "autistic/autism",
        "dyslexic",
    ),
    *_about(
        "age",
        "old/older",
        "young/younger",
        "elderly",
        "teenage/teenager/teenagers",
        "middle-aged/middle aged",
        "retired/pensioner/pensioners",
    ),
)

PEOPLE: tuple[str, ...] = (  # words for people, whoever they are
    "adult",
    "adults",
    "child",
    "children",
    "community",
    "communities",
    "couple",
    "couples",
    "family",
    "families",
    "folk",
    "folks",
    "gentleman",
    "gentlemen",
    "guy",
    "guys",
    "human",
    "humans",
    "kid",
    "kids",
    "ladies",
    "lady",
    "neighbor",
    "neighbors",
    "neighbour",
    "neighbours",
    "people",
    "peoples",
    "person",
    "persons",
)
