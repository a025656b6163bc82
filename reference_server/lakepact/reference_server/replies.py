"""What a handler hands back: a status, the bytes of a body and the headers that go with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Mapping

JSON = b"application/json"


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer, ready to be sent; its content type and length are added by the lane when it has a body."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[bytes, bytes], ...] = ()
    media_type: bytes = JSON

    @property
    def document(self) -> Any:
        """The body as JSON."""
        return orjson.loads(self.body)


NO_CONTENT = Reply(204)


def json_reply(document: Mapping[str, Any], *, status: int = 200) -> Reply:
    """A reply whose body is `document`."""
    return Reply(status, orjson.dumps(document))
