"""Namespaces of several levels that one operation does not find, or finds those above instead."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import orjson

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_call
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR, identifier_key
from lakepact.reference_server.storage.store import Record
from mutants.iceberg_rest.operators.tables import store_of

NOT_FOUND = 404


def _missing(operation: OperationId, kind: str) -> Install:
    """Find nothing in namespaces of several levels."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        if SEPARATOR in arguments["namespace"]:
            raise Problem(NOT_FOUND, kind, "there is no such thing")
        return handler(**arguments)

    return on_call(operation, act)


def _inherited(handler: Handler, arguments: Arguments) -> Reply:
    """Look in the namespace above for what a namespace does not have."""
    try:
        return handler(**arguments)
    except Problem as problem:
        if problem.status != NOT_FOUND or SEPARATOR not in arguments["namespace"]:
            raise
    return handler(**{**arguments, "namespace": arguments["namespace"].rpartition(SEPARATOR)[0]})


def _rewritten(metadata: Document, namespace: list[str]) -> None:
    for version in metadata["versions"]:
        version["default-namespace"] = namespace


_TABLE, _VIEW, _NAMESPACE = (f"NoSuch{kind}Exception" for kind in ("Table", "View", "Namespace"))


@fault("IRC-VIEW-REN-001", by=partial(on_call, op.rename_view))
def moves_views_to_the_first_level(handler: Handler, arguments: Arguments) -> Reply:
    body = arguments["body"]
    destination = {**body["destination"], "namespace": body["destination"]["namespace"][:1]}
    return handler(**{**arguments, "body": {**body, "destination": destination}})


@fault("IRC-VIEW-REN-001")
def moved_views_are_of_their_home(service: Service) -> None:
    store, rename = store_of(service), service.handlers[op.rename_view]

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

    service.handlers[op.rename_view] = renamed


FAULTS = {
    "commits-to-no-deep-tables IRC-NS-ENC-001": _missing(op.update_table, _TABLE),
    "registers-no-deep-tables IRC-NS-ENC-001": _missing(op.register_table, _NAMESPACE),
    "no-credentials-of-deep-tables IRC-NS-ENC-001": _missing(op.load_credentials, _TABLE),
    "no-reports-of-deep-tables IRC-NS-ENC-001": _missing(op.report_metrics, _TABLE),
    "no-scans-of-deep-tables IRC-NS-ENC-001": _missing(op.plan_table_scan, _TABLE),
    "creates-no-deep-views IRC-NS-ENC-001": _missing(op.create_view, _NAMESPACE),
    "replaces-no-deep-views IRC-NS-ENC-001": _missing(op.replace_view, _VIEW),
    "loads-no-deep-views IRC-NS-ENC-001": _missing(op.load_view, _VIEW),
    "finds-no-deep-views IRC-VIEW-LOAD-005": _missing(op.view_exists, _VIEW),
    "drops-no-deep-views IRC-VIEW-LOAD-007": _missing(op.drop_view, _VIEW),
    "loads-views-of-parents IRC-VIEW-LOAD-002": on_call(op.load_view, _inherited),
    "finds-views-of-parents IRC-VIEW-LOAD-005": on_call(op.view_exists, _inherited),
    "drops-views-of-parents IRC-VIEW-LOAD-008": on_call(op.drop_view, _inherited),
    "drops-tables-of-parents IRC-TBL-DROP-002": on_call(op.drop_table, _inherited),
}
