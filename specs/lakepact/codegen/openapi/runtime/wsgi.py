"""A WSGI application that hands each request to the method of its operation; needs Werkzeug."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_type_hints
from urllib.parse import quote, unquote, urlsplit

from pydantic import ValidationError
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request, Response

from .contract import Operation, Parameter, Problem, Reply, adapter, encode_body, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from wsgiref.types import StartResponse, WSGIEnvironment

_PLAIN = "!$&'()*+,-./:;=@[\\]^_|~"  #: what clients send as it is


@dataclass(frozen=True)
class Application:
    """The WSGI application of an implementation.

    Args:
        handlers: The implementation of the protocol.
        operations: The operations, by id.
        types: The types of arguments, by operation.
        answers: The types of answers, by operation and status.
    """

    handlers: Any
    operations: Mapping[str, Operation]
    types: Mapping[str, Mapping[str, Any]]
    answers: Mapping[str, Mapping[str, Any]]

    def __call__(
        self, environment: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        """Answer one request."""
        try:
            response = self._answer(Request(environment))
        except HTTPException as refusal:
            return refusal(environment, start_response)
        return response(environment, start_response)

    @cached_property
    def _routes(self) -> Map:
        routes = Map(strict_slashes=False, merge_slashes=False)
        for operation in self.operations.values():
            rule = Rule(_template(operation), endpoint=operation.id, methods=[operation.method])
            rule.methods = {operation.method}  # without the HEAD that Werkzeug adds to GET
            routes.add(rule)
        return routes

    def _answer(self, request: Request) -> Response:
        matcher = self._routes.bind("", "/")
        operation_id, path = matcher.match(_raw_path(request.environ), method=request.method)
        operation = self.operations[operation_id]
        try:
            arguments = self._arguments(operation, request, path)
        except (ValidationError, UnicodeDecodeError) as invalid:
            return _invalid(invalid)
        try:
            result: Any = getattr(self.handlers, operation.function)(**arguments)
        except Problem as problem:
            result = Reply(problem.body, problem.status)
        reply: Reply[Any] = result if isinstance(result, Reply) else Reply(result)
        return self._response(operation, reply)

    def _arguments(
        self, operation: Operation, request: Request, path: Mapping[str, str]
    ) -> dict[str, Any]:
        types = self.types[operation.id]
        values = {
            parameter: _argument(parameter, request, path) for parameter in operation.parameters
        }
        arguments = {
            parameter.argument: adapter(types[parameter.argument]).validate_python(value)
            for parameter, value in values.items()
            if value is not None or parameter.required
        }
        content = request.get_data()
        if operation.body is not None and (content or operation.body_required):
            arguments["body"] = read(content, operation.body, types["body"])
        return arguments

    def _response(self, operation: Operation, reply: Reply[Any]) -> Response:
        status = reply.status if reply.status is not None else _status(operation.success)
        key, answer = operation.answer(status)
        if answer is None or (reply.body is None and key not in operation.success):
            return Response(status=status, headers=dict(reply.headers))
        content = encode_body(reply.body, answer, self.answers[operation.id][key])
        return Response(content, status, {"Content-Type": answer.media_type, **reply.headers})


def types_of(protocol: type, operations: Mapping[str, Operation]) -> dict[str, dict[str, Any]]:
    """Return the types of the arguments of each operation, from the protocol that handlers
    implement.
    """
    return {
        operation.id: get_type_hints(getattr(protocol, operation.function))
        for operation in operations.values()
    }


def _template(operation: Operation) -> str:
    arguments = {
        parameter.name: parameter.argument
        for parameter in operation.parameters
        if parameter.where == "path"
    }
    parts = re.split(r"{([^{}]*)}", operation.path)  # literal text, name, literal text, …
    return "".join(
        f"<{arguments[part]}>" if index % 2 else quote(part, safe=f"%{_PLAIN}")
        for index, part in enumerate(parts)
    )


def _raw_path(environment: WSGIEnvironment) -> str:
    """Return the path as it was sent, where the server tells it: a decoded path has lost which
    slashes were part of a name.
    """
    target = environment.get("REQUEST_URI") or environment.get("RAW_URI")
    if target:
        return urlsplit(target).path.removeprefix(environment.get("SCRIPT_NAME", "")) or "/"
    return quote(environment.get("PATH_INFO", "/").encode("latin-1"), safe=_PLAIN)


def _argument(parameter: Parameter, request: Request, path: Mapping[str, str]) -> Any:
    if parameter.where == "path":
        segment = path[parameter.argument]
        return (
            [unquote(item) for item in segment.split(",")] if parameter.many else unquote(segment)
        )
    if parameter.where == "query" and parameter.explode:
        return request.args.getlist(parameter.name) or None
    value = (request.args if parameter.where == "query" else request.headers).get(parameter.name)
    return value.split(",") if parameter.many and value is not None else value


def _status(success: tuple[str, ...]) -> int:
    return int(success[0].replace("XX", "00")) if success and success[0] != "default" else 200


def _invalid(problem: ValidationError | UnicodeDecodeError) -> Response:
    errors: Any = (
        str(problem)
        if isinstance(problem, UnicodeDecodeError)
        else problem.errors(include_url=False, include_input=False)
    )
    body = json.dumps({"title": "Bad Request", "status": 400, "errors": errors}, default=str)
    return Response(body, 400, content_type="application/problem+json")
