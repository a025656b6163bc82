"""Wrong ways with what commits leave behind, and with commits that replace a table."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from lakepact.reference_server.faults import Install, fault, replace_rule, wrap_rule
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.updates import Draft
from mutants.iceberg_rest.operators.updates import afterwards


def _on_log(change: Callable[[list[Document]], list[Document]]) -> Install:
    def wrapper(finish: Callable[..., Document]) -> Callable[..., Document]:
        def finish_commit(
            metadata: Document, previous: Document, previous_location: str
        ) -> Document:
            finished = finish(metadata, previous, previous_location)
            return {**finished, "metadata-log": change(finished["metadata-log"])}

        return finish_commit

    return wrap_rule("finish_commit", wrapper)


def _on_commit(
    change: Callable[[Document, Document, Sequence[Document], int], Document],
) -> Install:
    """The result of a commit is `change(after, before, updates, now_ms)`."""

    def wrapper(apply: Callable[..., Document]) -> Callable[..., Document]:
        def updates_applied(
            metadata: Document, updates: Sequence[Document], *, now_ms: int, table: Any
        ) -> Document:
            after = apply(metadata, updates, now_ms=now_ms, table=table)
            return after if after is metadata else change(after, metadata, updates, now_ms)

        return updates_applied

    return wrap_rule("apply_updates", wrapper)


@fault("IRC-COM-034")
def keeps_the_time_with_properties() -> Install:
    def change(after: Document, before: Document, updates: Sequence[Document], _: int) -> Document:
        alone = all(update["action"].endswith("-properties") for update in updates)
        return (
            {**after, "last-updated-ms": before["last-updated-ms"]} if alone and before else after
        )

    return _on_commit(change)


def _replaces(updates: Sequence[Document]) -> bool:
    return {"remove-snapshot-ref", "set-current-schema"} <= {update["action"] for update in updates}


@fault("IRC-META-011", by=partial(afterwards, "set-snapshot-ref"))
def logs_the_times_of_snapshots(draft: Draft, update: Document) -> None:
    log = draft.own_list("snapshot-log")
    if update["ref-name"] == "main" and log:
        log[-1] = {
            **log[-1],
            "timestamp-ms": draft.snapshots[update["snapshot-id"]]["timestamp-ms"],
        }


@fault("IRC-COM-028", by=_on_commit)
def time_goes_back(
    after: Document, before: Document, updates: Sequence[Document], _now_ms: int
) -> Document:
    adds = "add-snapshot" in {update["action"] for update in updates}
    return (
        after if adds or not before else {**after, "last-updated-ms": before["last-updated-ms"] - 1}
    )


@fault("IRC-COM-030", by=_on_commit)
def replaced_tables_lose_snapshots(
    after: Document, before: Document, updates: Sequence[Document], _now_ms: int
) -> Document:
    former = [snapshot["snapshot-id"] for snapshot in before.get("snapshots", ())]
    if not _replaces(updates):
        return after
    return {
        **after,
        "snapshots": [
            snapshot for snapshot in after["snapshots"] if snapshot["snapshot-id"] not in former
        ],
    }


@fault("IRC-COM-030", by=partial(afterwards, "remove-snapshot-ref"))
def replaced_tables_lose_their_log(draft: Draft, update: Document) -> None:
    if update["ref-name"] == "main":
        draft.set("snapshot-log", [])


FAULTS = {
    "forgets-former-metadata IRC-COM-027": replace_rule(
        "finish_commit", lambda metadata, _previous, _previous_location: metadata
    ),
    "remembers-last-metadata-alone IRC-COM-027": _on_log(lambda log: log[-1:]),
    "logs-paths-without-scheme IRC-COM-027": _on_log(
        lambda log: [
            {**entry, "metadata-file": entry["metadata-file"].partition("://")[2]} for entry in log
        ]
    ),
    "counts-seconds IRC-COM-028": _on_commit(
        lambda after, _before, _updates, now_ms: {**after, "last-updated-ms": now_ms // 1000}
    ),
    "replaced-tables-are-others IRC-COM-030": _on_commit(
        lambda after, _before, updates, _now_ms: (
            {**after, "table-uuid": str(uuid.uuid4())} if _replaces(updates) else after
        )
    ),
}
