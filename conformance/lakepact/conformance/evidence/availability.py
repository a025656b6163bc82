"""Whether the target still accepts connections, and the requests that it did not survive."""

from __future__ import annotations

import threading
import time
from collections import deque

import httpx

#: before the first refused connection; a request that was cut off in this time may be why the
#: target ended
SUSPECTED_SECONDS = 5.0
NAMED_REQUESTS = 4  #: that a reason names
KEPT_REQUESTS = 64  #: that were cut off last; a target may cut off every request of a run


class Availability:
    """Notes answers, connections that end without an answer, and refused connections of one target;
    may be used by several threads.
    """

    def __init__(self) -> None:
        self._cut_off: deque[tuple[float, str]] = deque(maxlen=KEPT_REQUESTS)
        self._end_reason = ""
        self._answered = False
        self._lock = threading.Lock()

    @property
    def end_reason(self) -> str:
        """Why the target is taken to have ended; empty while it accepts connections, and if it
        never did.
        """
        return self._end_reason

    def note_answer(self) -> None:
        """Note that an answer came: the target runs, perhaps again."""
        self._answered, self._end_reason = True, ""

    def note_failure(self, error: Exception, request: str) -> None:
        """Note that a request got no answer.

        Args:
            error: why, not a timeout.
            request: its method and path, and the check that sent it.
        """
        now = time.monotonic()
        with self._lock:
            if not isinstance(error, (httpx.ConnectError, ConnectionRefusedError)):
                self._cut_off.append((now, request))
            elif self._answered and not self._end_reason:
                requests = dict.fromkeys(
                    request for moment, request in self._cut_off if now - moment < SUSPECTED_SECONDS
                )
                names = "; ".join([*requests][:NAMED_REQUESTS]) or "none"
                self._end_reason = (
                    "the target accepts no connections any more. Requests that it had just cut off"
                    f" without an answer: {names}"
                )
