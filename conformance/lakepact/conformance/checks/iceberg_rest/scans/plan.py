"""Checks of planning scans: which snapshots they cover, and which requests contradict
themselves.
"""

from __future__ import annotations

import random
from dataclasses import replace

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Kind,
    Mutation,
    NotOffered,
    Reply,
    Table,
    Wrong,
    check,
    expect,
    op,
    scans,
    states,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.contract_schemas import NESTED
from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import (
    DELETED,
    EXISTING,
    File,
    Manifest,
    long_bound,
)


def some_table(lab: CatalogLab) -> Table:
    """Return a table with a file, where the harness can write one; else one without snapshots."""
    table = scans.table_with_files(lab)
    try:
        table.append(table.file("only"))
    except NotOffered:
        return table.table
    return table.table


def of_four(lab: CatalogLab) -> scans.TableWithFiles:
    """Return a table of four snapshots that append two files each."""
    table = scans.table_with_files(lab)
    for number in range(1, 5):
        table.append(table.file(f"{number}-a"), table.file(f"{number}-b"))
    return table


def files_of(table: scans.TableWithFiles, *numbers: int) -> list[str]:
    """Return the files that some snapshots of such a table appended."""
    return sorted(table.path(f"{number}-{name}") for number in numbers for name in "ab")


def expect_refusal_or_failure(reply: Reply, mutation: Mutation) -> None:
    """The answer is 400 or 404, or says that planning failed.

    Raises:
        Unmet: it is neither.
    """
    if reply.status == 200 and reply.document.get("status") == "failed":
        return
    expect.status(reply, 400, 404, mutation=mutation)


@check("IRC-SCAN-PLAN-001", "IRC-SCAN-PLAN-022")
def tables_without_snapshots_have_empty_plans(lab: CatalogLab) -> None:
    """Planning a table without snapshots returns a plan without files."""
    scans.needs(lab, scans.PLAN)
    table = lab.make_table()
    reply = scans.plan(lab, table)

    with lab.judge("IRC-SCAN-PLAN-001"):
        scans.expect_plan(reply)
    with lab.judge("IRC-SCAN-PLAN-022"):
        scans.wait_for_plan(lab, table, reply).reads([], "files to read")


@check("IRC-SCAN-PLAN-008", "IRC-SCAN-PLAN-009", "IRC-SCAN-PLAN-027")
def plans_cover_the_latest_snapshot_of_main(lab: CatalogLab) -> None:
    """A plan covers the latest snapshot of main, or the requested one, with every live file
    once.
    """
    table = of_four(lab)
    early = scans.complete_plan(lab, table.table)
    four = table.snapshots[-1]
    first = table.snapshots[0]
    first_file, second_file = first.manifests[0].files
    rewritten = Manifest(
        (
            with_state(first_file, DELETED, first.sequence),
            with_state(second_file, EXISTING, first.sequence),
        ),
        spec=table.spec(),
    )
    others = [
        manifest
        for manifest in table.snapshots[-1].manifests
        if manifest.path != first.manifests[0].path
    ]
    table.commit([rewritten, *others], keep=False, operation="delete")
    latest = table.snapshots[-1]
    table.commit([Manifest((table.file("elsewhere"),), spec=table.spec())], ref="other")

    with lab.judge("IRC-SCAN-PLAN-008"):
        early.reads_all(four.data, "the files of main before the last commits,")
        scans.complete_plan(lab, table.table).reads_all(latest.data, "the files of main,")
    with lab.judge_each("IRC-SCAN-PLAN-009") as case:
        for snapshot in table.snapshots:
            with case():
                scans.complete_plan(lab, table.table, snapshot_id=snapshot.id).reads_all(
                    snapshot.data, f"the files of snapshot {snapshot.id},"
                )
    with lab.judge("IRC-SCAN-PLAN-027"):
        scans.complete_plan(lab, table.table).reads(latest.data, "each file once:")


def with_state(file: File, state: int, sequence: int, snapshot: int | None = None) -> File:
    """Return an entry of a manifest with another status, sequence number and snapshot."""
    return replace(file, state=state, sequence=sequence, snapshot=snapshot)


