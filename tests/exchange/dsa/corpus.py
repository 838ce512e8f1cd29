"""Generated tables of decisions, notices and appeals; every decision keeps the rules of a statement of reasons."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.exchange.dsa.codes import all_codes, report_categories

START = datetime.date(2026, 1, 1)
SPEECH = "STATEMENT_CATEGORY_ILLEGAL_OR_HARMFUL_SPEECH"


def jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    """The rows as a file."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def decisions(number: int, seed: int = 0) -> list[dict[str, Any]]:
    """So many decisions, with the fields of their statements."""
    rng = np.random.default_rng(seed)
    return [_decision(rng, place) for place in range(number)]


def _decision(rng: np.random.Generator, place: int) -> dict[str, Any]:
    def one(name: str) -> str:
        return str(rng.choice(sorted(all_codes()[name])))

    category = report_categories()[int(rng.integers(15))]
    illegal = bool(rng.random() < 0.5) and category.number != 15
    row: dict[str, Any] = {
        "puid": f"case-{place}",
        "category": category.code,
        "category_specification": [str(rng.choice(category.keywords))] if rng.random() < 0.7 else [],
        "content_type": [one("content_types")],
        "content_language": str(rng.choice(["EN", "DE", "FR", "UK"])),
        "content_date": str(START + datetime.timedelta(days=int(rng.integers(170)))),
        "application_date": str(START + datetime.timedelta(days=int(rng.integers(170, 185)))),
        "decision_facts": f"The item {place} breaks rule {int(rng.integers(9))}.",
        "source_type": one("sources"),
        "automated_detection": str(rng.choice(["Yes", "No"])),
        "automated_decision": one("automated_decisions"),
        "territorial_scope": ["DE", "FR"],
    }
    if illegal:
        row |= {
            "decision_ground": "DECISION_GROUND_ILLEGAL_CONTENT",
            "illegal_content_legal_ground": "Section 130",
            "illegal_content_explanation": "It incites hatred.",
        }
    else:
        row |= {
            "decision_ground": "DECISION_GROUND_INCOMPATIBLE_CONTENT",
            "incompatible_content_ground": "House rule 3",
            "incompatible_content_explanation": "It insults another user.",
            "incompatible_content_illegal": str(rng.choice(["Yes", "No"])),
        }
    row |= _restrictions(rng, one)
    if "CONTENT_TYPE_OTHER" in row["content_type"]:
        row["content_type_other"] = "a poll"
    if "KEYWORD_OTHER" in row["category_specification"]:
        row["category_specification_other"] = "something else"
    if row["source_type"] != "SOURCE_VOLUNTARY" and rng.random() < 0.5:
        row["source_identity"] = "a notifier"
    return row


def _restrictions(rng: np.random.Generator, one: Any) -> dict[str, Any]:
    row: dict[str, Any] = {}
    kinds = [kind for kind in ("visibility", "monetary", "provision", "account") if rng.random() < 0.4]
    for kind in kinds or ["visibility"]:
        row[f"decision_{kind}"] = [one(kind)] if kind == "visibility" else one(kind)
    if "DECISION_VISIBILITY_OTHER" in row.get("decision_visibility", []):
        row["decision_visibility_other"] = "shown to followers only"
    if row.get("decision_monetary") == "DECISION_MONETARY_OTHER":
        row["decision_monetary_other"] = "a fee"
    if row.get("decision_account") and rng.random() < 0.5:
        row["account_type"] = one("account_types")
    if rng.random() < 0.3 and "decision_visibility" in row:
        row["end_date_visibility_restriction"] = "2027-01-01"
    return row


def notices(number: int, seed: int = 0) -> list[dict[str, Any]]:
    """So many notices; some are not acted on."""
    rng = np.random.default_rng(seed)
    rows = []
    for place in range(number):
        category = report_categories()[int(rng.integers(14))]
        received = datetime.datetime(2026, 1, 1, 8) + datetime.timedelta(hours=int(rng.integers(4000)))
        action = str(rng.choice(["law", "terms", "none"]))
        acted = received + datetime.timedelta(minutes=int(rng.integers(10_000)))
        rows.append(
            {
                "notice_id": f"n{place}",
                "received_at": received.isoformat(),
                "category": category.code,
                "keyword": str(rng.choice(category.keywords)),
                "trusted_flagger": str(rng.choice(["yes", "no"])),
                "items": int(rng.integers(1, 4)),
                "acted_at": acted.isoformat() if action != "none" else "",
                "action": action,
                "automated": str(rng.choice(["yes", "no"])),
            }
        )
    return rows


def appeals(number: int, seed: int = 0) -> list[dict[str, Any]]:
    """So many appeals; some are undecided."""
    rng = np.random.default_rng(seed)
    subjects = ("visibility", "provision", "account", "monetary", "no_action", "no_action_trusted_flagger")
    rows = []
    for place in range(number):
        outcome = str(rng.choice(["upheld", "partially_reversed", "reversed", "omitted", ""]))
        rows.append(
            {
                "appeal_id": f"a{place}",
                "submitted_at": str(START + datetime.timedelta(days=int(rng.integers(170)))),
                "about": str(rng.choice(subjects)),
                "channel": str(rng.choice(["internal", "out_of_court"])),
                "outcome": outcome,
                "decided_at": "2026-06-25" if outcome else "",
                "new_restriction": str(rng.choice(["yes", "no"])),
                "implemented": str(rng.choice(["yes", "no"])),
            }
        )
    return rows


DESK_CODES = """[statement]
content_type = ["CONTENT_TYPE_TEXT"]
decision_facts = "A comment was checked against the rules of the forum."
decision_ground = "DECISION_GROUND_INCOMPATIBLE_CONTENT"

[otherwise]
category = "STATEMENT_CATEGORY_OTHER_VIOLATION_TC"
incompatible_content_ground = "Rules of the forum"
incompatible_content_explanation = "The comment breaks the rules of the forum."

[clauses.hate]
category = "STATEMENT_CATEGORY_ILLEGAL_OR_HARMFUL_SPEECH"
category_specification = ["KEYWORD_HATE_SPEECH"]
incompatible_content_ground = "Rule 3: hate speech"
incompatible_content_explanation = "Rule 3 forbids attacks on people for what they are."

[actions.remove]
decision_visibility = ["DECISION_VISIBILITY_CONTENT_REMOVED"]

[account_actions.suspend]
decision_account = "DECISION_ACCOUNT_SUSPENDED"

[account_actions.warn]
"""  # what the clauses and actions of a made-up forum are
