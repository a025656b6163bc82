"""Checks of a second principal that may write in one namespace, and tries to reach from there into
those in which it may only read.
"""

from __future__ import annotations

import uuid

from lakepact.conformance.checks.iceberg_rest.access.rights import (
    COMMIT,
    Scene,
    table_of_the_second,
)
from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    NotOffered,
    Table,
    check,
    expect,
    op,
    req,
)
from lakepact.conformance.checks.iceberg_rest.kit.commits.creations import creation, free_slot
from lakepact.conformance.checks.iceberg_rest.kit.principals import NO_RIGHTS


def scene_with_own(lab: CatalogLab) -> tuple[Scene, Table]:
    """Return the tables of the first principal, and a table in the namespace that the second may
    write to.

    Raises:
        NotOffered: it is not known where that is, or the second may write everywhere.
    """
    scene = Scene(lab)
    scene.require_reader()
    own = table_of_the_second(scene)
    if own is None:
        raise NotOffered("no namespace is known in which the second principal may write")
    return scene, own


@check("IRC-SEC-005", "IRC-SEC-016")
def renames_need_rights_in_both_namespaces(lab: CatalogLab) -> None:
    """Renaming a table out of or into a namespace that the principal may only read returns 403 or
    406.
    """
    scene, own = scene_with_own(lab)
    name = lab.name()
    moves = {
        "out of a namespace that the principal may only read": (
            scene.table,
            {"namespace": list(own.namespace), "name": name},
        ),
        "into a namespace that the principal may only read": (
            own,
            {"namespace": list(scene.namespace), "name": name},
        ),
    }
    for what, (table, destination) in lab.each(moves.items()):
        reply = scene.send(
            op.rename_table, body={"source": table.identifier, "destination": destination}
        )
        if reply.status < 300:
            lab.drop_afterwards(tuple(destination["namespace"]), name)
        with lab.judge("IRC-SEC-005"):
            # A server may also not rename into other namespaces at all.
            expect.status(reply, 403, 406, about=f"for a rename {what}", mutation=NO_RIGHTS)
        if reply.status == 403:
            with lab.judge("IRC-SEC-016"):
                after = lab.load(table)
                expect.member(
                    table.uuid, after.place("table-uuid"), "after a refused rename the table"
                )


@check("IRC-SEC-005", "IRC-SEC-016")
def creating_commits_need_rights_in_the_namespace(lab: CatalogLab) -> None:
    """A commit or transaction that creates a table in a namespace that the principal may only read
    returns 403 and creates none.
    """
    scene, own = scene_with_own(lab)
    slot = free_slot(lab, scene.namespace)
    change: Document = {
        "requirements": [req.ASSERT_CREATE],
        "updates": creation(slot, str(uuid.uuid4())),
    }
    replies = {"a commit": scene.send(op.update_table, **slot.at, body=change)}
    if lab.offers(op.commit_transaction):
        identifier = {"namespace": list(slot.namespace), "name": slot.name}
        changes = [{"identifier": own.identifier, **COMMIT}, {"identifier": identifier, **change}]
        replies["a transaction"] = scene.send(
            op.commit_transaction, body={"table-changes": changes}
        )
    after = lab.send(op.load_table, **slot.at)

    # A server without creation by commits or transactions may refuse before it checks rights.
    for what, reply in lab.each(replies.items()):
        with lab.judge("IRC-SEC-005"):
            allowed = (400, 404) if after.status == 404 else ()
            expect.status(
                reply, 403, *allowed, about=f"for {what} that creates a table", mutation=NO_RIGHTS
            )
    with lab.judge("IRC-SEC-016"):
        expect.not_found(after, "table", about="for the table whose creation was refused")
