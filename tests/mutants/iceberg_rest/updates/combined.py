"""Updates that lose what stands beside them, forget the way back, or know only what is new."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import fault
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.updates import Draft
from lakepact.reference_server.iceberg_rest.updates.draft import Member
from mutants.iceberg_rest.operators.tables import Handlers, for_operation
from mutants.iceberg_rest.operators.updates import Update, afterwards, in_place_of, rewritten

LOAD = op.load_table


def _only_new(member: Member, added: str) -> Callable[[Update, Draft, Document], None]:
    """-1 does not refer to an existing item that an update added again."""

    def act(update: Update, draft: Draft, document: Document) -> None:
        known, before = len(draft.items(member)), getattr(draft, added)
        update(draft, document)
        if len(draft.items(member)) == known:
            setattr(draft, added, before)

    return act


def _last(
    member: Member, change: Callable[[Document], Document]
) -> Callable[[Draft, Document], None]:
    """The last added item is stored as `change(document)`."""

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
    return (
        {**snapshot, "sequence-number": number & 0x7FFFFFFF}
        if isinstance(number, int)
        else snapshot
    )


def _spelled(update: Document) -> Document:
    name = update.get("ref-name")
    return {**update, "ref-name": name.lower()} if isinstance(name, str) else update


def _shortened(update: Document) -> Document:
    updates = update.get("updates")
    if not isinstance(updates, dict):
        return update
    return {
        **update,
        "updates": {
            key: value[:1000] if isinstance(value, str) else value for key, value in updates.items()
        },
    }


def _remembered_until(*operations: OperationId) -> Callable[[Service], None]:
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

        def forgetting(operation: OperationId) -> Callable[[Handlers, Arguments], Reply]:
            def act(handlers: Handlers, arguments: Arguments) -> Reply:
                try:
                    return handlers[operation](**arguments)
                finally:
                    known.clear()

            return act

        for operation in operations:
            for_operation(operation, forgetting(operation))(service)
        for_operation(LOAD, load)(service)

    return install


CHANGES = (
    op.create_table,
    op.update_table,
    op.drop_table,
    op.commit_transaction,
    op.register_table,
    op.rename_table,
)
SET_REF, EXPIRE, UPGRADE = "set-snapshot-ref", "remove-snapshots", "upgrade-format-version"


@fault("IRC-UPD-044", by=partial(afterwards, SET_REF))
def ways_back_of_main_are_not_logged(draft: Draft, update: Document) -> None:
    log = draft.items("snapshot-log")
    if (
        update["ref-name"] == "main"
        and [entry["snapshot-id"] for entry in log].count(update["snapshot-id"]) > 1
    ):
        draft.set("snapshot-log", log[:-1])


@fault("IRC-UPD-044", by=partial(afterwards, SET_REF))
def ways_back_free_row_ids(draft: Draft, update: Document) -> None:
    snapshot = draft.snapshots[update["snapshot-id"]]
    if update["ref-name"] == "main" and "first-row-id" in snapshot:
        draft.set("next-row-id", snapshot["first-row-id"] + snapshot["added-rows"])


@fault("IRC-UPD-044", by=partial(afterwards, SET_REF))
def ways_back_lose_the_future(draft: Draft, update: Document) -> None:
    if update["ref-name"] != "main" or update["snapshot-id"] in draft.added_snapshots:
        return
    held = {reference["snapshot-id"] for reference in draft.get("refs").values()}
    until = draft.snapshots[update["snapshot-id"]]["timestamp-ms"]
    kept = [
        one
        for one in draft.items("snapshots")
        if one["timestamp-ms"] <= until or one["snapshot-id"] in held
    ]
    for one in draft.items("snapshots"):
        if one not in kept:
            del draft.snapshots[one["snapshot-id"]]
    draft.set("snapshots", kept)


@fault("IRC-UPD-090", by=partial(in_place_of, EXPIRE))
def logs_remember_what_expired(update: Update, draft: Draft, document: Document) -> None:
    log = list(draft.items("snapshot-log"))
    update(draft, document)
    draft.set("snapshot-log", log)


@fault("IRC-UPD-050", by=partial(afterwards, EXPIRE))
def all_without_refs_expire(draft: Draft, _: Document) -> None:
    held = {reference["snapshot-id"] for reference in (draft.get("refs") or {}).values()}
    draft.set("snapshots", [one for one in draft.items("snapshots") if one["snapshot-id"] in held])


@fault("IRC-UPD-022", by=partial(in_place_of, "add-spec"))
def ids_of_fields_begin_behind_the_default(
    update: Update, draft: Draft, document: Document
) -> None:
    update(draft, document)
    specs = draft.own_list("partition-specs")
    default = [
        one["field-id"]
        for spec in specs
        if spec["spec-id"] == draft.get("default-spec-id")
        for one in spec["fields"]
    ]
    for place, spec in enumerate(specs):
        if (
            spec["spec-id"] == draft.added_spec
            and spec["spec-id"] != draft.get("default-spec-id")
            and default
        ):
            new = [one for one in spec["fields"] if one["field-id"] not in default]
            ids = {one["name"]: max(default) + number for number, one in enumerate(new, 1)}
            specs[place] = {
                **spec,
                "fields": [
                    {**one, "field-id": ids.get(one["name"], one["field-id"])}
                    for one in spec["fields"]
                ],
            }


FAULTS = {
    "logs-end-with-what-expired IRC-UPD-090": afterwards(
        EXPIRE, lambda draft, _: draft.set("snapshot-log", [])
    ),
    "known-schemas-are-not-added-last IRC-UPD-018": in_place_of(
        "add-schema", _only_new("schemas", "added_schema")
    ),
    "known-specs-are-not-added-last IRC-UPD-026": in_place_of(
        "add-spec", _only_new("partition-specs", "added_spec")
    ),
    "known-orders-are-not-added-last IRC-UPD-032": in_place_of(
        "add-sort-order", _only_new("sort-orders", "added_order")
    ),
    "added-columns-lose-docs IRC-UPD-010": afterwards(
        "add-schema", _last("schemas", _fields(_less("doc")))
    ),
    "added-columns-are-optional IRC-UPD-010": afterwards(
        "add-schema", _last("schemas", _fields(lambda field: {**field, "required": False}))
    ),
    "added-schemas-identify-nothing IRC-UPD-010": afterwards(
        "add-schema", _last("schemas", _less("identifier-field-ids"))
    ),
    "added-transforms-are-bare IRC-UPD-022": afterwards(
        "add-spec",
        _last(
            "partition-specs",
            _fields(lambda one: {**one, "transform": one["transform"].replace("[10]", "[1]")}),
        ),
    ),
    "added-orders-ascend IRC-UPD-029": afterwards(
        "add-sort-order", _last("sort-orders", _fields(lambda one: {**one, "direction": "asc"}))
    ),
    "added-orders-begin-with-nulls IRC-UPD-029": afterwards(
        "add-sort-order",
        _last("sort-orders", _fields(lambda one: {**one, "null-order": "nulls-first"})),
    ),
    "upgrades-lose-tags IRC-UPD-005": afterwards(
        UPGRADE,
        lambda draft, _: draft.set(
            "refs", {k: v for k, v in (draft.get("refs") or {}).items() if k == "main"}
        ),
    ),
    "upgrades-lose-statistics IRC-UPD-005": afterwards(
        UPGRADE, lambda draft, _: draft.set("statistics", [])
    ),
    "upgrades-lose-the-log IRC-UPD-005": afterwards(
        UPGRADE, lambda draft, _: draft.set("snapshot-log", [])
    ),
    "sequence-numbers-have-31-bits IRC-UPD-035": rewritten(
        "add-snapshot", lambda _, update: {**update, "snapshot": _cut(update["snapshot"])}
    ),
    "refs-in-lower-case IRC-UPD-045": rewritten(SET_REF, lambda _, update: _spelled(update)),
    "values-have-1000-letters IRC-UPD-061": rewritten(
        "set-properties", lambda _, update: _shortened(update)
    ),
    "statistics-lose-their-blobs IRC-UPD-066": afterwards(
        "set-statistics", _last("statistics", lambda file: {**file, "blob-metadata": []})
    ),
    "partition-statistics-have-no-size IRC-UPD-071": afterwards(
        "set-partition-statistics",
        _last("partition-statistics", lambda file: {**file, "file-size-in-bytes": 0}),
    ),
    "loads-remember-over-registering IRC-TBL-REG-005": _remembered_until(
        *(one for one in CHANGES if one != op.register_table)
    ),
    "loads-remember-over-renames IRC-TBL-REN-001": _remembered_until(
        *(one for one in CHANGES if one != op.rename_table)
    ),
}
