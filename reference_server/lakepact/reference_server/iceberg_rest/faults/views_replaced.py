"""Replacements of views that do something else, nothing, or too much."""

from __future__ import annotations

import asyncio
import uuid
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.reference_server.faults import Fault, Install, accept, all_of, around, instead, on_call, on_status, on_wire
from lakepact.reference_server.iceberg_rest.catalog import bad_request, identifier_key
from lakepact.reference_server.iceberg_rest.faults.ways.commits import conflict
from lakepact.reference_server.iceberg_rest.faults.ways.requests import asked_for, during, refused_if, taken_as
from lakepact.reference_server.iceberg_rest.faults.ways.views import (
    REPLACE,
    adding,
    finished_with,
    in_place_of,
    once_each,
)
from lakepact.reference_server.iceberg_rest.view_updates import VIEW_UPDATES
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.store import Record

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.faults.ways.views import Update
    from lakepact.reference_server.iceberg_rest.view_updates import ViewDraft
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler
    from lakepact.reference_server.store import Place, Transaction
    from lakepact.reference_server.wire import Wire

SET_CURRENT = "set-current-view-version"
WHILE = 0.1  #: seconds that an answer waits


def _written_over(write: Callable[..., Record]) -> Callable[..., Record]:
    def written(warehouse: Any, metadata: Document, *, former: str | None) -> Record:
        record = write(warehouse, metadata, former=former)
        if former is None:
            return record
        document = {"metadata-location": former, "metadata": metadata}
        return Record("view", document, orjson.dumps(document))

    return written


def _without_requirements(body: Document) -> bool:
    return not body.get("requirements")


def _refuses_tables(find: Callable[..., Record]) -> Callable[..., Record]:
    def view_exists(transaction: Transaction, levels: Place, name: str) -> Record:
        record = transaction.get(identifier_key(levels, name))
        if record is not None and record.kind == "table":
            raise bad_request("the table has no versions")
        return find(transaction, levels, name)

    return view_exists


def _only_current(metadata: Document, _: Document) -> Document:
    current = metadata["current-version-id"]
    return {
        **metadata,
        "versions": [version for version in metadata["versions"] if version["version-id"] == current],
        "version-log": metadata["version-log"][-1:],
    }


def _always_another_version(metadata: Document, previous: Document) -> Document:
    if metadata["versions"] != previous["versions"]:
        return metadata
    number = metadata["versions"][-1]["version-id"] + 1
    return {**metadata, "versions": [*metadata["versions"], {**metadata["versions"][-1], "version-id": number}]}


def _always_logged(metadata: Document, previous: Document) -> Document:
    if metadata["version-log"] != previous["version-log"]:
        return metadata
    return {**metadata, "version-log": [*metadata["version-log"], metadata["version-log"][-1]]}


def _refused_yet_done(handler: Handler, arguments: dict[str, Any]) -> Reply:
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status == 409:
            handler(**{**arguments, "body": {**arguments["body"], "requirements": []}})
        raise


def _as_far_as_it_goes(handler: Handler, arguments: dict[str, Any]) -> Reply:
    body = arguments["body"]
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status == 400:
            for length in range(len(body["updates"]) - 1, 0, -1):
                try:
                    handler(**{**arguments, "body": {**body, "updates": body["updates"][:length]}})
                except Problem:
                    continue
                break
        raise


def _backwards(body: Document) -> Document:
    return {**body, "updates": body["updates"][::-1]}


def _forgetting(member: str, pick: Callable[[Document], bool]) -> Install:
    """What `pick` picks of the requirements or updates is taken as if it had not been sent."""

    def rewrite(body: Document) -> Document:
        entries = body.get(member)
        return {**body, member: [entry for entry in entries if not pick(entry)]} if isinstance(entries, list) else body

    return taken_as(REPLACE, rewrite)


def _only_the_last_added(update: Update, draft: ViewDraft, document: Document) -> None:
    if document["view-version-id"] == -1:
        update(draft, document)


