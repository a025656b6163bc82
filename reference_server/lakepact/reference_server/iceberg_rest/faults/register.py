"""Tables that are registered wrongly, or over others."""

from __future__ import annotations

import uuid
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import orjson

from lakepact.reference_server.faults import Fault, Install, all_of, around, on_answer, on_call, on_status, unchecked
from lakepact.reference_server.iceberg_rest.catalog import SEPARATOR
from lakepact.reference_server.iceberg_rest.faults.ways.namespaces import make_namespace
from lakepact.reference_server.iceberg_rest.faults.ways.refusals import called, refusals_become
from lakepact.reference_server.iceberg_rest.faults.ways.tables import create, exists, given
from lakepact.reference_server.iceberg_rest.faults.ways.views import overlooks
from lakepact.reference_server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.catalog import Catalog
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.faults.ways.tables import Arguments, Handlers
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler

REGISTER = "registerTable"


# -- what is read -----------------------------------------------------------------------------------------------------


def reads(edit: Callable[[Document], Document]) -> Install:
    """Take metadata files for what `edit` makes of them."""
    return around("rules", "read-metadata", lambda read: lambda catalog, location: edit(read(catalog, location)))


def _without_snapshots(metadata: Document) -> Document:
    rest = {member: value for member, value in metadata.items() if member != "current-snapshot-id"}
    return {**rest, "snapshots": [], "refs": {}, "snapshot-log": []}


def _with_main_alone(metadata: Document) -> Document:
    return {**metadata, "refs": {name: ref for name, ref in metadata.get("refs", {}).items() if name == "main"}}


def _with_current_schema_alone(metadata: Document) -> Document:
    return {**metadata, "schemas": [one for one in metadata["schemas"] if one["schema-id"] == metadata["current-schema-id"]]}


def _with_default_spec_alone(metadata: Document) -> Document:
    return {**metadata, "partition-specs": [one for one in metadata["partition-specs"] if one["spec-id"] == metadata["default-spec-id"]]}


def _unsorted(metadata: Document) -> Document:
    return {**metadata, "sort-orders": [{"order-id": 0, "fields": []}], "default-sort-order-id": 0}


def _without_partition_statistics(metadata: Document) -> Document:
    return {**metadata, "partition-statistics": []}


def _with_another_uuid(metadata: Document) -> Document:
    return {**metadata, "table-uuid": str(uuid.uuid4())}


def _newest(read: Callable[[Catalog, str], Document]) -> Callable[[Catalog, str], Document]:
    def read_newest(catalog: Catalog, location: str) -> Document:
        read(catalog, location)
        folder = location.rpartition("/")[0]
        names = sorted(path.name for path in Path(folder.removeprefix("file://")).glob("*.metadata.json"))
        return read(catalog, f"{folder}/{names[-1]}")

    return read_newest


# -- what is asked for ------------------------------------------------------------------------------------------------


def asks(change: Callable[[Document], Document]) -> Install:
    """Register what `change(body)` asks for, whatever the schema says of the body."""

    def register(handler: Handler, arguments: dict[str, Any]) -> Reply:
        return handler(**{**arguments, "body": change(arguments["body"])})

    return all_of(unchecked(REGISTER), on_call(REGISTER, register))


def _named(body: Document) -> Document:
    location = body.get("metadata-location") or body.get("metadataLocation") or body.get("metadata_location")
    if not location:
        raise Problem(400, "BadRequestException", "metadata-location is missing")
    return {**body, "name": body.get("name") or location.rpartition("/")[2], "metadata-location": location}


def _truthy(body: Document) -> Document:
    return {**body, "overwrite": bool(body.get("overwrite"))}


def _identifier(arguments: Arguments) -> Document:
    return {"namespace": arguments["namespace"].split(SEPARATOR), "name": arguments["body"]["name"]}


def _existing(handlers: Handlers, arguments: Arguments) -> Reply | None:
    """The table that would be registered over, as it is loaded."""
    name = arguments["body"]["name"]
    if not exists(handlers, _identifier(arguments)):
        return None
    return handlers["loadTable"](namespace=arguments["namespace"], table=name)


