"""The command line. A command parses, opens, calls and prints; heavy imports happen inside it."""

from evenhand.cli.main import main

__all__ = ["main"]
