"""Faults of warehouses, separators, chains of views, and of what is new about planned scans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lakepact.reference_server.faults import Fault, on_answer, on_call, on_request, on_status
from lakepact.reference_server.iceberg_rest.faults.credentials import for_the_usual_place
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import json_reply

if TYPE_CHECKING:
    from lakepact.reference_server.faults import Install, Operations
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Scope

UNIT, OWN = b"%1F", b"%1E"
READING = ("loadNamespaceMetadata", "listTables")


def not_found_by(operations: Operations, separator: bytes) -> Install:
    """Find no namespaces whose levels are joined by this, as it stands in URLs."""

    def guard(scope: Scope) -> None:
        if separator in scope["raw_path"].upper() + b"?" + scope["query_string"].upper():
            raise Problem(404, "NoSuchNamespaceException", "Namespace does not exist")

    return on_request(operations, guard)


def separator_as_it_is(config: dict[str, Any]) -> None:
    """Announce the separator unencoded."""
    overrides = config["overrides"]
    if "namespace-separator" in overrides:
        overrides["namespace-separator"] = unquote(overrides["namespace-separator"])


def refused_through_views(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Refuse what is loaded through views."""
    if "referenced_by" in arguments:
        raise Problem(400, "BadRequestException", "query parameter referenced-by is not known")
    return handler(**arguments)


def without_id(plan: dict[str, Any]) -> None:
    """Leave out the id of a plan that is completed."""
    if plan.get("status") == "completed":
        plan.pop("plan-id", None)


def refused_with_least_rows(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Refuse a hint."""
    if "min-rows-requested" in (arguments.get("body") or {}):
        raise Problem(400, "BadRequestException", "at /min-rows-requested: unknown")
    return handler(**arguments)


def first_of_the_files(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Tell one file to who wants some rows."""
    reply = handler(**arguments)
    if not (arguments.get("body") or {}).get("min-rows-requested"):
        return reply
    document = reply.document
    document["file-scan-tasks"] = (document.get("file-scan-tasks") or [])[:1]
    return json_reply(document)


def as_if_nothing_was_deleted(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Tell as many files as hold the rows that are wanted, whatever is deleted of them."""
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


def plan_of_another_type(document: dict[str, Any]) -> None:
    """Call a plan that there is not a table."""
    document["error"]["type"] = "NoSuchTableException"


FAULTS = (
    Fault(
        "unknown-warehouses-are-bad-requests",
        "Asking for a warehouse that does not exist is answered with 400.",
        ("IRC-WHS-001",),
        on_status("getConfig", {404: 400}),
    ),
    Fault(
        "announced-separator-is-not-read",
        "Namespaces are not found in paths by the separator that the configuration names.",
        ("IRC-SEP-001",),
        not_found_by(READING, OWN),
    ),
    Fault(
        "only-the-announced-separator-is-read",
        "Namespaces are not found in paths by the byte 0x1F.",
        ("IRC-SEP-002",),
        not_found_by(READING, UNIT),
    ),
    Fault(
        "parents-by-the-announced-separator-alone",
        "Parents are not found by the byte 0x1F.",
        ("IRC-SEP-003",),
        not_found_by("listNamespaces", UNIT),
    ),
    Fault(
        "separator-is-announced-unencoded",
        "The override namespace-separator is not URL-encoded.",
        ("IRC-SEP-004",),
        on_answer("getConfig", separator_as_it_is),
    ),
    Fault(
        "chains-of-views-are-refused",
        "Tables cannot be loaded with referenced-by.",
        ("IRC-RBY-001",),
        on_call("loadTable", refused_through_views),
    ),
    Fault(
        "completed-plans-without-id",
        "A scan that is completed at once has no plan-id.",
        ("IRC-PLAN-001",),
        on_answer("planTableScan", without_id),
    ),
    Fault(
        "least-rows-are-one-file",
        "Planning a scan with min-rows-requested has one file, however few rows that has.",
        ("IRC-PLAN-002",),
        on_call("planTableScan", first_of_the_files),
    ),
    Fault(
        "least-rows-may-be-deleted",
        "Planning a scan with min-rows-requested counts rows that are deleted.",
        ("IRC-PLAN-002",),
        on_call("planTableScan", as_if_nothing_was_deleted),
    ),
    Fault(
        "registered-tables-have-usual-credentials",
        "The credentials of a registered table are for where it does not lie.",
        ("IRC-TBL-CRED-004",),
        on_answer("registerTable", for_the_usual_place),
    ),
    Fault(
        "least-rows-are-refused",
        "Planning a scan with min-rows-requested is answered with 400.",
        ("IRC-PLAN-002",),
        on_call("planTableScan", refused_with_least_rows),
    ),
    Fault(
        "unknown-plans-are-called-tables",
        "Cancelling a plan that does not exist is answered with NoSuchTableException.",
        ("IRC-PLAN-003",),
        on_answer("cancelPlanning", plan_of_another_type, status=404),
    ),
)
