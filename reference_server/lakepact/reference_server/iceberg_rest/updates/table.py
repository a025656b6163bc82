"""Updates of the table itself: its uuid, format version, location and properties."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lakepact.reference_server.iceberg_rest.documents import (
    as_text,
    children,
    integer,
    refusal,
    text,
    texts,
)
from lakepact.reference_server.iceberg_rest.tables.metadata import FORMAT_VERSIONS

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest import documents
    from lakepact.reference_server.iceberg_rest.updates.draft import Draft

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def assign_uuid(draft: Draft, update: documents.AssignUUIDUpdate) -> None:
    """Assign the uuid of a new table; an existing table keeps its own."""
    value = text(update, "uuid", draft.where)
    if not _UUID.fullmatch(value):
        raise refusal(f"{draft.where}/uuid", f"{as_text(value)} is no uuid")
    current: str | None = draft.get("table-uuid")
    if draft.creating or current is None:
        draft.set("table-uuid", value)
    elif value.casefold() != current.casefold():
        raise refusal(
            f"{draft.where}/uuid",
            f"the table has uuid {current} and keeps it; only a commit that creates a table"
            " assigns one",
        )


def upgrade_format_version(draft: Draft, update: documents.UpgradeFormatVersionUpdate) -> None:
    """Upgrade the format version and add the members it needs; downgrades are refused."""
    version = integer(update, "format-version", draft.where)
    current = draft.format_version
    if version not in FORMAT_VERSIONS:
        raise refusal(
            f"{draft.where}/format-version",
            f"format versions go from 1 to {FORMAT_VERSIONS.stop - 1}, found {version}",
        )
    if version == current:
        return
    if version < current and not (draft.creating and not draft.items("schemas")):
        raise refusal(
            f"{draft.where}/format-version",
            f"the table has format version {current} and cannot go back to {version}",
        )
    draft.set("format-version", version)
    if current == 1:
        _leave_first_version(draft)
    if version < 3:
        draft.remove("next-row-id")
    elif draft.get("next-row-id") is None:
        draft.set("next-row-id", 0)


def _leave_first_version(draft: Draft) -> None:
    draft.remove("schema")
    draft.remove("partition-spec")
    if draft.get("last-sequence-number") is None:
        draft.set("last-sequence-number", 0)
    snapshots = draft.own_list("snapshots")
    snapshots[:] = [
        snapshot if "sequence-number" in snapshot else {**snapshot, "sequence-number": 0}
        for snapshot in snapshots
    ]
    draft.snapshots.update((snapshot["snapshot-id"], snapshot) for snapshot in snapshots)


def set_location(draft: Draft, update: documents.SetLocationUpdate) -> None:
    """Set the location for new files of the table."""
    draft.set("location", text(update, "location", draft.where))


def set_properties(draft: Draft, update: documents.SetPropertiesUpdate) -> None:
    """Set properties; others are kept."""
    updates = texts(update, "updates", draft.where)
    if updates:
        draft.own_object("properties").update(updates)


def remove_properties(draft: Draft, update: documents.RemovePropertiesUpdate) -> None:
    """Remove properties; unknown ones are ignored."""
    removals = children(update, "removals", draft.where)
    for index, name in enumerate(removals):
        if not isinstance(name, str):
            raise refusal(
                f"{draft.where}/removals/{index}", f"expected a text, found {as_text(name)}"
            )
        if name in (draft.get("properties") or {}):
            del draft.own_object("properties")[name]
