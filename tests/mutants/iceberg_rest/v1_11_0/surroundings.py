"""Faults of warehouses, separators, chains of views, and of what is new about planned scans."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import unquote

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Install,
    Operations,
    fault,
    on_answer,
    on_call,
    on_request,
    on_status,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope
from mutants.iceberg_rest.access.vended_credentials import for_the_usual_place
from mutants.operators import refuse_calls

UNIT, OWN = b"%1F", b"%1E"
READING = (op.load_namespace_metadata, op.list_tables)


def not_found_by(operations: Operations, separator: bytes) -> Install:
    """Find no namespaces whose levels are joined by this, as it stands in URLs."""

    def guard(scope: Scope) -> None:
        if separator in scope["raw_path"].upper() + b"?" + scope["query_string"].upper():
            raise Problem(404, "NoSuchNamespaceException", "Namespace does not exist")

    return on_request(operations, guard)


@fault("IRC-SEP-004", by=partial(on_answer, op.get_config))
def separator_is_announced_unencoded(config: dict[str, Any]) -> None:
    overrides = config["overrides"]
    if "namespace-separator" in overrides:
        overrides["namespace-separator"] = unquote(overrides["namespace-separator"])


@fault("IRC-PLAN-001", by=partial(on_answer, op.plan_table_scan))
def completed_plans_without_id(plan: dict[str, Any]) -> None:
    if plan.get("status") == "completed":
        plan.pop("plan-id", None)


@fault("IRC-PLAN-002", by=partial(on_call, op.plan_table_scan))
def least_rows_are_one_file(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments)
    if not (arguments.get("body") or {}).get("min-rows-requested"):
        return reply
    document = reply.document
    document["file-scan-tasks"] = (document.get("file-scan-tasks") or [])[:1]
    return json_reply(document)


@fault("IRC-PLAN-002", by=partial(on_call, op.plan_table_scan))
def least_rows_may_be_deleted(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments)
    least = (arguments.get("body") or {}).get("min-rows-requested")
    if least is None:
        return reply
    document, kept, rows = reply.document, list[Any](), 0
    for task in document.get("file-scan-tasks") or []:
        if rows < least:
            kept.append(task)
            rows += task["data-file"]["record-count"]
    document["file-scan-tasks"] = kept
    return json_reply(document)


FAULTS = {
    "chains-of-views-are-refused IRC-RBY-001": refuse_calls(
        op.load_table,
        lambda arguments: "referenced_by" in arguments,
        Problem(400, "BadRequestException", "query parameter referenced-by is not known"),
    ),
    "least-rows-are-refused IRC-PLAN-002": refuse_calls(
        op.plan_table_scan,
        lambda arguments: "min-rows-requested" in (arguments.get("body") or {}),
        Problem(400, "BadRequestException", "at /min-rows-requested: unknown"),
    ),
    "unknown-warehouses-are-bad-requests IRC-WHS-001": on_status(op.get_config, {404: 400}),
    "announced-separator-is-not-read IRC-SEP-001": not_found_by(READING, OWN),
    "only-the-announced-separator-is-read IRC-SEP-002": not_found_by(READING, UNIT),
    "parents-by-the-announced-separator-alone IRC-SEP-003": not_found_by(op.list_namespaces, UNIT),
    "registered-tables-have-usual-credentials IRC-TBL-CRED-004": on_answer(
        op.register_table, for_the_usual_place
    ),
    "unknown-plans-are-called-tables IRC-PLAN-003": on_answer(
        op.cancel_planning,
        lambda document: document["error"].update(type="NoSuchTableException"),
        status=404,
    ),
}