@check("IRC-SCAN-PLAN-010", "IRC-SCAN-PLAN-013")
def incremental_scans_cover_appended_files(lab: CatalogLab) -> None:
    """An incremental scan covers the files appended after the start snapshot up to the end
    snapshot.
    """
    table = of_four(lab)
    scans.needs_scans_between(lab, table)
    ids = [snapshot.id for snapshot in table.snapshots]

    with lab.judge_each("IRC-SCAN-PLAN-010") as case:
        for start, end, expected in ((0, 2, (2, 3)), (0, 3, (2, 3, 4)), (2, 3, (4,))):
            with case():
                plan = scans.complete_plan(
                    lab, table.table, start_snapshot_id=ids[start], end_snapshot_id=ids[end]
                )
                plan.reads(
                    files_of(table, *expected),
                    f"the files appended after snapshot {start + 1} up to {end + 1},",
                )
    reply = scans.plan(lab, table.table, end_snapshot_id=ids[1])
    with lab.judge("IRC-SCAN-PLAN-013"):
        if reply.status == 200 and reply.document.get("status") != "failed":
            scans.wait_for_plan(lab, table.table, reply).reads(
                files_of(table, 1, 2), "the files up to the end,"
            )
        else:
            expect_refusal_or_failure(reply, Wrong.MISSING("/start-snapshot-id"))


@check("IRC-SCAN-PLAN-010")
def incremental_scans_cover_nothing_else(lab: CatalogLab) -> None:
    """An incremental scan excludes files of other branches, rewritten or carried-over files, and
    files of the start snapshot.
    """
    table = scans.table_with_files(lab)
    first = table.append(table.file("1-a"), table.file("1-b"))
    second = table.append(table.file("2-a"))
    scans.needs_scans_between(lab, table)
    on_branch = table.commit([Manifest((table.file("elsewhere"),), spec=table.spec())], ref="other")
    table.snapshots.remove(on_branch)
    older = [
        with_state(file, EXISTING, first.sequence, first.id) for file in first.manifests[0].files
    ]
    mixture = Manifest((table.file("3-a"), *older), spec=table.spec())
    third = table.commit(
        [
            mixture,
            *(
                manifest
                for manifest in second.manifests
                if manifest.path != first.manifests[0].path
            ),
        ],
        keep=False,
    )
    deletion = with_state(second.manifests[0].files[0], DELETED, second.sequence, second.id)
    rewritten = Manifest((table.file("compacted"), deletion), spec=table.spec())
    remaining = [
        manifest for manifest in third.manifests if manifest.path != second.manifests[0].path
    ]
    fourth = table.commit([rewritten, *remaining], keep=False, operation="replace")
    fifth = table.append(table.file("5-a"))

    with lab.judge_each("IRC-SCAN-PLAN-010") as case:
        for start, end, names in (
            (first, third, "2-a 3-a"),
            (second, third, "3-a"),
            (second, fourth, "3-a"),
            (second, fifth, "3-a 5-a"),
        ):
            reply = scans.plan(lab, table.table, start_snapshot_id=start.id, end_snapshot_id=end.id)
            if end in (fourth, fifth) and reply.status in {400, 406}:
                # no clause says that there are scans of changes beyond appended files: a rewriting
                # in between may be refused
                continue
            with case():
                plan = scans.wait_for_plan(lab, table.table, reply)
                plan.reads(
                    [table.path(name) for name in names.split()],
                    f"only the appended files {names},",
                )
    reply = scans.plan(lab, table.table, start_snapshot_id=third.id, end_snapshot_id=third.id)
    with lab.judge("IRC-SCAN-PLAN-010"):
        if reply.status == 200 and reply.document.get("status") != "failed":
            scans.wait_for_plan(lab, table.table, reply).reads(
                [], "no files between a snapshot and itself,"
            )
        else:
            expect_refusal_or_failure(reply, Wrong.DUPLICATE("/end-snapshot-id"))


@check("IRC-SCAN-PLAN-011", "IRC-SCAN-PLAN-012")
def contradictory_snapshot_ids_return_400(lab: CatalogLab) -> None:
    """Planning with `snapshot-id` and a range, or with a start and no end, returns 400."""
    scans.needs(lab, scans.PLAN)
    table = lab.append(lab.table_with_snapshot())
    first, last = (snapshot["snapshot-id"] for snapshot in table.member("snapshots"))
    both = {
        "both ids": {"start_snapshot_id": first, "end_snapshot_id": last},
        "the start": {"start_snapshot_id": first},
        "the end": {"end_snapshot_id": last},
    }

    with lab.judge_each("IRC-SCAN-PLAN-011") as case:
        for what, members in both.items():
            with case():
                reply = scans.plan(lab, table, snapshot_id=last, **members)
                wrong = Wrong.VALUE("/snapshot-id")
                expect.status(reply, 400, about=f"for snapshot-id with {what}", mutation=wrong)
    with lab.judge("IRC-SCAN-PLAN-012"):
        expect.status(
            scans.plan(lab, table, start_snapshot_id=first),
            400,
            mutation=Wrong.MISSING("/end-snapshot-id"),
        )


