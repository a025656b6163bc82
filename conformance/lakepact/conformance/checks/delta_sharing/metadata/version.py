"""The version of a table: now, and at a time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from lakepact.conformance.checks.delta_sharing.api import (
    EITHER_FORMAT,
    Document,
    Exchange,
    NotOffered,
    OperationId,
    Reply,
    SharingLab,
    Wrong,
    check,
    expect,
    invariant,
    op,
    reading,
)
from lakepact.conformance.checks.delta_sharing.kit.answers import OF_TABLES, is_answer, version_of
from lakepact.conformance.checks.delta_sharing.kit.target_tables import CHANGING
from lakepact.conformance.fixtures.manifest import PackTable

MOST_TABLES = 12
FEW_TABLES = 3  #: that are requested repeatedly
TIMES = 5  #: requests of each kind: a load balancer gives each to another replica

BEFORE_ALL, AFTER_ALL = "1970-01-01T00:00:00Z", "9999-01-01T00:00:00Z"
BEFORE_1970 = "1969-12-31T23:59:59Z"  #: a time that is negative where times are counted


def iso(milliseconds: int) -> str:
    """Return a time in milliseconds in the protocol's form; without a fraction of zero."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{milliseconds % 1000:03}Z" if milliseconds % 1000 else f"{text}Z"


def _version(reply: Reply) -> int:
    """Return the version of an answer.

    Raises:
        Unmet: it has none.
    """
    version = version_of(reply)
    if version is None:
        header = reply.headers.get(reading.VERSION, "no such header")
        raise expect.unmet(
            "an integer of at least 0 as Delta-Table-Version",
            header,
            at=reply.header(reading.VERSION),
        )
    return version


@invariant("DS-VER-01")
def versions_are_in_the_header(exchange: Exchange) -> bool:
    """The version of a table is in a header, and the body is empty."""
    if not is_answer(exchange, frozenset({op.get_table_version})):
        return False
    _version(Reply(exchange))
    expect.no_body(Reply(exchange))
    return True


@check("DS-VER-01", "DS-VER-03")
def versions_agree_across_operations(lab: SharingLab) -> None:
    """The version of a table equals that of its metadata and of a query for its files."""
    for table in lab.each(lab.tables()[:MOST_TABLES]):
        first = lab.send(op.get_table_version, **table.address)
        with lab.judge("DS-VER-01"):
            expect.status(first, 200, about=f"for {table.name}")
            version = _version(first)
        lab.require(first, 200)
        operations = [
            op.get_table_metadata,
            *([op.query_table] if "url" in table.access_modes else []),
        ]
        replies = [
            lab.send(operation, headers=[EITHER_FORMAT], **OF_TABLES[operation], **table.address)
            for operation in operations
        ]
        last = lab.send(op.get_table_version, **table.address)
        if version_of(first) != version_of(last):
            continue  # another client writes
        with lab.judge("DS-VER-03") as case:
            version = _version(first)
            if lab.knows_content and table.name in lab.manifest.tables and table.name != CHANGING:
                expected = lab.fixture(table.name).last.version
                expect.equal(
                    expected,
                    version,
                    f"the version of {table.name}:",
                    at=first.header(reading.VERSION),
                )
            for reply in replies:
                if reply.status == 200:
                    with case():
                        what = (
                            f"the version of {table.name} in the answer to"
                            f" {reply.exchange.operation}:"
                        )
                        expect.equal(
                            version, _version(reply), what, at=reply.header(reading.VERSION)
                        )


@check("DS-VER-09")
def versions_never_go_down(lab: SharingLab) -> None:
    """Repeated requests for a table, each on a connection of its own, never return a lower version
    than before.
    """
    requests: tuple[tuple[OperationId, Document], ...] = (
        (op.get_table_version, {}),
        (op.get_table_metadata, {"headers": [EITHER_FORMAT]}),
        (op.query_table, {"body": {"limitHint": 1}, "headers": [EITHER_FORMAT]}),
    )
    with lab.judge_each("DS-VER-09") as case:
        for table in [table for table in lab.tables() if table.name != CHANGING][:FEW_TABLES]:
            highest = -1
            for operation, arguments in requests * TIMES:
                reply = lab.send(operation, alone=True, **arguments, **table.address)
                version = version_of(reply) if reply.status == 200 else None
                if version is None:
                    continue  # judged by other requirements
                with case():
                    expected = (
                        f"version {highest} of {table.name} or a later one, which an earlier"
                        " answer had"
                    )
                    actual = f"version {version} in the answer to {operation}"
                    expect.true(
                        version >= highest, expected, actual, at=reply.header(reading.VERSION)
                    )
                    highest = version


