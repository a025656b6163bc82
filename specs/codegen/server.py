"""The typed protocol of a server's handlers; it types those of the reference server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from codegen.contracts import TEMPLATES, Source
from codegen.registry import check_names
from codegen.templates.contract import Operation, OperationId
from lakepact.codegen.documents import Broken, Document, is_list
from lakepact.codegen.passes import operations_of
from lakepact.codegen.python_source import render

_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def server(
    source: Source, document: Document, operations: Mapping[OperationId, Operation], header: str
) -> str:
    """Return the source of the module with the protocol of a version.

    Raises:
        Broken: contract.yaml leaves out what the contract does not have.
    """
    check_names(
        "operations or parameters that have no handlers",
        source.without_handlers,
        {*operations, *(p.name for o in operations.values() for p in o.parameters)},
    )
    operation_documents = {
        operation["operationId"]: operation for _, _, operation in operations_of(document)
    }
    handlers = [o for o in operations.values() if o.id not in source.without_handlers]
    return render(
        TEMPLATES / "server.py.jinja",
        header=header,
        title=source.title,
        version=source.version,
        contract=source.name,
        callers=source.callers,
        bodies=sorted({o.body for o in handlers if o.body}),
        methods=[
            (o, summary(operation_documents[o.id]), list(_arguments(source, o))) for o in handlers
        ],
    )


def summary(operation: Document) -> str:
    """Return the summary of an operation, the first line of a docstring."""
    text = " ".join(str(operation.get("summary") or operation["operationId"]).split())
    return text.rstrip(".") + "."


def annotation(schema: Mapping[str, Any]) -> str:
    """Return the Python type of a parameter's value.

    Raises:
        Broken: The schema says something that parameters cannot be.
    """
    if "enum" in schema:
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    types: list[str] = schema["type"] if is_list(schema["type"]) else [schema["type"]]
    (kind,) = (name for name in types if name != "null")
    if kind == "array":
        return f"list[{annotation(schema['items'])}]"
    if kind not in _SCALARS:
        raise Broken(f"a parameter cannot be a {kind}")
    return _SCALARS[kind]


def _arguments(source: Source, operation: Operation) -> Iterator[tuple[str, str, bool]]:
    """Yield the name of each argument of a handler, its type, and whether it is required."""
    if source.callers:
        yield "caller", "Caller_contra", True
    for parameter in operation.parameters:
        if parameter.name not in source.without_handlers:
            yield parameter.argument, annotation(parameter.schema), parameter.required
    if operation.body:
        yield "body", operation.body, operation.body_required
