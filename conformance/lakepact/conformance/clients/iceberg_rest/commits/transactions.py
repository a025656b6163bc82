"""Transactions over two tables that the server refuses for one of them."""

from __future__ import annotations

from lakepact.conformance.clients.iceberg_rest.api import (
    COMMITS,
    Answer,
    CatalogClientLab,
    Document,
    Forward,
    Request,
    Script,
    check,
    error,
    expect,
    op,
    with_endpoints,
)

TABLES = ("t", "u")
KEY = "lakepact.both"


def refusing(table: str) -> Script:
    """Return a catalog that declares its endpoints, and refuses every commit to a table and every
    transaction.
    """
    declared = with_endpoints()

    def script(request: Request, forward: Forward) -> Answer:
        is_of_table = request.operation in COMMITS and request.target.endswith(f"/{table}")
        if is_of_table or request.operation == op.commit_transaction:
            return error(409, "CommitFailedException")
        return declared(request, forward)

    return script


@check("IRC-CLI-081")
def refused_transactions(lab: CatalogClientLab) -> None:
    """A client whose transaction over two tables is refused for one of them changes neither."""
    with lab.judge_each("IRC-CLI-081") as case:
        for failing_table in TABLES:
            home = lab.namespace(*TABLES)
            arguments: Document = {"namespace": home, "tables": [*TABLES]}
            performance = lab.performs(
                "commit-transaction", refusing(failing_table), **arguments, updates={KEY: "1"}
            )
            performance.require(*COMMITS)
            properties = {
                table: lab.metadata(home, table).get("properties", {}).get(KEY) for table in TABLES
            }
            with case():
                expect.equal(
                    dict.fromkeys(TABLES),
                    properties,
                    f"{KEY} of both tables after a transaction that the server refuses for"
                    f" {failing_table}:",
                )
