"""Checks of files that a purge removes, and of files that are gone already."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import CatalogLab, Table, check, expect, scans
from lakepact.conformance.checks.iceberg_rest.kit.tables.files import metadata_file
from lakepact.conformance.checks.iceberg_rest.kit.tables.registration import (
    expect_registration,
    left_behind,
    location_of,
    register,
)
from lakepact.conformance.checks.iceberg_rest.tables.drop import (
    PURGED_SECONDS,
    await_purge,
    is_refused,
    purge,
)
from lakepact.conformance.evidence.shared_files import SharedFile


def with_files(lab: CatalogLab) -> tuple[Table, dict[str, list[SharedFile]]]:
    """Return a table with two snapshots, and its files by their kind.

    Raises:
        NotOffered: the harness does not share the files of the target.
    """
    table = scans.TableWithFiles(lab, lab.make_table())
    first = table.file("first")
    table.append(first)
    deletes = [
        scans.position_deletes(table, "position-deletes", target=first.path),
        scans.equality_deletes(table, "equality-deletes"),
    ]
    last = table.append(table.file("second"), *deletes)
    content = {
        "data files": [first.path, table.path("second")],
        "delete files": [file.path for file in deletes],
    }
    for path in (path for paths in content.values() for path in paths):
        scans.write_table_file(lab, table.table, path, b"PAR1")
    paths_by_kind = {
        **content,
        "manifests": [manifest.path for manifest in last.manifests],
        "manifest lists": [
            snapshot["manifest-list"] for snapshot in table.table.member("snapshots")
        ],
    }
    return table.table, {
        kind: [lab.target.shared_files.at(path) for path in paths]
        for kind, paths in paths_by_kind.items()
    }


@check("IRC-TBL-DROP-013")
def purges_remove_every_file(lab: CatalogLab) -> None:
    """Purging a table removes its data files, delete files, manifests and manifest lists within a
    few seconds.
    """
    table, files = with_files(lab)
    reply = purge(lab, table)
    if is_refused(reply):
        lab.skip("IRC-TBL-DROP-013", f"the target does not purge: {reply.summary}")
        return
    lab.require(reply, 204)
    await_purge([file for group in files.values() for file in group])

    with lab.judge_each("IRC-TBL-DROP-013") as case:
        for kind, group in files.items():
            with case():
                left = [file.name for file in group if file.exists()]
                expect.equal(
                    [],
                    left,
                    f"{kind} of {len(group)} that still exist {PURGED_SECONDS:g} s after the"
                    " purge:",
                    at=None,
                )


@check("IRC-TBL-REG-015")
def overwriting_repairs_lost_metadata(lab: CatalogLab) -> None:
    """Registering with `overwrite` replaces a table whose metadata file was lost."""
    file = left_behind(lab, lab.make_table())
    damage = lab.load(lab.make_table(file.namespace))
    intact = lab.make_table(file.namespace)
    usual = register(
        lab,
        intact.namespace,
        intact.name,
        location_of(left_behind(lab, lab.make_table(file.namespace))),
        overwrite=True,
    )
    if is_refused(usual):
        lab.skip("IRC-TBL-REG-015", f"the target does not register over tables: {usual.summary}")
        return
    metadata_file(lab, damage)
    lab.remove_file(str(damage.metadata_location))
    reply = register(lab, damage.namespace, damage.name, location_of(file), overwrite=True)

    with lab.judge("IRC-TBL-REG-015"):
        expect_registration(lab, file, damage.name, reply)
