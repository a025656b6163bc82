"""Partitions and bounds that are not in the JSON form of their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install
from lakepact.reference_server.iceberg_rest.faults.ways.scans import changed, data_told

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document


def _by_field(partition: list[Any]) -> dict[str, Any]:
    return {str(1000 + place): value for place, value in enumerate(partition)}


def _values(change: Callable[[Any], Any]) -> Install:
    """Values of partitions are told as `change(value)`."""
    return data_told(changed("partition", lambda partition: [change(one) for one in partition]))


def _bounds(change: Callable[[Any], Any]) -> Callable[[Document], Document]:
    return lambda bounds: {**bounds, "values": [change(one) for one in bounds["values"]]}


def _raw(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return value
    return value.encode().hex() if isinstance(value, str) else value.to_bytes(8, "little", signed=True).hex()


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, str) and value.replace(".", "", 1).isdigit() else value


def _days(value: Any) -> Any:
    return 17_486 if isinstance(value, str) and len(value) == 10 and value[4:5] == "-" else value


def _quiet(value: Any) -> Any:
    return value.lower() if isinstance(value, str) and value.isalnum() else value


FAULTS = (
    Fault(
        "partitions-are-objects", "Partitions are objects by field ids.", ("IRC-SCAN-SCH-008",), data_told(changed("partition", _by_field))
    ),
    Fault(
        "partitions-without-nulls",
        "Null is left out of partitions.",
        ("IRC-SCAN-SCH-008",),
        data_told(changed("partition", lambda partition: [one for one in partition if one is not None])),
    ),
    Fault(
        "unpartitioned-files-are-null",
        "Files without partition have a null.",
        ("IRC-SCAN-SCH-008",),
        data_told(changed("partition", lambda partition: partition or [None])),
    ),
    Fault("bounds-are-bytes", "Bounds are bytes.", ("IRC-SCAN-SCH-012",), data_told(changed("lower-bounds", _bounds(_raw)))),
    Fault("decimals-are-numbers", "Decimals are numbers.", ("IRC-SCAN-SCH-014",), _values(_number)),
    Fault("dates-are-days", "Dates are days.", ("IRC-SCAN-SCH-014",), _values(_days)),
    Fault("binary-is-lower-case", "Bytes are told in lower case.", ("IRC-SCAN-SCH-014",), _values(_quiet)),
    Fault(
        "uuids-are-upper-case",
        "UUIDs are told in upper case.",
        ("IRC-SCAN-SCH-014",),
        _values(lambda value: value.upper() if isinstance(value, str) and len(value) == 36 else value),
    ),
)
