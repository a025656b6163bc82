"""Delta tables written by delta-rs: every type, every partition column, and columns of before they
were widened.
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from math import inf, nan
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import write_deltalake

_LONG = "x" * 100
_NTZ = (
    (datetime(2024, 1, 1, 0, 0, 0, 123456), datetime(2024, 1, 1, 0, 0, 0, 123999)),  # noqa: DTZ001
    (datetime(1969, 12, 31, 23, 59, 59, 999999), None),  # noqa: DTZ001
    (datetime(9999, 12, 31, 23, 59, 59, 999999),),  # noqa: DTZ001
    (datetime(1, 1, 3, 0, 0, 0, 1), datetime(1850, 6, 1, 12, 0, 0, 1)),  # noqa: DTZ001
    (None,),
)
#: For each column, its type and the values of each file.
VALUES: dict[str, tuple[Any, tuple[tuple[Any, ...], ...]]] = {
    "c_byte": (pa.int8(), ((1, 2), (127,), (-128, 0), (None,), (5, None))),
    "c_short": (pa.int16(), ((300, 301), (32767,), (-32768, 0), (None,), (-5, None))),
    "c_int": (pa.int32(), ((70000,), (2**31 - 1,), (-(2**31), 0), (None,), (16777217, None))),
    "c_long": (
        pa.int64(),
        ((5 * 10**9, 5), (2**63 - 1,), (-(2**63), 0), (None,), (2**53 + 1, None)),
    ),
    "c_float": (
        pa.float32(),
        (
            (3.4, 3.5),
            (nan, 1.5, 2.7),
            (-0.0,),
            (0.0, -inf),
            (7.038531e-26, 1e-45),
            (nan, None),
            (3.4028235e38,),
            (None,),
        ),
    ),
    "c_double": (
        pa.float64(),
        (
            (3.4, 3.5),
            (nan, 1.5, 2.7),
            (-0.0,),
            (0.0, inf),
            (1e-320, 1e300),
            (nan, None),
            (0.1 + 0.2, 0.1),
            (None,),
        ),
    ),
    "c_decimal": (
        pa.decimal128(9, 2),
        (
            (Decimal("1.10"), Decimal("2.20")),
            (Decimal("-9999999.99"),),
            (None,),
            (Decimal("-0.01"), None),
        ),
    ),
    "c_decimal_18_4": (
        pa.decimal128(18, 4),
        (
            (Decimal("12345678901234.5678"),),
            (Decimal("99999999999999.9999"), Decimal(-1)),
            (Decimal("-99999999999999.9999"),),
            (None,),
        ),
    ),
    "c_decimal_38_0": (
        pa.decimal128(38, 0),
        (
            (Decimal(12345678901234567),),
            (Decimal(10**38 - 1), Decimal(1)),
            (Decimal(-(10**38) + 1),),
            (None,),
            (Decimal(2**63 + 5), None),
        ),
    ),
    "c_decimal_38_30": (
        pa.decimal128(38, 30),
        (
            (Decimal("5." + "0" * 29 + "1"),),
            (Decimal("0.1"), Decimal("99999999.9")),
            (Decimal(-5), None),
        ),
    ),
    "c_string": (
        pa.string(),
        (
            ("b", "d"),
            (_LONG + "a", _LONG + "é"),
            (_LONG[:63] + "😀😀",),
            ("", None),
            ("é", "\uff21\uff21"),
            (None,),
            (chr(0x10FFFF) * 70,),
        ),
    ),
    "c_boolean": (pa.bool_(), ((True,), (False,), (True, False), (None,), (True, None))),
    "c_date": (
        pa.date32(),
        (
            (date(2024, 1, 2), date(2024, 1, 4)),
            (date(1969, 12, 31), None),
            (date(1, 1, 1),),
            (date(9999, 12, 31),),
            (None,),
        ),
    ),
    "c_binary": (pa.binary(), ((b"\x00\xff", b"\x01"), (b"\xff",), (None,), (b"",))),
    "c_timestamp_ntz": (pa.timestamp("us"), _NTZ),
    "c_timestamp": (
        pa.timestamp("us", "UTC"),
        tuple(tuple(each and each.replace(tzinfo=UTC) for each in group) for group in _NTZ),
    ),
}
#: Columns whose type the last version of the table widens, as type widening allows.
WIDER = {
    "c_byte": "double",
    "c_short": "decimal(12,2)",
    "c_int": "long",
    "c_long": "decimal(22,2)",
    "c_float": "double",
    "c_decimal": "decimal(38,4)",
    "c_date": "timestamp_ntz",
}
_UNFIT = {"c_binary", "c_decimal_38_30"}


def write(folder: Path) -> None:
    """Write all tables into a folder."""
    for number in range(8):
        columns = {
            column: pa.array(groups[number % len(groups)], kind)
            for column, (kind, groups) in VALUES.items()
        }
        rows = pa.table(
            {column: pa.concat_arrays([values] * 3)[:3] for column, values in columns.items()}
        )
        write_deltalake(folder / "types", rows, mode="append")
        write_deltalake(folder / "widened", rows.select(list(WIDER)), mode="append")
    _widen(folder / "widened", WIDER)
    for column, (kind, groups) in VALUES.items():
        if column not in _UNFIT:
            values = list(
                dict.fromkeys(value for group in groups for value in group if _is_writable(value))
            )
            rows = pa.table(
                {"row": pa.array(range(len(values)), pa.int32()), column: pa.array(values, kind)}
            )
            write_deltalake(folder / f"by_{column}", rows, partition_by=[column])
            if column in WIDER:
                write_deltalake(folder / f"by_wider_{column}", rows, partition_by=[column])
                _widen(folder / f"by_wider_{column}", {column: WIDER[column]})


def _is_writable(value: Any) -> bool:
    """Return whether delta-rs can partition by a value: folders have short names, and it writes
    -0.01 as `0.-1`.
    """
    if isinstance(value, str):
        return len(value) < 20
    if isinstance(value, float):
        return value in {0.0, inf, -inf} or value != value or 1e-30 < value < 1e30
    return not (isinstance(value, Decimal) and value < 0 and value != value.to_integral_value())


def _widen(table: Path, kinds: dict[str, str]) -> None:
    """Commit the wider types of columns; delta-rs changes none itself."""
    log = table / "_delta_log"
    actions = [
        json.loads(line)
        for path in sorted(log.glob("*.json"))
        for line in path.read_text().splitlines()
    ]
    metadata = next(action["metaData"] for action in reversed(actions) if "metaData" in action)
    schema = json.loads(metadata["schemaString"])
    for field in schema["fields"]:
        if (wider := kinds.get(field["name"])) is not None:
            field["metadata"] = {
                "delta.typeChanges": [{"fromType": field["type"], "toType": wider}]
            }
            field["type"] = wider
    features = ["timestampNtz", "typeWidening"]
    protocol = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": features,
        "writerFeatures": features,
    }
    lines = [{"protocol": protocol}, {"metaData": metadata | {"schemaString": json.dumps(schema)}}]
    number = len(list(log.glob("*.json")))
    (log / f"{number:020}.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
