"""Requests and their answers, kept as evidence; secrets are removed from everything that is
shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import httpx
import orjson

from lakepact.conformance.evidence.differences import Difference, Kind, pointer
from lakepact.conformance.evidence.escaping import shell
from lakepact.conformance.evidence.outcome import Claim, Unmet
from lakepact.conformance.evidence.redaction import REDACTED, SECRET_HEADERS, redact
from lakepact.conformance.evidence.replaying import LINES, answer_of, value_at
from lakepact.generated.contract import OperationId
from lakepact.reach.wire import is_page

Document = dict[str, Any]  #: a JSON object
Members = Mapping[str, Any]  #: the members of a JSON object that is only read

ANYTHING = "*/*"  #: default `Accept`; curl lines omit it
SHOWN_BODY = 4096  #: bytes of a body that a report quotes
MARGIN = 2048  #: further bytes that are kept, so that a secret at the cut is recognized
NO_OPERATION = OperationId("")  #: operation id of a request that belongs to no operation
SHOWN_TEXT = 300  #: characters of a body that a verdict quotes
LONGEST_MESSAGE = 4096  #: characters of an error's message that are kept


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The error that the body of a refusal, or of a 5xx answer, names."""

    message: str  #: or the text of a body that has none
    type: str | None = None  #: `None` if the body is not the contract's

    @classmethod
    def of(cls, body: bytes) -> ErrorBody:
        """Read a whole body: `{"error": {…}}`, `{"errorCode": …, "message": …}`, or that of
        OAuth2.
        """
        try:
            document = orjson.loads(body)
        except orjson.JSONDecodeError:
            document = None
        if not isinstance(document, dict):
            return cls(body[:LONGEST_MESSAGE].decode("utf-8", "replace"))
        error = document.get("error")
        members = error if isinstance(error, dict) else document
        kind = members.get("type" if members is error else "errorCode")
        if isinstance(error, str):  # of a token endpoint
            words = (error, str(document.get("error_description", "")))
            return cls(", ".join(filter(None, words))[:LONGEST_MESSAGE])
        text = str(members.get("message", ""))[:LONGEST_MESSAGE]
        return cls(text, kind if isinstance(kind, str) else None)


@dataclass(frozen=True)
class Look:
    """A load after a refused change of the same object."""

    refused: Exchange
    unmet: Unmet | None  #: the effect of the refused change, if it has any


@dataclass(frozen=True)
class Exchange:
    """One request and its answer, as sent and received."""

    number: int
    operation: OperationId | None  #: operation id, when the request was made for one
    check: str
    method: str
    url: str
    request_headers: tuple[tuple[str, str], ...]
    request_body: bytes
    status: int  #: 0: no answer came
    headers: httpx.Headers
    body: bytes
    seconds: float
    secrets: tuple[str, ...] = field(default=(), repr=False)
    own: frozenset[str] = (
        frozenset()
    )  #: lower-case names of the user's own headers, whose values are not shown
    accepts: str = ANYTHING  #: the default `Accept` of this request
    left_out: int = 0  #: bytes of the body that are no longer kept
    sent_at: float = 0.0  #: when it was sent, in seconds since 1970
    error: ErrorBody | None = None  #: of an answer with an error status
    objects: frozenset[str] = frozenset()  #: the names that the lab gave and the request has
    look: Look | None = None  #: the refused change whose effects this load looks for
    missing_files: tuple[str, ...] | None = (
        None  #: files that the answer names and that are gone; None if they were not looked for
    )
    #: whether a check expected a refusal that did not come, whatever else is sent at the same time
    is_invalid: bool = False

    @cached_property
    def json(self) -> Any:
        """The body as JSON, or `None` when it is not JSON."""
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError:
            return None

    @cached_property
    def lines(self) -> tuple[Any, ...] | None:
        """The body as JSON documents, one per line, or `None` if a line is not JSON; empty lines
        are ignored.
        """
        try:
            return tuple(orjson.loads(line) for line in self.body.split(b"\n") if line.strip())
        except orjson.JSONDecodeError:
            return None

    @cached_property
    def lines_with_places(self) -> tuple[Any, ...] | None:
        """The lines of the body, whose objects know their places."""
        return (
            None
            if self.lines is None
            else tuple(
                Placed(line, Place(self, f"/body/{number}")) if isinstance(line, dict) else line
                for number, line in enumerate(self.lines)
            )
        )

    @cached_property
    def media_type(self) -> str:
        """Media type of the answer, without parameters, in lower case."""
        content_type: str = self.headers.get("content-type", "")
        return content_type.partition(";")[0].strip().lower()

    @property
    def is_a_page(self) -> bool:
        """Whether the answer is a web page."""
        return is_page(self.media_type, self.body)

    def request_values(self, header: str) -> list[str]:
        """Return the values of a header of the request."""
        return [value for name, value in self.request_headers if name.lower() == header]

    @property
    def request_json(self) -> Any:
        """The request body as JSON, or `None` when it is not JSON."""
        try:
            return orjson.loads(self.request_body)
        except orjson.JSONDecodeError:
            return None

    def redact(self, text: str) -> str:
        """Return `text` without the secrets of this exchange and without credentials that a target
        vends.
        """
        return redact(text, self.secrets)

    def shown_value(self, name: str, value: str) -> str:
        """Return a request header's value, redacted if it may be secret."""
        return REDACTED if name.lower() in SECRET_HEADERS | self.own else self.redact(value)

    def curl(self) -> str:
        """Return a shell command that sends the same request again."""
        parts = ["curl", "-sS", "-i", "--globoff", "--path-as-is"]
        parts += ["-I"] if self.method == "HEAD" else ["-X", self.method]
        for name, value in self.request_headers:
            if (name, value) == ("Accept", self.accepts):
                continue
            text = (
                "$AUTHORIZATION"
                if name.lower() in SECRET_HEADERS
                else self.shown_value(name, value)
            )
            parts += [
                "-H",
                f'"{name}: {text}"' if text == "$AUTHORIZATION" else shell(f"{name}: {text}"),
            ]
        if self.request_body:
            body = self.redact(
                self.request_body.decode("utf-8", "surrogateescape")
            )  # what is redacted after it is quoted may lose a quote
            parts += ["--data-raw", shell(body.encode("utf-8", "surrogateescape"))]
        return " ".join([*parts, shell(self.redact(self.url))])


