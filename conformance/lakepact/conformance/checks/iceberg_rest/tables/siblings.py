"""Checks of operations on different tables of one namespace, sent at the same time: none is in the
way of another.
"""

from __future__ import annotations

from functools import partial

from lakepact.conformance.checks.iceberg_rest.api import CatalogLab, check, expect, op
from lakepact.conformance.checks.iceberg_rest.kit.concurrency import side_by_side

EACH = 6  #: tables that are created, and as many that are dropped
ROUNDS = 3


@check("IRC-TBL-CREATE-034", alone=True)
def creates_survive_concurrent_drops_of_siblings(lab: CatalogLab) -> None:
    """Creating a table returns 200 and the table loads, while other tables of the namespace are
    dropped concurrently.
    """
    home = lab.make_namespace()
    for _ in lab.each(lab.repeat(ROUNDS)):
        leaving = [lab.make_table(home) for _ in range(EACH)]
        coming = [lab.name() for _ in range(EACH)]
        for name in coming:
            lab.drop_afterwards(home, name)
        creates = [
            partial(lab.send, op.create_table, namespace=home, body=lab.table_request(name))
            for name in coming
        ]
        drops = [partial(lab.try_drop_table, **table.at) for table in leaving]
        sends = [send for pair in zip(creates, drops, strict=True) for send in pair]
        replies = side_by_side(lab, sends, what="requests for different tables")[::2]
        with lab.judge("IRC-TBL-CREATE-034") as case:
            for name, reply in zip(coming, replies, strict=True):
                with case():
                    expect.status(
                        reply, 200, about="while other tables of the namespace are dropped"
                    )
                    expect.status(
                        lab.send(op.load_table, namespace=home, table=name),
                        200,
                        about="for the created table",
                    )
