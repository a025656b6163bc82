"""Changes whose answer the client does not get."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance.clients.iceberg_rest.kit.changes import changes
from lakepact.conformance.clients.iceberg_rest.kit.repeated_commits import key_of
from lakepact.conformance.clients.iceberg_rest.kit.scripts import answering, error
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.clients.listener import Answer
from lakepact.conformance.evidence.outcome import NotOffered, Unmet
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab
    from lakepact.conformance.clients.lab import Performance
    from lakepact.generated.contract import OperationId

#: Requests that are not idempotent; for commits there are requirements of their own.
CREATIONS = frozenset({op.create_namespace, op.create_table, op.register_table, op.rename_table, op.create_view, op.rename_view})
READS = frozenset({"GET", "HEAD"})
NO_ANSWER = Answer(0)
GATEWAY_ERRORS = {str(status): error(status) for status in (500, 502, 504)}


def _is_not_repeated(done: Performance, operation: OperationId, how: str) -> None:
    """Expect that no request for the operation is repeated before a GET or HEAD, except with an idempotency key."""
    sent: set[tuple[str, bytes]] = set()
    for exchange in done.exchanges:
        request = (exchange.url, exchange.request_body)
        if exchange.method in READS:
            sent.clear()
        elif exchange.operation == operation and request in sent and not key_of(exchange):
            raise Unmet(
                f"no second {operation} before another request shows its outcome, when the answer to the first was: {how}", "two requests"
            )
        else:
            sent.add(request)


def _is_not_reported_as_done(done: Performance, operation: OperationId) -> None:
    """Expect an error, or a later request that got an answer."""
    first = done.of(operation)[0].number
    if done.ended.is_done and not any(exchange.status for exchange in done.exchanges if exchange.number > first):
        raise Unmet(f"an error, or another request after {operation}, which got no answer", done.ended.outcome)


@check("IRC-CLI-056", "IRC-CLI-057")
def changes_without_an_answer(lab: CatalogClientLab) -> None:
    """A client does not report a change without an answer as done, and repeats no creation or rename before it has read something."""
    lost = _performances(lab, NO_ANSWER)
    if not lost:
        raise NotOffered("the client changes nothing")
    with lab.judge_each("IRC-CLI-057") as case:
        for operation, done in lost:
            with case():
                lab.show(done)
                _is_not_reported_as_done(done, operation)
    outcomes = {"the connection was closed without an answer": lost}
    outcomes |= {how: _performances(lab, answer, *CREATIONS) for how, answer in GATEWAY_ERRORS.items()}
    with lab.judge_each("IRC-CLI-056", without="the client creates and renames nothing") as case:
        for how, performances in outcomes.items():
            for operation, done in performances:
                if operation in CREATIONS:
                    with case():
                        lab.show(done)
                        _is_not_repeated(done, operation, how)


def _performances(lab: CatalogClientLab, answer: Answer, *only: OperationId) -> list[tuple[OperationId, Performance]]:
    """Return each change that the client makes, where it gets this answer; by default all changes."""
    found = []
    for operation, task, arguments, _ in changes(lab):
        if operation == op.report_metrics or (only and operation not in only):
            continue
        done = lab.tries(task, answering(operation, answer, is_done=True), **arguments)
        if done is not None and done.of(operation):
            found.append((operation, done))
    return found
