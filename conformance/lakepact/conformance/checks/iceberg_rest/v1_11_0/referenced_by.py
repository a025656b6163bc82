"""Checks of loading through views."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import (
    SEPARATOR,
    CatalogLab,
    expect,
    op,
    states,
)
from lakepact.conformance.checks.iceberg_rest.kit.views import make_view, state
from lakepact.conformance.checks.iceberg_rest.v1_11_0.suite import check


@check("IRC-RBY-001")
def referenced_by_does_not_change_responses(lab: CatalogLab) -> None:
    """Loading a table or view with `referenced-by` of one view or two returns 200 with the same
    metadata.
    """
    table = lab.make_table()
    whole = lab.load(table)
    names = [SEPARATOR.join((*table.namespace, lab.name())) for _ in range(2)]

    for chain in lab.each((names[0], ",".join(names))):
        reply = lab.send(op.load_table, referenced_by=chain, **table.at)
        with lab.judge("IRC-RBY-001"):
            expect.status(reply, 200, about=f"with referenced-by={expect.excerpt(chain)}")
            states.assert_same_table(lab, whole, table.in_reply(reply))
    if not lab.feature("views"):
        return
    view = make_view(lab, table.namespace)
    reply = lab.send(op.load_view, referenced_by=names[0], **view.at)
    with lab.judge("IRC-RBY-001"):
        expect.status(reply, 200, about="for a view with referenced-by")
        expect.equal(
            state(view.reply),
            state(reply),
            "the metadata with referenced-by,",
            at=reply.place("metadata"),
        )
