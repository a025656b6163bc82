"""Where a reader of a paged listing is."""

from __future__ import annotations

from lakepact.client.errors import BadReply, Failure

#: Pages without items that may follow one another.
_MOST_EMPTY = 1000


class Bookmark:
    """The place in one listing: the token to ask with next, None at the end.

    An empty token asks for the first page, and for pages at all.
    """

    def __init__(self, operation: str) -> None:
        self.token: str | None = ""
        self._operation = operation
        self._seen: set[str] = set()
        self._empty = 0

    def turn(self, token: str | None, *, items: int = 1) -> None:
        """Move to the page of `token`, after a page with so many items; absent, null and empty alike end the listing.

        Raises:
            BadReply: The listing would never end: the server gave this token before, or page after page without an item.
        """
        if token in self._seen:
            raise BadReply(Failure(operation=self._operation, message=f"the listing leads back to the page of token {token!r}"))
        self._empty = 0 if items else self._empty + 1
        if token and self._empty > _MOST_EMPTY:
            raise BadReply(Failure(operation=self._operation, message=f"the listing goes on after {_MOST_EMPTY} pages without an item"))
        self.token = token or None
        if token:
            self._seen.add(token)
