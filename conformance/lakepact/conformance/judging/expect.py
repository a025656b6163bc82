"""Small expectations: each passes, or raises `Unmet` with the expected and the actual result."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from itertools import zip_longest
from typing import Any

import orjson

from lakepact.conformance.evidence.differences import (
    Difference,
    Kind,
    is_respelled,
    kind_of,
    pointer,
)
from lakepact.conformance.evidence.exchanges import Document, Members, Place, Placed, Reply
from lakepact.conformance.evidence.outcome import (
    LOWEST_ERROR,
    Claim,
    Mutation,
    Unmet,
    Wrong,
    any_of,
)
from lakepact.conformance.evidence.redaction import redact
from lakepact.conformance.evidence.replaying import ABSENT, same

CONTEXT = 20  #: characters of equal text that are shown before a difference
BRIEF = 80  #: characters of a value that is shown as a whole
SHOWN_TEXT = 300  #: characters of any value that a report quotes


def excerpt(value: Any) -> str:
    """Return `value` as JSON, cut to what a report can carry; bytes are shown as a JSON string."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "backslashreplace")
    try:
        text = orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
    except TypeError:  # integers beyond 64 bits, lone surrogates
        text = json.dumps(value, default=str)
    # Part of a secret may not be recognized as one.
    return text if len(text) <= SHOWN_TEXT else redact(text, ())[:SHOWN_TEXT] + "…"


def difference(expected: Any, actual: Any) -> tuple[str, Any, Any]:
    """Return the first place where two JSON values differ, as a JSON pointer, with both values
    there; `ABSENT` where one has none.
    """
    if isinstance(expected, dict) and isinstance(actual, dict):
        for name in [*expected, *(name for name in actual if name not in expected)]:
            here, there = expected.get(name, ABSENT), actual.get(name, ABSENT)
            if not same(here, there):
                place, *values = difference(here, there)
                return f"{pointer(name)}{place}", *values
    if isinstance(expected, list) and isinstance(actual, list):
        for index, (here, there) in enumerate(zip_longest(expected, actual, fillvalue=ABSENT)):
            if not same(here, there):
                place, *values = difference(here, there)
                return f"/{index}{place}", *values
    return "", expected, actual


def status(reply: Reply, *allowed: int, about: str = "", mutation: Mutation | None = None) -> None:
    """Expect one of the `allowed` statuses.

    Args:
        reply: the answer.
        allowed: the statuses.
        about: names the request, such as "for a body without name".
        mutation: what is wrong with the request.
    """
    if reply.status not in allowed:
        raise Unmet(
            f"status {any_of(allowed)} {about}".rstrip(),
            reply.summary,
            exchange=reply.exchange.number,
            expected_status=allowed,
            mutation=mutation,
        )


def not_found(reply: Reply, thing: str, *others: int, about: str = "") -> None:
    """Expect 404, or one of `others`, for a request about something that does not exist, such as a
    "table".
    """
    status(reply, 404, *others, about=about, mutation=Wrong.ABSENT(thing))


def refusal(reply: Reply, *, about: str = "", mutation: Mutation | None = None) -> None:
    """Expect any status that says that the request was not carried out; `about` names the
    request.
    """
    if reply.status < LOWEST_ERROR:
        raise Unmet(
            f"a refusal {about}".rstrip(),
            reply.summary,
            exchange=reply.exchange.number,
            refusal=True,
            mutation=mutation,
        )


def client_error(reply: Reply, *, about: str = "", mutation: Mutation | None = None) -> None:
    """Expect a 4xx status; `about` names the request."""
    if not 400 <= reply.status < 500:
        claim, number = Claim({"minimum": 400, "maximum": 499}, "/status"), reply.exchange.number
        raise Unmet(
            f"a 4xx status {about}".rstrip(),
            reply.summary,
            exchange=number,
            refusal=True,
            claim=claim,
            mutation=mutation,
        )


