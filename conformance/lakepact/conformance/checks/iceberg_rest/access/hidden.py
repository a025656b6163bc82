"""Checks of a third principal without any right: it sees nothing of the first one, and changes
nothing.
"""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.access.authentication import requires_credentials
from lakepact.conformance.checks.iceberg_rest.access.rights import (
    Scene,
    change_between,
    judge_changes,
    may_write,
    undoing,
)
from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    NotOffered,
    OperationId,
    Reply,
    Unmet,
    check,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.principals import (
    NO_RIGHTS,
    THIRD,
    bearing,
    require_secret,
)

#: A hidden object may be reported as missing, and an unreadable file as invalid.
HIDDEN = (403, 404)
ALSO = {op.register_table: (400,)}


@check("IRC-SEC-005")
def principals_without_rights_read_nothing(lab: CatalogLab) -> None:
    """Reads by a principal without any rights return 403 or 404."""
    third = bearing(require_secret(lab, THIRD))
    table = lab.table_with_snapshot()
    view = lab.make_view(table.namespace) if lab.offers(op.create_view) else None
    reads: dict[OperationId, Document] = {
        op.load_table: table.at,
        op.table_exists: table.at,
        op.load_namespace_metadata: {"namespace": table.namespace},
        op.namespace_exists: {"namespace": table.namespace},
        op.load_credentials: table.at,
        op.plan_table_scan: {**table.at, "body": {}},
    }
    if view is not None:
        reads[op.load_view] = {"namespace": table.namespace, "view": view}
    for operation, arguments in lab.each(reads.items()):
        if lab.offers(operation):
            # A cached answer of the owner must not be returned to another caller.
            lab.send(operation, **arguments)
            with lab.judge("IRC-SEC-005"):
                reply = lab.send(operation, headers=third, anonymous=True, **arguments)
                expect.status(
                    reply,
                    *HIDDEN,
                    about=f"for {operation} by a principal without any rights",
                    mutation=NO_RIGHTS,
                )


@check("IRC-SEC-005", "IRC-SEC-016")
def principals_without_rights_change_nothing(lab: CatalogLab) -> None:
    """Changes by a principal without any rights return 403 or 404, and none is made."""
    scene = Scene(lab, THIRD)
    if scene.send(op.load_table, **scene.table.at).status == 200:
        raise NotOffered(
            "the third principal sees the tables of the first; it should be allowed nothing"
        )
    answers: dict[OperationId, Reply] = {}
    changes: list[Unmet | None] = []
    for operation, arguments in scene.mutations().items():
        before = scene.state()
        answers[operation] = scene.send(operation, **arguments)
        changes.append(change_between(lab, before, scene.state(), answers[operation]))
        if answers[operation].status < 300:
            lab.add_cleanup(undoing(scene, operation, arguments))
            scene = Scene(lab, THIRD)
    if may_write(answers):
        raise NotOffered("the third principal may change everything; it should be allowed nothing")
    for operation, reply in lab.each(answers.items()):
        with lab.judge("IRC-SEC-005"):
            about = f"for {operation} by a principal without any rights"
            expect.status(reply, *HIDDEN, *ALSO.get(operation, ()), about=about, mutation=NO_RIGHTS)
    judge_changes(lab, changes)


@check("IRC-TBL-ETAG-010")
def conditional_loads_need_rights(lab: CatalogLab) -> None:
    """Loading a table with its current ETag returns 401, 403 or 404 to a principal that may not see
    it, not 304.
    """
    requires_credentials(lab)
    third = bearing(require_secret(lab, THIRD))
    table = lab.load(lab.make_table())
    tag = table.reply.headers.get("etag")
    if not tag:
        raise NotOffered("the target's tables carry no ETag")
    if lab.send(op.load_table, headers=third, anonymous=True, **table.at).status == 200:
        raise NotOffered(
            "the third principal sees the tables of the first; it should be allowed nothing"
        )
    reply = lab.send(
        op.load_table, headers=[*third, ("If-None-Match", tag)], anonymous=True, **table.at
    )

    with lab.judge("IRC-TBL-ETAG-010"):
        expect.status(
            reply,
            401,
            *HIDDEN,
            about="for the current ETag by a principal without any rights",
            mutation=NO_RIGHTS,
        )
