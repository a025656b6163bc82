"""A cache of temporary keys, which are vended again while they are valid for long enough."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from lakepact.reference_server.warehouse.vended_credentials.token_services import (
    TemporaryKeys,
    TokenService,
)

MOST = 10_000  #: keys that are remembered


class _For(NamedTuple):
    location: str
    name: str
    seconds: int
    is_writable: bool


class Remembered:
    """A token service that is asked again only when less than half of the time is left, so that
    later keys never end before earlier ones.

    Args:
        service: who is asked.
        most: how many keys are remembered; those that were not asked for the longest are forgotten
            first.
        clock: seconds since 1970.
    """

    def __init__(
        self, service: TokenService, *, most: int = MOST, clock: Callable[[], float] = time.time
    ) -> None:
        self._service = service
        self._most = most
        self._clock = clock
        self._kept: OrderedDict[_For, TemporaryKeys] = OrderedDict()
        self._lock = threading.Lock()

    def keys(
        self, location: str, *, name: str, seconds: int, is_writable: bool = False
    ) -> TemporaryKeys:
        """Keys to what lies below `location`, and nothing else."""
        key = _For(location, name, seconds, is_writable)
        with self._lock:
            entry = self._kept.get(key)
            if entry is not None:
                self._kept.move_to_end(key)
        if entry is not None and entry.expires / 1000 - self._clock() > seconds / 2:
            return entry
        keys = self._service.keys(location, name=name, seconds=seconds, is_writable=is_writable)
        with self._lock:
            self._kept[key] = keys
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return keys
