"""Servers that purge some kinds of files alone, or need files that are gone."""

from __future__ import annotations

from functools import partial

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments
from mutants.iceberg_rest.operators.tables import Handlers, for_operation, metadata_path


def _leaving(pattern: str) -> Install:
    """A purge leaves the files of a table whose path matches."""

    def drop(handlers: Handlers, arguments: Arguments) -> Reply:
        if not arguments.get("purge_requested"):
            return handlers[op.drop_table](**arguments)
        folder = metadata_path(
            handlers, namespace=arguments["namespace"], table=arguments["table"]
        ).parent.parent
        left = {path: path.read_bytes() for path in folder.glob(pattern)}
        reply = handlers[op.drop_table](**arguments)
        for path, content in left.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return reply

    return for_operation(op.drop_table, drop)


@fault("IRC-TBL-REG-015", by=partial(for_operation, op.register_table))
def overwriting_reads_what_it_replaces(handlers: Handlers, arguments: Arguments) -> Reply:
    body = arguments["body"]
    if body.get("overwrite"):
        try:
            path = metadata_path(handlers, namespace=arguments["namespace"], table=body["name"])
        except Problem:
            return handlers[op.register_table](**arguments)
        if not path.exists():
            raise Problem(404, "NotFoundException", f"Location does not exist: {path}")
    return handlers[op.register_table](**arguments)


FAULTS = {
    "purges-leave-delete-files IRC-TBL-DROP-013": _leaving("data/*-deletes*"),
    "purges-leave-manifests IRC-TBL-DROP-013": _leaving("metadata/*.avro"),
    "purges-leave-data IRC-TBL-DROP-013": _leaving("data/*"),
}
