"""Parquet files are read in batches that are bounded by the bytes of their decoded rows."""

import gc
import io
import struct
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attacks.parquet_files import (
    BINARY,
    DATA_V2,
    DELTA,
    DICTIONARY,
    FIXED,
    I32,
    IN_DICTIONARY,
    INT64,
    LENGTHS,
    LIST,
    OPTIONAL,
    PREFIXES,
    REPEATED,
    STRUCT,
    TEXT,
    Column,
    Page,
    levels,
    numbers,
    parquet,
    run,
    thrift,
)
from lakepact.formats.footers import check_footer
from lakepact.formats.limits import Limit, TooLarge, Unreadable
from lakepact.formats.pages import Pages
from lakepact.formats.parquet import BoundedParquet

MOST = 40 << 20
LONG = "x" * 20_000
MIB = 1 << 20
LIMIT = Limit(64 * MIB, "--most")


def opened(content, limit=LIMIT):
    return BoundedParquet(pa.BufferReader(content), limit)


@contextmanager
def peak_below(most):
    """Check the most bytes that pyarrow has at once."""
    pool, own = pa.proxy_memory_pool(pa.default_memory_pool()), pa.default_memory_pool()
    pa.set_memory_pool(pool)
    try:
        yield
    finally:
        pa.set_memory_pool(own)
    assert pool.max_memory() < most


def written(table, **options):
    content = io.BytesIO()
    pq.write_table(table, content, compression="zstd", store_schema=False, **options)
    return opened(content.getvalue(), Limit(256 * MIB, "--most"))


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


def test_batches_of_plain_texts_are_bounded_where_long_ones_follow():
    table = pa.table({"a": ["a"] * 300_000 + [LONG] * 4000})
    file = written(table, use_dictionary=False, data_page_size=MIB)

    sizes = [(batch.num_rows, batch.nbytes) for batch in batches(file)]
    assert sum(rows for rows, _ in sizes) == table.num_rows
    assert max(rows for rows, _ in sizes) > 60_000
    assert max(size for _, size in sizes) < MOST


def test_batches_grow_to_many_rows_of_few_bytes():
    table = pa.table({"a": range(400_000), "b": [f"name {n % 1000}" for n in range(400_000)]})

    assert max(batch.num_rows for batch in batches(written(table))) == 131_072


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "brotli", "lz4", "zstd"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", None])
def test_rows_of_each_encoding_are_read(compression, version, encoding):
    table = pa.table(
        {
            "text": ["a" * (n % 300) if n % 7 else None for n in range(3000)],
            "list": [["b" * n for n in range(m % 5)] for m in range(3000)],
        }
    )
    content = io.BytesIO()
    columns = ["text", "list.list.element"]
    pq.write_table(
        table,
        content,
        compression=compression,
        data_page_version=version,
        data_page_size=2000,
        use_dictionary=encoding is None,
        column_encoding=dict.fromkeys(columns, encoding) if encoding else None,
    )

    assert pa.Table.from_batches(batches(opened(content.getvalue()))) == table


def dictionary(content, count, codec="zstd"):
    return Page(content, count, kind=DICTIONARY, codec=codec)


def coded_page(rows, codec="zstd", prefix=b""):
    return Page(prefix + b"\0" + run(rows), rows, IN_DICTIONARY, codec=codec)


def long_text(size):
    return struct.pack("<I", size) + b"x" * size


