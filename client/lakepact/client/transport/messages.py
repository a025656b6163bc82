"""Requests and replies, as the HTTP library has them and as the client has them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

import httpcore

from lakepact.reach.content_codings import ACCEPTED_CODINGS
from lakepact.reach.wire import with_missing

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.client.limits import Timeouts
    from lakepact.reach.wire import Headers, Request

#: Headers of requests that do not say otherwise.
USUAL = (("User-Agent", "lakepact"), ("Accept-Encoding", ACCEPTED_CODINGS))
#: Characters of URLs that are sent as they are: a signature may cover them.
_AS_THEY_ARE = "!$%&'()*+,-./:;=?@[\\]^_`{|}~"
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Answer:
    """The beginning of a reply.

    Args:
        status: Its status.
        headers: Its headers, with their names in lower case.
        pieces: Begins to read its body as it is sent.
        close: Gives its connection back; to be called once.
        whole: The decoded body, where the caller's client has read it already.
    """

    status: int
    headers: Headers
    pieces: Callable[[], Any]
    close: Callable[[], Any]
    whole: bytes | None = None


@lru_cache(maxsize=64)
def extensions(timeouts: Timeouts) -> dict[str, Any]:
    """Return the waits that the HTTP library keeps to, as it takes them."""
    return {
        "timeout": {name: getattr(timeouts, name) for name in ("connect", "read", "write", "pool")}
    }


def outgoing(request: Request, options: dict[str, Any]) -> httpcore.Request:
    """Return a request as the HTTP library takes it.

    Raises:
        httpcore.UnsupportedProtocol: Its URL is invalid.
    """
    url, host = _parse(request.url)
    headers = [(b"Host", host)]
    for name, value in with_missing(request.headers, USUAL):
        headers.append((name.encode("ascii"), value.encode()))
    if request.content is not None or request.method in {"POST", "PUT", "PATCH"}:
        headers.append((b"Content-Length", b"%d" % len(request.content or b"")))
    return httpcore.Request(
        request.method, url, headers=headers, content=request.content, extensions=options
    )


@lru_cache(maxsize=64)
def _parse(url: str) -> tuple[httpcore.URL, bytes]:
    """Return a URL and its `Host` header; parsing takes a tenth of a small call, and a table is
    often loaded again.
    """
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").encode("idna"), parts.port
        default_port = _PORTS[parts.scheme]
    except (ValueError, KeyError):
        raise httpcore.UnsupportedProtocol("not an http or https URL") from None
    target = quote(
        f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/",
        safe=_AS_THEY_ARE,
    )
    host_name = b"[%b]" % host if b":" in host else host
    return (
        httpcore.URL(scheme=parts.scheme, host=host, port=port, target=target),
        host_name if port in {None, default_port} else b"%b:%d" % (host_name, port),
    )


def text_headers(headers: list[tuple[bytes, bytes]]) -> Headers:
    """Return the headers of a reply, with their names in lower case."""
    result = []
    for name, value in headers:
        try:
            text = value.decode()
        except UnicodeDecodeError:
            text = value.decode("latin-1")
        result.append((name.decode("latin-1").lower(), text))
    return tuple(result)
