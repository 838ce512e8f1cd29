"""A model that comes with its papers: trained, examined on items it has not seen, and saved with what was found."""

from evenhand.cards.training import train

__all__ = ["train"]
