"""Checks of metadata as of a version or a time."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from lakepact.conformance.checks.delta_sharing.api import (
    EITHER_FORMAT,
    Kind,
    Place,
    Reply,
    SharingLab,
    Wrong,
    expect,
    op,
    place_of,
    target_tables,
    times,
)
from lakepact.conformance.checks.delta_sharing.kit.lines import objects
from lakepact.conformance.checks.delta_sharing.kit.reading import AnyTable, expect_version
from lakepact.conformance.checks.delta_sharing.v2026_08.suite import check
from lakepact.conformance.rows.lines import schema_object

CHANGED = "schema_changes"  #: a table of the pack whose columns differ from version to version
WITHOUT_HISTORY = "unpartitioned"


def _metadata(lab: SharingLab, table: AnyTable, **point: Any) -> Reply:
    return lab.send(
        op.get_table_metadata, delta_sharing_capabilities=EITHER_FORMAT[1], **point, **table.address
    )


def _columns(reply: Reply) -> tuple[list[str], Place | None]:
    """Return the columns in metadata, and the place of their schema."""
    wrapper = next(objects(reply.lines, "metaData"), None)
    if wrapper is None:
        raise expect.unmet("a metaData line", reply.summary, at=reply.place(), kind=Kind.MISSING)
    metadata = wrapper.get("deltaMetadata") or wrapper
    return [field["name"] for field in schema_object(metadata)["fields"]], place_of(
        metadata, "schemaString"
    )


@check("DS-MTT-01")
def metadata_of_a_version(lab: SharingLab) -> None:
    """Metadata with `version` returns the columns of that version, and its number in
    `Delta-Table-Version`.
    """
    table = lab.fixture(CHANGED)
    lab.needs_history()
    with lab.judge_each("DS-MTT-01") as case:
        for version in table.readable:
            with case():
                reply = _metadata(lab, table, version=version.version)
                expect.status(reply, 200, about=f"for {CHANGED} with version={version.version}")
                expect_version(
                    reply, version.version, f"for {CHANGED} with version={version.version}"
                )
                expected = [field["name"] for field in version.schema["fields"]]
                actual, at = _columns(reply)
                expect.equal(
                    expected, actual, f"columns of {CHANGED} with version={version.version}", at=at
                )


@check("DS-MTT-02")
def metadata_of_a_time(lab: SharingLab) -> None:
    """Metadata with `timestamp` returns 200 with the `Delta-Table-Version` of the last version made
    at or before it.
    """
    table = lab.fixture("times")
    lab.needs_history()
    with lab.judge_each("DS-MTT-02", without="no time lies between two versions") as case:
        for version, following in zip_longest(
            table.versions, (later.timestamp for later in table.versions[1:])
        ):
            moment = times.as_of(version.timestamp)
            full_second = -(-version.timestamp // times.SECOND) * times.SECOND
            if following is None or full_second >= following:
                continue
            with case():
                reply = _metadata(lab, table, timestamp=moment)
                expect.status(reply, 200, about=f"for {table.name} with timestamp={moment}")
                expect_version(reply, version.version, f"for {table.name} with timestamp={moment}")


@check("DS-MTT-03")
def metadata_of_a_version_and_a_time_is_refused(lab: SharingLab) -> None:
    """Metadata with both `version` and `timestamp` returns 400."""
    subject = target_tables.with_history(lab)
    moment = (
        times.as_of(lab.fixture("partitioned").last.timestamp) if lab.knows_content else times.EPOCH
    )
    lab.require(_metadata(lab, subject.table), 200)
    with lab.judge("DS-MTT-03"):
        reply = _metadata(lab, subject.table, version=subject.last, timestamp=moment)
        expect.status(
            reply,
            400,
            about="for version and timestamp",
            mutation=Wrong.DUPLICATE("version and timestamp", "with a version and a timestamp"),
        )


@check("DS-MTT-04")
def metadata_without_shared_history_is_refused(lab: SharingLab) -> None:
    """Metadata with `version` or `timestamp` returns 4xx for a table that is shared without its
    history.
    """
    table = lab.fixture(WITHOUT_HISTORY)
    _columns(lab.require(_metadata(lab, table), 200))
    with lab.judge_each("DS-MTT-04") as case:
        for point in (
            {"version": table.last.version},
            {"timestamp": times.as_of(table.last.timestamp)},
        ):
            with case(Wrong.ABSENT("history", "for a table without history")):
                expect.client_error(_metadata(lab, table, **point))
