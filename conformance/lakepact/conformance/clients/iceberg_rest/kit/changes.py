"""Tasks that change something, with the documents that each leaves in the catalog."""

from __future__ import annotations

from typing import Any, NamedTuple

from lakepact.conformance.clients.iceberg_rest.kit.lab import (
    KEPT,
    VIEW_SQL,
    CatalogClientLab,
    path_of,
)
from lakepact.conformance.evidence.exchanges import Document
from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op

UPDATES = {"lakepact.other": "a \"quoted\" value, 'é' and \\ of 1/2", "lakepact.empty": ""}
NEW_SQL = "SELECT 2 AS id"
ALWAYS_NEW = frozenset(
    {"last-updated-ms", "metadata-log"}
)  #: members of metadata that each commit changes


class Change(NamedTuple):
    """A task that changes something."""

    operation: OperationId  #: that requests the change
    task: str
    arguments: Document
    leaves: dict[str, Document | None] = {}  # noqa: RUF012  #: path → members of the document after the task, or None for 404


def other_members(metadata: Document, *names: str) -> Document:
    """Return table metadata without some members, and without those that each commit changes."""
    return {name: value for name, value in metadata.items() if name not in ALWAYS_NEW.union(names)}


def changes(lab: CatalogClientLab, suffix: str = "") -> list[Change]:
    """Return independent tasks that change something; the names of all objects end with a
    suffix.
    """
    home, empty, new = (lab.namespace(name=f"{lab.name()}{suffix}") for _ in range(3))
    lab.server.ask("DELETE", path_of(new))
    stored = {}
    for table in "abcdefgh":
        lab.create(home, f"{table}{suffix}", properties=KEPT)
        stored[table] = lab.stored(home, f"{table}{suffix}")
    for view in "xyz":
        lab.view(home, f"{view}{suffix}")
    lab.server.ask("DELETE", path_of(home, "tables", f"h{suffix}"))

    def at(name: str, kind: str = "tables") -> str:
        return path_of(home, kind, f"{name}{suffix}")

    def of(
        task: str,
        operation: OperationId,
        leaves: dict[str, Document | None] | None = None,
        **arguments: Any,
    ) -> Change:
        with_suffix = {
            name: f"{value}{suffix}" if name in {"table", "view", "to"} else value
            for name, value in arguments.items()
        }
        return Change(operation, task, {"namespace": home, **with_suffix}, leaves or {})

    def updated(table: str) -> Document:
        return {
            "metadata": {**other_members(stored[table]["metadata"]), "properties": KEPT | UPDATES}
        }

    table_f, table_h = stored["f"]["metadata"], stored["h"]["metadata"]
    set_updates, metadata = {"updates": UPDATES}, stored["h"]["metadata-location"]
    return [
        of(
            "create-namespace",
            op.create_namespace,
            {path_of(new): {"namespace": new}},
            namespace=new,
        ),
        of(
            "set-namespace-properties",
            op.update_properties,
            {path_of(home): {"properties": KEPT | UPDATES}},
            updates=UPDATES,
            removals=["absent"],
        ),
        of(
            "drop-namespace",
            op.drop_namespace,
            {path_of(empty): None, path_of(home): {"properties": KEPT}},
            namespace=empty,
        ),
        of("create-table", op.create_table, {at("made"): {}}, table="made"),
        of("set-properties", op.update_table, {at("a"): updated("a")}, table="a", **set_updates),
        of("add-column", op.update_table, table="b", column="added"),
        of("append-rows", op.update_table, table="c", rows=[{"id": 1, "data": "a"}]),
        of(
            "commit-transaction",
            op.commit_transaction,
            {at(name): updated(name) for name in "de"},
            tables=[f"{name}{suffix}" for name in "de"],
            **set_updates,
        ),
        of(
            "rename-table",
            op.rename_table,
            {at("f"): None, at("renamed"): {"metadata": other_members(table_f)}},
            table="f",
            to="renamed",
        ),
        of("drop-table", op.drop_table, {at("g"): None, at("d"): {}}, table="g"),
        of("report-metrics", op.report_metrics, table="a"),
        of(
            "register-table",
            op.register_table,
            {at("registered"): {"metadata": other_members(table_h)}},
            table="registered",
            **{"metadata-location": metadata},
        ),
        of(
            "create-view",
            op.create_view,
            {at("v", "views"): {"sql": VIEW_SQL}},
            view="v",
            sql=VIEW_SQL,
        ),
        of("drop-view", op.drop_view, {at("x", "views"): None, at("z", "views"): {}}, view="x"),
        of(
            "rename-view",
            op.rename_view,
            {at("y", "views"): None, at("moved", "views"): {"sql": VIEW_SQL}},
            view="y",
            to="moved",
        ),
        of(
            "replace-view",
            op.replace_view,
            {at("z", "views"): {"sql": NEW_SQL}},
            view="z",
            sql=NEW_SQL,
        ),
    ]
