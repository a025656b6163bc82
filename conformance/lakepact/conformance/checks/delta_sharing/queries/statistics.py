"""Statistics of files match the rows in the file, including rows that a deletion vector deletes."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Any

from lakepact.conformance.checks.delta_sharing.api import (
    EITHER_FORMAT,
    Document,
    Kind,
    Members,
    NotOffered,
    Place,
    SharingLab,
    check,
    expect,
    op,
    reading,
)
from lakepact.conformance.checks.delta_sharing.kit.target_tables import MANY, readable
from lakepact.conformance.evidence.arrow import Table, pa
from lakepact.conformance.fixtures.manifest import PackTable
from lakepact.conformance.rows.data_files import physical_name, stored_table
from lakepact.conformance.rows.lines import Answer, parse

CHANGED = (
    "changes",
    "changes_deletion_vectors",
    "partitioned",
)  #: tables whose changed files are checked too
COLUMN_STATISTICS = ("nullCount", "minValues", "maxValues")
MILLISECOND = dt.timedelta(milliseconds=1)  #: by which the bound of a time may be truncated
TINY = 1e-9  #: relative error of the bound of a decimal, which a JSON number may not hold exactly
MOST_TABLES = 12  #: whose statistics are checked if the content is unknown


@dataclass(frozen=True)
class File:
    """A file as a report names it, with the place of its statistics."""

    name: str
    stats: Place | None

    def __str__(self) -> str:
        return self.name


class Single(float):
    """A value of a column of floats, whose bound is the text of a float."""


def answers(lab: SharingLab) -> Iterator[tuple[PackTable, Answer]]:
    """Yield the answers about the tables of the pack in each offered format, without refused
    ones.
    """
    for form in (reading.PARQUET, reading.DELTA):
        try:
            for table in readable(lab, form):
                reply = reading.query(lab, table, form=form)
                if reply.status == 200:
                    yield table, parse(reply.lines)
        except NotOffered:
            continue


def answers_with_changes(lab: SharingLab) -> Iterator[tuple[PackTable, Answer]]:
    """Yield the changes of some tables of the pack, by the change data feed and since their first
    version, without refused ones.
    """
    for name in CHANGED:
        table = lab.fixture(name)
        for form in (reading.PARQUET, reading.DELTA):
            replies = [reading.query(lab, table, {"startingVersion": 0}, form=form)]
            if table.first_change is not None and lab.offers(op.query_table_changes):
                replies.append(
                    reading.query_changes(
                        lab, table, {"starting_version": table.first_change}, form=form
                    )
                )
            yield from ((table, parse(reply.lines)) for reply in replies if reply.status == 200)


def files_with_statistics(lab: SharingLab) -> Iterator[tuple[File, Any, Document]]:
    """Yield files with statistics: the file, its stored rows, and the statistics."""
    for table, answer in chain(answers(lab), answers_with_changes(lab)):
        for file in answer.files:
            statistics = file.statistics
            if statistics is not None:
                stored = stored_table(reading.downloads(lab).fetch(file, file.url))
                where = (
                    f"a file {file.kind} of {table.name} in {answer.format} format with"
                    f" {stored.num_rows} rows"
                )
                yield File(where, file.place("stats")), stored, statistics


@check("DS-STA-01", "DS-STA-03", "DS-STA-04", "DS-STA-05")
def statistics_match_the_rows(lab: SharingLab) -> None:
    """`numRecords`, `nullCount`, `minValues` and `maxValues` in `stats`, if present, match the rows
    of the file.
    """
    files = [
        (file, _rows(stored), statistics) for file, stored, statistics in files_with_statistics(lab)
    ]
    if not files:
        raise NotOffered("no file has statistics")
    with lab.judge_each("DS-STA-01", without="no statistics have numRecords") as case:
        for file, rows, statistics in files:
            if "numRecords" in statistics:
                with case():
                    expect.equal(
                        len(rows),
                        statistics["numRecords"],
                        f"for {file} numRecords",
                        at=file.stats,
                    )
    with lab.judge_each("DS-STA-03", without="no statistics have nullCount") as case:
        for file, name, values, count in _columns_with(files, "nullCount"):
            with case():
                expect.equal(
                    sum(value is None for value in values),
                    count,
                    f"for {file} the nullCount of {name}",
                    at=file.stats,
                )
    for requirement, member, side in lab.each(
        (("DS-STA-04", "minValues", "above"), ("DS-STA-05", "maxValues", "below"))
    ):
        with lab.judge_each(requirement, without=f"no statistics have {member}") as case:
            for file, name, values, bound in _columns_with(files, member):
                with case():
                    subject = f"for {file} a bound of {name} in {member}"
                    actual = expect.excerpt(bound)
                    has_type = _has_json_type(
                        bound, next((value for value in values if value is not None), None)
                    )
                    expect.true(
                        has_type,
                        f"{subject} of the JSON type of its values",
                        actual,
                        at=file.stats,
                        kind=Kind.TYPE,
                    )
                    beyond = [
                        value
                        for value in values
                        if value is not None and _beyond(value, bound, upper=side == "below")
                    ]
                    expect.true(
                        not beyond,
                        f"{subject} that is not {side} {expect.excerpt(next(iter(beyond), None))}",
                        actual,
                        at=file.stats,
                    )


def _rows(stored: Table) -> list[Document]:
    """Return the rows of a file, with floats as `Single`."""
    floats = {field.name for field in stored.schema if pa.types.is_float32(field.type)}
    return [
        {
            name: Single(value) if name in floats and value is not None else value
            for name, value in row.items()
        }
        for row in stored.to_pylist()
    ]


def _columns_with(
    files: list[tuple[File, list[Document], Document]], member: str
) -> Iterator[tuple[File, str, list[Any], Any]]:
    """Yield each column with a member of the statistics: file, column, the values in the file, and
    the member's value.
    """
    for where, rows, statistics in files:
        for name, values, one in _columns(rows, statistics.get(member)):
            yield where, name, values, one


def _columns(
    rows: list[Document], statistics: Any, path: str = ""
) -> Iterator[tuple[str, list[Any], Any]]:
    """Yield the columns in statistics, nested ones too: name, values in the file, and the value in
    the statistics.
    """
    if not isinstance(statistics, dict):
        return
    for name, one in statistics.items():
        if not rows or name not in rows[0]:
            continue
        values = [row[name] for row in rows]
        if isinstance(one, dict):
            inner = next((v for v in values if isinstance(v, dict)), None)
            if inner is not None:
                whole = [v if isinstance(v, dict) else dict.fromkeys(inner) for v in values]
                yield from _columns(whole, one, f"{path}{name}.")
        elif one is not None:
            yield path + name, values, one


def _has_json_type(bound: Any, value: Any) -> bool:
    """Return whether a bound has the JSON type of its values: a string for strings, dates and
    times, a number for integers.
    """
    if isinstance(value, (str, dt.date)):
        return isinstance(bound, str)
    if isinstance(value, int) and not isinstance(value, bool):
        return isinstance(bound, (int, float)) and not isinstance(bound, bool)
    return True


def _beyond(value: Any, bound: Any, *, upper: bool) -> bool:
    """Return whether a value is on the wrong side of a bound."""
    limit: Any = bound
    if isinstance(value, dt.datetime):
        limit = _moment(bound)
        if limit is None or not isinstance(bound, str):
            return False
        limit = limit + (MILLISECOND if upper else -MILLISECOND)
        value = value.replace(tzinfo=dt.UTC) if value.tzinfo is None else value
    elif isinstance(value, dt.date):
        limit = (
            dt.date.fromisoformat(bound) if isinstance(bound, str) and len(bound) == 10 else value
        )
    elif isinstance(value, Decimal):
        limit, value = float(bound), float(value)
        limit += abs(limit) * (TINY if upper else -TINY)
    elif isinstance(value, float):
        if math.isnan(value) or not isinstance(bound, (int, float)):
            return False
        limit = (
            pa.scalar(float(bound), pa.float32()).as_py() if isinstance(value, Single) else bound
        )
    elif type(value) is not type(bound):
        return False
    return bool(value > limit if upper else value < limit)


def _moment(text: Any) -> dt.datetime | None:
    try:
        moment = dt.datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment.replace(tzinfo=dt.UTC) if moment.tzinfo is None else moment


@check("DS-STA-02")
def statistics_have_the_shape_of_the_schema(lab: SharingLab) -> None:
    """`minValues`, `maxValues` and `nullCount` name only columns of the schema, and are nested as
    the columns are.
    """
    if lab.knows_content:
        sample = [answer for table, answer in answers(lab) if table.name != MANY]
    else:
        sample = []
        for shared_table in [t for t in lab.tables() if "url" in t.access_modes][:MOST_TABLES]:
            reply = lab.send(
                op.query_table,
                body={"limitHint": 1000},
                delta_sharing_capabilities=EITHER_FORMAT[1],
                **shared_table.address,
            )
            if reply.status == 200:
                sample.append(parse(reply.lines))
    if not any(file.stats for answer in sample for file in answer.files):
        raise NotOffered("no file has statistics")
    with lab.judge("DS-STA-02"):
        for answer in sample:
            fields = {
                physical_name(f) if answer.mapping != "none" else f["name"]: f
                for f in answer.fields
            }
            for file in answer.files:
                statistics = file.statistics or {}
                for member in COLUMN_STATISTICS:
                    _mirrors(
                        statistics.get(member),
                        fields,
                        member,
                        mapping=answer.mapping,
                        at=file.place("stats"),
                    )


def _mirrors(
    statistics: Any,
    fields: Mapping[str, Members],
    where: str,
    *,
    mapping: str,
    at: Place | None,
) -> None:
    """Expect that statistics have the structure of the columns."""
    if statistics is None:
        return
    expect.true(isinstance(statistics, dict), f"an object as {where}", statistics, at=at)
    for name, member in statistics.items():
        expect.true(name in fields, f"columns of the schema in {where}", name, at=at)
        kind = fields[name]["type"]
        if isinstance(kind, dict) and kind.get("type") == "struct":
            inner = {
                physical_name(field) if mapping != "none" else field["name"]: field
                for field in kind["fields"]
            }
            _mirrors(member, inner, f"{where}.{name}", mapping=mapping, at=at)
        else:
            expect.true(
                not isinstance(member, dict),
                f"a single value as {where}.{name}, which is not a struct",
                member,
                at=at,
            )
