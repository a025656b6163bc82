"""Requests for what is not there, which tell an operation that is served from one that is not."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from lakepact.conformance.outcome import Blocked, NotOffered, Unmet
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab
    from lakepact.conformance.exchanges import Exchange, Reply
    from lakepact.generated.contract import OperationId

#: A table that is not there, as it stands in bodies.
NOWHERE = {"namespace": ["lakepact_nowhere"], "name": "nothing"}

#: Operations whose answer to something that is not there tells a served route from a missing one.
PROBES: dict[OperationId, dict[str, Any]] = {
    op.list_namespaces: {},
    op.load_namespace_metadata: {},
    op.namespace_exists: {},
    op.drop_namespace: {},
    op.list_tables: {},
    op.load_table: {},
    op.table_exists: {},
    op.drop_table: {},
    op.create_namespace: {"body": {"namespace": [""]}},
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
    op.commit_transaction: {"body": {"table-changes": [{"identifier": NOWHERE, "requirements": [], "updates": []}]}},
    op.plan_table_scan: {"body": {}},
    op.fetch_planning_result: {},
    op.cancel_planning: {},
    op.fetch_scan_tasks: {"body": {}},
}

NOT_IMPLEMENTED = 501
NOT_FOUND = 404

#: Statuses of a route that does not exist or is not implemented.
ELSEWHERE = frozenset({405, 406, NOT_IMPLEMENTED})

#: Probes of what is there, where the answer about what is not there may be a router's: those that remove it come last.
PROBES_OF_WHAT_IS_THERE = (
    op.update_table,
    op.report_metrics,
    op.register_table,
    op.update_properties,
    op.rename_table,
    op.drop_table,
    op.drop_namespace,
)


def names_what_was_asked_for(message: Any, exchange: Exchange) -> bool:
    """Return whether a message names something that a probe asked for, other than by repeating the path, however that is spelled."""
    segments = exchange.url.partition("?")[0].split("/")
    names = [*NOWHERE["namespace"], *(segment for segment in segments if segment.startswith("lp_"))]
    path = urlsplit(exchange.url).path
    text = str(message)
    for repeated in (exchange.url, path, unquote(path)):
        text = text.replace(repeated, "")
    return any(name in text for name in names)


def is_served(lab: CatalogLab, operation: OperationId, reply: Reply) -> bool:
    """Return whether the answer to a probe comes from the operation rather than from a router that has no such route."""
    if reply.status in ELSEWHERE:
        return False
    if reply.status != NOT_FOUND:
        return True
    if lab.contract.operations[operation].method == "HEAD":
        return True
    error = reply.exchange.parsed.get("error") if isinstance(reply.exchange.parsed, dict) else None
    kind = str(error.get("type", "")) if isinstance(error, dict) else ""
    # A router knows nothing of names: what says one of those that were asked for, however it calls the error, looked for it.
    return kind.startswith("NoSuch") or (isinstance(error, dict) and names_what_was_asked_for(error.get("message"), reply.exchange))


def unserved(lab: CatalogLab, operations: Iterable[OperationId]) -> frozenset[str]:
    """Return those of the operations that the target does not implement: it says so, or does not find them even for what is there."""
    missing = lab.name()
    values: dict[str, Any] = {"namespace": (lab.name(),), "table": missing, "view": missing, "plan_id": missing}
    found, doubted = set(), set()
    for operation in sorted(operations):
        probe = PROBES.get(operation)
        if probe is None:
            continue
        with contextlib.suppress(Blocked):  # who does not answer says nothing
            reply = lab.send(operation, **probe, **values)
            if reply.status == NOT_IMPLEMENTED:
                found.add(operation)
            elif not is_served(lab, operation, reply):
                doubted.add(operation)
    return frozenset(found | _not_found(lab, doubted))


def _not_found(lab: CatalogLab, doubted: set[OperationId]) -> set[OperationId]:
    """Return those of the operations that are not found for a namespace and a table that are there."""
    found = set()
    with contextlib.suppress(Blocked, NotOffered, Unmet):
        table = lab.make_table() if doubted & {*PROBES_OF_WHAT_IS_THERE} else None
        for operation in PROBES_OF_WHAT_IS_THERE:
            if table is None or operation not in doubted:
                continue
            renaming = {"source": table.identifier, "destination": {**table.identifier, "name": lab.name()}}
            probe = {"body": renaming} if operation == op.rename_table else PROBES[operation]
            if not is_served(lab, operation, lab.send(operation, **probe, **table.at)):
                found.add(operation)
    lab.clean_up()
    return found