@check("IRC-SCAN-PLAN-014")
def unknown_snapshots_return_400_or_404(lab: CatalogLab) -> None:
    """Planning an unknown snapshot returns 400, 404 or the status `failed`."""
    scans.needs(lab, scans.PLAN)
    nowhere = random.getrandbits(62) | 1
    for table in lab.each((lab.make_table(), lab.table_with_snapshot())):
        for request in lab.each(
            (
                {"snapshot_id": nowhere},
                {"start_snapshot_id": nowhere - 1, "end_snapshot_id": nowhere},
            )
        ):
            reply = scans.plan(lab, table, **request)
            with lab.judge("IRC-SCAN-PLAN-014"):
                expect_refusal_or_failure(reply, Wrong.ABSENT("snapshot"))


@check("IRC-SCAN-PLAN-019")
def use_snapshot_schema_selects_column_names(lab: CatalogLab) -> None:
    """Filters use the column names of the snapshot's schema with `use-snapshot-schema`, else those
    of the table's.
    """
    table = scans.table_with_files(lab)
    snapshot = table.append(table.file("only"))
    fields = [
        {**field, "name": "title"} if field["name"] == "name" else field
        for field in table.table.member("schemas")[0]["fields"]
    ]
    schema = {**upd.schema_with(table.table), "fields": fields}
    table.table = lab.commit(
        table.table, upd.add_schema(schema), upd.set_current_schema(upd.LAST_ADDED)
    )

    with lab.judge("IRC-SCAN-PLAN-019") as case:
        for of_snapshot, column, unknown in ((True, "name", "title"), (False, "title", "name")):
            for name in (column, unknown):
                with case():
                    reply = scans.plan(
                        lab,
                        table.table,
                        snapshot_id=snapshot.id,
                        use_snapshot_schema=of_snapshot,
                        filter={"type": "eq", "term": name, "value": "x"},
                    )
                    about = f"for {name} with use-snapshot-schema {str(of_snapshot).lower()}"
                    if name == column:
                        expect.status(reply, 200, about=about)
                    else:
                        expect.status(reply, 400, about=about, mutation=Wrong.ABSENT("column"))
        reply = scans.plan(
            lab,
            table.table,
            snapshot_id=snapshot.id,
            filter={"type": "eq", "term": "title", "value": "x"},
        )
        expect.status(
            reply, 200, about="for a name of the table's schema without use-snapshot-schema"
        )


@check("IRC-SCAN-PLAN-020")
def nested_columns_are_selected_by_path(lab: CatalogLab) -> None:
    """Selecting columns within structs, lists and maps by dotted path returns 200."""
    scans.needs(lab, scans.PLAN)
    table = lab.make_table(schema=NESTED)
    scans.require_plans(lab, table)

    with lab.judge_each("IRC-SCAN-PLAN-020") as case:
        for name in ("id", "place", "place.city", "tags.element", "scores.key", "scores.value"):
            with case():
                expect.status(scans.plan(lab, table, select=[name]), 200, about=f"for {name}")


@check("IRC-SCAN-PLAN-021")
def statistics_cover_the_requested_fields(lab: CatalogLab) -> None:
    """A plan has statistics of only the requested `stats-fields`, as in the manifest."""
    table = scans.table_with_files(lab)
    lower, upper = ({column: long_bound(value) for column in (1, 3)} for value in (5, 8))
    table.append(
        table.file(
            "measured",
            lower=lower,
            upper=upper,
            values=dict.fromkeys(lower, 10),
            nulls=dict.fromkeys(lower, 0),
        )
    )
    (_, file, _), *_ = scans.complete_plan(lab, table.table, stats_fields=["id"]).tasks

    with lab.judge_each("IRC-SCAN-PLAN-021") as case:
        for member, value in {
            "value-counts": 10,
            "null-value-counts": 0,
            "lower-bounds": 5,
            "upper-bounds": 8,
        }.items():
            with case():
                statistics, at = file.get(member) or {}, file.place(member)
                keys = statistics.get("keys") or []
                expect.true(
                    set(keys) <= {1},
                    f"{member} of column 1 alone",
                    keys,
                    at=at.within("keys"),
                    kind=Kind.SURPLUS,
                )
                values = statistics.get("values") or [value]
                # Bounds that are spelled as bytes are a matter of IRC-SCAN-SCH-012.
                fine = values == [value] or all(isinstance(name, str) for name in values)
                expect.true(fine, f"{value} as {member}", values, at=at.within("values"))


