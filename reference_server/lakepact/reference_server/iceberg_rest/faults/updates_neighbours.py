"""Updates that reach less than they mean, or what stands beside it."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Fault, all_of, around
from lakepact.reference_server.iceberg_rest.faults.ways.updates import afterwards, in_place_of, rewritten
from lakepact.reference_server.iceberg_rest.partitioning import highest_field_id

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.faults.ways.updates import Update
    from lakepact.reference_server.iceberg_rest.updates import Draft


def _first_of(member: str) -> Callable[[Draft, Document], Document]:
    """Only the first of those that are listed is meant."""
    return lambda _, document: {**document, member: document[member][:1]}


def _one_snapshot(apply: Callable[..., Document]) -> Callable[..., Document]:
    """Of several snapshots of a commit the last one alone is added."""

    def applied(metadata: Document, updates: Sequence[Document], **how: object) -> Document:
        last = max((place for place, update in enumerate(updates) if update["action"] == "add-snapshot"), default=0)
        return apply(metadata, [one for place, one in enumerate(updates) if one["action"] != "add-snapshot" or place == last], **how)

    return applied


def _rows_of_this_snapshot(draft: Draft, document: Document) -> None:
    if draft.format_version >= 3:
        draft.set("next-row-id", document["snapshot"]["added-rows"])


def _of_current_schema(draft: Draft, document: Document) -> Document:
    return {**document, "snapshot": {**document["snapshot"], "schema-id": draft.get("current-schema-id")}}


def _upon_main(draft: Draft, document: Document) -> Document:
    current = draft.get("current-snapshot-id")
    return document if current in (None, -1) else {**document, "snapshot": {**document["snapshot"], "parent-snapshot-id": current}}


def _those_before_too(draft: Draft, document: Document) -> Document:
    ids = [snapshot["snapshot-id"] for snapshot in draft.items("snapshots")]
    last = max((ids.index(one) for one in document["snapshot-ids"] if one in ids), default=-1)
    return {**document, "snapshot-ids": ids[: last + 1]}


def _without_statistics(draft: Draft, _: Document) -> None:
    draft.set("statistics", [])


def _numbered_anew(draft: Draft, _: Document) -> None:
    if draft.get("last-sequence-number"):
        draft.set("last-sequence-number", max((one.get("sequence-number", 0) for one in draft.items("snapshots")), default=0))


def _with_the_other(member: str) -> Callable[[Draft, Document], None]:
    """The statistics of the other kind go too."""

    def spoil(draft: Draft, document: Document) -> None:
        draft.set(member, [file for file in draft.items(member) if file["snapshot-id"] != document["snapshot-id"]])

    return spoil


def _counted_anew(draft: Draft, _: Document) -> None:
    draft.set("last-partition-id", highest_field_id(draft.items("partition-specs")))


def _by_prefix(update: Update, draft: Draft, document: Document) -> None:
    """Remove all properties that begin as those that are listed."""
    names: dict[str, str] = draft.get("properties") or {}
    update(draft, {**document, "removals": [name for name in names if name.startswith(tuple(document["removals"]))]})


def _row_ids_begin_anew(draft: Draft, document: Document) -> None:
    if draft.format_version >= 3:
        kept = draft.own_list("snapshots")
        kept[-1] = draft.snapshots[document["snapshot"]["snapshot-id"]] = {**kept[-1], "first-row-id": 0}


def _rows_of_what_is_kept(draft: Draft, _: Document) -> None:
    if draft.format_version >= 3:
        draft.set("next-row-id", sum(one.get("added-rows", 0) for one in draft.items("snapshots")))


def _until_one_is_missing(draft: Draft, document: Document) -> Document:
    return {**document, "snapshot-ids": list(takewhile(draft.snapshots.__contains__, document["snapshot-ids"]))}


def _without_properties(draft: Draft, _: Document) -> None:
    draft.set("properties", {})


def _numbered_by_count(member: str, id_member: str, added: str) -> Callable[[Update, Draft, Document], None]:
    """What is added gets how many there are for its id."""

    def act(update: Update, draft: Draft, document: Document) -> None:
        before = len(draft.items(member))
        update(draft, document)
        if len(draft.items(member)) > before:
            known = draft.own_list(member)
            known[-1] = {**known[-1], id_member: before}
            setattr(draft, added, before)

    return act


def _snapshots(spoil: Callable[[Draft, Document], None]) -> Install:
    return afterwards("add-snapshot", spoil)


FAULTS = (
    Fault(
        "schemas-take-properties",
        "A schema that is added empties properties.",
        ("IRC-UPD-010",),
        afterwards("add-schema", _without_properties),
    ),
    Fault("specs-take-properties", "A new spec empties properties.", ("IRC-UPD-022",), afterwards("add-spec", _without_properties)),
    Fault(
        "orders-take-properties",
        "An order that is added empties properties.",
        ("IRC-UPD-029",),
        afterwards("add-sort-order", _without_properties),
    ),
    Fault(
        "one-snapshot-for-a-commit",
        "Of several snapshots of a commit one is added.",
        ("IRC-UPD-035",),
        around("rules", "updates-applied", _one_snapshot),
    ),
    Fault("snapshots-upon-main", "The parent of each snapshot is that of main.", ("IRC-UPD-035",), rewritten("add-snapshot", _upon_main)),
    Fault(
        "rows-of-the-last-snapshot",
        "The next row id counts the rows of one snapshot.",
        ("IRC-UPD-041",),
        _snapshots(_rows_of_this_snapshot),
    ),
    Fault(
        "rows-of-what-is-kept",
        "The next row id counts the rows of the snapshots that the table still has.",
        ("IRC-UPD-041",),
        _snapshots(_rows_of_what_is_kept),
    ),
    Fault("first-row-id-zero", "Each snapshot begins at row 0.", ("IRC-UPD-041",), _snapshots(_row_ids_begin_anew)),
    Fault(
        "snapshots-of-current-schema", "Snapshots name the current schema.", ("IRC-UPD-042",), rewritten("add-snapshot", _of_current_schema)
    ),
    Fault(
        "older-snapshots-go-too",
        "What is older than a removed snapshot goes too.",
        ("IRC-UPD-050",),
        rewritten("remove-snapshots", _those_before_too),
    ),
    Fault(
        "missing-snapshots-end-removals",
        "Of snapshots that are to be removed, those behind one that there is not stay.",
        ("IRC-UPD-050",),
        rewritten("remove-snapshots", _until_one_is_missing),
    ),
    Fault(
        "schemas-numbered-by-count",
        "A new schema has the number of schemas for its id.",
        ("IRC-UPD-010",),
        in_place_of("add-schema", _numbered_by_count("schemas", "schema-id", "added_schema")),
    ),
    Fault(
        "specs-numbered-by-count",
        "A new spec has the number of specs for its id.",
        ("IRC-UPD-022",),
        in_place_of("add-spec", _numbered_by_count("partition-specs", "spec-id", "added_spec")),
    ),
    Fault(
        "all-statistics-go",
        "All statistics go when a snapshot is removed.",
        ("IRC-UPD-050",),
        afterwards("remove-snapshots", _without_statistics),
    ),
    Fault(
        "sequence-numbers-used-again",
        "The sequence number of a removed snapshot is free again.",
        ("IRC-UPD-050",),
        afterwards("remove-snapshots", _numbered_anew),
    ),
    Fault(
        "statistics-of-both-kinds-go",
        "Statistics take those of the other kind along when they are removed.",
        ("IRC-UPD-070", "IRC-UPD-072"),
        all_of(
            afterwards("remove-statistics", _with_the_other("partition-statistics")),
            afterwards("remove-partition-statistics", _with_the_other("statistics")),
        ),
    ),
    Fault(
        "one-schema-removed", "Of several schemas one is removed.", ("IRC-UPD-076",), rewritten("remove-schemas", _first_of("schema-ids"))
    ),
    Fault(
        "one-spec-removed", "Of several specs one is removed.", ("IRC-UPD-073",), rewritten("remove-partition-specs", _first_of("spec-ids"))
    ),
    Fault(
        "partition-ids-used-again",
        "The partition ids of removed specs are free again.",
        ("IRC-REQ-027",),
        afterwards("remove-partition-specs", _counted_anew),
    ),
    Fault(
        "properties-removed-by-prefix",
        "Properties are removed by how they begin.",
        ("IRC-UPD-064",),
        in_place_of("remove-properties", _by_prefix),
    ),
)
