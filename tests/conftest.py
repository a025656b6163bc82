"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("lakepact", deadline=None)  # no deadlines: machines can be busy
settings.load_profile("lakepact")
