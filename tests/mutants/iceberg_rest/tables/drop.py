"""Tables that are dropped too little, or too much with them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, MutableMapping
from functools import partial
from pathlib import Path
from typing import Any, cast

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server import faults
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR
from mutants.iceberg_rest.operators.refusals import called, refusals_become
from mutants.iceberg_rest.operators.tables import (
    Handlers,
    at,
    for_operation,
    metadata_path,
    promised,
)
from mutants.operators import refuse_calls

VALID = (b"", b"purgerequested=true", b"purgerequested=false")
CONFLICT = Reply(
    409, b'{"error":{"message":"somebody else was faster","type":"ConflictException","code":409}}'
)


def _look(handlers: Handlers, arguments: Arguments) -> Reply:
    return handlers[op.table_exists](namespace=arguments["namespace"], table=arguments["table"])


def _drop_nothing(handlers: Handlers, arguments: Arguments) -> Reply:
    _look(handlers, arguments)
    return NO_CONTENT


def _purges_when(wanted: Callable[[Arguments], bool]) -> faults.Install:
    return faults.on_call(
        op.drop_table,
        lambda handler, arguments: handler(**{**arguments, "purge_requested": wanted(arguments)}),
    )


def _remove_metadata_file(handlers: Handlers, arguments: Arguments) -> Reply:
    path = metadata_path(handlers, namespace=arguments["namespace"], table=arguments["table"])
    reply = handlers[op.drop_table](**{**arguments, "purge_requested": False})
    path.unlink(missing_ok=True)  # another table may have had the file
    return reply


def _removes_files_at_the_next_drop() -> faults.Install:
    """Remove the metadata file of a dropped table when another table is dropped, as a background
    task does.
    """
    left: list[Path] = []

    def drop(handlers: Handlers, arguments: Arguments) -> Reply:
        path = metadata_path(handlers, namespace=arguments["namespace"], table=arguments["table"])
        reply = handlers[op.drop_table](**arguments)
        for earlier in left:
            earlier.unlink(missing_ok=True)
        left[:] = [] if arguments.get("purge_requested") else [path]
        return reply

    return for_operation(op.drop_table, drop)


def _drop(handlers: Handlers, arguments: Arguments) -> Reply:
    return handlers[op.drop_table](**arguments)


@faults.fault("IRC-TBL-DROP-001")
def keeps_listing_what_was_dropped() -> faults.Install:
    gone: dict[str, set[str]] = {}

    def drop(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        gone.setdefault(arguments["namespace"], set()).add(arguments["table"])
        return reply

    def listing(handler: Handler, arguments: Arguments) -> Reply:
        document = handler(**arguments).document
        levels = arguments["namespace"].split(SEPARATOR)
        names = sorted(gone.get(arguments["namespace"], ()))
        return json_reply(
            {
                **document,
                "identifiers": [
                    *document["identifiers"],
                    *({"namespace": levels, "name": name} for name in names),
                ],
            }
        )

    return faults.all_of(
        faults.on_call(op.drop_table, drop), faults.on_call(op.list_tables, listing)
    )


@faults.fault("IRC-TBL-DROP-001", "IRC-TBL-REN-001")
def loads_dropped_tables_from_cache() -> faults.Install:
    cache: dict[tuple[str, str], Reply] = {}

    def load(handler: Handler, arguments: Arguments) -> Reply:
        key = (arguments["namespace"], arguments["table"])
        try:
            cache[key] = handler(**arguments)
        except Problem:
            if key not in cache:
                raise
        return cache[key]

    return faults.on_call(op.load_table, load)


def _send_query(scope: Scope, query: bytes) -> None:
    cast("MutableMapping[str, Any]", scope)["query_string"] = query


@faults.fault("IRC-TBL-DROP-007", by=partial(faults.on_request, op.drop_table))
def takes_purge_flags_for_true(scope: Scope) -> None:
    query = scope["query_string"]
    _send_query(scope, query if query.lower() in VALID else b"purgeRequested=true")


@faults.fault("IRC-TBL-DROP-007", by=partial(faults.on_request, op.drop_table))
def drops_whatever_the_flag_is(scope: Scope) -> None:
    query = scope["query_string"]
    _send_query(scope, query if query.lower() in VALID else b"")


@faults.fault("IRC-TBL-DROP-003", by=partial(faults.on_request, op.drop_table))
def purges_when_told_false(scope: Scope) -> None:
    _send_query(
        scope, scope["query_string"].replace(b"purgeRequested=False", b"purgeRequested=true")
    )


@faults.fault("IRC-TBL-DROP-004", by=partial(for_operation, op.drop_table))
def purges_the_newest_metadata_only(handlers: Handlers, arguments: Arguments) -> Reply:
    return (_remove_metadata_file if arguments.get("purge_requested") else _drop)(
        handlers, arguments
    )


@faults.fault("IRC-TBL-DROP-001", "IRC-TBL-DROP-004", by=partial(for_operation, op.drop_table))
def purges_some_day(handlers: Handlers, arguments: Arguments) -> Reply:
    return (
        _drop_nothing(handlers, arguments)
        if arguments.get("purge_requested")
        else handlers[op.drop_table](**arguments)
    )


@faults.fault("IRC-TBL-DROP-005", by=partial(for_operation, op.drop_table))
def refuses_purges_after_dropping(handlers: Handlers, arguments: Arguments) -> Reply:
    reply = handlers[op.drop_table](**{**arguments, "purge_requested": False})
    if arguments.get("purge_requested"):
        raise Problem(400, "UnsupportedOperationException", "purging is not supported")
    return reply


@faults.fault("IRC-TBL-DROP-005", by=partial(for_operation, op.drop_table))
def fails_to_purge(handlers: Handlers, arguments: Arguments) -> Reply:
    if arguments.get("purge_requested"):
        raise Problem(500, "NotImplementedException", "purging is not implemented")
    return handlers[op.drop_table](**arguments)


@faults.fault("IRC-TBL-DROP-006", by=partial(for_operation, op.drop_table))
def purges_the_namespace(handlers: Handlers, arguments: Arguments) -> Reply:
    path = metadata_path(handlers, namespace=arguments["namespace"], table=arguments["table"])
    reply = handlers[op.drop_table](**arguments)
    if arguments.get("purge_requested"):
        shutil.rmtree(path.parent.parent.parent, ignore_errors=True)
    return reply


@faults.fault("IRC-TBL-DROP-006")
def purges_by_old_names() -> faults.Install:
    former: dict[tuple[str, str], Document] = {}

    def rename(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        new = at(arguments["body"]["destination"])
        former[new["namespace"], new["table"]] = arguments["body"]["source"]
        return reply

    def drop(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        old = former.get((arguments["namespace"], arguments["table"]))
        if arguments.get("purge_requested") and old is not None:
            handler(**at(old))
        return reply

    return faults.all_of(
        faults.on_call(op.rename_table, rename), faults.on_call(op.drop_table, drop)
    )


@faults.fault("IRC-TBL-DROP-009", by=partial(faults.wrap_rule, "new_metadata"))
def gives_uuids_by_name(make: Callable[..., Document]) -> Callable[..., Document]:
    known: dict[str, str] = {}

    def new_metadata(body: Document, *, table_uuid: str, location: str, now_ms: int) -> Document:
        return make(
            body,
            table_uuid=known.setdefault(body["name"], table_uuid),
            location=location,
            now_ms=now_ms,
        )

    return new_metadata


@faults.fault("IRC-TBL-DROP-009")
def knows_former_uuids_of_a_name() -> faults.Install:
    former: dict[str, str] = {}

    def drop(handlers: Handlers, arguments: Arguments) -> Reply:
        uuid = handlers[op.load_table](
            namespace=arguments["namespace"], table=arguments["table"]
        ).document["metadata"]["table-uuid"]
        reply = handlers[op.drop_table](**arguments)
        former[arguments["table"]] = uuid
        return reply

    def commit(handlers: Handlers, arguments: Arguments) -> Reply:
        known, body = former.get(arguments["table"]), arguments["body"]
        kept = [one for one in body["requirements"] if known is None or one.get("uuid") != known]
        return handlers[op.update_table](**{**arguments, "body": {**body, "requirements": kept}})

    return faults.all_of(for_operation(op.drop_table, drop), for_operation(op.update_table, commit))


FAULTS = {
    "drops-by-purging-alone IRC-TBL-DROP-001": refuse_calls(
        op.drop_table,
        lambda arguments: not arguments.get("purge_requested"),
        Problem(400, "BadRequestException", "purgeRequested has to be true"),
    ),
    "drops-nothing IRC-TBL-DROP-001": for_operation(op.drop_table, _drop_nothing),
    "drops-what-is-missing IRC-TBL-DROP-002 IRC-TBL-DROP-010": faults.on_status(
        op.drop_table, {404: 204}
    ),
    "missing-tables-are-bad-requests IRC-TBL-DROP-002 IRC-TBL-DROP-010": faults.on_status(
        op.drop_table, {404: 400}
    ),
    "drops-find-nothing IRC-ERR-008": refusals_become(
        op.drop_table, 404, called("NotFoundException", instead_of="NoSuchTableException")
    ),
    "always-purges IRC-TBL-DROP-003": _purges_when(lambda _: True),
    "purges-whatever-is-said IRC-TBL-DROP-003": _purges_when(
        lambda arguments: "purge_requested" in arguments
    ),
    "drops-the-metadata-file IRC-TBL-DROP-003": for_operation(op.drop_table, _remove_metadata_file),
    "removes-files-later IRC-TBL-DROP-003": _removes_files_at_the_next_drop(),
    "purges-nothing IRC-TBL-DROP-004": faults.replace_rule("files_may_go", lambda *_: False),
    "ignores-invalid-purge-flags IRC-TBL-DROP-007": faults.on_status(op.drop_table, {400: 204}),
    "takes-commits-to-former-tables IRC-REQ-008": faults.replace_entry(
        "preconditions", "assert-table-uuid", faults.accept
    ),
    "commits-to-former-tables-are-missing IRC-REQ-008": faults.on_status(
        op.update_table, {409: 404}
    ),
    "drops-race IRC-TBL-DROP-010": promised(op.drop_table, _look),
    "racing-drops-conflict IRC-TBL-DROP-010": promised(op.drop_table, _look, too_late=CONFLICT),
}
