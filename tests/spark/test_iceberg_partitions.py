"""Files of Iceberg tables are divided into as many partitions as Iceberg's own source has, and each
byte is in one of them.
"""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark", reason="pyspark is installed with the extra `spark`")

from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.table import FileScanTask
from pyiceberg.typedef import Record

from lakepact.client.iceberg_rest.rows.data_files import END, PlannedFile
from lakepact.spark.iceberg_tables import partitions_of

MIB = 1024 * 1024


def file(size, offsets=None, form=FileFormat.PARQUET):
    about = {
        "content": DataFileContent.DATA,
        "file_path": "file:///rows",
        "partition": Record(),
        "record_count": 1,
    }
    return PlannedFile(
        FileScanTask(
            DataFile.from_args(
                **about, file_format=form, file_size_in_bytes=size, split_offsets=offsets
            )
        )
    )


def ranges(partitions):
    return [[(part.start, part.end) for part in parts] for parts in partitions]


@pytest.mark.parametrize(
    ("files", "most", "properties", "count"),
    [
        ([file(5 * MIB, [4])] * 20, None, {}, 7),  # at least 16 MiB of a small table
        ([file(108 * MIB, [4])], None, {}, 1),
        ([file(108 * MIB, [number * 16 * MIB + 4 for number in range(7)])], None, {}, 7),
        ([file(108 * MIB)], None, {}, 7),
        ([file(108 * MIB, [4, 1])], None, {}, 7),  # not offsets
        ([file(512 * MIB, [number * 64 * MIB + 4 for number in range(8)])] * 100, None, {}, 400),
        (
            [file(64 * MIB, [number * 8 * MIB + 4 for number in range(8)])],
            None,
            {"read.split.target-size": str(8 * MIB)},
            8,
        ),
        ([file(64 * MIB, [number * 8 * MIB + 4 for number in range(8)])], 32 * MIB, {}, 2),
        ([file(10 * MIB)] * 3, 1, {}, 9),
        ([file(512 * MIB, form=FileFormat.ORC)], None, {}, 1),
        ([], None, {}, 0),
    ],
)
def test_files_are_divided_as_iceberg_divides_them(files, most, properties, count):
    assert len(partitions_of(files, most, properties)) == count


def test_adjacent_row_groups_of_a_partition_are_one_part():
    assert ranges(
        partitions_of([file(64 * MIB, [4, 16 * MIB, 32 * MIB, 48 * MIB])], 32 * MIB, {})
    ) == [[(0, 32 * MIB)], [(32 * MIB, END)]]


@given(
    st.integers(1, 300 * MIB),
    st.lists(st.integers(0, 300 * MIB)),
    st.none() | st.integers(1, 64 * MIB),
)
def test_each_byte_of_a_file_is_in_one_part(size, offsets, most):
    parts = sorted(
        pair for parts in ranges(partitions_of([file(size, offsets)], most, {})) for pair in parts
    )

    assert parts[0][0] == 0
    assert [end for _, end in parts] == [*[start for start, _ in parts[1:]], END]
