"""Snapshots: the files of a query hold exactly the rows of the table."""

from __future__ import annotations

from typing import Any

from lakepact.conformance.checks.delta_sharing.api import (
    Document,
    Kind,
    NotOffered,
    SharingLab,
    Unmet,
    check,
    expect,
    ndjson,
    place_of,
    reading,
)
from lakepact.conformance.checks.delta_sharing.kit.target_tables import MANY, readable
from lakepact.conformance.checks.delta_sharing.kit.times import as_of
from lakepact.conformance.fixtures.manifest import PackTable
from lakepact.conformance.rows import columns, comparison
from lakepact.conformance.rows.lines import Answer

#: Reader features that a server can remove by rewriting the files.
BEYOND_PARQUET = frozenset({"deletionVectors", "columnMapping"})
SAMPLE = 15  #: files of the table with many files that are read


@check("DS-QRY-09")
def rows_in_parquet_format(lab: SharingLab) -> None:
    """The files of a query in parquet format hold exactly the rows of the table."""
    for table in lab.each(readable(lab, reading.PARQUET)):
        _current_rows(lab, table, reading.PARQUET)


@check("DS-QRY-09")
def rows_in_delta_format(lab: SharingLab) -> None:
    """The files of a query in delta format hold exactly the rows of a table without reader
    features.
    """
    for table in lab.each(readable(lab, reading.DELTA)):
        if not table.features:
            _current_rows(lab, table, reading.DELTA)


@check("DS-QRY-09")
def rows_with_reader_features(lab: SharingLab) -> None:
    """The files of a query of a table with deletion vectors, column mapping or other reader
    features hold exactly its rows.
    """
    for table in lab.each(readable(lab, reading.DELTA)):
        if table.features:
            _current_rows(lab, table, reading.DELTA)


@check("DS-QRY-09")
def rows_of_delta_tables_in_parquet_format(lab: SharingLab) -> None:
    """A table with deletion vectors or column mapping, if returned in parquet format, has exactly
    its rows.
    """
    lab.needs_parquet()
    is_judged = False
    for table in lab.each(lab.manifest.tables.values()):
        if table.features and table.features <= BEYOND_PARQUET:
            reply = reading.query(lab, table, form=reading.PARQUET)
            if reply.status == 200 and ndjson.form_of(reply.lines) == reading.PARQUET:
                is_judged = True
                with lab.judge("DS-QRY-09"):
                    actual = reading.rows(lab, reading.parse(reply))
                    comparison.same(
                        table.last.rows.to_pylist(),
                        actual,
                        f"the rows of {table.name} in parquet format",
                    )
    if not is_judged:
        raise NotOffered(
            "no table with deletion vectors or column mapping is answered in parquet format"
        )


def _current_rows(lab: SharingLab, table: PackTable, form: str) -> None:
    reply = reading.query(lab, table, form=form)
    if table.unusual and 400 <= reply.status < 500:
        lab.skip(
            "DS-QRY-09", f"{table.name}, which needs {', '.join(sorted(table.unusual))}, is refused"
        )
        return
    with lab.judge("DS-QRY-09"):
        answer = reading.parse(reply, f"for {table.name} in {form} format")
        comparison.same(
            table.last.rows.to_pylist(),
            reading.rows(lab, answer),
            f"the rows of {table.name} in {form} format",
        )


