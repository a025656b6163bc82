"""Tables to which the client has appended rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lakepact.conformance.evidence.outcome import Blocked

if TYPE_CHECKING:
    from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab

    Rows = list[dict[str, Any]]

TABLE = "t"
LARGE = 9_007_199_254_740_993  #: the first integer that a float does not hold
APPENDED: tuple[Rows, ...] = ([{"id": 1, "data": "first"}], [{"id": 2, "data": "second"}])


@dataclass(frozen=True)
class GrownTable:
    """A table to which the client has appended rows.

    Args:
        namespace: of the table.
        snapshots: its snapshots, in the order of the appends.
    """

    namespace: list[str]
    snapshots: tuple[dict[str, Any], ...]

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of its snapshots."""
        return tuple(snapshot["snapshot-id"] for snapshot in self.snapshots)

    @property
    def where(self) -> dict[str, Any]:
        """The arguments that name it."""
        return {"namespace": self.namespace, "table": TABLE}


def rows_of(number: int) -> Rows:
    """Return the rows of the table after a number of appends."""
    return [row for rows in APPENDED[:number] for row in rows]


def grown(lab: CatalogClientLab, appends: int = len(APPENDED)) -> GrownTable:
    """Return a table to which the client has appended rows that many times.

    Raises:
        NotOffered: it appends no rows.
        Blocked: it does not commit them.
    """
    namespace = lab.namespace(TABLE)
    where: dict[str, Any] = {"namespace": namespace, "table": TABLE}
    for rows in APPENDED[:appends]:
        lab.require_done(lab.performs("append-rows", namespace=namespace, table=TABLE, rows=rows))
    snapshots = sorted(lab.stored(**where)["metadata"].get("snapshots") or [], key=lambda snapshot: snapshot["sequence-number"])
    if len(snapshots) != appends:
        raise Blocked(f"{appends} appends made {len(snapshots)} snapshots")
    return GrownTable(namespace, tuple(snapshots))
