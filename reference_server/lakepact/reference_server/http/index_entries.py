"""The parts of the index page that each contract provides: its contents, and the lines that connect
clients.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

#: Answers a GET of a path with a query: returns the document. Raises `NotListed` for any status but
#: 200.
Ask = Callable[[str, Mapping[str, str]], Awaitable[dict[str, Any]]]

MOST_GROUPS = 50  #: groups of contents that the page shows
MOST_ENTRIES = 100  #: entries of a group that the page shows, of each kind


class NotListed(Exception):
    """A listing that its caller did not get.

    Args:
        status: status of the answer.
    """

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


@dataclass(frozen=True, slots=True)
class Group:
    """A namespace or schema with the names in it.

    Args:
        name: the name of the namespace or schema.
        entries: the names by kind, such as `tables`.
        is_whole: whether no further names were left out.
    """

    name: str
    entries: Mapping[str, tuple[str, ...]]
    is_whole: bool = True


class IndexEntries(Protocol):
    """The entries of a contract on the index page."""

    def contents(self, ask: Ask) -> AsyncIterator[Group]:
        """Yield the groups that the caller may see.

        Raises:
            NotListed: the caller may not list anything.
        """
        ...

    def clients(self, base: str) -> Mapping[str, str]:
        """Return the lines that connect each client to the base address of a server."""
        ...
