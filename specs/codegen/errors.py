"""The types of error that a contract names, by operation and status: prose to a parser, so people
wrote them down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from codegen.operations import Errors
from lakepact.codegen.documents import Broken, Document, read_yaml
from lakepact.codegen.passes import operations_of

_RESPONSES = "#/components/responses/"


def errors(folders: Iterable[Path], document: Document) -> Errors:
    """Return the errors of each operation and status, in the contract's order; what a later folder
    says of one counts.

    Raises:
        Broken: A file speaks of an operation, a status or a response that the contract does not
            have.
    """
    from_files: Document = {"shared": {}, "errors": {}}
    answers = {
        operation["operationId"]: operation["responses"]
        for _, _, operation in operations_of(document)
    }
    for path in (folder / "errors.yaml" for folder in folders):
        # Of what an extended contract has and this one has not, nothing is said.
        from_files["errors"] = {
            operation: types
            for operation, types in from_files["errors"].items()
            if operation in answers
        }
        for part, entries in (read_yaml(path) if path.exists() else {}).items():
            from_files[part] |= entries
    unknown = list(_unknown(from_files, document, answers))
    if unknown:
        raise Broken(f"errors.yaml speaks of what the contract does not have: {', '.join(unknown)}")
    errors = {
        operation: {
            int(status): tuple(types)
            for status, answer in statuses.items()
            if status.isdecimal() and (types := _types(from_files, operation, status, answer))
        }
        for operation, statuses in answers.items()
    }
    return {operation: types for operation, types in errors.items() if types}


def _types(from_files: Document, operation: str, status: str, answer: Document) -> list[str]:
    own: list[str] = from_files["errors"].get(operation, {}).get(status, [])
    common: list[str] = from_files["shared"].get(
        str(answer.get("$ref", "")).removeprefix(_RESPONSES), []
    )
    return own or common


def _unknown(from_files: Document, document: Document, answers: Mapping[str, Any]) -> Iterator[str]:
    responses = document["components"].get("responses", {})
    yield from (response for response in from_files["shared"] if response not in responses)
    for operation, statuses in from_files["errors"].items():
        of_operation = answers.get(operation, {})
        yield from (
            f"{operation} {status}"
            for status in statuses
            if "content" not in _body_of(document, of_operation.get(status, {}))
        )


def _body_of(document: Document, answer: Document) -> Document:
    reference = str(answer.get("$ref", ""))
    body: Document = (
        document["components"]["responses"][reference.removeprefix(_RESPONSES)]
        if reference
        else answer
    )
    return body
