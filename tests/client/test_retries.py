"""Invariants of retries and pauses over all requests and answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.client.retries import Retries, may_repeat, retry_after
from lakepact.reach.wire import Lost, Reply, Request

METHODS = st.sampled_from(["GET", "HEAD", "PUT", "DELETE", "POST", "PATCH"])
HEADERS = st.sampled_from([(), (("Retry-After", "1"),), (("retry-after", "soon"),)])
ANSWERS = st.builds(Reply, st.integers(300, 599), HEADERS) | st.builds(
    Lost, st.sampled_from(["unsent", "unanswered", "garbled"]), st.just(OSError())
)


@given(METHODS, ANSWERS)
def test_request_with_possible_effects_is_not_retried(method, answer):
    certainly_undone = (isinstance(answer, Lost) and answer.how == "unsent") or (
        isinstance(answer, Reply)
        and answer.status in {429, 503}
        and answer.header("Retry-After") == "1"
    )

    assert (
        not may_repeat(Request(method, "/"), answer)
        or certainly_undone
        or method not in {"POST", "PATCH"}
    )


@pytest.mark.parametrize("name", ["Idempotency-Key", "idempotency-key"])
def test_change_with_an_idempotency_key_is_repeated_without_retry_after(name):
    request = Request("POST", "/", ((name, "a-key"),))

    assert may_repeat(request, Reply(503), itself=True)


@given(st.integers(1, 20), st.floats(0, 1), st.floats(0, 100))
def test_pauses_stay_within_the_limits(tries, jitter, elapsed):
    retries = Retries(tries=10, total=50, first_pause=0.5, longest_pause=8, jitter=lambda: jitter)

    pause = retries.pause(tries=tries, elapsed=elapsed, retry_after=None)

    assert pause is None or (tries < 10 and 0.25 <= pause <= 8 and elapsed + pause <= 50)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("0", 0.0),
        ("120", 120.0),
        (" 5 ", 5.0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 37.0),
        ("Sun, 06 Nov 1994 08:49:37 -0000", 37.0),
        ("Sun, 06 Nov 1994 08:48:00 GMT", 0.0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 37.0),
        ("", None),
        ("-1", None),
        ("1.5", None),
        ("soon", None),
        ("١٢", None),
        ("9" * 400, float("inf")),
    ],
)
def test_both_forms_of_retry_after_are_read(header, expected):
    at_0849 = 784111740.0

    assert retry_after(Reply(503, (("retry-after", header),)), now=lambda: at_0849) == expected


@given(st.text())
def test_any_retry_after_is_read_or_ignored(text):
    seconds = retry_after(Reply(503, (("Retry-After", text),)))

    assert seconds is None or seconds >= 0
