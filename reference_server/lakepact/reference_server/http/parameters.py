"""Query and header parameters, parsed as the contract describes them.

Unknown parameters and headers are ignored. A known one is converted as its schema demands,
or refused with a message that names the parameter, its value and a valid one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_to_bytes

from lakepact.generated.contract import Parameter

Convert = "Callable[[str], Any]"
INTEGER = re.compile(r"[+-]?[0-9]{1,40}")


class BadParameter(ValueError):
    """A parameter's value is not allowed by the contract; the message names the parameter, its
    value and the allowed values.
    """


class Parameters:
    """The query and header parameters of one operation, compiled."""

    __slots__ = ("headers", "query", "required")

    def __init__(self, parameters: Iterable[Parameter]) -> None:
        declared = [p for p in parameters if p.where in {"query", "header"}]
        self.query = {
            p.name.encode(): (p.argument, converter(p)) for p in declared if p.where == "query"
        }
        self.headers = {
            p.name.lower().encode(): (p.argument, converter(p))
            for p in declared
            if p.where == "header"
        }
        self.required = tuple(p for p in declared if p.required)

    def read_query(self, query: bytes, arguments: dict[str, Any]) -> None:
        """Add the values of a query string to the arguments of a call.

        Raises:
            BadParameter: a value is not one that the contract allows.
        """
        for pair in query.split(b"&"):
            name, _, value = pair.partition(b"=")
            known = self.query.get(unquote_to_bytes(name) if b"%" in name else name)
            if known is None:
                continue
            argument, convert = known
            if argument in arguments:
                raise BadParameter(f"query parameter {name.decode()} is given twice")
            arguments[argument] = convert(decoded(value.replace(b"+", b" "), name))

    def read_headers(
        self, headers: Iterable[tuple[bytes, bytes]], arguments: dict[str, Any]
    ) -> None:
        """Add the values of headers to the arguments of a call.

        Raises:
            BadParameter: a value is not one that the contract allows.
        """
        known = self.headers
        for name, value in headers:
            if name in known:
                argument, convert = known[name]
                found, before = convert(value.decode("latin-1")), arguments.get(argument)
                # A list may come in several headers; of a single value the last one counts.
                arguments[argument] = [*before, *found] if isinstance(before, list) else found

    def missing(self, arguments: Mapping[str, Any]) -> None:
        """Refuse a call without a parameter that is required.

        Raises:
            BadParameter: there is one.
        """
        for parameter in self.required:
            if parameter.argument not in arguments:
                raise BadParameter(f"{parameter.where} parameter {parameter.name} is required")


def decoded(value: bytes, name: bytes) -> str:
    """Return the text of a percent-encoded value.

    Raises:
        BadParameter: it is not UTF-8.
    """
    try:
        return (unquote_to_bytes(value) if b"%" in value else value).decode()
    except UnicodeDecodeError:
        raise BadParameter(f"the value of {name.decode('utf-8', 'replace')} is not UTF-8") from None


def converter(parameter: Parameter) -> Callable[[str], Any]:
    """Return the function that turns a parameter's text into its value."""
    schema = parameter.schema
    kind = schema.get("type")
    named = f"{parameter.where} parameter {parameter.name}"
    if parameter.many or kind == "array":
        return _several(schema.get("items", schema).get("enum"))
    if kind == "integer":
        return _integer(named, schema.get("minimum"), schema.get("maximum"))
    if kind == "boolean":
        return _boolean(named)
    if "enum" in schema:
        return _one_of(named, tuple(schema["enum"]))
    return str


def _several(known: Iterable[str] | None) -> Callable[[str], list[str]]:
    # A client lists its capabilities: unknown ones are ignored.
    allowed = None if known is None else frozenset(known)

    @lru_cache(64)
    def understood(text: str) -> tuple[str, ...]:
        values = [value.strip() for value in text.split(",")]
        return tuple(value for value in values if value and (allowed is None or value in allowed))

    def convert(text: str) -> list[str]:
        return list(understood(text))

    return convert


def _integer(named: str, minimum: int | None, maximum: int | None) -> Callable[[str], int]:
    limits = [f"at least {minimum}"] if minimum is not None else []
    limits += [f"at most {maximum}"] if maximum is not None else []
    wanted = " ".join(["an integer", *([f"of {' and '.join(limits)}"] if limits else [])])

    def convert(text: str) -> int:
        if INTEGER.fullmatch(text):
            value = int(text)
            if (minimum is None or value >= minimum) and (maximum is None or value <= maximum):
                return value
        raise BadParameter(f"{named} must be {wanted}, but is {text[:100]!r}")

    return convert


def _boolean(named: str) -> Callable[[str], bool]:
    def convert(text: str) -> bool:
        folded = text.lower()  # Python's clients spell it True
        if folded in {"true", "false"}:
            return folded == "true"
        raise BadParameter(f"{named} must be true or false, but is {text[:100]!r}")

    return convert


def _one_of(named: str, values: tuple[Any, ...]) -> Callable[[str], Any]:
    allowed = {str(value): value for value in values}

    def convert(text: str) -> Any:
        try:
            return allowed[text]
        except KeyError:
            raise BadParameter(
                f"{named} must be one of {', '.join(allowed)}, but is {text[:100]!r}"
            ) from None

    return convert
