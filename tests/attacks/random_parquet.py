"""Random Parquet files: pages and footers with a few changes, and bytes that mostly fit them."""

from __future__ import annotations

import io
import struct
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from attacks.parquet_files import (
    BINARY,
    CODECS,
    DATA_V2,
    DELTA,
    DICTIONARY,
    FIXED,
    I32,
    I64,
    IN_DICTIONARY,
    INT32,
    INT64,
    LENGTHS,
    PREFIXES,
    STRUCT,
    TEXT,
    Column,
    Page,
    levels,
    numbers,
    parquet,
    run,
)

COUNTS = [0, 1, 2, 7, 128, 1000, 1 << 20, 1 << 27, (1 << 31) - 1]
#: Large pages take long to compress.
SIZES = [0, 1, 4, 100, 20_000, 1 << 20] * 5 + [60 << 20]
MOST = [1 << 20] * 30 + [80 << 20]
NUMBERS = [0, 1, -1, 5, 2**31 - 1, -(2**31)]


class RandomParquet:
    """Writes files with the columns `id` and `text` by one source of chance."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def file(self) -> bytes:
        """Return a file."""
        chance = self._random
        content = self._by_library() if chance.random() < 0.4 else self._by_hand()
        changed = bytearray(content)
        for _ in range(chance.choice([0] * 8 + [1, 1, 3, 20])):
            place = chance.randrange(4, len(changed))
            changed[place : place + chance.choice([0, 1, 1, 1, 4])] = chance.randbytes(
                chance.choice([0, 1, 1, 1, 4])
            )
        return bytes(changed)

    def _by_library(self) -> bytes:
        chance = self._random
        rows = chance.choice([1, 100, 3000])
        long = "x" * chance.choice([1, 10, 1000, 20_000])
        texts = chance.choice(
            [
                [long] * rows,
                [long[: n % 50] for n in range(rows)],
                [None] * rows,
                [long, None] * rows,
            ]
        )
        table = pa.table({"id": range(len(texts)), "text": pa.array(texts, pa.string())})
        content = io.BytesIO()
        encoding = chance.choice([None, None, "PLAIN", "DELTA_BYTE_ARRAY"])
        pq.write_table(
            table,
            content,
            compression=chance.choice(["none", "zstd", "snappy", "gzip", "lz4"]),
            data_page_version=chance.choice(["1.0", "2.0"]),
            data_page_size=chance.choice([100, 5000, 1 << 20]),
            row_group_size=chance.choice([50, 10_000]),
            use_dictionary=encoding is None,
            column_encoding={"text": encoding} if encoding else None,
        )
        return content.getvalue()

    def _by_hand(self) -> bytes:
        chance = self._random
        rows = chance.choice(COUNTS)
        codec = chance.choice(list(CODECS))
        types = [
            chance.choice([INT64] * 6 + [INT32, FIXED, TEXT]),
            chance.choice([TEXT] * 6 + [INT64]),
        ]
        columns = [
            Column(
                name,
                kind,
                self._pages(kind, rows, codec, repetition := chance.choice([0, 0, 0, 1, 1, 1, 2])),
                repetition,
                length=chance.choice(SIZES) if kind == FIXED else None,
                count=chance.choice([None] * 9 + COUNTS),
                footer=self._footer(),
            )
            for name, kind in zip(("id", "text"), types, strict=True)
        ]
        return parquet(rows, *columns)

    def _footer(self) -> dict[int, tuple[int, Any]]:
        chance = self._random
        changes: dict[int, tuple[int, Any]] = self._changes([5, 6, 7, 9, 11], I64, 0.03)
        if chance.random() < 0.2:
            values = {number: (BINARY, b"1" * chance.choice([0, 1, 4, 8])) for number in (1, 2)}
            changes[12] = STRUCT, values
        return changes | self._changes([4], I32, 0.02)

    def _changes(self, fields: list[int], kind: int, share: float) -> dict[int, tuple[int, int]]:
        chance = self._random
        return {
            number: (chance.choice([kind] * 9 + [I32, I64]), chance.choice(NUMBERS))
            for number in fields
            if chance.random() < share
        }

    def _pages(self, kind: int, rows: int, codec: str, repetition: int) -> list[Page]:
        chance = self._random
        pages = []
        if is_coded := chance.random() < 0.5:
            size = chance.choice(SIZES) if kind == TEXT else 8
            text = struct.pack("<I", size) + b"x" * size if kind == TEXT else b"\1" * size
            count = chance.choice([1] * 9 + COUNTS)
            pages.append(Page(text, count, chance.choice([0, 0, 0, 2]), DICTIONARY, codec))
        for _ in range(chance.choice([1, 1, 2, 5])):
            count = chance.choice([rows, rows, chance.choice(COUNTS)])
            prefix = b"".join(
                levels(run(count, chance.choice([0, 1, 1])))
                for is_there in (repetition == 2, repetition > 0)
                if is_there
            )
            encoding, content = self._values(kind, count, is_coded=is_coded)
            pages.append(
                Page(
                    prefix + content,
                    count,
                    encoding,
                    chance.choice([0, 0, 0, DATA_V2]),
                    codec,
                    self._changes([1, 2, 3], I32, 0.02),
                )
            )
        chance.shuffle(pages) if chance.random() < 0.1 else None
        return pages

    def _values(self, kind: int, count: int, *, is_coded: bool) -> tuple[int, bytes]:
        chance = self._random
        if is_coded and chance.random() < 0.8:
            return IN_DICTIONARY, b"\1" + run(count)
        claim = chance.choice([count, count, count, chance.choice(COUNTS)])
        deltas = numbers(claim, first=chance.choice([0, 1, 1000, 2**30]))
        plain = (0, b"\0" * min(chance.choice([count * 8, count * 4, 100]), chance.choice(MOST)))
        numeric = [plain, (DELTA, deltas)]
        texts = [
            plain,
            (LENGTHS, numbers(claim) + b"x" * 1000),
            (LENGTHS, deltas + b"x" * 1000),
            (PREFIXES, deltas + numbers(count) + b"x" * 1000),
            (PREFIXES, numbers(claim) + numbers(count) + b"x" * 1000),
        ]
        if chance.random() < 0.1:
            return chance.choice([*numeric, *texts])
        return chance.choice(texts if kind == TEXT else numeric)
