"""Wrong ways of staging tables, and of the commits that make them."""

from __future__ import annotations

import copy
import time
import uuid
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, accept, all_of, around, instead, on_call
from lakepact.reference_server.iceberg_rest.catalog import no_such_table
from lakepact.reference_server.iceberg_rest.faults.ways.creation import is_staging
from lakepact.reference_server.iceberg_rest.faults.ways.operations import COMMIT, CREATE, LOAD
from lakepact.reference_server.iceberg_rest.faults.ways.preconditions import always_holds
from lakepact.reference_server.iceberg_rest.faults.ways.refusals import refusals_become, with_status
from lakepact.reference_server.iceberg_rest.metadata_files import record_of
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import json_reply
from lakepact.reference_server.warehouse import Outside

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Service
    from lakepact.reference_server.store import Key, Record, Transaction

WINDOW_MS = 300  #: how long a table that was just made seems not to be there


# -- stages -------------------------------------------------------------------------------------------------------------


def _stages(act: Callable[[Service, Handler, dict[str, Any]], Reply]) -> Callable[[Service], None]:
    """Requests that stage a table are answered by `act(service, handler, arguments)`."""

    def install(service: Service) -> None:
        def staged(handler: Handler, arguments: dict[str, Any]) -> Reply:
            return act(service, handler, arguments) if is_staging(arguments["body"]) else handler(**arguments)

        on_call(CREATE, staged)(service)

    return install


def _answering(edit: Callable[[Document], None]) -> Callable[[Service], None]:
    """The answers to stages are changed."""

    def act(_: Service, handler: Handler, arguments: dict[str, Any]) -> Reply:
        answer: Document = handler(**arguments).document
        edit(answer)
        return json_reply(answer)

    return _stages(act)


def _without(*members: str) -> Callable[[Document], None]:
    def edit(answer: Document) -> None:
        for member in members:
            del answer["metadata"][member]

    return edit


def _without_partitions(answer: Document) -> None:
    answer["metadata"]["partition-specs"][0]["fields"] = []


def _with_location(answer: Document) -> None:
    answer["metadata-location"] = f"{answer['metadata']['location']}/metadata/00000.metadata.json"


def _create(_: Service, handler: Handler, arguments: dict[str, Any]) -> Reply:
    return handler(**{**arguments, "body": {**arguments["body"], "stage-create": False}})


def _over_tables(service: Service, handler: Handler, arguments: dict[str, Any]) -> Reply:
    usual = service.rules["identifier-is-free"]
    service.rules["identifier-is-free"] = accept
    try:
        return handler(**arguments)
    finally:
        service.rules["identifier-is-free"] = usual


