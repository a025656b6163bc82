"""Tables that are dropped too little, or too much with them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, cast

from lakepact.reference_server.faults import Fault, Install, all_of, around, instead, on_call, on_request, on_status
from lakepact.reference_server.iceberg_rest.catalog import SEPARATOR
from lakepact.reference_server.iceberg_rest.faults.ways.refusals import called, refusals_become
from lakepact.reference_server.iceberg_rest.faults.ways.tables import at, given, metadata_path, promised
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import NO_CONTENT, Reply, json_reply

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.faults.ways.tables import Arguments, Handlers
    from lakepact.reference_server.service import Handler, Scope

CONFLICT = Reply(409, b'{"error":{"message":"somebody else was faster","type":"ConflictException","code":409}}')


def _look(handlers: Handlers, arguments: Arguments) -> Reply:
    return handlers["tableExists"](namespace=arguments["namespace"], table=arguments["table"])


def _drop_nothing(handlers: Handlers, arguments: Arguments) -> Reply:
    _look(handlers, arguments)
    return NO_CONTENT


def _purge_some_day(handlers: Handlers, arguments: Arguments) -> Reply:
    return _drop_nothing(handlers, arguments) if arguments.get("purge_requested") else handlers["dropTable"](**arguments)


def _purge_or_nothing(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Drop tables of which is said that they be purged, and no others."""
    if not arguments.get("purge_requested"):
        raise Problem(400, "BadRequestException", "purgeRequested has to be true")
    return handler(**arguments)


