"""Places and kinds of differences: what an expectation states of an answer, and in which way values
differ.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from lakepact.conformance.evidence.differences import Difference, Kind, kind_of
from lakepact.conformance.evidence.exchanges import Exchange, Place, Reply
from lakepact.conformance.evidence.outcome import Claim, Unmet
from lakepact.conformance.evidence.replaying import ABSENT
from lakepact.conformance.judging import expect
from lakepact.conformance.judging.components import Components
from lakepact.conformance.rows import comparison
from lakepact.generated.contract import Contract, OperationId

BODY = {
    "metadata": {
        "table-uuid": "a",
        "properties": {"owner": "me"},
        "refs": {},
        "schemas": [{"schema-id": 0}],
    }
}


def reply(number: int = 1, body: Any = BODY) -> Reply:
    content, headers = (
        json.dumps(body).encode(),
        httpx.Headers({"ETag": '"a"', "Content-Type": "application/json; charset=utf-8"}),
    )
    return Reply(
        Exchange(
            number, OperationId("loadTable"), "c", "GET", "/t", (), b"", 200, headers, content, 0.1
        )
    )


def difference(unmet: pytest.ExceptionInfo[Unmet]) -> Difference | None:
    return unmet.value.failure(()).difference


METADATA, PROPERTIES, REFS = (
    reply().place("metadata", *path) for path in ((), ("properties",), ("refs",))
)

#: By what a failure is about: an expectation that is not met, and the place and kind of the
#: difference.
UNMET: dict[str, tuple[Callable[[], object], Difference | None]] = {
    "a value at its place": (
        lambda: expect.equal("you", "me", "owner", at=PROPERTIES.within("owner")),
        Difference("/metadata/properties/owner", Kind.VALUE),
    ),
    "a difference within a value": (
        lambda: expect.equal(
            {"owner": "me", "b": "1"}, {"owner": "me"}, "properties", at=PROPERTIES
        ),
        Difference("/metadata/properties/b", Kind.MISSING),
    ),
    "a value that was computed": (
        lambda: expect.equal([["x"]], [["table-uuid"]], "names", at=METADATA),
        Difference("/metadata", Kind.VALUE),
    ),
    "a part of a computed value": (
        lambda: expect.equal(
            {"refs": {}, "table-uuid": "b"},
            {"refs": {}, "table-uuid": "a"},
            "without properties",
            at=METADATA,
        ),
        Difference("/metadata/table-uuid", Kind.VALUE),
    ),
    "a computed item": (
        lambda: expect.equal([0, 1], [0], "schema ids", at=METADATA.within("schemas")),
        Difference("/metadata/schemas", Kind.MISSING),
    ),
    "an absent member": (
        lambda: expect.true(False, "the ref `a`", None, at=REFS.within("a")),
        Difference("/metadata/refs/a", Kind.MISSING),
    ),
    "a collection without an item": (
        lambda: expect.contains("a", {}, "refs", at=REFS),
        Difference("/metadata/refs", Kind.MISSING),
    ),
    "a collection with an item": (
        lambda: expect.lacks("owner", {"owner": "me"}, "properties", at=PROPERTIES),
        Difference("/metadata/properties", Kind.SURPLUS),
    ),
    "a header": (
        lambda: expect.equal("b", '"a"', "ETag", at=reply().header("ETag")),
        Difference("/headers/etag", Kind.VALUE),
    ),
    "a missing path": (
        lambda: reply().at("metadata", "snapshots", 0),
        Difference("/metadata/snapshots", Kind.MISSING),
    ),
    "no single answer": (lambda: expect.true(False, "two pages", "one", at=None), None),
    "a wrong status": (lambda: expect.status(reply(), 404), None),
}


@pytest.mark.parametrize("about", UNMET)
def test_failure_has_the_place_and_kind_of_its_difference(about: str) -> None:
    fails, expected = UNMET[about]

    with pytest.raises(Unmet) as unmet:
        fails()

    assert difference(unmet) == expected


def test_failure_is_shown_by_the_exchange_of_its_place() -> None:
    with pytest.raises(Unmet) as unmet:
        expect.equal({"a": 1}, {}, "refs", at=reply(7).place("metadata", "refs"))

    assert unmet.value.exchange == 7


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (METADATA.within("schemas", 0, "schema-id"), 0),
        (METADATA.within("a/b"), ABSENT),
        (reply(body={"a/b~": 1}).place("a/b~"), 1),
        (reply().header("ETag"), '"a"'),
        (reply().place(), BODY),
    ],
    ids=["item", "absent", "escaped", "header", "body"],
)
def test_place_has_the_value_of_its_answer(place: Place, value: object) -> None:
    assert place.value == value


#: By expectation: the claim that a script tests.
CLAIMS: dict[str, tuple[Callable[[], object], Claim | None]] = {
    "member within": (
        lambda: expect.equal({"owner": "you"}, {"owner": "me"}, "properties", at=PROPERTIES),
        Claim({"const": "you"}, "/body/metadata/properties/owner"),
    ),
    "absent member": (
        lambda: expect.equal({}, {"owner": "me"}, "properties", at=PROPERTIES),
        Claim({"absent": True}, "/body/metadata/properties/owner"),
    ),
    "computed list": (
        lambda: expect.equal([0, 1], [0], "schema ids", at=METADATA.within("schemas")),
        Claim({"mentions": 1}, "/body/metadata/schemas"),
    ),
    "computed value": (
        lambda: expect.equal(2, 1, "the number of schemas", at=METADATA.within("schemas")),
        None,
    ),
    "key of an object": (
        lambda: expect.lacks("owner", ["owner"], "keys", at=PROPERTIES),
        Claim({"not": {"required": ["owner"]}}, "/body/metadata/properties"),
    ),
    "one of several": (
        lambda: expect.one_of(["b"], "a", "UUID", at=METADATA.within("table-uuid")),
        Claim({"enum": ["b"]}, "/body/metadata/table-uuid"),
    ),
}


@pytest.mark.parametrize("about", CLAIMS)
def test_expectation_at_a_place_is_a_claim_that_its_answer_breaks(about: str) -> None:
    fails, expected = CLAIMS[about]

    with pytest.raises(Unmet) as unmet:
        fails()

    assert unmet.value.claim == expected


def test_unmet_expectation_to_raise_states_place_kind_and_schema() -> None:
    failure = expect.unmet(
        "no snapshots",
        "two",
        at=METADATA.within("snapshots"),
        kind=Kind.SURPLUS,
        schema={"absent": True},
    ).failure(())

    assert (failure.difference, failure.claim) == (
        Difference("/metadata/snapshots", Kind.SURPLUS),
        Claim({"absent": True}, "/body/metadata/snapshots"),
    )


@pytest.mark.parametrize(
    ("expected", "actual", "kind"),
    [
        (1, 2, Kind.VALUE),
        (1, 1.5, Kind.VALUE),
        (1, True, Kind.TYPE),
        ("a", ["a"], Kind.TYPE),
        (7, "7", Kind.SPELLING),
        ([7], ["7"], Kind.SPELLING),
        ("a", None, Kind.MISSING),
        ("a", ABSENT, Kind.MISSING),
        (None, "a", Kind.SURPLUS),
        ([], ["a"], Kind.SURPLUS),
        (["a", "b"], ["b"], Kind.MISSING),
        (["b"], ["b", "c"], Kind.SURPLUS),
        (["a"], ["b"], Kind.VALUE),
        ({"a": 1}, {"a": 1, "b": 2}, Kind.SURPLUS),
        ({"a": {"b": 1}}, {"a": {}}, Kind.MISSING),
        ([{"id": 7}, {"id": 8}], [{"id": "7"}, {"id": "8"}], Kind.SPELLING),
        ({7: "a"}, {"7": "a"}, Kind.SPELLING),
    ],
)
def test_values_differ_in_one_way(expected: Any, actual: Any, kind: Kind) -> None:
    assert kind_of(expected, actual) is kind


ROWS = [{"id": 1, "at": 10}, {"id": 2, "at": 20}]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([{**row, "at": str(row["at"])} for row in ROWS], Difference("/rows/at", Kind.SPELLING)),
        ([{**row, "at": None} for row in ROWS], Difference("/rows/at", Kind.MISSING)),
        (ROWS[:1], Difference("", Kind.VALUE)),
        ([{"id": 3, "at": 30}, *ROWS[1:]], Difference("", Kind.VALUE)),
    ],
    ids=["text", "null", "row missing", "another row"],
)
def test_rows_that_differ_in_one_column_name_it(
    rows: list[dict[str, Any]], expected: Difference
) -> None:
    with pytest.raises(Unmet) as unmet:
        comparison.same(ROWS, rows, "rows")

    assert difference(unmet) == expected


def test_first_violation_of_a_schema_has_a_place_and_a_kind() -> None:
    components = Components(Contract("iceberg_rest"))
    ref = components.instances("SnapshotReference", {"type": "branch", "snapshot-id": "7"})[0]
    snapshot = components.instances(
        "Snapshot", {"snapshot-id": 1, "timestamp-ms": 2, "summary": {"operation": "append"}}
    )[0]

    assert (components.difference(ref), components.difference(snapshot)) == (
        Difference("/snapshot-id", Kind.SPELLING),
        Difference("/manifest-list", Kind.MISSING),
    )
