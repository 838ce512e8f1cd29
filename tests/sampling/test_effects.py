"""Effects that can be seen, and two periods compared."""

from __future__ import annotations

import pytest
from scipy import stats

from evenhand.errors import InputError
from evenhand.sampling import effects


def test_a_known_period_may_be_compared() -> None:
    found = effects.compare_estimates((0.1, 0.0), (0.2, 0.02))
    reach = stats.norm.ppf(0.975) * 0.02
    assert (found.difference, found.low, found.high) == pytest.approx((0.1, 0.1 - reach, 0.1 + reach))
    assert found.threshold == pytest.approx(reach)
    assert found.alarm
    for wrong, said in (
        (lambda: effects.size_for_effect(0.1, 0.0), "the effect must be a number above 0, not 0"),
        (lambda: effects.size_for_effect(0.0, 0.1), "the variance must be a number above 0, not 0"),
        (lambda: effects.detectable_effect(0.0), "the standard error must be a number above 0, not 0"),
        (lambda: effects.detectable_effect(0.1, rule=effects.Power(1.0)), "the power must be between 0 and 1, not 1"),
    ):
        with pytest.raises(InputError) as raised:
            wrong()
        assert str(raised.value) == said
