"""Checks of commits and transactions that are refused: they remove no file, although their tables
delete old metadata files.
"""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Namespace,
    Table,
    check,
    expect,
    op,
    req,
    set_properties,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.files import metadata_files, missing_files
from lakepact.conformance.checks.iceberg_rest.kit.transactions import (
    at_every_place,
    change,
    transact,
)
from lakepact.conformance.evidence.shared_files import SharedFile

#: Properties of a table that keeps one former metadata file.
FORGETFUL = {
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "1",
}
COMMITS = 3


def forgetful(lab: CatalogLab, home: Namespace) -> tuple[Table, list[SharedFile]]:
    """Return a table that deletes old metadata files after each commit, and the metadata files that
    it has.

    Raises:
        NotOffered: the harness cannot read them.
    """
    table = lab.make_table(home, properties=FORGETFUL)
    for turn in range(COMMITS):
        table = lab.commit(table, set_properties(turn=str(turn)))
    table = lab.load(table)
    return table, metadata_files(lab, table)


@check("IRC-COM-032")
def refused_commits_remove_no_files(lab: CatalogLab) -> None:
    """A commit with a failed requirement or an update that cannot be applied removes no metadata
    file.
    """
    table, files = forgetful(lab, lab.make_namespace())
    fails = req.assert_uuid(req.NOBODY)
    mutation, updates = upd.unknown_id(upd.set_current_schema(upd.NOWHERE), "schema-id")
    refusals = {
        "a requirement fails": (
            req.stale(fails),
            lab.try_commit(table, req.HARMLESS, requirements=[fails]),
        ),
        "an update cannot be applied": (mutation, lab.try_commit(table, req.HARMLESS, *updates)),
    }

    with lab.judge_each("IRC-COM-032") as case:
        for why, (wrong, reply) in refusals.items():
            with case():
                expect.client_error(reply, mutation=wrong)
                expect.equal(
                    [],
                    missing_files(files),
                    f"of the metadata files, after a commit in which {why}, those removed:",
                    at=None,
                )


@check("IRC-TXN-018")
def refused_transactions_remove_no_files(lab: CatalogLab) -> None:
    """A transaction that one table refuses removes no metadata file of the others."""
    home = lab.make_namespace()
    tables_with_files = [forgetful(lab, home) for _ in range(2)]
    failing = lab.make_table(home)
    wrong = change(failing, req.HARMLESS, requirements=[req.assert_uuid(req.NOBODY)])

    with lab.judge_each("IRC-TXN-018") as case:
        for where, changes in at_every_place([table for table, _ in tables_with_files], wrong):
            with case():
                expect.client_error(
                    transact(lab, *changes), mutation=req.stale(req.assert_uuid(req.NOBODY))
                )
                for table, files in tables_with_files:
                    about = (
                        f"of the metadata files of {table.name}, when {where} is refused, those"
                        " removed:"
                    )
                    expect.equal([], missing_files(files), about, at=None)
                    expect.status(lab.send(op.load_table, **table.at), 200)
