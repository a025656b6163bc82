"""Default values of columns in another form than the type of the column prescribes."""

from __future__ import annotations

from typing import Any

from lakepact.reference_server.faults import Install
from mutants.iceberg_rest.protocol.schemas import CARRIERS, FIELDS, on_answer_at

#: By component: the type of the column, and a default value that is wrong for it.
WRONG: dict[str, tuple[str, Any]] = {
    "BooleanTypeValue": ("boolean", "true"),
    "IntegerTypeValue": ("int", "5"),
    "LongTypeValue": ("long", "9007199254740993"),
    "FloatTypeValue": ("float", "1.5"),
    "DoubleTypeValue": ("double", "1.5"),
    "DecimalTypeValue": ("decimal(9, 2)", 12.5),
    "StringTypeValue": ("string", {"string": "before"}),
    "UUIDTypeValue": ("uuid", "0190d6b47ad07c3f8f0e6d2f1f0c9a51"),
    "DateTypeValue": ("date", "19782"),
    "TimeTypeValue": ("time", 81_068_123_456),
    "TimestampTypeValue": ("timestamp", 1_510_871_468_123_456),
    "TimestampTzTypeValue": ("timestamptz", 1_510_871_468_123_456),
    "TimestampNanoTypeValue": ("timestamp_ns", 1_510_871_468_123_456_789),
    "TimestampTzNanoTypeValue": ("timestamptz_ns", 1_510_871_468_123_456_789),
    "FixedTypeValue": ("fixed[4]", [0, 1, 2, 255]),
    "BinaryTypeValue": ("binary", [0, 1, 2, 255]),
}


def _default(kind: str, value: Any) -> Install:
    def change(column: Any) -> Any:
        if (
            not isinstance(column, dict)
            or column.get("type") != kind
            or "initial-default" not in column
        ):
            return column
        return {**column, "initial-default": value}

    return on_answer_at(CARRIERS, FIELDS, change)


def _words(component: str, kind: str, value: Any) -> str:
    name = (
        f"defaults-of-{kind.partition('(')[0].partition('[')[0].replace('_', '-')}-in-another-form"
    )
    return f"{name} IRC-SCH-{component}{' IRC-SCH-PrimitiveTypeValue' if isinstance(value, (dict, list)) else ''}"


FAULTS = {
    _words(component, kind, value): _default(kind, value)
    for component, (kind, value) in WRONG.items()
}
