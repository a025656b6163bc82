"""Replacements of views that do something else, nothing, or too much."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

import orjson

from lakepact.reference_server.faults import (
    Install,
    accept,
    all_of,
    fault,
    on_call,
    on_status,
    on_wire,
    replace_entry,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.http.wire import Wire
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import bad_request, identifier_key
from lakepact.reference_server.iceberg_rest.views.updates import VIEW_UPDATES, ViewDraft
from lakepact.reference_server.storage.store import Place, Record, Transaction
from mutants.iceberg_rest.operators.commits import conflict
from mutants.iceberg_rest.operators.requests import asked_for, refused_if, taken_as, while_handling
from mutants.iceberg_rest.operators.views import (
    REPLACE,
    Update,
    adding,
    finished_with,
    in_place_of,
    once_each,
)

SET_CURRENT = "set-current-view-version"
WHILE = 0.1  #: seconds that an answer waits


def _forgetting(member: str, pick: Callable[[Document], bool]) -> Install:
    """Requirements or updates that `pick` selects are ignored."""

    def rewrite(body: Document) -> Document:
        entries = body.get(member)
        return (
            {**body, member: [entry for entry in entries if not pick(entry)]}
            if isinstance(entries, list)
            else body
        )

    return taken_as(REPLACE, rewrite)


def _unlogged(update: Update, draft: ViewDraft, document: Document) -> None:
    log = draft.items("version-log")
    update(draft, document)
    draft.set("version-log", log)


def _quietly(update: Update) -> Update:
    return lambda draft, document: _unlogged(update, draft, document)


def _told_by(*members: str) -> Install:
    """A version that is alike in these members and in its representations is the one that the view
    has.
    """

    def act(update: Update, draft: ViewDraft, document: Document) -> None:
        version = document["view-version"]
        for known in draft.items("versions"):
            if _texts(known) == _texts(version) and all(
                known.get(member) == version.get(member) for member in members
            ):
                draft.added_version = known["version-id"]
                return
        update(draft, document)

    return in_place_of("add-view-version", act)


def _texts(version: Document) -> list[tuple[str, str]]:
    return sorted(
        (one["dialect"], one["sql"].strip().lower()) for one in version["representations"]
    )


@fault("IRC-UPD-083", by=partial(in_place_of, "add-view-version"))
def added_versions_are_current(update: Update, draft: ViewDraft, document: Document) -> None:
    update(draft, document)
    draft.set("current-version-id", draft.added_version)


@fault("IRC-UPD-083", by=partial(in_place_of, "add-schema"))
def added_schemas_replace_the_first(_: Update, draft: ViewDraft, document: Document) -> None:
    schemas = draft.own_list("schemas")
    draft.added_schema = schemas[0]["schema-id"]
    schemas[0] = {**document["schema"], "schema-id": draft.added_schema}


@fault("IRC-UPD-087", by=partial(in_place_of, "add-view-version"))
def minus_one_is_the_first_version(update: Update, draft: ViewDraft, document: Document) -> None:
    before = draft.added_version
    update(draft, document)
    draft.added_version = before or draft.added_version


@fault("IRC-UPD-087", by=partial(in_place_of, SET_CURRENT))
def the_highest_version_was_added_last(
    update: Update, draft: ViewDraft, document: Document
) -> None:
    if document["view-version-id"] == -1 and draft.added_version is not None:
        document = {
            **document,
            "view-version-id": max(version["version-id"] for version in draft.items("versions")),
        }
    update(draft, document)


@fault("IRC-UPD-087", by=adding)
def the_highest_schema_was_added_last(draft: ViewDraft, version: Document) -> Document:
    if version["schema-id"] != -1 or draft.added_schema is None:
        return version
    return {**version, "schema-id": max(schema["schema-id"] for schema in draft.items("schemas"))}


@fault("IRC-VIEW-REPL-001", by=partial(wrap_rule, "write_view_metadata"))
def replaced_views_keep_their_file(write: Callable[..., Record]) -> Callable[..., Record]:
    def written(warehouse: Any, metadata: Document, *, former: str | None) -> Record:
        record = write(warehouse, metadata, former=former)
        if former is None:
            return record
        document = {"metadata-location": former, "metadata": metadata}
        return Record("view", document, orjson.dumps(document))

    return written


@fault("IRC-VIEW-REPL-003", by=finished_with)
def former_versions_are_lost(metadata: Document, _: Document) -> Document:
    current = metadata["current-version-id"]
    return {
        **metadata,
        "versions": [
            version for version in metadata["versions"] if version["version-id"] == current
        ],
        "version-log": metadata["version-log"][-1:],
    }


@fault("IRC-VIEW-REPL-004", by=finished_with)
def properties_add_versions(metadata: Document, previous: Document) -> Document:
    if metadata["versions"] != previous["versions"]:
        return metadata
    number = metadata["versions"][-1]["version-id"] + 1
    return {
        **metadata,
        "versions": [*metadata["versions"], {**metadata["versions"][-1], "version-id": number}],
    }


@fault("IRC-VIEW-REPL-004", by=finished_with)
def properties_are_logged(metadata: Document, previous: Document) -> Document:
    if metadata["version-log"] != previous["version-log"]:
        return metadata
    return {**metadata, "version-log": [*metadata["version-log"], metadata["version-log"][-1]]}


@fault("IRC-REQ-036", by=partial(replace_entry, "view-preconditions", "assert-view-uuid"))
def no_view_uuid(_metadata: Document, _requirement: Document, _where: str) -> None:
    raise conflict("this requirement never holds here")


@fault("IRC-VIEW-REPL-005", by=partial(on_call, REPLACE))
def replaces_in_secret(handler: Handler, arguments: Arguments) -> Reply:
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status == 409:
            handler(**{**arguments, "body": {**arguments["body"], "requirements": []}})
        raise


@fault("IRC-VIEW-REPL-007", by=partial(while_handling, REPLACE, "view_exists"))
def replaces_tables_as_views(find: Callable[..., Record]) -> Callable[..., Record]:
    def view_exists(transaction: Transaction, levels: Place, name: str) -> Record:
        record = transaction.get(identifier_key(levels, name))
        if record is not None and record.kind == "table":
            raise bad_request("the table has no versions")
        return find(transaction, levels, name)

    return view_exists


@fault("IRC-VIEW-REPL-009", by=partial(on_call, REPLACE))
def replaces_as_far_as_it_goes(handler: Handler, arguments: Arguments) -> Reply:
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


@fault("IRC-VIEW-REPL-010", "IRC-UPD-087", by=partial(in_place_of, SET_CURRENT))
def no_way_back_to_versions(update: Update, draft: ViewDraft, document: Document) -> None:
    if document["view-version-id"] == -1:
        update(draft, document)


@fault("IRC-VIEW-REPL-010", "IRC-UPD-087", by=partial(in_place_of, SET_CURRENT))
def ways_back_are_not_logged(update: Update, draft: ViewDraft, document: Document) -> None:
    (update if document["view-version-id"] == -1 else _quietly(update))(draft, document)


@fault("IRC-VIEW-REPL-013")
def replacements_lose_each_other() -> Install:
    read: dict[tuple[Place, str], Record] = {}

    def remembering(usual: Callable[..., Record]) -> Callable[..., Record]:
        return lambda transaction, levels, name: read.setdefault(
            (levels, name), usual(transaction, levels, name)
        )

    async def answer(wire: Wire, reply: Reply) -> None:
        if reply.status == 200:
            await asyncio.sleep(WHILE)
        read.clear()
        await wire.answer(reply)

    return all_of(while_handling(REPLACE, "view_exists", remembering), on_wire(REPLACE, answer))


@fault("IRC-UPD-084", by=adding)
def taken_versions_are_replaced(draft: ViewDraft, version: Document) -> Document:
    taken = [
        other for other in draft.items("versions") if other["version-id"] == version["version-id"]
    ]
    if taken and taken[0]["representations"] != version["representations"]:
        draft.set("versions", [other for other in draft.items("versions") if other not in taken])
    return version


@fault("IRC-UPD-085", by=adding)
def versions_of_any_schema(draft: ViewDraft, version: Document) -> Document:
    known = {schema["schema-id"] for schema in draft.items("schemas")}
    is_known = version["schema-id"] in known or (
        version["schema-id"] == -1 and draft.added_schema is not None
    )
    return version if is_known else {**version, "schema-id": min(known)}


@fault("IRC-UPD-088", by=partial(in_place_of, SET_CURRENT))
def any_version_becomes_current(update: Update, draft: ViewDraft, document: Document) -> None:
    try:
        update(draft, document)
    except Problem:
        return


FAULTS = {
    "versions-compared-loosely IRC-UPD-083": _told_by(),
    "versions-compared-without-schema IRC-UPD-083": _told_by(
        "default-namespace", "default-catalog", "representations"
    ),
    "added-texts-are-trimmed IRC-UPD-083": adding(
        lambda _, version: {
            **version,
            "representations": [
                {**one, "sql": one["sql"].strip()} for one in version["representations"]
            ],
        }
    ),
    "added-versions-have-one-dialect IRC-UPD-083": adding(
        lambda _, version: {**version, "representations": version["representations"][:1]}
    ),
    "added-versions-without-catalog IRC-UPD-083": adding(
        lambda _, version: {
            member: value for member, value in version.items() if member != "default-catalog"
        }
    ),
    "replaced-views-are-201 IRC-VIEW-REPL-001": on_status(REPLACE, {200: 201}),
    "replacements-may-leave-out-updates IRC-VIEW-REPL-002": taken_as(
        REPLACE, lambda body: {"updates": [], **body}
    ),
    "replacements-need-requirements IRC-VIEW-REPL-002": refused_if(
        REPLACE, lambda body: not body.get("requirements")
    ),
    "versions-are-not-logged IRC-VIEW-REPL-003 IRC-UPD-087": in_place_of(SET_CURRENT, _unlogged),
    "any-view-uuid IRC-VIEW-REPL-005 IRC-REQ-036": replace_entry(
        "view-preconditions", "assert-view-uuid", accept
    ),
    "replaces-what-is-missing IRC-VIEW-REPL-006": on_status(REPLACE, {404: 204}),
    "ignores-unknown-updates-of-views IRC-VIEW-REPL-008 IRC-UPD-089": _forgetting(
        "updates", lambda update: update.get("action") not in VIEW_UPDATES
    ),
    "ignores-unknown-requirements-of-views IRC-VIEW-REPL-008 IRC-REQ-038": _forgetting(
        "requirements", lambda requirement: requirement.get("type") != "assert-view-uuid"
    ),
    "ignores-requirements-without-uuid IRC-REQ-037": _forgetting(
        "requirements",
        lambda requirement: (
            requirement.get("type") == "assert-view-uuid" and "uuid" not in requirement
        ),
    ),
    "updates-of-views-backwards IRC-VIEW-REPL-009": asked_for(
        REPLACE, lambda body: {**body, "updates": body["updates"][::-1]}
    ),
    "views-of-any-format-version IRC-VIEW-REPL-012": replace_entry(
        "view-updates", "upgrade-format-version", accept
    ),
    "last-added-is-first-schema IRC-UPD-083": adding(
        lambda draft, version: (
            {**version, "schema-id": draft.items("schemas")[0]["schema-id"]}
            if version["schema-id"] == -1
            else version
        )
    ),
    "known-versions-are-kept-twice IRC-UPD-084": adding(
        lambda _, version: {
            **version,
            "summary": {**version["summary"], "commit": str(uuid.uuid4())},
        }
    ),
    "first-of-an-added-dialect-wins IRC-UPD-086": adding(lambda _, new: once_each(new)),
}
