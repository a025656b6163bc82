"""Reads of tables after commits of the same session."""

from __future__ import annotations

from lakepact.conformance.clients.iceberg_rest.api import (
    CatalogClientLab,
    Document,
    NotOffered,
    check,
    expect,
)

BEFORE = [{"id": number, "data": "old"} for number in (1, 2, 3)]
ADDED = [{"id": 4, "data": "new"}]
CHANGED = [{**row, "data": "new"} for row in BEFORE]
#: Each changes another row of one file.
CHANGES = [{"where": {"id": row["id"]}, "set": {"data": "new"}} for row in BEFORE]
TASKS: tuple[tuple[str, Document, list[Document]], ...] = (
    ("append-and-read", {"rows": ADDED}, [*BEFORE, *ADDED]),
    ("change-and-read", {"changes": CHANGES}, CHANGED),
)


@check("IRC-CLI-082")
def own_commits(lab: CatalogClientLab) -> None:
    """A client returns the rows of its own append, and of several changes of one file, in the
    session that committed them.
    """
    is_offered = False
    with lab.judge_each("IRC-CLI-082", without="the client's tasks fail") as case:
        for task, arguments, rows in TASKS:
            where = lab.table()
            lab.require_success(lab.performs("append-rows", **where, rows=BEFORE))
            performance = lab.tries(task, **where, **arguments)
            is_offered |= performance is not None
            if performance is not None and performance.is_done:
                with case():
                    lab.leaves(performance, where, f"after {task}", rows)
                    expect.same_items(rows, performance.result, f"rows that {task} returns:")
    if not is_offered:
        raise NotOffered("the client has no task that commits and reads")
