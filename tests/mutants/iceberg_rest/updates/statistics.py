"""Wrong ways with the updates of statistics files and of partition statistics files."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Install, fault, replace_entry
from lakepact.reference_server.iceberg_rest.documents import refused
from mutants.iceberg_rest.operators.updates import (
    accepting_anyway,
    afterwards,
    ignored,
    lacks,
    refused_when,
    rewritten,
)

if TYPE_CHECKING:
    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.updates import Draft


def _added(member: str) -> Install:
    def update(draft: Draft, document: Document) -> None:
        draft.own_list(member).append(document[member])

    return replace_entry("updates", f"set-{member}", update)


def _first_only(member: str) -> Install:
    def has_one(draft: Draft, document: Document) -> bool:
        return any(file["snapshot-id"] == document[member]["snapshot-id"] for file in draft.items(member))

    return refused_when(f"set-{member}", has_one)


def _cleared(member: str) -> Install:
    def update(draft: Draft, _: Document) -> None:
        draft.set(member, [])

    return replace_entry("updates", f"remove-{member}", update)


def _refuses_unknown(member: str) -> Install:
    def is_unknown(draft: Draft, document: Document) -> bool:
        return all(file["snapshot-id"] != document["snapshot-id"] for file in draft.items(member))

    return refused_when(f"remove-{member}", is_unknown)


@fault("IRC-UPD-066", by=partial(rewritten, "set-statistics"))
def statistics_have_one_blob(_: Draft, update: Document) -> Document:
    """Of statistics the first blob is stored."""
    statistics = update.get("statistics")
    if not isinstance(statistics, dict) or not isinstance(statistics.get("blob-metadata"), list):
        return update
    return {**update, "statistics": {**statistics, "blob-metadata": statistics["blob-metadata"][:1]}}


@fault("IRC-UPD-066", "IRC-META-015")
def adds_statistics() -> Install:
    """A snapshot can have several statistics files."""
    return _added("statistics")


@fault("IRC-UPD-066")
def refuses_new_statistics() -> Install:
    """The statistics of a snapshot cannot be replaced."""
    return _first_only("statistics")


@fault("IRC-UPD-067")
def needs_deprecated_snapshot_id() -> Install:
    """set-statistics without its deprecated member is refused."""
    return refused_when("set-statistics", lacks("snapshot-id"))


@fault("IRC-UPD-067", by=partial(rewritten, "set-statistics"))
def files_statistics_under_deprecated_id(_: Draft, document: Document) -> Document:
    """The deprecated member determines the snapshot of statistics."""
    file = document["statistics"]
    return {**document, "statistics": {**file, "snapshot-id": document.get("snapshot-id", file["snapshot-id"])}}


@fault("IRC-UPD-068")
def ignores_incomplete_statistics() -> Install:
    """Statistics that lack a member are ignored."""
    return accepting_anyway("set-statistics")


@fault("IRC-UPD-069")
def unknown_snapshots_replace_statistics() -> Install:
    """Statistics of an unknown snapshot replace those of all other snapshots."""

    def update(draft: Draft, document: Document) -> None:
        file = document["statistics"]
        known = {snapshot["snapshot-id"] for snapshot in draft.items("snapshots")}
        others = [one for one in draft.items("statistics") if one["snapshot-id"] != file["snapshot-id"]]
        draft.set("statistics", [*(others if file["snapshot-id"] in known else ()), file])

    return replace_entry("updates", "set-statistics", update)


@fault("IRC-UPD-066")
def ignores_statistics() -> Install:
    """set-statistics does nothing."""
    return ignored("set-statistics")


@fault("IRC-UPD-069", by=partial(afterwards, "set-statistics"))
def keeps_the_last_statistics_alone(draft: Draft, _: Document) -> None:
    """set-statistics removes the statistics of all other snapshots."""
    draft.set("statistics", draft.items("statistics")[-1:])


@fault("IRC-UPD-070")
def keeps_removed_statistics() -> Install:
    """remove-statistics does nothing."""
    return ignored("remove-statistics")


@fault("IRC-UPD-070")
def removes_all_statistics() -> Install:
    """remove-statistics removes those of all snapshots."""
    return _cleared("statistics")


@fault("IRC-UPD-070")
def refuses_to_remove_unknown_statistics() -> Install:
    """Only statistics that there are can be removed."""
    return _refuses_unknown("statistics")


@fault("IRC-UPD-071", by=partial(replace_entry, "updates", "set-partition-statistics"))
def partition_statistics_are_unknown_updates(draft: Draft, _: Document) -> None:
    """set-partition-statistics is refused as an unknown update."""
    raise refused(f"{draft.where}/action", "there is no such update")


@fault("IRC-UPD-071")
def adds_partition_statistics() -> Install:
    """A snapshot can have several partition statistics files."""
    return _added("partition-statistics")


@fault("IRC-UPD-072")
def keeps_removed_partition_statistics() -> Install:
    """remove-partition-statistics does nothing."""
    return ignored("remove-partition-statistics")


@fault("IRC-UPD-072")
def refuses_to_remove_unknown_partition_statistics() -> Install:
    """Only partition statistics that there are can be removed."""
    return _refuses_unknown("partition-statistics")
