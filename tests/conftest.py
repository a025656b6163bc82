"""Settings of all tests."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings

signal.signal(
    signal.SIGINT, signal.default_int_handler
)  # a shell that starts the tests in the background ignores it

settings.register_profile(
    "day", deadline=None, max_examples=40
)  # no deadlines: machines can be busy
settings.register_profile("night", deadline=None, max_examples=500)
settings.load_profile("day")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest tests first, so that no worker is alone with them at the end."""
    items.sort(
        key=lambda item: (
            item.path.name not in {"test_reference_server.py", "test_standalone_server.py"}
        )
    )