@check("DS-QRY-09")
def many_files(lab: SharingLab) -> None:
    """A query of a table with a thousand files returns each file once, with its own partition
    value.
    """
    table = lab.fixture(MANY)
    for form in lab.each(reading.formats(lab, table)):
        with lab.judge("DS-QRY-09"):
            reply = reading.query(lab, table, form=form)
            answer = reading.parse(reply, f"for {table.name} in {form} format")
            expected = sorted(str(file["partition_values"]["n"]) for file in table.last.files)
            values = sorted(str(file.partition_values.get("n")) for file in answer.files)
            missing, extra = set(expected) - set(values), len(values) - len(expected)
            actual = f"{len(values)} files, {len(missing)} missing, {extra:+} in all"
            expect.true(
                values == expected,
                f"{len(expected)} files, one for each n",
                actual,
                at=reply.place(),
            )
            sample = answer.files[:: -(-len(answer.files) // SAMPLE)]
            numbers = {int(str(file.partition_values["n"])) for file in sample}
            expected_rows = [row for row in table.last.rows.to_pylist() if row["n"] in numbers]
            comparison.same(
                expected_rows,
                reading.rows(lab, answer, sample),
                f"the rows of {len(sample)} files of {table.name}",
            )


@check("DS-QRY-08")
def queries_name_their_version(lab: SharingLab) -> None:
    """`Delta-Table-Version` of a query is the current version, or the one that `version`,
    `timestamp` or `startingVersion` selects.
    """
    table = lab.fixture("partitioned")
    cases: list[tuple[Document, int]] = [({}, table.last.version)]
    for version in table.readable:
        points: Document = {
            "version": version.version,
            "startingVersion": version.version,
        }
        if version.time is not None:
            points["timestamp"] = as_of(version.time)
        cases += [({name: value}, version.version) for name, value in points.items()]
    for body, number in lab.each(cases):
        with lab.judge("DS-QRY-08"):
            reply = reading.query(lab, table, body)
            expect.status(reply, 200, about=f"for {expect.excerpt(body)}")
            reading.expect_version(reply, number, f"for {expect.excerpt(body)}")


@check("DS-SCH-06")
def columns_are_in_the_files(lab: SharingLab) -> None:
    """Every column of the schema is in the files with its type; a file may lack a column that is
    null in all its rows.
    """
    for table in lab.each(readable(lab, reading.PARQUET)):
        reply = reading.query(lab, table, form=reading.PARQUET)
        if reply.status != 200:
            lab.skip("DS-SCH-06", f"{table.name} is refused in parquet format")
            continue
        with lab.judge("DS-SCH-06"):
            _columns_fit(lab, table, reading.parse(reply))


@check("DS-SCH-02")
def columns_have_nullability_and_comments(lab: SharingLab) -> None:
    """The fields of `schemaString` have the `nullable` of the table's columns and their comments in
    `metadata`.
    """
    lab.needs_parquet()
    table = lab.fixture("types")
    answer = reading.parse(lab.require(reading.query(lab, table, form=reading.PARQUET), 200))
    fields = {field["name"]: field for field in answer.fields}
    for column in table.last.schema["fields"]:
        field: Any = fields.get(column["name"], column)
        if field.get("nullable") != column["nullable"]:
            lab.warn(
                "DS-SCH-02",
                expected=f"nullable {expect.excerpt(column['nullable'])} of {column['name']}",
                actual=expect.excerpt(field.get("nullable")),
            )
        comment = column["metadata"].get("comment")
        if comment is not None and (field.get("metadata") or {}).get("comment") != comment:
            lab.warn(
                "DS-SCH-02",
                expected=f"the comment {expect.excerpt(comment)} on {column['name']}",
                actual=expect.excerpt(field.get("metadata")),
            )
    lab.note("DS-SCH-02", "")


def _columns_fit(lab: SharingLab, table: PackTable, answer: Answer) -> None:
    never_null = {
        name for name in table.last.rows.column_names if table.last.rows[name].null_count == 0
    }
    fields = [field for field in answer.fields if field["name"] not in answer.partition_columns]
    for file in answer.files:
        stored = columns.stored(reading.downloads(lab).fetch(file, file.url))
        for field in fields:
            what = f"{table.name}: a column {field['name']}"
            column = columns.column(stored, field["name"])
            columns.fits(field, column, what)
            if column is None and field["name"] in never_null:
                raise Unmet(
                    f"{what} in the file, since it is never null",
                    f"columns {', '.join(stored.names)}",
                )
            if field["name"] not in table.last.rows.column_names:
                expected = f"columns {', '.join(table.last.rows.column_names)} in {table.name}"
                raise expect.unmet(
                    expected,
                    field["name"],
                    at=place_of(answer.metadata, "schemaString"),
                    kind=Kind.SURPLUS,
                )
