"""Wrong ways with the update `assign-uuid`."""

from __future__ import annotations

from lakepact.reference_server.faults import replace_entry
from mutants.iceberg_rest.operators.updates import accepting_anyway, ignored, refused_when

FAULTS = {
    "changes-uuids IRC-UPD-002 IRC-META-013": replace_entry(
        "updates", "assign-uuid", lambda draft, update: draft.set("table-uuid", update["uuid"])
    ),
    "ignores-assigned-uuid IRC-UPD-001": ignored("assign-uuid"),
    "refuses-known-uuid IRC-UPD-003": refused_when(
        "assign-uuid", lambda draft, update: bool(draft.get("table-uuid") == update["uuid"])
    ),
    "ignores-malformed-uuids IRC-UPD-004": accepting_anyway("assign-uuid"),
}
