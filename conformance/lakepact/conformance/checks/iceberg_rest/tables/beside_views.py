"""Checks of tables in namespaces with views: names are shared, and a table is never served as a
view.
"""

from __future__ import annotations

import uuid

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Namespace,
    OperationId,
    Reply,
    Table,
    check,
    expect,
    op,
    req,
)
from lakepact.conformance.checks.iceberg_rest.kit.commits.creations import (
    creating_works,
    creation,
    free_slot,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.requests import commit_stage
from lakepact.conformance.checks.iceberg_rest.kit.views import OVER_VIEW, VIEW_AS_TABLE
from lakepact.conformance.checks.iceberg_rest.kit.views import create as create_view
from lakepact.conformance.checks.iceberg_rest.tables.list import expect_names


@check("IRC-TBL-LIST-003", "IRC-TBL-LOAD-005", "IRC-TBL-HEAD-003")
def table_operations_omit_views(lab: CatalogLab) -> None:
    """Listing tables omits views; loading a view as a table, and HEAD of it, return 404."""
    table = lab.make_table()
    view = lab.make_view(table.namespace)
    at: Document = {"namespace": table.namespace, "table": view}

    with lab.judge("IRC-TBL-LIST-003"):
        expect_names(lab, table.namespace, [table.name], "tables")
    with lab.judge("IRC-TBL-LOAD-005"):
        expect.status(lab.send(op.load_table, **at), 404, mutation=VIEW_AS_TABLE)
    with lab.judge("IRC-TBL-HEAD-003"):
        expect.status(lab.send(op.table_exists, **at), 404, mutation=VIEW_AS_TABLE)


@check("IRC-TBL-CREATE-015", "IRC-TBL-STAGE-010")
def creating_tables_over_views_returns_409(lab: CatalogLab) -> None:
    """Creating a table under the name of a view returns 409, also when the table was staged."""
    namespace = lab.make_namespace()
    name = lab.make_view(namespace)
    create = lab.try_create_table(namespace, name)
    if create.status < 400:
        lab.drop_afterwards(namespace, name)

    with lab.judge("IRC-TBL-CREATE-015"):
        expect.status(create, 409, mutation=OVER_VIEW)
    other = lab.make_view(namespace)
    stage = lab.try_create_table(namespace, other, stage_create=True)
    with lab.judge("IRC-TBL-STAGE-010"):
        if stage.status == 200:
            stage = commit_stage(lab, Table(namespace, other, stage))
            if stage.status < 400:
                lab.drop_afterwards(namespace, other)
        expect.status(stage, 409, mutation=OVER_VIEW)


@check("IRC-COM-024", "IRC-REQ-006")
def commits_to_views_return_404(lab: CatalogLab) -> None:
    """A table commit to the name of a view returns 404; one with assert-create returns 409."""
    namespace = lab.make_namespace()
    name = lab.make_view(namespace)
    at: Document = {"namespace": namespace, "table": name}
    for requirements in lab.each(([], [req.assert_ref("main", None)])):
        reply = lab.send(
            op.update_table, body={"requirements": requirements, "updates": [req.HARMLESS]}, **at
        )
        with lab.judge("IRC-COM-024"):
            expect.status(reply, 404, mutation=VIEW_AS_TABLE)
    creating_works(lab, namespace)
    updates = creation(free_slot(lab, namespace), str(uuid.uuid4()))
    reply = lab.send(
        op.update_table, body={"requirements": [req.ASSERT_CREATE], "updates": updates}, **at
    )
    if reply.status < 400:
        lab.drop_afterwards(namespace, name)
    with lab.judge("IRC-REQ-006"):
        expect.status(reply, 409, mutation=OVER_VIEW)


def _left(lab: CatalogLab, operation: OperationId, namespace: Namespace) -> str:
    """Return a name that a table or a view had until it was dropped or renamed.

    Raises:
        Blocked: it cannot be made, or does not leave.
    """
    kind = "table" if operation.endswith("Table") else "view"
    name = lab.make_table(namespace).name if kind == "table" else lab.make_view(namespace)
    if operation.startswith("drop"):
        at: Document = {"namespace": namespace, kind: name}
        lab.require(lab.try_drop_table(**at) if kind == "table" else lab.send(operation, **at))
        return name
    other: Document = {"namespace": namespace, kind: lab.name()}
    lab.add_cleanup(
        lambda: lab.try_drop_table(**other) if kind == "table" else lab.send(op.drop_view, **other)
    )
    source, destination = (
        {"namespace": list(namespace), "name": one} for one in (name, other[kind])
    )
    lab.require(lab.send(operation, body={"source": source, "destination": destination}))
    return name


def _create(lab: CatalogLab, operation: OperationId, namespace: Namespace, name: str) -> Reply:
    """Return the answer to a request that creates a table or a view, which is dropped afterwards,
    should there be one.
    """
    if operation == op.create_table:
        lab.drop_afterwards(namespace, name)
        return lab.send(operation, namespace=namespace, body=lab.table_request(name))
    return create_view(lab, namespace, name)


@check("IRC-TBL-CREATE-001", "IRC-VIEW-CREATE-001")
def dropped_and_renamed_names_are_free(lab: CatalogLab) -> None:
    """Creating a table or view under a name that was dropped or renamed away does not return
    409.
    """
    home = lab.make_namespace()
    leaves = [
        operation
        for operation in (op.drop_table, op.rename_table, op.drop_view, op.rename_view)
        if lab.offers(operation)
    ]
    for requirement, creating in lab.each(
        (("IRC-TBL-CREATE-001", op.create_table), ("IRC-VIEW-CREATE-001", op.create_view))
    ):
        if not leaves or not lab.offers(creating):
            lab.skip(
                requirement,
                f"the target does not offer {creating}"
                if leaves
                else "the target does not drop or rename",
            )
            continue
        for leaving in lab.each(leaves):
            reply = _create(lab, creating, home, _left(lab, leaving, home))
            with lab.judge(requirement):
                if reply.status == 409:
                    expect.status(reply, 200, about=f"for a name that is free after {leaving}")
