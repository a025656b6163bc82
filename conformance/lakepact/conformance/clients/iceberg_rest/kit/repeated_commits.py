"""The commits of a client: their requirements and updates, and whether it repeats them."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from lakepact.conformance.clients.lab import Performance
from lakepact.conformance.evidence.exchanges import Document, Exchange
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.conformance.judging.expect import excerpt
from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op

READS = frozenset({"GET", "HEAD"})
COMMITS = frozenset({op.update_table, op.commit_transaction, op.replace_view})
LOADS = frozenset({op.load_table, op.load_view})
KEY = "idempotency-key"  #: with the same one, a commit may be sent again


def key_of(exchange: Exchange) -> str | None:
    """Return the idempotency key of a request."""
    return next(iter(exchange.request_values(KEY)), None)


def table_changes(exchange: Exchange) -> list[Document]:
    """Return the changes of tables in a commit, each with its requirements and updates."""
    body = orjson.loads(exchange.request_body)
    changes: list[Document] = body.get("table-changes", [body])
    return changes


def table_changes_of(performance: Performance) -> Iterator[Document]:
    """Yield each change of a table that a client sent in its commits."""
    for exchange in performance.of(*COMMITS):
        yield from table_changes(exchange)


def updates_of(performance: Performance, action: str) -> Iterator[Document]:
    """Yield the updates of one kind that a client sent in its commits."""
    for change in table_changes_of(performance):
        yield from (
            update for update in change.get("updates", ()) if update.get("action") == action
        )


def expect_guards(performance: Performance, action: str, *requirements: str) -> None:
    """Expect that each change with an update of this kind has one of these requirements.

    Raises:
        Unmet: one has none of them.
    """
    for change in table_changes_of(performance):
        required = [requirement.get("type") for requirement in change.get("requirements", ())]
        if any(update.get("action") == action for update in change.get("updates", ())) and not set(
            required
        ) & set(requirements):
            raise Unmet(f"{' or '.join(requirements)} in a commit with {action}", excerpt(required))


def expect_no_repeat(
    performance: Performance,
    how: int | str,
    *operations: OperationId,
    allow_keys: bool = True,
) -> None:
    """Expect that no request is repeated before a read shows its outcome, unless with an
    idempotency key.

    Args:
        performance: the task.
        how: the answer to the first request.
        operations: of the requests; by default commits.
        allow_keys: whether a request may be repeated with its key.

    Raises:
        Unmet: one is.
        NotOffered: the client sent none.
    """
    performance.require(*(operations or COMMITS))
    requests: set[tuple[str, bytes]] = set()
    for exchange in performance.exchanges:
        request = exchange.url, exchange.request_body
        # A load alone shows whether a commit was applied.
        if exchange.method in READS if operations else exchange.operation in LOADS:
            requests.clear()
        elif (
            exchange.operation in (operations or COMMITS)
            and request in requests
            and not (allow_keys and key_of(exchange))
        ):
            raise Unmet(
                f"no second {exchange.operation} before a read shows its outcome, when the answer"
                f" to the first was: {how}",
                "the same request again",
            )
        else:
            requests.add(request)
