"""Default values of columns in another form than the type of the column prescribes."""

from __future__ import annotations

from typing import Any

from lakepact.reference_server.faults import Fault
from mutants.iceberg_rest.protocol.schemas import CARRIERS, FIELDS, answered

#: By component: the type of the column, what its defaults are, and a value of that kind.
WRONG: dict[str, tuple[str, str, Any]] = {
    "BooleanTypeValue": ("boolean", "words", "true"),
    "IntegerTypeValue": ("int", "texts", "5"),
    "LongTypeValue": ("long", "texts", "9007199254740993"),
    "FloatTypeValue": ("float", "texts", "1.5"),
    "DoubleTypeValue": ("double", "texts", "1.5"),
    "DecimalTypeValue": ("decimal(9, 2)", "numbers", 12.5),
    "StringTypeValue": ("string", "objects", {"string": "before"}),
    "UUIDTypeValue": ("uuid", "without hyphens", "0190d6b47ad07c3f8f0e6d2f1f0c9a51"),
    "DateTypeValue": ("date", "days since 1970, as text", "19782"),
    "TimeTypeValue": ("time", "microseconds", 81_068_123_456),
    "TimestampTypeValue": ("timestamp", "microseconds", 1_510_871_468_123_456),
    "TimestampTzTypeValue": ("timestamptz", "microseconds", 1_510_871_468_123_456),
    "TimestampNanoTypeValue": ("timestamp_ns", "nanoseconds", 1_510_871_468_123_456_789),
    "TimestampTzNanoTypeValue": ("timestamptz_ns", "nanoseconds", 1_510_871_468_123_456_789),
    "FixedTypeValue": ("fixed[4]", "arrays of bytes", [0, 1, 2, 255]),
    "BinaryTypeValue": ("binary", "arrays of bytes", [0, 1, 2, 255]),
}


def _fault(component: str, kind: str, what: str, value: Any) -> Fault:
    def change(column: Any) -> Any:
        if not isinstance(column, dict) or column.get("type") != kind or "initial-default" not in column:
            return column
        return {**column, "initial-default": value}

    besides = ("IRC-SCH-PrimitiveTypeValue",) if isinstance(value, (dict, list)) else ()
    return Fault(
        f"defaults-of-{kind.partition('(')[0].partition('[')[0].replace('_', '-')}-in-another-form",
        f"Default values of columns of the type {kind} are {what}.",
        (f"IRC-SCH-{component}", *besides),
        answered(CARRIERS, FIELDS, change),
    )


FAULTS = tuple(_fault(component, *wrong) for component, wrong in WRONG.items())
