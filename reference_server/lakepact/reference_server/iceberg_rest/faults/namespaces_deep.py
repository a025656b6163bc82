"""Namespaces of several levels that one operation does not find, or finds those above instead."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.reference_server.faults import Fault, Install, on_call
from lakepact.reference_server.iceberg_rest.catalog import SEPARATOR, identifier_key
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.store import Record

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Service

NOT_FOUND = 404


def _missing(operation: str, kind: str) -> Install:
    """Find nothing in namespaces of several levels."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if SEPARATOR in arguments["namespace"]:
            raise Problem(NOT_FOUND, kind, "there is no such thing")
        return handler(**arguments)

    return on_call(operation, act)


def _inherited(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Look in the namespace above for what a namespace does not have."""
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status != NOT_FOUND or SEPARATOR not in arguments["namespace"]:
            raise
    return handler(**{**arguments, "namespace": arguments["namespace"].rpartition(SEPARATOR)[0]})


def _to_the_first_level(handler: Handler, arguments: dict[str, Any]) -> Reply:
    body = arguments["body"]
    destination = {**body["destination"], "namespace": body["destination"]["namespace"][:1]}
    return handler(**{**arguments, "body": {**body, "destination": destination}})


def _rewritten(metadata: Document, namespace: list[str]) -> None:
    for version in metadata["versions"]:
        version["default-namespace"] = namespace


def _moved_views_are_of_their_home(service: Service) -> None:
    """Views that are renamed into another namespace have that one as their default namespace."""
    store, rename = service.lends["catalog"].store, service.handlers["renameView"]

    def renamed(**arguments: Any) -> Reply:
        reply: Reply = rename(**arguments)
        source, destination = arguments["body"]["source"], arguments["body"]["destination"]
        if source["namespace"] != destination["namespace"]:
            with store.begin() as transaction:
                key = identifier_key(destination["namespace"], destination["name"])
                document = copy.deepcopy(transaction.get(key).document)
                _rewritten(document["metadata"], destination["namespace"])
                transaction.put(key, Record("view", document, orjson.dumps(document)))
        return reply

    service.handlers["renameView"] = renamed


_TABLE, _VIEW, _NAMESPACE = (f"NoSuch{kind}Exception" for kind in ("Table", "View", "Namespace"))

FAULTS = (
    Fault("commits-to-no-deep-tables", "Tables two levels deep take no commits.", ("IRC-NS-ENC-001",), _missing("updateTable", _TABLE)),
    Fault(
        "registers-no-deep-tables", "No table is registered two levels deep.", ("IRC-NS-ENC-001",), _missing("registerTable", _NAMESPACE)
    ),
    Fault(
        "no-credentials-of-deep-tables",
        "Tables two levels deep have no credentials.",
        ("IRC-NS-ENC-001",),
        _missing("loadCredentials", _TABLE),
    ),
    Fault(
        "no-reports-of-deep-tables", "Tables two levels deep are not reported on.", ("IRC-NS-ENC-001",), _missing("reportMetrics", _TABLE)
    ),
    Fault("no-scans-of-deep-tables", "Tables two levels deep are not planned.", ("IRC-NS-ENC-001",), _missing("planTableScan", _TABLE)),
    Fault("creates-no-deep-views", "No view is created two levels deep.", ("IRC-NS-ENC-001",), _missing("createView", _NAMESPACE)),
    Fault("replaces-no-deep-views", "No view is replaced two levels deep.", ("IRC-NS-ENC-001",), _missing("replaceView", _VIEW)),
    Fault("loads-no-deep-views", "No view is loaded two levels deep.", ("IRC-NS-ENC-001",), _missing("loadView", _VIEW)),
    Fault("finds-no-deep-views", "Views two levels deep do not exist.", ("IRC-VIEW-LOAD-005",), _missing("viewExists", _VIEW)),
    Fault("drops-no-deep-views", "No view is dropped two levels deep.", ("IRC-VIEW-LOAD-007",), _missing("dropView", _VIEW)),
    Fault("loads-views-of-parents", "Views are loaded below their namespace.", ("IRC-VIEW-LOAD-002",), on_call("loadView", _inherited)),
    Fault("finds-views-of-parents", "Views exist below their namespace.", ("IRC-VIEW-LOAD-005",), on_call("viewExists", _inherited)),
    Fault("drops-views-of-parents", "Views are dropped below their namespace.", ("IRC-VIEW-LOAD-008",), on_call("dropView", _inherited)),
    Fault("drops-tables-of-parents", "Tables are dropped below their namespace.", ("IRC-TBL-DROP-002",), on_call("dropTable", _inherited)),
    Fault(
        "moves-views-to-the-first-level",
        "Views move to the first level of a namespace.",
        ("IRC-VIEW-REN-001",),
        on_call("renameView", _to_the_first_level),
    ),
    Fault(
        "moved-views-are-of-their-home",
        "Views that move forget their default namespace.",
        ("IRC-VIEW-REN-001",),
        _moved_views_are_of_their_home,
    ),
)
