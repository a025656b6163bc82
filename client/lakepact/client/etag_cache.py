"""Decoded replies that are kept with their ETags, so that what has not changed is neither sent nor
parsed again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from lakepact.generated.contract import Call
    from lakepact.reach.wire import Reply

T = TypeVar("T")

#: Bytes of memory that a catalog keeps replies in if its user says nothing else.
CACHE_BYTES = 64 * 1024 * 1024
#: Bytes of memory that a decoded reply takes for each byte of its body, once every item is read.
WEIGHT = 8


@dataclass(frozen=True, slots=True)
class Known:
    """A decoded reply, and the tag that its server gave it."""

    etag: str
    body: Any = field(repr=False)
    #: Bytes of memory that it takes, about.
    size: int


class EtagCache:
    """The decoded replies that were used last, as many as fit.

    Args:
        most: Bytes of memory for them, about; 0 keeps nothing.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes = 0
        self._known: OrderedDict[tuple[str, object, object], Known] = OrderedDict()
        self._lock = threading.Lock()

    def lookup(self, call: Call[Any]) -> Known | None:
        """Return the last reply to such a call."""
        key = call.path, call.query, call.headers
        with self._lock:
            entry = self._known.get(key)
            if entry is not None:
                self._known.move_to_end(key)
            return entry

    def keep(self, call: Call[T], reply: Reply, body: T) -> None:
        """Keep the decoded reply to a call if it has a tag, in the place of the one before; for it,
        others may have to go.
        """
        etag, size = reply.header("ETag"), WEIGHT * len(reply.content)
        key = call.path, call.query, call.headers
        with self._lock:
            self._drop(key)
            if not etag or size > self._most:
                return
            self._known[key] = Known(etag, body, size)
            self._bytes += size
            while self._bytes > self._most:
                self._drop(next(iter(self._known)))

    def forget(self, path: str) -> None:
        """Forget what was replied at a path."""
        with self._lock:
            for key in [key for key in self._known if key[0] == path]:
                self._drop(key)

    def _drop(self, key: tuple[str, object, object]) -> None:
        entry = self._known.pop(key, None)
        if entry is not None:
            self._bytes -= entry.size
