"""Tables with rows, properties, a branch and a tag: tasks change nothing else, and no neighbour."""

from __future__ import annotations

from lakepact.conformance.clients.iceberg_rest.api import (
    COMMITS,
    TABLE,
    CatalogClientLab,
    Document,
    NotOffered,
    Script,
    answering,
    as_it_is,
    at_first,
    check,
    error,
    set_reference,
    table_with_rows,
)
from lakepact.conformance.clients.iceberg_rest.commits.references import BRANCH, TAG
from lakepact.conformance.clients.iceberg_rest.commits.unknown_outcomes import LOST, UNKNOWN, losing
from lakepact.conformance.clients.iceberg_rest.kit.lab import KEPT

ROWS = [{"id": 7, "data": "seventh"}]
NEIGHBOUR = "neighbour"
RETAINED = 864_000_000  #: milliseconds for which branch and tag are retained
#: Tasks that change the table, with their arguments; their names are those that the watch knows.
TASKS: tuple[tuple[str, Document], ...] = (
    ("append-rows", {"rows": ROWS}),
    ("append-rows-to-branch", {"branch": BRANCH, "rows": ROWS}),
    ("set-properties", {"updates": {"lakepact.new": "1"}}),
    ("add-column", {"column": "added"}),
    ("drop-tag", {"tag": TAG}),
    ("drop-branch", {"branch": BRANCH}),
    ("add-partition-field", {"column": "id", "transform": "bucket[4]", "name": "id_bucket"}),
    ("drop-table", {}),
)
SCRIPTS: dict[str, Script] = {
    "": as_it_is,
    **{how: losing(lose) for how, lose in LOST.items()},
    "500": answering(COMMITS, error(500, UNKNOWN), is_applied=True),
    "409": answering(COMMITS, error(409, "CommitFailedException")),
}


@check("IRC-CLI-076", "IRC-CLI-077")
def tasks_leave_the_rest(lab: CatalogClientLab) -> None:
    """A client destroys only what its task names, and keeps the rows, snapshots, refs and
    properties that no task changes.
    """
    for how, script in SCRIPTS.items():
        where = _rich_table(lab)
        for task, arguments in TASKS:
            if how and task == TASKS[-1][0]:
                continue
            lab.tries(task, at_first(script, COMMITS) if how else script, **where, **arguments)


def _rich_table(lab: CatalogClientLab) -> Document:
    """Return the arguments that name a table with a property, and with rows, branch and tag if the
    client appends rows.
    """
    try:
        table = table_with_rows(lab, 1)
    except NotOffered:
        namespace, references = lab.namespace(TABLE), []
    else:
        namespace = table.namespace
        references = [
            {**set_reference(name, kind, table.ids[0]), "max-ref-age-ms": RETAINED}
            for name, kind in ((BRANCH, "branch"), (TAG, "tag"))
        ]
    lab.create(namespace, NEIGHBOUR, properties=KEPT)
    lab.commit(namespace, TABLE, {"action": "set-properties", "updates": KEPT}, *references)
    return {"namespace": namespace, "table": TABLE}
