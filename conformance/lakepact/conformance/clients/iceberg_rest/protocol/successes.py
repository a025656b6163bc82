"""Changes that succeed: the client reports them as done, and requests each once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.conformance.clients.iceberg_rest.kit.lab import VIEW_SQL, path_of
from lakepact.conformance.clients.iceberg_rest.kit.scripts import answering, error
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.evidence.outcome import Blocked, NotOffered, Unmet
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab
    from lakepact.conformance.clients.lab import Performance
    from lakepact.conformance.clients.listener import Answer
    from lakepact.conformance.clients.scripted_server import Forward, Request
    from lakepact.generated.contract import OperationId

UPDATES = {"lakepact.note": "1"}
REFUSALS = (error(403, "ForbiddenException"), error(500, "InternalServerError"))
#: Operations whose success status is 204.
EMPTY = frozenset({op.drop_table, op.rename_table, op.drop_namespace, op.drop_view, op.rename_view})


def changes(lab: CatalogClientLab) -> list[tuple[OperationId, str, dict[str, Any]]]:
    """Return independent tasks that change something, and the operation of each."""
    home, empty = lab.namespace(*"abcdefgh"), lab.namespace()
    for view in ("dropped", "named", "replaced"):
        lab.view(home, view)
    metadata = lab.stored(home, "h")["metadata-location"]
    lab.server.ask("DELETE", f"{path_of(home)}/tables/h")
    where = {"namespace": home}
    return [
        (op.create_namespace, "create-namespace", {"namespace": [lab.name()]}),
        (op.update_properties, "set-namespace-properties", {**where, "updates": UPDATES, "removals": ["absent"]}),
        (op.drop_namespace, "drop-namespace", {"namespace": empty}),
        (op.create_table, "create-table", {**where, "table": "made"}),
        (op.update_table, "set-properties", {**where, "table": "a", "updates": UPDATES}),
        (op.update_table, "add-column", {**where, "table": "b", "column": "added"}),
        (op.update_table, "append-rows", {**where, "table": "c", "rows": [{"id": 1, "data": "a"}]}),
        (op.commit_transaction, "commit-transaction", {**where, "tables": ["d", "e"], "updates": UPDATES}),
        (op.rename_table, "rename-table", {**where, "table": "f", "to": "renamed"}),
        (op.drop_table, "drop-table", {**where, "table": "g"}),
        (op.report_metrics, "report-metrics", {**where, "table": "a"}),
        (op.register_table, "register-table", {**where, "table": "registered", "metadata-location": metadata}),
        (op.create_view, "create-view", {**where, "view": "made_view", "sql": VIEW_SQL}),
        (op.drop_view, "drop-view", {**where, "view": "dropped"}),
        (op.rename_view, "rename-view", {**where, "view": "named", "to": "renamed_view"}),
        (op.replace_view, "replace-view", {**where, "view": "replaced", "sql": "SELECT 2 AS id"}),
    ]


def _done_once(done: Performance, operation: OperationId) -> None:
    """Expect that the client reports a successful operation as done, and does not repeat its request.

    Raises:
        Blocked: the operation did not succeed.
    """
    answers = done.of(operation)
    succeeded = [exchange for exchange in answers if 200 <= exchange.status < 300]
    if not succeeded:
        raise Blocked(f"{operation} did not succeed: {done.ended.shown}")
    first = succeeded[0]
    repeated = [e for e in answers if (e.url, e.request_body) == (first.url, first.request_body) and e.number > first.number]
    if repeated:
        raise Unmet(f"one request for {operation}, which returned {first.status}", f"{1 + len(repeated)} requests")
    if not done.ended.is_done:
        raise Unmet(f"{done.ended.task} to succeed, since {operation} returned {first.status}", done.ended.shown)


@check("IRC-CLI-017")
def successes_are_reported(lab: CatalogClientLab) -> None:
    """A client reports each successful change as done and requests it once."""
    failed = ""
    judged = 0
    with lab.judge_each("IRC-CLI-017") as case:
        for operation, task, arguments in changes(lab):
            done = lab.tries(task, **arguments)
            if done is None or not done.of(operation):
                continue
            if not any(exchange.status < 300 for exchange in done.of(operation)):
                failed = failed or done.ended.shown
                continue
            judged += 1
            with case():
                _done_once(done, operation)
    if failed:
        raise Blocked(f"an unchanged server refused a change: {failed}")
    if not judged:
        raise NotOffered("the client changes nothing")


def with_200(request: Request, forward: Forward) -> Answer:
    """Answer as a catalog that returns 200 with an empty object where the contract has 204."""
    answer = forward(request)
    return replace(answer, status=200, body=b"{}") if request.operation in EMPTY and answer.status == 204 else answer


@check("IRC-CLI-016")
def other_successes(lab: CatalogClientLab) -> None:
    """A client reports a rename or drop that returns 200 instead of 204 as done, and requests it once."""
    home = lab.namespace("t", "u")
    tasks: list[tuple[OperationId, str, dict[str, Any]]] = [
        (op.rename_table, "rename-table", {"table": "t", "to": "renamed"}),
        (op.drop_table, "drop-table", {"table": "u"}),
    ]
    judged = 0
    with lab.judge_each("IRC-CLI-016") as case:
        for operation, task, arguments in tasks:
            done = lab.tries(task, with_200, namespace=home, **arguments)
            if done is not None and done.of(operation):
                judged += 1
                with case():
                    _done_once(done, operation)
    if not judged:
        raise NotOffered("the client neither renames nor drops tables")


@check("IRC-CLI-003")
def refused_changes(lab: CatalogClientLab) -> None:
    """A client reports an error for a change that returns 403 or 500."""
    judged = 0
    with lab.judge_each("IRC-CLI-003") as case:
        for operation, task, arguments in changes(lab):
            for answer in REFUSALS if operation != op.report_metrics else ():
                done = lab.tries(task, answering(operation, answer), **arguments)
                if done is None or not done.of(operation):
                    break
                judged += 1
                with case():
                    done.is_refused(f"{operation} was answered with {answer.status}")
    if not judged:
        raise NotOffered("the client changes nothing")
