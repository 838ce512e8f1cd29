"""The design at random."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.sampling.design import DrawnSoFar
from evenhand.sampling.simple_random import RandomDesign
from sampling.made import FRAME


def test_one_label_says_nothing() -> None:
    with pytest.raises(InputError) as raised:
        RandomDesign().draw(FRAME, DrawnSoFar(), 1, np.random.default_rng(8))
    assert str(raised.value) == "the number of labels must be a whole number from 2 up, not 1"
