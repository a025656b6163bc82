"""A listing is followed to its end, and ends."""

from __future__ import annotations

import pytest

from lakepact.client.errors import BadReply
from lakepact.client.paging import Bookmark


def test_a_listing_begins_with_an_empty_token():
    assert Bookmark("listTables").token == ""


@pytest.mark.parametrize("end", [None, ""])
def test_a_listing_ends_where_no_token_is_given(end):
    bookmark = Bookmark("listTables")

    bookmark.turn("p2")
    bookmark.turn(end)

    assert bookmark.token is None


def test_a_token_that_was_given_before_ends_the_listing_with_an_error():
    bookmark = Bookmark("listTables")
    bookmark.turn("p2")
    bookmark.turn("p3")

    with pytest.raises(BadReply, match="leads back to the page of token 'p2'"):
        bookmark.turn("p2")
