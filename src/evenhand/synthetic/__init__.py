"""Data made up on the spot, with the truth known: for the demo, for tests, and for learning to read the numbers."""
