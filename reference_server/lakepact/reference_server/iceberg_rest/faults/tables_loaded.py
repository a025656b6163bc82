"""Wrong ways of loading tables."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, anew, around, on_answer, on_call
from lakepact.reference_server.iceberg_rest.catalog import IDENTIFIERS
from lakepact.reference_server.iceberg_rest.faults.ways.operations import COMMIT, LOAD
from lakepact.reference_server.iceberg_rest.faults.ways.refusals import called, refusals_become, with_status
from lakepact.reference_server.iceberg_rest.faults.ways.requests import during
from lakepact.reference_server.iceberg_rest.metadata_files import record_of
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import Reply, json_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Handler, Service
    from lakepact.reference_server.store import Place, Record, Transaction


# -- what is left out, or made up ---------------------------------------------------------------------------------------


def _without(*members: str) -> Callable[[Document], None]:
    def edit(metadata: Document) -> None:
        for member in members:
            metadata.pop(member, None)

    return edit


def _answered_with(edit: Callable[[Document], None]) -> Install:
    return on_answer(LOAD, lambda answer: edit(answer["metadata"]))


def _without_properties(metadata: Document) -> None:
    metadata["properties"] = {}


def _main_alone(metadata: Document) -> None:
    metadata["refs"] = {name: ref for name, ref in metadata.get("refs", {}).items() if name == "main"}


def _known_snapshot_members(metadata: Document) -> None:
    known = {"snapshot-id", "timestamp-ms", "manifest-list", "summary"}
    metadata["snapshots"] = [{key: one[key] for key in one if key in known} for one in metadata.get("snapshots", [])]


def _more_properties(metadata: Document) -> None:
    metadata.setdefault("properties", {})["owner"] = "lakepact"


def _configured(config: Any) -> Callable[[Document], None]:
    def edit(answer: Document) -> None:
        answer["config"] = config

    return edit


# -- where metadata stand -----------------------------------------------------------------------------------------------


def _one_file(usual: Callable[..., Record]) -> Callable[..., Record]:
    def written(warehouse: Any, metadata: Document, *, former: str | None) -> Record:
        record = usual(warehouse, metadata, former=former)
        location = f"{metadata['location']}/metadata/current.metadata.json"
        text = warehouse.read(record.document["metadata-location"])
        warehouse.write(location, text)
        return record_of(metadata, location, text)

    return written


def _another_file_each_time() -> Install:
    numbers = itertools.count(1)

    def edit(answer: Document) -> None:
        answer["metadata-location"] += f"?{next(numbers)}"

    return on_answer(LOAD, edit)


def _move_when_refused(service: Service) -> None:
    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            if problem.status == 409:
                touched = {"action": "set-properties", "updates": {"lakepact.refused": problem.message}}
                handler(**{**arguments, "body": {"requirements": [], "updates": [touched]}})
            raise

    on_call(COMMIT, act)(service)


# -- what is not there --------------------------------------------------------------------------------------------------


def _in_any_namespace(usual: Callable[..., Record]) -> Callable[..., Record]:
    def table_exists(transaction: Transaction, levels: Place, name: str) -> Record:
        try:
            return usual(transaction, levels, name)
        except Problem:
            for key, record in transaction.every(IDENTIFIERS):
                if key.name == name and record.kind == "table":
                    return record
            raise

    return table_exists


def _as_metadata_table(handler: Handler, arguments: dict[str, Any]) -> Reply:
    return handler(**{**arguments, "table": arguments["table"].removesuffix(".files").strip()})


def _forgotten_late(service: Service) -> None:
    known: dict[tuple[str, str], Reply] = {}

    def load(handler: Handler, arguments: dict[str, Any]) -> Reply:
        place = arguments["namespace"], arguments["table"]
        return known.get(place) or handler(**arguments)

    def drop(handler: Handler, arguments: dict[str, Any]) -> Reply:
        place = arguments["namespace"], arguments["table"]
        last = service.handlers["loadTable"](namespace=place[0], table=place[1])
        reply = handler(**arguments)
        known[place] = last
        return reply

    on_call("dropTable", drop)(service)
    on_call(LOAD, load)(service)


# -- two moments at once ------------------------------------------------------------------------------------------------


def _mixed(mix: Callable[[Document, Document], Document]) -> Callable[[Service], None]:
    """Loads answer `mix(now, before)`, of the last commit and of the one before it, when a table was committed twice."""

    def install(service: Service) -> None:
        states: dict[tuple[str, str], list[Document]] = {}

        def commit(handler: Handler, arguments: dict[str, Any]) -> Reply:
            reply = handler(**arguments)
            last = states.setdefault((arguments["namespace"], arguments["table"]), [])
            last[:] = [*last[-1:], reply.document]
            return reply

        def load(handler: Handler, arguments: dict[str, Any]) -> Reply:
            reply = handler(**arguments)
            last = states.get((arguments["namespace"], arguments["table"]), [])
            return json_reply(mix(reply.document, last[0])) if len(last) > 1 else reply

        on_call(COMMIT, commit)(service)
        on_call(LOAD, load)(service)

    return install


def _old_location(now: Document, before: Document) -> Document:
    return {**now, "metadata-location": before["metadata-location"]}


def _old_snapshots(now: Document, before: Document) -> Document:
    return {**now, "metadata": {**now["metadata"], "snapshots": before["metadata"].get("snapshots", [])}}


def _one_old_property(now: Document, before: Document) -> Document:
    kept = {key: value for key, value in before["metadata"]["properties"].items() if key == "lakepact.last"}
    return {**now, "metadata": {**now["metadata"], "properties": {**now["metadata"]["properties"], **kept}}}


NAMELESS = ("IRC-TBL-LOAD-003", "IRC-TBL-LOAD-004")

FAULTS = (
    Fault("loads-without-orders", "Loaded metadata have no sort orders.", ("IRC-TBL-LOAD-001",), _answered_with(_without("sort-orders"))),
    Fault(
        "loads-without-last-ids",
        "Loaded metadata say nothing of the last ids.",
        ("IRC-TBL-LOAD-001",),
        _answered_with(_without("last-column-id", "last-partition-id")),
    ),
    Fault("loads-without-time", "Loaded metadata have no time.", ("IRC-TBL-LOAD-001",), _answered_with(_without("last-updated-ms"))),
    Fault("loads-without-properties", "Loaded tables have no properties.", ("IRC-TBL-LOAD-001",), _answered_with(_without_properties)),
    Fault("loads-main-alone", "Loaded tables have no refs but main.", ("IRC-TBL-LOAD-001",), _answered_with(_main_alone)),
    Fault(
        "loads-known-members-of-snapshots",
        "Loaded snapshots have some members alone.",
        ("IRC-TBL-LOAD-001", "IRC-TBL-LOAD-007", "IRC-TBL-LOAD-008"),
        _answered_with(_known_snapshot_members),
    ),
    Fault(
        "loads-more-than-the-file",
        "Loaded tables have a property more than the file.",
        ("IRC-TBL-LOAD-001",),
        _answered_with(_more_properties),
    ),
    Fault(
        "loads-less-than-the-file",
        "Loaded metadata lack the snapshot-log of the file.",
        ("IRC-TBL-LOAD-001",),
        _answered_with(_without("snapshot-log")),
    ),
    Fault("writes-one-file", "All metadata of a table stand in one file.", ("IRC-TBL-LOAD-002",), around("rules", "written", _one_file)),
    Fault(
        "names-a-file-for-each-load",
        "The metadata-location is another for each load.",
        ("IRC-TBL-LOAD-002",),
        anew(_another_file_each_time),
    ),
    Fault("moves-when-refused", "A commit that is refused makes a new file.", ("IRC-TBL-LOAD-002",), _move_when_refused),
    Fault(
        "load-blames-nothing",
        "A missing table is refused as something missing.",
        NAMELESS,
        refusals_become(LOAD, 404, called("NotFoundException")),
    ),
    Fault(
        "load-blames-the-namespace",
        "A missing table is refused as a missing namespace.",
        ("IRC-TBL-LOAD-003",),
        refusals_become(LOAD, 404, called("NoSuchNamespaceException")),
    ),
    Fault("missing-table-is-400", "Loading a missing table is answered with 400.", NAMELESS, refusals_become(LOAD, 404, with_status(400))),
    Fault("missing-table-is-500", "Loading a missing table is answered with 500.", NAMELESS, refusals_become(LOAD, 404, with_status(500))),
    Fault(
        "loads-from-any-namespace",
        "A table is loaded if any namespace has one of its name.",
        NAMELESS,
        during(LOAD, "table-exists", _in_any_namespace),
    ),
    Fault("loads-names-alike", "Suffixes and spaces of a name are ignored.", ("IRC-TBL-LOAD-003",), on_call(LOAD, _as_metadata_table)),
    Fault("loads-dropped-tables", "A dropped table can be loaded.", ("IRC-TBL-LOAD-003", "IRC-TBL-ETAG-009"), _forgotten_late),
    Fault("configures-by-list", "The settings of loaded tables are a list.", ("IRC-TBL-LOAD-012",), on_answer(LOAD, _configured([]))),
    Fault(
        "configures-with-numbers",
        "The settings of loaded tables have a number among them.",
        ("IRC-TBL-LOAD-012",),
        on_answer(LOAD, _configured({"io.retries": 3})),
    ),
    Fault(
        "spells-flags-its-own-way",
        "Flags among the settings of loaded tables are spelled True.",
        ("IRC-TBL-LOAD-016",),
        on_answer(LOAD, _configured({"client.region": "eu-west-1", "s3.remote-signing-enabled": "True"})),
    ),
    Fault(
        "loads-an-old-location",
        "Metadata are loaded with the location of those before.",
        ("IRC-TBL-LOAD-001", "IRC-TBL-LOAD-002", "IRC-TBL-LOAD-017"),
        _mixed(_old_location),
    ),
    Fault("loads-old-snapshots", "Metadata are loaded with the snapshots of those before.", ("IRC-TBL-LOAD-017",), _mixed(_old_snapshots)),
    Fault(
        "loads-an-old-property", "Metadata are loaded with a property of those before.", ("IRC-TBL-LOAD-017",), _mixed(_one_old_property)
    ),
)
