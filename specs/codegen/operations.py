"""The operations of a contract, read from its normative document."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from codegen.contracts import Writing
from codegen.templates.contract import Answer, Operation, OperationId, Parameter
from lakepact.codegen.documents import PROSE, Broken, Document, component, is_object, resolve
from lakepact.codegen.names import snake
from lakepact.codegen.passes import operations_of

Errors = dict[str, dict[int, tuple[str, ...]]]  #: operation id, status: types


def operations(
    document: Document, errors: Errors, media: Mapping[str, Writing]
) -> dict[OperationId, Operation]:
    """Return every operation by its id, in the contract's order.

    Args:
        document: The normative document.
        errors: The error types that the contract names.
        media: How bodies of each media type are written.

    Raises:
        Broken: Two operations have one name, or one says what cannot become a table.
    """
    by_id: dict[OperationId, Operation] = {}
    for path, method, entry in operations_of(document):
        operation = _operation(
            document, path, method, entry, _answers(document, entry, errors, media)
        )
        if operation.id in by_id or operation.function in {
            other.function for other in by_id.values()
        }:
            raise Broken(f"there are two operations called {operation.id}")
        by_id[operation.id] = operation
    return by_id


def _operation(
    document: Document, path: str, method: str, entry: Document, answers: dict[str, Answer]
) -> Operation:
    media_type, others, body = _content(resolve(document, entry.get("requestBody", {})))
    if others:
        raise Broken(
            f"{entry['operationId']}: a request has one media type, not also {', '.join(others)}"
        )
    return Operation(
        id=OperationId(entry["operationId"]),
        function=snake(entry["operationId"]),
        method=method.upper(),
        path=path,
        parameters=_parameters(document, path, entry),
        body=body,
        body_media_type=media_type,
        body_required=resolve(document, entry.get("requestBody", {})).get("required", False),
        success=_success(entry),
        answers=answers,
        tags=tuple(entry.get("tags", ())),
        deprecated=entry.get("deprecated", False),
    )


def _parameters(document: Document, path: str, operation: Document) -> tuple[Parameter, ...]:
    all_of_them = [
        resolve(document, p)
        for p in [*document["paths"][path].get("parameters", []), *operation.get("parameters", [])]
    ]
    names = [snake(parameter["name"]) for parameter in all_of_them]
    if len(set(names)) < len(names) or "body" in names:
        raise Broken(
            f"{operation['operationId']}: two arguments would have one name among"
            f" {', '.join(names)}"
        )
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
    """Return a parameter's schema with its references resolved and without prose."""
    schema = resolve(document, schema)
    if is_object(schema):
        return {
            key: _plain(document, deepcopy(value))
            for key, value in schema.items()
            if key not in PROSE
        }
    return schema


def _success(operation: Document) -> int:
    good = [status for status in operation["responses"] if status.startswith("2")]
    if len(good) != 1 or not good[0].isdecimal():
        raise Broken(
            f"{operation['operationId']} has to have one status of success, but has {good}"
        )
    return int(good[0])


def _answers(
    document: Document, operation: Document, errors: Errors, media: Mapping[str, Writing]
) -> dict[str, Answer]:
    types = errors.get(operation["operationId"], {})
    answers: dict[str, Answer] = {}
    for status, response in operation["responses"].items():
        answer = resolve(document, response)
        media_type, others, schema = _content(answer)
        answers[status] = Answer(
            status=status,
            schema=schema,
            media_type=media_type,
            headers=tuple(answer.get("headers", {})),
            errors=types.get(int(status), ()) if status.isdecimal() else (),
            lines=media_type is not None and media.get(media_type) == "lines",
            also=others,
        )
    return answers


def _content(holder: Document) -> tuple[str | None, tuple[str, ...], str | None]:
    """Return the preferred media type of a body, the others that it may come in, and its component
    schema.
    """
    content = holder.get("content", {})
    if not content:
        return None, (), None
    schemas = {component(media["schema"]["$ref"]) for media in content.values()}
    if len(schemas) > 1:
        raise Broken(f"one body, but several schemas, by media type: {', '.join(content)}")
    main, *others = content
    return main, tuple(others), schemas.pop()
