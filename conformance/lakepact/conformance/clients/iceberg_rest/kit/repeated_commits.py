"""Commits that a client sends again after an answer that leaves their outcome unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance.evidence.outcome import NotOffered, Unmet
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from lakepact.conformance.clients.lab import Performance
    from lakepact.conformance.evidence.exchanges import Exchange

COMMITS = frozenset({op.update_table, op.commit_transaction, op.replace_view})
LOADS = frozenset({op.load_table, op.load_view})
KEY = "idempotency-key"  #: with the same one, a commit may be sent again


def key_of(exchange: Exchange) -> str | None:
    """Return the idempotency key of a request."""
    return next((value for name, value in exchange.request_headers if name.lower() == KEY), None)


def is_not_repeated(done: Performance, how: int | str, *, keys_are_kept: bool = True) -> None:
    """Expect that no commit is repeated before the table or view is loaded, except with an idempotency key.

    Raises:
        Unmet: one is.
        NotOffered: the client sent no commit.
    """
    if not done.of(*COMMITS):
        raise NotOffered("the client does not commit by updateTable, commitTransaction or replaceView")
    sent: set[bytes] = set()
    for exchange in done.of(*COMMITS, *LOADS):
        if exchange.operation in LOADS:
            sent.clear()
        elif exchange.request_body in sent and not (keys_are_kept and key_of(exchange)):
            raise Unmet(
                f"no second attempt at a commit before the table or view is loaded, when the answer to the first was: {how}",
                "the same commit again",
            )
        else:
            sent.add(exchange.request_body)
