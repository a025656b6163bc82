"""Partitions and bounds that are not in the JSON form of their types."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Install, fault
from mutants.iceberg_rest.operators.scans import changed, data_told

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document


def _values(change: Callable[[Any], Any]) -> Install:
    """Values of partitions are told as `change(value)`."""
    return data_told(changed("partition", lambda partition: [change(one) for one in partition]))


def _bounds(change: Callable[[Any], Any]) -> Callable[[Document], Document]:
    return lambda bounds: {**bounds, "values": [change(one) for one in bounds["values"]]}


def _raw(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return value
    return value.encode().hex() if isinstance(value, str) else value.to_bytes(8, "little", signed=True).hex()


@fault("IRC-SCAN-SCH-008", by=lambda act: data_told(changed("partition", act)))
def partitions_are_objects(partition: list[Any]) -> dict[str, Any]:
    """Partitions are objects by field ids."""
    return {str(1000 + place): value for place, value in enumerate(partition)}


@fault("IRC-SCAN-SCH-008")
def partitions_without_nulls() -> Install:
    """Null is left out of partitions."""
    return data_told(changed("partition", lambda partition: [one for one in partition if one is not None]))


@fault("IRC-SCAN-SCH-008")
def unpartitioned_files_are_null() -> Install:
    """Files without partition have a null."""
    return data_told(changed("partition", lambda partition: partition or [None]))


@fault("IRC-SCAN-SCH-012")
def bounds_are_bytes() -> Install:
    """Bounds are bytes."""
    return data_told(changed("lower-bounds", _bounds(_raw)))


@fault("IRC-SCAN-SCH-014", by=partial(_values))
def decimals_are_numbers(value: Any) -> Any:
    """Decimals are numbers."""
    return float(value) if isinstance(value, str) and value.replace(".", "", 1).isdigit() else value


@fault("IRC-SCAN-SCH-014", by=partial(_values))
def dates_are_days(value: Any) -> Any:
    """Dates are days."""
    return 17_486 if isinstance(value, str) and len(value) == 10 and value[4:5] == "-" else value


@fault("IRC-SCAN-SCH-014", by=partial(_values))
def binary_is_lower_case(value: Any) -> Any:
    """Binary values are in lower-case hex."""
    return value.lower() if isinstance(value, str) and value.isalnum() else value


@fault("IRC-SCAN-SCH-014")
def uuids_are_upper_case() -> Install:
    """UUIDs are in upper case."""
    return _values(lambda value: value.upper() if isinstance(value, str) and len(value) == 36 else value)
