"""Faults of creating views: wrong answers, lost members, accepted bad requests, and races."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from lakepact.reference_server.faults import Install, all_of, fault, on_answer, on_status, wrap_rule
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import identifier_key
from lakepact.reference_server.storage.store import Place, Transaction
from mutants.iceberg_rest.operators.namespaces import made_where_missing
from mutants.iceberg_rest.operators.requests import asked_for, taken_as
from mutants.iceberg_rest.operators.views import CREATE, made_with, once_each, overlooks
from mutants.operators import on_refusal

WINDOW_MS = 300  #: how long a name that was just given away seems to be free

SQL: Document = {"type": "sql", "sql": "SELECT 1", "dialect": "spark"}
#: The values of members that a request omits.
DEFAULTS: Document = {"name": "unnamed", "schema": {"type": "struct", "fields": []}}
VERSION: Document = {
    "version-id": 1,
    "timestamp-ms": 0,
    "schema-id": 0,
    "summary": {},
    "representations": [SQL],
    "default-namespace": ["default"],
}


def _version(spoil: Callable[[Document, Document], None]) -> Install:
    """`spoil(version, sent)` changes the first version of new views."""
    return made_with(lambda metadata, body: spoil(metadata["versions"][0], body["view-version"]))


def _each(spoil: Callable[[Document], None]) -> Install:
    """`spoil(representation)` changes what new views say."""

    def every(version: Document, _: Document) -> None:
        for representation in version["representations"]:
            spoil(representation)

    return _version(every)


@fault("IRC-VIEW-CREATE-001", by=partial(on_answer, CREATE))
def created_views_have_no_file(answer: Document) -> None:
    del answer["metadata-location"]


@fault("IRC-VIEW-CREATE-004", by=_version)
def default_catalogs_are_lost(version: Document, _: Document) -> None:
    version.pop("default-catalog", None)


@fault("IRC-VIEW-CREATE-007", by=made_with)
def new_views_are_logged_twice(metadata: Document, _: Document) -> None:
    metadata["version-log"] *= 2


@fault("IRC-VIEW-CREATE-012", by=partial(taken_as, CREATE))
def guesses_what_versions_leave_out(body: Document) -> Document:
    version = body.get("view-version")
    return {**body, "view-version": {**VERSION, **version}} if isinstance(version, dict) else body


@fault("IRC-VIEW-CREATE-013", by=partial(taken_as, CREATE))
def guesses_what_representations_leave_out(body: Document) -> Document:
    version = body.get("view-version")
    if not isinstance(version, dict) or "representations" not in version:
        return body
    return {
        **body,
        "view-version": {
            **version,
            "representations": [{**SQL, **one} for one in version["representations"]],
        },
    }


@fault("IRC-VIEW-CREATE-015", by=partial(asked_for, CREATE))
def views_may_say_nothing(body: Document) -> Document:
    version = body["view-version"]
    return {
        **body,
        "view-version": {**version, "representations": version["representations"] or [SQL]},
    }


@fault("IRC-VIEW-CREATE-016", by=partial(asked_for, CREATE))
def everything_is_sql(body: Document) -> Document:
    version = body["view-version"]
    return {
        **body,
        "view-version": {
            **version,
            "representations": [{**one, "type": "sql"} for one in version["representations"]],
        },
    }


@fault("IRC-VIEW-CREATE-017", by=partial(taken_as, CREATE))
def properties_of_views_become_texts(body: Document) -> Document:
    properties = body.get("properties")
    return (
        {**body, "properties": {key: str(value) for key, value in properties.items()}}
        if isinstance(properties, dict)
        else body
    )


@fault("IRC-VIEW-CREATE-018", by=lambda act: all_of(wrap_rule("identifier_is_free", act)))
def views_learn_late_of_each_other(usual: Callable[..., None]) -> Callable[..., None]:
    def identifier_is_free(
        transaction: Transaction, levels: Place, name: str, *wanted: str
    ) -> None:
        record = transaction.get(identifier_key(levels, name))
        log = record.document["metadata"].get("version-log") if record else None
        if not log or time.time() * 1000 - log[0]["timestamp-ms"] > WINDOW_MS:
            usual(transaction, levels, name, *wanted)

    return identifier_is_free


FAULTS = {
    "taken-names-of-views-are-fine IRC-VIEW-CREATE-009 IRC-VIEW-CREATE-010 IRC-VIEW-CREATE-018": on_refusal(
        CREATE, 409, lambda handler, arguments: Reply(200, b"{}")
    ),
    "created-views-are-201 IRC-VIEW-CREATE-001": on_status(CREATE, {200: 201}),
    "guesses-what-views-leave-out IRC-VIEW-CREATE-002": taken_as(
        CREATE, lambda body: {**DEFAULTS, "view-version": VERSION, "properties": {}, **body}
    ),
    "incomplete-views-fail IRC-VIEW-CREATE-002": on_status(CREATE, {400: 500}),
    "versions-keep-schema-ids IRC-VIEW-CREATE-003 IRC-META-017": _version(
        lambda version, sent: version.update({"schema-id": sent["schema-id"]})
    ),
    "views-are-trimmed IRC-VIEW-CREATE-004": _each(
        lambda representation: representation.update(sql=" ".join(representation["sql"].split()))
    ),
    "views-are-ascii IRC-VIEW-CREATE-004": _each(
        lambda representation: representation.update(
            sql=representation["sql"].encode("ascii", "replace").decode()
        )
    ),
    "dialects-in-lower-case IRC-VIEW-CREATE-004": _each(
        lambda representation: representation.update(dialect=representation["dialect"].lower())
    ),
    "default-namespaces-are-cut IRC-VIEW-CREATE-004": _version(
        lambda version, sent: version.update({"default-namespace": sent["default-namespace"][:1]})
    ),
    "views-keep-one-dialect IRC-VIEW-CREATE-005": _version(
        lambda version, _: version["representations"].__delitem__(slice(1, None))
    ),
    "new-views-have-two-versions IRC-VIEW-CREATE-007": made_with(
        lambda metadata, _: metadata["versions"].append(
            {**metadata["versions"][0], "version-id": 2}
        )
    ),
    "creates-views-over-views IRC-VIEW-CREATE-009": overlooks(CREATE, "view"),
    "creates-views-over-tables IRC-VIEW-CREATE-010": overlooks(CREATE, "table"),
    "views-make-namespaces IRC-VIEW-CREATE-011": made_where_missing(CREATE),
    "homeless-views-are-400 IRC-VIEW-CREATE-011": on_status(CREATE, {404: 400}),
    "first-of-a-dialect-wins IRC-VIEW-CREATE-014": asked_for(
        CREATE, lambda body: {**body, "view-version": once_each(body["view-version"])}
    ),
    "properties-of-views-are-lost IRC-VIEW-CREATE-017": made_with(
        lambda metadata, _: metadata.update(properties={})
    ),
    "properties-of-views-are-trimmed IRC-VIEW-CREATE-017": made_with(
        lambda metadata, _: metadata.update(
            properties={key: value.strip() for key, value in metadata["properties"].items()}
        )
    ),
}