@check("DS-VER-02")
def head_and_get_return_the_same_version(lab: SharingLab) -> None:
    """HEAD of a table, if served, returns the same version as GET."""
    if not lab.offers(op.head_table_version):
        raise NotOffered("the target does not serve the older request")
    with lab.judge_each("DS-VER-02") as case:
        for table in lab.tables()[:MOST_TABLES]:
            with case():
                new = lab.require(lab.send(op.get_table_version, **table.address), 200)
                old = lab.send(op.head_table_version, **table.address)
                expect.status(old, 200, about=f"for HEAD of {table.name}")
                expect.no_body(old)
                expect.equal(
                    _version(new),
                    _version(old),
                    f"the version of {table.name}:",
                    at=old.header(reading.VERSION),
                )


def _times(lab: SharingLab) -> Iterator[PackTable]:
    """Yield the tables of the fixture pack with a history whose every version can be read."""
    lab.needs_history()
    for name in lab.manifest.tables:
        table = lab.fixture(name)
        if table.history and len(table.readable) == len(table.versions) > 1:
            yield table


@check("DS-VER-04")
def starting_timestamps_return_the_next_version(lab: SharingLab) -> None:
    """A time before, at or after a commit returns the earliest version made at or after it."""
    for table in lab.each(_times(lab)):
        moments = [version.timestamp for version in table.versions]
        slack = 0 if table.exact_times else 1000
        ends = {0, len(moments) - 2, len(moments) - 1}
        for version, moment in lab.each(enumerate(moments)):
            if version not in ends:
                continue
            for time in lab.each((moment - 1000, moment - 1, moment, moment + 1)):
                if slack and any(abs(time - other) < slack for other in moments):
                    continue
                expected = next((n for n, other in enumerate(moments) if other >= time), None)
                if expected is None:
                    continue
                reply = lab.send(
                    op.get_table_version, starting_timestamp=iso(time), **table.address
                )
                if time % 1000 and reply.status == 400:
                    continue  # A fraction of a second may be refused.
                with lab.judge("DS-VER-04"):
                    expect.status(
                        reply,
                        200,
                        about=(
                            f"for {iso(time)} of {table.name}, whose version {version} is of"
                            f" {iso(moment)}"
                        ),
                    )
                    what = f"the version of {table.name} from {iso(time)} on:"
                    expect.equal(expected, _version(reply), what, at=reply.header(reading.VERSION))


@check("DS-VER-05", "DS-VER-06")
def starting_timestamps_out_of_range(lab: SharingLab) -> None:
    """A time before the first commit returns the earliest version; one after the last is
    refused.
    """
    table = lab.with_history()
    current = _version(lab.require(lab.send(op.get_table_version, **table.address), 200))
    early = lab.send(op.get_table_version, starting_timestamp=BEFORE_ALL, **table.address)
    late = lab.send(op.get_table_version, starting_timestamp=AFTER_ALL, **table.address)

    with lab.judge("DS-VER-05"):
        expect.status(early, 200, about=f"for {BEFORE_ALL} of {table.name}")
        earlier = lab.send(op.get_table_version, starting_timestamp=BEFORE_1970, **table.address)
        expect.status(earlier, 200, about=f"for {BEFORE_1970} of {table.name}")
        expect.equal(
            _version(early),
            _version(earlier),
            f"the version for {BEFORE_1970}:",
            at=earlier.header(reading.VERSION),
        )
        at, version = early.header(reading.VERSION), _version(early)
        expect.true(
            version <= current, f"a version up to the current one, {current}", str(version), at=at
        )
        if lab.knows_content and table.name in lab.manifest.tables:
            expect.equal(
                lab.fixture(table.name).readable[0].version,
                version,
                f"the earliest version of {table.name}:",
                at=at,
            )
    with lab.judge("DS-VER-06"):
        expect.status(
            late,
            400,
            about=f"for {AFTER_ALL} of {table.name}",
            mutation=Wrong.ABSENT("version"),
        )
