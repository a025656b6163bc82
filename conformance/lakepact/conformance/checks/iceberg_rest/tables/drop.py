"""Checks of dropping tables, with their files and without."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from functools import partial

from lakepact.conformance.checks.iceberg_rest.api import (
    LOWEST_ERROR,
    Blocked,
    CatalogLab,
    Document,
    NotOffered,
    Reply,
    Table,
    Wrong,
    check,
    expect,
    op,
    req,
    set_properties,
)
from lakepact.conformance.checks.iceberg_rest.kit.concurrency import (
    ROUNDS,
    side_by_side,
    sole_winner,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.files import metadata_files, missing_files
from lakepact.conformance.checks.iceberg_rest.kit.tables.registration import (
    expect_file,
    location_of,
    register,
)
from lakepact.conformance.checks.iceberg_rest.kit.views import VIEW_AS_TABLE
from lakepact.conformance.checks.iceberg_rest.tables.register import with_history
from lakepact.conformance.evidence.shared_files import SharedFile

CLIENTS = 8
NO_BOOLEANS = ("maybe", "yes", "2", "-1", "null", "truefalse", "true,false", "[true]", "0.5")
PURGED_SECONDS = 3.0  #: how long the files of a purged table are waited for


def purge(lab: CatalogLab, table: Table) -> Reply:
    """Return the answer to a request that drops a table together with its files."""
    return lab.send(op.drop_table, purge_requested=True, **table.at)


def is_refused(reply: Reply) -> bool:
    """Return whether a request was declined, as purging may be."""
    return 400 <= reply.status < 500


@check("IRC-TBL-DROP-001")
def dropped_tables_are_gone(lab: CatalogLab) -> None:
    """Dropping a table returns 204; it no longer loads and is no longer listed."""
    home = lab.make_namespace()
    below = lab.child_of(home) or home
    ways = [
        (lab.make_table(home), None),
        (with_history(lab, lab.make_table(home)), None),
        (lab.make_table(home), False),
        (lab.make_table(home), True),
        (lab.make_table(below), None),
    ]
    for table, purging in lab.each(ways):
        lab.load(table)
        lab.require(lab.send(op.list_tables, namespace=table.namespace), 200)
        reply = lab.send(op.drop_table, purge_requested=purging, **table.at)
        if purging and is_refused(reply):
            continue
        load = lab.send(op.load_table, **table.at)
        listing = lab.require(lab.send(op.list_tables, namespace=table.namespace), 200)
        with lab.judge("IRC-TBL-DROP-001"):
            expect.status(reply, 204)
            expect.not_found(load, "table")
            expect.lacks(
                table.name,
                [identifier["name"] for identifier in listing.at("identifiers")],
                "tables",
                at=listing.place("identifiers"),
            )


@check("IRC-TBL-DROP-002")
def dropping_missing_tables_returns_404(lab: CatalogLab) -> None:
    """Dropping returns 404 for a table that never existed, was dropped or renamed, or whose
    namespace is missing.
    """
    former, other = lab.make_table(), lab.make_table()
    lab.drop_table(**former.at)
    to = lab.name()
    lab.drop_afterwards(other.namespace, to)
    lab.require(
        lab.send(
            op.rename_table,
            body={"source": other.identifier, "destination": {**other.identifier, "name": to}},
        )
    )
    places: list[Document] = [
        {"namespace": former.namespace, "table": lab.name()},
        former.at,
        other.at,
    ]
    purge_values = lab.ways_to_drop()
    for place in lab.each(places):
        for purging in lab.each(purge_values):
            reply = lab.send(op.drop_table, purge_requested=purging, **place)
            with lab.judge("IRC-TBL-DROP-002"):
                expect.not_found(reply, "table")
    reply = lab.send(
        op.drop_table, namespace=(lab.name(),), table=former.name, purge_requested=purge_values[0]
    )
    with lab.judge("IRC-TBL-DROP-002"):
        expect.not_found(reply, "table")


# -- files -----------------------------------------------------------------------------------------


def visible_files(lab: CatalogLab, table: Table) -> list[SharedFile]:
    """Return the files of a table that the harness can read, the current metadata file first;
    none where it sees nothing.

    One more is put where a writer would put the table's data, if the harness can write there.
    """
    try:
        files = metadata_files(lab, table)
        data = lab.target.shared_files.at(f"{table.location}/data/lakepact.parquet")
    except NotOffered:
        return []
    with contextlib.suppress(Blocked, NotOffered):
        if not data.exists():
            data.write(b"PAR1")
            lab.add_cleanup(data.remove)
        files.append(data)
    return files


def await_purge(files: Sequence[SharedFile]) -> None:
    """Wait until files are gone, but not for ever: a target may remove them later."""
    until = time.monotonic() + PURGED_SECONDS
    while len(missing_files(files)) < len(files) and time.monotonic() < until:
        time.sleep(0.05)


def _registers_later(table: Table, files: Sequence[SharedFile], lab: CatalogLab) -> None:
    """The files of a dropped table are there, and its metadata file can be registered."""
    with lab.judge("IRC-TBL-DROP-003"):
        lab.send(op.load_table, **table.at)  # so that a finding shows which table was dropped
        expect.equal([], missing_files(files), "removed files of the table:", at=None)
        if lab.offers(op.register_table):
            name = lab.name()
            reply = register(lab, table.namespace, name, location_of(table))
            if reply.status >= LOWEST_ERROR:
                expect_file(lab, table)
            with lab.step("IRC-TBL-REG-001"):
                expect.status(reply, 200)


@check("IRC-TBL-DROP-003")
def drops_without_purge_keep_files(lab: CatalogLab) -> None:
    """Dropping a table without `purgeRequested` keeps all its files, also later, and its metadata
    file can be registered again.
    """
    left = lab.load(with_history(lab, lab.make_table()))
    lab.look_again("IRC-TBL-DROP-003", partial(_registers_later, left, visible_files(lab, left)))
    lab.require(lab.send(op.drop_table, **left.at))
    for value in lab.each((None, "false", "False")):
        table = lab.load(with_history(lab, lab.make_table()))
        files = visible_files(lab, table)
        reply = lab.send(
            op.drop_table, query=[("purgeRequested", value)] if value else [], **table.at
        )
        if value == "False" and is_refused(reply):
            # clients in Python spell it so; a target may take it for false or for nonsense, but not
            # for true
            continue
        lab.require(reply)
        with lab.judge("IRC-TBL-DROP-003"):
            expect.equal([], missing_files(files), "removed files of the table:", at=None)
        if lab.offers(op.register_table):
            name = lab.name()
            reply = register(lab, table.namespace, name, location_of(table))
            with lab.judge("IRC-TBL-DROP-003"):
                if reply.status >= LOWEST_ERROR:
                    expect_file(lab, table)
                with lab.step("IRC-TBL-REG-001"):
                    expect.status(reply, 200)
                after = Table(table.namespace, name, reply)
                expect.member(table.uuid, after.place("table-uuid"), "the dropped table's UUID,")


@check("IRC-TBL-DROP-004")
def purges_remove_metadata_files(lab: CatalogLab) -> None:
    """Purging a table removes it at once, and its metadata files within a few seconds."""
    for commits in lab.each((0, 3)):
        table = lab.make_table()
        for turn in range(commits):
            lab.commit(table, set_properties(turn=str(turn)))
        table = lab.load(table)
        files = metadata_files(lab, table)
        reply = purge(lab, table)
        if is_refused(reply):
            lab.skip("IRC-TBL-DROP-004", f"the target does not purge: {reply.summary}")
            return
        load = lab.send(op.load_table, **table.at)
        await_purge(files)
        left = [file.name for file in files if file.exists()]
        with lab.judge("IRC-TBL-DROP-004"):
            expect.not_found(load, "table")
            expect.equal(
                [],
                left,
                f"of the {len(files)} metadata files, those left after {PURGED_SECONDS:g} seconds:",
                at=None,
            )


@check("IRC-TBL-DROP-005")
def refused_purges_keep_the_table(lab: CatalogLab) -> None:
    """A refused purge returns 4xx and keeps the table."""
    tables = [lab.make_table(), lab.make_table(properties={"gc.enabled": "false"})]
    for table in lab.each(tables):
        before = lab.load(table)
        reply = purge(lab, table)
        load = lab.send(op.load_table, **table.at)
        if reply.status < 400:
            lab.skip("IRC-TBL-DROP-005", "the target does not refuse to purge")
            continue
        with lab.judge("IRC-TBL-DROP-005"):
            expect.client_error(reply)
            expect.status(load, 200)
            after = table.in_reply(load)
            expect.member(before.uuid, after.place("table-uuid"), "the UUID from before,")


@check("IRC-TBL-DROP-007")
def invalid_purge_requested_returns_400(lab: CatalogLab) -> None:
    """A `purgeRequested` parameter that is neither true nor false returns 400."""
    home = lab.make_namespace()

    with lab.judge_each("IRC-TBL-DROP-007") as case:
        for wrong in NO_BOOLEANS:
            with case(Wrong.TYPE("purgeRequested")):
                table = lab.make_table(home)
                reply = lab.send(op.drop_table, query=[("purgeRequested", wrong)], **table.at)
                expect.status(reply, 400, about=f"for {wrong} as `purgeRequested`")


# -- names -----------------------------------------------------------------------------------------


@check("IRC-TBL-DROP-008")
def dropping_views_as_tables_returns_404(lab: CatalogLab) -> None:
    """Dropping a view as a table returns 404 and keeps the view."""
    home = lab.make_namespace()
    view = lab.make_view(home)
    for purging in lab.each(lab.ways_to_drop()):
        reply = lab.send(op.drop_table, namespace=home, table=view, purge_requested=purging)
        load = lab.send(op.load_view, namespace=home, view=view)
        with lab.judge("IRC-TBL-DROP-008"):
            expect.status(reply, 404, mutation=VIEW_AS_TABLE)
            expect.status(load, 200)


@check("IRC-TBL-DROP-009")
def recreated_tables_have_new_uuids(lab: CatalogLab) -> None:
    """A table created under a dropped name has a new UUID, and commits that assert the old one
    return 409.
    """
    for purging in lab.each(lab.ways_to_drop()):
        table = lab.make_table()
        former = table if purging else lab.append(table)
        reply = lab.send(op.drop_table, purge_requested=purging, **table.at)
        if purging and not lab.only_purges and is_refused(reply):
            continue
        lab.require(reply)
        again = lab.make_table(table.namespace, name=table.name)
        with lab.judge("IRC-TBL-DROP-009"):
            expect.true(
                again.uuid != former.uuid,
                f"another UUID than {former.uuid}",
                again.uuid,
                at=again.place("table-uuid"),
            )
        with lab.step("IRC-REQ-008"):
            stranger = lab.try_commit(
                again, req.HARMLESS, requirements=[req.assert_uuid(req.NOBODY)]
            )
            expect.status(stranger, 409, mutation=Wrong.STALE("assert-table-uuid"))
        main = former.metadata.get("current-snapshot-id")
        for requirements in lab.each(
            (
                [req.assert_uuid(former.uuid)],
                [req.assert_uuid(former.uuid), req.assert_ref("main", main)],
            )
        ):
            late = lab.try_commit(again, req.HARMLESS, requirements=requirements)
            with lab.judge("IRC-TBL-DROP-009"):
                expect.status(late, 409, mutation=Wrong.STALE("assert-table-uuid"))


@check("IRC-TBL-DROP-010", alone=True)
def concurrent_drops_have_one_winner(lab: CatalogLab) -> None:
    """When many clients drop a table concurrently, one gets 204 and the others get 404."""
    home, purge_values = lab.make_namespace(), lab.ways_to_drop()
    for _ in lab.each(lab.repeat(ROUNDS)):
        table = lab.make_table(home)
        dropping = partial(lab.send, op.drop_table, purge_requested=purge_values[0], **table.at)
        replies = side_by_side(lab, [dropping] * CLIENTS, what="requests")
        with lab.judge("IRC-TBL-DROP-010") as case:
            for reply in replies:
                with case():
                    expect.not_found(reply, "table", 204)
            sole_winner(replies, 404, what="drops")
