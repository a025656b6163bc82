"""Avro files are checked and decompressed before pyiceberg decodes them."""

import io

import fastavro
import pyarrow as pa
import pytest

from attacks.avro_files import block, header
from lakepact.formats.avro import Avro
from lakepact.formats.limits import Limit, TooLarge, Unreadable

SCHEMA = {"type": "record", "name": "r", "fields": [{"name": "a", "type": "string"}]}
RECORDS = [{"a": "x" * n} for n in range(300)]
MIB = 1 << 20


def written(codec):
    content = io.BytesIO()
    fastavro.writer(content, SCHEMA, RECORDS, codec=codec, sync_interval=5000)
    return content.getvalue()


@pytest.mark.parametrize("codec", ["null", "deflate", "bzip2"])
def test_files_come_decompressed_with_their_records(codec):
    content = Avro(written(codec), Limit(4 * MIB, "--most")).decompress()

    reader = fastavro.reader(io.BytesIO(content))
    assert (reader.codec, list(reader)) == ("null", RECORDS)


@pytest.mark.parametrize(
    ("name", "pack"),
    [("zstandard", "zstd"), ("snappy", "snappy")],
)
def test_blocks_of_codecs_of_arrow_are_decompressed(name, pack):
    packed = pa.Codec(pack).compress(b"\x02a" * 1000, asbytes=True)
    content = header(SCHEMA, avro_codec=name) + block(1000, packed + b"crc4" * (pack == "snappy"))

    assert list(Avro(content, Limit(4 * MIB, "--most")).blocks()) == [(b"\x02a" * 1000, 1000)]


@pytest.mark.parametrize("codec", ["deflate", "bzip2"])
def test_blocks_above_the_limit_name_the_setting(codec):
    with pytest.raises(TooLarge, match="too many bytes when decompressed; --most allows more"):
        list(Avro(written(codec), Limit(40_000, "--most")).blocks())


def test_block_that_cannot_be_decompressed_is_unreadable():
    content = written("null").replace(b"null", b"snappy").replace(b"\x08snappy", b"\x0csnappy")

    with pytest.raises(Unreadable, match="a block cannot be decompressed"):
        Avro(content, Limit(4 * MIB, "--most")).decompress()


def test_long_record_names_the_setting():
    with pytest.raises(TooLarge, match="a record is longer than 156 bytes; --most allows more"):
        Avro(written("null"), Limit(40_000, "--most")).decompress()
