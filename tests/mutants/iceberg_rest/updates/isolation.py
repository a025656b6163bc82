"""Updates that reach less than they mean, or what stands beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile

from lakepact.generated.iceberg_rest.documents import Snapshot
from lakepact.reference_server.faults import Install, all_of, fault, wrap_rule
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.tables.partitioning import highest_field_id
from lakepact.reference_server.iceberg_rest.updates import Draft
from lakepact.reference_server.iceberg_rest.updates.draft import Member
from mutants.iceberg_rest.operators.updates import Update, afterwards, in_place_of, rewritten


def _first_of(member: str) -> Callable[[Draft, Document], Document]:
    """Only the first of those that are listed is meant."""
    return lambda _, document: {**document, member: document[member][:1]}


def _with_the_other(member: Member) -> Callable[[Draft, Document], None]:
    """The statistics of the other kind go too."""

    def spoil(draft: Draft, document: Document) -> None:
        draft.set(
            member,
            [
                file
                for file in draft.items(member)
                if file["snapshot-id"] != document["snapshot-id"]
            ],
        )

    return spoil


def _without_properties(draft: Draft, _: Document) -> None:
    draft.set("properties", {})


def _numbered_by_count(
    member: Member, id_member: str, added: str
) -> Callable[[Update, Draft, Document], None]:
    """An added item gets the number of items as its id."""

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


@fault("IRC-UPD-035", by=partial(wrap_rule, "apply_updates"))
def one_snapshot_for_a_commit(apply: Callable[..., Document]) -> Callable[..., Document]:
    def applied(metadata: Document, updates: Sequence[Document], **how: object) -> Document:
        last = max(
            (place for place, update in enumerate(updates) if update["action"] == "add-snapshot"),
            default=0,
        )
        return apply(
            metadata,
            [
                one
                for place, one in enumerate(updates)
                if one["action"] != "add-snapshot" or place == last
            ],
            **how,
        )

    return applied


@fault("IRC-UPD-035", by=partial(rewritten, "add-snapshot"))
def snapshots_upon_main(draft: Draft, document: Document) -> Document:
    current = draft.get("current-snapshot-id")
    return (
        document
        if current in (None, -1)
        else {**document, "snapshot": {**document["snapshot"], "parent-snapshot-id": current}}
    )


@fault("IRC-UPD-041", by=_snapshots)
def rows_of_the_last_snapshot(draft: Draft, document: Document) -> None:
    if draft.format_version >= 3:
        draft.set("next-row-id", document["snapshot"]["added-rows"])


@fault("IRC-UPD-041", by=_snapshots)
def rows_of_what_is_kept(draft: Draft, _: Document) -> None:
    if draft.format_version >= 3:
        draft.set("next-row-id", sum(one.get("added-rows", 0) for one in draft.items("snapshots")))


@fault("IRC-UPD-041", by=_snapshots)
def first_row_id_zero(draft: Draft, document: Document) -> None:
    if draft.format_version >= 3:
        kept: list[Snapshot] = draft.own_list("snapshots")
        kept[-1] = draft.snapshots[document["snapshot"]["snapshot-id"]] = {
            **kept[-1],
            "first-row-id": 0,
        }


@fault("IRC-UPD-042", by=partial(rewritten, "add-snapshot"))
def snapshots_of_current_schema(draft: Draft, document: Document) -> Document:
    return {
        **document,
        "snapshot": {**document["snapshot"], "schema-id": draft.get("current-schema-id")},
    }


@fault("IRC-UPD-050", by=partial(rewritten, "remove-snapshots"))
def older_snapshots_go_too(draft: Draft, document: Document) -> Document:
    ids = [snapshot["snapshot-id"] for snapshot in draft.items("snapshots")]
    last = max((ids.index(one) for one in document["snapshot-ids"] if one in ids), default=-1)
    return {**document, "snapshot-ids": ids[: last + 1]}


@fault("IRC-UPD-050", by=partial(rewritten, "remove-snapshots"))
def missing_snapshots_end_removals(draft: Draft, document: Document) -> Document:
    return {
        **document,
        "snapshot-ids": list(takewhile(draft.snapshots.__contains__, document["snapshot-ids"])),
    }


@fault("IRC-UPD-050", by=partial(afterwards, "remove-snapshots"))
def sequence_numbers_used_again(draft: Draft, _: Document) -> None:
    if draft.get("last-sequence-number"):
        draft.set(
            "last-sequence-number",
            max((one.get("sequence-number", 0) for one in draft.items("snapshots")), default=0),
        )


@fault("IRC-UPD-064", by=partial(in_place_of, "remove-properties"))
def properties_removed_by_prefix(update: Update, draft: Draft, document: Document) -> None:
    names: dict[str, str] = draft.get("properties") or {}
    update(
        draft,
        {
            **document,
            "removals": [name for name in names if name.startswith(tuple(document["removals"]))],
        },
    )


FAULTS = {
    "all-statistics-go IRC-UPD-050": afterwards(
        "remove-snapshots", lambda draft, _: draft.set("statistics", [])
    ),
    "partition-ids-used-again IRC-UPD-073": afterwards(
        "remove-partition-specs",
        lambda draft, _: draft.set(
            "last-partition-id", highest_field_id(draft.items("partition-specs"))
        ),
    ),
    "schemas-take-properties IRC-UPD-010": afterwards("add-schema", _without_properties),
    "specs-take-properties IRC-UPD-022": afterwards("add-spec", _without_properties),
    "orders-take-properties IRC-UPD-029": afterwards("add-sort-order", _without_properties),
    "current-schemas-take-name-mappings IRC-UPD-017": afterwards(
        "set-current-schema",
        lambda draft, _: draft.set(
            "properties",
            {k: v for k, v in draft.get("properties").items() if "name-mapping" not in k},
        ),
    ),
    "current-schemas-take-properties IRC-UPD-017": afterwards(
        "set-current-schema", _without_properties
    ),
    "default-specs-take-properties IRC-UPD-026": afterwards(
        "set-default-spec", _without_properties
    ),
    "default-orders-take-properties IRC-UPD-032": afterwards(
        "set-default-sort-order", _without_properties
    ),
    "refs-take-properties IRC-UPD-045": afterwards("set-snapshot-ref", _without_properties),
    "keeps-twenty-snapshots IRC-UPD-035": afterwards(
        "add-snapshot", lambda draft, _: draft.set("snapshots", draft.items("snapshots")[-20:])
    ),
    "snapshots-take-properties IRC-UPD-035": afterwards("add-snapshot", _without_properties),
    "schemas-numbered-by-count IRC-UPD-010": in_place_of(
        "add-schema", _numbered_by_count("schemas", "schema-id", "added_schema")
    ),
    "specs-numbered-by-count IRC-UPD-022": in_place_of(
        "add-spec", _numbered_by_count("partition-specs", "spec-id", "added_spec")
    ),
    "statistics-of-both-kinds-go IRC-UPD-070 IRC-UPD-072": all_of(
        afterwards("remove-statistics", _with_the_other("partition-statistics")),
        afterwards("remove-partition-statistics", _with_the_other("statistics")),
    ),
    "one-schema-removed IRC-UPD-076": rewritten("remove-schemas", _first_of("schema-ids")),
    "one-spec-removed IRC-UPD-073": rewritten("remove-partition-specs", _first_of("spec-ids")),
}


@fault("IRC-UPD-061")
def properties_bring_snapshots_back() -> Install:
    """Setting properties adds the snapshots again that the table had removed."""
    snapshots: dict[str, list[Snapshot]] = {}

    def remove(update: Update, draft: Draft, document: Document) -> None:
        before = draft.items("snapshots")
        update(draft, document)
        remaining = draft.items("snapshots")
        snapshots[draft.get("table-uuid")] = [one for one in before if one not in remaining]

    def add_again(draft: Draft, _: Document) -> None:
        for snapshot in snapshots.pop(draft.get("table-uuid"), ()):
            draft.append("snapshots", snapshot)

    return all_of(in_place_of("remove-snapshots", remove), afterwards("set-properties", add_again))
