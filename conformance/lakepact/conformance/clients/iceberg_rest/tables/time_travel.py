"""Tables read as of a snapshot, a time, a branch or a tag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.clients.iceberg_rest.kit.grown_tables import TABLE, grown, rows_of
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.judging import expect

if TYPE_CHECKING:
    from lakepact.conformance.clients.iceberg_rest.kit.grown_tables import GrownTable, Rows
    from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab
    from lakepact.conformance.clients.lab import Performance

EARLIER = 1000  #: milliseconds


def _reads(done: Performance, rows: Rows, how: str) -> None:
    expect.true(done.ended.prints(rows), f"the rows {how}: {expect.shown(rows)}", done.ended.outcome, at=None)


def _at(table: GrownTable, snapshot: int) -> dict[str, Any]:
    return {**table.where, "snapshot-id": snapshot}


def _absent(ids: tuple[int, ...]) -> int:
    """Return an id that no snapshot has."""
    return next(number for number in range(1, len(ids) + 2) if number not in ids)


@check("IRC-CLI-037")
def snapshots(lab: CatalogClientLab) -> None:
    """A client that reads as of a snapshot returns its rows, and reports an error for an unknown snapshot id."""
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
    """A client that reads as of a time returns the rows of the snapshot that was current, by `snapshot-log`, and fails before it."""
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
    """A client that reads a branch or tag returns the rows of its snapshot, and reports an error for an unknown name."""
    table = grown(lab)
    for name, kind in (("audit", "branch"), ("release-1", "tag")):
        lab.commit(table.namespace, TABLE, {"action": "set-snapshot-ref", "ref-name": name, "type": kind, "snapshot-id": table.ids[0]})
    with lab.judge_each("IRC-CLI-040") as case:
        for name, number in (("audit", 1), ("release-1", 1), ("main", 2)):
            with case():
                _reads(lab.performs("read-rows-at-ref", **table.where, ref=name), rows_of(number), f"of {name}")
        with case():
            lab.performs("read-rows-at-ref", **table.where, ref="absent").is_refused("the table has no reference named absent")