def no_server_error(reply: Reply) -> None:
    """Expect any status below 500."""
    if reply.status >= 500:
        raise Unmet(
            "no 5xx status",
            reply.summary,
            exchange=reply.exchange.number,
            claim=Claim({"maximum": 499}, "/status"),
        )


def equal(
    expected: Any, actual: Any, what: str, *, at: Place | None, kind: Kind | None = None
) -> None:
    """Expect two equal JSON values; a failure names the JSON pointer of the first difference of
    long values.

    Args:
        expected: the expected value.
        actual: the value that is compared.
        what: its name in the message.
        at: the place of the actual value, or of what it was computed from; `None` if no single
            answer shows it.
        kind: the way in which they differ, if the values do not show it.
    """
    if same(expected, actual):
        return
    below, expected_part, actual_part = difference(expected, actual)
    way, claim = kind or kind_of(expected, actual), None
    is_there = at is not None and (same(at.value, actual) or _is_of_place(actual_part, at, below))
    if at is not None and is_there:
        claim = Claim(
            {"absent": True} if expected_part is ABSENT else {"const": expected_part},
            at.pointer + below,
        )
    elif at is not None:
        claim = _of_members(expected, actual, at)
    differs = (
        at.differs(way, below if is_there else "")
        if at is not None
        else Difference("", way)
        if way is Kind.SPELLING
        else None
    )
    if max(len(excerpt(expected)), len(excerpt(actual))) > BRIEF:
        expected, actual = _from_difference(*difference(expected, actual)[1:])
        what = f"{what} at {below}" if below else what
    raise Unmet(
        f"{what} {_or_absent(expected)}",
        _or_absent(actual),
        exchange=_number(at),
        claim=claim,
        difference=differs,
    )


def includes(expected: Members, actual: Members, what: str, *, at: Place | None) -> None:
    """Expect an object with the expected members, and perhaps others; see `equal`."""
    equal(expected, {name: actual.get(name) for name in expected}, what, at=at)


def same_items(
    expected: Iterable[Any], actual: Iterable[Any], what: str, *, at: Place | None
) -> None:
    """Expect the same items in any order; the arguments are those of `equal`."""
    equal(sorted(expected), sorted(actual), what, at=at)


def member(expected: Any, at: Place, what: str = "", *, kind: Kind | None = None) -> None:
    """Expect a value at a place of an answer; the arguments are those of `equal`, and by default
    the last step of the place is the name of the value.
    """
    equal(expected, at.value, what or at.pointer.rpartition("/")[2], at=at, kind=kind)


def member_of(document: Placed, name: str, expected: Any, what: str = "") -> None:
    """Expect a member of an object to have a value, which is `None` for one that it lacks."""
    equal(expected, document.get(name), what or f"`{name}`", at=document.place(name))


def _is_of_place(got: Any, at: Place, below: str) -> bool:
    """Return whether a part of a computed value is the answer's own: an item that it lacks may have
    been left out of the value.
    """
    *_, last = below.split("/")
    return (
        bool(last) and not (got is ABSENT and last.isdigit()) and same(at.below(below).value, got)
    )


def unmet(
    expected: str,
    actual: str,
    *,
    at: Place | None,
    kind: Kind = Kind.VALUE,
    schema: Members | None = None,
) -> Unmet:
    """Return an expectation that is not met, to be raised.

    Args:
        expected: what the requirement demands.
        actual: what the target returned.
        at: the place of the value, or of what it was computed from; `None` if no single answer
            shows it.
        kind: the way in which it differs from what is expected.
        schema: what the value at the place must match, in the keywords of `reproduction.replaying`,
            if they can say it.
    """
    claim = None if at is None or schema is None else Claim(schema, at.pointer)
    return Unmet(
        expected,
        actual,
        exchange=_number(at),
        claim=claim,
        difference=at.differs(kind) if at else None,
    )


def _number(at: Place | None) -> int | None:
    return None if at is None else at.exchange.number


