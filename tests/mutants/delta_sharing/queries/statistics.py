"""Statistics that do not hold."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Any

from lakepact.reference_server.faults import fault
from mutants.delta_sharing.operators.lines import CHANGES, on_files, on_statistics


def _moved(member: str, by: int) -> Callable[[dict[str, Any]], None]:
    """Move the bounds of whole numbers."""

    def edit(stats: dict[str, Any]) -> None:
        bounds = stats.get(member, {})
        for name, value in bounds.items():
            if isinstance(value, int) and not isinstance(value, bool):
                bounds[name] = value + by

    return edit


@fault("DS-STA-04", by=on_statistics)
def texts_are_bounded_without_case(stats: dict[str, Any]) -> None:
    for member in ("minValues", "maxValues"):
        bounds = stats.get(member) or {}
        bounds.update(
            {
                name: value.lower()
                for name, value in bounds.items()
                if isinstance(value, str) and value.isalpha()
            }
        )


@fault("DS-STA-01", by=partial(on_files, CHANGES))
def changed_files_have_one_record(file: dict[str, Any]) -> None:
    if file.get("stats"):
        file["stats"] = json.dumps({**json.loads(file["stats"]), "numRecords": 1})


@fault("DS-STA-03", by=on_statistics)
def null_counts_are_zero(stats: dict[str, Any]) -> None:
    for name in stats.get("nullCount", {}):
        stats["nullCount"][name] = (
            0 if not isinstance(stats["nullCount"][name], dict) else stats["nullCount"][name]
        )


@fault("DS-STA-05", by=on_statistics)
def maxima_are_cut(stats: dict[str, Any]) -> None:
    for name, value in stats.get("maxValues", {}).items():
        if isinstance(value, str) and not value[:1].isdigit():
            stats["maxValues"][name] = value[:16]


@fault("DS-STA-04", "DS-STA-05", by=on_statistics)
def dates_are_numbers(stats: dict[str, Any]) -> None:
    for member in ("minValues", "maxValues"):
        bounds = stats.get(member, {})
        for name, value in bounds.items():
            if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value):
                bounds[name] = date.fromisoformat(value).toordinal() - date(1970, 1, 1).toordinal()


@fault("DS-STA-02", by=on_statistics)
def statistics_are_flat(stats: dict[str, Any]) -> None:
    for member in ("nullCount", "minValues", "maxValues"):
        known = stats.get(member, {})
        for name in [name for name, value in known.items() if isinstance(value, dict)]:
            known |= {f"{name}.{inner}": value for inner, value in known.pop(name).items()}


FAULTS = {
    "minima-are-too-high DS-STA-04": on_statistics(_moved("minValues", 1)),
    "maxima-are-too-low DS-STA-05": on_statistics(_moved("maxValues", -1)),
}
