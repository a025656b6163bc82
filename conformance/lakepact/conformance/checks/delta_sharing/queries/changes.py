"""The change data feed: which rows changed how, in which version, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance import expect
from lakepact.conformance.checks.delta_sharing.kit import reading, test_tables, times
from lakepact.conformance.checks.delta_sharing.kit.lines import kind_of
from lakepact.conformance.checks.delta_sharing.suite import check
from lakepact.conformance.outcome import NotOffered
from lakepact.conformance.rows import comparison
from lakepact.conformance.rows.changes import TIMESTAMP, VERSION
from lakepact.conformance.rows.lines import CHANGE, schema_object
from lakepact.generated.delta_sharing import op

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lakepact.conformance.checks.delta_sharing.kit.lab import SharingLab
    from lakepact.conformance.checks.delta_sharing.kit.reading import AnyTable
    from lakepact.conformance.fixtures.manifest import PackTable, PackVersion
    from lakepact.conformance.rows.lines import Answer

PLAIN = "changes"
RECORDED = (PLAIN, "changes_partitioned", "changes_deletion_vectors", "changes_vectors_gone", "changes_late")
RANGES = ((0, 0), (2, 4), (3, 3), (5, 5), (6, 8))  #: of versions of the plain one


def feeds(lab: SharingLab) -> Iterator[tuple[PackTable, str]]:
    """Yield the tables of the pack with a change data feed, in each format in which they can be answered."""
    for name in RECORDED:
        table = lab.fixture(name)
        try:
            forms = reading.formats(lab, table)
        except NotOffered:
            continue
        for form in forms:
            yield table, form


def right(lab: SharingLab, table: PackTable, first: int, last: int, answer: Answer) -> None:
    """An answer stands for exactly the changes of some versions."""
    what = f"the changes of {table.name} from {first} to {last} in {answer.format} format"
    columns = comparable(answer)
    expected, found = table.changes(first, last).to_pylist(), reading.changed_rows(lab, answer)
    comparison.same(in_columns(expected, columns), in_columns(found, columns), what)


def comparable(answer: Answer) -> set[str]:
    """Return the columns in which changes can be compared.

    A column that came later may be missing from metadata that belongs to an earlier version, and in delta format files may leave
    out their version and time.
    """
    columns = {field["name"] for field in answer.fields} | {"_change_type"}
    if answer.format == reading.PARQUET or all(file.version is not None for file in answer.files):
        columns.add(VERSION)
    if answer.format == reading.PARQUET or all(file.timestamp is not None for file in answer.files):
        columns.add(TIMESTAMP)
    return columns


def in_columns(rows: list[dict[str, Any]], columns: set[str]) -> list[dict[str, Any]]:
    """Return rows in some columns, and without what is null."""
    return [{name: value for name, value in row.items() if name in columns and value is not None} for row in rows]


@check("DS-CDF-01")
def changes_without_start_are_refused(lab: SharingLab) -> None:
    """A request for changes without a start is refused."""
    subject = test_tables.with_changes(lab)
    lab.require(reading.asked_changes(lab, subject.table, {"starting_version": subject.last}), 200)
    address = subject.table.address
    for end in (None, 0):
        with lab.judge("DS-CDF-01"):
            expect.status(lab.send(op.query_table_changes, ending_version=end, **address), 400, about="for changes without a start")


@check("DS-CDF-02")
def versions_and_times_are_bounds(lab: SharingLab) -> None:
    """A start and an end may each be a version or a time, but not both."""
    subject = test_tables.with_changes(lab)
    first, moment, later = subject.last, times.EPOCH, times.EPOCH
    if lab.knows_content:
        table = lab.fixture(PLAIN)
        first, moment, later = 1, times.as_of(table.versions[1].timestamp), times.as_of(table.versions[2].timestamp)
        for bounds in ({"starting_version": 1, "ending_timestamp": later}, {"starting_timestamp": moment, "ending_version": 2}):
            with lab.judge("DS-CDF-02"):
                expect.status(reading.asked_changes(lab, table, bounds), 200, about=f"for {' and '.join(bounds)}")
    both: tuple[dict[str, Any], ...] = (
        {"starting_version": first, "starting_timestamp": moment},
        {"starting_version": first, "ending_version": subject.last, "ending_timestamp": later},
    )
    for bounds in both:
        with lab.judge("DS-CDF-02"):
            expect.status(reading.asked_changes(lab, subject.table, bounds), 400, about=f"for {' and '.join(bounds)}")


@check("DS-CDF-10", "DS-CDF-03")
def changes_without_end_reach_the_current_version(lab: SharingLab) -> None:
    """A request for changes without an end returns all changes up to the current version."""
    for table, form in feeds(lab):
        first = table.first_change or 0
        reply = reading.asked_changes(lab, table, {"starting_version": first}, form=form)
        if table.features and 400 <= reply.status < 500:
            for requirement in ("DS-CDF-10", "DS-CDF-03"):
                lab.skip(requirement, f"{table.name}, which needs {', '.join(sorted(table.features))}, is refused")
            continue
        with lab.judge("DS-CDF-03"):
            answer = reading.understood(reply, f"for the changes of {table.name} in {form} format")
            _reaches(answer, table)
        with lab.judge("DS-CDF-10"):
            right(lab, table, first, table.last.version, reading.understood(reply))


def _reaches(answer: Answer, table: PackTable) -> None:
    """The changes of the last version that has any are there."""
    last = max(v.version for v in table.versions if any(v.document["actions"].values()))
    versions = [file.version for file in answer.files if file.version is not None]
    if versions:
        expect.equal(last, max(versions), f"for {table.name} the last version with a change")


@check("DS-CDF-04", "DS-CDF-10")
def version_ranges_are_inclusive(lab: SharingLab) -> None:
    """A range of versions includes the changes of its first and last version, and no others."""
    table = lab.fixture(PLAIN)
    for form in reading.formats(lab, table):
        for first, last in RANGES:
            reply = reading.asked_changes(lab, table, {"starting_version": first, "ending_version": last}, form=form)
            with lab.judge("DS-CDF-04", "DS-CDF-10"):
                right(lab, table, first, last, reading.understood(reply, f"for the changes from {first} to {last}"))


@check("DS-CDF-05", "DS-CDF-08")
def starting_timestamps_select_the_next_version(lab: SharingLab) -> None:
    """Changes from a time start with the first version made at or after it."""
    table = lab.fixture(PLAIN)
    for version in (1, 4):
        moment = table.versions[version].timestamp
        for text in (times.at(moment), times.at(moment - 60 * times.SECOND)):
            reply = reading.asked_changes(lab, table, {"starting_timestamp": text})
            with lab.judge("DS-CDF-05"):
                right(lab, table, version, table.last.version, reading.understood(reply, f"for changes from {text}"))
            with lab.judge("DS-CDF-08"):
                expect.equal(str(version), reading.version_header(reply), f"for changes from {text} the Delta-Table-Version")


@check("DS-CDF-05", "DS-CDF-06")
def timestamps_and_versions_combine(lab: SharingLab) -> None:
    """An end version applies to a start time, and an end time to a start version."""
    table = lab.fixture(PLAIN)
    start, end = (times.at(table.versions[version].timestamp) for version in (1, 4))
    for requirement, bounds in (
        ("DS-CDF-05", {"starting_timestamp": start, "ending_version": 4}),
        ("DS-CDF-06", {"starting_version": 1, "ending_timestamp": end}),
        ("DS-CDF-06", {"starting_timestamp": start, "ending_timestamp": end}),
    ):
        reply = reading.asked_changes(lab, table, bounds)
        with lab.judge(requirement):
            right(lab, table, 1, 4, reading.understood(reply, f"for changes with {expect.shown(bounds)}"))


@check("DS-CDF-05")
def starting_timestamps_before_the_first_version(lab: SharingLab) -> None:
    """Changes from a time before the first version start with the first version."""
    table = lab.fixture(PLAIN)
    for text in (times.EPOCH, times.at(table.versions[0].timestamp - times.SECOND)):
        reply = reading.asked_changes(lab, table, {"starting_timestamp": text})
        with lab.judge("DS-CDF-05"):
            right(lab, table, 0, table.last.version, reading.understood(reply, f"for changes from {text}"))


@check("DS-CDF-06")
def ending_timestamps_select_the_previous_version(lab: SharingLab) -> None:
    """Changes up to a time end with the last version made at or before it."""
    table = lab.fixture(PLAIN)
    for version in (1, 4):
        moment = table.versions[version].timestamp
        for text in (times.at(moment), times.at(moment + 60 * times.SECOND)):
            reply = reading.asked_changes(lab, table, {"starting_version": 0, "ending_timestamp": text})
            with lab.judge("DS-CDF-06"):
                right(lab, table, 0, version, reading.understood(reply, f"for changes up to {text}"))
    beyond = times.at(table.last.timestamp + 60 * times.SECOND)
    reply = reading.asked_changes(lab, table, {"starting_version": 0, "ending_timestamp": beyond})
    if reply.status == 400:
        # The last version made at or before it is the current one; engines that take it for a mistake are known.
        lab.warn("DS-CDF-06", expected=f"changes up to {beyond}, which is after the current version", actual=reply.shown)
        return
    with lab.judge("DS-CDF-06"):
        right(lab, table, 0, table.last.version, reading.understood(reply, f"for changes up to {beyond}"))


@check("DS-CDF-07")
def historical_metadata_is_sent_on_request(lab: SharingLab) -> None:
    """Later metadata is returned if requested, and not otherwise."""
    table = lab.fixture(PLAIN)
    later = [v for before, v in zip(table.versions, table.versions[1:], strict=False) if before.schema != v.schema]
    for asked, wanted in ((None, []), (False, []), (True, later)):
        for form in reading.formats(lab, table):
            reply = lab.require(
                reading.asked_changes(lab, table, {"starting_version": 0, "include_historical_metadata": asked}, form=form), 200
            )
            with lab.judge("DS-CDF-07"):
                found = reading.understood(reply).historical
                about = f"with includeHistoricalMetadata {expect.shown(asked)}, in {form} format"
                many = f"{len(wanted)} metaData lines after the first {about}"
                expect.true(len(found) >= len(wanted) and (bool(wanted) or not found), many, f"{len(found)} of them")
                became(wanted, found, about)


def became(wanted: list[PackVersion], found: Sequence[Mapping[str, Any]], about: str) -> None:
    """Lines of later metadata hold the changed metadata and its version."""
    for version in wanted:
        expected = [field["name"] for field in version.schema["fields"]]
        columns = [_named(line.get("deltaMetadata", line)) for line in found]
        expect.contains(expected, columns, f"columns of a later metaData line {about}, which are those of version {version.version}")
        said = [line.get("version") for line, names in zip(found, columns, strict=True) if names == expected]
        if None not in said:
            expect.contains(version.version, said, f"the version of the metaData line of version {version.version} {about}")


def _named(metadata: Mapping[str, Any]) -> list[str]:
    """Return the columns that metadata has; a schema that is no text is judged elsewhere."""
    told = metadata.get("schemaString")
    return [field["name"] for field in (told if isinstance(told, dict) else schema_object(metadata))["fields"]]


@check("DS-CDF-08")
def changes_name_their_first_version(lab: SharingLab) -> None:
    """The header of changes has the version that they start with."""
    subject = test_tables.with_changes(lab)
    for version in dict.fromkeys((subject.last, *((0, 3) if lab.knows_content else ()))):
        for bounds in ({"starting_version": version}, {"starting_version": version, "ending_version": subject.last}):
            reply = lab.require(reading.asked_changes(lab, subject.table, bounds), 200)
            with lab.judge("DS-CDF-08"):
                expect.equal(str(version), reading.version_header(reply), f"for {expect.shown(bounds)} the Delta-Table-Version")


@check("DS-CDF-09")
def order_of_the_lines(lab: SharingLab) -> None:
    """Changes are returned as protocol, metaData, then changed files."""
    known: list[tuple[AnyTable, str, int]] = []
    if lab.knows_content:
        known += [(table, form, table.first_change or 0) for table, form in feeds(lab)]
    else:
        subject = test_tables.with_changes(lab)
        known.append((subject.table, "", subject.last))
    for table, form, first in known:
        reply = reading.asked_changes(lab, table, {"starting_version": first}, form=form)
        if reply.status != 200:
            lab.skip("DS-CDF-09", f"{table.name} is refused in {form} format")
            continue
        with lab.judge("DS-CDF-09"):
            kinds = [kind_of(line) for line in reply.lines]
            expect.equal(["protocol", "metaData"], kinds[:2], "the first two lines")
            allowed = {"metaData", *({"file"} if reading.understood(reply).format == reading.DELTA else {"add", "cdf", "remove"})}
            strange = sorted(set(kinds[2:]) - allowed - {"endStreamAction"})
            expect.true(not strange, f"lines of {', '.join(sorted(allowed))} after them", f"lines of {', '.join(strange)}")


@check("DS-CDF-11")
def change_files_replace_data_files(lab: SharingLab) -> None:
    """A version with change data files returns only those."""
    for table, form in feeds(lab):
        reply = reading.asked_changes(lab, table, {"starting_version": table.first_change or 0}, form=form)
        if reply.status != 200:
            lab.skip("DS-CDF-11", f"{table.name} is refused in {form} format")
            continue
        recorded = {v.version for v in table.versions if v.document["actions"]["cdc"]}
        with lab.judge("DS-CDF-11"):
            beside = [
                f"{file.kind} of version {file.version}"
                for file in reading.understood(reply).files
                if file.kind != CHANGE and file.version in recorded
            ]
            expect.true(
                not beside, f"only files of changes for the versions {sorted(recorded)} of {table.name}", f"also {', '.join(beside)}"
            )


@check("DS-CDF-12")
def unrecorded_changes_are_refused(lab: SharingLab) -> None:
    """A request for changes that were not fully recorded is refused."""
    subject = test_tables.with_changes(lab)
    lab.require(reading.asked_changes(lab, subject.table, {"starting_version": subject.last}), 200)
    for name, bounds in (
        ("changes_off", {"starting_version": 0}),
        ("changes_off", {"starting_version": 2, "ending_version": 2}),
        ("changes_late", {"starting_version": 0}),
        ("changes_late", {"starting_version": 0, "ending_version": 1}),
    ):
        with lab.judge("DS-CDF-12"):
            reply = reading.asked_changes(lab, lab.fixture(name), bounds)
            expect.status(
                reply, 400, about=f"for changes of {name} with {expect.shown(bounds)}, since some versions have no recorded changes"
            )


@check("DS-CDF-13")
def invalid_ranges_are_refused(lab: SharingLab) -> None:
    """A range that starts or ends after the current version, or ends before its start, is refused."""
    subject = test_tables.with_changes(lab)
    last = subject.last
    ranges: tuple[dict[str, Any], ...] = (
        {"starting_version": last + 1},
        *([{"starting_version": last, "ending_version": last - 1}] if last else []),
        {"starting_version": last, "ending_version": last + 1},
        {"starting_timestamp": times.LATEST},
    )
    for bounds in ranges:
        with lab.judge("DS-CDF-13"):
            reply = reading.asked_changes(lab, subject.table, bounds)
            expect.status(reply, 400, about=f"for {expect.shown(bounds)}, where {last} is the current version")


@check("DS-CDF-15")
def changes_in_delta_format(lab: SharingLab) -> None:
    """In delta format each changed file wraps an add, a remove or a cdc."""
    subject = test_tables.with_changes(lab)
    first = 0 if lab.knows_content else subject.last
    reply = lab.require(reading.asked_changes(lab, subject.table, {"starting_version": first}, form=reading.DELTA), 200)
    with lab.judge("DS-CDF-15"):
        answer = reading.understood(reply)
        expect.equal(reading.DELTA, answer.format, "the format")
        if lab.knows_content:
            right(lab, lab.fixture(PLAIN), first, subject.last, answer)


@check("DS-CDF-16")
def changes_have_the_commit_time(lab: SharingLab) -> None:
    """The timestamp of a changed file is the time of its version's commit."""
    for name in (PLAIN, "changes_partitioned"):
        table = lab.fixture(name)
        for form in reading.formats(lab, table):
            reply = lab.require(reading.asked_changes(lab, table, {"starting_version": 0}, form=form), 200)
            with lab.judge("DS-CDF-16") as case:
                for file in reading.understood(reply).files:
                    with case():
                        if file.version is not None and (form == reading.PARQUET or file.timestamp is not None):
                            wanted = table.versions[file.version].timestamp
                            expect.equal(wanted, file.timestamp, f"for a file of version {file.version} the timestamp")
