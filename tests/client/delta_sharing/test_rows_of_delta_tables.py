"""Rows of the delta format, with deletion vectors and column mapping."""

from __future__ import annotations

from datetime import date

import httpx
import pyarrow as pa
import pytest

from lakepact.client import DamagedData

from .serving import (
    DAYS,
    DELTA_PROTOCOL,
    A,
    Desk,
    delta_file,
    delta_metadata,
    lines,
    parquet_file,
    signed,
    vector_of,
)
from .test_deletion_vectors import inline, stored


def with_vector(vector, *, answer=None):
    content = parquet_file(A)
    member = vector_of(vector) | (
        {"pathOrInlineDv": signed("dv")} if vector.storage_type == "p" else {}
    )
    desk = Desk(
        query=lines(
            DELTA_PROTOCOL,
            delta_metadata(),
            delta_file("a", size=len(content), deletionVector=member),
        )
    )
    return desk.on("GET store.test/a", content).on("GET store.test/dv", answer)


def test_rows_of_an_inline_vector_are_left_out(table):
    assert table(with_vector(inline([0, 2]))).to_arrow().column("id").to_pylist() == [2]


@pytest.mark.parametrize("knows_ranges", [True, False])
def test_rows_of_a_vector_in_a_file_are_left_out(table, knows_ranges):
    vector, content = stored([1], at=3)
    whole = b"\x01xx" + content + b"more"
    desk = with_vector(
        vector,
        answer=httpx.Response(206, content=content)
        if knows_ranges
        else httpx.Response(200, content=whole),
    )

    assert table(desk).to_arrow().column("id").to_pylist() == [1, 3]
    (request,) = [request for request in desk.requests if request.url.path == "/dv"]
    assert request.headers["Range"] == f"bytes=3-{3 + len(content) - 1}"


@pytest.mark.parametrize(
    ("vector", "answer", "complaint"),
    [
        (inline([3]), b"", "names row 3 of a file that has 3"),
        (stored([1])[0], b"\x01" + stored([2])[1][:-1] + b"x", "does not have its checksum"),
        (stored([1])[0], b"\x01short", "the file has 5 bytes where the listing says"),
        (stored([1], at=None)[0], b"", "no place in its file"),
    ],
)
def test_damaged_vector_is_damaged_data(table, vector, answer, complaint):
    with pytest.raises(DamagedData, match=complaint):
        table(with_vector(vector, answer=answer)).to_arrow()


def metadata_with_mapping(mode, partition_columns=()):
    fields = [
        {
            "name": name,
            "type": kind,
            "nullable": True,
            "metadata": {f"delta.columnMapping.{key}": value for key, value in mapping.items()},
        }
        for name, kind, mapping in (
            ("id", "long", {"id": 1, "physicalName": "c1"}),
            ("day", "date", {"id": 2, "physicalName": "c2"}),
        )
    ]
    configuration = {"delta.columnMapping.mode": mode}
    return delta_metadata(
        {"type": "struct", "fields": fields},
        configuration=configuration,
        partitionColumns=list(partition_columns),
    )


def test_columns_mapped_by_name_are_found(table):
    content = parquet_file({"c2": DAYS, "c1": [1, 2, 3]})
    desk = Desk(
        query=lines(
            DELTA_PROTOCOL, metadata_with_mapping("name"), delta_file("a", size=len(content))
        )
    ).on("GET store.test/a", content)

    assert table(desk).to_arrow().to_pydict() == A


def test_columns_mapped_by_id_are_found(table):
    columns = (("x", pa.date32(), "2"), ("day", pa.int64(), "1"))
    fields = [
        pa.field(name, kind, metadata={"PARQUET:field_id": number})
        for name, kind, number in columns
    ]
    content = parquet_file(pa.table([DAYS, [1, 2, 3]], schema=pa.schema(fields)))
    desk = Desk(
        query=lines(DELTA_PROTOCOL, metadata_with_mapping("id"), delta_file("a", size=len(content)))
    ).on("GET store.test/a", content)

    assert table(desk).to_arrow().to_pydict() == A


def test_mapped_partition_values_are_keyed_by_physical_name(table):
    content = parquet_file({"c1": [1]})
    line = delta_file("a", size=len(content), partitionValues={"c2": "2024-01-01"})
    desk = Desk(query=lines(DELTA_PROTOCOL, metadata_with_mapping("name", ["day"]), line)).on(
        "GET store.test/a", content
    )

    assert table(desk).to_arrow().to_pydict() == {"id": [1], "day": [date(2024, 1, 1)]}
