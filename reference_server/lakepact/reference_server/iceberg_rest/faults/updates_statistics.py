"""Wrong ways with the updates of statistics files and of partition statistics files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Fault, instead
from lakepact.reference_server.iceberg_rest.documents import refused
from lakepact.reference_server.iceberg_rest.faults.ways.updates import forgiven, ignored, lacks, refused_when, rewritten

if TYPE_CHECKING:
    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.updates import Draft


def _added(member: str) -> Install:
    def update(draft: Draft, document: Document) -> None:
        draft.own_list(member).append(document[member])

    return instead("updates", f"set-{member}", update)


def _first_only(member: str) -> Install:
    def has_one(draft: Draft, document: Document) -> bool:
        return any(file["snapshot-id"] == document[member]["snapshot-id"] for file in draft.items(member))

    return refused_when(f"set-{member}", has_one)


def _cleared(member: str) -> Install:
    def update(draft: Draft, _: Document) -> None:
        draft.set(member, [])

    return instead("updates", f"remove-{member}", update)


def _refuses_unknown(member: str) -> Install:
    def is_unknown(draft: Draft, document: Document) -> bool:
        return all(file["snapshot-id"] != document["snapshot-id"] for file in draft.items(member))

    return refused_when(f"remove-{member}", is_unknown)


def _under_deprecated_id(_: Draft, document: Document) -> Document:
    file = document["statistics"]
    return {**document, "statistics": {**file, "snapshot-id": document.get("snapshot-id", file["snapshot-id"])}}


def _unheard_of(draft: Draft, _: Document) -> None:
    raise refused(f"{draft.where}/action", "there is no such update")


def _of_one_blob(_: Draft, update: Document) -> Document:
    statistics = update.get("statistics")
    if not isinstance(statistics, dict) or not isinstance(statistics.get("blob-metadata"), list):
        return update
    return {**update, "statistics": {**statistics, "blob-metadata": statistics["blob-metadata"][:1]}}


FAULTS = (
    Fault(
        "statistics-have-one-blob", "Of statistics the first blob is stored.", ("IRC-UPD-066",), rewritten("set-statistics", _of_one_blob)
    ),
    Fault("adds-statistics", "A snapshot can have several statistics files.", ("IRC-UPD-066", "IRC-META-015"), _added("statistics")),
    Fault("refuses-new-statistics", "The statistics of a snapshot cannot be replaced.", ("IRC-UPD-066",), _first_only("statistics")),
    Fault(
        "needs-deprecated-snapshot-id",
        "set-statistics without its deprecated member is refused.",
        ("IRC-UPD-067",),
        refused_when("set-statistics", lacks("snapshot-id")),
    ),
    Fault(
        "files-statistics-under-deprecated-id",
        "The deprecated member decides of which snapshot statistics are.",
        ("IRC-UPD-067",),
        rewritten("set-statistics", _under_deprecated_id),
    ),
    Fault("forgives-incomplete-statistics", "Statistics that lack a member are ignored.", ("IRC-UPD-068",), forgiven("set-statistics")),
    Fault("ignores-statistics", "set-statistics does nothing.", ("IRC-UPD-069",), ignored("set-statistics")),
    Fault("keeps-removed-statistics", "remove-statistics does nothing.", ("IRC-UPD-070",), ignored("remove-statistics")),
    Fault("removes-all-statistics", "remove-statistics removes those of all snapshots.", ("IRC-UPD-070",), _cleared("statistics")),
    Fault(
        "refuses-to-remove-unknown-statistics",
        "Only statistics that there are can be removed.",
        ("IRC-UPD-070",),
        _refuses_unknown("statistics"),
    ),
    Fault(
        "never-heard-of-partition-statistics",
        "set-partition-statistics is refused as an unknown update.",
        ("IRC-UPD-071",),
        instead("updates", "set-partition-statistics", _unheard_of),
    ),
    Fault(
        "adds-partition-statistics",
        "A snapshot can have several partition statistics files.",
        ("IRC-UPD-071",),
        _added("partition-statistics"),
    ),
    Fault(
        "keeps-removed-partition-statistics",
        "remove-partition-statistics does nothing.",
        ("IRC-UPD-072",),
        ignored("remove-partition-statistics"),
    ),
    Fault(
        "refuses-to-remove-unknown-partition-statistics",
        "Only partition statistics that there are can be removed.",
        ("IRC-UPD-072",),
        _refuses_unknown("partition-statistics"),
    ),
)
