"""Wrong ways with what commits leave behind, and with commits that replace a table."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, around, instead
from lakepact.reference_server.iceberg_rest.faults.ways.updates import afterwards

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.updates import Draft


def _logged(change: Callable[[list[Document]], list[Document]]) -> Install:
    def wrapper(finish: Callable[..., Document]) -> Callable[..., Document]:
        def finish_commit(metadata: Document, previous: Document, previous_location: str) -> Document:
            finished = finish(metadata, previous, previous_location)
            return {**finished, "metadata-log": change(finished["metadata-log"])}

        return finish_commit

    return around("rules", "commit-finished", wrapper)


def _unlogged(metadata: Document, _previous: Document, _previous_location: str) -> Document:
    return metadata


def _applied(change: Callable[[Document, Document, Sequence[Document], int], Document]) -> Install:
    """What comes of a commit is `change(after, before, updates, now_ms)`."""

    def wrapper(apply: Callable[..., Document]) -> Callable[..., Document]:
        def updates_applied(metadata: Document, updates: Sequence[Document], *, now_ms: int, table: Any) -> Document:
            after = apply(metadata, updates, now_ms=now_ms, table=table)
            return after if after is metadata else change(after, metadata, updates, now_ms)

        return updates_applied

    return around("rules", "updates-applied", wrapper)


def _at_the_time_it_is(after: Document, _before: Document, updates: Sequence[Document], now_ms: int) -> Document:
    return after if "add-snapshot" in {update["action"] for update in updates} else {**after, "last-updated-ms": now_ms}


def _in_seconds(after: Document, _before: Document, _updates: Sequence[Document], now_ms: int) -> Document:
    return {**after, "last-updated-ms": now_ms // 1000}


def _replaces(updates: Sequence[Document]) -> bool:
    return {"remove-snapshot-ref", "set-current-schema"} <= {update["action"] for update in updates}


def _as_another(after: Document, _before: Document, updates: Sequence[Document], _now_ms: int) -> Document:
    return {**after, "table-uuid": str(uuid.uuid4())} if _replaces(updates) else after


def _without_former_snapshots(after: Document, before: Document, updates: Sequence[Document], _now_ms: int) -> Document:
    former = [snapshot["snapshot-id"] for snapshot in before.get("snapshots", ())]
    if not _replaces(updates):
        return after
    return {**after, "snapshots": [snapshot for snapshot in after["snapshots"] if snapshot["snapshot-id"] not in former]}


def _forget_log(draft: Draft, update: Document) -> None:
    if update["ref-name"] == "main":
        draft.set("snapshot-log", [])


def _at_its_own_time(draft: Draft, update: Document) -> None:
    log = draft.own_list("snapshot-log")
    if update["ref-name"] == "main" and log:
        log[-1] = {**log[-1], "timestamp-ms": draft.snapshots[update["snapshot-id"]]["timestamp-ms"]}


FAULTS = (
    Fault(
        "logs-the-times-of-snapshots",
        "The snapshot log says of each snapshot when its writer made it.",
        ("IRC-META-011",),
        afterwards("set-snapshot-ref", _at_its_own_time),
    ),
    Fault(
        "forgets-former-metadata",
        "Commits are not logged.",
        ("IRC-COM-027",),
        instead("rules", "commit-finished", _unlogged),
    ),
    Fault(
        "remembers-last-metadata-alone",
        "Only the last metadata file is logged.",
        ("IRC-COM-027",),
        _logged(lambda log: log[-1:]),
    ),
    Fault(
        "logs-paths-without-scheme",
        "The log names metadata files otherwise than they are answered.",
        ("IRC-COM-027",),
        _logged(lambda log: [{**entry, "metadata-file": entry["metadata-file"].partition("://")[2]} for entry in log]),
    ),
    Fault(
        "time-goes-back",
        "A table was last updated when the server's clock says so, even if a snapshot is newer than that.",
        ("IRC-COM-028",),
        _applied(_at_the_time_it_is),
    ),
    Fault("counts-seconds", "`last-updated-ms` are seconds after a commit.", ("IRC-COM-028",), _applied(_in_seconds)),
    Fault("replaced-tables-are-others", "A table that is replaced gets another UUID.", ("IRC-COM-030",), _applied(_as_another)),
    Fault(
        "replaced-tables-lose-snapshots",
        "A table that is replaced loses the snapshots that it had.",
        ("IRC-COM-030",),
        _applied(_without_former_snapshots),
    ),
    Fault(
        "replaced-tables-lose-their-log",
        "The snapshot log is emptied when main is removed.",
        ("IRC-COM-030",),
        afterwards("remove-snapshot-ref", _forget_log),
    ),
)