def _load_stages(service: Service) -> None:
    staged: dict[tuple[str, str], Reply] = {}

    def create(_: Service, handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        staged[arguments["namespace"], arguments["body"]["name"]] = reply
        return reply

    def load(handler: Handler, arguments: dict[str, Any]) -> Reply:
        try:
            return handler(**arguments)
        except Problem:
            known = staged.get((arguments["namespace"], arguments["table"]))
            if known is None:
                raise
            return known

    _stages(create)(service)
    on_call(LOAD, load)(service)


def _reserve(*, for_stages: bool) -> Callable[[Service], None]:
    """A staged name is taken: for creations, or for further stages."""

    def install(service: Service) -> None:
        staged: set[tuple[str, str]] = set()

        def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
            place, stages = (arguments["namespace"], arguments["body"]["name"]), is_staging(arguments["body"])
            if place in staged and stages is for_stages:
                raise Problem(409, "AlreadyExistsException", "the table is staged already")
            reply = handler(**arguments)
            if stages:
                staged.add(place)
            return reply

        on_call(CREATE, act)(service)

    return install


# -- commits that make a table ------------------------------------------------------------------------------------------


def making(spoil: Callable[[Document, Sequence[Document]], None]) -> Callable[[Service], None]:
    """The metadata of tables that a commit makes are changed by `spoil(metadata, updates)`."""

    def wrapper(apply: Callable[..., Document]) -> Callable[..., Document]:
        def applied(base: Document, updates: Sequence[Document], **facts: Any) -> Document:
            metadata = apply(base, updates, **facts)
            if not base:
                metadata = copy.deepcopy(metadata)
                spoil(metadata, updates)
            return metadata

        return applied

    return around("rules", "updates-applied", wrapper)


def _another_uuid(metadata: Document, _: Sequence[Document]) -> None:
    metadata["table-uuid"] = str(uuid.uuid4())


def _no_properties(metadata: Document, _: Sequence[Document]) -> None:
    metadata["properties"] = {}


def _unsorted(metadata: Document, _: Sequence[Document]) -> None:
    metadata |= {"sort-orders": [{"order-id": 0, "fields": []}], "default-sort-order-id": 0}


def _one_schema(metadata: Document, _: Sequence[Document]) -> None:
    current = metadata["current-schema-id"]
    metadata["schemas"] = [schema for schema in metadata["schemas"] if schema["schema-id"] == current]


def _no_snapshots(metadata: Document, _: Sequence[Document]) -> None:
    metadata |= {"snapshots": [], "refs": {}, "snapshot-log": []}
    metadata.pop("current-snapshot-id", None)


def _dense_columns(metadata: Document, _: Sequence[Document]) -> None:
    for schema in metadata["schemas"]:
        for number, field in enumerate(schema["fields"], start=1):
            field["id"] = number


def _counted_snapshots(metadata: Document, _: Sequence[Document]) -> None:
    numbers = {snapshot["snapshot-id"]: n for n, snapshot in enumerate(metadata.get("snapshots", []), start=1)}
    for entry in (*metadata.get("snapshots", []), *metadata["refs"].values(), *metadata.get("snapshot-log", [])):
        entry["snapshot-id"] = numbers[entry["snapshot-id"]]
        if "parent-snapshot-id" in entry:
            entry["parent-snapshot-id"] = numbers[entry["parent-snapshot-id"]]
    if metadata.get("current-snapshot-id") in numbers:
        metadata["current-snapshot-id"] = numbers[metadata["current-snapshot-id"]]


def _top_columns(metadata: Document, _: Sequence[Document]) -> None:
    metadata["last-column-id"] = max(field["id"] for schema in metadata["schemas"] for field in schema["fields"])


def _with_history(metadata: Document, _: Sequence[Document]) -> None:
    stage = {"timestamp-ms": metadata["last-updated-ms"], "metadata-file": f"{metadata['location']}/metadata/00000-stage.metadata.json"}
    metadata["metadata-log"] = [stage]


def _creates(requirements: Sequence[Document]) -> bool:
    return any(requirement.get("type") == "assert-create" for requirement in requirements)


def _must_exist(usual: Callable[..., Record | None]) -> Callable[..., Record | None]:
    def committed_table(transaction: Transaction, key: Key, requirements: Sequence[Document]) -> Record | None:
        if transaction.get(key) is None:
            raise no_such_table(key.place, key.name)
        return usual(transaction, key, requirements)

    return committed_table


def _replace(usual: Callable[..., Record | None]) -> Callable[..., Record | None]:
    def committed_table(transaction: Transaction, key: Key, requirements: Sequence[Document]) -> Record | None:
        return None if _creates(requirements) else usual(transaction, key, requirements)

    return committed_table


def _replace_what_is_new(usual: Callable[..., Record | None]) -> Callable[..., Record | None]:
    def committed_table(transaction: Transaction, key: Key, requirements: Sequence[Document]) -> Record | None:
        record = usual(transaction, key, requirements)
        if record is not None and _creates(requirements):
            age = time.time() * 1000 - record.document["metadata"]["last-updated-ms"]
            return None if age < WINDOW_MS else record
        return record

    return committed_table


def _touch_and_complain(service: Service) -> None:
    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            if problem.status == 409 and _creates(arguments["body"]["requirements"]):
                properties = [update for update in arguments["body"]["updates"] if update.get("action") == "set-properties"]
                handler(**{**arguments, "body": {"requirements": [], "updates": properties}})
            raise

    on_call(COMMIT, act)(service)


def _outside(service: Service) -> None:
    write = service.rules["written"]

    def written(warehouse: Any, metadata: Document, *, former: str | None) -> Record:
        try:
            record: Record = write(warehouse, metadata, former=former)
        except Outside:
            return record_of(metadata, f"{metadata['location']}/metadata/00000.metadata.json", b"{}")
        return record

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        held, service.rules["location-is-held"] = service.rules["location-is-held"], accept
        try:
            return handler(**arguments)
        finally:
            service.rules["location-is-held"] = held

    service.rules["written"] = written
    on_call(COMMIT, act)(service)


def _stages_of_the_usual_version(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Pass over the format version that a stage is to have."""
    body = arguments["body"]
    if not is_staging(body):
        return handler(**arguments)
    properties = {key: value for key, value in (body.get("properties") or {}).items() if key != "format-version"}
    return handler(**{**arguments, "body": {**body, "properties": properties}})


FAULTS = (
    Fault(
        "stages-are-of-the-usual-version",
        "Stages have the usual format version.",
        ("IRC-TBL-CREATE-010",),
        on_call(CREATE, _stages_of_the_usual_version),
    ),
    Fault("stages-without-order", "Stages are answered without sort orders.", ("IRC-TBL-STAGE-001",), _answering(_without("sort-orders"))),
    Fault("stages-without-uuid", "Stages are answered without a UUID.", ("IRC-TBL-STAGE-001",), _answering(_without("table-uuid"))),
    Fault("stages-without-location", "Stages are answered without a location.", ("IRC-TBL-STAGE-001",), _answering(_without("location"))),
    Fault("stages-without-partitions", "Stages are not partitioned.", ("IRC-TBL-STAGE-001",), _answering(_without_partitions)),
    Fault(
        "creates-stages",
        "A stage creates the table at once.",
        (
            *(f"IRC-TBL-STAGE-{number}" for number in ("002", "003", "004", "008")),
            *("IRC-TBL-HEAD-004", "IRC-TBL-LIST-006"),
        ),
        _stages(_create),
    ),
    Fault("loads-stages", "What was staged can be loaded.", ("IRC-TBL-STAGE-002",), _load_stages),
    Fault("stages-have-a-file", "Stages have a metadata-location.", ("IRC-TBL-STAGE-003",), _answering(_with_location)),
    Fault("assigns-another-uuid", "A commit that makes a table gives it another UUID.", ("IRC-TBL-STAGE-004",), making(_another_uuid)),
    Fault("makes-no-properties", "A commit that makes a table loses its properties.", ("IRC-TBL-STAGE-004",), making(_no_properties)),
    Fault("makes-no-order", "A commit that makes a table loses its sort order.", ("IRC-TBL-STAGE-004",), making(_unsorted)),
    Fault(
        "commits-to-tables-only",
        "A commit that would make a table is answered with 404.",
        ("IRC-TBL-STAGE-004",),
        around("rules", "committed-table", _must_exist),
    ),
    Fault("makes-one-schema", "A commit that makes a table keeps its current schema alone.", ("IRC-TBL-STAGE-005",), making(_one_schema)),
    Fault("makes-no-snapshots", "A commit that makes a table loses its snapshots.", ("IRC-TBL-STAGE-005",), making(_no_snapshots)),
    Fault("makes-dense-columns", "A commit that makes a table numbers its columns anew.", ("IRC-TBL-STAGE-005",), making(_dense_columns)),
    Fault("makes-flat-columns", "A commit that makes a table counts top-level columns.", ("IRC-TBL-STAGE-005",), making(_top_columns)),
    Fault("counts-snapshots", "A commit that makes a table numbers its snapshots.", ("IRC-TBL-STAGE-005",), making(_counted_snapshots)),
    Fault(
        "replaces-by-stages",
        "A commit that should make a table replaces one that is there.",
        ("IRC-TBL-STAGE-006", "IRC-TBL-STAGE-007"),
        around("rules", "committed-table", _replace),
    ),
    Fault(
        "asserts-no-creation",
        "assert-create always holds.",
        ("IRC-TBL-STAGE-006", "IRC-TBL-STAGE-007"),
        instead("preconditions", "assert-create", accept),
    ),
    Fault(
        "conflict-of-stages-is-400",
        "A commit that comes too late to make a table is answered with 400.",
        ("IRC-TBL-STAGE-006", "IRC-TBL-STAGE-007"),
        refusals_become(COMMIT, 409, with_status(400)),
    ),
    Fault(
        "touches-and-complains",
        "A commit that comes too late to make a table is answered with 409, and sets its properties.",
        ("IRC-TBL-STAGE-006",),
        _touch_and_complain,
    ),
    Fault(
        "stages-race",
        "For a moment after a commit has made a table, another one can.",
        ("IRC-TBL-STAGE-006", "IRC-TBL-STAGE-007"),
        around("rules", "committed-table", _replace_what_is_new),
    ),
    Fault("stages-take-names", "No table can be created by a name that is staged.", ("IRC-TBL-STAGE-008",), _reserve(for_stages=False)),
    Fault("stages-once", "No name can be staged twice.", ("IRC-TBL-STAGE-008",), _reserve(for_stages=True)),
    Fault(
        "stages-over-tables",
        "A table that exists can be staged, and committing the stage is no conflict.",
        ("IRC-TBL-STAGE-009",),
        all_of(_stages(_over_tables), always_holds("assert-create")),
    ),
    Fault("makes-with-history", "A table that a commit has made has a metadata-log.", ("IRC-TBL-STAGE-013",), making(_with_history)),
    Fault("stages-evade-the-policy", "A commit may set any location.", ("IRC-TBL-STAGE-014",), _outside),
)
