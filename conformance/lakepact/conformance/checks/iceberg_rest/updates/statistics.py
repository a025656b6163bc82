"""Checks of the updates of statistics files and of partition statistics files."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Members,
    Table,
    Wrong,
    check,
    expect,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.steps import stored

#: The requirements that statistics files are stored.
STORED_BY = {"statistics": "IRC-UPD-066", "partition-statistics": "IRC-UPD-071"}
UNKNOWN = 1  #: a snapshot id that no table of these checks has


def table_of_two_snapshots(lab: CatalogLab) -> tuple[Table, int, int]:
    """Return a table with two snapshots, and their ids; the second is the current one."""
    table = lab.table_with_snapshot()
    first = table.member("current-snapshot-id")
    table = lab.append(table)
    return table, first, table.member("current-snapshot-id")


def expect_stored(
    lab: CatalogLab, table: Table, *statistics: Members, member: str = "statistics"
) -> None:
    """Expect statistics files that a commit has set, as a step of checks of more than that.

    Raises:
        StepFailed: a file is missing.
    """
    with lab.step(STORED_BY[member]):
        for file in statistics:
            expect.contains(
                file["statistics-path"],
                [path for paths in upd.files(table, member).values() for path in paths],
                f"{member} files",
                at=table.place(member),
            )


@check("IRC-UPD-066")
def statistics_are_replaced(lab: CatalogLab) -> None:
    """Setting statistics again replaces the file of that snapshot and keeps those of others."""
    table, first, second = table_of_two_snapshots(lab)
    older, newer, other = (
        upd.statistics_file(table, s, name=n)
        for s, n in ((first, "older"), (first, "newer"), (second, "other"))
    )

    with lab.judge("IRC-UPD-066"):
        lab.commit_and_load(table, upd.set_statistics(older), upd.set_statistics(other))
        after = lab.commit_and_load(table, upd.set_statistics(newer))
        expect.equal(
            {first: [newer["statistics-path"]], second: [other["statistics-path"]]},
            upd.files(after),
            "statistics files by snapshot",
            at=after.place("statistics"),
        )


@check("IRC-UPD-067")
def statistics_name_their_snapshot(lab: CatalogLab) -> None:
    """The statistics file determines its snapshot; another `snapshot-id` in the update is ignored
    or returns 400.
    """
    table = lab.table_with_snapshot()
    first = table.member("current-snapshot-id")
    file, older = upd.statistics_file(table, first), upd.statistics_file(table, first, name="older")
    expect_stored(lab, stored(lab, table, upd.set_statistics(older)), older)

    with lab.judge("IRC-UPD-067"):
        after = lab.commit_and_load(table, upd.set_statistics(file, snapshot_id=None))
        expect.equal(
            {first: [file["statistics-path"]]},
            upd.files(after),
            "statistics files by snapshot",
            at=after.place("statistics"),
        )
    table, first, second = table_of_two_snapshots(lab)
    file = upd.statistics_file(table, first)
    reply = lab.try_commit(table, upd.set_statistics(file, snapshot_id=second))
    with lab.judge(
        "IRC-UPD-067", remark="a contradiction is refused" if reply.status == 400 else ""
    ):
        expect.status(reply, 200, 400)
        if reply.status == 200:
            after = lab.load(table)
            expect.equal(
                {first: [file["statistics-path"]]},
                upd.files(after),
                "statistics files by snapshot",
                at=after.place("statistics"),
            )


@check("IRC-UPD-068")
def incomplete_statistics_return_400(lab: CatalogLab) -> None:
    """A statistics file without a required member returns 400."""
    table = lab.table_with_snapshot()
    file = upd.statistics_file(table, table.member("current-snapshot-id"))
    expect_stored(lab, stored(lab, table, upd.set_statistics(file)), file)
    blob = file["blob-metadata"][0]
    path = "/updates/*/statistics"
    cases = {
        f"no {member} of the file": (
            Wrong.MISSING(f"{path}/{member}"),
            [upd.set_statistics(upd.without(file, member))],
        )
        for member in file
    }
    for member in ("type", "snapshot-id", "sequence-number", "fields"):
        missing = Wrong.MISSING(f"{path}/blob-metadata/*/{member}")
        cases[f"no {member} of a blob"] = (
            missing,
            [upd.set_statistics({**file, "blob-metadata": [upd.without(blob, member)]})],
        )
    upd.judge_refusals(lab, "IRC-UPD-068", table, cases)


@check("IRC-UPD-069")
def statistics_of_unknown_snapshots_return_no_5xx(lab: CatalogLab) -> None:
    """Statistics for an unknown snapshot are accepted or refused without a 5xx, and the table still
    loads.
    """
    table = lab.table_with_snapshot()
    first = table.member("current-snapshot-id")
    file = upd.statistics_file(table, first, name="kept")
    expect_stored(lab, stored(lab, table, upd.set_statistics(file)), file)
    reply = lab.try_commit(
        table, upd.set_statistics(upd.statistics_file(table, first) | {"snapshot-id": UNKNOWN})
    )

    with lab.judge("IRC-UPD-069", remark=f"answered with status {reply.status}"):
        expect.no_server_error(reply)
        after = lab.load(table)
        paths, place = upd.files(after), after.place("statistics")
        expect.equal(
            [file["statistics-path"]],
            paths.get(first),
            "the statistics of another snapshot,",
            at=place,
        )
        expect.true(
            reply.status == 200 or UNKNOWN not in paths,
            "no statistics of a commit that was refused",
            paths,
            at=place,
        )


@check("IRC-UPD-070")
def statistics_are_removed(lab: CatalogLab) -> None:
    """Removing statistics removes those of the snapshot; removing missing ones changes nothing."""
    table, first, second = table_of_two_snapshots(lab)
    stays = upd.statistics_file(table, second, name="kept")
    goes = upd.statistics_file(table, first)
    expect_stored(
        lab, stored(lab, table, upd.set_statistics(goes), upd.set_statistics(stays)), goes, stays
    )

    with lab.judge("IRC-UPD-070"):
        after = lab.commit_and_load(table, upd.remove_statistics(first))
        expect.equal(
            {second: [stays["statistics-path"]]},
            upd.files(after),
            "statistics files by snapshot",
            at=after.place("statistics"),
        )
        after = lab.commit_and_load(
            table, upd.remove_statistics(first), upd.remove_statistics(UNKNOWN)
        )
        expect.equal(
            {second: [stays["statistics-path"]]},
            upd.files(after),
            "statistics files by snapshot",
            at=after.place("statistics"),
        )


@check("IRC-UPD-052")
def removing_snapshots_removes_their_statistics(lab: CatalogLab) -> None:
    """Removing a snapshot removes its statistics and partition statistics."""
    table, first, _ = table_of_two_snapshots(lab)
    file = upd.statistics_file(table, first)
    expect_stored(lab, stored(lab, table, upd.set_statistics(file)), file)
    lab.try_commit(table, upd.set_partition_statistics(upd.partition_statistics_file(table, first)))
    after = stored(lab, table, upd.remove_snapshots(first))
    with lab.step("IRC-UPD-050"):
        expect.lacks(
            first,
            [snapshot.get("snapshot-id") for snapshot in after.member("snapshots")],
            "snapshots",
            at=after.place("snapshots"),
        )

    with lab.judge_each("IRC-UPD-052") as case:
        after = lab.load(table)
        for member in ("statistics", "partition-statistics"):
            with case():
                expect.lacks(
                    first, upd.files(after, member), f"{member} files", at=after.place(member)
                )


@check("IRC-UPD-071")
def partition_statistics_are_replaced(lab: CatalogLab) -> None:
    """Setting partition statistics again replaces the file of that snapshot and keeps those of
    others.
    """
    table, first, second = table_of_two_snapshots(lab)
    names = ((first, "older"), (first, "newer"), (second, "other"))
    older, newer, other = (
        upd.partition_statistics_file(table, snapshot, name=name) for snapshot, name in names
    )

    with lab.judge("IRC-UPD-071"):
        lab.commit_and_load(
            table, upd.set_partition_statistics(older), upd.set_partition_statistics(other)
        )
        after = lab.commit_and_load(table, upd.set_partition_statistics(newer))
        expected = {first: [newer["statistics-path"]], second: [other["statistics-path"]]}
        expect.equal(
            expected,
            upd.files(after, "partition-statistics"),
            "partition statistics files by snapshot",
            at=after.place("partition-statistics"),
        )


@check("IRC-UPD-072")
def partition_statistics_are_removed(lab: CatalogLab) -> None:
    """Removing partition statistics removes those of the snapshot; removing missing ones changes
    nothing.
    """
    table, first, second = table_of_two_snapshots(lab)
    stays = upd.partition_statistics_file(table, second, name="kept")
    goes = upd.partition_statistics_file(table, first)
    after = stored(
        lab, table, upd.set_partition_statistics(goes), upd.set_partition_statistics(stays)
    )
    expect_stored(lab, after, goes, stays, member="partition-statistics")

    with lab.judge_each("IRC-UPD-072") as case:
        for removals in ([first], [first, UNKNOWN]):
            with case():
                after = lab.commit_and_load(table, *map(upd.remove_partition_statistics, removals))
                expected = {second: [stays["statistics-path"]]}
                expect.equal(
                    expected,
                    upd.files(after, "partition-statistics"),
                    "partition statistics files by snapshot",
                    at=after.place("partition-statistics"),
                )
