"""The change data feed: changed rows with their change type, version and time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lakepact.conformance.checks.delta_sharing.api import (
    Document,
    Kind,
    Members,
    NotOffered,
    Reply,
    SharingLab,
    Wrong,
    check,
    expect,
    op,
    place_of,
    reading,
    target_tables,
    times,
)
from lakepact.conformance.checks.delta_sharing.kit.lines import kind_of
from lakepact.conformance.checks.delta_sharing.kit.reading import AnyTable
from lakepact.conformance.fixtures.manifest import PackTable, PackVersion
from lakepact.conformance.rows import comparison
from lakepact.conformance.rows.changes import TIMESTAMP, VERSION
from lakepact.conformance.rows.lines import CHANGE, Answer, schema_object

PLAIN = "changes"
RECORDED = (
    PLAIN,
    "changes_partitioned",
    "changes_deletion_vectors",
    "changes_vectors_gone",
    "changes_late",
)
RANGES = ((0, 0), (2, 4), (3, 3), (5, 5), (6, 8))  #: of versions of `PLAIN`


def feeds(lab: SharingLab) -> Iterator[tuple[PackTable, str]]:
    """Yield the tables of the pack with a change data feed, in each format in which they can be
    answered.
    """
    for name in RECORDED:
        table = lab.fixture(name)
        try:
            forms = reading.formats(lab, table)
        except NotOffered:
            continue
        for form in forms:
            yield table, form


def expect_changes(
    lab: SharingLab, table: PackTable, first: int, last: int, answer: Answer
) -> None:
    """Expect that an answer has exactly the changes of a range of versions."""
    what = f"the changes of {table.name} from {first} to {last} in {answer.format} format"
    columns = comparable(answer)
    truth = table.changes(first, last)
    expected, actual = truth.to_pylist(), reading.rows_of_changes(lab, answer)
    if TIMESTAMP not in truth.column_names:
        columns = columns - {TIMESTAMP}
    comparison.same(in_columns(expected, columns), in_columns(actual, columns), what)


def comparable(answer: Answer) -> set[str]:
    """Return the columns in which changes can be compared.

    Metadata of an earlier version may lack columns that were added later, and files in delta format
    may lack their version and time.
    """
    columns = {field["name"] for field in answer.fields} | {"_change_type"}
    if answer.format == reading.PARQUET or all(file.version is not None for file in answer.files):
        columns.add(VERSION)
    if answer.format == reading.PARQUET or all(file.timestamp is not None for file in answer.files):
        columns.add(TIMESTAMP)
    return columns


def in_columns(rows: list[Document], columns: set[str]) -> list[Document]:
    """Return rows in some columns, and without what is null."""
    return [
        {name: value for name, value in row.items() if name in columns and value is not None}
        for row in rows
    ]


@check("DS-CDF-01")
def changes_without_start_are_refused(lab: SharingLab) -> None:
    """A request for changes without `startingVersion` and `startingTimestamp` returns 400."""
    subject = target_tables.with_changes(lab)
    lab.require(reading.query_changes(lab, subject.table, {"starting_version": subject.last}), 200)
    address = subject.table.address
    for end in lab.each((None, 0)):
        with lab.judge("DS-CDF-01"):
            reply = lab.send(op.query_table_changes, ending_version=end, **address)
            mutation = Wrong.MISSING("startingVersion")
            expect.status(reply, 400, about="for changes without a start", mutation=mutation)


@check("DS-CDF-02")
def versions_and_times_are_bounds(lab: SharingLab) -> None:
    """A request for changes with a version as one bound and a timestamp as the other returns 200;
    both for one bound return 400.
    """
    subject = target_tables.with_changes(lab)
    first, moment, later = subject.last, times.EPOCH, times.EPOCH
    if lab.knows_content:
        table = lab.fixture(PLAIN)
        first = 1
        moment = times.as_of(table.versions[1].timestamp)
        later = times.as_of(table.versions[2].timestamp)
        combinations: tuple[Document, ...] = (
            {"starting_version": 1, "ending_timestamp": later},
            {"starting_timestamp": moment, "ending_version": 2},
        )
        for bounds in lab.each(combinations):
            with lab.judge("DS-CDF-02"):
                expect.status(
                    reading.query_changes(lab, table, bounds),
                    200,
                    about=f"for {' and '.join(bounds)}",
                )
    both: tuple[tuple[str, Document], ...] = (
        ("startingTimestamp", {"starting_version": first, "starting_timestamp": moment}),
        (
            "endingTimestamp",
            {"starting_version": first, "ending_version": subject.last, "ending_timestamp": later},
        ),
    )
    for surplus, bounds in lab.each(both):
        with lab.judge("DS-CDF-02"):
            reply = reading.query_changes(lab, subject.table, bounds)
            mutation = Wrong.DUPLICATE(surplus)
            expect.status(reply, 400, about=f"for {' and '.join(bounds)}", mutation=mutation)


@check("DS-CDF-10", "DS-CDF-03")
def changes_without_end_reach_the_current_version(lab: SharingLab) -> None:
    """A request for changes without an end returns exactly the changes up to the current
    version.
    """
    for table, form in lab.each(feeds(lab)):
        first = table.first_change or 0
        reply = reading.query_changes(lab, table, {"starting_version": first}, form=form)
        if table.features and 400 <= reply.status < 500:
            for requirement in ("DS-CDF-10", "DS-CDF-03"):
                lab.skip(
                    requirement,
                    f"{table.name}, which needs {', '.join(sorted(table.features))}, is refused",
                )
            continue
        with lab.judge("DS-CDF-03"):
            answer = reading.parse(reply, f"for the changes of {table.name} in {form} format")
            _reaches(answer, table, reply)
        with lab.judge("DS-CDF-10"):
            expect_changes(lab, table, first, table.last.version, reading.parse(reply))


def _reaches(answer: Answer, table: PackTable, reply: Reply) -> None:
    """Expect the changes of the last version that has any."""
    last = max(v.version for v in table.versions if any(v.actions.values()))
    versions = [file.version for file in answer.files if file.version is not None]
    if versions:
        expect.equal(
            last,
            max(versions),
            f"for {table.name} the last version with a change",
            at=reply.place(),
        )


@check("DS-CDF-04", "DS-CDF-10")
def version_ranges_are_inclusive(lab: SharingLab) -> None:
    """A request for a range of versions returns exactly the changes from its first to its last
    version, both included.
    """
    table = lab.fixture(PLAIN)
    for form in lab.each(reading.formats(lab, table)):
        for first, last in lab.each(RANGES):
            reply = reading.query_changes(
                lab, table, {"starting_version": first, "ending_version": last}, form=form
            )
            with lab.judge("DS-CDF-04", "DS-CDF-10"):
                expect_changes(
                    lab,
                    table,
                    first,
                    last,
                    reading.parse(reply, f"for the changes from {first} to {last}"),
                )


@check("DS-CDF-05", "DS-CDF-08")
def starting_timestamps_select_the_next_version(lab: SharingLab) -> None:
    """Changes from a `startingTimestamp` start with the first version at or after it, and
    `Delta-Table-Version` is that version.
    """
    table = lab.fixture(PLAIN)
    for version in lab.each((1, 4)):
        moment = table.versions[version].timestamp
        for text in lab.each((times.at(moment), times.at(moment - 60 * times.SECOND))):
            reply = reading.query_changes(lab, table, {"starting_timestamp": text})
            with lab.judge("DS-CDF-05"):
                expect_changes(
                    lab,
                    table,
                    version,
                    table.last.version,
                    reading.parse(reply, f"for changes from {text}"),
                )
            with lab.judge("DS-CDF-08"):
                reading.expect_version(reply, version, f"for changes from {text}")


@check("DS-CDF-05", "DS-CDF-06")
def timestamps_and_versions_combine(lab: SharingLab) -> None:
    """`startingTimestamp` with `endingVersion`, and `endingTimestamp` with either start, return
    exactly the changes of that range.
    """
    table = lab.fixture(PLAIN)
    start, end = (times.at(table.versions[version].timestamp) for version in (1, 4))
    cases: tuple[tuple[str, Document], ...] = (
        ("DS-CDF-05", {"starting_timestamp": start, "ending_version": 4}),
        ("DS-CDF-06", {"starting_version": 1, "ending_timestamp": end}),
        ("DS-CDF-06", {"starting_timestamp": start, "ending_timestamp": end}),
    )
    for requirement, bounds in lab.each(cases):
        reply = reading.query_changes(lab, table, bounds)
        with lab.judge(requirement):
            expect_changes(
                lab,
                table,
                1,
                4,
                reading.parse(reply, f"for changes with {expect.excerpt(bounds)}"),
            )


@check("DS-CDF-05")
def starting_timestamps_before_the_first_version(lab: SharingLab) -> None:
    """Changes from a `startingTimestamp` before the first version start with the first version."""
    table = lab.fixture(PLAIN)
    for text in lab.each((times.EPOCH, times.at(table.versions[0].timestamp - times.SECOND))):
        reply = reading.query_changes(lab, table, {"starting_timestamp": text})
        with lab.judge("DS-CDF-05"):
            expect_changes(
                lab,
                table,
                0,
                table.last.version,
                reading.parse(reply, f"for changes from {text}"),
            )


@check("DS-CDF-06")
def ending_timestamps_select_the_previous_version(lab: SharingLab) -> None:
    """Changes up to an `endingTimestamp` end with the last version made at or before it."""
    table = lab.fixture(PLAIN)
    for version in lab.each((1, 4)):
        moment = table.versions[version].timestamp
        for text in lab.each((times.at(moment), times.at(moment + 60 * times.SECOND))):
            reply = reading.query_changes(
                lab, table, {"starting_version": 0, "ending_timestamp": text}
            )
            with lab.judge("DS-CDF-06"):
                expect_changes(
                    lab, table, 0, version, reading.parse(reply, f"for changes up to {text}")
                )
    beyond = times.at(table.last.timestamp + 60 * times.SECOND)
    reply = reading.query_changes(lab, table, {"starting_version": 0, "ending_timestamp": beyond})
    if reply.status == 400:
        # The last version made at or before it is the current one; known engines refuse a time
        # after it.
        lab.warn(
            "DS-CDF-06",
            expected=f"changes up to {beyond}, which is after the current version",
            actual=reply.summary,
        )
        return
    with lab.judge("DS-CDF-06"):
        expect_changes(
            lab,
            table,
            0,
            table.last.version,
            reading.parse(reply, f"for changes up to {beyond}"),
        )


@check("DS-CDF-07")
def historical_metadata_is_sent_on_request(lab: SharingLab) -> None:
    """Changes have a metaData line for each later change of metadata with
    `includeHistoricalMetadata` true, and none otherwise.
    """
    table = lab.fixture(PLAIN)
    later = [
        v
        for before, v in zip(table.versions, table.versions[1:], strict=False)
        if before.schema != v.schema
    ]
    cases: tuple[tuple[bool | None, list[PackVersion]], ...] = (
        (None, []),
        (False, []),
        (True, later),
    )
    for requested, expected in lab.each(cases):
        for form in lab.each(reading.formats(lab, table)):
            reply = lab.require(
                reading.query_changes(
                    lab,
                    table,
                    {"starting_version": 0, "include_historical_metadata": requested},
                    form=form,
                ),
                200,
            )
            with lab.judge("DS-CDF-07"):
                actual = reading.parse(reply).historical
                about = (
                    f"with includeHistoricalMetadata {expect.excerpt(requested)}, in {form} format"
                )
                many = f"{len(expected)} metaData lines after the first {about}"
                are_right = len(actual) >= len(expected) and (bool(expected) or not actual)
                way = Kind.MISSING if expected else Kind.SURPLUS
                expect.true(are_right, many, f"{len(actual)} of them", at=reply.place(), kind=way)
                lines_have_metadata_of(expected, actual, about)


def lines_have_metadata_of(
    versions: list[PackVersion], metadata_lines: Sequence[Members], about: str
) -> None:
    """Expect a metaData line with the columns of each version, and with its version if the line
    has one.
    """
    for version in versions:
        expected = [field["name"] for field in version.schema["fields"]]
        columns = [_columns(line.get("deltaMetadata", line)) for line in metadata_lines]
        what = (
            f"columns of a later metaData line {about}, which are those of version"
            f" {version.version}"
        )
        expect.contains(
            expected, columns, what, at=place_of(metadata_lines[0]) if metadata_lines else None
        )
        lines = [
            line for line, names in zip(metadata_lines, columns, strict=True) if names == expected
        ]
        numbers = [line.get("version") for line in lines]
        if None not in numbers:
            what = f"the version of the metaData line of version {version.version} {about}"
            expect.contains(version.version, numbers, what, at=place_of(lines[0], "version"))


def _columns(metadata: Members) -> list[str]:
    """Return the columns of metadata; its schemaString may be an object here, which DS-MDT-07
    checks.
    """
    schema = metadata.get("schemaString")
    return [
        field["name"]
        for field in (schema if isinstance(schema, dict) else schema_object(metadata))["fields"]
    ]


@check("DS-CDF-08")
def changes_name_their_first_version(lab: SharingLab) -> None:
    """`Delta-Table-Version` of changes is the version that they start with."""
    subject = target_tables.with_changes(lab)
    for version in lab.each(dict.fromkeys((subject.last, *((0, 3) if lab.knows_content else ())))):
        for bounds in lab.each(
            (
                {"starting_version": version},
                {"starting_version": version, "ending_version": subject.last},
            )
        ):
            reply = lab.require(reading.query_changes(lab, subject.table, bounds), 200)
            with lab.judge("DS-CDF-08"):
                reading.expect_version(reply, version, f"for {expect.excerpt(bounds)}")


@check("DS-CDF-09")
def order_of_the_lines(lab: SharingLab) -> None:
    """Changes are returned as a protocol line, a metaData line, then lines of changed files and
    metaData.
    """
    cases: list[tuple[AnyTable, str, int]] = []
    if lab.knows_content:
        cases += [(table, form, table.first_change or 0) for table, form in feeds(lab)]
    else:
        subject = target_tables.with_changes(lab)
        cases.append((subject.table, "", subject.last))
    for table, form, first in lab.each(cases):
        reply = reading.query_changes(lab, table, {"starting_version": first}, form=form)
        if reply.status != 200:
            lab.skip("DS-CDF-09", f"{table.name} is refused in {form} format")
            continue
        with lab.judge("DS-CDF-09"):
            kinds = [kind_of(line) for line in reply.lines]
            expect.equal(
                ["protocol", "metaData"], kinds[:2], "the first two lines", at=reply.place()
            )
            allowed = {
                "metaData",
                *(
                    {"file"}
                    if reading.parse(reply).format == reading.DELTA
                    else {"add", "cdf", "remove"}
                ),
            }
            strange = [
                (n, kind)
                for n, kind in enumerate(kinds)
                if n > 1 and kind not in {*allowed, "endStreamAction"}
            ]
            actual = f"lines of {', '.join(sorted({kind for _, kind in strange}))}"
            at = reply.place(*(n for n, _ in strange[:1]))
            expect.true(
                not strange,
                f"lines of {', '.join(sorted(allowed))} after them",
                actual,
                at=at,
                kind=Kind.SURPLUS,
            )


@check("DS-CDF-11")
def change_files_replace_data_files(lab: SharingLab) -> None:
    """The changes of a version with cdf files have those files only."""
    for table, form in lab.each(feeds(lab)):
        reply = reading.query_changes(
            lab, table, {"starting_version": table.first_change or 0}, form=form
        )
        if reply.status != 200:
            lab.skip("DS-CDF-11", f"{table.name} is refused in {form} format")
            continue
        versions = {v.version for v in table.versions if v.actions["cdc"]}
        with lab.judge("DS-CDF-11"):
            surplus = [
                file
                for file in reading.parse(reply).files
                if file.kind != CHANGE and file.version in versions
            ]
            what = f"only files of changes for the versions {sorted(versions)} of {table.name}"
            actual = (
                f"also {', '.join(f'{file.kind} of version {file.version}' for file in surplus)}"
            )
            expect.true(
                not surplus,
                what,
                actual,
                at=surplus[0].place() if surplus else None,
                kind=Kind.SURPLUS,
            )


@check("DS-CDF-12")
def unrecorded_changes_are_refused(lab: SharingLab) -> None:
    """A request for changes returns 400 if a version of the range has no recorded changes."""
    subject = target_tables.with_changes(lab)
    lab.require(reading.query_changes(lab, subject.table, {"starting_version": subject.last}), 200)
    cases: tuple[tuple[str, Document], ...] = (
        ("changes_off", {"starting_version": 0}),
        ("changes_off", {"starting_version": 2, "ending_version": 2}),
        ("changes_late", {"starting_version": 0}),
        ("changes_late", {"starting_version": 0, "ending_version": 1}),
    )
    for name, bounds in lab.each(cases):
        with lab.judge("DS-CDF-12"):
            reply = reading.query_changes(lab, lab.fixture(name), bounds)
            about = (
                f"for changes of {name} with {expect.excerpt(bounds)}, since some versions have no"
                " recorded changes"
            )
            expect.status(
                reply,
                400,
                about=about,
                mutation=Wrong.ABSENT("recorded changes", "for versions without recorded changes"),
            )


@check("DS-CDF-13")
def invalid_ranges_are_refused(lab: SharingLab) -> None:
    """A range that starts or ends after the current version, or ends before its start, returns
    400.
    """
    subject = target_tables.with_changes(lab)
    last = subject.last
    ranges: tuple[Document, ...] = (
        {"starting_version": last + 1},
        *([{"starting_version": last, "ending_version": last - 1}] if last else []),
        {"starting_version": last, "ending_version": last + 1},
        {"starting_timestamp": times.LATEST},
    )
    for bounds in lab.each(ranges):
        with lab.judge("DS-CDF-13"):
            reply = reading.query_changes(lab, subject.table, bounds)
            mutation = Wrong.VALUE(
                "startingTimestamp"
                if "starting_timestamp" in bounds
                else "startingVersion and endingVersion",
            )
            expect.status(
                reply,
                400,
                about=f"for {expect.excerpt(bounds)}, where {last} is the current version",
                mutation=mutation,
            )


@check("DS-CDF-15")
def changes_in_delta_format(lab: SharingLab) -> None:
    """Changes in delta format return 200 with `responseformat=delta`, and exactly the changed
    rows.
    """
    subject = target_tables.with_changes(lab)
    first = 0 if lab.knows_content else subject.last
    reply = lab.require(
        reading.query_changes(lab, subject.table, {"starting_version": first}, form=reading.DELTA),
        200,
    )
    with lab.judge("DS-CDF-15"):
        answer = reading.parse(reply)
        expect.equal(reading.DELTA, answer.format, "the format", at=reply.place(0, "protocol"))
        if lab.knows_content:
            expect_changes(lab, lab.fixture(PLAIN), first, subject.last, answer)


@check("DS-CDF-16")
def changes_have_the_commit_time(lab: SharingLab) -> None:
    """The `timestamp` of a changed file is the commit time of its version in milliseconds."""
    for name in lab.each((PLAIN, "changes_partitioned")):
        table = lab.fixture(name)
        for form in lab.each(reading.formats(lab, table)):
            reply = lab.require(
                reading.query_changes(lab, table, {"starting_version": 0}, form=form), 200
            )
            with lab.judge("DS-CDF-16") as case:
                for file in reading.parse(reply).files:
                    if file.version is not None and (
                        form == reading.PARQUET or file.timestamp is not None
                    ):
                        with case():
                            expected = table.versions[file.version].timestamp
                            at = place_of(file.line, "timestamp")
                            expect.equal(
                                expected,
                                file.timestamp,
                                f"for a file of version {file.version} the timestamp",
                                at=at,
                            )
