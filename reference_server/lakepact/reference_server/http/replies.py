"""What a handler hands back: a status, the bytes of a body, at once or piece by piece, and the headers that go with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

JSON = b"application/json"
NDJSON = b"application/x-ndjson; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer, ready to be sent; its content type and length are added by the lane when it has a body.

    `chunks` are the body of an answer that is too long to be held: they are made while the caller takes them, never joined, and closed
    when the caller hangs up. Then `body` is empty. They are `prompt` if each is made so fast that nobody needs to wait for it in a thread.

    `without` is the same answer without the secrets in it, for whoever keeps answers; None where there are none.
    """

    status: int
    body: bytes = b""
    headers: tuple[tuple[bytes, bytes], ...] = ()
    media_type: bytes = JSON
    chunks: Iterable[bytes] | None = None
    prompt: bool = False
    without: Reply | None = None

    @property
    def document(self) -> Any:
        """The body as JSON."""
        return orjson.loads(self.body)

    @property
    def has_body(self) -> bool:
        """Whether there is a body to send."""
        return bool(self.body) or self.chunks is not None

    def joined(self) -> Reply:
        """Return the same answer with its body held as a whole, for faults that look at all of it."""
        return self if self.chunks is None else replace(self, body=b"".join(self.chunks), chunks=None)


class Begun:
    """Chunks of which the first has been made, so that what cannot even begin can still be refused."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._rest = iter(chunks)
        self._first: bytes | None = next(self._rest, b"")

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        first, self._first = self._first, None
        return next(self._rest) if first is None else first

    def close(self) -> None:
        """Let go of what the chunks are made from."""
        close = getattr(self._rest, "close", None)
        if close is not None:
            close()


NO_CONTENT = Reply(204)


def json_reply(document: Mapping[str, Any], *, status: int = 200) -> Reply:
    """Return a reply whose body is `document`."""
    return Reply(status, orjson.dumps(document))
