"""The everyday programme: chains of tasks that a client performs, each chain in a namespace of its
own, and what each task returns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

#: a task whose result is compared with the one on the sound server alone
AS_SOUND: Final = "as on the sound server"
REFUSED: Final = "an error"  #: a task that has to report an error
FIRST = [{"id": 1, "data": "a"}, {"id": 2, "data": "b"}]
SECOND = [{"id": 3, "data": "c"}, {"id": 4, "data": "d"}]
ON_BRANCH = [{"id": 5, "data": "e"}]


@dataclass(frozen=True)
class Step:
    """A task of the programme.

    Args:
        task: its name.
        arguments: beside the namespace of the chain. `FirstSnapshot` and the like stand for values
            that the catalog holds at that time.
        expected: its result, `REFUSED` or `AS_SOUND`; of rows, the columns `id` and `data`.
    """

    task: str
    arguments: dict[str, Any] = field(default_factory=dict)
    expected: Any = AS_SOUND


@dataclass(frozen=True)
class Stored:
    """An argument that is read from the stored metadata of a table: a member of its first snapshot
    or of its own.
    """

    table: str
    member: str


def _table(task: str, table: str, expected: Any = AS_SOUND, **arguments: Any) -> Step:
    return Step(
        task,
        {"table": table, **{name.replace("_", "-"): value for name, value in arguments.items()}},
        expected,
    )


def _view(task: str, view: str, expected: Any = AS_SOUND, **arguments: Any) -> Step:
    return Step(task, {"view": view, **arguments}, expected)


def _field(number: int, name: str, kind: Any, *, required: bool = False) -> dict[str, Any]:
    return {"id": number, "name": name, "type": kind, "required": required}


CREATE = Step("create-namespace")
POINT = {"type": "struct", "fields": [_field(5, "x", "double"), _field(6, "y", "double")]}
TAGS = {"type": "list", "element-id": 7, "element": "string", "element-required": False}
LAYOUT = {
    "schema": {
        "type": "struct",
        "schema-id": 0,
        "fields": [
            _field(1, "id", "long", required=True),
            _field(2, "day", "date"),
            _field(3, "place", POINT),
            _field(4, "tags", TAGS),
        ],
    },
    "partition-spec": {
        "spec-id": 0,
        "fields": [{"source-id": 2, "field-id": 1000, "name": "day_month", "transform": "month"}],
    },
    "write-order": {
        "order-id": 1,
        "fields": [
            {
                "source-id": 1,
                "transform": "identity",
                "direction": "asc",
                "null-order": "nulls-first",
            }
        ],
    },
    "format-version": 2,
    "properties": {"purpose": "everyday"},
}
EDITS = [
    {"column": ["place", "z"], "edit": "add"},
    {"column": ["tags"], "edit": "rename", "to": "labels"},
]

#: By the name of the chain, which is also the table's or view's namespace.
CHAINS: dict[str, tuple[Step, ...]] = {
    "regions": (
        CREATE,
        Step("namespace-exists", expected=True),
        Step("list-namespaces", expected=[["regions"]]),
        Step(
            "set-namespace-properties",
            {"updates": {"owner": "ann", "team": "sales"}, "removals": []},
        ),
        Step("load-namespace"),
        Step("set-namespace-properties", {"updates": {}, "removals": ["team"]}),
        Step("load-namespace"),
        Step("create-namespace", expected=REFUSED),
        Step("create-namespace", {"namespace": ["regions", "north"]}),
        Step("list-child-namespaces", {"parent": ["regions"]}, [["regions", "north"]]),
        Step("drop-namespace", {"namespace": ["regions", "north"]}),
        Step("drop-namespace"),
        Step("namespace-exists", expected=False),
        Step("load-namespace", expected=REFUSED),
    ),
    "sales": (
        CREATE,
        _table("create-table", "orders"),
        _table("append-rows", "orders", rows=FIRST),
        _table("append-rows", "orders", rows=SECOND),
        _table("read-rows", "orders", FIRST + SECOND),
        _table("read-rows-where", "orders", SECOND[:1], where={"id": 3}),
        _table("set-properties", "orders", updates={"purpose": "everyday"}),
        _table("load-table", "orders"),
        _table("list-snapshots", "orders"),
        _table(
            "read-rows-at-snapshot", "orders", FIRST, snapshot_id=Stored("orders", "snapshot-id")
        ),
        _table(
            "read-rows-at-timestamp", "orders", FIRST, timestamp=Stored("orders", "timestamp-ms")
        ),
        _table("create-tag", "orders", tag="closed", snapshot_id=Stored("orders", "snapshot-id")),
        _table("read-rows-at-ref", "orders", FIRST, ref="closed"),
        _table(
            "create-branch", "orders", branch="audit", snapshot_id=Stored("orders", "snapshot-id")
        ),
        _table("append-rows-to-branch", "orders", branch="audit", rows=ON_BRANCH),
        _table("read-rows-at-ref", "orders", FIRST + ON_BRANCH, ref="audit"),
        _table("read-rows", "orders", FIRST + SECOND),
        _table("drop-tag", "orders", tag="closed"),
        _table("drop-branch", "orders", branch="audit"),
        _table("add-column", "orders", column="note"),
        _table("read-rows", "orders", FIRST + SECOND),
        _table("load-table", "orders"),
    ),
    "layouts": (
        CREATE,
        _table(
            "create-table-with-layout",
            "visits",
            **{name.replace("-", "_"): value for name, value in LAYOUT.items()},
        ),
        _table("load-table", "visits"),
        _table("edit-columns", "visits", edits=EDITS),
        _table(
            "add-partition-field", "visits", column="id", transform="bucket[16]", name="id_bucket"
        ),
        _table("load-table", "visits"),
    ),
    "stock": (
        CREATE,
        *(_table("create-table", name) for name in ("bolts", "nuts", "pins")),
        Step("list-tables", expected=["bolts", "nuts", "pins"]),
        _table("table-exists", "nuts", True),
        _table("create-table", "nuts", REFUSED),
        Step("drop-namespace", expected=REFUSED),
        _table("load-table", "screws", REFUSED),
        _table("rename-table", "nuts", to="screws"),
        _table("load-table", "screws"),
        _table("load-table", "nuts", REFUSED),
        Step("commit-transaction", {"tables": ["bolts", "pins"], "updates": {"counted": "yes"}}),
        _table("load-table", "bolts"),
        _table("drop-table", "pins"),
        _table("table-exists", "pins", False),
        _table("register-table", "pins", metadata_location=Stored("pins", "metadata-location")),
        _table("load-table", "pins"),
        _table("purge-table", "bolts"),
        Step("list-tables", expected=["pins", "screws"]),
    ),
    "reports": (
        CREATE,
        _view("create-view", "totals", sql="SELECT 1 AS id"),
        Step("list-views", expected=["totals"]),
        _view("load-view", "totals"),
        _view("create-view", "totals", REFUSED, sql="SELECT 3 AS id"),
        _view("replace-view", "totals", sql="SELECT 2 AS id"),
        _view("load-view", "totals"),
        _view("rename-view", "totals", to="sums"),
        _view("load-view", "sums"),
        _view("load-view", "totals", REFUSED),
        _view("drop-view", "sums"),
        Step("list-views", expected=[]),
    ),
}
