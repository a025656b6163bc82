"""Names that are refused here and accepted there."""

from __future__ import annotations

from collections.abc import Callable

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, on_call
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.iceberg_rest.identifiers import (
    bad_request,
    no_such_namespace,
    no_such_table,
)


def _namespaces_without(wrong: Callable[[str], bool]) -> Install:
    """Refuse to create some namespaces."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        if any(wrong(level) for level in arguments["body"]["namespace"]):
            raise bad_request("asked for by a fault")
        return handler(**arguments)

    return on_call(op.create_namespace, act)


def _tables_without(wrong: Callable[[str], bool]) -> Install:
    """Refuse to create some tables."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        if wrong(arguments["body"]["name"]):
            raise bad_request("asked for by a fault")
        return handler(**arguments)

    return on_call(op.create_table, act)


def _lost_namespaces(character: str) -> Install:
    """Do not find namespaces with a character in their names."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        if character in arguments["namespace"]:
            raise no_such_namespace((arguments["namespace"],))
        return handler(**arguments)

    return on_call(op.load_namespace_metadata, act)


def _lost_tables(character: str) -> Install:
    """Do not find tables with a character in their names."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        if character in arguments["table"]:
            raise no_such_table((arguments["namespace"],), arguments["table"])
        return handler(**arguments)

    return on_call(op.load_table, act)


FAULTS = {
    "short-namespaces WXD-NAME-001": _namespaces_without(lambda n: len(n) > 64),
    "short-tables WXD-NAME-001": _tables_without(lambda n: len(n) > 127),
    "namespaces-by-the-pattern WXD-NAME-003": _namespaces_without(lambda n: "_" in n),
    "tables-by-the-pattern WXD-NAME-003": _tables_without(lambda n: "_" in n),
    "hyphenated-namespaces-are-lost WXD-NAME-004": _lost_namespaces("-"),
    "hyphenated-tables-are-lost WXD-NAME-004": _lost_tables("-"),
    "spaced-namespaces-are-lost WXD-NAME-005": _lost_namespaces(" "),
    "spaced-tables-are-lost WXD-NAME-005": _lost_tables(" "),
}