#: By name: a file of few bytes, and a part of the message.
HOSTILE = {
    "page": lambda: parquet(16, Column("a", INT64, [Page(b"\0" * 100 * MIB, 16, codec="zstd")])),
    "page of version 2": lambda: parquet(
        16, Column("a", INT64, [Page(b"\0" * 100 * MIB, 16, codec="zstd", kind=DATA_V2)])
    ),
    "dictionary": lambda: parquet(
        16, Column("a", TEXT, [dictionary(long_text(100 * MIB), 1), coded_page(16)])
    ),
    "texts of four columns": lambda: parquet(
        16,
        *(
            Column(name, TEXT, [dictionary(long_text(20 * MIB), 1), coded_page(16)])
            for name in "abcd"
        ),
    ),
    "row": lambda: parquet(
        1,
        Column(
            "a",
            INT64,
            [
                dictionary(b"\0" * 8, 1),
                coded_page(
                    1 << 27,
                    prefix=levels(run(1), run((1 << 27) - 1, 1)) + levels(run(1 << 27, 1)),
                ),
            ],
            REPEATED,
        ),
    ),
    "fixed length": lambda: parquet(
        16, Column("a", FIXED, [Page(levels(run(16)), 16)], OPTIONAL, length=100 * MIB)
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_file_of_few_bytes_that_decodes_to_many_is_refused(name):
    content = HOSTILE[name]()
    assert len(content) < 20_000
    file = opened(content)

    with peak_below(64 * MIB), pytest.raises(TooLarge, match=r"67108864 bytes .*; --most allows"):
        list(batches(file))


CLAIMS = {
    "lengths": Column("a", TEXT, [Page(numbers(1 << 28), 16, LENGTHS)]),
    "prefixes": Column("a", TEXT, [Page(numbers(1 << 28) + numbers(16), 16, PREFIXES)]),
    "suffixes": Column("a", TEXT, [Page(numbers(16) + numbers(1 << 28), 16, PREFIXES)]),
    "lengths of version 2": Column("a", TEXT, [Page(numbers(1 << 28), 16, LENGTHS, DATA_V2)]),
    "late dictionary": Column(
        "a",
        TEXT,
        [
            Page(long_text(9), 1),
            dictionary(long_text(9), 1, "none"),
            Page(b"\0" + run(15), 15, IN_DICTIONARY),
        ],
    ),
    "dictionary of many values": Column(
        "a", TEXT, [dictionary(b"\0" * 8, 1 << 28), coded_page(16)]
    ),
    "no count": Column("a", INT64, [Page(b"\0" * 128, 16, header={5: (12, {})})]),
    "size of another type": Column("a", INT64, [Page(b"\0" * 128, 16, header={2: (6, 128)})]),
    "a page behind the column": Column("a", INT64, [Page(b"", 16, header={3: (5, 1000)})]),
    "negative size": Column("a", INT64, [Page(b"", 16, header={3: (5, -9)})]),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_pages_with_false_claims_are_refused(name):
    with peak_below(MIB), pytest.raises(ValueError, match=r"page|dictionary"):
        list(batches(opened(parquet(16, CLAIMS[name]))))


def test_many_numbers_of_few_bytes_are_read():
    file = opened(parquet(10**6, Column("a", INT64, [Page(numbers(10**6), 10**6, DELTA)])))

    with peak_below(16 * MIB):
        assert sum(batch.num_rows for batch in batches(file)) == 10**6


def test_one_row_above_a_batch_is_read_within_the_limit():
    page = Page(long_text(40 * MIB), 1, codec="zstd")
    file = opened(parquet(3, Column("a", TEXT, [page] * 3)), Limit(200 * MIB, "--most"))

    assert [batch.num_rows for batch in batches(file)] == [1, 1, 1]


def test_fixed_column_whose_reserved_rows_exceed_the_limit_is_refused():
    content = io.BytesIO()
    pq.write_table(pa.table({"a": pa.nulls(20, pa.binary(24 * MIB))}), content)

    with peak_below(16 * MIB), pytest.raises(TooLarge, match="--most allows"):
        list(batches(opened(content.getvalue(), Limit(256 * MIB, "--most"))))


def test_columns_of_the_same_bytes_are_refused():
    first = Column("a", INT64, [Page(b"\0" * 128, 16)])
    second = Column("b", INT64, [], count=16, footer={9: (6, 4), 7: (6, 150)})

    with pytest.raises(ValueError, match="two columns of a Parquet file have the same bytes"):
        list(batches(opened(parquet(16, first, second))))


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

    (table,) = opened(content.getvalue()).tables(["a"])

    assert table["a"].to_pylist() == ["x", None, LONG]


#: Footers for which pyarrow ends the process once something of a column is asked.
FOOTERS = {
    "codec": ({"footer": {4: (I32, 36)}}, "the unknown codec 36"),
    "statistics": ({"footer": {12: (STRUCT, {1: (BINARY, b"1")})}}, "has 1 bytes, expected 8"),
    "encrypted": ({"chunk": {8: (STRUCT, {2: (STRUCT, {})})}}, "a column is encrypted"),
    "columns": ({"is_in_schema": False}, "has 2 columns, and the schema 1"),
}


@pytest.mark.parametrize("name", FOOTERS)
def test_footer_that_would_end_the_process_is_refused(name):
    fields, message = FOOTERS[name]
    pages = [Page(b"\0" * 8, 1)]
    content = parquet(1, Column("id", INT64, pages), Column("other", INT64, pages, **fields))

    with pytest.raises(Unreadable, match=message):
        opened(content)


@pytest.mark.parametrize("number", [2, 4, 5])
def test_footer_with_items_of_another_type_is_refused(number):
    """Readers take the items for structures, whatever type the list states."""
    with pytest.raises(Unreadable, match="items of another type"):
        check_footer(thrift({number: (LIST, (I32, [0]))}))


def test_footer_longer_than_the_first_fetch_is_read():
    names = [f"a column with a rather long name {number}" for number in range(1000)]
    content = io.BytesIO()
    pq.write_table(pa.table({name: [1] for name in names}), content)

    assert opened(content.getvalue()).schema_arrow.names == names


def test_bytes_of_a_row_group_are_freed_without_garbage_collection():
    content = io.BytesIO()
    pq.write_table(pa.table({"n": [1, 2]}), content)
    gc.collect()
    of_others = [each for each in gc.get_objects() if isinstance(each, Pages)]
    gc.disable()
    try:
        list(opened(content.getvalue()).tables(["n"]))
        pages = [each for each in gc.get_objects() if isinstance(each, Pages)]
        assert len(pages) == len(of_others)
    finally:
        gc.enable()
