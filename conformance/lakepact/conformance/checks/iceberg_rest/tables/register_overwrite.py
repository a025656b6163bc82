"""Checks of registering over an existing table: the metadata are replaced, or the request is
refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    LOWEST_ERROR,
    CatalogLab,
    Reply,
    Table,
    Unmet,
    Wrong,
    check,
    expect,
    op,
    set_properties,
    states,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.registration import (
    expect_registration,
    left_behind,
    location_of,
    register,
    takes_over,
)
from lakepact.conformance.checks.iceberg_rest.tables.register import with_history


def register_over(lab: CatalogLab, table: Table, file: Table) -> Reply:
    """Return the answer to a request that registers a metadata file over a table."""
    return register(lab, table.namespace, table.name, location_of(file), overwrite=True)


def is_refused(lab: CatalogLab, reply: Reply) -> bool:
    """Return whether a target declines to overwrite, as it may unless its user says that it can."""
    return 400 <= reply.status < 500 and not lab.target.features.get("register-overwrite", False)


def overwritings(lab: CatalogLab) -> Iterator[tuple[Table, Table]]:
    """Yield tables, and the files to register over them: those of others, with more in them and
    with less, and their own earlier ones.
    """
    table = lab.make_table()
    yield lab.load(table), left_behind(lab, with_history(lab, lab.make_table(table.namespace)))
    full = with_history(lab, lab.make_table(table.namespace))
    yield lab.load(full), left_behind(lab, lab.make_table(table.namespace))
    again = lab.load(lab.make_table(table.namespace))
    for turn in ("first", "second"):
        lab.append(lab.commit(lab.load(again), set_properties(**{turn: "yes"})))
    yield lab.load(again), again


@check("IRC-TBL-REG-005", "IRC-TBL-REG-007", "IRC-TBL-REG-017")
def overwrite_replaces_the_metadata(lab: CatalogLab) -> None:
    """Registering with `overwrite` returns 200 and replaces the table's metadata, also for later
    commits, or returns 4xx.
    """
    able = False
    for before, file in lab.each(overwritings(lab)):
        reply = register_over(lab, before, file)
        after = lab.send(op.load_table, **before.at)
        with lab.judge("IRC-TBL-REG-007"):
            is_same = reply.status == 200 and _is_still(before, after)
            expect.true(
                not is_same,
                "other metadata after an answer with status 200",
                after.summary,
                at=after.place("metadata"),
            )
        if reply.status >= LOWEST_ERROR:
            with lab.judge("IRC-TBL-REG-017"):
                expect.status(after, 200)
                states.assert_same_table(
                    lab,
                    before,
                    before.in_reply(after),
                    ignore=states.BOOKKEEPING,
                )
        if not able and is_refused(lab, reply):
            lab.skip(
                "IRC-TBL-REG-005", f"the target does not register over tables: {reply.summary}"
            )
            continue
        able = True
        with lab.judge("IRC-TBL-REG-005"):
            expect.status(reply, 200)
            takes_over(lab, file, before.in_reply(reply))
            expect.status(after, 200)
            result = before.in_reply(after)
            takes_over(lab, file, result)
        commit = lab.try_commit(before, set_properties(later="1"))
        with lab.judge("IRC-TBL-REG-005"):
            with lab.step("IRC-TBL-REG-012"):
                expect.status(commit, 200)
            same = {"properties", states.LOCATION, *states.BOOKKEEPING}
            states.assert_same_table(lab, result, lab.load(before), ignore=same)
    if able:
        lab.skip("IRC-TBL-REG-017", "the target registers over tables")


def _is_still(before: Table, after: Reply) -> bool:
    """Return whether a table is loaded as it was before."""
    try:
        states.same_state(before, before.in_reply(after), ignore=states.BOOKKEEPING)
    except Unmet:
        return False
    return True


@check("IRC-TBL-REG-016")
def registered_live_tables_are_kept(lab: CatalogLab) -> None:
    """Registering the metadata file of a table by another name, and committing to that, leaves the
    table as it was.
    """
    home = lab.make_namespace()
    other = lab.make_table(home)
    for name, members in lab.each(((lab.name(), {}), (other.name, {"overwrite": True}))):
        live = lab.load(with_history(lab, lab.make_table(home)))
        reply = register(lab, home, name, location_of(live), **members)
        commit = (
            lab.try_commit(Table(home, name, reply), set_properties(of="another"))
            if reply.status == 200
            else None
        )
        with lab.judge("IRC-TBL-REG-016", remark=f"answered with status {reply.status}"):
            states.expect_no_change(lab, live)
            if commit is not None:
                with lab.step("IRC-TBL-REG-012"):
                    expect.status(commit, 200)


@check("IRC-TBL-REG-006")
def overwrite_registers_new_tables(lab: CatalogLab) -> None:
    """Registering with `overwrite` returns 200 where no table has the name."""
    former = left_behind(lab, with_history(lab, lab.make_table()))
    existing = lab.make_table(former.namespace)
    refusal = register_over(lab, existing, left_behind(lab, lab.make_table(former.namespace)))
    if is_refused(lab, refusal):
        lab.skip("IRC-TBL-REG-006", f"the target does not register over tables: {refusal.summary}")
        return
    for name in lab.each((lab.name(), former.name)):
        reply = register(lab, former.namespace, name, location_of(former), overwrite=True)
        with lab.judge("IRC-TBL-REG-006"):
            expect_registration(lab, former, name, reply)
        lab.try_drop_table(namespace=former.namespace, table=name)


@check("IRC-TBL-REG-010")
def unreadable_files_replace_no_table(lab: CatalogLab) -> None:
    """Registering a missing file with `overwrite` returns 400, 404, 406 or 409 and keeps the
    table.
    """
    before = lab.load(with_history(lab, lab.make_table()))
    nowhere = f"{before.location}/metadata/99999-00000000-0000-4000-8000-000000000000.metadata.json"
    reply = register(lab, before.namespace, before.name, nowhere, overwrite=True)

    with lab.judge("IRC-TBL-REG-010"):
        # A server that never overwrites may first report that the name is taken.
        expect.status(
            reply,
            400,
            404,
            406,
            409,
            about="for a missing file",
            mutation=Wrong.ABSENT("metadata file"),
        )
        after = lab.send(op.load_table, **before.at)
        expect.status(after, 200, about="for the table that was to be replaced")
        states.assert_same_table(lab, before, before.in_reply(after), ignore=states.BOOKKEEPING)


@check("IRC-TBL-REG-014")
def invalid_overwrite_returns_400(lab: CatalogLab) -> None:
    """An `overwrite` member that is neither true nor false returns 400."""
    former = left_behind(lab, lab.make_table())
    no_booleans: tuple[Any, ...] = ("yes", "true", "false", "", 1, 0, [], {}, [True])
    for overwrite in lab.each(no_booleans):
        reply = register(
            lab, former.namespace, lab.name(), location_of(former), overwrite=overwrite
        )
        with lab.judge("IRC-TBL-REG-014"):
            expect.status(
                reply,
                400,
                about=f"for {expect.excerpt(overwrite)} as `overwrite`",
                mutation=Wrong.TYPE("/overwrite"),
            )