# -- what is done -----------------------------------------------------------------------------------------------------


def _register_nothing(handlers: Handlers, arguments: Arguments) -> Reply:
    reply = handlers[REGISTER](**arguments)
    if not arguments["body"].get("overwrite"):
        handlers["dropTable"](namespace=arguments["namespace"], table=arguments["body"]["name"])
    return reply


def _ignore_conflicts(handlers: Handlers, arguments: Arguments) -> Reply:
    existing = None if arguments["body"].get("overwrite") else _existing(handlers, arguments)
    return existing or handlers[REGISTER](**arguments)


def _replace_and_refuse(handlers: Handlers, arguments: Arguments) -> Reply:
    """Refuse what exists after it was overlooked."""
    existing = _existing(handlers, arguments)
    registered = handlers[REGISTER](**arguments)
    if existing and not arguments["body"].get("overwrite"):
        raise Problem(409, "AlreadyExistsException", f"Table already exists: {arguments['body']['name']}")
    return registered


def _ignore_overwriting(handlers: Handlers, arguments: Arguments) -> Reply:
    existing = _existing(handlers, arguments) if arguments["body"].get("overwrite") else None
    return existing or handlers[REGISTER](**arguments)


def _overwrite_and_restore(handlers: Handlers, arguments: Arguments) -> Reply:
    existing = _existing(handlers, arguments) if arguments["body"].get("overwrite") else None
    reply = handlers[REGISTER](**arguments)
    if existing is not None:
        former = existing.document["metadata-location"]
        handlers[REGISTER](namespace=arguments["namespace"], body={**arguments["body"], "metadata-location": former})
    return reply


def _uuid_survives() -> Install:
    """Leave a table that is registered over its UUID."""
    kept: list[str] = []

    def register(handlers: Handlers, arguments: Arguments) -> Reply:
        existing = _existing(handlers, arguments) if arguments["body"].get("overwrite") else None
        kept[:] = [existing.document["metadata"]["table-uuid"]] if existing else []
        return handlers[REGISTER](**arguments)

    return all_of(given(REGISTER, register), reads(lambda metadata: {**metadata, "table-uuid": kept[0]} if kept else metadata))


def _overwrite_only(handlers: Handlers, arguments: Arguments) -> Reply:
    if arguments["body"].get("overwrite") and _existing(handlers, arguments) is None:
        raise Problem(404, "NoSuchTableException", "there is nothing to overwrite")
    return handlers[REGISTER](**arguments)


def _overwrite_nothing(handlers: Handlers, arguments: Arguments) -> Reply:
    missing = arguments["body"].get("overwrite") and _existing(handlers, arguments) is None
    reply = handlers[REGISTER](**arguments)
    if missing:
        handlers["dropTable"](namespace=arguments["namespace"], table=arguments["body"]["name"])
    return reply


def _make_namespace(handlers: Handlers, arguments: Arguments) -> Reply:
    make_namespace(handlers, arguments["namespace"].split(SEPARATOR))
    return handlers[REGISTER](**arguments)


def _believe_anything(handlers: Handlers, arguments: Arguments) -> Reply:
    try:
        return handlers[REGISTER](**arguments)
    except Problem as problem:
        if problem.status != 400:
            raise
        return create(handlers, namespace=arguments["namespace"], name=arguments["body"]["name"])


def _take_the_name(handlers: Handlers, arguments: Arguments) -> Reply:
    try:
        return handlers[REGISTER](**arguments)
    except Problem as problem:
        if problem.status == 400:
            create(handlers, namespace=arguments["namespace"], name=arguments["body"]["name"])
        raise


