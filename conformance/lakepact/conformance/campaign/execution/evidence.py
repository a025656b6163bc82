"""An exchange as a row without secrets, and the exchange of a row for judges."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import httpx

from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.evidence.redaction import REDACTED, SECRET_HEADERS, redact

#: Stands for a secret of ours, so that it can still be seen that an answer repeats it.
SENT_BY_US = "<sent-by-us>"
MOST_BYTES = 1 << 20  #: of a body that is kept


def _without(content: bytes, secrets: Iterable[str]) -> bytes:
    """Return bytes without secrets, all others as they were."""
    for secret in secrets:
        content = content.replace(secret.encode(), SENT_BY_US.encode())
    return redact(content.decode("latin-1"), ()).encode("latin-1")


def _text(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, SENT_BY_US)
    return redact(text, ())


def _pairs(
    headers: Iterable[tuple[str, str]], secrets: tuple[str, ...], own: frozenset[str]
) -> list[dict[str, str]]:
    hidden = SECRET_HEADERS | own
    return [
        {"name": n, "value": REDACTED if n.lower() in hidden else _text(v, secrets)}
        for n, v in headers
    ]


def row_of(exchange: Exchange, own_headers: Iterable[str] = ()) -> dict[str, Any]:
    """Return an exchange as columns of the table `exchanges`.

    Args:
        exchange: the exchange.
        own_headers: names of the target's headers, whose values are hidden.
    """
    secrets = tuple(
        sorted(exchange.secrets, key=len, reverse=True)
    )  # a whole value before what is a part of it
    own = frozenset(name.lower() for name in own_headers)
    body = _without(exchange.body, secrets)
    stored = body[:MOST_BYTES]
    return {
        "latency_us": int(exchange.seconds * 1_000_000),
        "http_status": exchange.status,
        "method": exchange.method,
        "url": _text(exchange.url, secrets),
        "accepts": exchange.accepts,
        "authorized": bool(secrets),
        "request_headers": _pairs(exchange.request_headers, secrets, own),
        "request_body": _without(exchange.request_body, secrets),
        "response_headers": _pairs(exchange.headers.multi_items(), secrets, frozenset()),
        "response_body": stored,
        "response_bytes": len(exchange.body),
        "response_truncated": len(stored) < len(body),
        "response_sha256": hashlib.sha256(body).hexdigest(),
    }


def exchange_of(row: Mapping[str, Any]) -> Exchange:
    """Return the exchange of a row; where a secret was sent, what stands for it is the secret that
    an answer must not repeat.
    """
    headers = [
        (name.encode(), value.encode("utf-8", "surrogatepass"))
        for name, value in _pairs_of(row["response_headers"])
    ]
    return Exchange(
        number=row["number"],
        operation=row["operation_id"] or None,
        check="campaign",
        method=row["method"],
        url=row["url"],
        request_headers=tuple(_pairs_of(row["request_headers"])),
        request_body=row["request_body"] or b"",
        status=row["http_status"],
        headers=httpx.Headers(headers),
        body=row["response_body"] or b"",
        seconds=row["latency_us"] / 1_000_000,
        secrets=(SENT_BY_US,) if row["authorized"] else (),
        accepts=row["accepts"],
    )


def _pairs_of(headers: Iterable[Mapping[str, str]] | None) -> Iterator[tuple[str, str]]:
    return ((pair["name"], pair["value"]) for pair in headers or ())