@check("IRC-SCAN-PLAN-025")
def plan_requests_without_body_return_200_or_400(lab: CatalogLab) -> None:
    """Planning without a body returns 200 or 400."""
    scans.needs(lab, scans.PLAN)
    table = lab.make_table()
    scans.require_plans(lab, table)
    reply = lab.send(scans.PLAN, content=b"", **table.at)

    with lab.judge("IRC-SCAN-PLAN-025"):
        expect.status(reply, 200, 400)


@check("IRC-SCAN-PLAN-026")
def planning_does_not_change_the_table(lab: CatalogLab) -> None:
    """Planning a scan does not change the table."""
    table = some_table(lab)
    before = lab.load(table)
    scans.complete_plan(lab, table)
    after = lab.load(table)

    with lab.judge("IRC-SCAN-PLAN-026"):
        states.assert_same_table(lab, before, after)


@check("IRC-SCAN-PLAN-023", "IRC-SCAN-FETCH-007", "IRC-SCAN-CANCEL-005", "IRC-SCAN-TASK-005")
def planning_missing_tables_returns_404(lab: CatalogLab) -> None:
    """Planning, fetching and cancelling for a missing table or namespace return 404 with the error
    type of what is missing.
    """
    home = lab.make_namespace()
    kinds = {"NoSuchTableException"}, {"NoSuchTableException", "NoSuchNamespaceException"}
    bodies: Document = {scans.PLAN: {}, scans.TASKS: {"plan-task": "none"}}
    identifiers = {
        scans.PLAN: "IRC-SCAN-PLAN-023",
        scans.FETCH: "IRC-SCAN-FETCH-007",
        scans.CANCEL: "IRC-SCAN-CANCEL-005",
        scans.TASKS: "IRC-SCAN-TASK-005",
    }
    for operation, identifier in lab.each(identifiers.items()):
        if not lab.offers(operation):
            lab.skip(identifier, f"the target does not declare {operation}")
            continue
        for namespace, allowed in lab.each(zip((home, (lab.name(),)), kinds, strict=True)):
            arguments: Document = {"namespace": namespace, "table": lab.name()}
            if operation in {scans.FETCH, scans.CANCEL}:
                arguments["plan_id"] = "none"
            reply = lab.send(operation, body=bodies.get(operation), **arguments)
            with lab.judge(identifier):
                expect.not_found(reply, "table")
                if operation != scans.CANCEL:
                    expect.one_of(
                        sorted(allowed),
                        reply.at("error", "type"),
                        "error type",
                        at=reply.place("error", "type"),
                    )


@check("IRC-SCAN-PLAN-027", "IRC-SCAN-PLAN-026")
def named_tables_are_planned(lab: CatalogLab) -> None:
    """A plan of the table in `scan-table` has each file once and does not change the table."""
    parameter = lab.target.parameters.get("scan-table")
    if not parameter:
        raise NotOffered("no table to scan was named: --parameter scan-table=NAMESPACE.TABLE")
    scans.needs(lab, scans.PLAN)
    *levels, name = parameter.split(".")
    before = Table(
        tuple(levels),
        name,
        lab.require(lab.send(op.load_table, namespace=tuple(levels), table=name), 200),
    )

    with lab.judge("IRC-SCAN-PLAN-027"):
        whole = scans.complete_plan(lab, before)
        whole.reads(set(whole.paths), "each file once:")
    with lab.judge("IRC-SCAN-PLAN-026"):
        after = lab.load(before)
        expect.equal(
            before.metadata_location,
            after.metadata_location,
            "metadata-location",
            at=after.reply.place("metadata-location"),
        )
