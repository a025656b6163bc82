"""Checks of the update `upgrade-format-version`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance import expect
from lakepact.conformance.checks.iceberg_rest.kit.updates import changed, judge_refusals, table_of_version, upgrade_format_version
from lakepact.conformance.checks.iceberg_rest.suite import check

if TYPE_CHECKING:
    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab


@check("IRC-UPD-005")
def upgrade_raises_the_version(lab: CatalogLab) -> None:
    """A table of format version 1 becomes one of version 2."""
    table = table_of_version(lab, 1)

    with lab.judge("IRC-UPD-005"):
        expect.equal(2, changed(lab, table, upgrade_format_version(2)).member("format-version"), "format-version")


@check("IRC-UPD-005")
def upgrades_may_pass_over_a_version(lab: CatalogLab) -> None:
    """A table of format version 1 becomes one of version 3 at once, if the target has tables of that version."""
    if not lab.feature("format-v3"):
        lab.skip("IRC-UPD-005", "the target makes no tables of format version 3")
        return
    table = lab.append(table_of_version(lab, 1))
    table_of_version(lab, 3)

    with lab.judge("IRC-UPD-005"):
        after = changed(lab, table, upgrade_format_version(3))
        expect.equal(3, after.member("format-version"), "format-version")
        expect.equal(table.member("current-snapshot-id"), after.member("current-snapshot-id"), "current-snapshot-id")


@check("IRC-UPD-006")
def upgrade_to_the_same_version(lab: CatalogLab) -> None:
    """Upgrading to the version that the table has is accepted and changes nothing."""
    table = lab.make_table()
    version = table.member("format-version")

    with lab.judge("IRC-UPD-006"):
        expect.equal(version, changed(lab, table, upgrade_format_version(version)).member("format-version"), "format-version")


@check("IRC-UPD-007")
def downgrade_is_refused(lab: CatalogLab) -> None:
    """A format version is never lowered."""
    judge_refusals(lab, "IRC-UPD-007", table_of_version(lab, 2), {"a downgrade from 2 to 1": [upgrade_format_version(1)]})


@check("IRC-UPD-008")
def unknown_version_is_refused(lab: CatalogLab) -> None:
    """A format version that the contract does not have cannot be reached."""
    cases = {f"format version {version}": [upgrade_format_version(version)] for version in (0, 99)}
    judge_refusals(lab, "IRC-UPD-008", lab.make_table(), cases)


@check("IRC-UPD-009")
def upgrade_keeps_snapshots(lab: CatalogLab) -> None:
    """A table of version 1 takes its snapshots along to version 2, and its last sequence number is not below that of any."""
    table = lab.append(table_of_version(lab, 1))
    before = table.member("current-snapshot-id")

    with lab.judge("IRC-UPD-009"):
        after = changed(lab, table, upgrade_format_version(2))
        expect.equal([before], [s.get("snapshot-id") for s in after.member("snapshots")], "snapshots")
        expect.equal(before, after.member("current-snapshot-id"), "current-snapshot-id")
        numbers = [s.get("sequence-number") or 0 for s in after.member("snapshots")]
        last = after.metadata.get("last-sequence-number") or 0
        expect.true(last >= max(numbers), f"a last-sequence-number of at least {max(numbers)}", last)
