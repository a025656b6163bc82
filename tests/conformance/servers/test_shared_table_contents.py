"""Checks of the content of shared tables pass on unusual but correct servers."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

import pytest

from lakepact.reference_server.faults import (
    Install,
    all_of,
    on_call,
    on_lines,
    replace_rule,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from mutants.delta_sharing.operators.lines import (
    CHANGES,
    QUERY,
    file_of,
    on_files,
    on_metadata,
    on_partition_values,
    wrapper_of,
)
from sampling import by_day

from .conftest import failures, results_of


def _shuffle(lines: list[Any]) -> list[Any]:
    rest = lines[2:]
    random.Random(5).shuffle(rest)
    return lines[:2] + rest


def _with_more(lines: list[Any]) -> list[Any]:
    """Add an unknown member to every object."""
    copies = copy.deepcopy(lines)
    for line in copies:
        wrapper_of(line)["somethingNew"] = {"a": [1, None]}
        file = file_of(line)
        if file is not None and file.get("stats"):
            file["stats"] = file["stats"].replace('{"numRecords"', '{"news": 5, "numRecords"', 1)
    return copies


def _other_ids(lines: list[Any]) -> None:
    for line in lines:
        if "id" in wrapper_of(line):
            wrapper_of(line)["id"] = f"file-{wrapper_of(line)['id'][::-1]}"


def _bare_delta(lines: list[Any]) -> None:
    """Leave out the optional members of delta format."""
    for line in lines:
        if "deltaSingleAction" in line.get("file", {}):
            for member in ("version", "timestamp", "expirationTimestamp"):
                line["file"].pop(member, None)
        if "deltaMetadata" in line.get("metaData", {}):
            for member in ("version", "size", "numFiles", "location", "accessModes"):
                line["metaData"].pop(member, None)


def _refuse_fractions(text: str) -> int:
    raise Problem(400, "INVALID_PARAMETER_VALUE", f"{text}: write seconds, and the zone as Z")


def _strict_times(reading: Any) -> Any:
    return lambda text: (
        reading(text) if len(text) == 20 and text.endswith("Z") else _refuse_fractions(text)
    )


def _strict_about_times() -> Install:
    return all_of(wrap_rule("not_before", _strict_times), wrap_rule("not_after", _strict_times))


def _without_capabilities(handler: Any, arguments: dict[str, Any]) -> Any:
    return handler(**arguments | {"delta_sharing_capabilities": None})


def _no_such_thing(_handler: Any, _arguments: dict[str, Any]) -> Any:
    raise Problem(404, "RESOURCE_DOES_NOT_EXIST", "there is nothing like that here")


def _feeds_nothing(metadata: dict[str, Any]) -> None:
    settings = metadata["configuration"].items()
    metadata["configuration"] = {
        name: value for name, value in settings if not name.endswith("enableChangeDataFeed")
    }


def _without_an_end(handler: Any, arguments: dict[str, Any]) -> Any:
    request = arguments.get("body") or {}
    in_order = (request.get("endingVersion") or 0) >= (request.get("startingVersion") or 0)
    body = {
        name: value for name, value in request.items() if name != "endingVersion" or not in_order
    }
    return handler(**arguments | {"body": body})


def _head_of_the_start(versions: Any, _version: Any) -> Any:
    return versions[0]


OPERATIONS = (QUERY, CHANGES, "getTableMetadata")
READ = ("snapshots", "time_travel", "changes", "statistics", "partition_values", "delta_replay")
HINTS = ("hints", "hint_pruning")

QUIRKS: dict[str, tuple[tuple[str, ...], Install]] = {
    "ignores hints": (HINTS, replace_rule("select", lambda _snapshot, **_hints: None)),
    "writes nulls as empty strings": (
        ("snapshots", "partition_values"),
        on_partition_values(lambda _, value: "" if value is None else value),
    ),
    "has no statistics": (
        ("snapshots", "statistics", "hints"),
        all_of(*(on_files(o, lambda file: file.pop("stats", None)) for o in (QUERY, CHANGES))),
    ),
    "lists in any order with more and other ids": (
        READ,
        all_of(
            *(on_lines(o, edit) for o in OPERATIONS for edit in (_shuffle, _with_more, _other_ids))
        ),
    ),
    "says little in delta format": (
        ("changes", "delta_replay", "snapshots"),
        all_of(*(on_lines(o, _bare_delta) for o in OPERATIONS)),
    ),
    "takes whole seconds only": (("time_travel", "changes"), _strict_about_times()),
    "knows no capabilities": (
        ("snapshots", "time_travel", "changes", "delta_replay"),
        all_of(*(on_call(o, _without_capabilities) for o in OPERATIONS)),
    ),
    "has no change data feed": (
        ("changes", "time_travel"),
        all_of(
            on_call(CHANGES, _no_such_thing),
            *(on_metadata(o, _feeds_nothing) for o in (QUERY, "getTableMetadata")),
        ),
    ),
    "ignores the end of a window": (("time_travel",), on_call(QUERY, _without_an_end)),
    "heads changes with the metadata of their start": (
        ("changes",),
        replace_rule("metadata_of_head", _head_of_the_start),
    ),
    "writes times in ISO 8601": (
        ("partition_values", "snapshots"),
        on_partition_values(
            lambda name, value: (
                value and value.replace(" ", "T") + "Z" if name == "p_timestamp" else value
            )
        ),
    ),
}


#: Quirks of one server; by night each has a server of its own.
TOGETHER = "lists in any order with more and other ids + writes nulls as empty strings"


@pytest.mark.parametrize("quirks", by_day([TOGETHER, *QUIRKS], [TOGETHER]))
def test_allowed_quirks_fail_nothing(shares: Path, quirks: str) -> None:
    together = [QUIRKS[quirk] for quirk in quirks.split(" + ")]
    areas = dict.fromkeys(area for areas, _ in together for area in areas)
    assert (
        failures(results_of(shares, *areas, quirk=all_of(*(install for _, install in together))))
        == {}
    )
