"""Checks of the old names of renamed tables: they are free, and requests for them do not change the
renamed table.
"""

from __future__ import annotations

from collections.abc import Iterator

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    OperationId,
    Table,
    check,
    expect,
    op,
    set_properties,
    set_ref,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.commits.requirements import (
    HARMLESS,
    assert_ref,
    assert_uuid,
)
from lakepact.conformance.checks.iceberg_rest.kit.metrics_reports import scan_report
from lakepact.conformance.checks.iceberg_rest.kit.renames import rename_view
from lakepact.conformance.checks.iceberg_rest.kit.tables.files import missing_files
from lakepact.conformance.checks.iceberg_rest.kit.tables.registration import (
    left_behind,
    location_of,
    register,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import expect_no_change
from lakepact.conformance.checks.iceberg_rest.kit.views import make_view
from lakepact.conformance.checks.iceberg_rest.tables.drop import (
    await_purge,
    is_refused,
    purge,
    visible_files,
)
from lakepact.conformance.checks.iceberg_rest.tables.register import register_former, with_history
from lakepact.conformance.checks.iceberg_rest.tables.rename import (
    moves_between_namespaces,
    rename_and_load,
)


def reuse_name(
    lab: CatalogLab, name: str, *, times: int = 1, across: bool = False
) -> tuple[Table, list[Table]]:
    """Return a table, and those that had its name before and were renamed.

    Args:
        lab: the lab of the check.
        name: the initial name of all of them.
        times: how many had it before.
        across: they were renamed into another namespace.
    """
    home = lab.make_namespace()
    away = lab.make_namespace() if across else home
    former = []
    for turn in range(times):
        table = lab.commit(lab.make_table(home, name=name), set_properties(turn=str(turn)))
        former.append(rename_and_load(lab, table, lab.name(), namespace=away))
    return lab.commit(lab.make_table(home, name=name), set_properties(turn="last")), former


def successors(lab: CatalogLab) -> Iterator[tuple[Table, list[Table]]]:
    """Yield tables with the names of others, in each way in which that comes about."""
    yield reuse_name(lab, lab.name())
    yield reuse_name(lab, lab.name(), times=3)
    if moves_between_namespaces(lab):
        yield reuse_name(lab, lab.name(), across=True)


@check("IRC-TBL-REN-011")
def tables_with_old_names_have_their_own_location(lab: CatalogLab) -> None:
    """A table created or staged under the old name of a renamed table has another location."""
    for table, former in lab.each(successors(lab)):
        answers = [table]
        if lab.feature("stage-create"):
            lab.drop_table(**table.at)
            request = lab.table_request(table.name, stage_create=True)
            stage = lab.require(
                lab.send(op.create_table, namespace=table.namespace, body=request), 200
            )
            answers.append(table.in_reply(stage))
        for answer in lab.each(answers):
            location, at = answer.location.rstrip("/"), answer.place("location")
            with lab.judge("IRC-TBL-REN-011"):
                former_locations = [one.location.rstrip("/") for one in former]
                expect.true(
                    location not in former_locations,
                    f"a location other than {expect.excerpt(former_locations)}",
                    location,
                    at=at,
                )


@check("IRC-TBL-DROP-006")
def purging_renamed_tables_keeps_new_tables(lab: CatalogLab) -> None:
    """Purging a renamed table keeps the metadata and files of a new table with its old name."""
    if lab.offers(op.register_table):
        register_former(lab, left_behind(lab, lab.make_table()))
    for table, former in lab.each(successors(lab)):
        before = lab.load(table)
        files = visible_files(lab, before)
        for one in former:
            theirs = visible_files(lab, one)
            reply = purge(lab, one)
            if is_refused(reply):
                lab.skip("IRC-TBL-DROP-006", f"the target does not purge: {reply.summary}")
                return
            lab.require(reply)
            if not set(theirs) & set(files):
                await_purge(theirs[:1])
        with lab.judge("IRC-TBL-DROP-006"):
            expect_no_change(lab, before)
            expect.equal([], missing_files(files), "removed files of the other table:", at=None)
        with lab.judge("IRC-TBL-DROP-006"):
            expect.status(
                lab.try_commit(table, HARMLESS, requirements=[assert_uuid(table.uuid)]), 200
            )
        if lab.offers(op.register_table):
            # The first metadata file was not written by a commit.
            lab.require(lab.send(op.drop_table, **table.at))
            again = register(lab, table.namespace, table.name, location_of(before))
            with lab.judge("IRC-TBL-DROP-006"):
                expect.status(again, 200)


def commits_of_all_kinds(lab: CatalogLab, table: Table) -> dict[str, Document]:
    """Bodies of commits that a table would take under its own name, by what they do."""
    snapshot = lab.snapshot(table)
    moves = [upd.add_snapshot(snapshot), set_ref("main", snapshot["snapshot-id"])]
    main = table.metadata.get("current-snapshot-id")
    wider = [
        upd.add_column(table, "late"),
        upd.set_current_schema(upd.LAST_ADDED),
    ]
    assertions = [assert_uuid(table.uuid)]
    return {
        "a property": {"requirements": [], "updates": [set_properties(late="yes")]},
        "a property of the same table": {
            "requirements": assertions,
            "updates": [set_properties(late="yes")],
        },
        "a snapshot": {"requirements": [*assertions, assert_ref("main", main)], "updates": moves},
        "a schema": {"requirements": assertions, "updates": wider},
        "nothing": {"requirements": assertions, "updates": []},
        "a property, by identifier": {
            "identifier": table.identifier,
            "requirements": [],
            "updates": [set_properties(late="yes")],
        },
    }


@check("IRC-TBL-REN-013")
def commits_to_old_names_return_404(lab: CatalogLab) -> None:
    """A commit to the old name of a renamed table returns 404, changes no table and creates
    none.
    """
    old = lab.load(with_history(lab, lab.make_table()))
    once = rename_and_load(lab, old, lab.name())
    _judge_late_commits(lab, old, once)
    twice = rename_and_load(lab, once, lab.name())
    _judge_late_commits(lab, old, twice)
    _judge_late_commits(lab, once, twice)
    if moves_between_namespaces(lab):
        old = lab.load(lab.make_table())
        _judge_late_commits(
            lab, old, rename_and_load(lab, old, old.name, namespace=lab.make_namespace())
        )


def _judge_late_commits(lab: CatalogLab, old: Table, now: Table) -> None:
    for what, body in lab.each(commits_of_all_kinds(lab, old).items()):
        reply = lab.send(op.update_table, body=body, **old.at)
        behind = lab.send(op.load_table, **old.at)
        with lab.judge("IRC-TBL-REN-013"):
            # A server that refuses commits without updates need not look for the table first.
            expect.not_found(
                reply,
                "table",
                *(() if body["updates"] else (400,)),
                about=f"for a commit of {what}",
            )
            expect.not_found(behind, "table", about=f"for the old name after a commit of {what}")
            expect_no_change(lab, now)


@check("IRC-TBL-REN-001")
def old_table_names_return_404(lab: CatalogLab) -> None:
    """Every operation on the old name of a renamed table returns 404."""
    table = lab.table_with_snapshot()
    now = rename_and_load(lab, table, lab.name())
    missing: Document = {**table.at, "table": lab.name()}
    requests: dict[OperationId, Document] = {
        op.table_exists: {},
        op.load_credentials: {},
        op.report_metrics: {"body": scan_report(table)},
        op.plan_table_scan: {"body": {}},
        op.drop_table: {"purge_requested": lab.ways_to_drop()[0]},
    }

    with lab.judge("IRC-TBL-REN-001") as case:
        for operation, arguments in requests.items():
            if lab.offers(operation) and lab.send(operation, **arguments, **missing).status == 404:
                with case():
                    expect.not_found(
                        lab.send(operation, **arguments, **table.at),
                        "table",
                        about=f"for {operation} by the old name",
                    )
        expect.status(lab.send(op.load_table, **now.at), 200, about="for the new name afterwards")


@check("IRC-VIEW-REN-001")
def old_view_names_return_404(lab: CatalogLab) -> None:
    """Every operation on the old name of a renamed view returns 404."""
    view = make_view(lab)
    new: Document = {**view.identifier, "name": lab.name()}
    missing: Document = {**view.at, "view": lab.name()}
    lab.require(rename_view(lab, view.identifier, new))
    requests: dict[OperationId, Document] = {
        op.view_exists: {},
        op.replace_view: {"body": {"requirements": [], "updates": [HARMLESS]}},
        op.drop_view: {},
    }

    with lab.judge("IRC-VIEW-REN-001") as case:
        for operation, arguments in requests.items():
            if lab.offers(operation) and lab.send(operation, **arguments, **missing).status == 404:
                with case():
                    expect.not_found(
                        lab.send(operation, **arguments, **view.at),
                        "view",
                        about=f"for {operation} by the old name",
                    )
        expect.status(
            lab.send(op.load_view, namespace=view.namespace, view=new["name"]),
            200,
            about="for the new name afterwards",
        )
