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
            parameter = self.query.get(unquote_to_bytes(name) if b"%" in name else name)
            if parameter is None:
                continue
            argument, convert = parameter
            if argument in arguments:
                raise BadParameter(f"query parameter {name.decode()} is given twice")
            arguments[argument] = convert(decode(value.replace(b"+", b" "), name))

    def read_headers(
        self, headers: Iterable[tuple[bytes, bytes]], arguments: dict[str, Any]
    ) -> None:
        """Add the values of headers to the arguments of a call.

        Raises:
            BadParameter: a value is not one that the contract allows.
        """
        by_name = self.headers
        for name, value in headers:
            if name in by_name:
                argument, convert = by_name[name]
                result, before = convert(value.decode("latin-1")), arguments.get(argument)
                # A list may come in several headers; of a single value the last one counts.
                arguments[argument] = [*before, *result] if isinstance(before, list) else result

    def missing(self, arguments: Mapping[str, Any]) -> None:
        """Refuse a call without a parameter that is required.

        Raises:
            BadParameter: there is one.
        """
        for parameter in self.required:
            if parameter.argument not in arguments:
                raise BadParameter(f"{parameter.where} parameter {parameter.name} is required")


def decode(value: bytes, name: bytes) -> str:
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
    label = f"{parameter.where} parameter {parameter.name}"
    if parameter.many or kind == "array":
        return _several(schema.get("items", schema).get("enum"))
    if kind == "integer":
        return _integer(label, schema.get("minimum"), schema.get("maximum"))
    if kind == "boolean":
        return _boolean(label)
    if "enum" in schema:
        return _one_of(label, tuple(schema["enum"]))
    return str


def _several(members: Iterable[str] | None) -> Callable[[str], list[str]]:
    # A client lists its capabilities: unknown ones are ignored.
    choices = None if members is None else frozenset(members)

    @lru_cache(64)
    def split_list(text: str) -> tuple[str, ...]:
        values = [value.strip() for value in text.split(",")]
        return tuple(value for value in values if value and (choices is None or value in choices))

    def convert(text: str) -> list[str]:
        return list(split_list(text))

    return convert


def _integer(label: str, minimum: int | None, maximum: int | None) -> Callable[[str], int]:
    limits = [f"at least {minimum}"] if minimum is not None else []
    limits += [f"at most {maximum}"] if maximum is not None else []
    expected = " ".join(["an integer", *([f"of {' and '.join(limits)}"] if limits else [])])

    def convert(text: str) -> int:
        if INTEGER.fullmatch(text):
            value = int(text)
            if (minimum is None or value >= minimum) and (maximum is None or value <= maximum):
                return value
        raise BadParameter(f"{label} must be {expected}, but is {text[:100]!r}")

    return convert


def _boolean(label: str) -> Callable[[str], bool]:
    def convert(text: str) -> bool:
        lower = text.lower()  # Python's clients spell it True
        if lower in {"true", "false"}:
            return lower == "true"
        raise BadParameter(f"{label} must be true or false, but is {text[:100]!r}")

    return convert


def _one_of(label: str, values: tuple[Any, ...]) -> Callable[[str], Any]:
    choices = {str(value): value for value in values}

    def convert(text: str) -> Any:
        try:
            return choices[text]
        except KeyError:
            raise BadParameter(
                f"{label} must be one of {', '.join(choices)}, but is {text[:100]!r}"
            ) from None

    return convert
