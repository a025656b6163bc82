"""Wrong ways with the update `set-location`."""

from __future__ import annotations

from mutants.iceberg_rest.operators.updates import refused_when

FAULTS = {
    "refuses-its-own-location IRC-UPD-094": refused_when(
        "set-location", lambda draft, update: bool(draft.get("location") == update["location"])
    ),
}
