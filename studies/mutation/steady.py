"""A plugin for pytest: Hypothesis tries the same examples each time, keeps none, and does not mind a busy machine."""

from __future__ import annotations

try:
    from hypothesis import HealthCheck, settings
except ImportError:
    pass
else:
    slow = [HealthCheck.too_slow]
    settings.register_profile("steady", database=None, derandomize=True, deadline=None, suppress_health_check=slow)
    settings.load_profile("steady")
