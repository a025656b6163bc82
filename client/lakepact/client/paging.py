"""The position of a reader in a paged listing."""

from __future__ import annotations

from hashlib import sha256

from lakepact.client.errors import BadReply, Failure, LimitExceeded
from lakepact.client.limits import Limits

#: Items that a server is asked to put into one page: a listing of thousands takes few requests.
PAGE_SIZE = 1000
#: Pages without items that may follow one another.
_MOST_EMPTY = 1000


class Bookmark:
    """The place in one listing: the token to ask with next, None at the end.

    An empty token asks for the first page, and for pages at all.
    """

    def __init__(self, operation: str, limits: Limits | None = None) -> None:
        self.token: str | None = ""
        self._operation = operation
        self._most = (limits or Limits()).pages
        self._seen: set[bytes] = set()
        self._empty = 0

    def turn(self, token: str | None, *, items: int = 1) -> None:
        """Move to the page of `token`, after a page with so many items; absent, null and empty
        alike end the listing.

        Raises:
            BadReply: The listing would never end: the server gave this token before, or page after
                page without an item.
            LimitExceeded: It has more pages than allowed.
        """
        self._empty = 0 if items else self._empty + 1
        self.token = token or None
        if not token:
            return
        # Digests: a hostile server gives a token of megabytes with every page.
        mark = sha256(token.encode("utf-8", "surrogatepass")).digest()
        if mark in self._seen:
            raise BadReply(
                Failure(
                    operation=self._operation,
                    message=f"the listing leads back to the page of token {token[:100]!r}",
                )
            )
        if self._empty > _MOST_EMPTY:
            raise BadReply(
                Failure(
                    operation=self._operation,
                    message=f"the listing goes on after {_MOST_EMPTY} pages without an item",
                )
            )
        self._seen.add(mark)
        if len(self._seen) >= self._most:
            message = f"the listing goes on after {self._most} pages; Limits(pages=…) allows more"
            raise LimitExceeded(Failure(operation=self._operation, message=message))
