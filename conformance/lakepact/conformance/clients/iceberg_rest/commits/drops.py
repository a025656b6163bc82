"""Tables that a client drops, with and without a purge of their files."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from lakepact.conformance.clients.iceberg_rest.api import (
    Answer,
    CatalogClientLab,
    Forward,
    NotOffered,
    Performance,
    Request,
    Script,
    answering,
    as_it_is,
    check,
    error,
    expect,
    op,
    table_with_rows,
)
from lakepact.conformance.clients.iceberg_rest.kit.tables_with_files import TableFiles

DROP, PURGE = "drop-table", "purge-table"
DROPS = frozenset({op.drop_table})
REFUSALS = (error(403, "ForbiddenException"), error(500, "InternalServerError"))


def _purges(performance: Performance) -> list[bool]:
    """Return for each request to drop a table whether it asks for a purge."""
    queries = [
        dict(parse_qsl(urlsplit(exchange.url).query)) for exchange in performance.of(op.drop_table)
    ]
    return [query.get("purgeRequested", "").lower() == "true" for query in queries]


@check("IRC-CLI-045")
def requests_for_a_purge(lab: CatalogClientLab) -> None:
    """A client sends purgeRequested=true exactly when its user requested a purge."""
    count = 0
    with lab.judge_each("IRC-CLI-045") as case:
        for task, is_requested in ((DROP, False), (PURGE, True)):
            performance = lab.tries(task, namespace=lab.namespace("t"), table="t")
            if performance is not None and performance.of(op.drop_table):
                count += 1
                with case():
                    expect.equal(
                        is_requested,
                        any(_purges(performance)),
                        f"whether {task} sends purgeRequested=true:",
                    )
    if not count:
        raise NotOffered("the client drops no tables by dropTable")


def drops_only(request: Request, forward: Forward) -> Answer:
    """Answer as a server that drops each table and has not begun to purge it."""
    return forward(
        request.at(request.target.partition("?")[0])
        if request.operation == op.drop_table
        else request
    )


def _drops(lab: CatalogClientLab, task: str, script: Script, how: str) -> None:
    """Expect that the client deletes no file of a table.

    Raises:
        NotOffered: it does not perform the task by dropTable.
    """
    table = table_with_rows(lab, appends=1)
    files = TableFiles(lab.files_of(**table.where))
    performance = lab.performs(task, files.watch(script, DROPS), **table.where)
    performance.require(op.drop_table)
    files.expect_files(how)


@check("IRC-CLI-046")
def files_of_dropped_tables(lab: CatalogClientLab) -> None:
    """A client keeps all files of a dropped table, and of a table whose drop or purge was
    refused.
    """
    cases: list[tuple[str, Script, str]] = [
        (DROP, as_it_is, "of a table that was dropped without a purge")
    ]
    for answer in REFUSALS:
        cases += [
            (
                task,
                answering(op.drop_table, answer),
                f"of a table that exists, since {task} returned {answer.status}",
            )
            for task in (DROP, PURGE)
        ]
    cases.append(
        (
            DROP,
            answering(op.drop_table, Answer(0), is_applied=True),
            "of a table whose drop got no answer",
        )
    )
    count, reason = 0, ""
    with lab.judge_each("IRC-CLI-046") as case:
        for task, script, how in cases:
            try:
                with case():
                    _drops(lab, task, script, how)
                    count += 1
            except NotOffered as missing:
                reason = reason or str(missing)
    if not count:
        raise NotOffered(reason)


@check("IRC-CLI-047")
def files_of_purged_tables(lab: CatalogClientLab) -> None:
    """A client leaves the files of a purged table to the server."""
    with lab.judge("IRC-CLI-047"):
        _drops(lab, PURGE, drops_only, "of a table that the server purges later")
