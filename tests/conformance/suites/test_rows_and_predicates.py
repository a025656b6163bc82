"""Evaluation of shared tables: deletion vectors, partition values, predicates and times."""

from __future__ import annotations

import datetime as dt
import tempfile
import tracemalloc
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap64

from lakepact.conformance.checks.delta_sharing.kit import reading, times
from lakepact.conformance.checks.delta_sharing.kit.predicates import (
    Comparison,
    Draw,
    IsNull,
    Joined,
    Negated,
)
from lakepact.conformance.evidence.exchanges import Exchange, Reply
from lakepact.conformance.evidence.outcome import StepFailed, Unmet
from lakepact.conformance.fixtures import deletion_vectors as written
from lakepact.conformance.rows import columns, comparison, deletion_vectors, lines, values
from lakepact.generated.delta_sharing import op

POSITIONS = st.frozensets(st.integers(0, 2**40), min_size=1, max_size=50)


def no_file(url: str) -> bytes:
    raise AssertionError(url)


@given(POSITIONS)
def test_inline_deletion_vector_survives_writing_and_reading(rows: frozenset[int]) -> None:
    assert rows == set(deletion_vectors.rows_of_vector(written.inline(rows), no_file))


@given(st.lists(POSITIONS, min_size=1, max_size=3))
def test_each_deletion_vector_of_a_file_is_read(vectors: list[frozenset[int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        descriptors = written.on_disk(Path(folder), vectors, seed="test")
        (file,) = Path(folder).glob("*.bin")
        content = file.read_bytes()
    for vector, descriptor in zip(vectors, descriptors, strict=True):
        stored = descriptor | {"storageType": "p", "pathOrInlineDv": "https://x"}
        assert vector == set(deletion_vectors.rows_of_vector(stored, lambda _: content))


@pytest.mark.parametrize("cut", [0, 1, 20])
def test_truncated_deletion_vector_is_unmet(cut: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (descriptor,) = written.on_disk(Path(folder), [[1, 2, 3]], seed="test")
        (file,) = Path(folder).glob("*.bin")
        content = file.read_bytes()
    with pytest.raises(Unmet):
        deletion_vectors.rows_of_vector(descriptor | {"storageType": "p"}, lambda _: content[:cut])


def test_deletion_vector_with_a_relative_path_is_unmet() -> None:
    with pytest.raises(Unmet, match="storageType"):
        deletion_vectors.rows_of_vector(
            {"storageType": "u", "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^", "cardinality": 1},
            no_file,
        )


def test_deletion_vector_of_many_rows_takes_little_memory() -> None:
    bitmap = BitMap64()
    bitmap.add_range(0, 2**22)
    bitmap.run_optimize()

    tracemalloc.start()
    rows = deletion_vectors.rows_of_vector(written.inline(bitmap), no_file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert len(rows) == 2**22
    assert peak < 2**20


@pytest.mark.parametrize("member", ["sizeInBytes", "offset"])
@pytest.mark.parametrize("value", ["9", -1, 0.5])
def test_deletion_vector_with_a_wrong_place_is_unmet(member: str, value: object) -> None:
    vector = written.inline([1]) | {"storageType": "p", "offset": 1, member: value}
    with pytest.raises(Unmet, match=member):
        deletion_vectors.rows_of_vector(vector, lambda _: bytes(99))


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        (None, "long", None),
        ("", "date", None),
        ("a b/c%=é", "string", "a b/c%=é"),
        ("-3", "byte", -3),
        ("9.5", "float", 9.5),
        ("12.30", "decimal(10,2)", Decimal("12.3")),
        ("true", "boolean", True),
        ("2024-02-29", "date", dt.date(2024, 2, 29)),
        ("2024-02-29 23:59:59", "timestamp", dt.datetime(2024, 2, 29, 23, 59, 59, tzinfo=dt.UTC)),
        (
            "2024-02-29T23:59:59.678901Z",
            "timestamp",
            dt.datetime(2024, 2, 29, 23, 59, 59, 678901, tzinfo=dt.UTC),
        ),
    ],
)
def test_partition_text_is_parsed_as_its_type(text: Any, kind: str, value: Any) -> None:
    assert comparison.hashable(value) == comparison.hashable(values.value_of(text, kind))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("9.0", "long"),
        ("True", "boolean"),
        ("2024/02/29", "date"),
        ("2024-02-30", "date"),
        ("12:00", "timestamp"),
        (5, "long"),
        ("x", "double"),
    ],
)
def test_invalid_partition_text_is_unmet(text: Any, kind: str) -> None:
    with pytest.raises(Unmet):
        values.value_of(text, kind)


def test_comparison_separates_booleans_from_numbers_and_equates_nan() -> None:
    with pytest.raises(Unmet):
        comparison.same([{"a": True}], [{"a": 1}], "rows")
    comparison.same([{"a": float("nan")}], [{"a": float("nan")}], "rows")


ABOVE = Comparison("n", "integer", ">", 5)


@pytest.mark.parametrize(
    ("predicate", "n", "holds"),
    [
        (ABOVE, 6, True),
        (ABOVE, 5, False),
        (ABOVE, None, None),
        (Negated(ABOVE), None, None),
        (IsNull("n", "integer"), None, True),
        (Joined("or", (ABOVE, IsNull("n", "integer"))), None, True),
        (Joined("and", (ABOVE, IsNull("n", "integer"))), None, None),
        (Joined("and", (ABOVE, IsNull("n", "integer", inverse=True))), None, False),
        (Comparison("n", "double", "<", 5.0), float("nan"), None),
    ],
)
def test_predicate_follows_three_valued_logic(predicate: Any, n: Any, holds: Any) -> None:
    assert holds is predicate.holds({"n": n})


def test_constant_on_the_left_flips_the_comparison() -> None:
    comparison = Comparison("n", "integer", "<", 5, constant_first=True)
    assert comparison.sql() == "5 > n"
    assert comparison.tree()["op"] == "greaterThan"
    assert [side["op"] for side in comparison.tree()["children"]] == ["literal", "column"]
    assert comparison.holds({"n": 4})


def test_equal_seeds_draw_equal_predicates() -> None:
    rows = [{"n": n, "word": f"w{n}"} for n in range(5)]
    drawn = [
        Draw(Random(7), rows, {"n": "integer", "word": "string"}).tree().sql() for _ in range(2)
    ]
    assert drawn[0] == drawn[1]


def test_times_are_written_in_utc_or_with_an_offset() -> None:
    moment = 1735783200250
    assert times.at(moment) == "2025-01-02T02:00:00Z"
    assert times.as_of(moment) == "2025-01-02T02:00:01Z"
    assert times.at(moment, fraction=True) == "2025-01-02T02:00:00.250Z"
    assert times.at(moment, offset_hours=-7) == "2025-01-01T19:00:00-07:00"


def test_lines_without_metadata_are_unmet() -> None:
    with pytest.raises(Unmet, match="lines with protocol"):
        lines.parse([{"protocol": {"minReaderVersion": 1}}])


def test_file_that_is_not_parquet_is_unmet() -> None:
    with pytest.raises(Unmet, match="a parquet file"):
        columns.stored(b"<html>403</html>")


@pytest.mark.parametrize(
    ("lines_of_answer", "requirement"),
    [
        ([b'{"protocol": {}}'], "DS-QRY-04"),
        ([b'{"protocol": {"deltaProtocol": {}}}', b'{"metaData": {}}'], "DS-DMD-01"),
        ([b'{"protocol": {}}', b'{"metaData": {"deltaMetadata": {}}}'], "DS-DPR-01"),
        ([b'{"protocol": {}}', b"["], "DS-GEN-06"),
    ],
)
def test_invalid_lines_fail_as_a_step_of_the_requirement_that_they_break(
    lines_of_answer: list[bytes], requirement: str
) -> None:
    body = b"\n".join(lines_of_answer)
    exchange = Exchange(
        1, op.query_table, "", "POST", "/query", (), b"{}", 200, httpx.Headers(), body, 0.0
    )

    with pytest.raises(StepFailed) as step:
        reading.parse(Reply(exchange))

    assert step.value.requirement == requirement
