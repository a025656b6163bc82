"""Wrong ways with the update `assign-uuid`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Install, fault, replace_entry
from mutants.iceberg_rest.operators.updates import accepting_anyway, ignored, refused_when

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.updates import Draft


@fault("IRC-UPD-001")
def ignores_assigned_uuid() -> Install:
    """A table that is created gets a UUID of the server's own."""
    return ignored("assign-uuid")


@fault("IRC-UPD-002", "IRC-META-013", by=partial(replace_entry, "updates", "assign-uuid"))
def changes_uuids(draft: Draft, update: Document) -> None:
    """assign-uuid changes the UUID of a table that exists."""
    draft.set("table-uuid", update["uuid"])


@fault("IRC-UPD-003", by=partial(refused_when, "assign-uuid"))
def refuses_known_uuid(draft: Draft, update: Document) -> bool:
    """Assigning the UUID that the table has is refused."""
    return bool(draft.get("table-uuid") == update["uuid"])


@fault("IRC-UPD-004")
def ignores_malformed_uuids() -> Install:
    """A UUID that cannot be assigned is ignored."""
    return accepting_anyway("assign-uuid")
