"""Text to probability and uncertainty: one protocol, a model that is always there, adapters for those people have."""
