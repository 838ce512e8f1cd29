"""What a card asks people for: things that no audit can measure."""

from __future__ import annotations

PROMPTS: dict[str, tuple[str, ...]] = {
    "Model details": (
        "who made it, and whom to write to about it",
        "version and date, and what changed since the last version",
        "what kind of model it is, and how it was trained",
        "licence, and how to cite it",
    ),
    "Intended use": (
        "which decisions it is meant to help with, on which platform, and for whom",
        "who decides in the end, and how somebody can object",
        "which uses were not thought of and should be asked about first",
    ),
    "Factors": (
        "which groups, languages or kinds of text matter where it is used, and were not looked at here",
        "how it was known who belongs to a group, and who may have been missed",
    ),
    "Metrics": ("which errors are worse where it is used: to remove what is fine, or to leave up what is not?",),
    "Evaluation data": (
        "how these items were chosen, and from what time",
        "who labelled them, by which rules, and how far they agree",
        "how they differ from what the model meets in use",
    ),
    "Training data": (
        "what it was trained on, where that came from, and with whose consent",
        "whether items of the evaluation are in it",
    ),
    "Ethical considerations": (
        "who could be harmed by a wrong decision, and what is done about it",
        "what protects the people who label and review",
        "what is kept of the texts, for how long, and who sees it",
    ),
    "Caveats and recommendations": ("when this card is looked at again, and by whom",),
}
