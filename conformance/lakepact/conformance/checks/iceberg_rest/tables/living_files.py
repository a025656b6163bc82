"""The files that a table names exist as long as it names them, whatever is committed, expired or
purged beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Exchange,
    Reply,
    Table,
    check,
    expect,
    invariant,
    op,
    req,
    set_properties,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.files import metadata_file
from lakepact.conformance.checks.iceberg_rest.tables.drop import purge
from lakepact.conformance.checks.iceberg_rest.tables.purged_files import with_files
from lakepact.conformance.evidence.shared_files import SharedFile
from lakepact.conformance.judging.definitions import answers_of

LISTS = "manifest lists"
#: Checks that leave tables with several snapshots.
APPENDING = (
    "scans.plan.incremental_scans_cover_appended_files",
    "tables.snapshots.snapshots_refs_changes_only_snapshots",
    "tables.metadata.metadata_invariants_hold_over_commits",
)
_tables = answers_of(op.create_table, op.load_table, op.update_table)
#: Properties of a table that keeps one former metadata file.
FORGETFUL = {
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "1",
}
COMMITS = 3


def _expect_files(table: Table, files: Mapping[str, Sequence[SharedFile]], lab: CatalogLab) -> None:
    """Judge whether all files exist that the table still names."""
    with lab.judge_each("IRC-META-020") as case:
        now = lab.load(table)
        with case():
            expect.true(metadata_file(lab, now).exists(), "the metadata file", "none", at=None)
        lists = {str(snapshot.get("manifest-list")) for snapshot in now.member("snapshots")}
        for kind, group in files.items():
            with case():
                missing = [
                    file.name
                    for file in group
                    if not file.exists() and (kind != LISTS or file.location in lists)
                ]
                about = f"of the {kind} that the table names, those removed:"
                expect.equal([], missing, about, at=now.place("snapshots"))


@invariant("IRC-META-020", traffic=APPENDING, concerns=_tables)
def files_of_every_table_exist(exchange: Exchange) -> bool:
    """At the end of each check, the files exist that the tables name which are left."""
    if exchange.missing_files is None:
        return False
    about = "of the files that the table names, those that are gone:"
    expect.equal([], list(exchange.missing_files), about, at=Reply(exchange).place("metadata"))
    return True


@check("IRC-META-020")
def files_of_living_tables_exist(lab: CatalogLab) -> None:
    """The files of a table exist after commits, an expired snapshot and the purge of another table,
    also later.
    """
    table, files = with_files(lab)
    first = table.member("snapshots")[0]
    for turn in range(COMMITS):
        table = lab.commit(table, set_properties(turn=str(turn), **FORGETFUL))
    lab.try_commit(table, req.HARMLESS, requirements=[req.assert_uuid(req.NOBODY)])
    lab.try_commit(table, {"action": "remove-snapshots", "snapshot-ids": [first["snapshot-id"]]})
    other, _ = with_files(lab)
    purge(lab, other)

    _expect_files(table, files, lab)
    lab.look_again("IRC-META-020", partial(_expect_files, table, files))
