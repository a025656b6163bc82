"""Servers that remove metadata files before they know whether a commit is made."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Service
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR

WANTED = "write.metadata.delete-after-commit.enabled"


def _forget_old_files(service: Service, *, namespace: str, table: str) -> None:
    """Remove the former metadata files of a table that wants that after commits."""
    with contextlib.suppress(Problem):
        metadata = service.handlers[op.load_table](namespace=namespace, table=table).document[
            "metadata"
        ]
        if metadata["properties"].get(WANTED) == "true":
            for entry in metadata["metadata-log"]:
                Path(entry["metadata-file"].removeprefix("file://")).unlink(missing_ok=True)


@fault("IRC-COM-032")
def refused_commits_forget_files() -> Install:
    def install(service: Service) -> None:
        commit = service.handlers[op.update_table]

        def act(**arguments: Any) -> Reply:
            try:
                return commit(**arguments)
            except Problem:
                _forget_old_files(
                    service, namespace=arguments["namespace"], table=arguments["table"]
                )
                raise

        service.handlers[op.update_table] = act

    return install


@fault("IRC-TXN-018")
def refused_transactions_forget_files() -> Install:
    def install(service: Service) -> None:
        transact = service.handlers[op.commit_transaction]

        def act(**arguments: Any) -> Reply:
            try:
                return transact(**arguments)
            except Problem:
                for change in arguments["body"]["table-changes"]:
                    identifier = change["identifier"]
                    _forget_old_files(
                        service,
                        namespace=SEPARATOR.join(identifier["namespace"]),
                        table=identifier["name"],
                    )
                raise

        service.handlers[op.commit_transaction] = act

    return install
