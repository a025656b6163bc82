"""Answers in lines, as invariants see them: requested capabilities, format, and required members
of each line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import orjson

from lakepact.conformance.checks.delta_sharing.kit.answers import (
    ANSWERS_IN_LINES,
    KINDS,
    is_answer,
    lasting,
    version_of,
)
from lakepact.conformance.checks.delta_sharing.kit.catalog import CAPABILITIES
from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.exchanges import (
    Document,
    Exchange,
    Members,
    Place,
    Placed,
    Reply,
    place_of,
)
from lakepact.conformance.evidence.outcome import Unmet, Wrong
from lakepact.conformance.judging import expect
from lakepact.conformance.judging.components import Components
from lakepact.generated.contract import Contract, OperationId
from lakepact.generated.delta_sharing import op

COMPONENTS = Components(Contract("delta_sharing"))
METADATA, QUERY, CHANGES = op.get_table_metadata, op.query_table, op.query_table_changes
PARQUET, DELTA = "parquet", "delta"
END = "endStreamAction"
TYPES = {
    str: "a text",
    int: "an integer",
    dict: "an object",
    list: "an array",
    bool: "true or false",
}
RESPONSE_FORMAT = "responseformat"
READER_FEATURES = "readerfeatures"
INCLUDE_END = "includeendstreamaction"
#: The check whose replies have every kind of line that the target sends.
TOUR = ("lines.formats.requested_formats_are_returned_or_refused",)
#: a time in seconds is below it for the next thousand years, one in milliseconds since 1973 above
IN_MILLISECONDS = 100_000_000_000
TRIES = 3  #: to ask twice between two commits
ACTIONS = ("add", "remove", "cdc")


def lines_of(exchange: Exchange, *operations: OperationId) -> tuple[Placed, ...] | None:
    """Return the lines of an answer to one of these operations, all of them by default; `None`
    where it is no such answer.
    """
    if not is_answer(exchange, frozenset(operations) or ANSWERS_IN_LINES):
        return None
    lines = exchange.lines_with_places
    return lines if lines is not None and all(isinstance(line, Placed) for line in lines) else None


def form_of(lines: Iterable[Placed]) -> str:
    """Return the format of an answer: delta if a line wraps an action of a Delta log, else
    parquet.
    """
    for line in lines:
        for kind, wrapper in (
            ("protocol", "deltaProtocol"),
            ("metaData", "deltaMetadata"),
            ("file", "deltaSingleAction"),
        ):
            if isinstance(line.get(kind), dict) and wrapper in line[kind]:
                return DELTA
    return PARQUET


def in_form(exchange: Exchange, form: str, *operations: OperationId) -> tuple[Placed, ...] | None:
    """Return the lines of an answer in a format; `None` for another answer."""
    lines = lines_of(exchange, *operations)
    return lines if lines is not None and form_of(lines) == form else None


def objects(lines: Iterable[Placed] | None, *kinds: str) -> Iterator[Placed]:
    """Return the content of the lines of some kinds."""
    for line in lines or ():
        yield from (line[kind] for kind in kinds if isinstance(line.get(kind), Placed))


def members(documents: Iterable[Placed], *names: str) -> list[tuple[Place, Any]]:
    """Return the places and values of some members that are present and not null."""
    return [
        (document.place(name), document[name])
        for document in documents
        for name in names
        if document.get(name) is not None
    ]


def kind_of(line: Members) -> str:
    """Return the kind of a line, empty where it has none or several."""
    kinds = [kind for kind in KINDS if line.get(kind) is not None]
    return kinds[0] if len(kinds) == 1 else ""


def ends_of(lines: Iterable[Placed]) -> list[Placed]:
    """Return the endStreamActions of an answer."""
    return list(objects(lines, END))


# -- requests and capabilities ---------------------------------------------------------------------


def capabilities(text: str | None) -> dict[str, frozenset[str]]:
    """Return the capabilities of a header, keys and values in lower case."""
    by_key: dict[str, frozenset[str]] = {}
    for part in (text or "").lower().split(";"):
        key, _, values = part.partition("=")
        if key.strip():
            by_key[key.strip()] = frozenset(
                value.strip() for value in values.split(",") if value.strip()
            )
    return by_key


def request_capabilities(exchange: Exchange) -> dict[str, frozenset[str]]:
    """Return the capabilities that a request names."""
    return capabilities(
        next(
            (value for name, value in exchange.request_headers if name.lower() == CAPABILITIES),
            None,
        )
    )


def response_capabilities(exchange: Exchange) -> dict[str, frozenset[str]]:
    """Return the capabilities that an answer names."""
    return capabilities(exchange.headers.get(CAPABILITIES))


def request_formats(exchange: Exchange) -> frozenset[str]:
    """Return the response formats that a request names."""
    return request_capabilities(exchange).get(RESPONSE_FORMAT, frozenset())


def asks_for_end(exchange: Exchange) -> bool:
    """Return whether a request asks for an endStreamAction."""
    return "true" in request_capabilities(exchange).get(INCLUDE_END, ())


def body_of(exchange: Exchange) -> Document:
    """Return the body of a query."""
    body = exchange.request_json if exchange.request_body else None
    return (
        {name: value for name, value in body.items() if value is not None}
        if isinstance(body, dict)
        else {}
    )


def parameters_of(exchange: Exchange) -> dict[str, str]:
    """Return the query parameters of a request."""
    return dict(parse_qsl(urlsplit(exchange.url).query, keep_blank_values=True))


def is_continued(exchange: Exchange) -> bool:
    """Return whether a request continues an earlier answer by a token, so that its own members do
    not describe the answer.
    """
    parameters = {**body_of(exchange), **parameters_of(exchange)}
    return bool(parameters.keys() & {"pageToken", "refreshToken"})


def expect_format_or_refusal(reply: Reply, form: str, about: str) -> None:
    """Expect an answer in a format, or a 4xx status.

    Raises:
        Unmet: it is in the other format, so that it should have been refused, or has another
            status.
    """
    mutation = Wrong.VALUE(CAPABILITIES)
    if reply.status != 200:
        expect.client_error(reply, about=f"{about}, or {form} format", mutation=mutation)
    elif not any(map(kind_of, reply.lines)):
        raise expect.unmet(
            f"{form} format {about}", f"no line of either format; {reply.summary}", at=reply.place()
        )
    elif form_of(reply.lines) != form:
        expected = f"{form} format {about}, or a 4xx status"
        actual = f"{form_of(reply.lines)} format"
        raise Unmet(
            expected, actual, exchange=reply.exchange.number, refusal=True, mutation=mutation
        )


# -- contents of lines -----------------------------------------------------------------------------


def fits(component: str, value: Any, at: Place) -> None:
    """Expect a value, or the JSON in a string, to match a component of the contract; null counts
    as absent.

    Raises:
        Unmet: it is not.
    """
    for instance in COMPONENTS.instances(component, without_null_members(value)):
        flaw = COMPONENTS.flaw(instance)
        if flaw is not None:
            differs = COMPONENTS.difference(instance)
            difference = at.differs(differs.kind, "" if isinstance(at.value, str) else differs.at)
            expected = f"a {instance.component} as the contract describes it"
            raise Unmet(expected, flaw, exchange=at.exchange.number, difference=difference)


def without_null_members(value: Any) -> Any:
    """Return a value without members that are null, except in partition values, where null is
    one.
    """
    if isinstance(value, dict):
        return {
            n: v if n == "partitionValues" else without_null_members(v)
            for n, v in value.items()
            if v is not None
        }
    return [without_null_members(item) for item in value] if isinstance(value, list) else value


def is_whole(value: Any) -> bool:
    """Return whether a value is a JSON integer."""
    return isinstance(value, int) and not isinstance(value, bool)


def texts(value: Any) -> bool:
    """Return whether a value is an array of texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def required(document: Members, member: str, kind: type, what: str) -> Any:
    """Return a required member of a type.

    Raises:
        Unmet: it is not there, or of another type.
    """
    value = document.get(member)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        actual = (
            f"{member}: {expect.excerpt(value)}"[:200] if member in document else f"no {member}"
        )
        is_number = kind is int and isinstance(value, str) and value.isdigit()
        differs = Kind.SPELLING if is_number else Kind.TYPE if member in document else Kind.MISSING
        raise expect.unmet(
            f"{what} with `{member}`, {TYPES[kind]}",
            actual,
            at=place_of(document, member),
            kind=differs,
        )
    return value


