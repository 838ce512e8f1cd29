"""Clusters drawn whole."""

from __future__ import annotations

from evenhand.sampling.clusters import draw_clusters


def test_as_many_clusters_are_drawn_as_hold_the_labels() -> None:
    assert draw_clusters([1, 1, 2, 3], 2, seed=0).drawn == 2
