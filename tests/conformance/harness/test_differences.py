"""Places and kinds of differences: what is read of an answer, and in which way values differ."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import httpx
import pytest

from lakepact.conformance.evidence.differences import ABSENT, Difference, Kind, forget, kind_of
from lakepact.conformance.evidence.exchanges import Exchange, Reply
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.conformance.judging import expect
from lakepact.conformance.judging.components import Components
from lakepact.conformance.rows import comparison
from lakepact.generated.contract import Contract, OperationId

BODY = {"metadata": {"table-uuid": "a", "properties": {"owner": "me"}, "refs": {}}}


@pytest.fixture(autouse=True)
def nothing_read() -> None:
    forget()


def reply(number: int = 1, body: Any = BODY, **changes: Any) -> Reply:
    content = json.dumps(body).encode()
    exchange = Exchange(number, OperationId("loadTable"), "c", "GET", "/t", (), b"", 200, httpx.Headers(), content, 0.1, is_noted=True)
    return Reply(replace(exchange, **changes))


def difference(unmet: pytest.ExceptionInfo[Unmet]) -> Difference | None:
    return unmet.value.failure(()).difference


def reads_first(read: Any, judge: Any) -> Any:
    return lambda: judge(read())


#: By what a failure is about: an expectation that is not met, and the place and kind of the difference.
UNMET: dict[str, tuple[Any, Difference | None]] = {
    "the member that was read last": (
        reads_first(
            lambda: reply().at("metadata"), lambda metadata: expect.equal("you", metadata["properties"].get("owner"), "however called")
        ),
        Difference("/metadata/properties/owner", Kind.VALUE),
    ),
    "an absent member": (
        lambda: expect.true("snapshots" in reply().document["metadata"], "snapshots", None),
        Difference("/metadata/snapshots", Kind.MISSING),
    ),
    "a difference within a value": (
        lambda: expect.equal({"owner": "me", "b": "1"}, reply().at("metadata", "properties"), "properties"),
        Difference("/metadata/properties/b", Kind.MISSING),
    ),
    "the later of two answers": (
        reads_first(
            lambda: (reply(2).at("metadata", "refs"), reply(1).at("metadata", "table-uuid")),
            lambda read: expect.equal(read[1], read[0], "refs"),
        ),
        Difference("/metadata/refs", Kind.MISSING),
    ),
    "an answer that is not noted": (lambda: expect.equal(1, reply(is_noted=False).document["metadata"], "metadata"), None),
    "nothing that was read": (lambda: expect.true(False, "a header", "none"), None),
    "a missing path": (lambda: reply().at("metadata", "schemas", 0), Difference("/metadata/schemas", Kind.MISSING)),
    "a member of a composed value": (
        reads_first(
            lambda: reply().at("metadata"),
            lambda read: expect.equal([{"table-uuid": "b"}], [{name: read[name] for name in ("table-uuid", "refs")}], "the tables"),
        ),
        Difference("/metadata/table-uuid", Kind.VALUE),
    ),
}


@pytest.mark.parametrize("about", UNMET)
def test_failure_has_the_place_and_kind_of_its_difference(about: str) -> None:
    fails, expected = UNMET[about]

    with pytest.raises(Unmet) as unmet:
        fails()

    assert difference(unmet) == expected


def test_answer_that_is_not_noted_is_a_plain_object() -> None:
    assert type(reply(is_noted=False).at("metadata")) is dict


def test_wrong_status_is_no_difference_of_a_body() -> None:
    answer = reply()
    answer.at("metadata")

    with pytest.raises(Unmet) as unmet:
        expect.status(answer, 404)

    assert difference(unmet) is None


def test_copies_of_answers_are_plain_objects() -> None:
    copied = copy.deepcopy(reply().document)

    assert (type(copied), type(copied["metadata"]), copied) == (dict, dict, BODY)


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
    ],
)
def test_values_differ_in_one_way(expected: Any, actual: Any, kind: Kind) -> None:
    assert kind_of(expected, actual) is kind


ROWS = [{"id": 1, "at": 10}, {"id": 2, "at": 20}]


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([{**row, "at": str(row["at"])} for row in ROWS], Difference("/rows/at", Kind.SPELLING)),
        ([{**row, "at": None} for row in ROWS], Difference("/rows/at", Kind.MISSING)),
        (ROWS[:1], Difference("", Kind.VALUE)),
        ([{"id": 3, "at": 30}, *ROWS[1:]], Difference("", Kind.VALUE)),
    ],
    ids=["text", "null", "row missing", "another row"],
)
def test_rows_that_differ_in_one_column_name_it(rows: list[dict[str, Any]], found: Difference) -> None:
    with pytest.raises(Unmet) as unmet:
        comparison.same(ROWS, rows, "rows")

    assert difference(unmet) == found


def test_first_violation_of_a_schema_has_a_place_and_a_kind() -> None:
    components = Components(Contract("iceberg_rest"))
    ref = components.instances("SnapshotReference", {"type": "branch", "snapshot-id": "7"})[0]
    snapshot = components.instances("Snapshot", {"snapshot-id": 1, "timestamp-ms": 2, "summary": {"operation": "append"}})[0]

    assert (components.difference(ref), components.difference(snapshot)) == (
        Difference("/snapshot-id", Kind.SPELLING),
        Difference("/manifest-list", Kind.MISSING),
    )
