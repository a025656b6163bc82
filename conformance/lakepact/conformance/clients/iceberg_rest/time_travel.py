"""Tables read as of a snapshot, a time, a branch or a tag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lakepact.conformance import expect
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.outcome import Blocked

if TYPE_CHECKING:
    from lakepact.conformance.clients.iceberg_rest.lab import CatalogClientLab
    from lakepact.conformance.clients.lab import Performance

    Rows = list[dict[str, Any]]

TABLE = "t"
APPENDED: tuple[Rows, ...] = ([{"id": 1, "data": "first"}], [{"id": 2, "data": "second"}])
EARLIER = 1000  #: milliseconds


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
        done = lab.performs("append-rows", namespace=namespace, table=TABLE, rows=rows)
        if not done.ended.is_done:
            raise Blocked(f"the client does not append rows: {done.ended.shown}")
    snapshots = sorted(lab.stored(**where)["metadata"].get("snapshots") or [], key=lambda snapshot: snapshot["sequence-number"])
    if len(snapshots) != appends:
        raise Blocked(f"{appends} appends made {len(snapshots)} snapshots")
    return GrownTable(namespace, tuple(snapshots))


def _reads(done: Performance, rows: Rows, how: str) -> None:
    expect.true(done.ended.prints(rows), f"the rows {how}: {expect.shown(rows)}", done.ended.outcome)


def _at(table: GrownTable, snapshot: int) -> dict[str, Any]:
    return {**table.where, "snapshot-id": snapshot}


def _absent(ids: tuple[int, ...]) -> int:
    """Return an id that no snapshot has."""
    return next(number for number in range(1, len(ids) + 2) if number not in ids)


@check("IRC-CLI-037")
def snapshots(lab: CatalogClientLab) -> None:
    """Reading as of a snapshot returns its rows, and reading as of an unknown one fails."""
    table = grown(lab)
    with lab.judge_each("IRC-CLI-037") as case:
        for number, identifier in enumerate(table.ids, 1):
            with case():
                done = lab.performs("read-rows-at-snapshot", **_at(table, identifier))
                _reads(done, rows_of(number), f"of snapshot {number} of {len(table.ids)}")
        with case():
            absent = _absent(table.ids)
            lab.performs("read-rows-at-snapshot", **_at(table, absent)).is_refused(f"there is no snapshot {absent}")


@check("IRC-CLI-038", "IRC-CLI-039")
def timestamps(lab: CatalogClientLab) -> None:
    """Reading as of a time returns the rows of the snapshot that was current then, also after a rollback."""
    table = grown(lab)
    first, second = (snapshot["timestamp-ms"] for snapshot in table.snapshots)
    with lab.judge_each("IRC-CLI-038") as case:
        for number, time in ((1, max(first, second - 1)), (2, second + EARLIER)):
            if number == 1 and first == second:
                continue
            with case():
                done = lab.performs("read-rows-at-timestamp", **table.where, timestamp=time)
                _reads(done, rows_of(number), f"at {time}, when snapshot {number} of {len(table.ids)} was current")
    back = {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch", "snapshot-id": table.ids[0]}
    lab.commit(table.namespace, TABLE, back)
    rolled_back = lab.stored(**table.where)["metadata"]["snapshot-log"][-1]
    with lab.judge_each("IRC-CLI-039") as case:
        if rolled_back["snapshot-id"] == table.ids[0] and rolled_back["timestamp-ms"] > second:
            with case():
                done = lab.performs("read-rows-at-timestamp", **table.where, timestamp=rolled_back["timestamp-ms"])
                _reads(done, rows_of(1), "of the first snapshot, to which the table was rolled back at that time")
        with case():
            early = first - EARLIER
            done = lab.performs("read-rows-at-timestamp", **table.where, timestamp=early)
            done.is_refused(f"the snapshot-log begins {EARLIER} ms after {early}")


@check("IRC-CLI-040")
def references(lab: CatalogClientLab) -> None:
    """Reading a branch or a tag returns the rows of its snapshot, and reading another name fails."""
    table = grown(lab)
    for name, kind in (("audit", "branch"), ("release-1", "tag")):
        lab.commit(table.namespace, TABLE, {"action": "set-snapshot-ref", "ref-name": name, "type": kind, "snapshot-id": table.ids[0]})
    with lab.judge_each("IRC-CLI-040") as case:
        for name, number in (("audit", 1), ("release-1", 1), ("main", 2)):
            with case():
                _reads(lab.performs("read-rows-at-ref", **table.where, ref=name), rows_of(number), f"of {name}")
        with case():
            lab.performs("read-rows-at-ref", **table.where, ref="absent").is_refused("the table has no reference named absent")
