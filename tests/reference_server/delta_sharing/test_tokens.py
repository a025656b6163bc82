"""A token opens to its sealed value, only for its binding and until its time."""

from __future__ import annotations

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.reference_server.delta_sharing.access.tokens import BadToken, Tokens

ALPHABET = string.ascii_letters + string.digits + "-_="
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
held = st.dictionaries(
    texts,
    st.one_of(st.integers(-(2**63), 2**63 - 1), texts, st.none(), st.lists(texts)),
    max_size=5,
)
bindings = st.tuples(texts, texts)


class Clock:
    def __init__(self) -> None:
        self.now = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now


@given(held, bindings)
def test_token_opens_to_the_sealed_value(value: dict[str, Any], bound: tuple[str, str]) -> None:
    tokens = Tokens()

    assert (
        tokens.open("page", tokens.seal("page", value, bound=bound, lasting=1000), bound=bound)
        == value
    )


@given(held)
def test_a_token_may_stand_in_a_url_as_it_is(value: dict[str, Any]) -> None:
    token = Tokens().seal("page", value, bound=(), lasting=1000)

    assert set(token) <= set(string.ascii_letters + string.digits + "-_")


@given(bindings, bindings)
def test_token_of_another_binding_is_refused(
    bound: tuple[str, str], other: tuple[str, str]
) -> None:
    tokens = Tokens()
    token = tokens.seal("page", {}, bound=bound, lasting=1000)
    if bound != other:
        with pytest.raises(BadToken):
            tokens.open("page", token, bound=other)


def test_parts_of_a_binding_do_not_flow_into_each_other() -> None:
    tokens = Tokens()

    with pytest.raises(BadToken):
        tokens.open(
            "page", tokens.seal("page", {}, bound=("ab", "c"), lasting=1000), bound=("a", "bc")
        )


def test_token_of_another_purpose_or_server_is_refused() -> None:
    tokens = Tokens()
    token = tokens.seal("page", {}, bound=("r", "t"), lasting=1000)

    with pytest.raises(BadToken):
        tokens.open("refresh", token, bound=("r", "t"))
    with pytest.raises(BadToken):
        Tokens().open("page", token, bound=("r", "t"))


def test_a_token_holds_until_its_time_is_over() -> None:
    clock = Clock()
    tokens = Tokens(clock=clock)
    token = tokens.seal("page", {"a": 1}, bound=(), lasting=1000)
    clock.now += 1000
    assert tokens.open("page", token, bound=()) == {"a": 1}

    clock.now += 1
    with pytest.raises(BadToken, match="over"):
        tokens.open("page", token, bound=())


@given(st.integers(0, 10**6), st.integers(1, len(ALPHABET) - 1))
def test_token_with_a_changed_character_is_refused(place: int, further: int) -> None:
    tokens = Tokens()
    token = tokens.seal("page", {"version": 3}, bound=("r", "t"), lasting=1000)
    at = place % len(token)
    other = ALPHABET[(ALPHABET.index(token[at]) + further) % len(ALPHABET)]

    with pytest.raises(BadToken):
        tokens.open("page", token[:at] + other + token[at + 1 :], bound=("r", "t"))


@given(st.text())
def test_arbitrary_text_is_refused(text: str) -> None:
    with pytest.raises(BadToken):
        Tokens().open("page", text, bound=())


def test_a_token_does_not_show_its_binding() -> None:
    tokens = Tokens()

    assert "alice" not in tokens.seal("page", {}, bound=("alice",), lasting=1000)
