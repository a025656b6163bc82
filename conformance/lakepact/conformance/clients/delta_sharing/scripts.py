"""Servers that answer in an unusual way, as scripts for the scripted server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import orjson

from lakepact.conformance.evidence.exchanges import Document
from lakepact.conformance.programs.listener import Answer
from lakepact.conformance.programs.scripted_server import Forward, Request, Script
from lakepact.generated.contract import OperationId
from lakepact.generated.delta_sharing import op

LISTINGS = frozenset({op.list_shares, op.list_schemas, op.list_tables, op.list_all_tables})
IN_LINES = frozenset({op.get_table_metadata, op.query_table, op.query_table_changes})
CAPABILITIES = "delta-sharing-capabilities"


def listing(change: Callable[[Request, Document], Document]) -> Script:
    """Return a server whose listings are changed."""

    def script(request: Request, forward: Forward) -> Answer:
        answer = forward(request)
        if request.operation not in LISTINGS or answer.status != 200:
            return answer
        return answer.with_document(change(request, answer.document))

    return script


def in_lines(
    change: Callable[[list[Document]], list[Document]],
    *operations: OperationId,
    capabilities: str | None = None,
) -> Script:
    """Return a server whose answers in lines are changed.

    Args:
        change: returns the changed lines.
        operations: those whose answers are changed; by default all.
        capabilities: added to the capabilities header of the answer.
    """

    def script(request: Request, forward: Forward) -> Answer:
        answer = forward(request)
        if request.operation not in (operations or IN_LINES) or answer.status != 200:
            return answer
        result = answer.with_lines(change(answer.lines))
        others = [
            part
            for part in answer.header(CAPABILITIES).split(";")
            if part and part.partition("=")[0] != (capabilities or "").partition("=")[0]
        ]
        return (
            result.with_header(CAPABILITIES, ";".join([*others, capabilities]))
            if capabilities
            else result
        )

    return script


def with_capabilities(capabilities: str) -> Script:
    """Return a server that answers every request as if it had these capabilities."""

    def script(request: Request, forward: Forward) -> Answer:
        headers = request.headers.copy()
        headers[CAPABILITIES] = capabilities
        return forward(replace(request, headers=headers))

    return script


def blind(request: Request, forward: Forward) -> Answer:
    """Answer as a server that ignores hints and sends all files."""
    document = request.document
    if request.operation == op.query_table and isinstance(document, dict):
        members = {
            name: value
            for name, value in document.items()
            if not name.endswith("Hint") and not name.endswith("Hints")
        }
        return forward(replace(request, body=orjson.dumps(members)))
    return forward(request)
