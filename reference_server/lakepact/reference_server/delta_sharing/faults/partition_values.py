"""Partition values that are written otherwise than their types demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from lakepact.reference_server.delta_sharing.faults.ways.lines import QUERY, on_files, on_partition_values
from lakepact.reference_server.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBERS = ("p_long", "p_integer", "p_short", "p_byte", "n", "year")


def _of(names: tuple[str, ...], edit: Callable[[str], Any]) -> Callable[[str, str | None], Any]:
    """Write the values of some columns otherwise."""
    return lambda name, value: edit(value) if name in names and value is not None else value


def _unescaped(_name: str, value: str | None) -> str | None:
    return value and unquote(value)


def _trimmed(_name: str, value: str | None) -> str | None:
    return value and value.strip()


def _null_by_word(_name: str, value: str | None) -> str | None:
    return None if value == "null" else value


def _rounded(_name: str, value: str | None) -> str | None:
    return str(int(float(value))) if value and value.isdigit() else value


def _in_small_letters(file: dict[str, Any]) -> None:
    file["partitionValues"] = {name.lower(): value for name, value in file["partitionValues"].items()}


FAULTS = (
    Fault(
        "partition-columns-in-small-letters",
        "Files name their partition columns in small letters.",
        ("DS-QRY-09",),
        on_files(QUERY, _in_small_letters),
    ),
    Fault(
        "partition-values-are-unescaped",
        "What looks like an escape in a string is taken for one.",
        ("DS-PV-03",),
        on_partition_values(_unescaped),
    ),
    Fault("partition-values-are-trimmed", "Strings lose the spaces around them.", ("DS-PV-03",), on_partition_values(_trimmed)),
    Fault("the-word-null-is-null", "A string that says null is one.", ("DS-PV-02",), on_partition_values(_null_by_word)),
    Fault("large-numbers-are-doubles", "Large whole numbers are rounded to doubles.", ("DS-PV-04",), on_partition_values(_rounded)),
    Fault(
        "partition-values-are-typed",
        "Whole numbers are partition values as JSON numbers.",
        ("DS-PV-01",),
        on_partition_values(_of(NUMBERS, int)),
    ),
    Fault(
        "null-is-a-word",
        "A null as partition value is the text null.",
        ("DS-PV-02",),
        on_partition_values(lambda _, value: "null" if value is None else value),
    ),
    Fault(
        "null-is-hives",
        "A null as partition value is the text that directories have for it.",
        ("DS-PV-02",),
        on_partition_values(lambda _, value: "__HIVE_DEFAULT_PARTITION__" if value is None else value),
    ),
    Fault(
        "texts-are-escaped",
        "Texts as partition values are percent-encoded, as in paths.",
        ("DS-PV-03", "DS-QRY-09"),
        on_partition_values(lambda _, value: value and quote(value)),
    ),
    Fault(
        "numbers-have-points",
        "Whole numbers as partition values have a decimal point.",
        ("DS-PV-04",),
        on_partition_values(_of(NUMBERS, lambda value: f"{value}.0")),
    ),
    Fault(
        "dates-have-slashes",
        "Dates as partition values have slashes.",
        ("DS-PV-05",),
        on_partition_values(_of(("p_date", "day"), lambda value: value.replace("-", "/"))),
    ),
    Fault(
        "times-have-no-seconds",
        "Timestamps as partition values have no seconds.",
        ("DS-PV-06",),
        on_partition_values(_of(("p_timestamp",), lambda value: value[:16])),
    ),
    Fault(
        "times-are-an-hour-late",
        "Timestamps as partition values are those of another zone.",
        ("DS-PV-06",),
        on_partition_values(_of(("p_timestamp",), lambda value: value.replace(" 03:", " 04:"))),
    ),
    Fault(
        "booleans-are-capitalised",
        "Booleans as partition values are written True and False.",
        ("DS-PV-07",),
        on_partition_values(_of(("p_boolean",), str.capitalize)),
    ),
)
