"""Renames that lose tables, copy them, or reach the wrong ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, all_of, instead, on_call, on_status, unchecked
from lakepact.reference_server.iceberg_rest.catalog import SEPARATOR
from lakepact.reference_server.iceberg_rest.faults.ways.namespaces import make_namespace
from lakepact.reference_server.iceberg_rest.faults.ways.refusals import called, refusals_become
from lakepact.reference_server.iceberg_rest.faults.ways.tables import at, carried_over, create, exists, given, promised
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import NO_CONTENT, Reply, json_reply
from lakepact.reference_server.warehouse import below

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakepact.reference_server.iceberg_rest.catalog import Catalog
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.faults.ways.tables import Arguments, Handlers
    from lakepact.reference_server.service import Handler, Service

FAILURE = Reply(500, b'{"error":{"message":"database is locked","type":"OperationalError","code":500}}')


def _look(handlers: Handlers, arguments: Arguments) -> None:
    body = arguments["body"]
    handlers["tableExists"](**at(body["source"]))
    if exists(handlers, body["destination"]):
        raise Problem(409, "AlreadyExistsException", "the name is taken")


def _rename_nothing(handlers: Handlers, arguments: Arguments) -> Reply:
    handlers["tableExists"](**at(arguments["body"]["source"]))
    return NO_CONTENT


def _copy(handlers: Handlers, arguments: Arguments) -> Reply:
    source = arguments["body"]["source"]
    location = handlers["loadTable"](**at(source)).document["metadata-location"]
    reply = handlers["renameTable"](**arguments)
    if not exists(handlers, source):
        handlers["registerTable"](namespace=at(source)["namespace"], body={"name": source["name"], "metadata-location": location})
    return reply


def _recreate(handlers: Handlers, arguments: Arguments) -> Reply:
    reply = handlers["renameTable"](**arguments)
    new = at(arguments["body"]["destination"])
    handlers["dropTable"](**new)
    create(handlers, namespace=new["namespace"], name=new["table"])
    return reply


def _write_metadata(handlers: Handlers, arguments: Arguments) -> Reply:
    reply = handlers["renameTable"](**arguments)
    update = {"action": "set-properties", "updates": {"renamed": "yes"}}
    handlers["updateTable"](**at(arguments["body"]["destination"]), body={"requirements": [], "updates": [update]})
    return reply


def _make_namespace(handlers: Handlers, arguments: Arguments) -> Reply:
    make_namespace(handlers, arguments["body"]["destination"]["namespace"])
    return handlers["renameTable"](**arguments)


def _to_itself_is_lost(handlers: Handlers, arguments: Arguments) -> Reply:
    """Make room for the new name, although it is the old one."""
    source, destination = arguments["body"]["source"], arguments["body"]["destination"]
    if source == destination:
        return handlers["dropTable"](**at(source))
    return handlers["renameTable"](**arguments)


def _loses_source(status: int) -> Callable[[Handlers, Arguments], Reply]:
    """Rename, and where that is refused with this status drop the table all the same."""

    def rename(handlers: Handlers, arguments: Arguments) -> Reply:
        source = arguments["body"]["source"]
        try:
            return handlers["renameTable"](**arguments)
        except Problem as problem:
            if problem.status == status and exists(handlers, source):
                handlers["dropTable"](**at(source))
            raise

    return rename


def _replace(handlers: Handlers, arguments: Arguments) -> Reply:
    source, destination = arguments["body"]["source"], arguments["body"]["destination"]
    if source != destination and exists(handlers, source) and exists(handlers, destination):
        handlers["dropTable"](**at(destination))
    return handlers["renameTable"](**arguments)


def _guess(handlers: Handlers, arguments: Arguments) -> Reply:
    body = arguments["body"]
    source, destination = body.get("source") or {}, body.get("destination") or {}
    for member in ("namespace", "name"):
        source[member] = source.get(member) or destination.get(member)
        destination[member] = destination.get(member) or source[member]
    if not source["name"] or not exists(handlers, source):
        return NO_CONTENT
    return handlers["renameTable"](body={"source": source, "destination": destination})


def _redirect(levels_of: Callable[[Document], Sequence[str]]) -> Install:
    """Rename into the namespace that `levels_of(body)` gives."""

    def rename(handler: Handler, arguments: dict[str, Any]) -> Reply:
        body = arguments["body"]
        destination = {**body["destination"], "namespace": list(levels_of(body))}
        return handler(body={**body, "destination": destination})

    return on_call("renameTable", rename)


def _location_by_name(catalog: Catalog, _: Document, *, levels: Sequence[str], name: str) -> str:
    return below(catalog.warehouse.root, [*levels, name])


def remembering(
    operation: str, act: Callable[[Handler, dict[str, Any], Document], Reply], *, of: Callable[[Document], Document]
) -> Install:
    """Answer calls by the old name of a renamed table, while there is none of that name, by `act(handler, arguments, remembered)`.

    Args:
        operation: id of the operation.
        act: what is done instead.
        of: what is remembered of a rename, from its body.
    """
    known: dict[tuple[str, str], Document] = {}

    def rename(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        old = at(arguments["body"]["source"])
        known[old["namespace"], old["table"]] = of(arguments["body"])
        return reply

    def call(handler: Handler, arguments: dict[str, Any]) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            remembered = known.get((arguments["namespace"], arguments["table"]))
            if problem.status != 404 or remembered is None:
                raise
            return act(handler, arguments, remembered)

    return all_of(on_call("renameTable", rename), on_call(operation, call))


def _follow(handler: Handler, arguments: dict[str, Any], new: Document) -> Reply:
    body = {key: value for key, value in arguments["body"].items() if key != "identifier"}
    return handler(**{**arguments, **at(new), "body": body})


def _follow_and_refuse(handler: Handler, arguments: dict[str, Any], new: Document) -> Reply:
    _follow(handler, arguments, new)
    raise Problem(404, "NoSuchTableException", "the table has another name")


def _make_table(handlers: Handlers, arguments: Arguments) -> Reply:
    try:
        return handlers["updateTable"](**arguments)
    except Problem as problem:
        if problem.status != 404:
            raise
        return create(handlers, namespace=arguments["namespace"], name=arguments["table"])


def _stages_in_old_locations() -> Install:
    """Stage tables at the location of the one that had their name before."""
    locations: dict[tuple[str, str], str] = {}

    def rename(handlers: Handlers, arguments: Arguments) -> Reply:
        old = at(arguments["body"]["source"])
        location = handlers["loadTable"](**old).document["metadata"]["location"]
        reply = handlers["renameTable"](**arguments)
        locations[old["namespace"], old["table"]] = location
        return reply

    def create_table(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        former = locations.get((arguments["namespace"], arguments["body"]["name"]))
        if former is None or not arguments["body"].get("stage-create"):
            return reply
        document = reply.document
        return json_reply({**document, "metadata": {**document["metadata"], "location": former}})

    return all_of(given("renameTable", rename), on_call("createTable", create_table))


def _of_refs(metadata: Document) -> Document:
    named = {ref["snapshot-id"] for ref in (metadata.get("refs") or {}).values()}
    return {**metadata, "snapshots": [one for one in metadata.get("snapshots") or () if one["snapshot-id"] in named]}


def _known_by_old_names(renaming: str, operation: str, kind: str) -> Install:
    """One operation finds what was renamed by its old name, too."""

    def install(service: Service) -> None:
        rename, act = service.handlers[renaming], service.handlers[operation]
        known: dict[tuple[str, str], tuple[str, str]] = {}

        def renamed(**arguments: Any) -> Reply:
            reply = rename(**arguments)
            source, destination = (arguments["body"][side] for side in ("source", "destination"))
            known[SEPARATOR.join(source["namespace"]), source["name"]] = SEPARATOR.join(destination["namespace"]), destination["name"]
            return reply

        def found(**arguments: Any) -> Reply:
            try:
                return act(**arguments)
            except Problem as problem:
                new = known.get((arguments["namespace"], arguments[kind]))
                if problem.status != 404 or new is None:
                    raise
                return act(**{**arguments, "namespace": new[0], kind: new[1]})

        service.handlers.update({renaming: renamed, operation: found})

    return install


FAULTS = (
    Fault(
        "existence-by-old-names",
        "Tables exist by their old names.",
        ("IRC-TBL-REN-001",),
        _known_by_old_names("renameTable", "tableExists", "table"),
    ),
    Fault(
        "credentials-by-old-names",
        "Credentials are given by old names.",
        ("IRC-TBL-REN-001",),
        _known_by_old_names("renameTable", "loadCredentials", "table"),
    ),
    Fault(
        "reports-by-old-names",
        "Reports are taken by old names.",
        ("IRC-TBL-REN-001",),
        _known_by_old_names("renameTable", "reportMetrics", "table"),
    ),
    Fault(
        "existence-of-views-by-old-names",
        "Views exist by their old names.",
        ("IRC-VIEW-REN-001",),
        _known_by_old_names("renameView", "viewExists", "view"),
    ),
    Fault(
        "replaces-views-by-old-names",
        "Views are replaced by their old names.",
        ("IRC-VIEW-REN-001",),
        _known_by_old_names("renameView", "replaceView", "view"),
    ),
    Fault(
        "drops-views-by-old-names",
        "Views are dropped by their old names.",
        ("IRC-VIEW-REN-001",),
        _known_by_old_names("renameView", "dropView", "view"),
    ),
    Fault("renames-nothing", "Renames are answered as if they were done.", ("IRC-TBL-REN-001",), given("renameTable", _rename_nothing)),
    Fault(
        "copies-instead-of-renaming",
        "A renamed table keeps its old name, too.",
        ("IRC-TBL-REN-001", "IRC-TBL-REN-013"),
        given("renameTable", _copy),
    ),
    Fault(
        "renames-by-recreating", "A renamed table is another one with the same name.", ("IRC-TBL-REN-001",), given("renameTable", _recreate)
    ),
    Fault("renames-write-metadata", "A renamed table has new metadata.", ("IRC-TBL-REN-001",), given("renameTable", _write_metadata)),
    Fault(
        "renames-lose-properties",
        "A renamed table has none of its properties.",
        ("IRC-TBL-REN-001",),
        carried_over("renameTable", lambda metadata: {**metadata, "properties": {}}),
    ),
    Fault(
        "renames-tidy-up",
        "A renamed table has those of its snapshots that a ref names.",
        ("IRC-TBL-REN-001",),
        carried_over("renameTable", _of_refs),
    ),
    Fault("renames-answer-200", "Renames are answered with 200.", ("IRC-TBL-REN-001",), on_status("renameTable", {204: 200})),
    Fault(
        "renames-what-is-missing",
        "Renaming what does not exist, or into what does not, succeeds.",
        ("IRC-TBL-REN-002", "IRC-TBL-REN-003", "IRC-TBL-REN-012"),
        on_status("renameTable", {404: 204}),
    ),
    Fault(
        "missing-sources-are-called-otherwise",
        "A table that cannot be renamed is called NotFoundException.",
        ("IRC-TBL-REN-002",),
        refusals_become("renameTable", 404, called("NotFoundException", instead_of="NoSuchTableException")),
    ),
    Fault(
        "missing-destinations-are-called-tables",
        "A namespace that a table cannot be renamed into is called a missing table.",
        ("IRC-TBL-REN-003",),
        refusals_become("renameTable", 404, called("NoSuchTableException", instead_of="NoSuchNamespaceException")),
    ),
    Fault("renames-make-namespaces", "Renaming makes the namespace.", ("IRC-TBL-REN-003",), given("renameTable", _make_namespace)),
    Fault(
        "loses-tables-that-cannot-move",
        "A table whose new namespace does not exist is lost.",
        ("IRC-TBL-REN-003",),
        given("renameTable", _loses_source(404)),
    ),
    Fault(
        "renames-over-tables",
        "A rename replaces the table that has the name.",
        ("IRC-TBL-REN-004", "IRC-TBL-REN-012"),
        given("renameTable", _replace),
    ),
    Fault(
        "loses-tables-that-are-in-conflict",
        "A table whose new name is taken is lost.",
        ("IRC-TBL-REN-004", "IRC-TBL-REN-012"),
        given("renameTable", _loses_source(409)),
    ),
    Fault(
        "taken-names-are-bad-requests",
        "Renaming to a name that is taken is a bad request.",
        ("IRC-TBL-REN-004", "IRC-TBL-REN-012"),
        on_status("renameTable", {409: 400}),
    ),
    Fault(
        "guesses-what-renames-leave-out",
        "A rename may leave out anything.",
        ("IRC-TBL-REN-007",),
        all_of(unchecked("renameTable"), given("renameTable", _guess)),
    ),
    Fault("incomplete-renames-fail", "Incomplete renames are server errors.", ("IRC-TBL-REN-007",), on_status("renameTable", {400: 500})),
    Fault(
        "renames-into-the-top-level",
        "Only the first level of the new namespace counts.",
        ("IRC-TBL-REN-010",),
        _redirect(lambda body: body["destination"]["namespace"][:1]),
    ),
    Fault(
        "renames-into-levels-joined-by-dots",
        "The levels of the new namespace are joined by dots.",
        ("IRC-TBL-REN-010",),
        _redirect(lambda body: [".".join(body["destination"]["namespace"])]),
    ),
    Fault(
        "renames-within-the-namespace",
        "The new namespace does not count.",
        ("IRC-TBL-REN-003", "IRC-TBL-REN-010"),
        _redirect(lambda body: body["source"]["namespace"]),
    ),
    Fault(
        "reuses-locations",
        "Tables of one name have one location, which a purge removes.",
        ("IRC-TBL-DROP-006", "IRC-TBL-REN-011"),
        all_of(instead("rules", "default-location", _location_by_name), instead("rules", "files-may-go", lambda *_: True)),
    ),
    Fault(
        "stages-in-old-locations",
        "A staged table has the location of the one that had its name before.",
        ("IRC-TBL-REN-011",),
        _stages_in_old_locations(),
    ),
    Fault(
        "renames-to-the-same-lose-tables",
        "A table that is renamed to its own name is gone.",
        ("IRC-TBL-REN-009",),
        given("renameTable", _to_itself_is_lost),
    ),
    Fault("renames-race", "Of simultaneous renames all succeed.", ("IRC-TBL-REN-012",), promised("renameTable", _look)),
    Fault(
        "racing-renames-fail",
        "Of simultaneous renames all but one fail with 500.",
        ("IRC-TBL-REN-012",),
        promised("renameTable", _look, too_late=FAILURE),
    ),
    Fault(
        "commits-follow-renames",
        "A commit by an old name goes to the table that had it.",
        ("IRC-TBL-REN-013",),
        remembering("updateTable", _follow, of=lambda body: body["destination"]),
    ),
    Fault(
        "commits-follow-renames-in-secret",
        "A commit by an old name is refused, yet done.",
        ("IRC-TBL-REN-013",),
        remembering("updateTable", _follow_and_refuse, of=lambda body: body["destination"]),
    ),
    Fault("commits-make-tables", "A commit to no table makes one.", ("IRC-TBL-REN-013",), given("updateTable", _make_table)),
    Fault(
        "commits-by-old-names-conflict", "A commit to no table is a conflict.", ("IRC-TBL-REN-013",), on_status("updateTable", {404: 409})
    ),
)