def _of_members(expected: Any, actual: Any, at: Place) -> Claim | None:
    """Return what two differing lists say of their members: one is missing, or one too many."""
    if not (isinstance(expected, list) and isinstance(actual, list)):
        return None
    missing, surplus = (
        [m for m in one if m not in other]
        for one, other in ((expected, actual), (actual, expected))
    )
    if missing:
        return Claim({"mentions": missing[0]}, at.pointer)
    return Claim({"not": {"mentions": surplus[0]}}, at.pointer) if surplus else None


def _from_difference(expected: Any, actual: Any) -> tuple[Any, Any]:
    """Return two long texts from shortly before their first difference."""
    if not (isinstance(expected, str) and isinstance(actual, str)):
        return expected, actual
    differing = (
        n for n, (here, there) in enumerate(zip(expected, actual, strict=False)) if here != there
    )
    cut = next(differing, min(len(expected), len(actual))) - CONTEXT
    return (expected, actual) if cut <= 0 else ("…" + expected[cut:], "…" + actual[cut:])


def _or_absent(value: Any) -> str:
    return "absent" if value is ABSENT else excerpt(value)


def contains(member: Any, collection: Collection[Any], what: str, *, at: Place | None) -> None:
    """Expect `collection`, which the value `at` a place is or was made of, to contain `member`."""
    if member not in collection:
        kind = (
            Kind.SPELLING
            if any(is_respelled(member, item) for item in collection)
            else Kind.MISSING
        )
        message = f"{what} with {excerpt(member)}"
        raise unmet(message, excerpt(list(collection)), at=at, kind=kind, schema=_has(member, at))


def one_of(allowed: Collection[Any], actual: Any, what: str, *, at: Place | None) -> None:
    """Expect the value `at` a place to be one of the `allowed` values."""
    if actual not in allowed:
        kind = kind_of(next(iter(allowed), ABSENT), actual)
        message = f"{what} {' or '.join(map(excerpt, allowed))}"
        raise unmet(message, excerpt(actual), at=at, kind=kind, schema={"enum": list(allowed)})


def lacks(member: Any, collection: Collection[Any], what: str, *, at: Place | None) -> None:
    """Expect `collection`, which the value `at` a place is or was made of, not to contain
    `member`.
    """
    if member in collection:
        schema = {"not": _has(member, at)}
        raise unmet(
            f"{what} without {excerpt(member)}",
            excerpt(list(collection)),
            at=at,
            kind=Kind.SURPLUS,
            schema=schema,
        )


def _has(member: Any, at: Place | None) -> Document:
    """Return the schema of a place with a member: of an object, with a key."""
    return (
        {"required": [member]}
        if at is not None and isinstance(at.value, dict)
        else {"mentions": member}
    )


def true(
    holds: bool,  # noqa: FBT001
    expected: str,
    actual: Any,
    *,
    at: Place | None,
    kind: Kind = Kind.VALUE,
) -> None:
    """Expect a condition.

    Args:
        holds: the condition.
        expected: describes it.
        actual: the value that does not meet it.
        at: the place of the value, or of what it was computed from; `None` if no single answer
            shows it.
        kind: the way in which it differs from what is expected.
    """
    if not holds:
        way = Kind.MISSING if actual is None and kind is Kind.VALUE else kind
        raise unmet(
            expected,
            actual if isinstance(actual, str) and actual else excerpt(actual),
            at=at,
            kind=way,
        )


def serves(reply: Reply, is_implemented: bool, expected: str) -> None:  # noqa: FBT001 - the condition itself
    """Expect an operation to be known to the target; the status of the reply shows when it is
    not.
    """
    if not is_implemented:
        claim = Claim({"not": {"const": reply.status}}, "/status")
        raise Unmet(expected, reply.summary, exchange=reply.exchange.number, claim=claim)


def no_body(reply: Reply) -> None:
    """Expect an empty body."""
    if reply.body:
        claim = Claim({"const": 0}, "/length")
        raise Unmet(
            "no body",
            f"{len(reply.body)} bytes; {reply.summary}",
            exchange=reply.exchange.number,
            claim=claim,
        )