def json_of(text: Any) -> Any:
    """Return a text parsed as JSON; `None` if it is not JSON."""
    if not isinstance(text, str):
        return None
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def content(reply: Reply, *, ids: bool = True) -> tuple[Any, ...]:
    """Return the stable content of an answer about a table: status, format, version and lines,
    without the end.
    """
    if reply.status != 200:
        return (reply.status,)
    return reply.status, form_of(reply.lines), version_of(reply), lasting(reply.lines, ids=ids)


def differ(plain: Callable[[], Reply], other: Callable[[], Reply]) -> tuple[Reply, Reply] | None:
    """Return the answers to two requests if their content differs; both are sent again if the table
    has changed in between.

    A difference between two answers to the same request does not count.
    """
    for _ in range(TRIES):
        first, second = plain(), other()
        if content(first) == content(second):
            return None
        again = plain()
        for ids in (True, False):
            if content(first, ids=ids) == content(again, ids=ids):
                different = content(first, ids=ids) != content(second, ids=ids)
                return (first, second) if different else None
    return None


def different(about: str, replies: tuple[Reply, Reply]) -> Unmet:
    """Return the expectation that two answers are equal, which the second one does not meet."""
    expected, actual = (content(reply) for reply in replies)
    at = Place(replies[1].exchange, "/status") if expected[0] != actual[0] else replies[1].place()
    return expect.unmet(
        f"{about}: {expect.excerpt(_summary(expected))}", expect.excerpt(_summary(actual)), at=at
    )


def _summary(answer: tuple[Any, ...]) -> list[Any]:
    """Return status, format and version of an answer, and the number of its lines."""
    return [*answer[:3], *(f"{len(lines)} lines" for lines in answer[3:])]


def action_of(file: Placed) -> tuple[str, Placed]:
    """Return the action that a file line wraps, and its kind.

    Raises:
        Unmet: it wraps none or several.
    """
    single = required(file, "deltaSingleAction", dict, "a file line")
    kinds = [kind for kind in ACTIONS if single.get(kind) is not None]
    if len(kinds) != 1:
        actual = ", ".join(map(str, single)) or "an empty object"
        raise expect.unmet(
            "a deltaSingleAction with one of add, remove and cdc", actual, at=place_of(single)
        )
    return kinds[0], required(single, kinds[0], dict, "a deltaSingleAction")