def _unlogged(update: Update, draft: ViewDraft, document: Document) -> None:
    log = draft.items("version-log")
    update(draft, document)
    draft.set("version-log", log)


def _unlogged_going_back(update: Update, draft: ViewDraft, document: Document) -> None:
    (update if document["view-version-id"] == -1 else _quietly(update))(draft, document)


def _quietly(update: Update) -> Update:
    return lambda draft, document: _unlogged(update, draft, document)


def _forgiven(update: Update, draft: ViewDraft, document: Document) -> None:
    try:
        update(draft, document)
    except Problem:
        return


def _never_holds(_metadata: Document, _requirement: Document, _where: str) -> None:
    raise conflict("this requirement never holds here")


def _of_first_schema(draft: ViewDraft, version: Document) -> Document:
    return {**version, "schema-id": draft.items("schemas")[0]["schema-id"]} if version["schema-id"] == -1 else version


def _of_known_schema(draft: ViewDraft, version: Document) -> Document:
    known = {schema["schema-id"] for schema in draft.items("schemas")}
    is_known = version["schema-id"] in known or (version["schema-id"] == -1 and draft.added_schema is not None)
    return version if is_known else {**version, "schema-id": min(known)}


def _in_place(draft: ViewDraft, version: Document) -> Document:
    taken = [other for other in draft.items("versions") if other["version-id"] == version["version-id"]]
    if taken and taken[0]["representations"] != version["representations"]:
        draft.set("versions", [other for other in draft.items("versions") if other not in taken])
    return version


def _never_the_same(_: ViewDraft, version: Document) -> Document:
    return {**version, "summary": {**version["summary"], "commit": str(uuid.uuid4())}}


def _as_it_was() -> Install:
    """Replacements start from the view as it was when no other was under way, and overwrite what these have made of it."""
    read: dict[tuple[Place, str], Record] = {}

    def act(handler: Handler, arguments: dict[str, Any], rules: dict[str, Callable[..., Any]]) -> Reply:
        usual = rules["view-exists"]

        def remembered(transaction: Transaction, levels: Place, name: str) -> Record:
            return read.setdefault((levels, name), usual(transaction, levels, name))

        rules["view-exists"] = remembered
        try:
            return handler(**arguments)
        finally:
            rules["view-exists"] = usual

    async def answer(wire: Wire, reply: Reply) -> None:
        if reply.status == 200:
            await asyncio.sleep(WHILE)
        read.clear()
        await wire.answer(reply)

    return all_of(lambda service: on_call(REPLACE, lambda h, a: act(h, a, service.rules))(service), on_wire(REPLACE, answer))


def _current_at_once(update: Update, draft: ViewDraft, document: Document) -> None:
    update(draft, document)
    draft.set("current-version-id", draft.added_version)


def _told_by(*members: str) -> Install:
    """A version that is alike in these members and in its representations is the one that the view has."""

    def act(update: Update, draft: ViewDraft, document: Document) -> None:
        version = document["view-version"]
        for known in draft.items("versions"):
            if _texts(known) == _texts(version) and all(known.get(member) == version.get(member) for member in members):
                draft.added_version = known["version-id"]
                return
        update(draft, document)

    return in_place_of("add-view-version", act)


def _texts(version: Document) -> list[tuple[str, str]]:
    return sorted((one["dialect"], one["sql"].strip().lower()) for one in version["representations"])


def _trimmed(_: ViewDraft, version: Document) -> Document:
    return {**version, "representations": [{**one, "sql": one["sql"].strip()} for one in version["representations"]]}


def _by_dialect(_: ViewDraft, version: Document) -> Document:
    return {**version, "representations": sorted(version["representations"], key=lambda one: str(one["dialect"]), reverse=True)}


def _in_its_place(_: Update, draft: ViewDraft, document: Document) -> None:
    schemas = draft.own_list("schemas")
    draft.added_schema = schemas[0]["schema-id"]
    schemas[0] = {**document["schema"], "schema-id": draft.added_schema}


