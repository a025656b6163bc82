"""Invariants of every log and every request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sample_tables.delta_logs import METADATA, add, remove
from sample_tables.shared_tables import hour, ids

if TYPE_CHECKING:
    from collections.abc import Callable

    from sample_tables.shared_tables import Lines, SharedTable

    Tables = Callable[[str], SharedTable]

ON = {"delta__enableChangeDataFeed": "true"}
within_a_test = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=20
)
#: Which of eight files each version has; files of a version beyond the one before were added,
#: others removed.
histories = st.lists(st.sets(st.sampled_from("abcdefgh")), min_size=1, max_size=6)


def with_history(table: SharedTable, versions: list[set[str]]) -> SharedTable:
    """Return a table with the given files in each version, and new metadata in every other
    version.
    """
    before: set[str] = set()
    for number, files in enumerate(versions):
        changes = [add(f) for f in sorted(files - before)] + [
            remove(f) for f in sorted(before - files)
        ]
        about = {
            "metaData": METADATA
            | {"description": str(number), "configuration": {"delta.enableChangeDataFeed": "true"}}
        }
        if number == 0:
            table.begun(*changes, **ON)
        else:
            table.commit(number, *([about] if number % 2 else [{"commitInfo": {}}]), *changes)
        before = files
    return table


def followed(files: set[str], answer: Lines) -> set[str]:
    """Apply the changes of an answer, version by version, and return the files."""
    changes = [
        (said["version"], kind, said["id"])
        for kind in ("remove", "add")
        for said in answer.of(kind)
    ]
    for _, kind, id_ in sorted(changes, key=lambda change: change[0]):
        if kind == "add":
            assert id_ not in files
            files = files | {id_}
        else:
            assert id_ in files
            files = files - {id_}
    return files


@within_a_test
@given(histories, st.data())
def test_the_changes_of_a_range_lead_from_one_snapshot_to_another(
    tables: Tables, versions: list[set[str]], data: st.DataObject
) -> None:
    table = with_history(tables("open"), versions)
    last = data.draw(st.integers(0, len(versions) - 1))
    first = data.draw(st.integers(0, last))

    start = table.query(version=first - 1).ids if first else set[str]()
    for answer in (
        table.query(startingVersion=first, endingVersion=last),
        table.changes(startingVersion=first, endingVersion=last),
        table.changes(startingTimestamp=hour(first), endingTimestamp=hour(last)),
    ):
        assert followed(start, answer) == table.query(version=last).ids == ids(*versions[last])


@within_a_test
@given(histories, st.integers(1, 5), st.sampled_from([None, "responseformat=delta"]))
def test_pages_of_a_range_equal_the_unpaged_answer(
    tables: Tables, versions: list[set[str]], size: int, capabilities: str | None
) -> None:
    table = with_history(tables("open"), versions)
    asked: dict[str, Any] = {"startingVersion": 0, "includeHistoricalMetadata": "true"}
    whole = [_undated(line) for line in table.changes(capabilities, **asked).lines]

    found, more = whole[:2], dict[str, Any]()
    for _ in range(60):
        page = table.changes(capabilities, **asked, maxFiles=size, **more).lines
        end = page.pop()["endStreamAction"] if "endStreamAction" in page[-1] else {}
        assert [_undated(line) for line in page[:2]] == whole[:2]
        found += [_undated(line) for line in page[2:]]
        if "nextPageToken" not in end:
            break
        more = {"pageToken": end["nextPageToken"]}

    assert found == whole


def _undated(line: dict[str, Any]) -> dict[str, Any]:
    """Return a line without the time and the signature of its URLs."""
    said = {
        kind: {name: value for name, value in document.items() if name != "expirationTimestamp"}
        for kind, document in line.items()
    }
    for document in said.values():
        if "url" in document:
            document["url"] = document["url"].partition("?")[0]
        for action in document.get("deltaSingleAction", {}).values():
            action["path"] = action["path"].partition("?")[0]
    return said


MEMBERS = [
    "predicateHints",
    "jsonPredicateHints",
    "limitHint",
    "version",
    "timestamp",
    "startingVersion",
    "endingVersion",
]
MEMBERS += ["includeRefreshToken", "refreshToken", "maxFiles", "pageToken", "foo"]
PARAMETERS = [
    "version",
    "timestamp",
    "startingVersion",
    "startingTimestamp",
    "endingVersion",
    "endingTimestamp",
]
PARAMETERS += ["includeHistoricalMetadata", "maxFiles", "pageToken", "foo"]
times = st.floats(-1, 5).map(lambda hours: hour(max(hours, 0)))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
numbers = st.integers(-2, 6) | st.integers(-(2**65), 2**65)
scalars = (
    st.none()
    | st.booleans()
    | numbers
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
    | times
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
capabilities = st.none() | st.sampled_from(
    ["responseformat=delta", "responseformat=avro", "includeEndStreamAction=true", ";=,", "a=b"]
)


@pytest.fixture
def small(table: SharedTable) -> SharedTable:
    """Return a table with a few versions."""
    return with_history(table, [{"a"}, {"a", "b"}, {"b"}, {"b", "c"}])


@settings(within_a_test, max_examples=150)
@given(st.dictionaries(st.sampled_from(MEMBERS), values, max_size=4), capabilities)
def test_no_body_makes_a_query_fail(
    small: SharedTable, body: dict[str, Any], capabilities: str | None
) -> None:
    headers = {} if capabilities is None else {"delta_sharing_capabilities": capabilities}

    _answered_or_refused(small.ask("POST", "/query", body, **headers))


@settings(within_a_test, max_examples=150)
@given(
    st.dictionaries(st.sampled_from(PARAMETERS), (numbers | texts | times).map(str), max_size=4),
    capabilities,
)
def test_no_parameter_makes_a_request_fail(
    small: SharedTable, parameters: dict[str, str], capabilities: str | None
) -> None:
    headers = {} if capabilities is None else {"delta_sharing_capabilities": capabilities}

    for path in ("/changes", "/metadata", "/version"):
        answer = small.ask("GET", f"{path}?{urlencode(parameters)}", **headers)
        if path != "/version" or answer.status != 200:
            _answered_or_refused(answer)


def _answered_or_refused(answer: Lines) -> None:
    if answer.status == 200:
        assert answer.kinds[:2] == ["protocol", "metaData"]
    else:
        assert answer.refusal in {(400, "INVALID_PARAMETER_VALUE"), (400, "UNSUPPORTED_OPERATION")}
