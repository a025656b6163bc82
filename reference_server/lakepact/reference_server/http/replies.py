"""The reply of a handler: a status, a body as bytes or chunks, and headers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

JSON = b"application/json"
NDJSON = b"application/x-ndjson; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply; the router adds content type and length if it has a body.

    `chunks` are the body of a long answer: they are produced while they are sent, never joined, and
    closed when the caller disconnects. Then `body` is empty. They are `prompt` if producing one
    does not block.

    `stored_at` is the metadata file of the table or view that the body holds, if it has the same
    content.

    `without` is the same reply without secrets, for stored replies; `None` if it has no secrets.

    `sender` writes the reply to a `Wire`; `None` leaves that to the router.
    """

    status: int
    body: bytes = b""
    headers: tuple[tuple[bytes, bytes], ...] = ()
    media_type: bytes = JSON
    chunks: Iterable[bytes] | None = None
    prompt: bool = False
    stored_at: str = ""
    without: Reply | None = None
    sender: Callable[[Any, Reply], Awaitable[None]] | None = None

    @property
    def document(self) -> Any:
        """The body as JSON."""
        return orjson.loads(self.body)

    @property
    def has_body(self) -> bool:
        """Whether there is a body to send."""
        return bool(self.body) or self.chunks is not None

    def as_whole(self) -> Reply:
        """Return the same answer with its body held as a whole, for faults that look at all of
        it.
        """
        return (
            self if self.chunks is None else replace(self, body=b"".join(self.chunks), chunks=None)
        )


class Begun:
    """Chunks whose first one has been produced, so that an early failure still becomes an error
    status.
    """

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._rest = iter(chunks)
        self._first: bytes | None = next(self._rest, b"")

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        first, self._first = self._first, None
        return next(self._rest) if first is None else first

    def close(self) -> None:
        """Close the source of the chunks."""
        close = getattr(self._rest, "close", None)
        if close is not None:
            close()


NO_CONTENT = Reply(204)


def json_reply(document: Mapping[str, Any], *, status: int = 200) -> Reply:
    """Return a reply whose body is `document`."""
    return Reply(status, orjson.dumps(document))
