"""Partition values: the spelling of each type, and of null."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lakepact.conformance.checks.delta_sharing.api import (
    Exchange,
    Kind,
    Place,
    Placed,
    SharingLab,
    check,
    expect,
    invariant,
    op,
    reading,
)
from lakepact.conformance.rows import comparison, values
from lakepact.conformance.rows.data_files import stored_table
from lakepact.conformance.rows.lines import SharedFile

TABLE = "partition_types"

#: Requirement → types of partition columns, and the pattern of their values.
TEXTS: dict[str, tuple[tuple[str, ...], str]] = {
    "DS-PV-03": (("string",), r".*"),
    "DS-PV-04": (
        ("long", "integer", "short", "byte", "float", "double", "decimal(10,2)"),
        r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?",
    ),
    "DS-PV-05": (("date",), r"\d{4}-\d{2}-\d{2}"),
    "DS-PV-06": (
        ("timestamp",),
        r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]00:?00)?",
    ),
    "DS-PV-07": (("boolean",), r"true|false"),
}


def texts(
    lab: SharingLab, kinds: tuple[str, ...]
) -> Iterator[tuple[str, str, Any, Any, Place | None]]:
    """Yield the partition values of some types: column, type, the value in the table, and the value
    in the answer with its place.
    """
    table = lab.fixture(TABLE)
    truth = {row["id"]: row for row in table.last.rows.to_pylist()}
    for form in reading.formats(lab, table):
        answer = reading.parse(lab.require(reading.query(lab, table, form=form), 200))
        for file in answer.files:
            row = truth.get(_id(lab, file))
            if row is None:
                raise expect.unmet(
                    f"a file of {TABLE} with one of its ids",
                    f"the id {_id(lab, file)}",
                    at=file.place(),
                )
            for field in answer.fields:
                name, at = field["name"], file.place("partitionValues", field["name"])
                if name in answer.partition_columns and field["type"] in kinds:
                    actual = f"values of {', '.join(file.partition_values) or 'nothing'}"
                    expect.true(
                        name in file.partition_values,
                        f"a partition value of {name}",
                        actual,
                        at=at,
                        kind=Kind.MISSING,
                    )
                    yield name, field["type"], row[name], file.partition_values[name], at


def _id(lab: SharingLab, file: SharedFile) -> int:
    """Return the id of the only row of a file, from the file itself."""
    ids = [
        row.get("id")
        for row in stored_table(reading.downloads(lab).fetch(file, file.url)).to_pylist()
    ]
    if len(ids) != 1 or not isinstance(ids[0], int):
        actual = f"the ids {expect.excerpt(ids[:5])}"
        raise expect.unmet(
            f"a file of {TABLE} with one row that has an id", actual, at=file.place()
        )
    return ids[0]


@check(*TEXTS)
def partition_values_have_the_form_of_their_type(lab: SharingLab) -> None:
    """A partition value that is not null is written in the form of its type and equals the value of
    the rows.
    """
    for requirement, (kinds, pattern) in lab.each(TEXTS.items()):
        with lab.judge(requirement) as case:
            for name, kind, true, text, at in texts(lab, kinds):
                if true is None:
                    continue
                with case():
                    has_form = (
                        isinstance(text, str) and re.fullmatch(pattern, text, re.DOTALL) is not None
                    )
                    what = f"a {kind} as string for {name}, whose value is {expect.excerpt(true)}"
                    expect.true(has_form, what, expect.excerpt(text), at=at)
                    value = comparison.hashable(values.value_of(text, kind, at=at))
                    expect.true(
                        value == comparison.hashable(true),
                        f"{name} {expect.excerpt(true)}",
                        expect.excerpt(text),
                        at=at,
                    )


@check("DS-PV-02")
def null_partition_values(lab: SharingLab) -> None:
    """A null partition value is `null` or an empty string, and every other one is a non-empty
    string.
    """
    every = tuple(kind for kinds, _ in TEXTS.values() for kind in kinds)
    with lab.judge("DS-PV-02") as case:
        for name, kind, true, text, at in texts(lab, every):
            with case():
                if true is None:
                    empty = f"null or an empty string for the null of {name}, a {kind}"
                    expect.true(text is None or text == "", empty, expect.excerpt(text), at=at)
                else:
                    there = text is not None and text != ""
                    expect.true(
                        there,
                        f"a string for {name}, whose value is {expect.excerpt(true)}",
                        expect.excerpt(text),
                        at=at,
                    )
    with lab.judge("DS-PV-02"):
        table = lab.fixture("partitioned")
        reply = lab.require(reading.query(lab, table), 200)
        expected = sorted(file["partition_values"]["city"] is None for file in table.last.files)
        actual = sorted(
            file.partition_values.get("city") in {None, ""} for file in reading.parse(reply).files
        )
        expect.equal(
            expected,
            actual,
            "for each file of the table partitioned, whether city is null:",
            at=reply.place(),
        )


@invariant(
    "DS-PV-01",
    traffic=(
        "queries.partition_values.partition_values_have_the_form_of_their_type",
        "queries.hints.empty_hints_return_all_files",
    ),
)
def strings_or_nulls(exchange: Exchange) -> bool:
    """Every partition value in a response is a string or `null`."""
    if exchange.operation not in {op.query_table, op.query_table_changes} or exchange.status != 200:
        return False
    has_values = False
    for of_file in _partition_values(exchange.lines_with_places or ()):
        has_values = True
        for name, value in of_file.items():
            is_right = value is None or isinstance(value, str)
            what, at = f"a string or null as partition value {name}", of_file.place(name)
            expect.true(is_right, what, expect.excerpt(value), at=at, kind=Kind.TYPE)
    return has_values


def _partition_values(lines: tuple[Any, ...]) -> Iterator[Placed]:
    for line in lines:
        for wrapper in line.values() if isinstance(line, dict) else ():
            action = wrapper.get("deltaSingleAction") if isinstance(wrapper, dict) else None
            for file in (wrapper, *(action.values() if isinstance(action, dict) else ())):
                values = file.get("partitionValues") if isinstance(file, dict) else None
                if isinstance(values, Placed):
                    yield values
