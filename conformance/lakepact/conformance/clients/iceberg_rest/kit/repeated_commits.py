"""The commits of a client: their requirements and updates, and whether it repeats them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from lakepact.conformance.clients.lab import Performance
from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.conformance.judging.expect import shown
from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op

READS = frozenset({"GET", "HEAD"})
COMMITS = frozenset({op.update_table, op.commit_transaction, op.replace_view})
LOADS = frozenset({op.load_table, op.load_view})
KEY = "idempotency-key"  #: with the same one, a commit may be sent again


def key_of(exchange: Exchange) -> str | None:
    """Return the idempotency key of a request."""
    return next(iter(exchange.sent(KEY)), None)


def table_changes(exchange: Exchange) -> list[dict[str, Any]]:
    """Return the changes of tables in a commit, each with its requirements and updates."""
    body = orjson.loads(exchange.request_body)
    changes: list[dict[str, Any]] = body.get("table-changes", [body])
    return changes


def table_changes_of(done: Performance) -> Iterator[dict[str, Any]]:
    """Yield each change of a table that a client sent in its commits."""
    for exchange in done.of(*COMMITS):
        yield from table_changes(exchange)


def updates_of(done: Performance, action: str) -> Iterator[dict[str, Any]]:
    """Yield the updates of one kind that a client sent in its commits."""
    for change in table_changes_of(done):
        yield from (
            update for update in change.get("updates", ()) if update.get("action") == action
        )


def is_guarded(done: Performance, action: str, *requirements: str) -> None:
    """Expect that each change with an update of this kind has one of these requirements.

    Raises:
        Unmet: one has none of them.
    """
    for change in table_changes_of(done):
        required = [one.get("type") for one in change.get("requirements", ())]
        if any(update.get("action") == action for update in change.get("updates", ())) and not set(
            required
        ) & set(requirements):
            raise Unmet(f"{' or '.join(requirements)} in a commit with {action}", shown(required))


def is_not_repeated(
    done: Performance,
    how: int | str,
    *operations: OperationId,
    keys_are_kept: bool = True,
) -> None:
    """Expect that no request is repeated before a read shows its outcome, unless with an
    idempotency key.

    Args:
        done: the task.
        how: the answer to the first request.
        operations: of the requests; by default commits.
        keys_are_kept: whether a request may be repeated with its key.

    Raises:
        Unmet: one is.
        NotOffered: the client sent none.
    """
    done.require(*(operations or COMMITS))
    sent: set[tuple[str, bytes]] = set()
    for exchange in done.exchanges:
        request = exchange.url, exchange.request_body
        # A load alone shows whether a commit was applied.
        if exchange.method in READS if operations else exchange.operation in LOADS:
            sent.clear()
        elif (
            exchange.operation in (operations or COMMITS)
            and request in sent
            and not (keys_are_kept and key_of(exchange))
        ):
            raise Unmet(
                f"no second {exchange.operation} before a read shows its outcome, when the answer"
                f" to the first was: {how}",
                "the same request again",
            )
        else:
            sent.add(request)