@dataclass(frozen=True, slots=True)
class Place:
    """A place in an answer: the evidence of an expectation about the value there."""

    exchange: Exchange
    #: JSON pointer into `{"status", "headers", "media-type", "length", "body"}`, as in a claim
    pointer: str

    def within(self, *steps: str | int) -> Place:
        """Return a place within this one."""
        return self.below(pointer(*steps))

    def below(self, at: str) -> Place:
        """Return the place at a JSON pointer within this one."""
        return Place(self.exchange, self.pointer + at)

    @property
    def value(self) -> Any:
        """The value there; `ABSENT` if the answer has none."""
        exchange = self.exchange
        is_parsed = (
            self.pointer.startswith("/body")
            and exchange.media_type != LINES
            and isinstance(exchange.json, dict)
        )
        answer = (
            {"body": exchange.json}
            if is_parsed
            else answer_of(exchange.status, exchange.headers.multi_items(), exchange.body)
        )
        return value_at(answer, self.pointer)

    def differs(self, kind: Kind, below: str = "") -> Difference:
        """Return the difference of the answer here, or at a JSON pointer below."""
        return Difference(self.pointer.removeprefix("/body") + below, kind)


class Placed(dict[str, Any]):
    """A JSON object of an answer that knows its place, as do the objects in it."""

    def __init__(self, document: Members, at: Place) -> None:
        super().__init__(
            (name, Placed(value, at.within(name)) if isinstance(value, dict) else value)
            for name, value in document.items()
        )
        self._at = at

    def place(self, *path: str | int) -> Place:
        """Return the place of the object, or of a member of it."""
        return self._at.within(*path)


def place_of(document: object, *path: str | int) -> Place | None:
    """Return the place of a member of an object; `None` if the object does not know its own."""
    return document.place(*path) if isinstance(document, Placed) else None


@dataclass(frozen=True)
class Reply:
    """The answer of one exchange; its accessors raise `Unmet` when the target's body is
    malformed.
    """

    exchange: Exchange

    @property
    def status(self) -> int:
        """HTTP status."""
        return self.exchange.status

    @property
    def headers(self) -> httpx.Headers:
        """Response headers, names in any case."""
        return self.exchange.headers

    @property
    def body(self) -> bytes:
        """The bytes of the body."""
        return self.exchange.body

    @property
    def document(self) -> Document:
        """The body as a JSON object.

        Raises:
            Unmet: it is not one.
        """
        document = self.exchange.json
        if not isinstance(document, dict):
            claim = Claim({"type": "object"}, "/body")
            raise Unmet(
                "a JSON object as the body",
                f"{self._flaw}{self.summary}",
                exchange=self.exchange.number,
                claim=claim,
            )
        return document

    @property
    def _flaw(self) -> str:
        """Why a body that begins like a JSON object is not JSON; the part that is shown may look
        valid.
        """
        if not self.body.lstrip().startswith(b"{"):
            return ""
        try:
            orjson.loads(self.body)
        except orjson.JSONDecodeError as flaw:
            return f"no JSON ({flaw}, of {len(self.body)} bytes); "
        return ""

    @property
    def lines(self) -> tuple[Placed, ...]:
        """The body as JSON objects, one per line.

        Raises:
            Unmet: a line is not one.
        """
        lines = self.exchange.lines_with_places
        if lines is None or not all(isinstance(line, Placed) for line in lines):
            raise Unmet(
                "a JSON object on each line of the body",
                self.summary,
                exchange=self.exchange.number,
            )
        return lines

    def place(self, *path: str | int) -> Place:
        """Return the place of a member in the body, whether the body has it or not."""
        return Place(self.exchange, "/body").within(*path)

    def header(self, name: str) -> Place:
        """Return the place of a response header."""
        return Place(self.exchange, "/headers").within(name.lower())

    def at(self, *path: str | int) -> Any:
        """Return the value at `path` in the body.

        Raises:
            Unmet: the body has no such member.
        """
        value: Any = self.document
        for depth, step in enumerate(path):
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                where = "/".join(map(str, path[: depth + 1]))
                place, actual = pointer(*path[: depth + 1]), f"none there; {self.summary}"
                raise Unmet(
                    f"a member `{where}` in the body",
                    actual,
                    exchange=self.exchange.number,
                    claim=Claim({}, f"/body{place}"),
                    difference=Difference(place, Kind.MISSING),
                ) from None
        return value

    @property
    def summary(self) -> str:
        """Status and beginning of the body, for a report."""
        text = self.exchange.redact(self.exchange.body[:SHOWN_BODY].decode("utf-8", "replace"))
        short = text if len(text) <= SHOWN_TEXT else text[:SHOWN_TEXT] + "…"
        return f"status {self.status}" + (f"  {short}" if short else ", no body")
