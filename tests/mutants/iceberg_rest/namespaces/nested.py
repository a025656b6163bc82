"""Namespaces of several levels that one operation does not find, or finds those above instead."""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_call
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR, identifier_key
from lakepact.reference_server.storage.store import Record
from mutants.iceberg_rest.operators.tables import store_of

if TYPE_CHECKING:
    from lakepact.generated.contract import OperationId
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Handler, Service

NOT_FOUND = 404


def _missing(operation: OperationId, kind: str) -> Install:
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


def _rewritten(metadata: Document, namespace: list[str]) -> None:
    for version in metadata["versions"]:
        version["default-namespace"] = namespace


_TABLE, _VIEW, _NAMESPACE = (f"NoSuch{kind}Exception" for kind in ("Table", "View", "Namespace"))


@fault("IRC-NS-ENC-001")
def commits_to_no_deep_tables() -> Install:
    """Tables two levels deep take no commits."""
    return _missing(op.update_table, _TABLE)


@fault("IRC-NS-ENC-001")
def registers_no_deep_tables() -> Install:
    """No table is registered two levels deep."""
    return _missing(op.register_table, _NAMESPACE)


@fault("IRC-NS-ENC-001")
def no_credentials_of_deep_tables() -> Install:
    """Tables two levels deep have no credentials."""
    return _missing(op.load_credentials, _TABLE)


@fault("IRC-NS-ENC-001")
def no_reports_of_deep_tables() -> Install:
    """Tables two levels deep are not reported on."""
    return _missing(op.report_metrics, _TABLE)


@fault("IRC-NS-ENC-001")
def no_scans_of_deep_tables() -> Install:
    """Tables two levels deep are not planned."""
    return _missing(op.plan_table_scan, _TABLE)


@fault("IRC-NS-ENC-001")
def creates_no_deep_views() -> Install:
    """No view is created two levels deep."""
    return _missing(op.create_view, _NAMESPACE)


@fault("IRC-NS-ENC-001")
def replaces_no_deep_views() -> Install:
    """No view is replaced two levels deep."""
    return _missing(op.replace_view, _VIEW)


@fault("IRC-NS-ENC-001")
def loads_no_deep_views() -> Install:
    """No view is loaded two levels deep."""
    return _missing(op.load_view, _VIEW)


@fault("IRC-VIEW-LOAD-005")
def finds_no_deep_views() -> Install:
    """Views two levels deep do not exist."""
    return _missing(op.view_exists, _VIEW)


@fault("IRC-VIEW-LOAD-007")
def drops_no_deep_views() -> Install:
    """No view is dropped two levels deep."""
    return _missing(op.drop_view, _VIEW)


@fault("IRC-VIEW-LOAD-002")
def loads_views_of_parents() -> Install:
    """Views are loaded below their namespace."""
    return on_call(op.load_view, _inherited)


@fault("IRC-VIEW-LOAD-005")
def finds_views_of_parents() -> Install:
    """Views exist below their namespace."""
    return on_call(op.view_exists, _inherited)


@fault("IRC-VIEW-LOAD-008")
def drops_views_of_parents() -> Install:
    """Views are dropped below their namespace."""
    return on_call(op.drop_view, _inherited)


@fault("IRC-TBL-DROP-002")
def drops_tables_of_parents() -> Install:
    """Tables are dropped below their namespace."""
    return on_call(op.drop_table, _inherited)


@fault("IRC-VIEW-REN-001", by=partial(on_call, op.rename_view))
def moves_views_to_the_first_level(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Views move to the first level of a namespace."""
    body = arguments["body"]
    destination = {**body["destination"], "namespace": body["destination"]["namespace"][:1]}
    return handler(**{**arguments, "body": {**body, "destination": destination}})


@fault("IRC-VIEW-REN-001")
def moved_views_are_of_their_home(service: Service) -> None:
    """Views that move forget their default namespace."""
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
