"""Tables that another client drops and creates under the same name before the client commits."""

from __future__ import annotations

from typing import Any

from lakepact.conformance.clients.iceberg_rest.api import (
    COMMITS,
    TABLE,
    Answer,
    CatalogClientLab,
    Document,
    Forward,
    Request,
    check,
    expect,
)
from lakepact.conformance.clients.iceberg_rest.kit.lab import SCHEMA, path_of
from lakepact.conformance.clients.iceberg_rest.kit.repeated_commits import LOADS

TASKS: tuple[tuple[str, Document], ...] = (
    ("append-rows", {"rows": [{"id": 1, "data": "a"}]}),
    ("add-column", {"column": "added"}),
)
#: Has the same field ids as that of the dropped table, and another column.
OTHER = {**SCHEMA, "fields": [SCHEMA["fields"][0], {**SCHEMA["fields"][1], "name": "other"}]}
CHANGED = ("table-uuid", "schemas", "current-schema-id", "snapshots", "refs")


@check("IRC-CLI-072")
def recreated_tables(lab: CatalogClientLab) -> None:
    """A client adds nothing to a table that was created again before its commit, unless it has
    loaded the new table.
    """
    with lab.judge_each(
        "IRC-CLI-072", without="the client does not commit by updateTable or commitTransaction"
    ) as case:
        for task, arguments in TASKS:
            if (
                plain := lab.tries(task, namespace=lab.namespace(TABLE), table=TABLE, **arguments)
            ) is None:
                continue
            lab.require_success(plain)
            namespace = lab.namespace(TABLE)
            fresh: list[Any] = []

            def script(
                request: Request,
                forward: Forward,
                namespace: list[str] = namespace,
                fresh: list[Any] = fresh,
            ) -> Answer:
                if request.operation in COMMITS and not fresh:
                    lab.server.ask("DELETE", path_of(namespace, "tables", TABLE))
                    lab.create(namespace, TABLE, schema=OTHER)
                    fresh.append(lab.metadata(namespace, TABLE))
                return forward(request)

            performance = lab.performs(task, script, namespace=namespace, table=TABLE, **arguments)
            commits = performance.of(*COMMITS)
            commit_number = next((commit.number for commit in commits if commit.status < 300), 0)
            if not fresh or any(
                commits[0].number < one.number < commit_number for one in performance.of(*LOADS)
            ):
                continue  # a client that has loaded the new table may change it
            with case():
                metadata = lab.metadata(namespace, TABLE)
                before, after = (
                    {name: state.get(name) for name in CHANGED} for state in (fresh[0], metadata)
                )
                expect.equal(before, after, f"the new table after {task}, which has not loaded it:")
