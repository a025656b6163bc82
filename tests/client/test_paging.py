"""A listing is followed to its end and always ends."""

from __future__ import annotations

import pytest

from lakepact.client.errors import BadReply
from lakepact.client.paging import Bookmark


def test_listing_begins_with_an_empty_token():
    assert Bookmark("listTables").token == ""


@pytest.mark.parametrize("end", [None, ""])
def test_missing_or_empty_token_ends_a_listing(end):
    bookmark = Bookmark("listTables")

    bookmark.turn("p2")
    bookmark.turn(end)

    assert bookmark.token is None


def test_repeated_page_token_is_a_bad_reply():
    bookmark = Bookmark("listTables")
    bookmark.turn("p2")
    bookmark.turn("p3")

    with pytest.raises(BadReply, match="leads back to the page of token 'p2'"):
        bookmark.turn("p2")
