"""Partition values that are written otherwise than their types demand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

from mutants.delta_sharing.operators.lines import QUERY, on_files, on_partition_values

NUMBERS = ("p_long", "p_integer", "p_short", "p_byte", "n", "year")


def _of(names: tuple[str, ...], edit: Callable[[str], Any]) -> Callable[[str, str | None], Any]:
    """Write the values of some columns otherwise."""
    return lambda name, value: edit(value) if name in names and value is not None else value


FAULTS = {
    "partition-columns-in-small-letters DS-QRY-09": on_files(
        QUERY,
        lambda file: file.update(
            partitionValues={name.lower(): value for name, value in file["partitionValues"].items()}
        ),
    ),
    "partition-values-are-unescaped DS-PV-03": on_partition_values(
        lambda _name, value: value and unquote(value)
    ),
    "partition-values-are-trimmed DS-PV-03": on_partition_values(
        lambda _name, value: value and value.strip()
    ),
    "the-word-null-is-null DS-PV-02": on_partition_values(
        lambda _name, value: None if value == "null" else value
    ),
    "large-numbers-are-doubles DS-PV-04": on_partition_values(
        lambda _name, value: str(int(float(value))) if value and value.isdigit() else value
    ),
    "partition-values-are-typed DS-PV-01": on_partition_values(_of(NUMBERS, int)),
    "null-is-a-word DS-PV-02": on_partition_values(
        lambda _, value: "null" if value is None else value
    ),
    "null-is-hives DS-PV-02": on_partition_values(
        lambda _, value: "__HIVE_DEFAULT_PARTITION__" if value is None else value
    ),
    "texts-are-escaped DS-PV-03 DS-QRY-09": on_partition_values(
        lambda _, value: value and quote(value)
    ),
    "numbers-have-points DS-PV-04": on_partition_values(_of(NUMBERS, lambda value: f"{value}.0")),
    "dates-have-slashes DS-PV-05": on_partition_values(
        _of(("p_date", "day"), lambda value: value.replace("-", "/"))
    ),
    "times-have-no-seconds DS-PV-06": on_partition_values(
        _of(("p_timestamp",), lambda value: value[:16])
    ),
    "times-are-an-hour-late DS-PV-06": on_partition_values(
        _of(("p_timestamp",), lambda value: value.replace(" 03:", " 04:"))
    ),
    "booleans-are-capitalised DS-PV-07": on_partition_values(_of(("p_boolean",), str.capitalize)),
}
