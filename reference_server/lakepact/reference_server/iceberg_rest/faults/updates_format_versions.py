"""Wrong ways with the update `upgrade-format-version`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Fault, instead
from lakepact.reference_server.iceberg_rest.faults.ways.updates import afterwards, fatal, forgiven, ignored, refused_when
from lakepact.reference_server.iceberg_rest.metadata import FORMAT_VERSIONS

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.updates import Draft

ACTION = "upgrade-format-version"


def _is_the_same(draft: Draft, update: Document) -> bool:
    return bool(draft.format_version == update["format-version"])


def _set_version(draft: Draft, update: Document) -> None:
    if update["format-version"] in FORMAT_VERSIONS:
        draft.set("format-version", update["format-version"])


def _lose_snapshots(draft: Draft, _: Document) -> None:
    for member in ("snapshots", "refs", "current-snapshot-id"):
        draft.remove(member)


def _number_snapshots(draft: Draft, _: Document) -> None:
    draft.set("last-sequence-number", len(draft.items("snapshots")))


def _passes_over(draft: Draft, update: Document) -> bool:
    wanted = update.get("format-version")
    return isinstance(wanted, int) and draft.format_version + 1 < wanted <= FORMAT_VERSIONS.stop - 1 and not draft.creating


FAULTS = (
    Fault("upgrades-go-step-by-step", "No version is passed over.", ("IRC-UPD-005",), refused_when("upgrade-format-version", _passes_over)),
    Fault("keeps-format-version", "upgrade-format-version does nothing.", ("IRC-UPD-005",), ignored(ACTION)),
    Fault(
        "refuses-upgrade-to-same-version",
        "An upgrade to the table's own version is refused.",
        ("IRC-UPD-006",),
        refused_when(ACTION, _is_the_same),
    ),
    Fault(
        "downgrades-tables", "A table can go back to an earlier format version.", ("IRC-UPD-007",), instead("updates", ACTION, _set_version)
    ),
    Fault("forgives-unknown-format-versions", "A version that there is not is ignored.", ("IRC-UPD-007", "IRC-UPD-008"), forgiven(ACTION)),
    Fault("unknown-format-version-is-500", "A version that there is not ends in status 500.", ("IRC-UPD-008",), fatal(ACTION)),
    Fault(
        "loses-snapshots-at-upgrade", "A table that is upgraded has no snapshots.", ("IRC-UPD-009",), afterwards(ACTION, _lose_snapshots)
    ),
    Fault(
        "numbers-snapshots-at-upgrade",
        "Snapshots of version 1 count for the last sequence number.",
        ("IRC-UPD-009",),
        afterwards(ACTION, _number_snapshots),
    ),
)
