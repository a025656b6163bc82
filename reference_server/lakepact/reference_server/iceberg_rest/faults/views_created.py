"""Wrong ways of creating views: what is answered, what is kept, what is forgiven, and who is the first."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, all_of, around, on_answer, on_call, on_status
from lakepact.reference_server.iceberg_rest.catalog import identifier_key
from lakepact.reference_server.iceberg_rest.faults.ways.namespaces import made_where_missing
from lakepact.reference_server.iceberg_rest.faults.ways.requests import asked_for, taken_as
from lakepact.reference_server.iceberg_rest.faults.ways.views import CREATE, made_with, once_each, overlooks
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Handler
    from lakepact.reference_server.store import Place, Transaction

WINDOW_MS = 300  #: how long a name that was just given away seems to be free

SQL: Document = {"type": "sql", "sql": "SELECT 1", "dialect": "spark"}
#: What stands in the place of what a request leaves out.
DEFAULTS: Document = {"name": "unnamed", "schema": {"type": "struct", "fields": []}}
VERSION: Document = {
    "version-id": 1,
    "timestamp-ms": 0,
    "schema-id": 0,
    "summary": {},
    "representations": [SQL],
    "default-namespace": ["default"],
}


def _without_location(answer: Document) -> None:
    del answer["metadata-location"]


def _version(spoil: Callable[[Document, Document], None]) -> Install:
    """`spoil(version, sent)` changes the first version of new views."""
    return made_with(lambda metadata, body: spoil(metadata["versions"][0], body["view-version"]))


def _each(spoil: Callable[[Document], None]) -> Install:
    """`spoil(representation)` changes what new views say."""

    def every(version: Document, _: Document) -> None:
        for representation in version["representations"]:
            spoil(representation)

    return _version(every)


def _schema_as_sent(version: Document, sent: Document) -> None:
    version["schema-id"] = sent["schema-id"]


def _trim(representation: Document) -> None:
    representation["sql"] = " ".join(representation["sql"].split())


def _ascii(representation: Document) -> None:
    representation["sql"] = representation["sql"].encode("ascii", "replace").decode()


def _lower_dialect(representation: Document) -> None:
    representation["dialect"] = representation["dialect"].lower()


def _own_namespace(version: Document, sent: Document) -> None:
    version["default-namespace"] = sent["default-namespace"][:1]


def _without_catalog(version: Document, _: Document) -> None:
    version.pop("default-catalog", None)


def _sorted(version: Document, _: Document) -> None:
    version["representations"].sort(key=lambda one: one["dialect"].lower())


def _logged_twice(metadata: Document, _: Document) -> None:
    metadata["version-log"] *= 2


def _with_empty_version(metadata: Document, _: Document) -> None:
    metadata["versions"].append({**metadata["versions"][0], "version-id": 2})


def _without_properties(metadata: Document, _: Document) -> None:
    metadata["properties"] = {}


def _trimmed_properties(metadata: Document, _: Document) -> None:
    metadata["properties"] = {key: value.strip() for key, value in metadata["properties"].items()}


def _guess(body: Document) -> Document:
    return {**DEFAULTS, "view-version": VERSION, "properties": {}, **body}


def _guess_version(body: Document) -> Document:
    version = body.get("view-version")
    return {**body, "view-version": {**VERSION, **version}} if isinstance(version, dict) else body


def _guess_representations(body: Document) -> Document:
    version = body.get("view-version")
    if not isinstance(version, dict) or "representations" not in version:
        return body
    return {**body, "view-version": {**version, "representations": [{**SQL, **one} for one in version["representations"]]}}


def _once_each(body: Document) -> Document:
    return {**body, "view-version": once_each(body["view-version"])}


def _say_something(body: Document) -> Document:
    version = body["view-version"]
    return {**body, "view-version": {**version, "representations": version["representations"] or [SQL]}}


def _sql_of_any_kind(body: Document) -> Document:
    version = body["view-version"]
    return {**body, "view-version": {**version, "representations": [{**one, "type": "sql"} for one in version["representations"]]}}


def _texts(body: Document) -> Document:
    properties = body.get("properties")
    return {**body, "properties": {key: str(value) for key, value in properties.items()}} if isinstance(properties, dict) else body


def _existing(handler: Handler, arguments: dict[str, Any]) -> Reply:
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status != 409:
            raise
        return Reply(200, b"{}")


def _learn_late(usual: Callable[..., None]) -> Callable[..., None]:
    def identifier_is_free(transaction: Transaction, levels: Place, name: str, *wanted: str) -> None:
        record = transaction.get(identifier_key(levels, name))
        log = record.document["metadata"].get("version-log") if record else None
        if not log or time.time() * 1000 - log[0]["timestamp-ms"] > WINDOW_MS:
            usual(transaction, levels, name, *wanted)

    return identifier_is_free


FAULTS = (
    Fault(
        "created-views-have-no-file",
        "New views are answered without location.",
        ("IRC-VIEW-CREATE-001",),
        on_answer(CREATE, _without_location),
    ),
    Fault("created-views-are-201", "Views are created with 201.", ("IRC-VIEW-CREATE-001",), on_status(CREATE, {200: 201})),
    Fault("guesses-what-views-leave-out", "A new view may leave out anything.", ("IRC-VIEW-CREATE-002",), taken_as(CREATE, _guess)),
    Fault("incomplete-views-fail", "Bad requests for views are server errors.", ("IRC-VIEW-CREATE-002",), on_status(CREATE, {400: 500})),
    Fault(
        "versions-keep-schema-ids",
        "The first version has the schema-id of its request.",
        ("IRC-VIEW-CREATE-003", "IRC-META-017"),
        _version(_schema_as_sent),
    ),
    Fault("views-are-trimmed", "White space of views is trimmed.", ("IRC-VIEW-CREATE-004",), _each(_trim)),
    Fault("views-are-ascii", "Views are kept in ASCII.", ("IRC-VIEW-CREATE-004",), _each(_ascii)),
    Fault("dialects-in-lower-case", "Dialects are kept in lower case.", ("IRC-VIEW-CREATE-004",), _each(_lower_dialect)),
    Fault("default-namespaces-are-cut", "Default namespaces have one level.", ("IRC-VIEW-CREATE-004",), _version(_own_namespace)),
    Fault("default-catalogs-are-lost", "Default catalogs are lost.", ("IRC-VIEW-CREATE-004",), _version(_without_catalog)),
    Fault("dialects-are-sorted", "Representations are kept by the names of dialects.", ("IRC-VIEW-CREATE-005",), _version(_sorted)),
    Fault("new-views-are-logged-twice", "New views have two entries in their log.", ("IRC-VIEW-CREATE-007",), made_with(_logged_twice)),
    Fault("new-views-have-two-versions", "New views have two versions.", ("IRC-VIEW-CREATE-007",), made_with(_with_empty_version)),
    Fault("creates-views-over-views", "A new view replaces another.", ("IRC-VIEW-CREATE-009",), overlooks(CREATE, "view")),
    Fault(
        "taken-names-of-views-are-fine",
        "A view that exists already is created with 200.",
        ("IRC-VIEW-CREATE-009", "IRC-VIEW-CREATE-010", "IRC-VIEW-CREATE-018"),
        on_call(CREATE, _existing),
    ),
    Fault("creates-views-over-tables", "A new view replaces a table.", ("IRC-VIEW-CREATE-010",), overlooks(CREATE, "table")),
    Fault("views-make-namespaces", "A view makes its namespace.", ("IRC-VIEW-CREATE-011",), made_where_missing(CREATE)),
    Fault("homeless-views-are-400", "A view without namespace is a bad request.", ("IRC-VIEW-CREATE-011",), on_status(CREATE, {404: 400})),
    Fault(
        "guesses-what-versions-leave-out", "A version may leave out anything.", ("IRC-VIEW-CREATE-012",), taken_as(CREATE, _guess_version)
    ),
    Fault(
        "guesses-what-representations-leave-out",
        "A representation may leave out anything.",
        ("IRC-VIEW-CREATE-013",),
        taken_as(CREATE, _guess_representations),
    ),
    Fault("first-of-a-dialect-wins", "Of one dialect the first text counts.", ("IRC-VIEW-CREATE-014",), asked_for(CREATE, _once_each)),
    Fault("views-may-say-nothing", "A view may say nothing.", ("IRC-VIEW-CREATE-015",), asked_for(CREATE, _say_something)),
    Fault("everything-is-sql", "Every representation is SQL.", ("IRC-VIEW-CREATE-016",), asked_for(CREATE, _sql_of_any_kind)),
    Fault("properties-of-views-are-lost", "New views have no properties.", ("IRC-VIEW-CREATE-017",), made_with(_without_properties)),
    Fault("properties-of-views-are-trimmed", "Properties are trimmed.", ("IRC-VIEW-CREATE-017",), made_with(_trimmed_properties)),
    Fault("properties-of-views-become-texts", "Any property is made a text.", ("IRC-VIEW-CREATE-017",), taken_as(CREATE, _texts)),
    Fault(
        "views-learn-late-of-each-other",
        "A view that was created just now is not seen.",
        ("IRC-VIEW-CREATE-018",),
        all_of(around("rules", "identifier-is-free", _learn_late)),
    ),
)
