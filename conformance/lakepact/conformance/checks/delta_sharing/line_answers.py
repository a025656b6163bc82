"""Answers in lines as laws see them: what was asked, in which format it came, and what each line has to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from lakepact.conformance.checks.delta_sharing.answers import ANSWERS_IN_LINES, KINDS, answered
from lakepact.conformance.checks.delta_sharing.catalogue import CAPABILITIES
from lakepact.conformance.components import Components
from lakepact.conformance.outcome import Unmet
from lakepact.generated.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lakepact.conformance.exchanges import Exchange

    Line = dict[str, Any]

COMPONENTS = Components(Contract("delta_sharing"))

METADATA, QUERY, CHANGES = "getTableMetadata", "queryTable", "queryTableChanges"
PARQUET, DELTA = "parquet", "delta"
END = "endStreamAction"

TYPES = {str: "a text", int: "an integer", dict: "an object", list: "an array", bool: "true or false"}

RESPONSE_FORMAT, READER_FEATURES, INCLUDE_END = "responseformat", "readerfeatures", "includeendstreamaction"

#: The check whose requests are answered with every kind of line that the target has.
TOUR = ("tour.every_question_in_either_format",)


def lines_of(exchange: Exchange, *operations: str) -> tuple[Line, ...] | None:
    """The lines of an answer to one of these operations, all of them by default; `None` where it is no such answer."""
    if not answered(exchange, frozenset(operations) or ANSWERS_IN_LINES):
        return None
    lines = exchange.lines
    return lines if lines is not None and all(isinstance(line, dict) for line in lines) else None


def form_of(lines: Iterable[Line]) -> str:
    """The format of an answer: delta where a line wraps what a Delta log has, else parquet."""
    for line in lines:
        for kind, wrapped in (("protocol", "deltaProtocol"), ("metaData", "deltaMetadata"), ("file", "deltaSingleAction")):
            if isinstance(line.get(kind), dict) and wrapped in line[kind]:
                return DELTA
    return PARQUET


def in_form(exchange: Exchange, form: str, *operations: str) -> tuple[Line, ...] | None:
    """The lines of an answer that is in a format; `None` where it is no such answer."""
    lines = lines_of(exchange, *operations)
    return lines if lines is not None and form_of(lines) == form else None


def objects(lines: Iterable[Line] | None, *kinds: str) -> Iterator[Line]:
    """What the lines of some kinds hold."""
    for line in lines or ():
        for kind in kinds:
            if isinstance(line.get(kind), dict):
                yield line[kind]


def kind_of(line: Line) -> str:
    """The kind of a line, empty where it has none or several."""
    found = [kind for kind in KINDS if line.get(kind) is not None]
    return found[0] if len(found) == 1 else ""


def ends_of(lines: Iterable[Line]) -> list[Line]:
    """The endStreamActions of an answer."""
    return list(objects(lines, END))


# -- what was asked, and what is told ---------------------------------------------------------------------------------------


def capabilities(text: str | None) -> dict[str, frozenset[str]]:
    """The capabilities of a header, keys and values in small letters."""
    found: dict[str, frozenset[str]] = {}
    for part in (text or "").lower().split(";"):
        key, _, values = part.partition("=")
        if key.strip():
            found[key.strip()] = frozenset(value.strip() for value in values.split(",") if value.strip())
    return found


def asked(exchange: Exchange) -> dict[str, frozenset[str]]:
    """The capabilities that a request names."""
    return capabilities(next((value for name, value in exchange.request_headers if name.lower() == CAPABILITIES), None))


def told(exchange: Exchange) -> dict[str, frozenset[str]]:
    """The capabilities that an answer names."""
    return capabilities(exchange.headers.get(CAPABILITIES))


def formats_asked(exchange: Exchange) -> frozenset[str]:
    """The response formats that a request names."""
    return asked(exchange).get(RESPONSE_FORMAT, frozenset())


def asks_for_end(exchange: Exchange) -> bool:
    """Whether a request asks for an endStreamAction."""
    return "true" in asked(exchange).get(INCLUDE_END, ())


def body_of(exchange: Exchange) -> dict[str, Any]:
    """What the body of a query asks for."""
    body = exchange.request_parsed if exchange.request_body else None
    return {name: value for name, value in body.items() if value is not None} if isinstance(body, dict) else {}


def parameters_of(exchange: Exchange) -> dict[str, str]:
    """The query parameters of a request."""
    return dict(parse_qsl(urlsplit(exchange.url).query, keep_blank_values=True))


def is_continued(exchange: Exchange) -> bool:
    """Whether a request takes up an earlier answer, so that what it asks for is not said by itself."""
    said = {**body_of(exchange), **parameters_of(exchange)}
    return bool(said.keys() & {"pageToken", "refreshToken"})


# -- what lines have to be ----------------------------------------------------------------------------------------------------


def fits(component: str, line: Line) -> None:
    """A line is what a component of the contract says, where null counts as absent.

    Raises:
        Unmet: it is not.
    """
    for instance in COMPONENTS.instances(component, said(line)):
        flaw = COMPONENTS.flaw(instance)
        if flaw is not None:
            raise Unmet(f"a {instance.component} as the contract describes it", flaw)


def said(value: Any) -> Any:
    """A value without members that are null, except in partition values, where null is one."""
    if isinstance(value, dict):
        return {n: v if n == "partitionValues" else said(v) for n, v in value.items() if v is not None}
    return [said(item) for item in value] if isinstance(value, list) else value


def is_whole(value: Any) -> bool:
    """Whether a value is a JSON integer."""
    return isinstance(value, int) and not isinstance(value, bool)


def texts(value: Any) -> bool:
    """Whether a value is an array of texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def required(document: Mapping[str, Any], member: str, kind: type, what: str) -> Any:
    """A member that has to be there with a type.

    Raises:
        Unmet: it is not there, or of another type.
    """
    value = document.get(member)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        shown = f"{member}: {value!r}"[:200] if member in document else f"no {member}"
        raise Unmet(f"{what} with `{member}`, {TYPES[kind]}", shown)
    return value
