"""Request bodies: read within a limit, parsed strictly, validated against their schema."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from typing import Any

from lakepact.generated.contract import Operation
from lakepact.reference_server.http.forms import NotAForm, read_form
from lakepact.reference_server.http.json_text import NotJson, count_values
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.service import Arguments, Scope, Service
from lakepact.reference_server.http.validation import Invalid
from lakepact.reference_server.http.workers import LONG_BODY, Place, run_in

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

MOST_VALUES = 100_000  #: values of a body: some 20,000 updates of a commit, or columns of a schema
CHARSETS = frozenset(
    {"utf-8", "utf8", "us-ascii"}
)  #: names under which the bytes of a body are UTF-8

FORM = "application/x-www-form-urlencoded"

BODY_HEADERS = frozenset({b"content-type", b"content-length", b"content-encoding"})


class Gone(Exception):
    """The caller hung up before the body was complete."""


class Body:
    """The body of one operation's requests, compiled."""

    __slots__ = ("_media_type", "_nullable", "_operation", "_read", "_service")

    def __init__(self, operation: Operation, service: Service) -> None:
        self._operation = operation
        self._media_type = operation.body_media_type or "application/json"
        self._nullable = service.nullable.get(operation.id, frozenset())
        self._read: Callable[[bytes], Any] = (
            read_form if self._media_type == FORM else service.rules.http.read_json
        )
        self._service = service

    async def add(self, scope: Scope, receive: Receive, arguments: Arguments) -> bool:
        """Add the document that a request carries to the arguments of its call, and return whether
        it was a long one.

        Raises:
            Problem: there is none, or it is not one that the contract allows.
            Gone: the caller hung up.
        """
        self._check_headers(scope["headers"])
        message = await receive()
        raw: bytes = message.get("body", b"")
        if message.get("more_body") or not raw:
            raw = await self._rest(raw, message, receive)
        if len(raw) <= LONG_BODY:
            self._read_into(arguments, raw)
            return False
        await run_in(Place.QUEUE, partial(self._read_into, arguments, raw))
        return True

    def _read_into(self, arguments: Arguments, raw: bytes) -> None:
        """Add the document that a whole body holds to the arguments of a call.

        Raises:
            Problem: there is none, or it is not one that the contract allows.
        """
        if len(raw) > self._service.max_body:
            raise self._too_large()
        if not raw and not self._operation.body_required:
            return
        if len(raw) > MOST_VALUES and count_values(raw) > MOST_VALUES:
            raise self._problem(
                413,
                f"the body has more than {MOST_VALUES} values, by its commas and opening brackets;"
                " send less at once",
            )
        try:
            document = self._read(raw)
            if self._nullable and isinstance(document, dict):
                self._forgive(document)
            if self._media_type != FORM:  # its handler refuses a form as OAuth prescribes
                self._service.rules.http.check_body(
                    self._service.validators, self._operation, document
                )
        except (NotJson, NotAForm) as broken:
            raise self._problem(400, str(broken)) from None
        except Invalid as invalid:
            raise self._problem(
                400, f"the body is not a valid {self._operation.body}: {invalid}"
            ) from None
        arguments["body"] = document

    def _check_headers(self, headers: list[tuple[bytes, bytes]]) -> None:
        """Refuse a body by the headers that describe it.

        Raises:
            Problem: 413 or 415, it is too large, or of another media type or encoding.
        """
        for name, value in headers:
            if name not in BODY_HEADERS:
                continue
            if name == b"content-type":
                if value != b"application/json" or self._media_type == FORM:
                    self._check_media_type(value.decode("latin-1"))
            elif name == b"content-length":
                if int(value) > self._service.max_body:
                    raise self._too_large()
            elif name == b"content-encoding" and value.lower() != b"identity":
                raise self._problem(
                    415,
                    f"the body is encoded as {value.decode('latin-1')[:100]!r}; send it as it is",
                )

    def _check_media_type(self, value: str) -> None:
        media_type, _, rest = value.partition(";")
        if media_type.strip().lower() != self._media_type:
            raise self._problem(
                415, f"the body's Content-Type is {value[:100]!r}, but must be {self._media_type}"
            )
        for parameter in rest.split(";"):
            name, _, charset = parameter.partition("=")
            if (
                name.strip().lower() == "charset"
                and charset.strip().strip('"').lower() not in CHARSETS
            ):
                raise self._problem(
                    415, f"the body's charset is {charset.strip()[:100]!r}, but must be utf-8"
                )

    def _forgive(self, document: dict[str, Any]) -> None:
        for name in self._nullable:
            if name in document and document[name] is None:
                del document[name]

    async def _rest(
        self, first: bytes, message: MutableMapping[str, Any], receive: Receive
    ) -> bytes:
        """Return the body that begins with `first`, or so much of it that it is known to be too
        large.
        """
        pieces, size = [first], len(first)
        while message.get("more_body") and size <= self._service.max_body:
            message = await receive()
            pieces.append(message.get("body", b""))
            size += len(pieces[-1])
        if message["type"] == "http.disconnect":
            raise Gone
        return b"".join(pieces)

    def _too_large(self) -> Problem:
        return self._problem(
            413,
            f"the body is larger than {self._service.max_body} bytes, the most that this server"
            " reads",
        )

    def _problem(self, status: int, message: str) -> Problem:
        return Problem(status, self._service.kinds[status], message)
