"""Round trips of a generated package: every operation is called through its client and answered by
its server.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, get_type_hints

import httpx
from hypothesis import HealthCheck, find, settings
from hypothesis.strategies import from_regex
from pydantic import TypeAdapter
from werkzeug.serving import WSGIRequestHandler, make_server

DEPTH = 6  #: of a sample, below which optional members are left out
TEXTS = {
    "date": "2026-11-23",
    "date-time": "2026-11-23T20:15:00Z",
    "uuid": "7f3d0f9e-5b0a-4a3e-8a44-6f2d6a8f1c11",
}


@dataclass(frozen=True)
class Sampler:
    """Makes valid values of a type, from the JSON Schema of the type.

    Args:
        seed: Chooses among alternatives.
        text: The value of texts without a format or pattern.
    """

    seed: int
    text: str = "text & ümlaut/%2F"
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_random", random.Random(self.seed))

    def value(self, of: Any) -> Any:
        """Return a value of a type."""
        adapter = TypeAdapter(of)
        if of is bytes:
            return bytes(range(256))
        schema = adapter.json_schema()
        return adapter.validate_python(self._document(schema, schema.get("$defs", {}), 0))

    def _document(self, schema: dict[str, Any], components: dict[str, Any], depth: int) -> Any:
        if "$ref" in schema:
            return self._document(components[schema["$ref"].rpartition("/")[2]], components, depth)
        alternatives = schema.get("oneOf", schema.get("anyOf"))
        if alternatives:
            nothing = [each for each in alternatives if each.get("type") == "null"]
            chosen = nothing[0] if nothing and depth > DEPTH else self._random.choice(alternatives)
            return self._document(chosen, components, depth)
        if "const" in schema or "enum" in schema:
            return self._random.choice(schema.get("enum", [schema.get("const")]))
        return getattr(self, f"_{schema.get('type', 'string')}")(schema, components, depth)

    def _object(
        self, schema: dict[str, Any], components: dict[str, Any], depth: int
    ) -> dict[str, Any]:
        required = schema.get("required", ())
        properties = {
            name: self._document(member, components, depth + 1)
            for name, member in schema.get("properties", {}).items()
            if name in required
            or "const" in member
            or (depth < DEPTH and self._random.random() < 0.8)
        }
        values = schema.get("additionalProperties")
        others = (
            {"a key": self._document(values, components, depth + 1)}
            if isinstance(values, dict) and depth < DEPTH
            else {}
        )
        return {**others, **properties}

    def _array(self, schema: dict[str, Any], components: dict[str, Any], depth: int) -> list[Any]:
        number = max(schema.get("minItems", 0), 0 if depth > DEPTH else 2)
        return [
            self._document(schema.get("items", {}), components, depth + 1) for _ in range(number)
        ]

    def _string(self, schema: dict[str, Any], *_: Any) -> str:
        if "pattern" in schema:
            return matching(schema["pattern"])
        text = TEXTS.get(schema.get("format", ""), self.text)
        return text.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength")]

    def _integer(self, schema: dict[str, Any], *_: Any) -> int:
        low = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
        return min(low + 7, schema.get("maximum", schema.get("exclusiveMaximum", low + 8) - 1))

    def _number(self, schema: dict[str, Any], *_: Any) -> float:
        return schema.get("minimum", 0) + 0.5 if "maximum" not in schema else schema["maximum"]

    def _boolean(self, *_: Any) -> bool:
        return self._random.random() < 0.5

    def _null(self, *_: Any) -> None:
        return None


@cache
def matching(pattern: str) -> str:
    """Return the simplest text that matches a regular expression."""
    quiet = settings(derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    return find(from_regex(pattern), lambda text: text.isprintable(), settings=quiet)


class Handlers:
    """Answers every operation with what was planned, and keeps the arguments."""

    def __init__(self) -> None:
        self.answer: Any = None
        self.arguments: dict[str, Any] = {}

    def __getattr__(self, function: str) -> Any:
        def method(**arguments: Any) -> Any:
            self.arguments = arguments
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

        return method


@dataclass(frozen=True)
class Package:
    """An imported generated package."""

    name: str

    def __getattr__(self, module: str) -> ModuleType:
        return import_module(f"{self.name}.{module}")


def round_trips(name: str, seed: int) -> tuple[int, list[str]]:
    """Call every operation of a package with each of its documented answers; return the number of
    calls and the differences.
    """
    package, handlers, sampler, ascii_sampler = (
        Package(name),
        Handlers(),
        Sampler(seed),
        Sampler(seed, "a text"),
    )
    differences: list[str] = []
    calls = 0
    with (
        served(package.server.application(handlers)) as address,
        httpx.Client(base_url=address, timeout=60) as http,
    ):
        client = package.client.Client(http)
        for operation in package.operations.OPERATIONS.values():
            function = getattr(package.endpoints, operation.function)
            types = {
                argument: kind
                for argument, kind in get_type_hints(function, vars(package.endpoints)).items()
                if argument != "return"
            }
            for status in operation.answers:
                calls += 1
                headers = {
                    parameter.argument
                    for parameter in operation.parameters
                    if parameter.where == "header"
                }
                arguments = {
                    name: (ascii_sampler if name in headers else sampler).value(kind)
                    for name, kind in types.items()
                }
                body = sampler.value(
                    package.answers.ANSWERS[operation.id].get(status, None.__class__)
                )
                number = (
                    int(status.replace("XX", "00"))
                    if status != "default"
                    else 200
                    if status in operation.success
                    else 500
                )
                succeeds = status in operation.success
                handlers.answer = (
                    package.contract.Reply(body, number)
                    if succeeds
                    else package.contract.Problem(number, body)
                )
                received = _received(package, client, function(**arguments))
                sent = {
                    name: value
                    for name, value in arguments.items()
                    if value is not None or (name == "body" and operation.body_required)
                }
                expected = body if operation.answers[status] or succeeds else b""
                pairs = ((received, expected), (handlers.arguments, sent))
                differences += [
                    f"{operation.id} {status}: {actual!r} is not {wanted!r}"
                    for actual, wanted in pairs
                    if actual != wanted
                ]
    return calls, differences


@contextmanager
def served(application: Any) -> Iterator[str]:
    """Serve an application on a port of this machine, and yield its address."""
    server = make_server("127.0.0.1", 0, application, request_handler=Quiet)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Quiet(WSGIRequestHandler):
    """Keeps connections open, and logs nothing."""

    protocol_version = "HTTP/1.1"

    def log_request(self, *_: Any) -> None:
        """Log nothing."""


def _received(package: Package, client: Any, call: Any) -> Any:
    try:
        return client.send(call)
    except package.client.ResponseError as refused:
        return refused.body
