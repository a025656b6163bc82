"""Requests and replies as values, and the errors of sending.

Their `repr()` shows no header and no body, so that logs and tracebacks hold no secrets.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

#: Methods whose request may arrive twice without doing its work twice (RFC 9110, 9.2.2).
IDEMPOTENT_METHODS = frozenset({"GET", "HEAD", "PUT", "DELETE", "OPTIONS"})
_READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

#: The header by which a server tells the second try of a change from a second change.
IDEMPOTENCY_KEY = "Idempotency-Key"

#: Headers in which servers return the id of a request.
_REQUEST_ID_HEADERS = (
    "x-request-id",
    "request-id",
    "x-amzn-requestid",
    "x-amz-request-id",
    "x-ms-request-id",
    "x-correlation-id",
)

Headers = tuple[tuple[str, str], ...]


def with_missing(headers: Headers, others: Headers) -> Headers:
    """Return headers, and those of the others whose names are not among them."""
    if not others:
        return headers
    present, result = {*map(str.lower, dict(headers))}, [*headers]
    for other in others:
        if other[0].lower() not in present:
            result.append(other)  # noqa: PERF401 - a generator costs more
    return tuple(result)


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request, whole: its URL is already percent-encoded."""

    method: str
    url: str
    headers: Headers = field(default=(), repr=False)
    content: bytes | None = field(default=None, repr=False)
    #: Whether it changes nothing, whatever its method.
    only_reads: bool = False
    #: Whether the body of a successful reply is left to be read piece by piece.
    is_streamed: bool = False

    @property
    def is_idempotent(self) -> bool:
        """Whether the request may arrive twice without doing its work twice."""
        return self.only_reads or self.method in IDEMPOTENT_METHODS

    @property
    def may_change(self) -> bool:
        """Whether the request may change something."""
        return not (self.only_reads or self.method in _READING_METHODS)

    @property
    def has_key(self) -> bool:
        """Whether a server that knows keys carries the request out once, if it arrives twice."""
        return _header(self.headers, IDEMPOTENCY_KEY) is not None

    def with_header(self, name: str, value: str) -> Request:
        """Return the request with one header replaced.

        Args:
            name: The header, in any case.
            value: Its value.
        """
        others = tuple((n, v) for n, v in self.headers if n.lower() != name.lower())
        return replace(self, headers=(*others, (name, value)))


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP reply, read to its end; or its beginning, with the body still to be read."""

    status: int
    headers: Headers = field(default=(), repr=False)
    content: bytes = field(default=b"", repr=False)
    #: The source of a streamed body, a `transport.Body` or `transport.AsyncBody`; None if `content`
    #: is the whole body.
    body: Any = field(default=None, repr=False, compare=False)

    def header(self, name: str) -> str | None:
        """Return the first header of that name, in whatever case it was written."""
        return _header(self.headers, name)

    @property
    def request_id(self) -> str | None:
        """The id that the server gave the request; None without one."""
        return next((value for name in _REQUEST_ID_HEADERS if (value := self.header(name))), None)

    @property
    def is_success(self) -> bool:
        """Whether the status says that the request was carried out."""
        return 200 <= self.status < 300


def _header(headers: Headers, name: str) -> str | None:
    name = name.lower()
    return next((value for key, value in headers if key.lower() == name), None)


BASE_ADDRESS = "the base address of a catalog ends before /v1"
ADDRESSES = f"{BASE_ADDRESS}, that of a share server is the endpoint of a profile"
WEB_PAGE = f"this is a web page: {ADDRESSES}"


def is_page(content_type: str, content: bytes) -> bool:
    """Return whether a body is a web page, by media type and first character."""
    is_html = content_type.partition(";")[0].strip().lower() == "text/html"
    return is_html and content.lstrip().startswith(b"<")


@dataclass(frozen=True, slots=True)
class Lost:
    """A request without a usable reply.

    `unsent`: the server cannot have seen it. `unanswered`: it may have, and may have acted on it.
    `garbled`: a reply began to arrive, but its coding is broken. `excessive`: it exceeds a limit of
    the client.
    """

    how: Literal["unsent", "unanswered", "garbled", "excessive"]
    cause: Exception


class Interrupted(Exception):
    """A body that broke off while it was read."""

    def __init__(self, loss: Lost) -> None:
        super().__init__(loss.how)
        self.lost = loss


@dataclass(frozen=True, slots=True)
class Pause:
    """Time that passes before the next request."""

    seconds: float
