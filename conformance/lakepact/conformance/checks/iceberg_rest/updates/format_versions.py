"""Checks of the update `upgrade-format-version`."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Wrong,
    check,
    expect,
    upd,
)

UNKNOWN_VERSION = Wrong.VALUE("/updates/*/format-version")


@check("IRC-UPD-005")
def upgrade_raises_the_version(lab: CatalogLab) -> None:
    """Upgrading a format version 1 table to 2 changes its `format-version`."""
    table = upd.table_of_version(lab, 1)

    with lab.judge("IRC-UPD-005"):
        after = lab.commit_and_load(table, upd.upgrade_format_version(2))
        expect.member(2, after.place("format-version"))


@check("IRC-UPD-005")
def upgrades_may_skip_a_version(lab: CatalogLab) -> None:
    """Upgrading a format version 1 table to 3 changes its `format-version`."""
    if not lab.feature("format-v3"):
        lab.skip("IRC-UPD-005", "the target makes no tables of format version 3")
        return
    table = lab.append(upd.table_of_version(lab, 1))
    upd.table_of_version(lab, 3)

    with lab.judge("IRC-UPD-005"):
        after = lab.commit_and_load(table, upd.upgrade_format_version(3))
        expect.member(3, after.place("format-version"))
        expect.member(
            table.member("current-snapshot-id"),
            after.place("current-snapshot-id"),
        )


@check("IRC-UPD-006")
def upgrades_to_the_same_version_return_200(lab: CatalogLab) -> None:
    """Upgrading to the current format version returns 200 and changes nothing."""
    table = lab.make_table()
    version = table.member("format-version")

    with lab.judge("IRC-UPD-006"):
        after = lab.commit_and_load(table, upd.upgrade_format_version(version))
        expect.member(version, after.place("format-version"))


@check("IRC-UPD-007")
def downgrades_return_400(lab: CatalogLab) -> None:
    """Lowering the format version returns 400."""
    upd.judge_refusals(
        lab,
        "IRC-UPD-007",
        upd.table_of_version(lab, 2),
        {"a downgrade from 2 to 1": (upd.DOWNGRADE, [upd.upgrade_format_version(1)])},
    )


@check("IRC-UPD-008")
def unknown_format_versions_return_400(lab: CatalogLab) -> None:
    """Upgrading to an unknown format version returns 400."""
    cases = {
        f"format version {version}": (UNKNOWN_VERSION, [upd.upgrade_format_version(version)])
        for version in (0, 99)
    }
    upd.judge_refusals(lab, "IRC-UPD-008", lab.make_table(), cases)


@check("IRC-UPD-009")
def upgrade_keeps_snapshots(lab: CatalogLab) -> None:
    """Upgrading from format version 1 to 2 keeps all snapshots, and `last-sequence-number` covers
    them.
    """
    table = lab.append(upd.table_of_version(lab, 1))
    before = table.member("current-snapshot-id")

    with lab.judge("IRC-UPD-009"):
        after = lab.commit_and_load(table, upd.upgrade_format_version(2))
        expect.equal(
            [before],
            [s.get("snapshot-id") for s in after.member("snapshots")],
            "snapshots",
            at=after.place("snapshots"),
        )
        expect.member(before, after.place("current-snapshot-id"))
        numbers = [s.get("sequence-number") or 0 for s in after.member("snapshots")]
        last = after.metadata.get("last-sequence-number") or 0
        expect.true(
            last >= max(numbers),
            f"a last-sequence-number of at least {max(numbers)}",
            last,
            at=after.place("last-sequence-number"),
        )
