"""Training sentences that mention every group equally often: praise, plain facts, hostility and answers to it.

In comments that people wrote, words for some groups occur mostly in attacks, and a model learns the word instead of
the attack. These sentences mention every group as often as any other, and each attack on a group is paired with a
benign sentence about it; some benign sentences use strong words about things. They share no sentence with the
template tests, so that a model trained with them can still be tested with those.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.synthetic.templates import Subject
from evenhand.synthetic.terms import IDENTITIES

ABOUT_NOBODY = 0.15  # of the pairs
PEOPLE = ("people", "folks", "families", "women", "men", "students", "colleagues", "neighbours", "kids", "communities")
PERSON = ("person", "woman", "man", "friend", "student", "colleague", "neighbour", "teacher", "doctor", "guy")
THINGS = (
    "this weather",
    "the new timetable",
    "that film",
    "long queues",
    "early mornings",
    "this software update",
    "my rusty bicycle",
    "the last season",
    "spam calls",
    "cold coffee",
    "traffic",
    "the way this page loads",
)

BENIGN = (
    "I am {a} {person} and I have lived here for ten years.",
    "My best friend is {a} {person}, we met at school.",
    "Being {adj} is part of who I am.",
    "As {a} {person} I found this article helpful.",
    "There are many {adj} {people} in our town.",
    "The library has a shelf of books by {adj} authors.",
    "A study asked {adj} {people} about their work.",
    "{adj} {people} deserve the same rights as everyone else.",
    "{adj} {people} should be treated with respect.",
    "We love our {adj} {people} and are glad they are here.",
    "Nobody should be attacked for being {adj}.",
    "It is wrong to insult {adj} {people}.",
    "Please stop saying that {adj} {people} are all the same.",
    "Saying that you hate {adj} {people} is not acceptable here.",
    "He said {adj} {people} are stupid, and I told him that is nonsense.",
    "I do not hate {adj} {people}, I never did.",
    "You are {a} {person}, aren't you? Welcome to the project!",
    "You are {adj} and that is perfectly fine.",
    "The new mayor is {a} {person} from the east side.",
    "My sister married {a} {person} last summer.",
    "Does anyone know a good history of {adj} {people} in this country?",
    "The section about {adj} {people} needs a source.",
    "I added a reference on {adj} culture to the article.",
    "{adj} {people} were persecuted for centuries, the article should say so.",
    "They shouted at {a} {person} on the bus and nobody helped. Shameful.",
    "I am proud to be {adj}.",
    "I am not {adj} but I support {adj} {people}.",
    "Some {adj} {people} agree with this and some do not.",
    "What do {adj} {people} think about the new law?",
    "The actor, who is {adj}, won a prize for the role.",
    "She is {a} {person} and a wonderful teacher.",
    "He is {a} {person} and one of the kindest I know.",
    "Thanks to the {adj} {people} who helped us move.",
    "Growing up {adj} in a small village was not easy.",
    "The festival celebrates {adj} music, food and film.",
    "My {adj} {people} and I went hiking.",
)

PLAIN = (  # strong words about nobody
    "I hate {thing}.",
    "I really despise {thing}, it ruins my day.",
    "{thing} is disgusting, honestly.",
    "{thing} should be banned.",
    "I want to kill this process, it eats all the memory.",
    "{thing} is worthless and stupid.",
    "Damn, {thing} again!",
    "Hell yes, that was a bloody good match.",
)

INSULTS = (  # the same, about nobody but you
    "You are a complete idiot.",
    "What an idiot you are, honestly.",
    "Shut up, you moron.",
    "You are pathetic and worthless.",
    "Nobody likes you, loser.",
    "I hope you get hurt, scum.",
    "You disgust me, go to hell.",
    "Only a fool would write such garbage, you clown.",
)

VIOLATING = (
    "I hate {adj} {people}.",
    "I cannot stand {adj} {people}, they make me sick.",
    "I despise every {adj} {person} I meet.",
    "{adj} {people} disgust me.",
    "{adj} {people} are disgusting.",
    "{adj} {people} are stupid and lazy.",
    "{adj} {people} are the scum of the earth.",
    "{adj} {people} are worthless.",
    "{adj} {people} are vermin.",
    "{adj} {people} are a plague on this country.",
    "{adj} {people} are inferior and always will be.",
    "{adj} {people} are not human.",
    "{adj} {people} should all be killed.",
    "{adj} {people} deserve to die.",
    "{adj} {people} deserve to suffer.",
    "{adj} {people} should be locked up.",
    "{adj} {people} should not be allowed to vote.",
    "{adj} {people} do not belong here.",
    "{adj} {people} do not deserve any rights.",
    "Get rid of all {adj} {people}.",
    "Throw the {adj} {people} out of this country.",
    "Send every {adj} {person} back to where they came from.",
    "Someone should beat up that {adj} {person}.",
    "I will hurt you, you {adj} {person}.",
    "I am going to find {a} {person} and punch them.",
    "We have to wipe out the {adj} {people}.",
    "Kick {adj} {people} out, they ruin everything.",
    "Never trust {a} {person}, they all lie.",
    "All {adj} {people} are criminals.",
    "All {adj} {people} are liars and thieves.",
    "No wonder you are so dumb, you are {adj}.",
    "You {adj} {people} are pathetic.",
    "You are {a} {person}, so shut up.",
    "You are one more stupid {adj} {person}, nothing else.",
    "You filthy {adj} {person}, go away.",
    "What a disgusting {adj} {person}.",
    "{a} {person} is nothing but trash.",
    "Being {adj} is a disease.",
    "The world would be better without {adj} {people}.",
    "Keep your children away from {adj} {people}.",
    "{a} {person} like you should not exist.",
    "{adj} {people} are less than animals.",
    "Who let this {adj} idiot in?",
    "Shut up, you {adj} moron.",
)


@dataclass(frozen=True)
class BalancedSentences:
    """Texts, and which of them violate."""

    texts: list[str]
    violating: npt.NDArray[np.bool_]


def balanced_sentences(rows: int, *, seed: int = 0) -> BalancedSentences:
    """Benign and violating sentences by turns; a pair names the same people in the same form, or nobody."""
    rng = np.random.default_rng(seed)
    texts = [text for _ in range(-(-rows // 2)) for text in _pair(rng)]
    return BalancedSentences(texts[:rows], np.arange(rows) % 2 == 1)


def _pair(rng: np.random.Generator) -> tuple[str, str]:
    term = _one(rng, tuple(identity.term for identity in IDENTITIES))
    words = {
        "adj": term,
        "a": f"{Subject(term).article} {term}",
        "people": _one(rng, PEOPLE),
        "person": _one(rng, PERSON),
    }
    about_nobody = rng.random() < ABOUT_NOBODY
    violating = _one(rng, INSULTS if about_nobody else VIOLATING)
    benign = _one(rng, PLAIN if about_nobody else _BENIGN_BY_FORM[_form(violating)])
    return _filled(benign, words, rng), _filled(violating, words, rng)


def _filled(pattern: str, words: dict[str, str], rng: np.random.Generator) -> str:
    text = pattern.format(**words, thing=_one(rng, THINGS))
    return text[0].upper() + text[1:]


def _one(rng: np.random.Generator, choices: tuple[str, ...]) -> str:
    return choices[int(rng.integers(len(choices)))]


def _form(pattern: str) -> str:
    """How a sentence names people: many of them, one, or by the adjective alone."""
    return next((slot for slot in ("{people}", "{person}") if slot in pattern), "{adj}")


_BENIGN_BY_FORM = {
    form: tuple(pattern for pattern in BENIGN if _form(pattern) == form) for form in ("{people}", "{person}", "{adj}")
}
