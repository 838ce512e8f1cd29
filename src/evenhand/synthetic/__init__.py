"""Synthetic data whose truth is known: for the demo, for tests, and for learning to read the numbers."""
