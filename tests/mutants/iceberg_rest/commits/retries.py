"""Servers that tell writers the wrong thing about conflicts."""

from __future__ import annotations

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_call
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.iceberg_rest.identifiers import bad_request
from mutants.iceberg_rest.operators.races import crowded

UNKNOWN_STATE = Reply(
    400,
    b'{"error":{"message":"the state of the commit is unknown","type":"CommitStateUnknownException","code":400}}',
)


@fault("IRC-UPD-091")
def stale_snapshots_are_bad_requests() -> Install:
    def act(handler: Handler, arguments: Arguments) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            if problem.status == 409 and "load the table" in problem.message:
                raise bad_request(problem.message) from None
            raise

    return on_call(op.update_table, act)


FAULTS = {
    "applied-commits-are-refused IRC-COM-033": crowded(first=None, others=UNKNOWN_STATE),
}
