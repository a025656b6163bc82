"""Metadata of tables: two lines, in the requested format and of the requested version."""

from __future__ import annotations

from lakepact.conformance.checks.delta_sharing.api import (
    EITHER_FORMAT,
    Blocked,
    Exchange,
    Kind,
    NotOffered,
    Placed,
    Reply,
    SharedTable,
    SharingLab,
    check,
    expect,
    invariant,
    ndjson,
    op,
)
from lakepact.conformance.checks.delta_sharing.kit.answers import lines_of_kind, version_of
from lakepact.conformance.checks.delta_sharing.kit.catalog import ONE_FORMAT
from lakepact.conformance.checks.delta_sharing.kit.reading import expect_version
from lakepact.conformance.checks.delta_sharing.kit.table_sampling import (
    TWO,
    by_url,
    sample_tables,
    version,
)
from lakepact.conformance.checks.delta_sharing.kit.times import EPOCH, as_of
from lakepact.conformance.rows.lines import schema_object

PARTITIONED = ("partitioned", "measurements", "unpartitioned")
TRIES = 3  #: to read a table between two of its commits


@invariant("DS-MET-01", traffic=ndjson.TOUR)
def metadata_is_two_lines(exchange: Exchange) -> bool:
    """Metadata is a protocol line and a metaData line; only a requested endStreamAction may
    follow.
    """
    lines = ndjson.lines_of(exchange, ndjson.METADATA)
    if lines is None:
        return False
    kinds = [ndjson.kind_of(line) for line in lines]
    allowed = [TWO, [*TWO, ndjson.END]] if ndjson.asks_for_end(exchange) else [TWO]
    actual = ", ".join(kind or "?" for kind in kinds) or "no line"
    expect.true(kinds in allowed, "lines protocol and metaData", actual, at=Reply(exchange).place())
    return True


@invariant("DS-DF-14", traffic=ndjson.TOUR)
def metadata_has_no_third_line(exchange: Exchange) -> bool:
    """Metadata has two lines, also for a client that asks for an endStreamAction."""
    lines = ndjson.lines_of(exchange, ndjson.METADATA)
    if not lines:
        return False
    expect.equal(2, len(lines), "number of lines", at=Reply(exchange).place())
    return True


@check("DS-MET-02")
def metadata_names_the_current_version(lab: SharingLab) -> None:
    """The header of metadata has the version that the version request returns."""
    is_judged = False
    for table in lab.each(sample_tables(lab)):
        for _ in range(TRIES):
            before = version(lab, table)
            reply = lab.require(
                lab.send(ndjson.METADATA, headers=[EITHER_FORMAT], **table.address), 200
            )
            if before is not None and before == version(lab, table):
                is_judged = True
                with lab.judge("DS-MET-02"):
                    expect_version(reply, before, f"for {table.name}")
                break
    if not is_judged:
        raise Blocked("no table kept its version for the time of three requests")


@check("DS-MET-03", "DS-MET-04")
def metadata_has_the_requested_format(lab: SharingLab) -> None:
    """Metadata requested in one format returns 200 in that format, or 4xx."""
    for requirement, form in lab.each((("DS-MET-03", ndjson.PARQUET), ("DS-MET-04", ndjson.DELTA))):
        answers = [
            (t, lab.send(ndjson.METADATA, delta_sharing_capabilities=ONE_FORMAT[form], **t.address))
            for t in sample_tables(lab)
        ]
        if not any(reply.status == 200 for _, reply in answers) and not any(
            t.format == form for t, _ in answers
        ):
            lab.skip(requirement, f"no table is answered in {form} format")
            continue
        with lab.judge_each(requirement) as case:
            for table, reply in answers:
                # A table that is returned in this format to clients that support both is returned
                # to clients that name only it.
                with case():
                    if table.format == form:
                        expect.status(reply, 200, about=f"for {table.name} in {form} format")
                    ndjson.expect_format_or_refusal(
                        reply, form, f"for the metadata of {table.name}"
                    )


@check("DS-MDT-01")
def table_ids_are_stable(lab: SharingLab) -> None:
    """The id of a table is a string, the same in metadata, queries and changes."""
    for table in lab.each(by_url(lab)):
        replies = [
            lab.require(lab.send(ndjson.METADATA, headers=[EITHER_FORMAT], **table.address), 200)
            for _ in range(2)
        ]
        replies.append(
            lab.send(
                op.query_table, headers=[EITHER_FORMAT], body={"limitHint": 1}, **table.address
            )
        )
        for form, header in ONE_FORMAT.items():
            reply = lab.send(ndjson.METADATA, delta_sharing_capabilities=header, **table.address)
            replies += (
                [reply] if reply.status == 200 and ndjson.form_of(reply.lines) == form else []
            )
        if table.changes:
            replies.append(
                lab.send(
                    op.query_table_changes,
                    headers=[EITHER_FORMAT],
                    starting_version=0,
                    **table.address,
                )
            )
        with lab.judge("DS-MDT-01") as case:
            first, *others = [_metadata(reply) for reply in replies if reply.status == 200]
            expected = ndjson.required(first, "id", str, "metaData")
            for other in others:
                with case():
                    expect.equal(
                        expected,
                        ndjson.required(other, "id", str, "metaData"),
                        f"the id of {table.name}",
                        at=other.place("id"),
                    )


