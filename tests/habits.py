"""Reference servers with a habit that no fault has: it is installed before the server makes the doors that its requests pass."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any
from unittest import mock

from lakepact.reference_server.app import services
from lakepact.reference_server.running import Server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.service import Service


@contextlib.contextmanager
def of_habit(habit: Install | None) -> Iterator[None]:
    """Servers that start meanwhile have a habit, from their first request on."""

    def formed(*wanted: Any, **settings: Any) -> tuple[Service, ...]:
        made = services(*wanted, **settings)
        for service in made if habit is not None else ():
            habit(service)
        return made

    with mock.patch.object(sys.modules[Server.__module__], "services", formed):
        yield
