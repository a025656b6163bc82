"""Limits of an answer, and of the time that a run spends on answers that exceed them."""

from __future__ import annotations

import threading
import time
from collections import Counter

import httpx

from lakepact.conformance.evidence.outcome import Blocked
from lakepact.reach.content_codings import Decoder, DecodingError, UnknownCoding

MIB = 1024 * 1024
MAX_BODY = 16 * MIB  #: bytes of a body, both as sent and as decoded
MAX_HEAD = (
    100 * 1024
)  #: bytes of a status line with its headers, of a line between chunks, and of trailers
FRAMING = 1 * MIB  #: bytes of chunk framing and 1xx answers in addition to the body
MAX_WAIT = 60.0  #: seconds that a run spends on answers that exceed a limit
ENDLESS_COST = 15.0  #: seconds that an endless listing counts for
MOST_LATE = (
    2  #: answers of one operation in a row that may be late before the operation is no longer sent
)
RECOVERY = 15.0  #: seconds of a pause after late answers, twice as many each time
OVERSIZE_COST = 2.0  #: seconds that an answer over a limit counts for at least


class TooLarge(httpx.TransportError):
    """An answer exceeds its size limit."""


class GivenUp(Blocked):
    """The target exceeded limits so often that nothing more is sent to it."""


class Budget:
    """The seconds of a run for answers that exceed a limit, shared by its threads.

    Args:
        seconds: the total, after which nothing more is sent.
        recovery: seconds until an operation that was late is sent again, if it answered before.
    """

    def __init__(self, seconds: float = MAX_WAIT, *, recovery: float = RECOVERY) -> None:
        self._seconds, self._recovery = seconds, recovery
        self._spent = 0.0
        self._counted_until = 0.0  #: the moment up to which seconds were counted
        self._late: Counter[str] = Counter()  #: late answers in a row, by operation
        self._late_at: dict[str, float] = {}  #: the moment of the last of them
        self._answered: set[str] = set()  #: operations that answered in time at least once
        self._lock = threading.Lock()

    def check(self, operation: str | None = None) -> None:
        """Refuse further requests when no seconds are left or the operation was late too often.

        Raises:
            GivenUp: no seconds are left, or the operation was late too often.
        """
        if operation and self._late[operation] >= MOST_LATE and not self._may_recover(operation):
            raise GivenUp(
                f"not sent: {operation} did not answer in time (--timeout), {self._late[operation]}"
                " times in a row"
            )
        if self._spent >= self._seconds:
            raise GivenUp(
                "not sent: answers that were too slow or too large have already cost"
                f" {self._spent:.0f} s, and the limit of a run is {self._seconds:g} s (--max-wait)"
            )

    def _may_recover(self, operation: str) -> bool:
        """Return whether to send an operation once more that was late: it answered before."""
        with self._lock:
            pause = time.monotonic() - self._late_at[operation]
            least = self._recovery * 2 ** (self._late[operation] - MOST_LATE)
            if operation not in self._answered or pause < least:
                return False
            self._late_at[operation] = time.monotonic()  # others wait for its answer
            return True

    def spend(self, seconds: float) -> None:
        """Count an answer that reached a limit after so many seconds; of simultaneous ones, no
        second counts twice.
        """
        with self._lock:
            now = time.monotonic()
            overlap = min(max(0.0, self._counted_until - (now - seconds)), seconds)
            self._spent += seconds - overlap if overlap else max(seconds, OVERSIZE_COST)
            self._counted_until = now

    def charge(self, seconds: float) -> None:
        """Count seconds for an endless listing."""
        with self._lock:
            self._spent += seconds

    def count_late(self, operation: str | None, seconds: float) -> None:
        """Count an answer of an operation that did not come in so many seconds; simultaneous ones
        count as one.
        """
        if operation:
            with self._lock:
                now = time.monotonic()
                self._late[operation] += now - seconds >= self._late_at.get(operation, 0.0)
                self._late_at[operation] = now

    def count_answer(self, operation: str | None) -> None:
        """Count an answer of an operation that came in time."""
        if operation:
            self._answered.add(operation)
            if self._late[operation]:
                with self._lock:
                    self._late[operation] = 0


def too_large(most: int) -> TooLarge:
    """Return the error for a body with more than `most` bytes."""
    return TooLarge(f"the body of the answer is larger than {most / MIB:g} MiB (--max-body)")


def decode(content: bytes, codings: str, most: int) -> bytes:
    """Decode the content codings of a body; a body with an unknown coding is returned unchanged.

    Raises:
        TooLarge: the decoded body has more than `most` bytes.
        httpx.DecodingError: the coding is broken, or there are too many of them.
    """
    body = bytearray()
    try:
        for piece in Decoder(codings).decode(content):
            body += piece
            if len(body) > most:
                raise too_large(most)
    except UnknownCoding:
        return content
    except DecodingError as broken:
        raise httpx.DecodingError(str(broken)) from broken
    return bytes(body)
