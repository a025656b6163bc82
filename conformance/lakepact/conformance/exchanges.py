"""What was said over the wire: every request and its answer, kept as evidence, with secrets left out of whatever is shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.conformance.escaping import shell
from lakepact.conformance.outcome import Unmet
from lakepact.conformance.redaction import REDACTED, SECRET_HEADERS, redacted
from lakepact.generated.contract import OperationId

if TYPE_CHECKING:
    import httpx

ANYTHING = "*/*"  #: what is accepted where nothing else is said; a curl line does without
SHOWN_BODY = 4096  #: bytes of a body that a report quotes
MARGIN = 2048  #: bytes behind these that are kept, so that a secret at the cut is recognized
NO_OPERATION = OperationId("")  #: looked up in tables of operations for a request that was made for none
SHOWN_TEXT = 300  #: characters of it that a judgement quotes


@dataclass(frozen=True)
class Exchange:
    """One request and its answer, as they stood on the wire."""

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
    own: frozenset[str] = frozenset()  #: names, in lower case, of the headers that the target's user has added: their values are not shown
    accepts: str = ANYTHING  #: sent as `Accept` unless the check said otherwise
    left_out: int = 0  #: bytes at the end of the body that are kept no longer

    @cached_property
    def parsed(self) -> Any:
        """The body as JSON, or `None` when it is not JSON."""
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError:
            return None

    @cached_property
    def lines(self) -> tuple[Any, ...] | None:
        """The body as JSON documents, one a line, or `None` when a line is something else; empty lines say nothing."""
        try:
            return tuple(orjson.loads(line) for line in self.body.split(b"\n") if line.strip())
        except orjson.JSONDecodeError:
            return None

    @cached_property
    def media_type(self) -> str:
        """Media type of the answer, without parameters, in lower case."""
        content_type: str = self.headers.get("content-type", "")
        return content_type.partition(";")[0].strip().lower()

    @property
    def is_a_page(self) -> bool:
        """Whether the answer is a page for people: HTML by its media type and by its first character."""
        return self.media_type == "text/html" and self.body.lstrip().startswith(b"<")

    @property
    def request_parsed(self) -> Any:
        """The request body as JSON, or `None` when it is not JSON."""
        try:
            return orjson.loads(self.request_body)
        except orjson.JSONDecodeError:
            return None

    def redact(self, text: str) -> str:
        """`text` without any secret that was sent in this exchange, or that a target hands out."""
        return redacted(text, self.secrets)

    def shown_value(self, name: str, value: str) -> str:
        """The value of a header that was sent, as it may be shown."""
        return REDACTED if name.lower() in SECRET_HEADERS | self.own else self.redact(value)

    def curl(self) -> str:
        """A shell line that sends the same request again."""
        parts = ["curl", "-sS", "-i", "--path-as-is"]
        parts += ["-I"] if self.method == "HEAD" else ["-X", self.method]
        for name, value in self.request_headers:
            if (name, value) == ("Accept", self.accepts):
                continue
            shown = "$AUTHORIZATION" if name.lower() in SECRET_HEADERS else self.shown_value(name, value)
            parts += ["-H", f'"{name}: {shown}"' if shown == "$AUTHORIZATION" else shell(f"{name}: {shown}")]
        if self.request_body:
            parts += ["--data-binary", self.redact(shell(self.request_body))]
        return " ".join([*parts, shell(self.redact(self.url))])


@dataclass(frozen=True)
class Reply:
    """The answer of one exchange, with look-ups that fail as the target's fault rather than as ours."""

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
    def document(self) -> dict[str, Any]:
        """The body as a JSON object.

        Raises:
            Unmet: it is not one.
        """
        parsed = self.exchange.parsed
        if not isinstance(parsed, dict):
            raise Unmet("a JSON object as the body", f"{self._flaw}{self.shown}", exchange=self.exchange.number)
        return parsed

    @property
    def _flaw(self) -> str:
        """Where a body that begins like an object is no JSON: what is shown of it may look sound."""
        if not self.body.lstrip().startswith(b"{"):
            return ""
        try:
            orjson.loads(self.body)
        except orjson.JSONDecodeError as flaw:
            return f"no JSON ({flaw}, of {len(self.body)} bytes); "
        return ""

    @property
    def lines(self) -> tuple[dict[str, Any], ...]:
        """The body as JSON objects, one a line.

        Raises:
            Unmet: a line is not one.
        """
        lines = self.exchange.lines
        if lines is None or not all(isinstance(line, dict) for line in lines):
            raise Unmet("a JSON object on each line of the body", self.shown, exchange=self.exchange.number)
        return lines

    def at(self, *path: str | int) -> Any:
        """The value at `path` in the body.

        Raises:
            Unmet: the body has no such member.
        """
        value: Any = self.document
        for done, step in enumerate(path):
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                where = "/".join(map(str, path[: done + 1]))
                raise Unmet(f"a member `{where}` in the body", f"none there; {self.shown}", exchange=self.exchange.number) from None
        return value

    @property
    def shown(self) -> str:
        """Status and the beginning of the body, for a report."""
        text = self.exchange.redact(self.exchange.body[:SHOWN_BODY].decode("utf-8", "replace"))
        short = text if len(text) <= SHOWN_TEXT else text[:SHOWN_TEXT] + "…"
        return f"status {self.status}" + (f"  {short}" if short else ", no body")
