"""How much of a reply a client takes in, and how long it waits for all of it."""

from __future__ import annotations

import time
from contextvars import ContextVar
from dataclasses import dataclass

from lakepact.formats.limits import DECODED, Limit

MIB = 1024 * 1024
#: Bytes of status lines and headers, and of what frames a body beside as many bytes as the body
#: has.
_FRAMING = 1 * MIB
#: Bytes on the wire for one byte of content, at most; chunk extensions may be the rest.
_MOST_OVERHEAD = 16
#: Bytes of a stream that have to come within the read timeout.
SLOWEST = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Most that one reply may bring, and most connections.

    Args:
        body: Bytes of the body of a reply that is not streamed, as it is sent and as it is decoded.
        line: Bytes of one line of a listing of files, which is streamed; the listing itself may
            have any number of lines.
        listing: Bytes of the files of a listing whose rows are read; it is held until all of them
            are read.
        file: Bytes of a data file whose size its listing does not say.
        decoded: Bytes of a data file that are decoded at once, such as its pages and the longest of
            its rows; a quarter for manifests.
        pages: Pages of one listing.
        connections: Connections that a client has open at once; further calls wait, see
            `Timeouts(pool=…)`.
    """

    body: int = 64 * MIB
    line: int = 64 * MIB
    listing: int = 1024 * MIB
    file: int = 128 * MIB
    decoded: int = DECODED
    pages: int = 100_000
    connections: int = 100

    @property
    def decoding(self) -> Limit:
        """The limit of the bytes that are decoded at once."""
        return Limit(self.decoded, "Limits(decoded=…)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Longest waits, in seconds.

    Args:
        connect: For a connection.
        read: For the next bytes of a reply; in a stream, such as a file, for the next 1024 bytes.
        write: For room to send.
        pool: For a free connection.
        reply: For a whole reply that is not streamed.
    """

    connect: float = 5.0
    read: float = 60.0
    write: float = 30.0
    pool: float = 30.0
    reply: float = 300.0

    @classmethod
    def of(cls, value: Timeouts | float | None) -> Timeouts:
        """Return timeouts; a number is the longest wait of every kind."""
        if isinstance(value, Timeouts):
            return value
        return (
            cls()
            if value is None
            else cls(connect=value, read=value, write=value, pool=value, reply=value)
        )


class LimitReached(Exception):
    """A reply is larger or slower than allowed; the message names the limit and what raises it."""


class Meter:
    """Counts the bytes of one reply, and the time that they take.

    Args:
        seconds: For all of it, until it turns out to be a stream.
        most: Bytes of its content, until then.
        idle: Seconds in which a stream has to bring `SLOWEST` bytes.
    """

    def __init__(self, seconds: float, most: int, idle: float) -> None:
        self._seconds, self._most, self._idle = seconds, most, idle
        self._until = time.monotonic() + seconds
        self._is_stream = False
        self._paused = 0.0
        self._wire = self._content = self._window = 0

    def stream(self) -> None:
        """From now on the reply is a stream, whose sum has no limit."""
        self._is_stream = True
        self._rest()

    def _rest(self) -> None:
        self._window, self._until = 0, time.monotonic() + self._idle

    def pause(self, count: int) -> None:
        """Count bytes of a body, as they are sent, and no time from here on: the reader of a stream
        is at work.
        """
        self._content += count
        self._paused = time.monotonic()

    def resume(self) -> None:
        """Count the time again.

        Raises:
            LimitReached: There is none left.
        """
        self._until += time.monotonic() - self._paused if self._paused else 0.0
        self._paused = 0.0
        self.left(None)

    def left(self, timeout: float | None) -> float:
        """Return the seconds that the next read may take, no more than `timeout`.

        Raises:
            LimitReached: There are none.
        """
        left = self._until - time.monotonic()
        if left <= 0:
            if self._is_stream:
                raise LimitReached(
                    f"less than {SLOWEST} bytes of the reply came within {self._idle:g} s;"
                    " Timeouts(read=…) allows more"
                )
            raise LimitReached(
                f"the reply was not complete within {self._seconds:g} s; Timeouts(reply=…) allows"
                " more"
            )
        return left if timeout is None else min(left, timeout)

    def add(self, count: int) -> None:
        """Count bytes from the wire.

        Raises:
            LimitReached: There are too many.
        """
        self._wire += count
        self._window += count
        if self._is_stream and self._window >= SLOWEST:
            self._rest()
        most = _FRAMING + _MOST_OVERHEAD * self._content + (0 if self._is_stream else self._most)
        if self._wire > most + (_FRAMING if self._is_stream else 0):
            raise LimitReached(
                f"the reply has more than {most / MIB:.0f} MiB on the wire for {self._content}"
                " bytes of content"
            )


#: The meter of the reply that is being read.
METER: ContextVar[Meter] = ContextVar("METER")


def too_large(most: int) -> LimitReached:
    """Return the error for a body with more bytes than `most`."""
    return LimitReached(
        f"the body of the reply has more than {most} bytes; Limits(body=…) allows more"
    )
