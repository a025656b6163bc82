"""Views that are loaded or dropped wrongly, and metadata of views that contradict themselves."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Fault, Install, on_answer, on_call, on_status
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR
from mutants.iceberg_rest.operators.requests import remembered
from mutants.iceberg_rest.operators.views import CARRIERS, DROP, EXISTS, LOAD, REPLACE, takes_tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.generated.contract import OperationId
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Service
    from lakepact.reference_server.storage.store import Place, Transaction

EACH = "*"  #: stands in a path for every item of an array

METADATA = ("metadata",)
VERSIONS = (*METADATA, "versions", EACH)


def _answered(change: Callable[[Any], Any], *path: str, by: tuple[OperationId, ...] = CARRIERS) -> Install:
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


def _schema(component: str, name: str, sentence: str, install: Install) -> Fault:
    return Fault(name, sentence, (f"IRC-SCH-{component}",), install)


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


LOADED = (
    Fault("views-are-remembered", "A view that existed once exists for ever.", ("IRC-VIEW-LOAD-005",), remembered(EXISTS, "view")),
    Fault("views-count-for-ever", "Dropped views keep their namespace from being dropped.", ("IRC-NS-DROP-001",), _counted_for_ever),
    Fault(
        "loads-views-as-they-began",
        "Views are loaded with their first version.",
        ("IRC-VIEW-LOAD-001",),
        _answered(_first_version_alone, *METADATA, by=(LOAD,)),
    ),
    Fault(
        "loads-views-from-elsewhere",
        "Loaded views name another file.",
        ("IRC-VIEW-LOAD-001",),
        _answered(lambda location: f"{location}.gz", "metadata-location", by=(LOAD,)),
    ),
    Fault(
        "missing-views-are-bad-requests",
        "Loading no view is a bad request.",
        ("IRC-VIEW-LOAD-002", "IRC-VIEW-LOAD-003", "IRC-VIEW-LOAD-007"),
        on_status(LOAD, {404: 400}),
    ),
    Fault("loads-tables-as-views", "A table is loaded as a view.", ("IRC-VIEW-LOAD-003",), takes_tables(LOAD)),
    Fault("config-of-views-holds-numbers", "The config holds numbers.", ("IRC-VIEW-LOAD-004",), _answered(_having(config={"clients": 4}))),
    Fault("config-of-views-is-a-list", "The config is an array.", ("IRC-VIEW-LOAD-004",), _answered(_having(config=["a"]))),
    Fault("drops-of-views-do-nothing", "Views stay.", ("IRC-VIEW-LOAD-007",), on_call(DROP, lambda _h, _a: Reply(204))),
    Fault("drops-of-views-are-200", "Views are dropped with 200.", ("IRC-VIEW-LOAD-007",), on_status(DROP, {204: 200})),
    Fault("drops-of-no-views-succeed", "Dropping no view succeeds.", ("IRC-VIEW-LOAD-008",), on_status(DROP, {404: 204})),
    Fault("drops-tables-as-views", "A table is dropped as a view.", ("IRC-VIEW-LOAD-009",), takes_tables(DROP)),
)

METADATA_FAULTS = (
    Fault(
        "current-versions-nowhere", "No current version is there.", ("IRC-META-017",), _answered(_having(current_version_id=999), *METADATA)
    ),
    Fault(
        "logs-of-versions-lead-nowhere",
        "The log names no version.",
        ("IRC-META-017",),
        _answered(_having(version_id=999), *METADATA, "version-log", EACH),
    ),
    Fault(
        "uuids-of-views-are-made-up",
        "A view has another UUID in each answer.",
        ("IRC-META-018",),
        _answered(lambda _: str(uuid.uuid4()), *METADATA, "view-uuid"),
    ),
    Fault(
        "replaced-views-are-version-2",
        "Replaced views have format version 2.",
        ("IRC-META-018",),
        _answered(lambda _: 2, *METADATA, "format-version", by=(REPLACE,)),
    ),
)

SCHEMAS = (
    _schema(
        "SQLViewRepresentation",
        "representations-without-dialect",
        "Representations have no dialect.",
        _answered(_without("dialect"), *VERSIONS, "representations", EACH),
    ),
    _schema(
        "ViewRepresentation",
        "representations-are-texts",
        "Representations are bare texts.",
        _answered(lambda one: one["sql"], *VERSIONS, "representations", EACH),
    ),
    _schema(
        "ViewHistoryEntry",
        "logs-of-versions-without-time",
        "The log of versions has no times.",
        _answered(_without("timestamp-ms"), *METADATA, "version-log", EACH),
    ),
    _schema("ViewVersion", "versions-without-summary", "Versions have no summary.", _answered(_without("summary"), *VERSIONS)),
    _schema("ViewMetadata", "views-without-log", "Views have no log.", _answered(_without("version-log"), *METADATA)),
    _schema("LoadViewResult", "views-without-file", "Views are answered without their file.", _answered(_without("metadata-location"))),
)


FAULTS: tuple[Fault, ...] = (*LOADED, *METADATA_FAULTS, *SCHEMAS)
