"""Valid views and replacements of views, from which fuzzing makes slightly invalid ones."""

from __future__ import annotations

from collections.abc import Callable

from lakepact.conformance.checks.iceberg_rest.kit.commits import requirements as req
from lakepact.conformance.checks.iceberg_rest.kit.lab import SCHEMA
from lakepact.conformance.checks.iceberg_rest.stateful.fuzzing_commits import (
    SOME_TIME,
    Known,
    new_schema,
    update,
)
from lakepact.conformance.evidence.exchanges import Document


def new_version(view: Known, *, schema_id: int) -> Document:
    """Return a version that the view does not have yet, mostly in one dialect."""
    number = max(view.ids("versions", "version-id"), default=0) + 1
    dialects = ["spark", "trino"] if view.random.random() < 0.3 else ["spark"]
    more = {"default-catalog": "lakepact"} if view.random.random() < 0.3 else {}
    return {
        "version-id": number,
        "timestamp-ms": SOME_TIME + number,
        "schema-id": schema_id,
        "summary": {"engine-name": "lakepact"},
        "representations": [
            {"type": "sql", "sql": f"SELECT {number} AS id", "dialect": dialect}
            for dialect in dialects
        ],
        "default-namespace": list(view.key[0]),
        **more,
    }


def creating_view(first: Known, name: str) -> Document:
    """Return a request that makes a view of that name, now and then beside the files of the first
    one.
    """
    version = new_version(first, schema_id=0)
    location = (
        {"location": first.location(f"-{name}")}
        if first.metadata and first.random.random() < 0.2
        else {}
    )
    return {
        "name": name,
        "schema": SCHEMA,
        "view-version": version,
        "properties": {"a": "1"},
        **location,
    }


def a_version(view: Known) -> list[Document]:
    """Return a version of a known schema, or of one that is added with it, mostly with the update
    that makes it current.
    """
    schemas = [update("add-schema", schema=new_schema(view))] if view.random.random() < 0.4 else []
    schema_id = -1 if schemas else view.one_id("schemas", "schema-id")
    updates = [
        *schemas,
        update("add-view-version", view_version=new_version(view, schema_id=schema_id)),
    ]
    return (
        [*updates, update("set-current-view-version", view_version_id=-1)]
        if view.random.random() < 0.7
        else updates
    )


#: By kind: updates that a view should accept in its present state.
UPDATES: dict[str, Callable[[Known], list[Document]]] = {
    "assign-uuid": lambda v: [
        update("assign-uuid", uuid=v.latest("metadata", "view-uuid", default=req.NOBODY))
    ],
    "upgrade-format-version": lambda _: [update("upgrade-format-version", format_version=1)],
    "add-schema": lambda v: [update("add-schema", schema=new_schema(v))],
    "set-location": lambda v: [
        update("set-location", location=v.location(f"/l{v.random.randint(0, 9)}"))
    ],
    "set-properties": lambda v: [
        update("set-properties", updates={"a": str(v.random.randint(0, 9)), "b": ""})
    ],
    "remove-properties": lambda v: [
        update("remove-properties", removals=[v.random.choice(["a", "b", "never"])])
    ],
    "add-view-version": a_version,
    "set-current-view-version": lambda v: [
        update("set-current-view-version", view_version_id=v.one_id("versions", "version-id"))
    ],
}


def replacing(view: Known) -> Document:
    """Return a replacement by one or two kinds of updates, with a requirement or none."""
    kinds = view.random.sample(sorted(UPDATES), view.random.randint(1, 2))
    uuid = {
        "type": "assert-view-uuid",
        "uuid": view.latest("metadata", "view-uuid", default=req.NOBODY),
    }
    required = (
        {"requirements": [uuid] if view.random.random() < 0.6 else []}
        if view.random.random() < 0.8
        else {}
    )
    return {**required, "updates": [one for kind in kinds for one in UPDATES[kind](view)]}