def _read_only(status: int) -> Install:
    """Refuse commits to tables that were registered."""
    known: set[tuple[str, str]] = set()

    def register(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        known.add((arguments["namespace"], arguments["body"]["name"]))
        return reply

    def commit(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if (arguments["namespace"], arguments["table"]) in known:
            raise Problem(status, "UnsupportedOperationException", "the table belongs to another catalog")
        return handler(**arguments)

    return all_of(on_call(REGISTER, register), on_call("updateTable", commit))


def _copied(document: Document) -> None:
    document["metadata-location"] = document["metadata-location"].replace("/metadata/", "/metadata/copy-of-")


def _from_anywhere(read: Callable[..., Document]) -> Callable[..., Document]:
    """Read what the warehouse refuses from the file system."""

    def read_metadata(catalog: Catalog, location: str) -> Document:
        try:
            return read(catalog, location)
        except Problem:
            try:
                document: Document = orjson.loads(Path(unquote(urlsplit(location).path)).read_bytes())
            except OSError:
                raise Problem(400, "BadRequestException", f"no file {location}") from None
            return document

    return read_metadata


def _make_way(handlers: Handlers, arguments: Arguments) -> Reply:
    """Drop what is to be registered over, and then look at what is to be registered."""
    try:
        return handlers[REGISTER](**arguments)
    except Problem:
        body = arguments["body"]
        if body.get("overwrite") is True:
            with suppress(Problem):
                handlers["dropTable"](namespace=arguments["namespace"], table=body["name"])
        raise


FAULTS = (
    Fault("registers-without-snapshots", "Snapshots are not taken over.", ("IRC-TBL-REG-001",), reads(_without_snapshots)),
    Fault(
        "registers-without-history",
        "What a registered file says of former snapshots and of statistics is lost.",
        ("IRC-TBL-LOAD-001",),
        reads(lambda metadata: {**metadata, "snapshot-log": [], "statistics": []}),
    ),
    Fault(
        "registers-the-default-spec",
        "Of partition specs the default one is taken over.",
        ("IRC-TBL-LOAD-001",),
        reads(_with_default_spec_alone),
    ),
    Fault("registers-unsorted", "Sort orders are not taken over.", ("IRC-TBL-LOAD-001",), reads(_unsorted)),
    Fault(
        "registers-without-partition-statistics",
        "Statistics of partitions are not taken over.",
        ("IRC-TBL-LOAD-001",),
        reads(_without_partition_statistics),
    ),
    Fault("registers-main-alone", "Other branches and tags are not taken over.", ("IRC-TBL-REG-001",), reads(_with_main_alone)),
    Fault("registers-one-schema", "Only the current schema is taken over.", ("IRC-TBL-REG-001",), reads(_with_current_schema_alone)),
    Fault(
        "registers-without-properties",
        "Properties are not taken over.",
        ("IRC-TBL-REG-001",),
        reads(lambda metadata: {**metadata, "properties": {}}),
    ),
    Fault("registers-with-another-uuid", "A registered table has a UUID of its own.", ("IRC-TBL-REG-001",), reads(_with_another_uuid)),
    Fault(
        "registers-the-newest-file",
        "The newest metadata file of the folder is registered.",
        ("IRC-TBL-REG-001",),
        around("rules", "read-metadata", _newest),
    ),
    Fault("registers-nothing", "Registered tables cannot be loaded.", ("IRC-TBL-REG-001",), given(REGISTER, _register_nothing)),
    Fault("registering-is-201", "Registering is answered with 201.", ("IRC-TBL-REG-001",), on_status(REGISTER, {200: 201})),
    Fault("registers-copies", "The answer names another file.", ("IRC-TBL-REG-002",), on_answer(REGISTER, _copied)),
    Fault("names-tables-by-files", "A table without a name is called after its file.", ("IRC-TBL-REG-003",), asks(_named)),
    Fault(
        "refused-registrations-fail",
        "What should be refused as a bad request is a server error.",
        ("IRC-TBL-REG-003", "IRC-TBL-REG-010", "IRC-TBL-REG-011", "IRC-TBL-REG-014"),
        on_status(REGISTER, {400: 500}),
    ),
    Fault(
        "registers-over-tables",
        "Registering always overwrites.",
        ("IRC-TBL-REG-004",),
        overlooks(REGISTER, "table"),
    ),
    Fault(
        "ignores-what-exists",
        "Registering over a table is answered with that table.",
        ("IRC-TBL-REG-004",),
        given(REGISTER, _ignore_conflicts),
    ),
    Fault(
        "replaces-and-refuses",
        "Registering over a table is refused, yet done.",
        ("IRC-TBL-REG-004",),
        all_of(overlooks(REGISTER, "table"), given(REGISTER, _replace_and_refuse)),
    ),
    Fault(
        "registered-names-are-called-otherwise",
        "A name that is taken is called CommitFailedException.",
        ("IRC-TBL-REG-004",),
        refusals_become(REGISTER, 409, called("CommitFailedException", instead_of="AlreadyExistsException")),
    ),
    Fault("taken-names-cannot-be-read", "A name that is taken is a bad request.", ("IRC-TBL-REG-004",), on_status(REGISTER, {409: 400})),
    Fault(
        "ignores-overwriting",
        "Asked to overwrite, the server answers with the table as it is.",
        ("IRC-TBL-REG-005", "IRC-TBL-REG-007"),
        given(REGISTER, _ignore_overwriting),
    ),
    Fault(
        "says-that-it-overwrites",
        "Asked to overwrite, the server answers as if it had.",
        ("IRC-TBL-REG-005", "IRC-TBL-REG-007"),
        given(REGISTER, _overwrite_and_restore),
    ),
    Fault("overwrites-all-but-the-uuid", "A table that is registered over keeps its UUID.", ("IRC-TBL-REG-005",), _uuid_survives()),
    Fault(
        "overwrites-only-what-exists",
        "Overwriting what does not exist is refused.",
        ("IRC-TBL-REG-006",),
        given(REGISTER, _overwrite_only),
    ),
    Fault(
        "overwrites-nothing",
        "Overwriting what does not exist is answered as if it were done.",
        ("IRC-TBL-REG-006",),
        given(REGISTER, _overwrite_nothing),
    ),
    Fault("registering-makes-namespaces", "Registering makes the namespace.", ("IRC-TBL-REG-009",), given(REGISTER, _make_namespace)),
    Fault(
        "registering-in-nothing-is-a-bad-request",
        "Registering in no namespace is a bad request.",
        ("IRC-TBL-REG-009",),
        on_status(REGISTER, {404: 400}),
    ),
    Fault(
        "registers-anything",
        "Where there is no metadata, an empty table is made.",
        ("IRC-TBL-REG-010", "IRC-TBL-REG-011"),
        given(REGISTER, _believe_anything),
    ),
    Fault(
        "registers-files-from-anywhere",
        "Any file that the server can read is registered.",
        ("IRC-TBL-REG-013",),
        around("rules", "read-metadata", _from_anywhere),
    ),
    Fault(
        "registers-over-in-vain",
        "A table is dropped to be registered over before the file is read.",
        ("IRC-TBL-REG-010",),
        given(REGISTER, _make_way),
    ),
    Fault(
        "refused-registrations-take-the-name",
        "Where there is no metadata, an empty table is left.",
        ("IRC-TBL-REG-010",),
        given(REGISTER, _take_the_name),
    ),
    Fault(
        "refused-registrations-are-missing",
        "What should be refused as a bad request is not found.",
        ("IRC-TBL-REG-003", "IRC-TBL-REG-011", "IRC-TBL-REG-014"),
        on_status(REGISTER, {400: 404}),
    ),
    Fault("registered-tables-are-foreign", "Registered tables take no commits.", ("IRC-TBL-REG-012",), _read_only(403)),
    Fault("registered-tables-conflict", "Commits to registered tables are conflicts.", ("IRC-TBL-REG-012",), _read_only(409)),
    Fault("overwrites-if-anything-is-said", "Any value of `overwrite` is true or false.", ("IRC-TBL-REG-014",), asks(_truthy)),
)
