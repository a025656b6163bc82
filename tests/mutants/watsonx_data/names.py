"""Names that are refused here and accepted there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_call
from lakepact.reference_server.iceberg_rest.identifiers import bad_request, no_such_namespace, no_such_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Handler


def _namespaces_without(wrong: Callable[[str], bool]) -> Install:
    """Refuse to create some namespaces."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if any(wrong(level) for level in arguments["body"]["namespace"]):
            raise bad_request("asked for by a fault")
        return handler(**arguments)

    return on_call(op.create_namespace, act)


def _tables_without(wrong: Callable[[str], bool]) -> Install:
    """Refuse to create some tables."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if wrong(arguments["body"]["name"]):
            raise bad_request("asked for by a fault")
        return handler(**arguments)

    return on_call(op.create_table, act)


def _lost_namespaces(character: str) -> Install:
    """Do not find namespaces with a character in their names."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if character in arguments["namespace"]:
            raise no_such_namespace((arguments["namespace"],))
        return handler(**arguments)

    return on_call(op.load_namespace_metadata, act)


def _lost_tables(character: str) -> Install:
    """Do not find tables with a character in their names."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if character in arguments["table"]:
            raise no_such_table((arguments["namespace"],), arguments["table"])
        return handler(**arguments)

    return on_call(op.load_table, act)


@fault("WXD-NAME-001")
def short_namespaces() -> Install:
    """Namespaces have names of up to 64 characters."""
    return _namespaces_without(lambda n: len(n) > 64)


@fault("WXD-NAME-001")
def short_tables() -> Install:
    """Tables have names of up to 127 characters."""
    return _tables_without(lambda n: len(n) > 127)


@fault("WXD-NAME-003")
def namespaces_by_the_pattern() -> Install:
    """Namespaces have no underscores, tables do."""
    return _namespaces_without(lambda n: "_" in n)


@fault("WXD-NAME-003")
def tables_by_the_pattern() -> Install:
    """Tables have no underscores, namespaces do."""
    return _tables_without(lambda n: "_" in n)


@fault("WXD-NAME-004")
def hyphenated_namespaces_are_lost() -> Install:
    """Namespaces with hyphens cannot be found."""
    return _lost_namespaces("-")


@fault("WXD-NAME-004")
def hyphenated_tables_are_lost() -> Install:
    """Tables with hyphens cannot be found."""
    return _lost_tables("-")


@fault("WXD-NAME-005")
def spaced_namespaces_are_lost() -> Install:
    """Namespaces with spaces cannot be found."""
    return _lost_namespaces(" ")


@fault("WXD-NAME-005")
def spaced_tables_are_lost() -> Install:
    """Tables with spaces cannot be found."""
    return _lost_tables(" ")
