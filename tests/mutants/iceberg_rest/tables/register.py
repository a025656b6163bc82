"""Tables that are registered wrongly, or over others."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

import orjson

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Install,
    all_of,
    fault,
    on_answer,
    on_call,
    on_status,
    per_server,
    skip_validation,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR
from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
from mutants.iceberg_rest.operators.namespaces import make_namespace
from mutants.iceberg_rest.operators.refusals import called, refusals_become
from mutants.iceberg_rest.operators.tables import Handlers, create, exists, for_operation
from mutants.iceberg_rest.operators.views import overlooks

REGISTER = op.register_table


def reads(edit: Callable[[Document], Document]) -> Install:
    """Take metadata files for what `edit` makes of them."""
    return wrap_rule(
        "read_metadata", lambda read: lambda catalog, location: edit(read(catalog, location))
    )


def asks(change: Callable[[Document], Document]) -> Install:
    """Register what `change(body)` asks for, whatever the schema says of the body."""

    def register(handler: Handler, arguments: Arguments) -> Reply:
        return handler(**{**arguments, "body": change(arguments["body"])})

    return all_of(skip_validation(REGISTER), on_call(REGISTER, register))


def _identifier(arguments: Arguments) -> Document:
    return {"namespace": arguments["namespace"].split(SEPARATOR), "name": arguments["body"]["name"]}


def _existing(handlers: Handlers, arguments: Arguments) -> Reply | None:
    """The table that would be registered over, as it is loaded."""
    name = arguments["body"]["name"]
    if not exists(handlers, _identifier(arguments)):
        return None
    return handlers[op.load_table](namespace=arguments["namespace"], table=name)


@per_server
def _read_only(status: int) -> Install:
    """Refuse commits to tables that were registered."""
    known: set[tuple[str, str]] = set()

    def register(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        known.add((arguments["namespace"], arguments["body"]["name"]))
        return reply

    def commit(handler: Handler, arguments: Arguments) -> Reply:
        if (arguments["namespace"], arguments["table"]) in known:
            raise Problem(
                status, "UnsupportedOperationException", "the table belongs to another catalog"
            )
        return handler(**arguments)

    return all_of(on_call(REGISTER, register), on_call(op.update_table, commit))


@fault("IRC-TBL-REG-001", by=reads)
def registers_without_snapshots(metadata: Document) -> Document:
    rest = {member: value for member, value in metadata.items() if member != "current-snapshot-id"}
    return {**rest, "snapshots": [], "refs": {}, "snapshot-log": []}


@fault("IRC-TBL-LOAD-001", by=reads)
def registers_the_default_spec(metadata: Document) -> Document:
    return {
        **metadata,
        "partition-specs": [
            one
            for one in metadata["partition-specs"]
            if one["spec-id"] == metadata["default-spec-id"]
        ],
    }


@fault("IRC-TBL-REG-001", by=reads)
def registers_one_schema(metadata: Document) -> Document:
    return {
        **metadata,
        "schemas": [
            one for one in metadata["schemas"] if one["schema-id"] == metadata["current-schema-id"]
        ],
    }


@fault("IRC-TBL-REG-001", by=partial(wrap_rule, "read_metadata"))
def registers_the_newest_file(
    read: Callable[[Catalog, str], Document],
) -> Callable[[Catalog, str], Document]:
    def read_newest(catalog: Catalog, location: str) -> Document:
        read(catalog, location)
        folder = location.rpartition("/")[0]
        names = sorted(
            path.name for path in Path(folder.removeprefix("file://")).glob("*.metadata.json")
        )
        return read(catalog, f"{folder}/{names[-1]}")

    return read_newest


@fault("IRC-TBL-REG-001", by=partial(for_operation, REGISTER))
def registers_nothing(handlers: Handlers, arguments: Arguments) -> Reply:
    reply = handlers[REGISTER](**arguments)
    if not arguments["body"].get("overwrite"):
        handlers[op.drop_table](namespace=arguments["namespace"], table=arguments["body"]["name"])
    return reply


@fault("IRC-TBL-REG-002", by=partial(on_answer, REGISTER))
def registers_copies(document: Document) -> None:
    document["metadata-location"] = document["metadata-location"].replace(
        "/metadata/", "/metadata/copy-of-"
    )


@fault("IRC-TBL-REG-003", by=asks)
def names_tables_by_files(body: Document) -> Document:
    location = (
        body.get("metadata-location")
        or body.get("metadataLocation")
        or body.get("metadata_location")
    )
    if not location:
        raise Problem(400, "BadRequestException", "metadata-location is missing")
    return {
        **body,
        "name": body.get("name") or location.rpartition("/")[2],
        "metadata-location": location,
    }


@fault("IRC-TBL-REG-004", by=partial(for_operation, REGISTER))
def ignores_what_exists(handlers: Handlers, arguments: Arguments) -> Reply:
    existing = None if arguments["body"].get("overwrite") else _existing(handlers, arguments)
    return existing or handlers[REGISTER](**arguments)


@fault(
    "IRC-TBL-REG-004",
    by=lambda act: all_of(overlooks(REGISTER, "table"), for_operation(REGISTER, act)),
)
def replaces_and_refuses(handlers: Handlers, arguments: Arguments) -> Reply:
    existing = _existing(handlers, arguments)
    registered = handlers[REGISTER](**arguments)
    if existing and not arguments["body"].get("overwrite"):
        raise Problem(
            409, "AlreadyExistsException", f"Table already exists: {arguments['body']['name']}"
        )
    return registered


@fault("IRC-TBL-REG-005", "IRC-TBL-REG-007", by=partial(for_operation, REGISTER))
def ignores_overwriting(handlers: Handlers, arguments: Arguments) -> Reply:
    existing = _existing(handlers, arguments) if arguments["body"].get("overwrite") else None
    return existing or handlers[REGISTER](**arguments)


@fault("IRC-TBL-REG-005", "IRC-TBL-REG-007", by=partial(for_operation, REGISTER))
def says_that_it_overwrites(handlers: Handlers, arguments: Arguments) -> Reply:
    existing = _existing(handlers, arguments) if arguments["body"].get("overwrite") else None
    reply = handlers[REGISTER](**arguments)
    if existing is not None:
        former = existing.document["metadata-location"]
        handlers[REGISTER](
            namespace=arguments["namespace"],
            body={**arguments["body"], "metadata-location": former},
        )
    return reply


@fault("IRC-TBL-REG-005")
def overwrites_all_but_the_uuid() -> Install:
    kept: list[str] = []

    def register(handlers: Handlers, arguments: Arguments) -> Reply:
        existing = _existing(handlers, arguments) if arguments["body"].get("overwrite") else None
        kept[:] = [existing.document["metadata"]["table-uuid"]] if existing else []
        return handlers[REGISTER](**arguments)

    return all_of(
        for_operation(REGISTER, register),
        reads(lambda metadata: {**metadata, "table-uuid": kept[0]} if kept else metadata),
    )


@fault("IRC-TBL-REG-005")
def commits_follow_what_was_overwritten(service: Service) -> None:
    """The first commit to a table that was registered over another continues the other."""
    apply = service.rules.current("apply_updates")
    formers: dict[str, Document] = {}

    def register(handlers: Handlers, arguments: Arguments) -> Reply:
        former = _existing(handlers, arguments) if arguments["body"].get("overwrite") else None
        reply = handlers[REGISTER](**arguments)
        if former is not None:
            new = reply.document["metadata"]
            ids = {member: new[member] for member in ("table-uuid", "location")}
            formers[new["table-uuid"]] = {**former.document["metadata"], **ids}
        return reply

    def apply_to_former(metadata: Document, updates: Sequence[Document], **how: object) -> Document:
        base = formers.pop(metadata.get("table-uuid", ""), metadata)
        result: Document = apply(base, updates, **how)
        return result

    for_operation(REGISTER, register)(service)
    service.rules.replace("apply_updates", apply_to_former)


@fault("IRC-TBL-REG-006", by=partial(for_operation, REGISTER))
def overwrites_only_what_exists(handlers: Handlers, arguments: Arguments) -> Reply:
    if arguments["body"].get("overwrite") and _existing(handlers, arguments) is None:
        raise Problem(404, "NoSuchTableException", "there is nothing to overwrite")
    return handlers[REGISTER](**arguments)


@fault("IRC-TBL-REG-006", by=partial(for_operation, REGISTER))
def overwrites_nothing(handlers: Handlers, arguments: Arguments) -> Reply:
    missing = arguments["body"].get("overwrite") and _existing(handlers, arguments) is None
    reply = handlers[REGISTER](**arguments)
    if missing:
        handlers[op.drop_table](namespace=arguments["namespace"], table=arguments["body"]["name"])
    return reply


@fault("IRC-TBL-REG-009", by=partial(for_operation, REGISTER))
def registering_makes_namespaces(handlers: Handlers, arguments: Arguments) -> Reply:
    make_namespace(handlers, arguments["namespace"].split(SEPARATOR))
    return handlers[REGISTER](**arguments)


@fault("IRC-TBL-REG-010", "IRC-TBL-REG-011", by=partial(for_operation, REGISTER))
def registers_anything(handlers: Handlers, arguments: Arguments) -> Reply:
    try:
        return handlers[REGISTER](**arguments)
    except Problem as problem:
        if problem.status != 400:
            raise
        return create(handlers, namespace=arguments["namespace"], name=arguments["body"]["name"])


@fault("IRC-TBL-REG-013", by=partial(wrap_rule, "read_metadata"))
def registers_files_from_anywhere(read: Callable[..., Document]) -> Callable[..., Document]:
    def read_metadata(catalog: Catalog, location: str) -> Document:
        try:
            return read(catalog, location)
        except Problem:
            try:
                document: Document = orjson.loads(
                    Path(unquote(urlsplit(location).path)).read_bytes()
                )
            except OSError:
                raise Problem(400, "BadRequestException", f"no file {location}") from None
            return document

    return read_metadata


@fault("IRC-TBL-REG-010", by=partial(for_operation, REGISTER))
def registers_over_in_vain(handlers: Handlers, arguments: Arguments) -> Reply:
    try:
        return handlers[REGISTER](**arguments)
    except Problem:
        body = arguments["body"]
        if body.get("overwrite") is True:
            with suppress(Problem):
                handlers[op.drop_table](namespace=arguments["namespace"], table=body["name"])
        raise


@fault("IRC-TBL-REG-010", by=partial(for_operation, REGISTER))
def refused_registrations_take_the_name(handlers: Handlers, arguments: Arguments) -> Reply:
    try:
        return handlers[REGISTER](**arguments)
    except Problem as problem:
        if problem.status == 400:
            create(handlers, namespace=arguments["namespace"], name=arguments["body"]["name"])
        raise


@fault("IRC-TBL-REG-016", by=partial(for_operation, REGISTER))
def registering_moves_the_table(handlers: Handlers, arguments: Arguments) -> Reply:
    reply = handlers[REGISTER](**arguments)
    here, uuid_of = {"namespace": arguments["namespace"]}, reply.document["metadata"]["table-uuid"]
    for identifier in handlers[op.list_tables](**here).document["identifiers"]:
        at = {**here, "table": identifier["name"]}
        is_other = identifier["name"] != arguments["body"]["name"]
        if is_other and handlers[op.load_table](**at).document["metadata"]["table-uuid"] == uuid_of:
            handlers[op.drop_table](**at)
    return reply


@fault("IRC-TBL-REG-017", by=partial(for_operation, REGISTER))
def drops_and_refuses_to_overwrite(handlers: Handlers, arguments: Arguments) -> Reply:
    if arguments["body"].get("overwrite") is True and _existing(handlers, arguments) is not None:
        handlers[op.drop_table](namespace=arguments["namespace"], table=arguments["body"]["name"])
        raise Problem(406, "UnsupportedOperationException", "overwriting is not supported")
    return handlers[REGISTER](**arguments)


FAULTS = {
    "registers-without-history IRC-TBL-LOAD-001": reads(
        lambda metadata: {**metadata, "snapshot-log": [], "statistics": []}
    ),
    "registers-unsorted IRC-TBL-LOAD-001": reads(
        lambda metadata: {
            **metadata,
            "sort-orders": [{"order-id": 0, "fields": []}],
            "default-sort-order-id": 0,
        }
    ),
    "registers-without-partition-statistics IRC-TBL-LOAD-001": reads(
        lambda metadata: {**metadata, "partition-statistics": []}
    ),
    "registers-main-alone IRC-TBL-REG-001": reads(
        lambda metadata: {
            **metadata,
            "refs": {name: ref for name, ref in metadata.get("refs", {}).items() if name == "main"},
        }
    ),
    "registers-without-properties IRC-TBL-REG-001": reads(
        lambda metadata: {**metadata, "properties": {}}
    ),
    "registers-with-another-uuid IRC-TBL-REG-001": reads(
        lambda metadata: {**metadata, "table-uuid": str(uuid.uuid4())}
    ),
    "registering-is-201 IRC-TBL-REG-001": on_status(REGISTER, {200: 201}),
    "refused-registrations-fail IRC-TBL-REG-003 IRC-TBL-REG-010 IRC-TBL-REG-011 IRC-TBL-REG-014": on_status(
        REGISTER, {400: 500}
    ),
    "registers-over-tables IRC-TBL-REG-004": overlooks(REGISTER, "table"),
    "taken-names-are-failed-commits IRC-ERR-010": refusals_become(
        REGISTER, 409, called("CommitFailedException", instead_of="AlreadyExistsException")
    ),
    "taken-names-cannot-be-read IRC-TBL-REG-004": on_status(REGISTER, {409: 400}),
    "registering-in-nothing-is-a-bad-request IRC-TBL-REG-009": on_status(REGISTER, {404: 400}),
    "refused-registrations-are-missing IRC-TBL-REG-003 IRC-TBL-REG-011 IRC-TBL-REG-014": on_status(
        REGISTER, {400: 404}
    ),
    "registered-tables-are-foreign IRC-TBL-REG-012": _read_only(403),
    "registered-tables-conflict IRC-TBL-REG-012": _read_only(409),
    "overwrites-if-anything-is-said IRC-TBL-REG-014": asks(
        lambda body: {**body, "overwrite": bool(body.get("overwrite"))}
    ),
}
