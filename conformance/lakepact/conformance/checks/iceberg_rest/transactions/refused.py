"""Checks of transactions that are refused: wherever the reason stands in them, nothing is
changed.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from itertools import chain

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Table,
    Wrong,
    check,
    expect,
    op,
    req,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.commits.creations import creation, free_slot
from lakepact.conformance.checks.iceberg_rest.kit.dropped import former_tables
from lakepact.conformance.checks.iceberg_rest.kit.transactions import (
    MADE,
    at_every_place,
    change,
    expect_marks,
    expect_no_changes,
    make_tables,
    marking,
    transact,
)


@check("IRC-TXN-002", "IRC-COM-014")
def one_failed_requirement_returns_409(lab: CatalogLab) -> None:
    """A transaction with one failed requirement returns 409, changes no table, and stops no later
    commit.
    """
    failing, *others = make_tables(lab, 3)
    failing = lab.append(failing)
    before = [lab.load(table) for table in (failing, *others)]
    cases = (
        [req.assert_uuid(req.NOBODY)],
        [req.assert_ref("main", None)],
        [req.assert_uuid(failing.uuid), req.assert_schema(upd.NOWHERE)],
        [req.assert_last_field(upd.NOWHERE)],
        [req.assert_last_partition(failing.member("last-partition-id") + 1)],
        [req.assert_spec(upd.NOWHERE)],
        [req.assert_order(upd.NOWHERE)],
        [req.assert_ref("audit", 1)],
    )
    for requirements in lab.each(cases):
        for where, changes in lab.each(
            at_every_place(others, change(failing, req.HARMLESS, requirements=requirements))
        ):
            reply = transact(lab, *changes)
            with lab.judge("IRC-TXN-002"):
                if reply.status in MADE:
                    req.expect_refusal_alone(
                        lab, failing, requirements, req.stale(requirements[-1])
                    )
                expect.status(
                    reply,
                    409,
                    about=f"when {requirements[-1]['type']} fails in {where}",
                    mutation=req.stale(requirements[-1]),
                )
                expect_no_changes(lab, before)
            if reply.status in MADE:
                before = [lab.load(table) for table in (failing, *others)]
    with lab.judge_each("IRC-COM-014") as case:
        for table in before:
            with case():
                commit = lab.try_commit(table, req.HARMLESS)
                expect.status(commit, 200, about="after transactions that were refused")


@check("IRC-TXN-002")
def requirements_of_unchanged_tables_are_checked(lab: CatalogLab) -> None:
    """A failed requirement of a table without updates returns 409, and the transaction changes no
    table.
    """
    failing, other = make_tables(lab, 2)
    failing = lab.append(failing)
    before = [lab.load(table) for table in (failing, other)]
    for wrong in lab.each(
        (
            change(failing, requirements=[req.assert_ref("main", None)]),
            change(failing, requirements=[req.assert_uuid(req.NOBODY)]),
        )
    ):
        mutation = req.stale(wrong["requirements"][0])
        for where, changes in lab.each(at_every_place([other], wrong)):
            reply = transact(lab, *changes)
            with lab.judge("IRC-TXN-002"):
                if reply.status in MADE:
                    req.expect_refusal_alone(lab, failing, wrong["requirements"], mutation)
                expect.status(
                    reply,
                    409,
                    about=f"when the requirement of {where} fails, which updates nothing",
                    mutation=mutation,
                )
                expect_no_changes(lab, before)
            if reply.status in MADE:
                before = [lab.load(table) for table in (failing, other)]


@check("IRC-TXN-003")
def one_invalid_update_returns_400(lab: CatalogLab) -> None:
    """A transaction with one update that cannot be applied returns 400 and changes no table."""
    failing, *others = make_tables(lab, 3)
    before = [lab.load(table) for table in (failing, *others)]
    for wrong, (requirement, mutation, updates) in lab.each(upd.impossible(failing).items()):
        for where, changes in lab.each(at_every_place(others, change(failing, *updates))):
            reply = transact(lab, *changes)
            with lab.judge("IRC-TXN-003"):
                if reply.status in MADE or reply.status >= 500:
                    alone = lab.try_commit(failing, *updates)
                    with lab.step(requirement):
                        expect.status(
                            alone,
                            400,
                            about=f"for {wrong} in a commit to one table",
                            mutation=mutation,
                        )
                expect.status(reply, 400, about=f"for {wrong} in {where}", mutation=mutation)
                expect_no_changes(lab, before)
            if reply.status in MADE or reply.status >= 500:
                before = [lab.load(table) for table in (failing, *others)]


@check("IRC-TXN-004")
def one_missing_table_returns_404(lab: CatalogLab) -> None:
    """A transaction with one missing table returns 404 and changes no other table."""
    others = make_tables(lab, 2)
    home = others[0].namespace
    before = [lab.load(table) for table in others]
    never = Table(home, lab.name(), others[0].reply)
    for missing in lab.each(chain((never,), former_tables(lab, home))):
        for requirements in lab.each(([], [req.assert_uuid(missing.uuid)])):
            for where, changes in lab.each(
                at_every_place(others, change(missing, req.HARMLESS, requirements=requirements))
            ):
                reply = transact(lab, *changes)
                with lab.judge("IRC-TXN-004"):
                    expect.not_found(
                        reply, "table", about=f"when the table of {where} does not exist"
                    )
                    expect_no_changes(lab, before)
    nowhere = Table((lab.name(),), never.name, never.reply)
    reply = transact(lab, marking(others[0], "refused"), marking(nowhere, "refused"))
    with lab.judge("IRC-TXN-004"):
        expect.not_found(reply, "table", about="when the namespace of change 2 of 2 does not exist")
        expect_no_changes(lab, before)


@check("IRC-TXN-005")
def changes_without_identifier_return_400(lab: CatalogLab) -> None:
    """A transaction with a change without `identifier` returns 400."""
    table = lab.make_table()
    nameless = {"requirements": [], "updates": [req.HARMLESS]}
    transactions: Mapping[str, list[Document]] = {
        "one change without identifier": [nameless],
        "a second change without identifier": [marking(table, "refused"), nameless],
        "a first change without identifier": [nameless, marking(table, "refused")],
        "an identifier that is null": [{**nameless, "identifier": None}],
    }
    for wrong, changes in lab.each(transactions.items()):
        reply = transact(lab, *changes)
        with lab.judge("IRC-TXN-005"):
            expect.status(
                reply,
                400,
                about=f"for {wrong}",
                mutation=Wrong.MISSING("/table-changes/*/identifier"),
            )


@check("IRC-TXN-006")
def table_changes_must_be_an_array(lab: CatalogLab) -> None:
    """A transaction whose `table-changes` is missing or not an array returns 400."""
    one = marking(lab.make_table(), "refused")
    bodies: Iterable[Document] = (
        {},
        one,
        {"changes": [one]},
        *({"table-changes": value} for value in (None, one, {}, "none", 0, True)),
    )
    for body in lab.each(bodies):
        reply = lab.send(op.commit_transaction, body=body)
        with lab.judge("IRC-TXN-006"):
            wrong = (
                Wrong.TYPE("/table-changes")
                if "table-changes" in body
                else Wrong.MISSING("/table-changes")
            )
            expect.status(reply, 400, about=f"for {expect.excerpt(body)}", mutation=wrong)


@check("IRC-TXN-008")
def one_unknown_update_or_requirement_returns_400(lab: CatalogLab) -> None:
    """A transaction with one unknown update or requirement returns 400 and changes no table."""
    failing, *others = make_tables(lab, 3)
    before = [lab.load(table) for table in (failing, *others)]
    unknown = {
        "an update": change(failing, req.HARMLESS, upd.UNKNOWN_UPDATE),
        "an update before others": change(failing, upd.UNKNOWN_UPDATE, req.HARMLESS),
        "a requirement": change(
            failing,
            req.HARMLESS,
            requirements=[req.assert_uuid(failing.uuid), req.UNKNOWN_REQUIREMENT],
        ),
        "a requirement of no update": change(failing, requirements=[req.UNKNOWN_REQUIREMENT]),
    }
    for kind, wrong in lab.each(unknown.items()):
        mutation = (
            upd.UNKNOWN_ACTION if upd.UNKNOWN_UPDATE in wrong["updates"] else req.UNKNOWN_TYPE
        )
        for where, changes in lab.each(at_every_place(others, wrong)):
            reply = transact(lab, *changes)
            with lab.judge("IRC-TXN-008"):
                expect.status(
                    reply, 400, about=f"for {kind} that is unknown in {where}", mutation=mutation
                )
                expect_no_changes(lab, before)


@check("IRC-TXN-016")
def changes_to_views_return_404(lab: CatalogLab) -> None:
    """A transaction with a change to the name of a view returns 404."""
    table = lab.make_table()
    view = Table(table.namespace, lab.make_view(table.namespace), table.reply)
    for changes in lab.each(
        ([marking(view, "refused")], [marking(table, "refused"), marking(view, "refused")])
    ):
        reply = transact(lab, *changes)
        with lab.judge("IRC-TXN-016"):
            expect.not_found(reply, "table")


@check("IRC-TXN-016")
def creating_tables_over_views_is_refused(lab: CatalogLab) -> None:
    """A transaction that creates a table under the name of a view returns 400, 404 or 409 and keeps
    the view.
    """
    slot = free_slot(lab, lab.make_namespace())
    view = lab.make_view(slot.namespace, name=slot.name)
    reply = transact(
        lab, change(slot, *creation(slot, str(uuid.uuid4())), requirements=[req.ASSERT_CREATE])
    )

    with lab.judge("IRC-TXN-016"):
        expect.status(reply, 400, 404, 409, mutation=Wrong.PRESENT("view"))
        expect.status(lab.send(op.load_view, namespace=slot.namespace, view=view), 200)
        expect.status(lab.send(op.load_table, **slot.at), 404, mutation=Wrong.PRESENT("view"))


@check("IRC-TXN-002", "IRC-TXN-012")
def creations_are_atomic_with_other_changes(lab: CatalogLab) -> None:
    """A transaction creates a table together with all its other changes, or refuses and makes none
    of them.
    """
    table = lab.table_with_snapshot()
    for first in lab.each((True, False)):
        slot, table_uuid = free_slot(lab, table.namespace), str(uuid.uuid4())
        before = lab.load(table)
        creating = change(slot, *creation(slot, table_uuid), requirements=[req.ASSERT_CREATE])
        reply = transact(
            lab, *[creating, marking(table, f"created {first}")][:: 1 if first else -1]
        )
        with lab.judge(
            "IRC-TXN-012",
            remark="" if reply.status in MADE else f"creating is refused with {reply.status}",
        ):
            expect.status(reply, *MADE, 400, 404)
            load = lab.send(op.load_table, **slot.at)
            if reply.status not in MADE:
                expect.not_found(load, "table of a refused creation")
                expect_no_changes(lab, [before])
            else:
                expect.status(load, 200)
                created = Table(slot.namespace, slot.name, load)
                expect.equal(
                    table_uuid,
                    created.uuid.lower(),
                    "the assigned table-uuid, in whatever case,",
                    at=created.place("table-uuid"),
                )
                expect.member("by a commit", created.place("properties", "made"), "the property")
                expect.contains(
                    "id",
                    upd.columns(upd.current_schema(created)),
                    "columns of the current schema",
                    at=created.place("schemas"),
                )
                expect_marks(lab, [table], f"created {first}")
        _judge_creation_refusals(lab, table, first=first, is_supported=reply.status in MADE)


def _judge_creation_refusals(
    lab: CatalogLab, table: Table, *, first: bool, is_supported: bool
) -> None:
    """A table whose creation stands beside a requirement that fails is not created."""
    # A target that creates no tables in transactions may refuse to for that reason, and before it
    # looks at what else is required.
    allowed = (409,) if is_supported else (400, 404, 409)
    for failing in lab.each(
        (req.assert_ref("main", None), req.ASSERT_CREATE)
        if is_supported
        else (req.assert_ref("main", None),)
    ):
        slot = free_slot(lab, table.namespace)
        before = lab.load(table)
        creating = change(
            slot, *creation(slot, str(uuid.uuid4())), requirements=[req.ASSERT_CREATE]
        )
        wrong, mutation = change(table, req.HARMLESS, requirements=[failing]), req.stale(failing)
        reply = transact(lab, *[creating, wrong][:: 1 if first else -1])
        load = lab.send(op.load_table, **slot.at)
        with lab.judge("IRC-TXN-002"):
            if reply.status in MADE:
                req.expect_refusal_alone(lab, table, [failing], mutation)
            expect.status(
                reply,
                *allowed,
                about=f"when {failing['type']} fails beside a creation",
                mutation=mutation,
            )
            expect.status(load, 404, about="for the table that was not created", mutation=mutation)
            expect_no_changes(lab, [before])
