"""The operations of a contract, read from its normative document as the values that the rooms of lakepact use."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from codegen.documents import PROSE, Broken, Document, component, is_object, resolved
from codegen.names import snake
from codegen.passes import operations_of
from codegen.templates.contract import Answer, Operation, Parameter

if TYPE_CHECKING:
    from collections.abc import Mapping

Errors = dict[str, dict[int, tuple[str, ...]]]  #: operation id, status: types


def operations(document: Document, errors: Errors) -> dict[str, Operation]:
    """Every operation by its id, in the contract's order.

    Raises:
        Broken: Two operations have one name, or one says what cannot become a table.
    """
    found: dict[str, Operation] = {}
    for path, method, written in operations_of(document):
        operation = _operation(document, path, method, written, errors.get(written["operationId"], {}))
        if operation.id in found or operation.function in {other.function for other in found.values()}:
            raise Broken(f"there are two operations called {operation.id}")
        found[operation.id] = operation
    return found


def _operation(document: Document, path: str, method: str, written: Document, errors: Mapping[int, tuple[str, ...]]) -> Operation:
    media_type, body = _content(resolved(document, written.get("requestBody", {})))
    return Operation(
        id=written["operationId"],
        function=snake(written["operationId"]),
        method=method.upper(),
        path=path,
        parameters=_parameters(document, path, written),
        body=body,
        body_media_type=media_type,
        body_required=resolved(document, written.get("requestBody", {})).get("required", False),
        success=_success(written),
        answers={status: _answer(document, status, answer, errors) for status, answer in written["responses"].items()},
        tags=tuple(written.get("tags", ())),
        deprecated=written.get("deprecated", False),
    )


def _parameters(document: Document, path: str, operation: Document) -> tuple[Parameter, ...]:
    all_of_them = [resolved(document, p) for p in [*document["paths"][path].get("parameters", []), *operation.get("parameters", [])]]
    names = [snake(parameter["name"]) for parameter in all_of_them]
    if len(set(names)) < len(names) or "body" in names:
        raise Broken(f"{operation['operationId']}: two arguments would have one name among {', '.join(names)}")
    return tuple(_parameter(document, parameter) for parameter in all_of_them)


def _parameter(document: Document, parameter: Document) -> Parameter:
    schema: dict[str, Any] = _plain(document, parameter["schema"])
    return Parameter(
        name=parameter["name"],
        argument=snake(parameter["name"]),
        where=parameter["in"],
        required=parameter.get("required", False),
        schema=schema,
        many=schema.get("type") == "array",
    )


def _plain(document: Document, schema: Any) -> Any:
    """A parameter's schema with its references resolved and without prose."""
    schema = resolved(document, schema)
    if is_object(schema):
        return {key: _plain(document, deepcopy(value)) for key, value in schema.items() if key not in PROSE}
    return schema


def _success(operation: Document) -> int:
    good = [status for status in operation["responses"] if status.startswith("2")]
    if len(good) != 1 or not good[0].isdecimal():
        raise Broken(f"{operation['operationId']} has to have one status of success, but has {good}")
    return int(good[0])


def _answer(document: Document, status: str, answer: Document, errors: Mapping[int, tuple[str, ...]]) -> Answer:
    answer = resolved(document, answer)
    media_type, schema = _content(answer)
    types = errors.get(int(status), ()) if status.isdecimal() else ()
    return Answer(status, schema, media_type, tuple(answer.get("headers", {})), types)


def _content(holder: Document) -> tuple[str | None, str | None]:
    """The media type and the component schema of a body."""
    content = holder.get("content", {})
    if not content:
        return None, None
    if len(content) > 1:
        raise Broken(f"one body, but several media types: {', '.join(content)}")
    ((media_type, described),) = content.items()
    return media_type, component(described["schema"]["$ref"])
