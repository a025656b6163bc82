"""Servers whose maintenance removes files that tables still name."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import fault
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments
from mutants.iceberg_rest.operators.tables import Handlers, for_operation, metadata_path


def _files(handlers: Handlers, arguments: Arguments, pattern: str) -> list[Path]:
    """Return the files beside the table's metadata whose names match."""
    at = {"namespace": arguments["namespace"], "table": arguments["table"]}
    return list(metadata_path(handlers, **at).parent.glob(pattern))


@fault("IRC-META-020", by=partial(for_operation, op.update_table))
def expiry_removes_all_manifest_lists(handlers: Handlers, arguments: Arguments) -> Reply:
    reply = handlers[op.update_table](**arguments)
    if any(one["action"] == "remove-snapshots" for one in arguments["body"]["updates"]):
        for path in _files(handlers, arguments, "snap-*.avro"):
            path.unlink()
    return reply


@fault("IRC-META-020", by=partial(for_operation, op.update_table))
def commits_remove_manifests(handlers: Handlers, arguments: Arguments) -> Reply:
    reply = handlers[op.update_table](**arguments)
    if any("turn" in one.get("updates", {}) for one in arguments["body"]["updates"]):
        for path in _files(handlers, arguments, "*.avro"):
            if not path.name.startswith("snap-"):
                path.unlink()
    return reply


@fault("IRC-META-020", by=partial(for_operation, op.update_table))
def commits_remove_former_manifest_lists(handlers: Handlers, arguments: Arguments) -> Reply:
    reply = handlers[op.update_table](**arguments)
    added = [
        one["snapshot"]["manifest-list"]
        for one in arguments["body"]["updates"]
        if one["action"] == "add-snapshot"
    ]
    for path in _files(handlers, arguments, "snap-*.avro"):
        if not any(named.endswith(path.name) for named in added):
            path.unlink()
    return reply
