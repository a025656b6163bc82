"""Wrong ways of staging tables, and of the commits that make them."""

from __future__ import annotations

import copy
import time
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest.documents import TableMetadata
from lakepact.reference_server.faults import (
    accept,
    all_of,
    fault,
    on_call,
    replace_entry,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import no_such_table
from lakepact.reference_server.iceberg_rest.tables.metadata_files import record_of
from lakepact.reference_server.storage.store import Key, Record, Transaction
from lakepact.reference_server.warehouse.local import Outside
from mutants.iceberg_rest.operators.creation import is_staging
from mutants.iceberg_rest.operators.operations import COMMIT, CREATE, LOAD
from mutants.iceberg_rest.operators.preconditions import always_holds
from mutants.iceberg_rest.operators.refusals import refusals_become, with_status
from mutants.iceberg_rest.operators.requests import switched

WINDOW_MS = 300  #: how long a table that was just made seems not to be there


def _stages(act: Callable[[Service, Handler, dict[str, Any]], Reply]) -> Callable[[Service], None]:
    """Requests that stage a table are answered by `act(service, handler, arguments)`."""

    def install(service: Service) -> None:
        def staged(handler: Handler, arguments: Arguments) -> Reply:
            return (
                act(service, handler, arguments)
                if is_staging(arguments["body"])
                else handler(**arguments)
            )

        on_call(CREATE, staged)(service)

    return install


def _answering(edit: Callable[[Document], None]) -> Callable[[Service], None]:
    """The answers to stages are changed."""

    def act(_: Service, handler: Handler, arguments: Arguments) -> Reply:
        answer: Document = handler(**arguments).document
        edit(answer)
        return json_reply(answer)

    return _stages(act)


def _without(*members: str) -> Callable[[Document], None]:
    def edit(answer: Document) -> None:
        for member in members:
            del answer["metadata"][member]

    return edit


def _reserve(*, for_stages: bool) -> Callable[[Service], None]:
    """A staged name is taken: for creations, or for further stages."""

    def install(service: Service) -> None:
        staged: set[tuple[str, str]] = set()

        def act(handler: Handler, arguments: Arguments) -> Reply:
            place, stages = (
                (arguments["namespace"], arguments["body"]["name"]),
                is_staging(arguments["body"]),
            )
            if place in staged and stages is for_stages:
                raise Problem(409, "AlreadyExistsException", "the table is staged already")
            reply = handler(**arguments)
            if stages:
                staged.add(place)
            return reply

        on_call(CREATE, act)(service)

    return install


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

    return wrap_rule("apply_updates", wrapper)


def _creates(requirements: Sequence[Document]) -> bool:
    return any(requirement.get("type") == "assert-create" for requirement in requirements)


@fault("IRC-TBL-CREATE-010", by=partial(on_call, CREATE))
def stages_are_of_the_usual_version(handler: Handler, arguments: Arguments) -> Reply:
    body = arguments["body"]
    if not is_staging(body):
        return handler(**arguments)
    properties = {
        key: value
        for key, value in (body.get("properties") or {}).items()
        if key != "format-version"
    }
    return handler(**{**arguments, "body": {**body, "properties": properties}})


@fault("IRC-TBL-STAGE-002")
def loads_stages(service: Service) -> None:
    staged: dict[tuple[str, str], Reply] = {}

    def create(_: Service, handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        staged[arguments["namespace"], arguments["body"]["name"]] = reply
        return reply

    def load(handler: Handler, arguments: Arguments) -> Reply:
        try:
            return handler(**arguments)
        except Problem:
            known = staged.get((arguments["namespace"], arguments["table"]))
            if known is None:
                raise
            return known

    _stages(create)(service)
    on_call(LOAD, load)(service)


@fault("IRC-TBL-STAGE-004", by=making)
def makes_no_order(metadata: Document, _: Sequence[Document]) -> None:
    metadata |= {"sort-orders": [{"order-id": 0, "fields": []}], "default-sort-order-id": 0}


@fault("IRC-TBL-STAGE-004", by=partial(wrap_rule, "table_to_commit"))
def commits_to_tables_only(usual: Callable[..., Record | None]) -> Callable[..., Record | None]:
    def committed_table(
        transaction: Transaction, key: Key, requirements: Sequence[Document]
    ) -> Record | None:
        if transaction.get(key) is None:
            raise no_such_table(key.place, key.name)
        return usual(transaction, key, requirements)

    return committed_table


@fault("IRC-TBL-STAGE-005", by=making)
def makes_one_schema(metadata: Document, _: Sequence[Document]) -> None:
    current = metadata["current-schema-id"]
    metadata["schemas"] = [
        schema for schema in metadata["schemas"] if schema["schema-id"] == current
    ]


@fault("IRC-TBL-STAGE-005", by=making)
def makes_no_snapshots(metadata: Document, _: Sequence[Document]) -> None:
    metadata |= {"snapshots": [], "refs": {}, "snapshot-log": []}
    metadata.pop("current-snapshot-id", None)


@fault("IRC-TBL-STAGE-005", by=making)
def makes_dense_columns(metadata: Document, _: Sequence[Document]) -> None:
    for schema in metadata["schemas"]:
        for number, field in enumerate(schema["fields"], start=1):
            field["id"] = number


@fault("IRC-TBL-STAGE-005", by=making)
def counts_snapshots(metadata: Document, _: Sequence[Document]) -> None:
    numbers = {
        snapshot["snapshot-id"]: n
        for n, snapshot in enumerate(metadata.get("snapshots", []), start=1)
    }
    for entry in (
        *metadata.get("snapshots", []),
        *metadata["refs"].values(),
        *metadata.get("snapshot-log", []),
    ):
        entry["snapshot-id"] = numbers[entry["snapshot-id"]]
        if "parent-snapshot-id" in entry:
            entry["parent-snapshot-id"] = numbers[entry["parent-snapshot-id"]]
    if metadata.get("current-snapshot-id") in numbers:
        metadata["current-snapshot-id"] = numbers[metadata["current-snapshot-id"]]


@fault("IRC-TBL-STAGE-006", "IRC-TBL-STAGE-007", by=partial(wrap_rule, "table_to_commit"))
def replaces_by_stages(usual: Callable[..., Record | None]) -> Callable[..., Record | None]:
    def committed_table(
        transaction: Transaction, key: Key, requirements: Sequence[Document]
    ) -> Record | None:
        return None if _creates(requirements) else usual(transaction, key, requirements)

    return committed_table


@fault("IRC-TBL-STAGE-006")
def late_commits_set_properties(service: Service) -> None:
    def act(handler: Handler, arguments: Arguments) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            if problem.status == 409 and _creates(arguments["body"]["requirements"]):
                properties = [
                    update
                    for update in arguments["body"]["updates"]
                    if update.get("action") == "set-properties"
                ]
                handler(**{**arguments, "body": {"requirements": [], "updates": properties}})
            raise

    on_call(COMMIT, act)(service)


@fault("IRC-TBL-STAGE-006", "IRC-TBL-STAGE-007", by=partial(wrap_rule, "table_to_commit"))
def stages_race(usual: Callable[..., Record | None]) -> Callable[..., Record | None]:
    def committed_table(
        transaction: Transaction, key: Key, requirements: Sequence[Document]
    ) -> Record | None:
        record = usual(transaction, key, requirements)
        if record is not None and _creates(requirements):
            age = time.time() * 1000 - record.document["metadata"]["last-updated-ms"]
            return None if age < WINDOW_MS else record
        return record

    return committed_table


@fault("IRC-TBL-STAGE-009")
def stages_over_tables(service: Service) -> None:
    everything_free = switched(service, "identifier_is_free", lambda _: accept)

    def stage(_: Service, handler: Handler, arguments: Arguments) -> Reply:
        with everything_free():
            return handler(**arguments)

    all_of(_stages(stage), always_holds("assert-create"))(service)


@fault("IRC-TBL-STAGE-013", by=making)
def makes_with_history(metadata: Document, _: Sequence[Document]) -> None:
    stage = {
        "timestamp-ms": metadata["last-updated-ms"],
        "metadata-file": f"{metadata['location']}/metadata/00000-stage.metadata.json",
    }
    metadata["metadata-log"] = [stage]


@fault("IRC-TBL-STAGE-014")
def stages_evade_the_policy(service: Service) -> None:
    write, anywhere = (
        service.rules.current("write_metadata"),
        switched(service, "check_in_warehouse", lambda _: accept),
    )

    def written(warehouse: Any, metadata: TableMetadata, *, former: str | None) -> Record:
        try:
            record: Record = write(warehouse, metadata, former=former)
        except Outside:
            return record_of(
                metadata, f"{metadata['location']}/metadata/00000.metadata.json", b"{}"
            )
        return record

    def act(handler: Handler, arguments: Arguments) -> Reply:
        with anywhere():
            return handler(**arguments)

    service.rules.replace("write_metadata", written)
    on_call(COMMIT, act)(service)


FAULTS = {
    "stages-without-order IRC-TBL-STAGE-001": _answering(_without("sort-orders")),
    "stages-without-uuid IRC-TBL-STAGE-001": _answering(_without("table-uuid")),
    "stages-without-location IRC-TBL-STAGE-001": _answering(_without("location")),
    "stages-without-partitions IRC-TBL-STAGE-001": _answering(
        lambda answer: answer["metadata"]["partition-specs"][0].update(fields=[])
    ),
    "creates-stages IRC-TBL-STAGE-002 IRC-TBL-STAGE-003 IRC-TBL-STAGE-004": _stages(
        lambda _, handler, arguments: handler(
            **{**arguments, "body": {**arguments["body"], "stage-create": False}}
        )
    ),
    "stages-have-a-file IRC-TBL-STAGE-003": _answering(
        lambda answer: answer.update(
            {"metadata-location": f"{answer['metadata']['location']}/metadata/00000.metadata.json"}
        )
    ),
    "assigns-another-uuid IRC-TBL-STAGE-004": making(
        lambda metadata, _: metadata.update({"table-uuid": str(uuid.uuid4())})
    ),
    "makes-no-properties IRC-TBL-STAGE-004": making(
        lambda metadata, _: metadata.update(properties={})
    ),
    "asserts-no-creation IRC-TBL-STAGE-006 IRC-TBL-STAGE-007": replace_entry(
        "preconditions", "assert-create", accept
    ),
    "conflict-of-stages-is-400 IRC-TBL-STAGE-006 IRC-TBL-STAGE-007": refusals_become(
        COMMIT, 409, with_status(400)
    ),
    "stages-take-names IRC-TBL-STAGE-008": _reserve(for_stages=False),
    "stages-once IRC-TBL-STAGE-008": _reserve(for_stages=True),
}
