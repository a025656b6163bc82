"""Views that are loaded or dropped wrongly, and metadata of views that contradict themselves."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, on_answer, on_call, on_status
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Service
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR
from lakepact.reference_server.storage.store import Place, Transaction
from mutants.iceberg_rest.operators.requests import remembered
from mutants.iceberg_rest.operators.views import CARRIERS, DROP, EXISTS, LOAD, REPLACE, takes_tables

EACH = "*"  #: stands in a path for every item of an array

METADATA = ("metadata",)
VERSIONS = (*METADATA, "versions", EACH)


def _on_view(
    change: Callable[[Any], Any], *path: str, by: tuple[OperationId, ...] = CARRIERS
) -> Install:
    """The value at `path` in answers is `change(value)`."""
    return on_answer(by, lambda document: _at(document, path, change))


def _at(value: Any, path: tuple[str, ...], change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(value)
    if path[0] == EACH:
        return [_at(item, path[1:], change) for item in value]
    return {**value, path[0]: _at(value[path[0]], path[1:], change)} if path[0] in value else value


def _having(**members: Any) -> Callable[[Document], Document]:
    named = {key.replace("_", "-"): value for key, value in members.items()}
    return lambda value: {**value, **named}


def _without(member: str) -> Callable[[Document], Document]:
    return lambda value: {key: inner for key, inner in value.items() if key != member}


def _first_version_alone(metadata: Document) -> Document:
    first = metadata["versions"][0]["version-id"]
    return {**metadata, "versions": metadata["versions"][:1], "current-version-id": first}


def _counted_for_ever(service: Service) -> None:
    """A namespace that a view was created in is never empty again."""
    filled: set[tuple[str, ...]] = set()
    create, is_empty = service.handlers[op.create_view], service.rules.current("namespace_is_empty")

    def counted(*, namespace: str, **arguments: Any) -> Reply:
        reply = create(namespace=namespace, **arguments)
        filled.add(tuple(namespace.split(SEPARATOR)))
        return reply

    def namespace_is_empty(transaction: Transaction, levels: Place) -> None:
        is_empty(transaction, levels)
        if tuple(levels) in filled:
            raise Problem(409, "NamespaceNotEmptyException", "it holds a view")

    service.handlers[op.create_view] = counted
    service.rules.replace("namespace_is_empty", namespace_is_empty)


LOADED = {
    "views-are-remembered IRC-VIEW-LOAD-005": remembered(EXISTS, "view"),
    "views-count-for-ever IRC-NS-DROP-001": _counted_for_ever,
    "loads-views-as-they-began IRC-VIEW-LOAD-001": _on_view(
        _first_version_alone, *METADATA, by=(LOAD,)
    ),
    "loads-views-from-elsewhere IRC-VIEW-LOAD-001": _on_view(
        lambda location: f"{location}.gz", "metadata-location", by=(LOAD,)
    ),
    "missing-views-are-bad-requests IRC-VIEW-LOAD-002 IRC-VIEW-LOAD-003 IRC-VIEW-LOAD-007": on_status(
        LOAD, {404: 400}
    ),
    "loads-tables-as-views IRC-VIEW-LOAD-003": takes_tables(LOAD),
    "config-of-views-holds-numbers IRC-VIEW-LOAD-004": _on_view(_having(config={"clients": 4})),
    "config-of-views-is-a-list IRC-VIEW-LOAD-004": _on_view(_having(config=["a"])),
    "drops-of-views-do-nothing IRC-VIEW-LOAD-007": on_call(DROP, lambda _h, _a: Reply(204)),
    "drops-of-views-are-200 IRC-VIEW-LOAD-007": on_status(DROP, {204: 200}),
    "drops-of-no-views-succeed IRC-VIEW-LOAD-008": on_status(DROP, {404: 204}),
    "drops-tables-as-views IRC-VIEW-LOAD-009": takes_tables(DROP),
}

METADATA_FAULTS = {
    "current-versions-nowhere IRC-META-017": _on_view(_having(current_version_id=999), *METADATA),
    "logs-of-versions-lead-nowhere IRC-META-017": _on_view(
        _having(version_id=999), *METADATA, "version-log", EACH
    ),
    "uuids-of-views-are-made-up IRC-META-018": _on_view(
        lambda _: str(uuid.uuid4()), *METADATA, "view-uuid"
    ),
    "replaced-views-are-version-2 IRC-META-018": _on_view(
        lambda _: 2, *METADATA, "format-version", by=(REPLACE,)
    ),
}

SCHEMAS = {
    "representations-without-dialect IRC-SCH-SQLViewRepresentation": _on_view(
        _without("dialect"), *VERSIONS, "representations", EACH
    ),
    "representations-are-texts IRC-SCH-ViewRepresentation": _on_view(
        lambda one: one["sql"], *VERSIONS, "representations", EACH
    ),
    "logs-of-versions-without-time IRC-SCH-ViewHistoryEntry": _on_view(
        _without("timestamp-ms"), *METADATA, "version-log", EACH
    ),
    "versions-without-summary IRC-SCH-ViewVersion": _on_view(_without("summary"), *VERSIONS),
    "views-without-log IRC-SCH-ViewMetadata": _on_view(_without("version-log"), *METADATA),
    "views-without-file IRC-SCH-LoadViewResult": _on_view(_without("metadata-location")),
}


FAULTS = {**LOADED, **METADATA_FAULTS, **SCHEMAS}
