"""Model cards: of a model trained here, examined on unseen items and saved, and of any audited model."""

from evenhand.cards.audit_card import model_card, save_model_card
from evenhand.cards.training import CardNotes, train

__all__ = ["CardNotes", "model_card", "save_model_card", "train"]
