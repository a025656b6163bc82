"""Servers that commit staged tables of some format versions alone."""

from __future__ import annotations

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_call
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.iceberg_rest.identifiers import bad_request

CREATES = {"type": "assert-create"}


@fault("IRC-TBL-STAGE-015")
def stages_start_at_version_two() -> Install:
    def act(handler: Handler, arguments: Arguments) -> Reply:
        body = arguments["body"]
        versions = [
            one["format-version"]
            for one in body["updates"]
            if one["action"] == "upgrade-format-version"
        ]
        if CREATES in body["requirements"] and versions == [1]:
            raise bad_request("Cannot downgrade v2 table to v1")
        return handler(**arguments)

    return on_call(op.update_table, act)


@fault("IRC-TBL-STAGE-015")
def stages_become_version_two() -> Install:
    def act(handler: Handler, arguments: Arguments) -> Reply:
        body = arguments["body"]
        if CREATES in body["requirements"]:
            two = {"action": "upgrade-format-version", "format-version": 2}
            updates = [two if one["action"] == two["action"] else one for one in body["updates"]]
            arguments = {**arguments, "body": {**body, "updates": updates}}
        return handler(**arguments)

    return on_call(op.update_table, act)
