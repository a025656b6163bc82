"""Statistics that do not hold."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.faults.ways.lines import CHANGES, on_files, on_statistics
from lakepact.reference_server.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Callable


def _moved(member: str, by: int) -> Callable[[dict[str, Any]], None]:
    """Move the bounds of whole numbers."""

    def edit(stats: dict[str, Any]) -> None:
        bounds = stats.get(member, {})
        for name, value in bounds.items():
            if isinstance(value, int) and not isinstance(value, bool):
                bounds[name] = value + by

    return edit


def _cut(stats: dict[str, Any]) -> None:
    """Cut the upper bound of long texts without rounding it up."""
    for name, value in stats.get("maxValues", {}).items():
        if isinstance(value, str) and not value[:1].isdigit():
            stats["maxValues"][name] = value[:16]


def _flat(stats: dict[str, Any]) -> None:
    """Write nested columns with full stops in their names."""
    for member in ("nullCount", "minValues", "maxValues"):
        known = stats.get(member, {})
        for name in [name for name, value in known.items() if isinstance(value, dict)]:
            known |= {f"{name}.{inner}": value for inner, value in known.pop(name).items()}


def _no_nulls(stats: dict[str, Any]) -> None:
    for name in stats.get("nullCount", {}):
        stats["nullCount"][name] = 0 if not isinstance(stats["nullCount"][name], dict) else stats["nullCount"][name]


def _days(stats: dict[str, Any]) -> None:
    """Write dates as numbers of days."""
    for member in ("minValues", "maxValues"):
        bounds = stats.get(member, {})
        for name, value in bounds.items():
            if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value):
                bounds[name] = date.fromisoformat(value).toordinal() - date(1970, 1, 1).toordinal()


def _one_record(file: dict[str, Any]) -> None:
    """Say of a changed file that it has one row."""
    if file.get("stats"):
        file["stats"] = json.dumps({**json.loads(file["stats"]), "numRecords": 1})


def _texts_in_small_letters(stats: dict[str, Any]) -> None:
    for member in ("minValues", "maxValues"):
        bounds = stats.get(member) or {}
        bounds.update({name: value.lower() for name, value in bounds.items() if isinstance(value, str) and value.isalpha()})


FAULTS = (
    Fault(
        "texts-are-bounded-without-case",
        "The bounds of texts are those of their small letters.",
        ("DS-STA-04",),
        on_statistics(_texts_in_small_letters),
    ),
    Fault(
        "changed-files-have-one-record",
        "The statistics of files among changes say that they have one row.",
        ("DS-STA-01",),
        on_files(CHANGES, _one_record),
    ),
    Fault("null-counts-are-zero", "Statistics say that there are no nulls.", ("DS-STA-03",), on_statistics(_no_nulls)),
    Fault("minima-are-too-high", "The minima of whole numbers are one too high.", ("DS-STA-04",), on_statistics(_moved("minValues", 1))),
    Fault("maxima-are-too-low", "The maxima of whole numbers are one too low.", ("DS-STA-05",), on_statistics(_moved("maxValues", -1))),
    Fault("maxima-are-cut", "The maxima of texts are cut to 16 characters.", ("DS-STA-05",), on_statistics(_cut)),
    Fault("dates-are-numbers", "Statistics have days since 1970 for dates.", ("DS-STA-04", "DS-STA-05"), on_statistics(_days)),
    Fault("statistics-are-flat", "Statistics of nested columns are not nested.", ("DS-STA-02",), on_statistics(_flat)),
)
