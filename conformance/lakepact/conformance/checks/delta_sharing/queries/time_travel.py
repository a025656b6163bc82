"""Time travel: queries by version, timestamp and startingVersion, and refused ones."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import orjson

from lakepact.conformance.checks.delta_sharing.api import (
    Document,
    Kind,
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
from lakepact.conformance.checks.delta_sharing.kit.reading import AnyTable
from lakepact.conformance.checks.delta_sharing.kit.target_tables import CHANGING, MANY
from lakepact.conformance.checks.delta_sharing.queries.changes import lines_have_metadata_of
from lakepact.conformance.fixtures.manifest import PackTable, PackVersion
from lakepact.conformance.rows import comparison
from lakepact.conformance.rows.lines import Answer, schema_object

WITHOUT_HISTORY = ("unpartitioned", MANY)
NO_TIMES = ("2025-01-02 00:00:00", "1735776000000", "", "yesterday", "2025-13-01T00:00:00Z")
CHECKPOINTS = ("checkpoint_classic", "checkpoint_multipart", "checkpoint_v2", "checkpoint_v2_json")
MANY_VERSIONS = 4  #: versions of a table that are queried: the first, the last and some between


def with_history(lab: SharingLab) -> Iterator[PackTable]:
    """Yield the tables of the pack whose history is shared, and which the target can answer."""
    for table in lab.manifest.tables.values():
        if (
            table.history
            and table.name != CHANGING
            and (not table.features or lab.feature("delta-format"))
        ):
            yield table


def some(versions: tuple[PackVersion, ...]) -> tuple[PackVersion, ...]:
    """Return a few of the versions, including the first and the last."""
    step = -(-(len(versions) - 1) // (MANY_VERSIONS - 1)) or 1
    return tuple(v for n, v in enumerate(versions) if n % step == 0 or n == len(versions) - 1)


def without_nulls(rows: list[Document]) -> list[Document]:
    """Return rows without null columns: a column that was added later may be missing or null."""
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def same_as(lab: SharingLab, version: PackVersion, answer: Answer, what: str) -> None:
    """Expect that the files of an answer hold exactly the rows of a version."""
    comparison.same(
        without_nulls(version.rows.to_pylist()), without_nulls(reading.rows(lab, answer)), what
    )


@check("DS-TTV-01", "DS-QRY-09")
def every_version(lab: SharingLab) -> None:
    """A query with `version` returns 200 and files with exactly the rows of that version."""
    for table in lab.each(with_history(lab)):
        for version in lab.each(some(table.readable)):
            _version_is_right(lab, table, version)


def _version_is_right(lab: SharingLab, table: PackTable, version: PackVersion) -> None:
    reply = reading.query(lab, table, {"version": version.version})
    what = f"{table.name} at version {version.version}"
    if reply.status != 200:
        if table.features and 400 <= reading.query(lab, table).status < 500:
            lab.skip(
                "DS-TTV-01",
                f"{table.name}, which needs {', '.join(sorted(table.features))}, is refused",
            )
        else:
            with lab.judge("DS-TTV-01"):
                expect.status(reply, 200, about=f"for {what}")
        lab.skip("DS-QRY-09", f"no answer for {what}")
        return
    with lab.judge("DS-TTV-01", "DS-QRY-09"):
        same_as(lab, version, reading.parse(reply), f"the rows of {what}")


@check("DS-MDT-07")
def schemas_of_versions(lab: SharingLab) -> None:
    """The `schemaString` in a response to a query with `version` has the columns of that
    version.
    """
    lab.needs_parquet()
    table = lab.fixture("schema_changes")
    if reading.query(lab, table, {"version": table.readable[0].version}).status != 200:
        raise NotOffered("the history of the table is not shared")
    for version in lab.each(table.readable):
        reply = lab.require(
            reading.query(lab, table, {"version": version.version}, form=reading.PARQUET), 200
        )
        with lab.judge("DS-MDT-07"):
            answer = reading.parse(reply)
            expected, actual = (
                [field["name"] for field in fields]
                for fields in (version.schema["fields"], answer.fields)
            )
            at = place_of(answer.metadata, "schemaString")
            expect.equal(
                expected,
                actual,
                f"for {table.name} at version {version.version} the columns",
                at=at,
            )


@check("DS-TTV-02", "DS-QRY-08", "DS-QRY-09")
def as_of_a_time(lab: SharingLab) -> None:
    """A query with `timestamp` returns the rows and the `Delta-Table-Version` of the last version
    made at or before it.
    """
    for name in lab.each(("times", "times_in_commit")):
        table = lab.fixture(name)
        for version, following in lab.each(
            zip_longest(table.versions, (later.timestamp for later in table.versions[1:]))
        ):
            moments = [-(-version.timestamp // times.SECOND)]
            if following is not None:
                moments.append(following // times.SECOND - 1)
                if (
                    name == "times_in_commit"
                ):  # A time in the log keeps its fraction; that of a file may not.
                    moments.append(following // times.SECOND)
            for moment in lab.each(seconds * times.SECOND for seconds in moments):
                if version.timestamp <= moment and (following is None or moment < following):
                    _moment_is_right(lab, table, version, times.at(moment))


@check("DS-TTV-02")
def timestamps_before_the_first_version_are_refused(lab: SharingLab) -> None:
    """A query with a `timestamp` before the first version is refused (a warning if it returns
    200).
    """
    table = lab.fixture("times")
    lab.require(
        reading.query(lab, table, {"timestamp": times.as_of(table.versions[1].timestamp)}), 200
    )
    early = times.at(table.versions[0].timestamp - times.SECOND)
    reply = reading.query(lab, table, {"timestamp": early})
    if reply.status == 200:
        # Known engines return the first version.
        expected = (
            f"a 4xx status for a query of {table.name} as of {early}, which is before its first"
            " version"
        )
        before = Wrong.ABSENT("version")
        lab.warn("DS-TTV-02", expected=expected, actual=reply.summary, mutation=before)
    lab.note("DS-TTV-02", "")


def _moment_is_right(lab: SharingLab, table: PackTable, version: PackVersion, moment: str) -> None:
    reply = reading.query(lab, table, {"timestamp": moment})
    what = f"{table.name} as of {moment}, which is version {version.version}"
    if reply.status != 200:
        if reply.status == 400 and moment > times.at(table.last.timestamp, fraction=True):
            # The last version made at or before it is the current one; known engines refuse a time
            # after it.
            lab.warn(
                "DS-TTV-02",
                expected=f"the rows of {what}, also after the last commit",
                actual=reply.summary,
            )
        else:
            with lab.judge("DS-TTV-02"):
                expect.status(reply, 200, about=f"for {what}")
        for requirement in ("DS-QRY-08", "DS-QRY-09"):
            lab.skip(requirement, f"no answer for {what}")
        return
    with lab.judge("DS-QRY-08"):
        reading.expect_version(reply, version.version, f"for {what},")
    with lab.judge("DS-TTV-02", "DS-QRY-09"):
        same_as(lab, version, reading.parse(reply), f"the rows of {what}")


@check("DS-TTV-03")
def unshared_history_is_refused(lab: SharingLab) -> None:
    """A query with `version`, `timestamp` or `startingVersion` of a table without shared history
    returns 400.
    """
    for name in lab.each(WITHOUT_HISTORY):
        table = lab.fixture(name)
        reading.parse(lab.require(reading.query(lab, table), 200))
        bodies: tuple[Document, ...] = (
            {"version": 0},
            {"timestamp": times.as_of(table.last.timestamp)},
            {"startingVersion": 0},
        )
        for body in lab.each(bodies):
            with lab.judge("DS-TTV-03"):
                about = f"for {expect.excerpt(body)} of a table whose history is not shared"
                expect.status(
                    reading.query(lab, table, body),
                    400,
                    about=about,
                    mutation=Wrong.ABSENT("history", "for a table without history"),
                )


@check("DS-TTV-04", last=1)
def missing_versions_are_refused(lab: SharingLab) -> None:
    """A query of a version that is negative, in the future or no longer kept returns 4xx.

    It is last, since a server that lists its log backwards from 2⁴⁰ keeps other requests waiting.
    """
    subject = target_tables.with_history(lab)
    for name in lab.each(CHECKPOINTS if lab.knows_content else ()):
        table = lab.fixture(name)
        if table.unusual and reading.query(lab, table).status != 200:
            lab.skip(
                "DS-TTV-04", f"{name}, which needs {', '.join(sorted(table.unusual))}, is refused"
            )
            continue
        expired_versions = [version.version for version in table.versions if not version.readable]
        _expect_refusals(
            lab,
            table,
            (table.last.version + 1, *expired_versions),
            f"{table.readable[0].version} is the first version that {name} still has",
        )
    _expect_refusals(
        lab, subject.table, (subject.last + 1, -1, 2**40), f"{subject.last} is the current version"
    )


def _expect_refusals(
    lab: SharingLab, table: AnyTable, versions: Iterable[int], reason: str
) -> None:
    for version in lab.each(versions):
        reply = reading.query(lab, table, {"version": version})
        with lab.judge("DS-TTV-04"):
            if not 400 <= reply.status < 500:
                mutation = Wrong.VALUE("/version") if version < 0 else Wrong.ABSENT("version")
                expect.status(
                    reply,
                    400,
                    404,
                    about=f"for version {version}, where {reason}",
                    mutation=mutation,
                )


@check("DS-TTV-05")
def two_time_travel_parameters_are_refused(lab: SharingLab) -> None:
    """A query with two of `version`, `timestamp` and `startingVersion` returns 400."""
    subject = target_tables.with_history(lab)
    last_time = lab.fixture("partitioned").last.time if lab.knows_content else None
    moment = times.as_of(int(time.time() * times.SECOND) if last_time is None else last_time)
    bodies: tuple[Document, ...] = (
        {"version": subject.last, "timestamp": moment},
        {"version": subject.last, "startingVersion": subject.last},
        {"timestamp": moment, "startingVersion": subject.last},
    )
    for body in lab.each(bodies):
        with lab.judge("DS-TTV-05"):
            reply = reading.query(lab, subject.table, body)
            mutation = Wrong.DUPLICATE(" and ".join(body))
            expect.status(reply, 400, about=f"for {' and '.join(body)}", mutation=mutation)


@check("DS-TTV-06")
def files_have_version_and_timestamp(lab: SharingLab) -> None:
    """Each file of a query with `version` or `timestamp` has that version's `version` and
    `timestamp`; so has metaData, if it has one.
    """
    table = lab.fixture("partitioned")
    for version in lab.each(table.readable):
        bodies: tuple[Document, ...] = (
            {"version": version.version},
            {"timestamp": times.as_of(version.timestamp)},
        )
        for body in lab.each(bodies):
            reply = lab.require(reading.query(lab, table, body), 200)
            with lab.judge("DS-TTV-06") as case:
                answer = reading.parse(reply)
                for file in answer.files:
                    with case():
                        about, line = f"for {expect.excerpt(body)} the", file.line
                        expect.equal(
                            version.version,
                            file.version,
                            f"{about} version of a file",
                            at=place_of(line, "version"),
                        )
                        expect.equal(
                            version.timestamp,
                            file.timestamp,
                            f"{about} timestamp of a file",
                            at=place_of(line, "timestamp"),
                        )
                if (actual := answer.wrapper.get("version")) is not None:
                    at = place_of(answer.wrapper, "version")
                    expect.equal(
                        version.version,
                        actual,
                        f"for {expect.excerpt(body)} the version of metaData",
                        at=at,
                    )


# -- since a version -------------------------------------------------------------------------------


@check("DS-TTV-07")
def starting_versions_return_added_and_removed_files(lab: SharingLab) -> None:
    """A query with `startingVersion` returns added and removed files whose rows lead from each
    version's rows to the next's.
    """
    for name, start in lab.each(
        (
            ("partitioned", 0),
            ("partitioned", 2),
            ("streamed", 3),
            ("changes", 0),
            ("deletion_vectors", 1),
        )
    ):
        table = lab.fixture(name)
        if table.features and not lab.feature("delta-format"):
            continue
        reply = reading.query(lab, table, {"startingVersion": start})
        if table.features and 400 <= reply.status < 500:
            continue
        with lab.judge("DS-TTV-07"):
            _lead_to_the_rows(
                lab,
                table,
                start,
                reading.parse(reply, f"for the changes of {name} since {start}"),
            )


def _lead_to_the_rows(lab: SharingLab, table: PackTable, start: int, answer: Answer) -> None:
    for version in table.versions[start:]:
        before = table.versions[version.version - 1].rows.to_pylist() if version.version else []
        # The first metaData line may be that of the start or of the end; files are read with the
        # columns of their own version.
        then = replace(
            answer,
            metadata={**answer.metadata, "schemaString": orjson.dumps(version.schema).decode()},
        )
        additions, removals = (
            [
                row
                for file in answer.of(kind)
                if file.version == version.version
                for row in reading.rows_of(lab, then, file)
            ]
            for kind in ("add", "remove")
        )
        expected = without_nulls([*version.rows.to_pylist(), *removals])
        comparison.same(
            expected,
            without_nulls([*before, *additions]),
            f"{table.name}, from {version.version - 1} to {version.version}",
        )


@check("DS-TTV-08")
def earlier_metadata(lab: SharingLab) -> None:
    """A query with `startingVersion` returns a metaData line for each later version that changed
    the metadata.
    """
    table = lab.fixture("schema_changes")
    for start in lab.each((0, 1, 2)):
        reply = lab.require(reading.query(lab, table, {"startingVersion": start}), 200)
        with lab.judge("DS-TTV-08") as case:
            answer = reading.parse(reply)
            actual = [_columns(document) for document in (answer.wrapper, *answer.historical)]
            later = [
                v
                for before, v in zip(
                    table.versions[start:], table.versions[start + 1 :], strict=False
                )
                if before.schema != v.schema
            ]
            for version in later:
                with case():
                    expected = _columns({"schemaString": orjson.dumps(version.schema).decode()})
                    what = f"since {start} metaData lines, one of them of version {version.version}"
                    expect.contains(expected, actual, what, at=reply.place())
            lines_have_metadata_of(later, answer.historical, f"since {start}")


def _columns(metadata: Any) -> list[Any]:
    """Return the columns of a schema in short form."""
    inner = metadata.get("deltaMetadata", metadata)
    schema = (
        inner["schemaString"] if isinstance(inner["schemaString"], dict) else schema_object(inner)
    )
    return [[field["name"], bool(field.get("metadata"))] for field in schema["fields"]]


@check("DS-TTV-09")
def ending_versions_are_hints(lab: SharingLab) -> None:
    """`endingVersion` alone changes nothing; with `startingVersion`, the answer has all rows that
    were added up to it.
    """
    subject = target_tables.with_history(lab)
    plain = lab.require(reading.query(lab, subject.table), 200)
    bounded = reading.query(lab, subject.table, {"endingVersion": 0})
    with lab.judge("DS-TTV-09"):
        whole = reading.identities_of(reading.parse(plain).files)
        actual = reading.identities_of(reading.parse(bounded, "for an endingVersion alone").files)
        expect.equal(whole, actual, "files", at=bounded.place())
    if not lab.knows_content:
        return
    table = lab.fixture("streamed")
    window = reading.query(lab, table, {"startingVersion": 1, "endingVersion": 3})
    with lab.judge("DS-TTV-09"):
        answer = reading.parse(window, "for versions 1 to 3")
        actual = [
            row
            for file in answer.files
            if (file.version or 0) <= 3
            for row in reading.rows_of(lab, answer, file)
        ]
        before = comparison.count(table.versions[0].rows.to_pylist())
        expected = comparison.count(table.versions[3].rows.to_pylist()) - before
        what = "for versions 1 to 3 the number of rows added in them"
        expect.equal(expected.total(), len(actual), what, at=window.place())


@check("DS-TTV-11")
def compactions_return_no_lines(lab: SharingLab) -> None:
    """A query with `startingVersion` returns no file of a commit that changes no data, such as a
    compaction.
    """
    table = lab.fixture("changes")
    compactions = [v.version for v in table.versions if not any(v.actions.values())]
    for start in lab.each((0, compactions[0])):
        reply = lab.require(reading.query(lab, table, {"startingVersion": start}), 200)
        with lab.judge("DS-TTV-11"):
            files = [file for file in reading.parse(reply).files if file.version in compactions]
            what = f"no file of version {compactions[0]}, which is a compaction"
            at = files[0].place() if files else None
            expect.true(not files, what, f"{len(files)} files of it", at=at, kind=Kind.SURPLUS)


@check("DS-TTV-12")
def starts_after_the_end_are_refused(lab: SharingLab) -> None:
    """A query whose `startingVersion` is after the current version, or after `endingVersion`,
    returns 400.
    """
    subject = target_tables.with_history(lab)
    last = subject.last
    bodies = [
        {"startingVersion": last + 1},
        *([{"startingVersion": last, "endingVersion": last - 1}] if last else []),
    ]
    for body in lab.each(bodies):
        with lab.judge("DS-TTV-12"):
            reply = reading.query(lab, subject.table, body)
            mutation = Wrong.VALUE("/startingVersion")
            expect.status(
                reply,
                400,
                about=f"for {expect.excerpt(body)}, where {last} is the current version",
                mutation=mutation,
            )


@check("DS-TTV-13")
def changes_are_whole_files(lab: SharingLab) -> None:
    """A query with `startingVersion` returns added and removed files, and no cdf files."""
    table = lab.fixture("changes")
    reply = lab.require(reading.query(lab, table, {"startingVersion": 0}), 200)
    with lab.judge("DS-TTV-13"):
        others = [file for file in reading.parse(reply).files if file.kind not in {"add", "remove"}]
        kinds = ", ".join(sorted({file.kind for file in others}))
        at = others[0].place() if others else None
        expect.true(
            not others,
            "files that were added or removed",
            f"kinds {kinds}",
            at=at,
            kind=Kind.SURPLUS,
        )


# -- spellings of times ----------------------------------------------------------------------------


@check("DS-TSF-01")
def times_in_utc(lab: SharingLab) -> None:
    """A timestamp in ISO 8601 and UTC returns 200 for the version of a table, queries and
    changes.
    """
    lab.needs_history()
    subject = target_tables.any_table(lab) if lab.knows_content else lab.with_history()
    replies = [
        (
            "the version",
            lab.send(op.get_table_version, starting_timestamp=times.EPOCH, **subject.address),
        )
    ]
    if lab.knows_content:
        moment = times.as_of((table := lab.fixture("changes")).versions[1].timestamp)
        replies.append(
            (
                "the version",
                lab.send(op.get_table_version, starting_timestamp=moment, **table.address),
            )
        )
        if lab.feature("history"):  # Without it, only getTableVersion accepts times.
            replies.append(("a query", reading.query(lab, table, {"timestamp": moment})))
        if lab.feature("change-data-feed"):
            replies.append(
                ("changes", reading.query_changes(lab, table, {"starting_timestamp": moment}))
            )
    for what, reply in lab.each(replies):
        with lab.judge("DS-TSF-01"):
            expect.status(reply, 200, about=f"for {what} by a timestamp such as {times.EPOCH}")


@check("DS-TSF-02")
def invalid_timestamps_return_400(lab: SharingLab) -> None:
    """A timestamp that is not ISO 8601 returns 400, for the version of a table and for queries."""
    table = target_tables.any_table(lab)
    reading.version_header(lab.require(lab.send(op.get_table_version, **table.address), 200))
    for text in lab.each(NO_TIMES):
        with lab.judge("DS-TSF-02"):
            reply = lab.send(
                op.get_table_version, query=[("startingTimestamp", text)], **table.address
            )
            mutation = Wrong.SYNTAX("startingTimestamp")
            expect.status(
                reply, 400, about=f"for startingTimestamp {expect.excerpt(text)}", mutation=mutation
            )
    if lab.feature("history"):
        historical = target_tables.with_history(lab).table
        for text in lab.each(NO_TIMES):
            with lab.judge("DS-TSF-02"):
                reply = reading.query(lab, historical, {"timestamp": text})
                mutation = Wrong.SYNTAX("/timestamp")
                expect.status(
                    reply, 400, about=f"for a query as of {expect.excerpt(text)}", mutation=mutation
                )


@check("DS-TSF-03")
def timestamps_with_fractions_or_offsets(lab: SharingLab) -> None:
    """A timestamp with fractional seconds or another offset returns the version of that time, or
    400.
    """
    lab.needs_history()
    table = lab.fixture("times")
    at = [version.timestamp for version in table.versions]
    lab.require(
        lab.send(op.get_table_version, starting_timestamp=times.at(at[2]), **table.address), 200
    )
    for moment, first, latest in lab.each(
        (
            (times.at(at[2], offset_hours=2), 2, 2),
            (times.at(at[2], offset_hours=-7), 2, 2),
            (times.at(at[2] + 500, fraction=True), 3, 2),
            (times.at(at[4], fraction=True), 4, 4),
            (times.at(at[2]).replace("Z", ".000000Z"), 2, 2),
            (times.at(at[2]).replace("Z", ".000000000Z"), 2, 2),
            (times.at(at[4] - 1, fraction=True), 4, 3),
        )
    ):
        reply = lab.send(op.get_table_version, starting_timestamp=moment, **table.address)
        with lab.judge("DS-TSF-03"):
            _expect_version_or_400(reply, first, f"the first version at or after {moment}")
        reply = reading.query(lab, table, {"timestamp": moment})
        with lab.judge("DS-TSF-03"):
            _expect_version_or_400(reply, latest, f"the last version at or before {moment}")


def _expect_version_or_400(reply: Reply, version: int, what: str) -> None:
    expect.status(reply, 200, 400, about=f"for {what}")
    if reply.status == 200:
        reading.expect_version(reply, version, f"for {what}")


# -- streaming -------------------------------------------------------------------------------------


@check("DS-STR-03")
def version_windows_return_each_row_once(lab: SharingLab) -> None:
    """Queries of successive ranges of `startingVersion` and `endingVersion` return each added row
    exactly once.
    """
    table = lab.fixture("streamed")
    current = lab.require(lab.send(op.get_table_version, **table.address), 200)
    if reading.version_header(current) != str(table.last.version):
        raise NotOffered(f"{table.name} is not at version {table.last.version} any more")
    with lab.judge("DS-STR-03"):
        read: list[Any] = []
        for start in range(0, table.last.version + 1, 2):
            end = min(start + 1, table.last.version)
            reply = reading.query(lab, table, {"startingVersion": start, "endingVersion": end})
            answer = reading.parse(reply, f"for versions {start} to {end}")
            for file in answer.files:
                if file.version is None or start <= file.version <= end:
                    read += reading.rows_of(lab, answer, file)
        comparison.same(table.last.rows.to_pylist(), read, "the rows of all ranges together")
