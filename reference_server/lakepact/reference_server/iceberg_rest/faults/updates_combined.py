"""Updates that lose what stands beside them, forget the way back, or know only what is new."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault
from lakepact.reference_server.iceberg_rest.faults.ways.tables import given
from lakepact.reference_server.iceberg_rest.faults.ways.updates import afterwards, in_place_of, rewritten

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.faults.ways.tables import Arguments, Handlers
    from lakepact.reference_server.iceberg_rest.faults.ways.updates import Update
    from lakepact.reference_server.iceberg_rest.updates import Draft
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Service

LOAD = "loadTable"


def _logged_once(draft: Draft, update: Document) -> None:
    log = draft.items("snapshot-log")
    if update["ref-name"] == "main" and [entry["snapshot-id"] for entry in log].count(update["snapshot-id"]) > 1:
        draft.set("snapshot-log", log[:-1])


def _without_the_future(draft: Draft, update: Document) -> None:
    """What is younger than the snapshot that main goes back to is gone, unless a ref is at it."""
    if update["ref-name"] != "main" or update["snapshot-id"] in draft.added_snapshots:
        return
    held = {reference["snapshot-id"] for reference in draft.get("refs").values()}
    until = draft.snapshots[update["snapshot-id"]]["timestamp-ms"]
    kept = [one for one in draft.items("snapshots") if one["timestamp-ms"] <= until or one["snapshot-id"] in held]
    for one in draft.items("snapshots"):
        if one not in kept:
            del draft.snapshots[one["snapshot-id"]]
    draft.set("snapshots", kept)


def _with_the_whole_log(update: Update, draft: Draft, document: Document) -> None:
    log = list(draft.items("snapshot-log"))
    update(draft, document)
    draft.set("snapshot-log", log)


def _what_refs_hold(draft: Draft, _: Document) -> None:
    held = {reference["snapshot-id"] for reference in (draft.get("refs") or {}).values()}
    draft.set("snapshots", [one for one in draft.items("snapshots") if one["snapshot-id"] in held])


def _only_new(member: str, added: str) -> Callable[[Update, Draft, Document], None]:
    """What the table has already is not what was added last."""

    def act(update: Update, draft: Draft, document: Document) -> None:
        known, before = len(draft.items(member)), getattr(draft, added)
        update(draft, document)
        if len(draft.items(member)) == known:
            setattr(draft, added, before)

    return act


def _numbered_behind_the_default(update: Update, draft: Draft, document: Document) -> None:
    update(draft, document)
    specs = draft.own_list("partition-specs")
    default = [one["field-id"] for spec in specs if spec["spec-id"] == draft.get("default-spec-id") for one in spec["fields"]]
    for place, spec in enumerate(specs):
        if spec["spec-id"] == draft.added_spec and spec["spec-id"] != draft.get("default-spec-id") and default:
            new = [one for one in spec["fields"] if one["field-id"] not in default]
            ids = {one["name"]: max(default) + number for number, one in enumerate(new, 1)}
            specs[place] = {**spec, "fields": [{**one, "field-id": ids.get(one["name"], one["field-id"])} for one in spec["fields"]]}


def _last(member: str, change: Callable[[Document], Document]) -> Callable[[Draft, Document], None]:
    """What was added last is stored as `change(document)`."""

    def spoil(draft: Draft, _: Document) -> None:
        items = draft.items(member)
        if len(items) > 1 or member.endswith("statistics"):
            draft.set(member, [*items[:-1], change(items[-1])])

    return spoil


def _fields(change: Callable[[Document], Document]) -> Callable[[Document], Document]:
    return lambda document: {**document, "fields": [change(field) for field in document["fields"]]}


def _less(*members: str) -> Callable[[Document], Document]:
    return lambda document: {name: value for name, value in document.items() if name not in members}


def _cut(snapshot: Document) -> Document:
    number = snapshot.get("sequence-number")
    return {**snapshot, "sequence-number": number & 0x7FFFFFFF} if isinstance(number, int) else snapshot


def _spelled(update: Document) -> Document:
    name = update.get("ref-name")
    return {**update, "ref-name": name.lower()} if isinstance(name, str) else update


def _shortened(update: Document) -> Document:
    updates = update.get("updates")
    if not isinstance(updates, dict):
        return update
    return {**update, "updates": {key: value[:1000] if isinstance(value, str) else value for key, value in updates.items()}}


def _remembered_until(*operations: str) -> Callable[[Service], None]:
    """Loaded tables are remembered until one of these operations is called."""

    def install(service: Service) -> None:
        known: dict[Any, Reply] = {}

        def load(handlers: Handlers, arguments: Arguments) -> Reply:
            if arguments.get("if_none_match"):
                return handlers[LOAD](**arguments)
            key = (arguments["namespace"], arguments["table"], arguments.get("snapshots"))
            if key not in known:
                known[key] = handlers[LOAD](**arguments)
            return known[key]

        def forgetting(operation: str) -> Callable[[Handlers, Arguments], Reply]:
            def act(handlers: Handlers, arguments: Arguments) -> Reply:
                try:
                    return handlers[operation](**arguments)
                finally:
                    known.clear()

            return act

        for operation in operations:
            given(operation, forgetting(operation))(service)
        given(LOAD, load)(service)

    return install


CHANGES = ("createTable", "updateTable", "dropTable", "commitTransaction", "registerTable", "renameTable")
SET_REF, EXPIRE, UPGRADE = "set-snapshot-ref", "remove-snapshots", "upgrade-format-version"

FAULTS = (
    Fault("ways-back-of-main-are-not-logged", "The log names each snapshot once.", ("IRC-UPD-044",), afterwards(SET_REF, _logged_once)),
    Fault("ways-back-lose-the-future", "Who goes back loses what came after.", ("IRC-UPD-044",), afterwards(SET_REF, _without_the_future)),
    Fault("logs-remember-what-expired", "The log names removed snapshots.", ("IRC-UPD-090",), in_place_of(EXPIRE, _with_the_whole_log)),
    Fault(
        "logs-end-with-what-expired",
        "The log is emptied with each removal.",
        ("IRC-UPD-090",),
        afterwards(EXPIRE, lambda draft, _: draft.set("snapshot-log", [])),
    ),
    Fault("all-without-refs-expire", "With a snapshot, all go that have no ref.", ("IRC-UPD-050",), afterwards(EXPIRE, _what_refs_hold)),
    Fault(
        "known-schemas-are-not-added-last",
        "-1 is a new schema.",
        ("IRC-UPD-018",),
        in_place_of("add-schema", _only_new("schemas", "added_schema")),
    ),
    Fault(
        "known-specs-are-not-added-last",
        "-1 is a new spec.",
        ("IRC-UPD-026",),
        in_place_of("add-spec", _only_new("partition-specs", "added_spec")),
    ),
    Fault(
        "known-orders-are-not-added-last",
        "-1 is a new order.",
        ("IRC-UPD-032",),
        in_place_of("add-sort-order", _only_new("sort-orders", "added_order")),
    ),
    Fault(
        "ids-of-fields-begin-behind-the-default",
        "Ids of partition fields go on from the default spec.",
        ("IRC-UPD-022",),
        in_place_of("add-spec", _numbered_behind_the_default),
    ),
    Fault(
        "added-columns-lose-docs",
        "Added schemas have no docs.",
        ("IRC-UPD-010",),
        afterwards("add-schema", _last("schemas", _fields(_less("doc")))),
    ),
    Fault(
        "added-columns-are-optional",
        "Columns of added schemas are optional.",
        ("IRC-UPD-010",),
        afterwards("add-schema", _last("schemas", _fields(lambda field: {**field, "required": False}))),
    ),
    Fault(
        "added-schemas-identify-nothing",
        "Added schemas have no identifier fields.",
        ("IRC-UPD-010",),
        afterwards("add-schema", _last("schemas", _less("identifier-field-ids"))),
    ),
    Fault(
        "added-transforms-are-bare",
        "Transforms of added specs lose their number.",
        ("IRC-UPD-022",),
        afterwards(
            "add-spec", _last("partition-specs", _fields(lambda one: {**one, "transform": one["transform"].replace("[10]", "[1]")}))
        ),
    ),
    Fault(
        "added-orders-ascend",
        "Added orders are ascending.",
        ("IRC-UPD-029",),
        afterwards("add-sort-order", _last("sort-orders", _fields(lambda one: {**one, "direction": "asc"}))),
    ),
    Fault(
        "added-orders-begin-with-nulls",
        "Added orders have nulls first.",
        ("IRC-UPD-029",),
        afterwards("add-sort-order", _last("sort-orders", _fields(lambda one: {**one, "null-order": "nulls-first"}))),
    ),
    Fault(
        "upgrades-lose-tags",
        "Upgraded tables have no refs but main.",
        ("IRC-UPD-005",),
        afterwards(UPGRADE, lambda draft, _: draft.set("refs", {k: v for k, v in (draft.get("refs") or {}).items() if k == "main"})),
    ),
    Fault(
        "upgrades-lose-statistics",
        "Upgraded tables have no statistics.",
        ("IRC-UPD-005",),
        afterwards(UPGRADE, lambda draft, _: draft.set("statistics", [])),
    ),
    Fault(
        "upgrades-lose-the-log",
        "Upgraded tables have no snapshot log.",
        ("IRC-UPD-005",),
        afterwards(UPGRADE, lambda draft, _: draft.set("snapshot-log", [])),
    ),
    Fault(
        "sequence-numbers-have-31-bits",
        "Sequence numbers are cut.",
        ("IRC-UPD-035",),
        rewritten("add-snapshot", lambda _, update: {**update, "snapshot": _cut(update["snapshot"])}),
    ),
    Fault(
        "refs-in-lower-case",
        "Names of refs are stored in lower case.",
        ("IRC-UPD-045",),
        rewritten(SET_REF, lambda _, update: _spelled(update)),
    ),
    Fault(
        "values-have-1000-letters",
        "Properties are cut.",
        ("IRC-UPD-061",),
        rewritten("set-properties", lambda _, update: _shortened(update)),
    ),
    Fault(
        "statistics-lose-their-blobs",
        "Statistics files have no blobs.",
        ("IRC-UPD-066",),
        afterwards("set-statistics", _last("statistics", lambda file: {**file, "blob-metadata": []})),
    ),
    Fault(
        "partition-statistics-have-no-size",
        "Partition statistics files are empty.",
        ("IRC-UPD-071",),
        afterwards("set-partition-statistics", _last("partition-statistics", lambda file: {**file, "file-size-in-bytes": 0})),
    ),
    Fault(
        "loads-remember-over-registering",
        "A table that was loaded stays so when another is registered over it.",
        ("IRC-TBL-REG-005",),
        _remembered_until(*(one for one in CHANGES if one != "registerTable")),
    ),
    Fault(
        "loads-remember-over-renames",
        "A table that was loaded can be loaded by its old name.",
        ("IRC-TBL-REN-001",),
        _remembered_until(*(one for one in CHANGES if one != "renameTable")),
    ),
)
