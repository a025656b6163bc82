"""Partition values that are written otherwise than their types demand."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from lakepact.reference_server.faults import Install, fault
from mutants.delta_sharing.operators.lines import QUERY, on_files, on_partition_values

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBERS = ("p_long", "p_integer", "p_short", "p_byte", "n", "year")


def _of(names: tuple[str, ...], edit: Callable[[str], Any]) -> Callable[[str, str | None], Any]:
    """Write the values of some columns otherwise."""
    return lambda name, value: edit(value) if name in names and value is not None else value


@fault("DS-QRY-09", by=partial(on_files, QUERY))
def partition_columns_in_small_letters(file: dict[str, Any]) -> None:
    """Files name their partition columns in lower case."""
    file["partitionValues"] = {name.lower(): value for name, value in file["partitionValues"].items()}


@fault("DS-PV-03", by=partial(on_partition_values))
def partition_values_are_unescaped(_name: str, value: str | None) -> str | None:
    """A string that looks like an escape is unescaped."""
    return value and unquote(value)


@fault("DS-PV-03", by=partial(on_partition_values))
def partition_values_are_trimmed(_name: str, value: str | None) -> str | None:
    """Strings lose the spaces around them."""
    return value and value.strip()


@fault("DS-PV-02", by=partial(on_partition_values))
def the_word_null_is_null(_name: str, value: str | None) -> str | None:
    """A string that says null is one."""
    return None if value == "null" else value


@fault("DS-PV-04", by=partial(on_partition_values))
def large_numbers_are_doubles(_name: str, value: str | None) -> str | None:
    """Large whole numbers are rounded to doubles."""
    return str(int(float(value))) if value and value.isdigit() else value


@fault("DS-PV-01")
def partition_values_are_typed() -> Install:
    """Whole numbers are partition values as JSON numbers."""
    return on_partition_values(_of(NUMBERS, int))


@fault("DS-PV-02")
def null_is_a_word() -> Install:
    """A null as partition value is the text null."""
    return on_partition_values(lambda _, value: "null" if value is None else value)


@fault("DS-PV-02")
def null_is_hives() -> Install:
    """A null as partition value is the text that directories have for it."""
    return on_partition_values(lambda _, value: "__HIVE_DEFAULT_PARTITION__" if value is None else value)


@fault("DS-PV-03", "DS-QRY-09")
def texts_are_escaped() -> Install:
    """Texts as partition values are percent-encoded, as in paths."""
    return on_partition_values(lambda _, value: value and quote(value))


@fault("DS-PV-04")
def numbers_have_points() -> Install:
    """Whole numbers as partition values have a decimal point."""
    return on_partition_values(_of(NUMBERS, lambda value: f"{value}.0"))


@fault("DS-PV-05")
def dates_have_slashes() -> Install:
    """Dates as partition values have slashes."""
    return on_partition_values(_of(("p_date", "day"), lambda value: value.replace("-", "/")))


@fault("DS-PV-06")
def times_have_no_seconds() -> Install:
    """Timestamps as partition values have no seconds."""
    return on_partition_values(_of(("p_timestamp",), lambda value: value[:16]))


@fault("DS-PV-06")
def times_are_an_hour_late() -> Install:
    """Timestamps as partition values are those of another zone."""
    return on_partition_values(_of(("p_timestamp",), lambda value: value.replace(" 03:", " 04:")))


@fault("DS-PV-07")
def booleans_are_capitalised() -> Install:
    """Booleans as partition values are written True and False."""
    return on_partition_values(_of(("p_boolean",), str.capitalize))