def _the_highest(update: Update, draft: ViewDraft, document: Document) -> None:
    if document["view-version-id"] == -1 and draft.added_version is not None:
        document = {**document, "view-version-id": max(version["version-id"] for version in draft.items("versions"))}
    update(draft, document)


def _of_highest_schema(draft: ViewDraft, version: Document) -> Document:
    if version["schema-id"] != -1 or draft.added_schema is None:
        return version
    return {**version, "schema-id": max(schema["schema-id"] for schema in draft.items("schemas"))}


def _one_dialect(_: ViewDraft, version: Document) -> Document:
    return {**version, "representations": version["representations"][:1]}


def _of_no_catalog(_: ViewDraft, version: Document) -> Document:
    return {member: value for member, value in version.items() if member != "default-catalog"}


FAULTS = (
    Fault(
        "added-versions-are-current",
        "A version is current once it is added.",
        ("IRC-UPD-083",),
        in_place_of("add-view-version", _current_at_once),
    ),
    Fault(
        "versions-told-by-texts",
        "A version that says what a known one says, in whatever letter case and order and of whatever schema, is that one.",
        ("IRC-UPD-083",),
        _told_by(),
    ),
    Fault(
        "versions-told-without-schema",
        "A version that differs from a known one in its schema alone is that one.",
        ("IRC-UPD-083",),
        _told_by("default-namespace", "default-catalog", "representations"),
    ),
    Fault("added-texts-are-trimmed", "Blanks around an added text are lost.", ("IRC-UPD-083",), adding(_trimmed)),
    Fault("added-dialects-are-sorted", "The representations of added versions are sorted.", ("IRC-UPD-083",), adding(_by_dialect)),
    Fault(
        "added-schemas-replace-the-first",
        "A schema that is added to a view takes the place of the first one.",
        ("IRC-UPD-083",),
        in_place_of("add-schema", _in_its_place),
    ),
    Fault(
        "the-highest-version-was-added-last",
        "Where a version is added that the view has already, -1 stands for the one with the highest id.",
        ("IRC-UPD-087",),
        in_place_of(SET_CURRENT, _the_highest),
    ),
    Fault(
        "the-highest-schema-was-added-last",
        "Where a schema is added that the view has already, -1 stands for the one with the highest id.",
        ("IRC-UPD-087",),
        adding(_of_highest_schema),
    ),
    Fault("added-versions-have-one-dialect", "Of an added version one dialect is stored.", ("IRC-UPD-083",), adding(_one_dialect)),
    Fault("added-versions-without-catalog", "Added versions lose their default catalog.", ("IRC-UPD-083",), adding(_of_no_catalog)),
    Fault(
        "replaced-views-keep-their-file",
        "A replaced view names its former file.",
        ("IRC-VIEW-REPL-001",),
        around("rules", "view-written", _written_over),
    ),
    Fault("replaced-views-are-201", "Views are replaced with 201.", ("IRC-VIEW-REPL-001",), on_status(REPLACE, {200: 201})),
    Fault(
        "replacements-may-leave-out-updates",
        "Updates may be left out.",
        ("IRC-VIEW-REPL-002",),
        taken_as(REPLACE, lambda body: {"updates": [], **body}),
    ),
    Fault("replacements-need-requirements", "Requirements are needed.", ("IRC-VIEW-REPL-002",), refused_if(REPLACE, _without_requirements)),
    Fault("former-versions-are-lost", "Only the current version is kept.", ("IRC-VIEW-REPL-003",), finished_with(_only_current)),
    Fault(
        "versions-are-not-logged",
        "The log stays as it is.",
        ("IRC-VIEW-REPL-003", "IRC-UPD-087"),
        in_place_of(SET_CURRENT, _unlogged),
    ),
    Fault("properties-add-versions", "Every change adds a version.", ("IRC-VIEW-REPL-004",), finished_with(_always_another_version)),
    Fault("properties-are-logged", "Every change is logged as a version.", ("IRC-VIEW-REPL-004",), finished_with(_always_logged)),
    Fault(
        "any-view-uuid",
        "assert-view-uuid holds.",
        ("IRC-VIEW-REPL-005", "IRC-REQ-036"),
        instead("view-preconditions", "assert-view-uuid", accept),
    ),
    Fault("no-view-uuid", "assert-view-uuid fails.", ("IRC-REQ-036",), instead("view-preconditions", "assert-view-uuid", _never_holds)),
    Fault(
        "replaces-in-secret", "A conflict is answered, yet the view replaced.", ("IRC-VIEW-REPL-005",), on_call(REPLACE, _refused_yet_done)
    ),
    Fault("replaces-what-is-missing", "Replacing no view succeeds.", ("IRC-VIEW-REPL-006",), on_status(REPLACE, {404: 204})),
    Fault(
        "replaces-tables-as-views",
        "A table is taken for a view and found wanting.",
        ("IRC-VIEW-REPL-007",),
        during(REPLACE, "view-exists", _refuses_tables),
    ),
    Fault(
        "ignores-unknown-updates-of-views",
        "Updates that are unknown are left out.",
        ("IRC-VIEW-REPL-008", "IRC-UPD-089"),
        _forgetting("updates", lambda update: update.get("action") not in VIEW_UPDATES),
    ),
    Fault(
        "ignores-unknown-requirements-of-views",
        "Requirements that are unknown are left out.",
        ("IRC-VIEW-REPL-008", "IRC-REQ-038"),
        _forgetting("requirements", lambda requirement: requirement.get("type") != "assert-view-uuid"),
    ),
    Fault(
        "ignores-requirements-without-uuid",
        "A requirement that says nothing is left out.",
        ("IRC-REQ-037",),
        _forgetting("requirements", lambda requirement: requirement.get("type") == "assert-view-uuid" and "uuid" not in requirement),
    ),
    Fault("updates-of-views-backwards", "Updates are made from the last.", ("IRC-VIEW-REPL-009",), asked_for(REPLACE, _backwards)),
    Fault(
        "replaces-as-far-as-it-goes", "Updates before a wrong one are made.", ("IRC-VIEW-REPL-009",), on_call(REPLACE, _as_far_as_it_goes)
    ),
    Fault(
        "no-way-back-to-versions",
        "Only a version that was just added becomes current.",
        ("IRC-VIEW-REPL-010", "IRC-UPD-087"),
        in_place_of(SET_CURRENT, _only_the_last_added),
    ),
    Fault(
        "ways-back-are-not-logged",
        "A version that becomes current again is not logged.",
        ("IRC-VIEW-REPL-010", "IRC-UPD-087"),
        in_place_of(SET_CURRENT, _unlogged_going_back),
    ),
    Fault(
        "views-of-any-format-version",
        "Views are upgraded to any format version, which stays 1.",
        ("IRC-VIEW-REPL-012",),
        instead("view-updates", "upgrade-format-version", accept),
    ),
    Fault("replacements-lose-each-other", "Simultaneous replacements overwrite each other.", ("IRC-VIEW-REPL-013",), _as_it_was()),
    Fault("last-added-is-first-schema", "A version of schema -1 is one of the first schema.", ("IRC-UPD-083",), adding(_of_first_schema)),
    Fault("taken-versions-are-replaced", "A version replaces the one whose id it has.", ("IRC-UPD-084",), adding(_in_place)),
    Fault("known-versions-are-kept-twice", "Each version is stored anew.", ("IRC-UPD-084",), adding(_never_the_same)),
    Fault("versions-of-any-schema", "A version of no schema gets the first.", ("IRC-UPD-085",), adding(_of_known_schema)),
    Fault("first-of-an-added-dialect-wins", "The first text of a dialect counts.", ("IRC-UPD-086",), adding(lambda _, new: once_each(new))),
    Fault(
        "any-version-becomes-current", "What is not there is set and nothing said.", ("IRC-UPD-088",), in_place_of(SET_CURRENT, _forgiven)
    ),
)
