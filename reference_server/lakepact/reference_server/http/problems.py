"""Refusals: each is a `Problem`, which one function of a contract turns into an error body."""

from __future__ import annotations


class Problem(Exception):
    """A request that is refused.

    Args:
        status: HTTP status of the answer.
        kind: the contract's name of the error, `NoSuchTableException` for example.
        message: what was wrong, where, and what to do; it is sent to the caller.
        headers: further response headers.
    """

    def __init__(
        self, status: int, kind: str, message: str, *, headers: tuple[tuple[str, str], ...] = ()
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.headers = headers
