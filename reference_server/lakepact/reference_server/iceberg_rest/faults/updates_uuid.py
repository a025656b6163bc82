"""Wrong ways with the update `assign-uuid`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Fault, instead
from lakepact.reference_server.iceberg_rest.faults.ways.updates import forgiven, ignored, refused_when

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.updates import Draft


def _assign(draft: Draft, update: Document) -> None:
    draft.set("table-uuid", update["uuid"])


def _is_known(draft: Draft, update: Document) -> bool:
    return bool(draft.get("table-uuid") == update["uuid"])


FAULTS = (
    Fault("ignores-assigned-uuid", "A table that is created gets a UUID of the server's own.", ("IRC-UPD-001",), ignored("assign-uuid")),
    Fault(
        "changes-uuids",
        "assign-uuid changes the UUID of a table that exists.",
        ("IRC-UPD-002",),
        instead("updates", "assign-uuid", _assign),
    ),
    Fault(
        "refuses-known-uuid", "Assigning the UUID that the table has is refused.", ("IRC-UPD-003",), refused_when("assign-uuid", _is_known)
    ),
    Fault(
        "forgives-malformed-uuids", "A UUID that cannot be assigned is ignored.", ("IRC-UPD-002", "IRC-UPD-004"), forgiven("assign-uuid")
    ),
)
