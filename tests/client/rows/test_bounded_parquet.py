"""Batches of Parquet files are bounded by the bytes that their rows really have."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakepact.client.rows.bounded_parquet import BoundedParquet

MOST = 40 << 20
LONG = "x" * 20_000


def written(table, **options):
    content = io.BytesIO()
    pq.write_table(table, content, compression="zstd", store_schema=False, **options)
    return BoundedParquet(pa.BufferReader(content.getvalue()))


def batches(file):
    for group in range(file.metadata.num_row_groups):
        yield from file.batches(group, file.schema_arrow.names)


def coded(numbers, texts):
    return pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int32()), texts)


FILES = {
    "one text": lambda: pa.table(dict.fromkeys("abcd", coded([0] * 3000, [LONG]))),
    "long texts after short ones": lambda: pa.table(
        dict.fromkeys("abcd", coded([0] * 3000 + [1] * 3000, ["a", LONG]))
    ),
    "long texts after nulls": lambda: pa.table({"a": coded([None] * 3000 + [0] * 3000, [LONG])}),
    "texts in lists": lambda: pa.table(
        {"a": pa.ListArray.from_arrays(pa.array(range(0, 8001, 8)), coded([0] * 8000, [LONG]))}
    ),
    "texts in structs": lambda: pa.table(
        {"a": pa.StructArray.from_arrays([coded([0] * 3000, [LONG])], ["b"])}
    ),
    "texts in lists after empty lists": lambda: pa.table(
        {
            "a": pa.ListArray.from_arrays(
                pa.array([0] * 4096 + list(range(4097))), coded([0] * 4096, [LONG])
            )
        }
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_batches_of_repeated_texts_are_bounded(name):
    table = FILES[name]()
    sizes = [(batch.num_rows, batch.nbytes) for batch in batches(written(table))]

    assert sum(rows for rows, _ in sizes) == table.num_rows
    assert max(size for _, size in sizes) < MOST


def test_batches_of_texts_coded_by_their_start_are_bounded():
    table = pa.table({"a": [LONG] * 3000})
    file = written(table, use_dictionary=False, column_encoding={"a": "DELTA_BYTE_ARRAY"})

    assert max(batch.nbytes for batch in batches(file)) < MOST


def test_batches_grow_to_many_rows_of_few_bytes():
    assert max(batch.num_rows for batch in batches(written(pa.table({"a": range(9000)})))) == 2048


def test_rows_are_those_of_the_file():
    table = pa.table(
        {
            "text": ["a", None, "b" * 100] * 100,
            "list": [["a", None], [], None] * 100,
            "map": pa.array([[("a", "b")], None, []] * 100, pa.map_(pa.string(), pa.string())),
            "number": range(300),
        }
    )
    file = written(table, row_group_size=77)

    assert pa.Table.from_batches(batches(file)).to_pylist() == table.to_pylist()


def test_two_columns_of_one_name_raise_value_error():
    table = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], ["a", "a"])

    with pytest.raises(ValueError, match="two columns of a Parquet file have one name"):
        written(table)


def test_string_views_are_read():
    content = io.BytesIO()
    pq.write_table(pa.table({"a": pa.array(["x", None, LONG], pa.string_view())}), content)

    (table,) = BoundedParquet(pa.BufferReader(content.getvalue())).tables(["a"])

    assert table["a"].to_pylist() == ["x", None, LONG]
