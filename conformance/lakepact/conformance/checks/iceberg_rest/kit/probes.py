"""Harmless requests about names that do not exist: their answers show whether the server implements
an operation.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any
from urllib.parse import unquote, urlsplit

from lakepact.conformance.evidence.exchanges import Document, Exchange
from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op

#: The identifier of a table that does not exist.
NOWHERE = {"namespace": ["lakepactnowhere"], "name": "nothing"}

#: Requests about missing objects, whose answers tell a served route from a missing one.
PROBES: dict[OperationId, Document] = {
    op.list_namespaces: {},
    op.load_namespace_metadata: {},
    op.namespace_exists: {},
    op.drop_namespace: {},
    op.list_tables: {},
    op.load_table: {},
    op.table_exists: {},
    op.drop_table: {},
    # A lenient server cannot create a namespace from an array.
    op.create_namespace: {"body": []},
    op.update_properties: {"body": {"removals": [], "updates": {}}},
    op.create_table: {"body": {}},
    op.update_table: {"body": {"requirements": [], "updates": []}},
    op.register_table: {"body": {}},
    op.rename_table: {"body": {"source": NOWHERE, "destination": {**NOWHERE, "name": "anything"}}},
    op.list_views: {},
    op.load_view: {},
    op.view_exists: {},
    op.drop_view: {},
    op.create_view: {"body": {}},
    op.replace_view: {"body": {}},
    op.rename_view: {"body": {"source": NOWHERE, "destination": {**NOWHERE, "name": "anything"}}},
    op.load_credentials: {},
    op.report_metrics: {"body": {}},
    op.commit_transaction: {
        "body": {"table-changes": [{"identifier": NOWHERE, "requirements": [], "updates": []}]}
    },
    op.plan_table_scan: {"body": {}},
    op.fetch_planning_result: {},
    op.cancel_planning: {},
    op.fetch_scan_tasks: {"body": {}},
    op.register_view: {"body": {}},
}


#: Statuses of a route that does not exist or is not implemented.
NOT_SERVED = frozenset({404, 405, 406, 501})

#: Statuses of a server that cannot answer this caller now, whatever the operation.
NOT_NOW = frozenset({401, 403, 419, 429, 502, 503, 504})

PATH_LIKE = re.compile(r"\S*/\S*")
METHODS = re.compile(r"\b(GET|HEAD|POST|DELETE)\b", re.IGNORECASE)


class Answer(StrEnum):
    """The evidence that one answer gives about its operation."""

    SERVED = "served"
    ABSENT = "absent"
    UNCLEAR = "unclear"


def names_probe_target(message: Any, exchange: Exchange) -> bool:
    """Return whether a message names the object of a probe, other than by repeating the path."""
    segments = exchange.url.partition("?")[0].split("/")
    names = [*NOWHERE["namespace"], *(segment for segment in segments if segment.startswith("lp"))]
    path = urlsplit(exchange.url).path
    text = str(message)
    for echo in (exchange.url, path, unquote(path)):
        text = text.replace(echo, "")
    return any(name in text for name in names)


def error_of(exchange: Exchange) -> Document | None:
    """Return the `error` object of the contract's error body, or `None` if the answer has no such
    body.
    """
    error = exchange.json.get("error") if isinstance(exchange.json, dict) else None
    return error if isinstance(error, dict) else None


def finds_nothing(exchange: Exchange) -> bool:
    """Return whether a 404 comes from an operation that looked for the object, rather than from a
    router.
    """
    error = error_of(exchange)
    # A router knows no names: an error that contains a requested name comes from an operation,
    # whatever its type is.
    return error is not None and (
        str(error.get("type", "")).startswith("NoSuch")
        or names_probe_target(error.get("message"), exchange)
    )


def classify_answer(exchange: Exchange, router: Exchange | None) -> Answer:
    """Return the evidence of the answer to a probe.

    Args:
        exchange: the probe with its answer.
        router: a request of the same method for a route that no version of the contract has, if it
            was answered.
    """
    same = router is not None and _form(exchange) == _form(router)
    if exchange.status in NOT_NOW:
        return Answer.UNCLEAR
    if exchange.status == 404 and (exchange.method == "HEAD" or finds_nothing(exchange)):
        return (
            Answer.UNCLEAR
            if same or (router is None and exchange.method == "HEAD")
            else Answer.SERVED
        )
    if exchange.status in NOT_SERVED:
        return Answer.ABSENT
    if not same:
        return Answer.SERVED
    # An operation may refuse a body like any other; only a router repeats the path.
    is_router = exchange.method == "HEAD" or PATH_LIKE.search(
        str((error_of(exchange) or {}).get("message"))
    )
    return Answer.ABSENT if is_router and 400 <= exchange.status < 500 else Answer.UNCLEAR


def proves(exchange: Exchange) -> bool:
    """Return whether an answer that shows an operation as served suffices, even if the server does
    not declare the operation.
    """
    return exchange.status < 500 or error_of(exchange) is not None


def _form(exchange: Exchange) -> tuple[Any, ...]:
    """Return an answer without path and method, by which answers of one router are equal."""
    error = error_of(exchange) or {}
    message = METHODS.sub("", PATH_LIKE.sub("", str(error.get("message"))))
    for name in {
        segment for segment in exchange.url.partition("?")[0].split("/") if segment.startswith("lp")
    }:
        message = message.replace(name, "")
    return exchange.status, exchange.media_type, str(error.get("type")), message.split()
