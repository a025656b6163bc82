"""The typed protocol that a server of a contract implements."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from codegen.contracts import TEMPLATES
from codegen.templates.contract import Operation, OperationId
from lakepact.codegen.documents import Broken, Document, is_list, resolved
from lakepact.codegen.passes import operations_of
from lakepact.codegen.python_source import WIDTH, rendered

_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
_INDENT = 8


@dataclass(frozen=True, slots=True)
class Method:
    """One method of the protocol."""

    function: str
    arguments: Mapping[str, str]  #: types; those of optional arguments end with None
    sentence: str
    details: tuple[str, ...]


def server(document: Document, operations: Mapping[OperationId, Operation], **values: str) -> str:
    """Return the source of the module with the protocol."""
    written = {operation["operationId"]: operation for _, _, operation in operations_of(document)}
    methods = [
        _method(document, operation, written[operation.id]) for operation in operations.values()
    ]
    return rendered(TEMPLATES / "server.py.jinja", methods=methods, **values)


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


def _method(document: Document, operation: Operation, written: Document) -> Method:
    required = {p.argument: annotation(p.schema) for p in operation.parameters if p.required}
    optional = {
        p.argument: f"{annotation(p.schema)} | None" for p in operation.parameters if not p.required
    }
    body = (
        {"body": f"dict[str, Any]{'' if operation.body_required else ' | None'}"}
        if operation.body
        else {}
    )
    arguments = (
        {**required, **body, **optional}
        if operation.body_required
        else {**required, **optional, **body}
    )
    details = [f"{operation.method} {operation.path}", *_answers(document, operation, written)]
    return Method(operation.function, arguments, summary(written), tuple(details))


def _answers(document: Document, operation: Operation, written: Document) -> list[str]:
    """Return the responses of an operation: as text if the operation describes them, as a list of statuses if they are shared."""
    shared = [
        status
        for status, answer in written["responses"].items()
        if "$ref" in answer and int(status[0]) >= 4
    ]
    lines = ["", f"Body: {operation.body}."] if operation.body else []
    lines += ["", "Answers:"]
    for status, answer in operation.answers.items():
        if status not in shared:
            types = f" ({', '.join(answer.errors)})" if answer.errors else ""
            described = resolved(document, written["responses"][status]).get("description", "")
            body = f"lines, each a {answer.schema}" if answer.lines else answer.schema or "no body"
            lines += _wrapped(f"{status}: {body}{types}. {_first_sentence(described)}")
    return [*lines, *_wrapped(f"{', '.join(shared)}: as for every operation.")] if shared else lines


def _first_sentence(text: str) -> str:
    return " ".join(text.split()).partition(". ")[0].rstrip(".") + "."


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH - _INDENT - 4, initial_indent="    ", subsequent_indent="        "
    )
