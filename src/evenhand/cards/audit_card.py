"""The card of any audited model, also one that was trained elsewhere.

Measurements are filled in, by group and with intervals. What no audit can measure is left as prompts for people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from evenhand.cards.hub_metadata import hub_metadata
from evenhand.cards.training_card import NOT_FOR
from evenhand.catalogue import find_measure
from evenhand.comparison.runs import NAME as COMPARISON
from evenhand.errors import InputError, nearest
from evenhand.files import write_text
from evenhand.finding import Finding, Measured, Slice, SliceKey
from evenhand.reports.audit_table import summarise
from evenhand.reports.paper_formats import escape_markdown, markdown_table
from evenhand.reports.paper_tables import paper_tables
from evenhand.reports.summary import ReportSummary
from evenhand.version import __version__

CARD_PROMPTS: dict[str, tuple[str, ...]] = {
    "Model details": (
        "developer and contact",
        "version, date, and changes since the previous version",
        "type of model, and how it was trained",
        "licence and citation",
    ),
    "Intended use": (
        "decisions it supports, platforms, and users",
        "who makes the final decision, and how users can appeal",
        "out-of-scope uses, and whom to ask about other uses",
    ),
    "Factors": (
        "groups, languages or types of text that are relevant in use but not evaluated here",
        "how group membership was determined, and who may be missing",
    ),
    "Metrics": ("which errors are more harmful in use: wrong removals or missed violations",),
    "Evaluation data": (
        "how the items were sampled, and from which period",
        "who labelled them, by which policy, and with what agreement",
        "how they differ from the data in production",
    ),
    "Training data": (
        "training data, their source, and consent",
        "whether they overlap with the evaluation data",
    ),
    "Ethical considerations": (
        "who could be harmed by wrong decisions, and how this is mitigated",
        "how annotators and reviewers are protected",
        "which texts are stored, for how long, and who has access",
    ),
    "Caveats and recommendations": ("when this card will be reviewed, and by whom",),
}


SETTING = re.compile(r"\\`(\w+)\\`")  # in backticks that were escaped
DATA_FACTS = ("source", "sha256", "query", "rows", "evidence")
FACTORS: dict[str, str] = {
    SliceKey.GROUP: "Groups",
    SliceKey.ANNOTATORS: "Groups of annotators",
    SliceKey.CLASS: "Classes",
}  # what keys are called
NOT_FACTORS = (
    *(SliceKey.MODEL, SliceKey.AGAINST, SliceKey.AS_IF, SliceKey.STRATEGY),
    *(SliceKey.CAPACITY, SliceKey.BINS, SliceKey.SETS, SliceKey.WITH),
)  # keys that are no factor
NOT_ABOUT_ONE_MODEL = (COMPARISON,)  # about two runs, not about the model


def model_card(findings: Sequence[Finding], *, name: str, model: str | None = None, hub: bool = False) -> str:
    """A model card in Markdown; `model` says which one where several were audited, `hub` adds metadata for the Hub."""
    about = [restrict_to_model(finding, model) for finding in findings if finding.audit not in NOT_ABOUT_ONE_MODEL]
    if not about:
        raise InputError("no findings about a model")
    whole = summarise(about)
    lines = [
        f"# Model card: {escape_markdown(name)}",
        "",
        f"Created with Evenhand {__version__} from an audit. Measured results are filled in; complete or remove the",
        "lines that start with *To fill in* before publishing.",
        *_section("Model details", _details(about[0], model)),
        *_section("Intended use", [f"**Not for**: {NOT_FOR}"]),
        *_section("Factors", _factors(about)),
        *_section("Metrics", _metrics(about)),
        *_section("Evaluation data", _data(about[0])),
        *_section("Training data", []),
        *_quantities(about, whole),
        *_section("Ethical considerations", []),
        *_section("Caveats and recommendations", _caveats(about, whole)),
    ]
    metadata = hub_metadata(about, name=name) if hub else ""
    return metadata + "\n".join(lines).rstrip() + "\n"


def save_model_card(
    findings: Sequence[Finding],
    out: Path,
    *,
    name: str | None = None,
    model: str | None = None,
    force: bool = False,
    hub: bool = False,
) -> None:
    """The card as a file; one that is there may be filled in by somebody, and is only replaced if that is asked for."""
    if out.exists() and not force:
        raise InputError("the card already exists and may have been edited: set `force` to replace it", source=str(out))
    roles = findings[0].provenance.get("roles", {}) if findings else {}
    called = name or model or ", ".join(roles.get("score") or ()) or "the model"
    write_text(out, model_card(findings, name=called, model=model, hub=hub))


def restrict_to_model(finding: Finding, model: str | None) -> Finding:
    """What a finding says of one model, as if it had been the only one."""
    known = finding.values(SliceKey.MODEL)
    if model is None and len(known) > 1:
        raise InputError(f"several models were audited: choose one with `model` ({', '.join(known)})")
    if model is not None and known and model not in known:
        raise InputError(f"the model '{model}' was not audited; {nearest(model, known)}")
    if not known:
        return finding
    chosen = known[0] if model is None else model

    def kept(slice_: Slice) -> bool:
        return slice_.get(SliceKey.MODEL, chosen) == chosen and SliceKey.AGAINST not in slice_

    def bare(slice_: Slice) -> Slice:
        return {key: value for key, value in slice_.items() if key != SliceKey.MODEL}

    return replace(
        finding,
        estimates=tuple(Measured(m.measure, bare(m.slice), m.estimate) for m in finding if kept(m.slice)),
        readings=tuple(replace(r, slice=bare(r.slice)) for r in finding.readings if kept(r.slice)),
        verdicts=tuple(replace(v, slice=bare(v.slice)) for v in finding.verdicts if kept(v.slice)),
        exhibits=tuple(replace(e, slice=bare(e.slice)) for e in finding.exhibits if kept(e.slice)),
        examples=(),
    )


def _section(title: str, filled: Sequence[str]) -> Iterator[str]:
    yield from ("", f"## {title}")
    for line in filled:
        yield from ("", line)
    prompts = CARD_PROMPTS.get(title, ())
    if prompts:
        yield from ("", *(f"- *To fill in*: {prompt}" for prompt in prompts))


def _details(finding: Finding, model: str | None) -> list[str]:
    roles = finding.provenance.get("roles", {})
    columns = model or ", ".join(_shown(roles[key]) for key in ("score", "probabilities") if roles.get(key))
    return [f"Audited scores: column {escape_markdown(columns)}."] if columns else []


def _factors(findings: Sequence[Finding]) -> list[str]:
    """The groups, classes and slices of the results."""
    values_by_key: dict[str, list[str]] = {}
    for finding in findings:
        for m in finding:
            for key, value in m.slice.items():
                if key not in NOT_FACTORS and value not in values_by_key.setdefault(key, []):
                    values_by_key[key].append(value)
    return [
        f"{FACTORS.get(key) or escape_markdown(key.capitalize())}: {escape_markdown(', '.join(values))}."
        for key, values in values_by_key.items()
    ]


def _metrics(findings: Sequence[Finding]) -> list[str]:
    measures = dict.fromkeys(m.measure for finding in findings for m in finding)
    level = next((m.estimate.level for finding in findings for m in finding), 0.95)
    threshold_tables = [f.provenance.get("thresholds", {}) for f in findings]
    thresholds = {f"{at:g}" for table in threshold_tables for at in table.values() if at is not None}
    cut = f" Items with a score of {' or '.join(sorted(thresholds))} or higher are flagged." if thresholds else ""
    lines = [
        f"- **{escape_markdown(find_measure(name).title)}**: {escape_markdown(find_measure(name).explanation)}"
        for name in measures
        if find_measure(name).explanation
    ]
    return [f"{100 * level:.3g} % confidence intervals.{cut}", "\n".join(lines)]


def _data(finding: Finding) -> list[str]:
    facts = {name: finding.provenance[name] for name in DATA_FACTS if finding.provenance.get(name) is not None}
    facts |= {k.replace("_", " "): v for k, v in finding.provenance.get("roles", {}).items() if v and k != "score"}
    rows = (f"| {escape_markdown(name)} | {escape_markdown(_shown(value))} |" for name, value in facts.items())
    return ["\n".join(["| | |", "|---|---|", *rows])]


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_shown(part)}" for key, part in value.items())
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _quantities(findings: Sequence[Finding], whole: ReportSummary) -> Iterator[str]:
    """All findings: the summary, then every table."""
    yield from ("", "## Quantitative analyses", "", "### Summary")
    for _, heading, verdicts in whole.by_status():
        yield from ("", f"**{heading}**", "")
        lines = (f"{audit}: {verdict.statement} {verdict.certainty}".strip() for audit, verdict in verdicts)
        yield from (f"- {_prose(line)}" for line in lines)
    for finding in findings:
        yield from ("", f"### {escape_markdown(finding.question)}")
        for sheet in paper_tables([finding]):
            yield from ("", markdown_table(sheet).rstrip())


def _caveats(findings: Sequence[Finding], whole: ReportSummary) -> list[str]:
    caveats = dict.fromkeys(caveat for finding in findings for caveat in finding.caveats)
    steps = [action for action, _ in whole.actions()]
    listed = ["\n".join(f"- {_prose(caveat)}" for caveat in caveats)] if caveats else []
    return [*listed, *(["Next steps:", "\n".join(f"1. {_prose(step)}" for step in steps)] if steps else [])]


def _prose(text: str) -> str:
    """Escaped, except for the names of settings."""
    return SETTING.sub(r"`\1`", escape_markdown(text))
