"""Measuring with people: a plan made on a file, batches for annotators, and what their labels show."""
