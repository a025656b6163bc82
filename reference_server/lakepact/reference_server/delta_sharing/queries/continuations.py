"""Page tokens and refresh tokens of answers, and the state that they carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakepact.reference_server.delta_sharing.access.tokens import BadToken, Tokens
from lakepact.reference_server.delta_sharing.queries.queries import Query, Rules, malformed
from lakepact.reference_server.delta_sharing.queries.requests import Request
from lakepact.reference_server.delta_sharing.shares import Shares, fold

PAGE, REFRESH = "page of an answer", "refresh of an answer"  #: purposes of tokens


class Continuations:
    """Opens and makes the tokens of queries and changes.

    Args:
        tokens: what seals them.
        shares: for how long they hold, and how large pages may be.
        rules: the decisions.
    """

    def __init__(self, tokens: Tokens, shares: Shares, rules: Rules) -> None:
        self._tokens, self._shares, self._rules = tokens, shares, rules

    def content_of(self, request: Request, query: Query, *, operation: str) -> dict[str, Any]:
        """Return the content of a request's token; without one, the request's own state.

        Raises:
            Problem: 400, the token is forged, expired, or of another query.
        """
        for token, purpose, member in (
            (query.page_token, PAGE, "pageToken"),
            (query.refresh_token, REFRESH, "refreshToken"),
        ):
            if token is not None:
                try:
                    content = self._tokens.open(purpose, token, bound=_bound(request, operation))
                except BadToken as bad:
                    raise malformed(f"{member} cannot be used: {bad}") from None
                # As on the official server: its tokens of pages are bound to all parameters.
                parameters = self._rules.query_of_token(
                    query.parameters, content["asked"], member=member, whole=purpose == PAGE
                )
                return {**content, "asked": parameters}
        return {"asked": query.parameters}

    def page(self, request: Request, operation: str, **content: Any) -> str:
        """Return the token of the page that follows."""
        lasting = self._shares.page_seconds * 1000
        return self._tokens.seal(PAGE, content, bound=_bound(request, operation), lasting=lasting)

    def refresh(self, request: Request, operation: str, **content: Any) -> str:
        """Return the token with which the same files can be had again."""
        lasting = self._shares.refresh_seconds * 1000
        return self._tokens.seal(
            REFRESH, content, bound=_bound(request, operation), lasting=lasting
        )

    def most(self, query: Query, content: Mapping[str, Any]) -> int | None:
        """Return how many files an answer may hold, None for all."""
        limit = content.get("maxFiles") if query.max_files is None else query.max_files
        return None if limit is None else min(limit, self._shares.page_files)


def _bound(request: Request, operation: str) -> tuple[str, ...]:
    """Return the binding of a token: recipient, table and operation."""
    table = request.table
    return (
        operation,
        request.caller.recipient.name,
        *map(fold, (table.share, table.schema, table.name)),
        table.id,
    )
