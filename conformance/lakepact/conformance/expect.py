"""Small expectations: each holds, or raises `Unmet` with what was expected and what came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from lakepact.conformance.outcome import Unmet
from lakepact.conformance.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Collection

    from lakepact.conformance.exchanges import Reply


def shown(value: Any) -> str:
    """`value` as JSON, cut to what a report can carry."""
    try:
        text = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    except TypeError:
        text = repr(value)
    # Part of a secret may not be recognized as one.
    return text if len(text) <= 300 else redacted(text, ())[:300] + "…"


def status(reply: Reply, *allowed: int, about: str = "") -> None:
    """The answer has one of the `allowed` statuses; `about` says of which of several requests, "for a body without name"."""
    if reply.status not in allowed:
        raise Unmet(f"status {' or '.join(map(str, allowed))} {about}".rstrip(), reply.shown, exchange=reply.exchange.number)


def client_error(reply: Reply) -> None:
    """The answer refuses the request as the client's fault: some 4xx."""
    if not 400 <= reply.status < 500:
        raise Unmet("a 4xx status", reply.shown, exchange=reply.exchange.number)


def no_server_error(reply: Reply) -> None:
    """The answer is not a 5xx."""
    if reply.status >= 500:
        raise Unmet("no 5xx status", reply.shown, exchange=reply.exchange.number)


def equal(expected: Any, actual: Any, what: str) -> None:
    """Two JSON values are equal."""
    if expected != actual or isinstance(expected, bool) != isinstance(actual, bool):
        raise Unmet(f"{what} {shown(expected)}", shown(actual))


def contains(member: Any, collection: Collection[Any], what: str) -> None:
    """`member` is in `collection`."""
    if member not in collection:
        raise Unmet(f"{what} with {shown(member)}", shown(list(collection)))


def lacks(member: Any, collection: Collection[Any], what: str) -> None:
    """`member` is not in `collection`."""
    if member in collection:
        raise Unmet(f"{what} without {shown(member)}", shown(list(collection)))


def true(holds: bool, expected: str, actual: Any) -> None:  # noqa: FBT001 - the condition itself
    """A condition holds; `expected` says which."""
    if not holds:
        raise Unmet(expected, actual if isinstance(actual, str) else shown(actual))


def no_body(reply: Reply) -> None:
    """The answer has no body."""
    if reply.body:
        raise Unmet("no body", f"{len(reply.body)} bytes; {reply.shown}", exchange=reply.exchange.number)
