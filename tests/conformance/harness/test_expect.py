"""Expectations that are not met name the place where two values differ."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faulty_servers import checked
from lakepact.conformance.evidence.exchanges import Exchange, Place, Placed, Reply
from lakepact.conformance.evidence.outcome import SUCCESS, Unmet
from lakepact.conformance.evidence.replaying import ABSENT, fits
from lakepact.conformance.evidence.target import Offer
from lakepact.conformance.judging import expect
from lakepact.conformance.judging.lab import Lab
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import OperationId
from miniatures import answer, miniature

LONG = {f"member-{n}": "x" * 20 for n in range(20)}
GET = OperationId("getConfig")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("expected", "actual", "message"),
    [
        (1, 2, ("the id 1", "2")),
        ({"a": 1}, {"a": 2}, ('the id {"a":1}', '{"a":2}')),
        ({**LONG, "a": {"b": [1, 2]}}, {**LONG, "a": {"b": [1, 3]}}, ("the id at /a/b/1 2", "3")),
        ({**LONG, "a": 1}, LONG, ("the id at /a 1", "absent")),
        (LONG, {**LONG, "a/b": 1}, ("the id at /a~1b absent", "1")),
        (True, 1, ("the id true", "1")),
        ({"a": [True]}, {"a": [1]}, ('the id {"a":[true]}', '{"a":[1]}')),
        ("x" * 400 + "a", "x" * 400 + "b", (f'the id "…{"x" * 20}a"', f'"…{"x" * 20}b"')),
    ],
)
def test_unequal_values_are_shown_where_they_differ(
    expected: Any, actual: Any, message: tuple[str, str]
) -> None:
    with pytest.raises(Unmet) as unmet:
        expect.equal(expected, actual, "the id", at=None)

    assert (unmet.value.expected, unmet.value.actual) == message


def test_value_that_is_not_allowed_is_shown_as_the_actual_one() -> None:
    with pytest.raises(Unmet) as unmet:
        expect.one_of(["NoSuchTableException"], "NoSuchPlanIdException", "error type", at=None)

    assert (unmet.value.expected, unmet.value.actual) == (
        'error type "NoSuchTableException"',
        '"NoSuchPlanIdException"',
    )


@given(JSON, JSON)
def test_difference_leads_to_values_that_differ(expected: Any, actual: Any) -> None:
    place, here, there = expect.difference(expected, actual)

    for step in [part.replace("~1", "/").replace("~0", "~") for part in place.split("/")[1:]]:
        expected, actual = (_member(value, step) for value in (expected, actual))
    assert (expected, actual) == (here, there)


def _member(value: Any, step: str) -> Any:
    if isinstance(value, dict):
        return value.get(step, ABSENT)
    return value[int(step)] if int(step) < len(value) else ABSENT


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b"a\xff", '"a\\\\xff"'),
        ("it's", '"it\'s"'),
        (2**70, str(2**70)),
        (None, "null"),
        ("\ud800", '"\\ud800"'),
    ],
)
def test_values_are_shown_as_json(value: Any, text: str) -> None:
    assert expect.excerpt(value) == text


def lines_of(*documents: Any) -> Reply:
    """Return an answer with a JSON document on each line, and an empty line after each."""
    body = b"".join(orjson.dumps(document) + b"\n\n" for document in documents)
    return Reply(
        Exchange(
            1,
            None,
            "",
            "GET",
            "/",
            (),
            b"",
            200,
            httpx.Headers({"content-type": "application/x-ndjson"}),
            body,
            0.0,
        )
    )


NAMES = st.text(max_size=2)
OBJECTS = st.recursive(
    st.integers(0, 9), lambda inner: st.dictionaries(NAMES, inner, max_size=3), max_leaves=5
)
LINES = st.lists(st.dictionaries(NAMES, OBJECTS, max_size=3), max_size=3)


@given(LINES)
def test_objects_in_lines_know_their_places(documents: list[dict[str, Any]]) -> None:
    level: list[Any] = list(lines_of(*documents).lines)

    while level:
        assert all(value.place().value == value for value in level)
        level = [inner for value in level for inner in value.values() if isinstance(inner, Placed)]


def test_answer_without_a_member_breaks_the_claim_that_a_script_tests() -> None:
    reply = Reply(replace(lines_of().exchange, headers=httpx.Headers(), body=b'{"message": "no"}'))

    with pytest.raises(Unmet) as unmet:
        reply.at("error")

    claim = unmet.value.claim
    assert claim is not None
    assert not fits(Place(reply.exchange, claim.at).value, claim.schema)


def test_finding_about_a_line_states_its_place_and_a_claim() -> None:
    file = lines_of({"protocol": {}}, {"file": {"size": 5}}).lines[1]["file"]

    with pytest.raises(Unmet) as unmet:
        expect.equal(6, file["size"], "the size", at=file.place("size"))

    failure = unmet.value.failure((1,))
    assert failure.difference is not None
    assert failure.claim is not None
    assert (failure.difference.at, failure.claim.at, failure.claim.schema) == (
        "/1/file/size",
        "/body/1/file/size",
        {"const": 6},
    )


def test_any_success_is_shown_as_2xx() -> None:
    with pytest.raises(Unmet) as unmet:
        expect.status(lines_of(), *SUCCESS[1:])
    with pytest.raises(Unmet) as any_success:
        expect.status(Reply(replace(lines_of().exchange, status=500)), *SUCCESS)

    assert unmet.value.expected == "status 201 or 202 or 204"
    assert any_success.value.expected == "status 2xx"


def test_absent_member_of_an_object_is_none() -> None:
    file = lines_of({"file": {"size": 5}}).lines[0]["file"]

    expect.member_of(file, "stats", None)
    with pytest.raises(Unmet, match="`size` 6, got 5"):
        expect.member_of(file, "size", 6)


def test_member_without_a_name_is_named_by_its_place() -> None:
    with pytest.raises(Unmet, match="size 6, got 5"):
        expect.member(6, lines_of({"file": {"size": 5}}).lines[0].place("file", "size"))


def test_same_items_may_have_another_order() -> None:
    expect.same_items([1, 2], (2, 1), "ids", at=None)
    with pytest.raises(Unmet, match=r"ids \[1,1\], got \[1,2\]"):
        expect.same_items([1, 1], (2, 1), "ids", at=None)


def test_warning_about_a_status_reports_the_expected_one() -> None:
    suite = Suite("iceberg_rest", lab=Lab, discover=lambda *_: Offer(operations=frozenset({GET})))

    @suite.check("IRC-CFG-001")
    def ignores_a_mistake(lab: Lab) -> None:
        """The configuration is returned in spite of a mistake."""
        lab.send(GET)
        lab.warn("IRC-CFG-001", expected="status 400", actual="200", expected_status=(400,))

    with miniature(lambda *_: answer(200, {})) as url:
        [verdict] = checked(url, of=suite).results()["IRC-CFG-001"].verdicts

    assert [(case.expected_status, case.refusal) for case in verdict.failures] == [((400,), True)]
