"""A plugin for pytest: Hypothesis tries the same examples each time, and keeps none."""

from __future__ import annotations

try:
    from hypothesis import settings
except ImportError:
    pass
else:
    settings.register_profile("steady", database=None, derandomize=True, deadline=None)
    settings.load_profile("steady")
