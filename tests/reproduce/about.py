"""What is said about the reproduction of a paper that nobody wrote."""

from __future__ import annotations

ABOUT = {
    "paper": "bias",
    "title": "A paper <b>",
    "citation": "Somebody 2019",
    "command": "evenhand reproduce bias --data DATA",
    "seconds": 3.2,
    "made": "2024-01-01",
    "versions": {"evenhand": "0", "python": "3"},
}
