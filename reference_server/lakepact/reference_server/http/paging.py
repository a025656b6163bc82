"""Listings in pages: a token holds the last name of a page, so that pages stay right while other
clients create and drop.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")

DEFAULT_SIZE = 100  #: items of a page when the caller asks for pages, but not for a size
LARGEST_SIZE = 2**31 - 1  #: of a page; a larger size counts as this one
_SEAL = 8  # bytes that bind a token to its listing


class BadToken(ValueError):
    """A page token was not made by this listing."""


def token(listing: str, name: str) -> str:
    """Return the token of the page that begins behind `name`."""
    return base64.urlsafe_b64encode(_seal(listing, name) + name.encode()).decode().rstrip("=")


def name_in_token(listing: str, text: str) -> str:
    """Return the name behind which the page of a token begins.

    Raises:
        BadToken: the token is not one of this listing.
    """
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        name = raw[_SEAL:].decode()
    except (ValueError, binascii.Error):
        raise BadToken(f"{text[:100]!r} is not a page token of this listing") from None
    if raw[:_SEAL] != _seal(listing, name):
        raise BadToken(f"{text[:100]!r} is not a page token of this listing")
    return name


def page(
    records: Callable[[str | None], Iterator[tuple[str, Item]]],
    listing: str,
    *,
    after: str | None,
    size: int | None,
) -> tuple[list[tuple[str, Item]], str | None]:
    """One page and the token of the next, None at the end.

    Args:
        records: the records of the listing behind a name, in the order of their names.
        listing: what is listed; tokens hold for this alone.
        after: the token that the caller sent: None if none, empty for the first page.
        size: the most items that the caller wants.

    Raises:
        BadToken: the token is not one of this listing.
    """
    if after is None and size is None:
        return list(records(None)), None
    size = min(size or DEFAULT_SIZE, LARGEST_SIZE)
    behind = name_in_token(listing, after) if after else None
    items = list(islice(records(behind), size + 1))
    return items[:size], token(listing, items[size - 1][0]) if len(items) > size else None


def _seal(listing: str, name: str) -> bytes:
    return hashlib.blake2b(f"{listing}\0{name}".encode(), digest_size=_SEAL).digest()
