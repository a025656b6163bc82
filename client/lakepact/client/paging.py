"""Where a reader of a paged listing is."""

from __future__ import annotations

from lakepact.client.errors import BadReply, Failure


class Bookmark:
    """The place in one listing: the token to ask with next, None at the end.

    An empty token asks for the first page, and for pages at all.
    """

    def __init__(self, operation: str) -> None:
        self.token: str | None = ""
        self._operation = operation
        self._seen: set[str] = set()

    def turn(self, token: str | None) -> None:
        """Move to the page of `token`; absent, null and empty alike end the listing.

        Raises:
            BadReply: The server gave this token before: the listing would never end.
        """
        if token in self._seen:
            raise BadReply(Failure(operation=self._operation, message=f"the listing leads back to the page of token {token!r}"))
        self.token = token or None
        if token:
            self._seen.add(token)
