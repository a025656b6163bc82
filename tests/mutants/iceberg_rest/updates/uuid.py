"""Wrong ways with the update `assign-uuid`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lakepact.reference_server.faults import fault, replace_entry
from mutants.iceberg_rest.operators.updates import accepting_anyway, ignored, refused_when

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.updates import Draft


@fault("IRC-UPD-002", "IRC-META-013", by=partial(replace_entry, "updates", "assign-uuid"))
def changes_uuids(draft: Draft, update: Document) -> None:
    draft.set("table-uuid", update["uuid"])


FAULTS = {
    "ignores-assigned-uuid IRC-UPD-001": ignored("assign-uuid"),
    "refuses-known-uuid IRC-UPD-003": refused_when("assign-uuid", lambda draft, update: bool(draft.get("table-uuid") == update["uuid"])),
    "ignores-malformed-uuids IRC-UPD-004": accepting_anyway("assign-uuid"),
}
