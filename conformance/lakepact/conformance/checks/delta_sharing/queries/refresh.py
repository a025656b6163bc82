"""Refresh tokens: a slow reader gets the same files again after the table has changed."""

from __future__ import annotations

import json
import time

from lakepact.conformance.checks.delta_sharing.api import (
    Document,
    NotOffered,
    SharingLab,
    check,
    expect,
    op,
    reading,
    target_tables,
)
from lakepact.conformance.fixtures.growth import append
from lakepact.conformance.fixtures.manifest import PackTable
from lakepact.conformance.rows import comparison

#: `--parameter fixtures-writable=yes`: the target serves the folder itself, and checks may append
#: to its tables.
WRITABLE = "fixtures-writable"
PARTITIONED = "partitioned"
IN_OSLO = {
    "op": "equal",
    "children": [
        {"op": "column", "name": "city", "valueType": "string"},
        {"op": "literal", "value": "Oslo", "valueType": "string"},
    ],
}
TRIES, PAUSE = 10, 0.3  #: for a server to see a new version


@check("DS-EST-06", alone=True)
def refreshes_return_the_same_files(lab: SharingLab) -> None:
    """A query with `refreshToken` returns the files, version and rows of the first response, also
    after the table has changed.
    """
    table = lab.fixture(target_tables.CHANGING)
    first = lab.require(reading.query(lab, table, {"includeRefreshToken": True}), 200)
    before = reading.parse(first)
    token = (before.end or {}).get("refreshToken")
    if not isinstance(token, str) or not token:
        raise NotOffered("the target returns no refreshToken")
    rows = reading.rows(lab, before)
    grew = lab.target.parameters.get(WRITABLE) == "yes" and grow(lab, table)
    bodies: tuple[Document, ...] = (
        {"refreshToken": token},
        {"refreshToken": token, "includeRefreshToken": True},
    )
    for body in lab.each(bodies):
        reply = reading.query(lab, table, body)
        with lab.judge("DS-EST-06", remark="" if grew else "the table did not change in between"):
            after = reading.parse(reply, "for a refreshToken")
            reading.expect_version(
                reply, reading.version_header(first), "for a refreshToken, as of the first answer,"
            )
            files = reading.identities_of(before.files)
            expect.equal(
                files,
                reading.identities_of(after.files),
                "the files of the first answer",
                at=reply.place(),
            )
            comparison.same(rows, reading.rows(lab, after), "the rows of the first answer")


@check("DS-EST-06")
def refreshes_keep_hints(lab: SharingLab) -> None:
    """A query with hints and the `refreshToken` of its first response returns the files of that
    response.
    """
    table = lab.fixture(PARTITIONED)
    every = reading.parse(lab.require(reading.query(lab, table), 200))
    is_judged = False
    cases: tuple[Document, ...] = (
        {"limitHint": 1},
        {"jsonPredicateHints": json.dumps(IN_OSLO)},
    )
    for hints in lab.each(cases):
        first = reading.parse(
            lab.require(reading.query(lab, table, {**hints, "includeRefreshToken": True}), 200)
        )
        token = (first.end or {}).get("refreshToken")
        if not isinstance(token, str) or not token or len(first.files) == len(every.files):
            continue  # The target returns no token, or ignores the hints.
        is_judged = True
        with lab.judge("DS-EST-06"):
            # Clients repeat their hints with the token.
            reply = reading.query(lab, table, {**hints, "refreshToken": token})
            again = reading.parse(reply, f"for {expect.excerpt(hints)} and its refreshToken")
            files = reading.identities_of(first.files)
            expect.equal(
                files,
                reading.identities_of(again.files),
                "the files of the first answer",
                at=reply.place(),
            )
    if not is_judged:
        raise NotOffered("the target returns no refreshToken, or ignores hints")


def grow(lab: SharingLab, table: PackTable) -> bool:
    """Append to the table, and return whether the target then shows a new version."""
    before = reading.version_header(
        lab.require(lab.send(op.get_table_version, **table.address), 200)
    )
    append(table.location)
    for _ in range(TRIES):
        if (
            reading.version_header(
                lab.require(lab.send(op.get_table_version, **table.address), 200)
            )
            != before
        ):
            return True
        time.sleep(PAUSE)
    return False
