"""Names that are refused here and accepted there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, on_call
from lakepact.reference_server.iceberg_rest.catalog import bad_request, no_such_namespace, no_such_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler


def _namespaces_without(wrong: Callable[[str], bool]) -> Install:
    """Refuse to create some namespaces."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if any(wrong(level) for level in arguments["body"]["namespace"]):
            raise bad_request("asked for by a fault")
        return handler(**arguments)

    return on_call("createNamespace", act)


def _tables_without(wrong: Callable[[str], bool]) -> Install:
    """Refuse to create some tables."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if wrong(arguments["body"]["name"]):
            raise bad_request("asked for by a fault")
        return handler(**arguments)

    return on_call("createTable", act)


def _lost_namespaces(character: str) -> Install:
    """Do not find namespaces with a character in their names."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if character in arguments["namespace"]:
            raise no_such_namespace((arguments["namespace"],))
        return handler(**arguments)

    return on_call("loadNamespaceMetadata", act)


def _lost_tables(character: str) -> Install:
    """Do not find tables with a character in their names."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if character in arguments["table"]:
            raise no_such_table((arguments["namespace"],), arguments["table"])
        return handler(**arguments)

    return on_call("loadTable", act)


FAULTS = (
    Fault(
        "short-namespaces", "Namespaces have names of up to 64 characters.", ("WXD-NAME-001",), _namespaces_without(lambda n: len(n) > 64)
    ),
    Fault("short-tables", "Tables have names of up to 127 characters.", ("WXD-NAME-001",), _tables_without(lambda n: len(n) > 127)),
    Fault(
        "namespaces-by-the-pattern",
        "Namespaces have no underscores, tables do.",
        ("WXD-NAME-003",),
        _namespaces_without(lambda n: "_" in n),
    ),
    Fault("tables-by-the-pattern", "Tables have no underscores, namespaces do.", ("WXD-NAME-003",), _tables_without(lambda n: "_" in n)),
    Fault("hyphenated-namespaces-are-lost", "Namespaces with hyphens cannot be found.", ("WXD-NAME-004",), _lost_namespaces("-")),
    Fault("hyphenated-tables-are-lost", "Tables with hyphens cannot be found.", ("WXD-NAME-004",), _lost_tables("-")),
    Fault("spaced-namespaces-are-lost", "Namespaces with spaces cannot be found.", ("WXD-NAME-005",), _lost_namespaces(" ")),
    Fault("spaced-tables-are-lost", "Tables with spaces cannot be found.", ("WXD-NAME-005",), _lost_tables(" ")),
)
