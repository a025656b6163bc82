"""Wrong ways with the update `upgrade-format-version`."""

from __future__ import annotations

from functools import partial

from lakepact.reference_server.faults import fault, replace_entry
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.tables.metadata import FORMAT_VERSIONS
from lakepact.reference_server.iceberg_rest.updates import Draft
from mutants.iceberg_rest.operators.updates import (
    accepting_anyway,
    afterwards,
    fatal,
    ignored,
    refused_when,
)

ACTION = "upgrade-format-version"


@fault("IRC-UPD-005", by=partial(refused_when, "upgrade-format-version"))
def upgrades_go_step_by_step(draft: Draft, update: Document) -> bool:
    wanted = update.get("format-version")
    return (
        isinstance(wanted, int)
        and draft.format_version + 1 < wanted <= FORMAT_VERSIONS.stop - 1
        and not draft.creating
    )


@fault("IRC-UPD-007", by=partial(replace_entry, "updates", ACTION))
def downgrades_tables(draft: Draft, update: Document) -> None:
    if update["format-version"] in FORMAT_VERSIONS:
        draft.set("format-version", update["format-version"])


@fault("IRC-UPD-009", by=partial(afterwards, ACTION))
def loses_snapshots_at_upgrade(draft: Draft, _: Document) -> None:
    for member in ("snapshots", "refs", "current-snapshot-id"):
        draft.remove(member)


@fault("IRC-UPD-009", by=partial(afterwards, ACTION))
def numbers_snapshots_at_upgrade(draft: Draft, _: Document) -> None:
    draft.set(
        "snapshots",
        [
            {**one, "sequence-number": number}
            for number, one in enumerate(draft.items("snapshots"), start=1)
        ],
    )


FAULTS = {
    "keeps-format-version IRC-UPD-005": ignored(ACTION),
    "refuses-upgrade-to-same-version IRC-UPD-006": refused_when(
        ACTION, lambda draft, update: bool(draft.format_version == update["format-version"])
    ),
    "ignores-unknown-format-versions IRC-UPD-007 IRC-UPD-008": accepting_anyway(ACTION),
    "unknown-format-version-is-500 IRC-UPD-008": fatal(ACTION),
}