def _still_listed() -> Install:
    """List tables that were dropped."""
    gone: dict[str, set[str]] = {}

    def drop(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        gone.setdefault(arguments["namespace"], set()).add(arguments["table"])
        return reply

    def listing(handler: Handler, arguments: dict[str, Any]) -> Reply:
        document = handler(**arguments).document
        levels = arguments["namespace"].split(SEPARATOR)
        names = sorted(gone.get(arguments["namespace"], ()))
        return json_reply({**document, "identifiers": [*document["identifiers"], *({"namespace": levels, "name": name} for name in names)]})

    return all_of(on_call("dropTable", drop), on_call("listTables", listing))


def _loaded_from_cache() -> Install:
    """Load tables that are gone as they were when they were last loaded."""
    cache: dict[tuple[str, str], Reply] = {}

    def load(handler: Handler, arguments: dict[str, Any]) -> Reply:
        key = (arguments["namespace"], arguments["table"])
        try:
            cache[key] = handler(**arguments)
        except Problem:
            if key not in cache:
                raise
        return cache[key]

    return on_call("loadTable", load)


def _purges_when(wanted: Callable[[Arguments], bool]) -> Install:
    return on_call("dropTable", lambda handler, arguments: handler(**{**arguments, "purge_requested": wanted(arguments)}))


def _take_false_for_true(scope: Scope) -> None:
    query = scope["query_string"].replace(b"purgeRequested=False", b"purgeRequested=true")
    cast("MutableMapping[str, Any]", scope)["query_string"] = query


def _remove_metadata_file(handlers: Handlers, arguments: Arguments) -> Reply:
    path = metadata_path(handlers, namespace=arguments["namespace"], table=arguments["table"])
    reply = handlers["dropTable"](**{**arguments, "purge_requested": False})
    path.unlink()
    return reply


def _purge_newest_metadata(handlers: Handlers, arguments: Arguments) -> Reply:
    return (_remove_metadata_file if arguments.get("purge_requested") else _drop)(handlers, arguments)


def _drop(handlers: Handlers, arguments: Arguments) -> Reply:
    return handlers["dropTable"](**arguments)


def _purge_namespace(handlers: Handlers, arguments: Arguments) -> Reply:
    path = metadata_path(handlers, namespace=arguments["namespace"], table=arguments["table"])
    reply = handlers["dropTable"](**arguments)
    if arguments.get("purge_requested"):
        shutil.rmtree(path.parent.parent.parent, ignore_errors=True)
    return reply


def _drops_by_old_names() -> Install:
    """Drop with a table that is purged what has a name that it once had."""
    former: dict[tuple[str, str], Document] = {}

    def rename(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        new = at(arguments["body"]["destination"])
        former[new["namespace"], new["table"]] = arguments["body"]["source"]
        return reply

    def drop(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        old = former.get((arguments["namespace"], arguments["table"]))
        if arguments.get("purge_requested") and old is not None:
            handler(**at(old))
        return reply

    return all_of(on_call("renameTable", rename), on_call("dropTable", drop))


def _refuse_after_dropping(handlers: Handlers, arguments: Arguments) -> Reply:
    reply = handlers["dropTable"](**{**arguments, "purge_requested": False})
    if arguments.get("purge_requested"):
        raise Problem(400, "UnsupportedOperationException", "purging is not supported")
    return reply


def _fail_to_purge(handlers: Handlers, arguments: Arguments) -> Reply:
    if arguments.get("purge_requested"):
        raise Problem(500, "NotImplementedException", "purging is not implemented")
    return handlers["dropTable"](**arguments)


def _uuids_by_name(make: Callable[..., Document]) -> Callable[..., Document]:
    known: dict[str, str] = {}

    def new_metadata(body: Document, *, table_uuid: str, location: str, now_ms: int) -> Document:
        return make(body, table_uuid=known.setdefault(body["name"], table_uuid), location=location, now_ms=now_ms)

    return new_metadata


def _accept(*_: object) -> None:
    """Anything holds."""


FAULTS = (
    Fault(
        "drops-by-purging-alone", "No table is dropped that is not purged.", ("IRC-TBL-DROP-001",), on_call("dropTable", _purge_or_nothing)
    ),
    Fault("drops-nothing", "Drops are answered as if they were done.", ("IRC-TBL-DROP-001",), given("dropTable", _drop_nothing)),
    Fault("keeps-listing-what-was-dropped", "Tables that were dropped are still listed.", ("IRC-TBL-DROP-001",), _still_listed()),
    Fault(
        "loads-dropped-tables-from-cache",
        "What was loaded once can be loaded for ever.",
        ("IRC-TBL-DROP-001", "IRC-TBL-REN-001"),
        _loaded_from_cache(),
    ),
    Fault(
        "drops-what-is-missing",
        "Dropping a table that does not exist succeeds.",
        ("IRC-TBL-DROP-002", "IRC-TBL-DROP-010"),
        on_status("dropTable", {404: 204}),
    ),
    Fault(
        "missing-tables-are-bad-requests",
        "Dropping a table that does not exist is a bad request.",
        ("IRC-TBL-DROP-002", "IRC-TBL-DROP-010"),
        on_status("dropTable", {404: 400}),
    ),
    Fault(
        "drops-find-nothing",
        "A table that cannot be dropped is called NotFoundException.",
        ("IRC-TBL-DROP-002",),
        refusals_become("dropTable", 404, called("NotFoundException", instead_of="NoSuchTableException")),
    ),
    Fault("always-purges", "Every drop is a purge.", ("IRC-TBL-DROP-003",), _purges_when(lambda _: True)),
    Fault(
        "purges-whatever-is-said",
        "Whoever says anything about purging gets it.",
        ("IRC-TBL-DROP-003",),
        _purges_when(lambda arguments: "purge_requested" in arguments),
    ),
    Fault(
        "purges-when-told-false",
        "False with a capital letter asks for a purge, as any text does.",
        ("IRC-TBL-DROP-003",),
        on_request("dropTable", _take_false_for_true),
    ),
    Fault("drops-the-metadata-file", "A drop removes the metadata file.", ("IRC-TBL-DROP-003",), given("dropTable", _remove_metadata_file)),
    Fault("purges-nothing", "A purge leaves all files.", ("IRC-TBL-DROP-004",), instead("rules", "files-may-go", lambda *_: False)),
    Fault(
        "purges-the-newest-metadata-only",
        "A purge leaves former metadata files.",
        ("IRC-TBL-DROP-004",),
        given("dropTable", _purge_newest_metadata),
    ),
    Fault(
        "purges-some-day",
        "A table that is to be purged stays until then.",
        ("IRC-TBL-DROP-001", "IRC-TBL-DROP-004"),
        given("dropTable", _purge_some_day),
    ),
    Fault(
        "refuses-purges-after-dropping",
        "A purge is refused, and the table is gone.",
        ("IRC-TBL-DROP-005",),
        given("dropTable", _refuse_after_dropping),
    ),
    Fault("fails-to-purge", "A purge is a server error.", ("IRC-TBL-DROP-005",), given("dropTable", _fail_to_purge)),
    Fault(
        "purges-the-namespace",
        "A purge removes the folder that the table's folder is in.",
        ("IRC-TBL-DROP-006",),
        given("dropTable", _purge_namespace),
    ),
    Fault("purges-by-old-names", "A purge drops what has an old name of the table, too.", ("IRC-TBL-DROP-006",), _drops_by_old_names()),
    Fault(
        "forgives-purge-flags", "Whatever is neither true nor false is false.", ("IRC-TBL-DROP-007",), on_status("dropTable", {400: 204})
    ),
    Fault(
        "gives-uuids-by-name",
        "Tables of one name have one UUID.",
        ("IRC-TBL-DROP-009",),
        around("rules", "new-metadata", _uuids_by_name),
    ),
    Fault(
        "takes-commits-to-former-tables",
        "Commits may assert any UUID.",
        ("IRC-TBL-DROP-009",),
        instead("preconditions", "assert-table-uuid", _accept),
    ),
    Fault(
        "commits-to-former-tables-are-missing",
        "Commits that assert another UUID find no table.",
        ("IRC-TBL-DROP-009",),
        on_status("updateTable", {409: 404}),
    ),
    Fault("drops-race", "Of simultaneous drops all succeed.", ("IRC-TBL-DROP-010",), promised("dropTable", _look)),
    Fault(
        "racing-drops-conflict",
        "Of simultaneous drops all but one are conflicts.",
        ("IRC-TBL-DROP-010",),
        promised("dropTable", _look, too_late=CONFLICT),
    ),
)
