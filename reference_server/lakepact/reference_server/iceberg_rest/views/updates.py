"""Updates of views: each kind is a function that changes the draft of a document, and a commit
applies them in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.iceberg_rest.documents import INT32, integer, refusal, text
from lakepact.reference_server.iceberg_rest.updates.draft import (
    LAST_ADDED,
    LISTS,
    Draft,
    resolve_id,
)
from lakepact.reference_server.iceberg_rest.updates.members import Alike
from lakepact.reference_server.iceberg_rest.updates.table import (
    remove_properties,
    set_location,
    set_properties,
)
from lakepact.reference_server.iceberg_rest.views.metadata import (
    FIRST_VERSION,
    FORMAT_VERSION,
    following_id,
    valid_schema,
    valid_version,
    version_meaning,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lakepact.generated.iceberg_rest import documents


class ViewDraft(Draft):
    """The document of one commit to a view: what an update touches is copied once, everything else
    stays shared.
    """

    lists = LISTS | {"versions": ("version-id", Alike(version_meaning, version_meaning))}

    def __init__(self, metadata: documents.ViewMetadata, *, now_ms: int) -> None:
        super().__init__(metadata, now_ms=now_ms)
        self.added_version: int | None = None  #: what -1 stands for in set-current-view-version


def assign_uuid(draft: ViewDraft, update: documents.AssignUUIDUpdate) -> None:
    """Check that a view keeps its uuid."""
    value, current = text(update, "uuid", draft.where), draft.get("view-uuid")
    if value.casefold() != current.casefold():
        raise refusal(f"{draft.where}/uuid", f"the view has uuid {current} and keeps it")


def upgrade_format_version(draft: ViewDraft, update: documents.UpgradeFormatVersionUpdate) -> None:
    """Check that a view keeps the only format version."""
    version = integer(update, "format-version", draft.where)
    if version != FORMAT_VERSION:
        raise refusal(
            f"{draft.where}/format-version",
            f"views have format version {FORMAT_VERSION} and no other, found {version}",
        )


def add_schema(draft: ViewDraft, update: documents.AddSchemaUpdate) -> None:
    """Add a schema under the next id, or return the id of an equal one; its field ids are kept."""
    schema = valid_schema(update, draft.where)
    schemas = draft.members("schemas")
    twin = schemas.twin(schema)
    if twin is not None:
        draft.added_schema = twin["schema-id"]
        return
    draft.added_schema = schemas.highest(-1) + 1
    draft.append("schemas", {**schema, "schema-id": draft.added_schema})


def add_view_version(draft: ViewDraft, update: documents.AddViewVersionUpdate) -> None:
    """Add a view version under its id, the next free id, or the id of an equal one."""
    version: documents.ViewVersion = valid_version(update, draft.where)
    where = f"{draft.where}/view-version"
    schema_id = integer(version, "schema-id", where, within=INT32)
    if schema_id == LAST_ADDED:
        if draft.added_schema is None:
            raise refusal(
                f"{where}/schema-id",
                "-1 stands for the last added schema, but this commit has added none before",
            )
        schema_id = draft.added_schema
    if draft.members("schemas").get(schema_id) is None:
        raise refusal(f"{where}/schema-id", f"the view has no schema {schema_id}")
    version = {**version, "schema-id": schema_id}
    versions = draft.members("versions")
    twin = versions.twin(version)
    if twin is not None:
        draft.added_version = twin["version-id"]
        return
    draft.added_version = following_id(version, where, highest=versions.highest(FIRST_VERSION - 1))
    draft.append("versions", {**version, "version-id": draft.added_version})


def set_current_view_version(
    draft: ViewDraft, update: documents.SetCurrentViewVersionUpdate
) -> None:
    """Set the current view version and append to the version log."""
    version_id = resolve_id(
        draft, update, "view-version-id", newest=draft.added_version, kind="version"
    )
    if draft.members("versions").get(version_id) is None:
        raise refusal(f"{draft.where}/view-version-id", f"the view has no version {version_id}")
    if draft.get("current-version-id") == version_id:
        return
    draft.set("current-version-id", version_id)
    log = draft.own_list("version-log")
    # A clock that goes backwards must not turn the history around.
    log.append(
        {
            "version-id": version_id,
            "timestamp-ms": max([draft.now_ms, *(entry["timestamp-ms"] for entry in log[-1:])]),
        }
    )


#: By the `action` of an update.
VIEW_UPDATES: dict[str, Callable[[ViewDraft, Any], None]] = {
    "assign-uuid": assign_uuid,
    "upgrade-format-version": upgrade_format_version,
    "add-schema": add_schema,
    "set-location": set_location,
    "set-properties": set_properties,
    "remove-properties": remove_properties,
    "add-view-version": add_view_version,
    "set-current-view-version": set_current_view_version,
}


def apply_view_updates(
    metadata: documents.ViewMetadata,
    updates: Sequence[documents.ViewUpdate],
    *,
    now_ms: int,
    table: Mapping[str, Callable[[ViewDraft, Any], None]] = VIEW_UPDATES,
) -> documents.ViewMetadata:
    """Return the document that follows `metadata` once all updates are applied in order.

    `metadata` is never changed, and is returned itself when no update changes anything.

    Args:
        metadata: the view as it is.
        updates: as the contract spells them.
        now_ms: the time of the commit.
        table: what each kind of update does.

    Raises:
        Problem: 400, an update is unknown or cannot be applied.
    """
    draft = ViewDraft(metadata, now_ms=now_ms)
    draft.apply(updates, table, of="views")
    draft.list_members()
    document: documents.ViewMetadata = draft.document
    return document if draft.touched else metadata
