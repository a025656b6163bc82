"""Partitions and bounds that are not in the JSON form of their types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakepact.reference_server.faults import Install
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators.scans import changed, data_told


def _values(change: Callable[[Any], Any]) -> Install:
    """Values of partitions are told as `change(value)`."""
    return data_told(changed("partition", lambda partition: [change(one) for one in partition]))


def _bounds(change: Callable[[Any], Any]) -> Callable[[Document], Document]:
    return lambda bounds: {**bounds, "values": [change(one) for one in bounds["values"]]}


def _raw(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return value
    return (
        value.encode().hex()
        if isinstance(value, str)
        else value.to_bytes(8, "little", signed=True).hex()
    )


FAULTS = {
    "partitions-are-objects IRC-SCAN-SCH-008": data_told(
        changed(
            "partition",
            lambda partition: {str(1000 + place): value for place, value in enumerate(partition)},
        )
    ),
    "partitions-without-nulls IRC-SCAN-SCH-008": data_told(
        changed("partition", lambda partition: [one for one in partition if one is not None])
    ),
    "unpartitioned-files-are-null IRC-SCAN-SCH-008": data_told(
        changed("partition", lambda partition: partition or [None])
    ),
    "bounds-are-bytes IRC-SCAN-SCH-012": data_told(changed("lower-bounds", _bounds(_raw))),
    "decimals-are-numbers IRC-SCAN-SCH-014": _values(
        lambda value: (
            float(value)
            if isinstance(value, str) and value.replace(".", "", 1).isdigit()
            else value
        )
    ),
    "dates-are-days IRC-SCAN-SCH-014": _values(
        lambda value: (
            17_486 if isinstance(value, str) and len(value) == 10 and value[4:5] == "-" else value
        )
    ),
    "binary-is-lower-case IRC-SCAN-SCH-014": _values(
        lambda value: value.lower() if isinstance(value, str) and value.isalnum() else value
    ),
    "uuids-are-upper-case IRC-SCAN-SCH-014": _values(
        lambda value: value.upper() if isinstance(value, str) and len(value) == 36 else value
    ),
}
