"""Wrong ways of loading tables."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.generated.iceberg_rest.documents import TableMetadata
from lakepact.reference_server.faults import Install, fault, on_answer, on_call, wrap_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import IDENTIFIERS
from lakepact.reference_server.iceberg_rest.tables.metadata_files import record_of
from lakepact.reference_server.storage.store import Place, Record, Transaction
from mutants.iceberg_rest.operators.operations import COMMIT, LOAD
from mutants.iceberg_rest.operators.refusals import called, refusals_become, with_status
from mutants.iceberg_rest.operators.requests import while_handling


def _without(*members: str) -> Callable[[Document], None]:
    def edit(metadata: Document) -> None:
        for member in members:
            metadata.pop(member, None)

    return edit


def _answered_with(edit: Callable[[Document], None]) -> Install:
    return on_answer(LOAD, lambda answer: edit(answer["metadata"]))


def _set_config(config: Any) -> Callable[[Document], None]:
    def edit(answer: Document) -> None:
        answer["config"] = config

    return edit


def _mix(mix: Callable[[Document, Document], Document]) -> Callable[[Service], None]:
    """Loads answer `mix(now, before)`, of the last commit and of the one before it, when a table
    was committed twice.
    """

    def install(service: Service) -> None:
        states: dict[tuple[str, str], list[Document]] = {}

        def commit(handler: Handler, arguments: Arguments) -> Reply:
            reply = handler(**arguments)
            last = states.setdefault((arguments["namespace"], arguments["table"]), [])
            last[:] = [*last[-1:], reply.document]
            return reply

        def load(handler: Handler, arguments: Arguments) -> Reply:
            reply = handler(**arguments)
            last = states.get((arguments["namespace"], arguments["table"]), [])
            return json_reply(mix(reply.document, last[0])) if len(last) > 1 else reply

        on_call(COMMIT, commit)(service)
        on_call(LOAD, load)(service)

    return install


NAMELESS = ("IRC-TBL-LOAD-003", "IRC-TBL-LOAD-004")


@fault("IRC-TBL-LOAD-001", "IRC-TBL-LOAD-007", "IRC-TBL-LOAD-008", by=_answered_with)
def loads_known_members_of_snapshots(metadata: Document) -> None:
    known = {"snapshot-id", "timestamp-ms", "manifest-list", "summary"}
    metadata["snapshots"] = [
        {key: one[key] for key in one if key in known} for one in metadata.get("snapshots", [])
    ]


@fault("IRC-TBL-LOAD-002", by=partial(wrap_rule, "write_metadata"))
def writes_one_file(usual: Callable[..., Record]) -> Callable[..., Record]:
    def written(warehouse: Any, metadata: TableMetadata, *, former: str | None) -> Record:
        record = usual(warehouse, metadata, former=former)
        location = f"{metadata['location']}/metadata/current.metadata.json"
        text = warehouse.read(record.document["metadata-location"])
        warehouse.write(location, text)
        return record_of(metadata, location, text)

    return written


@fault("IRC-TBL-LOAD-002")
def names_a_file_for_each_load() -> Install:
    numbers = itertools.count(1)

    def edit(answer: Document) -> None:
        answer["metadata-location"] += f"?{next(numbers)}"

    return on_answer(LOAD, edit)


@fault("IRC-TBL-LOAD-002")
def moves_when_refused(service: Service) -> None:
    def act(handler: Handler, arguments: Arguments) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            if problem.status == 409:
                touched = {
                    "action": "set-properties",
                    "updates": {"lakepact.refused": problem.message},
                }
                handler(**{**arguments, "body": {"requirements": [], "updates": [touched]}})
            raise

    on_call(COMMIT, act)(service)


@fault(*NAMELESS, by=partial(while_handling, LOAD, "table_exists"))
def loads_from_any_namespace(usual: Callable[..., Record]) -> Callable[..., Record]:
    def table_exists(transaction: Transaction, levels: Place, name: str) -> Record:
        try:
            return usual(transaction, levels, name)
        except Problem:
            for key, record in transaction.every(IDENTIFIERS):
                if key.name == name and record.kind == "table":
                    return record
            raise

    return table_exists


@fault("IRC-TBL-DROP-001", "IRC-TBL-ETAG-009")
def loads_dropped_tables(service: Service) -> None:
    known: dict[tuple[str, str], Reply] = {}

    def load(handler: Handler, arguments: Arguments) -> Reply:
        place = arguments["namespace"], arguments["table"]
        return known.get(place) or handler(**arguments)

    def drop(handler: Handler, arguments: Arguments) -> Reply:
        place = arguments["namespace"], arguments["table"]
        last = service.handlers[op.load_table](namespace=place[0], table=place[1])
        reply = handler(**arguments)
        known[place] = last
        return reply

    on_call(op.drop_table, drop)(service)
    on_call(LOAD, load)(service)


@fault("IRC-TBL-LOAD-017", by=_mix)
def loads_an_old_property(now: Document, before: Document) -> Document:
    kept = {
        key: value
        for key, value in before["metadata"]["properties"].items()
        if key == "lakepact.last"
    }
    return {
        **now,
        "metadata": {**now["metadata"], "properties": {**now["metadata"]["properties"], **kept}},
    }


FAULTS = {
    "loads-without-orders IRC-TBL-LOAD-001": _answered_with(_without("sort-orders")),
    "loads-without-last-ids IRC-TBL-LOAD-001": _answered_with(
        _without("last-column-id", "last-partition-id")
    ),
    "loads-without-time IRC-TBL-LOAD-001": _answered_with(_without("last-updated-ms")),
    "loads-without-properties IRC-TBL-LOAD-001": _answered_with(
        lambda metadata: metadata.update(properties={})
    ),
    "loads-main-alone IRC-TBL-LOAD-001": _answered_with(
        lambda metadata: metadata.update(
            refs={name: ref for name, ref in metadata.get("refs", {}).items() if name == "main"}
        )
    ),
    "loads-more-than-the-file IRC-TBL-LOAD-001": _answered_with(
        lambda metadata: metadata.setdefault("properties", {}).update(owner="lakepact")
    ),
    "loads-less-than-the-file IRC-TBL-LOAD-001": _answered_with(_without("snapshot-log")),
    "load-blames-nothing IRC-ERR-008": refusals_become(LOAD, 404, called("NotFoundException")),
    "load-blames-the-namespace IRC-ERR-008": refusals_become(
        LOAD, 404, called("NoSuchNamespaceException")
    ),
    f"missing-table-is-400 {' '.join(NAMELESS)}": refusals_become(LOAD, 404, with_status(400)),
    f"missing-table-is-500 {' '.join(NAMELESS)}": refusals_become(LOAD, 404, with_status(500)),
    "loads-names-alike IRC-TBL-LOAD-003": on_call(
        LOAD,
        lambda handler, arguments: handler(
            **{**arguments, "table": arguments["table"].removesuffix(".files").strip()}
        ),
    ),
    "configures-by-list IRC-TBL-LOAD-012": on_answer(LOAD, _set_config([])),
    "configures-with-numbers IRC-TBL-LOAD-012": on_answer(LOAD, _set_config({"io.retries": 3})),
    "spells-flags-its-own-way IRC-TBL-LOAD-016": on_answer(
        LOAD, _set_config({"client.region": "eu-west-1", "s3.remote-signing-enabled": "True"})
    ),
    "loads-an-old-location IRC-TBL-LOAD-002 IRC-TBL-LOAD-017": _mix(
        lambda now, before: {**now, "metadata-location": before["metadata-location"]}
    ),
    "loads-old-snapshots IRC-TBL-LOAD-017": _mix(
        lambda now, before: {
            **now,
            "metadata": {**now["metadata"], "snapshots": before["metadata"].get("snapshots", [])},
        }
    ),
}
