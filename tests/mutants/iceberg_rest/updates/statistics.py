"""Wrong ways with the updates of statistics files and of partition statistics files."""

from __future__ import annotations

from functools import partial

from lakepact.reference_server.faults import Install, fault, replace_entry
from lakepact.reference_server.iceberg_rest.documents import Document, refusal
from lakepact.reference_server.iceberg_rest.updates import Draft
from lakepact.reference_server.iceberg_rest.updates.draft import Member
from mutants.iceberg_rest.operators import updates


def _append(member: Member) -> Install:
    def update(draft: Draft, document: Document) -> None:
        draft.own_list(member).append(document[member])

    return replace_entry("updates", f"set-{member}", update)


def _first_only(member: Member) -> Install:
    def has_one(draft: Draft, document: Document) -> bool:
        return any(
            file["snapshot-id"] == document[member]["snapshot-id"] for file in draft.items(member)
        )

    return updates.refused_when(f"set-{member}", has_one)


def _cleared(member: Member) -> Install:
    def update(draft: Draft, _: Document) -> None:
        draft.set(member, [])

    return replace_entry("updates", f"remove-{member}", update)


def _refuses_unknown(member: Member) -> Install:
    def is_unknown(draft: Draft, document: Document) -> bool:
        return all(file["snapshot-id"] != document["snapshot-id"] for file in draft.items(member))

    return updates.refused_when(f"remove-{member}", is_unknown)


@fault("IRC-UPD-066", by=partial(updates.rewritten, "set-statistics"))
def statistics_have_one_blob(_: Draft, update: Document) -> Document:
    statistics = update.get("statistics")
    if not isinstance(statistics, dict) or not isinstance(statistics.get("blob-metadata"), list):
        return update
    return {
        **update,
        "statistics": {**statistics, "blob-metadata": statistics["blob-metadata"][:1]},
    }


@fault("IRC-UPD-067", by=partial(updates.rewritten, "set-statistics"))
def files_statistics_under_deprecated_id(_: Draft, document: Document) -> Document:
    file = document["statistics"]
    return {
        **document,
        "statistics": {**file, "snapshot-id": document.get("snapshot-id", file["snapshot-id"])},
    }


@fault("IRC-UPD-069")
def unknown_snapshots_replace_statistics() -> Install:
    def update(draft: Draft, document: Document) -> None:
        file = document["statistics"]
        known = {snapshot["snapshot-id"] for snapshot in draft.items("snapshots")}
        others = [
            one for one in draft.items("statistics") if one["snapshot-id"] != file["snapshot-id"]
        ]
        draft.set("statistics", [*(others if file["snapshot-id"] in known else ()), file])

    return replace_entry("updates", "set-statistics", update)


@fault("IRC-UPD-071", by=partial(replace_entry, "updates", "set-partition-statistics"))
def partition_statistics_are_unknown_updates(draft: Draft, _: Document) -> None:
    raise refusal(f"{draft.where}/action", "there is no such update")


FAULTS = {
    "keeps-the-last-statistics-alone IRC-UPD-069": updates.afterwards(
        "set-statistics", lambda draft, _: draft.set("statistics", draft.items("statistics")[-1:])
    ),
    "adds-statistics IRC-UPD-066 IRC-META-015": _append("statistics"),
    "refuses-new-statistics IRC-UPD-066": _first_only("statistics"),
    "needs-deprecated-snapshot-id IRC-UPD-067": updates.refused_when(
        "set-statistics", updates.lacks("snapshot-id")
    ),
    "ignores-incomplete-statistics IRC-UPD-068": updates.accepting_anyway("set-statistics"),
    "ignores-statistics IRC-UPD-066": updates.ignored("set-statistics"),
    "keeps-removed-statistics IRC-UPD-070": updates.ignored("remove-statistics"),
    "removes-all-statistics IRC-UPD-070": _cleared("statistics"),
    "refuses-to-remove-unknown-statistics IRC-UPD-070": _refuses_unknown("statistics"),
    "adds-partition-statistics IRC-UPD-071": _append("partition-statistics"),
    "keeps-removed-partition-statistics IRC-UPD-072": updates.ignored(
        "remove-partition-statistics"
    ),
    "refuses-to-remove-unknown-partition-statistics IRC-UPD-072": _refuses_unknown(
        "partition-statistics"
    ),
}
