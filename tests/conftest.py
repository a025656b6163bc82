"""Settings of all tests."""

from __future__ import annotations

import signal

from hypothesis import settings

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts the tests in the background ignores it

settings.register_profile("lakepact", deadline=None)  # no deadlines: machines can be busy
settings.load_profile("lakepact")
