"""Checks of the protocols that changed within a range of versions."""

from __future__ import annotations

from lakepact.conformance.checks.delta_sharing.api import (
    Document,
    NotOffered,
    Placed,
    Reply,
    SharingLab,
    expect,
    ndjson,
    reading,
    target_tables,
)
from lakepact.conformance.checks.delta_sharing.v2026_08.suite import check

UPGRADED, UPGRADE = (
    "times_in_commit",
    2,
)  #: a table of the pack, and the version that changes its protocol
WITH_PROTOCOLS = {"includeHistoricalProtocol": True}
OF_CHANGES = {"include_historical_protocol": True}


def _since(lab: SharingLab, start: int, form: str) -> Reply:
    """Return the files that changed since a version of the table whose protocol changes."""
    reply = reading.query(
        lab, lab.fixture(UPGRADED), {"startingVersion": start, **WITH_PROTOCOLS}, form=form
    )
    if reply.status != 200 or ndjson.form_of(reply.lines) != form:
        raise NotOffered(f"the changes of {UPGRADED} are not answered in {form} format")
    return reply


@check("DS-HPR-01")
def changed_protocols_are_sent(lab: SharingLab) -> None:
    """With `includeHistoricalProtocol`, a range in delta format has one protocol line of each later
    version that changed it.
    """
    reply = _since(lab, 0, ndjson.DELTA)
    with lab.judge("DS-HPR-01"):
        later = [
            p
            for p in list(ndjson.objects(reply.lines, "protocol"))[1:]
            if p.get("version") in {None, UPGRADE}
        ]
        expect.equal(
            1,
            len(later),
            f"number of protocol lines of version {UPGRADE} after the first line",
            at=reply.place(),
        )
        writer = (later[0].get("deltaProtocol") or {}).get("minWriterVersion")
        at = later[0].place("deltaProtocol", "minWriterVersion")
        expect.equal(7, writer, f"minWriterVersion of the protocol of version {UPGRADE}", at=at)


@check("DS-HPR-02")
def protocols_have_their_versions(lab: SharingLab) -> None:
    """With `includeHistoricalProtocol`, each protocol line in delta format has a `version` of the
    table.
    """
    last = lab.fixture(UPGRADED).last.version
    for start in lab.each((0, UPGRADE)):
        reply = _since(lab, start, ndjson.DELTA)
        with lab.judge("DS-HPR-02"):
            for protocol in ndjson.objects(reply.lines, "protocol"):
                _expect_version(protocol, last)
    if lab.feature("change-data-feed"):
        subject = target_tables.with_changes(lab)
        reply = reading.query_changes(
            lab, subject.table, {"starting_version": 0, **OF_CHANGES}, form=ndjson.DELTA
        )
        if reply.status == 200 and ndjson.form_of(reply.lines) == ndjson.DELTA:
            with lab.judge("DS-HPR-02"):
                for protocol in ndjson.objects(reply.lines, "protocol"):
                    _expect_version(protocol, subject.last)


def _expect_version(protocol: Placed, last: int) -> None:
    version = ndjson.required(protocol, "version", int, "a protocol line")
    expect.true(
        0 <= version <= last,
        f"a version from 0 to {last} on a protocol line",
        version,
        at=protocol.place("version"),
    )


@check("DS-HPR-03")
def protocols_are_not_sent_unasked(lab: SharingLab) -> None:
    """Without `includeHistoricalProtocol`, and always in parquet format, a range has one protocol
    line.
    """
    table, start = (lab.fixture(UPGRADED), 0) if lab.knows_content else _current(lab)
    requests: list[tuple[str, Document]] = [
        (ndjson.PARQUET, WITH_PROTOCOLS),
        (ndjson.PARQUET, {}),
        (ndjson.DELTA, {}),
        (ndjson.DELTA, {"includeHistoricalProtocol": False}),
    ]
    is_judged = False
    for form, more in lab.each(requests):
        reply = reading.query(lab, table, {"startingVersion": start, **more}, form=form)
        if reply.status == 200 and reply.lines and ndjson.form_of(reply.lines) == form:
            is_judged = True
            with lab.judge("DS-HPR-03"):
                count = sum(1 for _ in ndjson.objects(reply.lines, "protocol"))
                what = (
                    f"number of protocol lines in {form} format with"
                    f" {', '.join(more) or 'startingVersion alone'}"
                )
                expect.equal(1, count, what, at=reply.place())
    if not is_judged:
        raise NotOffered("no range of versions is answered")


def _current(lab: SharingLab) -> tuple[reading.AnyTable, int]:
    subject = target_tables.with_history(lab)
    return subject.table, subject.last