def _metadata(reply: Reply) -> Placed:
    """Return the metadata of an answer, unwrapped."""
    wrapper = next(lines_of_kind(reply.lines, "metaData"), None)
    if wrapper is None:
        raise expect.unmet("a metaData line", reply.summary, at=reply.place(), kind=Kind.MISSING)
    inner = wrapper.get("deltaMetadata")
    return inner if isinstance(inner, Placed) else wrapper


@check("DS-MDT-07", "DS-MDT-08")
def columns_are_those_of_the_table(lab: SharingLab) -> None:
    """Metadata in parquet format has the columns of a table of the fixture pack, by itself and in
    answers to queries.
    """
    is_judged = False
    for name in lab.each(PARTITIONED):
        table = lab.fixture(name)
        header = ONE_FORMAT[ndjson.PARQUET]
        query = lab.send(
            op.query_table,
            body={"limitHint": 1},
            delta_sharing_capabilities=header,
            **table.address,
        )
        for reply in lab.each(
            (lab.send(ndjson.METADATA, delta_sharing_capabilities=header, **table.address), query)
        ):
            if reply.status == 200 and ndjson.form_of(reply.lines) == ndjson.PARQUET:
                is_judged = True
                with lab.judge("DS-MDT-07"):
                    metadata = _metadata(reply)
                    expected_columns, columns = (
                        [field["name"] for field in schema["fields"]]
                        for schema in (table.last.schema, schema_object(metadata))
                    )
                    expect.equal(
                        expected_columns,
                        columns,
                        f"columns of {name}",
                        at=metadata.place("schemaString"),
                    )
                with lab.judge("DS-MDT-08"):
                    metadata = _metadata(reply)
                    partition_columns = ndjson.required(
                        metadata, "partitionColumns", list, "metaData"
                    )
                    expected, actual = (
                        sorted(
                            column.lower() if isinstance(column, str) else expect.excerpt(column)
                            for column in names
                        )
                        for names in (table.partition_columns, partition_columns)
                    )
                    expect.equal(
                        expected,
                        actual,
                        f"partitionColumns of {name}",
                        at=metadata.place("partitionColumns"),
                    )
    if not is_judged:
        raise NotOffered("no table of the fixture pack is answered in parquet format")


@check("DS-DF-13")
def metadata_can_be_as_of_a_version(lab: SharingLab) -> None:
    """Metadata requested with a version or timestamp is that of the version."""
    table = _with_several_versions(lab)
    first, last = version(lab, table, EPOCH), version(lab, table)
    if first is None or last is None or first == last:
        raise NotOffered(f"{table.name} has one version alone")
    with lab.judge("DS-DF-13"):
        for number in (first, last):
            reply = lab.send(
                ndjson.METADATA, headers=[EITHER_FORMAT], version=number, **table.address
            )
            _expect_version(lab, table, reply, number, f"for version={number}")
        moment = _moment(lab, table, first)
        if moment is not None:
            reply = lab.send(
                ndjson.METADATA, headers=[EITHER_FORMAT], timestamp=as_of(moment), **table.address
            )
            _expect_version(lab, table, reply, first, f"for the timestamp of version {first}")


def _with_several_versions(lab: SharingLab) -> SharedTable:
    """Return a table with a history; of the fixture pack, the one whose schema changes."""
    if lab.knows_content:
        address = lab.fixture("schema_changes").address
        table = next((t for t in lab.catalogue.readable if t.address == address), None)
        if table is not None:
            return table
    return lab.with_history()


def _expect_version(
    lab: SharingLab, table: SharedTable, reply: Reply, number: int, about: str
) -> None:
    """Expect the metadata of a version, equal to that of a query of that version."""
    expect.status(reply, 200, about=about)
    expect_version(reply, number, about)
    query = lab.send(
        op.query_table,
        headers=[EITHER_FORMAT],
        body={"version": number, "limitHint": 1},
        **table.address,
    )
    if query.status == 200 and ndjson.form_of(query.lines) == ndjson.form_of(reply.lines):
        expected, actual = _metadata(query), _metadata(reply)
        at = actual.place("schemaString")
        expect.equal(
            expected.get("schemaString"),
            actual.get("schemaString"),
            f"{about} the schemaString",
            at=at,
        )


def _moment(lab: SharingLab, table: SharedTable, number: int) -> int | None:
    """Return the time of a version from its files; `None` if unknown, or also that of the next
    version.
    """
    reply = lab.send(
        op.query_table,
        headers=[EITHER_FORMAT],
        body={"version": number, "limitHint": 1},
        **table.address,
    )
    times = [
        file.get("timestamp")
        for file in ndjson.objects(reply.lines if reply.status == 200 else (), "file")
    ]
    moment = times[0] if times and isinstance(times[0], int) else None
    if (
        moment is None
        or version_of(
            lab.send(op.get_table_version, starting_timestamp=as_of(moment + 1000), **table.address)
        )
        == number
    ):
        return None
    back = lab.send(
        op.query_table,
        headers=[EITHER_FORMAT],
        body={"timestamp": as_of(moment), "limitHint": 1},
        **table.address,
    )
    return moment if back.status == 200 and version_of(back) == number else None
