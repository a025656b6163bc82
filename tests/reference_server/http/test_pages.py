"""The pages of a listing hold every item once, even when other clients add and remove items."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.reference_server.http.paging import BadToken, name_in_token, page, token

texts = st.text(st.characters(exclude_categories=["Cs"]))


def listing(names: set[str]) -> Callable[[str | None], Iterator[tuple[str, str]]]:
    return lambda behind: (
        (name, name) for name in sorted(names) if behind is None or name > behind
    )


def walk(names: set[str], size: int) -> list[list[str]]:
    pages: list[list[str]] = []
    after: str | None = ""
    while after is not None:
        found, after = page(listing(names), "here", after=after, size=size)
        pages.append([name for name, _ in found])
    return pages


@given(st.sets(texts), st.integers(1, 7))
def test_the_pages_of_a_listing_hold_every_item_once_in_order(names: set[str], size: int) -> None:
    assert [name for found in walk(names, size) for name in found] == sorted(names)


@given(st.sets(texts), st.integers(1, 7))
def test_no_page_is_larger_than_asked_for_and_only_the_last_is_smaller(
    names: set[str], size: int
) -> None:
    sizes = [len(found) for found in walk(names, size)]

    assert sizes[:-1] == [size] * (len(sizes) - 1)
    assert sizes[-1] <= size


def test_a_full_last_page_is_not_followed_by_an_empty_one() -> None:
    assert walk({"a", "b", "c", "d"}, 2) == [["a", "b"], ["c", "d"]]


def test_without_token_and_size_everything_comes_at_once() -> None:
    names = {f"{number:04}" for number in range(1200)}
    found, following = page(listing(names), "here", after=None, size=None)

    assert ([name for name, _ in found], following) == (sorted(names), None)


@given(texts, texts)
def test_a_token_opens_to_the_name_it_was_made_of(where: str, name: str) -> None:
    assert name_in_token(where, token(where, name)) == name


@given(texts, texts, texts)
def test_a_token_of_one_listing_does_not_open_another(
    where: str, elsewhere: str, name: str
) -> None:
    if where != elsewhere:
        with pytest.raises(BadToken):
            name_in_token(elsewhere, token(where, name))


@given(texts)
def test_garbage_is_no_token(text: str) -> None:
    with pytest.raises(BadToken):
        name_in_token("here", text)


def test_a_page_may_be_asked_for_that_is_larger_than_any_list() -> None:
    found, following = page(listing({"a", "b"}), "here", after=None, size=10**20)

    assert ([name for name, _ in found], following) == (["a", "b"], None)
