"""The card of any model that was audited, also one that was trained elsewhere.

What was measured is filled in, by group and with intervals. What only people know is left as prompts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evenhand.cards.card import NOT_FOR
from evenhand.cards.prompts import PROMPTS
from evenhand.errors import InputError, nearest
from evenhand.finding import Finding, Measured, Reading
from evenhand.reports.papers import sheets
from evenhand.reports.papers.markdown import escaped, markdown
from evenhand.reports.summary import Summary, summary
from evenhand.reports.words import word
from evenhand.version import __version__

FACTS = ("source", "sha256", "query", "rows", "evidence")
FACTORS = {"group": "Groups", "annotators": "Groups of annotators", "class": "Classes"}
OWN = ("model", "against", "as_if", "strategy", "capacity", "bins", "sets", "with")  # keys that are no factor
ASIDE = ("comparison",)  # about two runs, not about the model


def model_card(findings: Sequence[Finding], *, name: str, model: str | None = None) -> str:
    """A model card in Markdown; `model` says which one where several were audited."""
    about = [of_model(finding, model) for finding in findings if finding.audit not in ASIDE]
    if not about:
        raise InputError("there are no findings about a model")
    whole = summary(about)
    lines = [
        f"# Model card: {escaped(name)}",
        "",
        f"Made with Evenhand {__version__} from an audit. What was measured is filled in; what only people know is",
        "asked for in lines that start with *To fill in*. Replace or remove them before you publish.",
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
    return "\n".join(lines).rstrip() + "\n"


def of_model(finding: Finding, model: str | None) -> Finding:
    """What a finding says of one model, as if it had been the only one."""
    known = finding.values("model")
    if model is None and len(known) > 1:
        raise InputError(f"several models were audited ({', '.join(known)}): say which with --model")
    if model is not None and known and model not in known:
        raise InputError(f"the model '{model}' was not audited; {nearest(model, known)}")
    if not known:
        return finding
    chosen = known[0] if model is None else model

    def kept(slice_: Mapping[str, str]) -> bool:
        return slice_.get("model", chosen) == chosen and "against" not in slice_

    def bare(slice_: Mapping[str, str]) -> dict[str, str]:
        return {key: value for key, value in slice_.items() if key != "model"}

    estimates = tuple(Measured(m.measure, bare(m.slice), m.estimate) for m in finding if kept(m.slice))
    readings: tuple[Reading, ...] = tuple(replace(r, slice=bare(r.slice)) for r in finding.readings if kept(r.slice))
    return replace(finding, estimates=estimates, readings=readings, exhibits=(), examples=())


def _section(title: str, filled: Sequence[str]) -> Iterator[str]:
    yield from ("", f"## {title}")
    for line in filled:
        yield from ("", line)
    prompts = PROMPTS.get(title, ())
    if prompts:
        yield from ("", *(f"- *To fill in*: {prompt}" for prompt in prompts))


def _details(finding: Finding, model: str | None) -> list[str]:
    roles = finding.provenance.get("roles", {})
    columns = model or ", ".join(_shown(roles[key]) for key in ("score", "probabilities") if roles.get(key))
    return [f"Audited by what it said in the column: {escaped(columns)}."] if columns else []


def _factors(findings: Sequence[Finding]) -> list[str]:
    """Who and what the numbers are told apart by."""
    found: dict[str, list[str]] = {}
    for finding in findings:
        for m in finding:
            for key, value in m.slice.items():
                if key not in OWN and value not in found.setdefault(key, []):
                    found[key].append(value)
    return [f"{FACTORS.get(key, key.capitalize())}: {escaped(', '.join(values))}." for key, values in found.items()]


def _metrics(findings: Sequence[Finding]) -> list[str]:
    measures = dict.fromkeys(m.measure for finding in findings for m in finding)
    level = next((m.estimate.level for finding in findings for m in finding), 0.95)
    given = [f.provenance.get("thresholds", {}) for f in findings]
    thresholds = {f"{at:g}" for found in given for at in found.values() if at is not None}
    cut = f" Items are flagged from a score of {' or '.join(sorted(thresholds))} on." if thresholds else ""
    said = [f"- **{word(name).label}**: {escaped(word(name).meaning)}" for name in measures if word(name).meaning]
    return [f"Intervals are at {100 * level:.3g} %.{cut}", "\n".join(said)]


def _data(finding: Finding) -> list[str]:
    facts = {name: finding.provenance[name] for name in FACTS if finding.provenance.get(name) is not None}
    facts |= {k.replace("_", " "): v for k, v in finding.provenance.get("roles", {}).items() if v and k != "score"}
    return ["\n".join(["| | |", "|---|---|", *(f"| {k} | {escaped(_shown(v))} |" for k, v in facts.items())])]


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_shown(part)}" for key, part in value.items())
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _quantities(findings: Sequence[Finding], whole: Summary) -> Iterator[str]:
    """All findings: in a minute, then table by table."""
    yield from ("", "## Quantitative analyses", "", "### In one minute")
    for _, heading, points in whole.by_status():
        yield from ("", f"**{heading}**", "")
        yield from (f"- {escaped(f'{point.audit}: {point.found} {point.sure}'.strip())}" for point in points)
    for finding in findings:
        yield from ("", f"### {escaped(finding.question)}")
        for sheet in sheets([finding]):
            yield from ("", markdown(sheet).rstrip())


def _caveats(findings: Sequence[Finding], whole: Summary) -> list[str]:
    caveats = dict.fromkeys(caveat for finding in findings for caveat in finding.caveats)
    steps = [step for step, _ in whole.next()]
    said = ["\n".join(f"- {escaped(caveat)}" for caveat in caveats)] if caveats else []
    return [*said, *(["What to do next:", "\n".join(f"1. {escaped(step)}" for step in steps)] if steps else [])]
