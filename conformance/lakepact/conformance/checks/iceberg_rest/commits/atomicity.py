"""Checks of the response to a commit, of its atomicity, and of the table that it changes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from lakepact.conformance.checks.iceberg_rest.api import (
    LOWEST_ERROR,
    CatalogLab,
    Document,
    Kind,
    Reply,
    Table,
    check,
    expect,
    op,
    req,
    set_properties,
    set_ref,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.dropped import former_tables
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import (
    BOOKKEEPING,
    LOCATION,
    assert_same_table,
    expect_no_change,
    properties_of,
)
from lakepact.conformance.evidence.shared_files import READABLE_FILES

REFUSED = 400  #: status of a server that refuses commits without updates


def several_commits(lab: CatalogLab, table: Table) -> Iterator[Reply]:
    """Yield the answers to commits of different kinds, one after the other."""
    yield lab.try_commit(table, set_properties(first="1"))
    yield lab.try_commit(
        table, set_properties(second="2"), requirements=[req.assert_uuid(table.uuid)]
    )
    wider = upd.schema_with(table, upd.next_column(table, "more"))
    yield lab.try_commit(
        table,
        upd.add_schema(wider),
        upd.set_current_schema(upd.LAST_ADDED),
        requirements=[req.assert_schema(table.member("current-schema-id"))],
    )
    snapshot = lab.snapshot(table)
    moves = (upd.add_snapshot(snapshot), set_ref("main", snapshot["snapshot-id"]))
    reply = lab.try_commit(table, *moves, requirements=[req.assert_ref("main", None)])
    # A target may read the manifest list, which the suite writes only where files are shared.
    if reply.status < LOWEST_ERROR or lab.feature(READABLE_FILES):
        yield reply
    body = {
        "identifier": table.identifier,
        "requirements": [],
        "updates": [set_properties(third="3")],
    }
    yield lab.send(op.update_table, body=body, **table.at)


@check("IRC-COM-001")
def commits_return_metadata(lab: CatalogLab) -> None:
    """A commit returns 200 with `metadata` and `metadata-location`."""
    for reply in lab.each(several_commits(lab, lab.make_table())):
        with lab.judge("IRC-COM-001"):
            expect.status(reply, 200)
            location, metadata = reply.at("metadata-location"), reply.at("metadata")
            expect.true(
                isinstance(location, str) and location != "",
                "`metadata-location` to be a string",
                location,
                at=reply.place("metadata-location"),
            )
            expect.true(
                isinstance(metadata, dict) and metadata != {},
                "`metadata` to be an object",
                metadata,
                at=reply.place("metadata"),
            )


@check("IRC-COM-002")
def commits_return_the_loaded_state(lab: CatalogLab) -> None:
    """A commit returns the same metadata as the next load, at a new metadata location."""
    table = lab.make_table()
    before = [lab.load(table).metadata_location]
    for reply in lab.each(several_commits(lab, table)):
        lab.require(reply, 200)
        with lab.judge("IRC-COM-002"):
            load = lab.load(table)
            expect.true(
                isinstance(reply.at("metadata-location"), str),
                "`metadata-location` to be a string",
                reply.at("metadata-location"),
                at=reply.place("metadata-location"),
            )
            assert_same_table(lab, table.in_reply(reply), load)
            expect.lacks(
                reply.at("metadata-location"),
                before,
                "metadata-locations of former states",
                at=reply.place("metadata-location"),
            )
        before.append(reply.document.get("metadata-location"))


@check("IRC-COM-014")
def commits_without_requirements_are_applied(lab: CatalogLab) -> None:
    """A commit without requirements returns 200 and is applied."""
    table = lab.make_table()

    for turn in lab.each(("first", "second", "third")):
        reply = lab.try_commit(table, set_properties(**{turn: "yes"}), requirements=[])
        with lab.judge("IRC-COM-014"):
            expect.status(reply, 200)
            after = lab.load(table)
            expect.member("yes", after.place("properties", turn), f"the property `{turn}`")


@check("IRC-COM-012", "IRC-COM-013")
def commits_without_updates_check_requirements(lab: CatalogLab) -> None:
    """A commit without updates returns 200 and changes nothing; a failed requirement returns
    409.
    """
    table = lab.table_with_snapshot()
    before, at = lab.load(table), table.member("current-snapshot-id")
    for requirements in lab.each(
        (
            [],
            [req.assert_uuid(table.uuid)],
            [req.assert_uuid(table.uuid), req.assert_ref("main", at)],
        )
    ):
        reply = lab.try_commit(table, requirements=requirements)
        with lab.judge("IRC-COM-012"):
            expect.status(reply, 200)
            expect_no_change(lab, before, ignore={*BOOKKEEPING, LOCATION})
    failing: req.Cases = {
        "another UUID is asserted": req.assert_uuid(req.NOBODY),
        "main is asserted not to exist": req.assert_ref("main", None),
        "another schema is asserted": req.assert_schema(upd.NOWHERE),
        "a requirement before it holds": [
            req.assert_uuid(table.uuid),
            req.assert_last_field(upd.NOWHERE),
        ],
    }
    # A server that refuses commits without updates does so before it checks requirements; accepting
    # them is only recommended.
    is_refused = lab.try_commit(table).status == REFUSED
    req.Commits(lab, table).judge(
        "IRC-COM-013", failing, *([409, REFUSED] if is_refused else [409]), updates=(), several=True
    )


@check("IRC-COM-005")
def failed_requirements_return_409(lab: CatalogLab) -> None:
    """A commit with a failed requirement returns 409."""
    table = lab.table_with_snapshot()
    failing = (
        req.assert_uuid(req.NOBODY),
        req.assert_ref("main", None),
        req.assert_ref("main", 1),
        req.assert_last_field(upd.NOWHERE),
        req.assert_schema(upd.NOWHERE),
        req.assert_spec(upd.NOWHERE),
        req.assert_order(upd.NOWHERE),
    )
    for requirement in lab.each(failing):
        reply = lab.try_commit(table, req.HARMLESS, requirements=[requirement])
        with lab.judge("IRC-COM-005"):
            expect.status(
                reply,
                409,
                about=f"when {requirement['type']} does not hold",
                mutation=req.stale(requirement),
            )


@check("IRC-COM-015")
def commits_to_missing_tables_return_404(lab: CatalogLab) -> None:
    """A commit to a missing or dropped table returns 404, whatever it requires and whether or not
    the namespace exists.
    """
    table = lab.make_table()
    never: list[Document] = [
        {**table.at, "table": lab.name()},
        {**table.at, "namespace": (lab.name(),)},
    ]
    former = ((one.at, one.uuid) for one in former_tables(lab, table.namespace))
    with lab.judge_each("IRC-COM-015") as case:
        for at, uuid in chain(((at, table.uuid) for at in never), former):
            for requirements in ([], [req.assert_uuid(uuid)], [req.assert_ref("main", None)]):
                with case():
                    reply = lab.send(
                        op.update_table,
                        body={"requirements": requirements, "updates": [req.HARMLESS]},
                        **at,
                    )
                    expect.not_found(reply, "table")


@check("IRC-COM-017")
def identifiers_do_not_redirect(lab: CatalogLab) -> None:
    """A commit whose `identifier` names another table than its path never changes that other
    table.
    """
    table = lab.make_table()
    beside, elsewhere = lab.make_table(table.namespace), lab.make_table()
    absent = {"namespace": list(table.namespace), "name": lab.name()}
    identifiers = {"beside": beside.identifier, "elsewhere": elsewhere.identifier, "absent": absent}
    for which, identifier in lab.each(identifiers.items()):
        body = {
            "identifier": identifier,
            "requirements": [],
            "updates": [set_properties(**{which: "yes"})],
        }
        reply = lab.send(op.update_table, body=body, **table.at)
        with lab.judge("IRC-COM-017") as case:
            expect.status(reply, 200, 400)
            for other in (beside, elsewhere):
                with case():
                    after = lab.load(other)
                    expect.lacks(
                        which,
                        properties_of(after),
                        "properties of the table that the body names",
                        at=after.place("properties"),
                    )
            now = lab.load(table)
            expected = "yes" if reply.status == 200 else None
            about = f"the property `{which}` of the table in the path to be"
            expect.equal(
                expected, properties_of(now).get(which), about, at=now.place("properties", which)
            )


@check("IRC-COM-026")
def commits_of_many_updates(lab: CatalogLab) -> None:
    """A commit with hundreds of updates applies all of them, or returns 400 or 413."""
    for many in lab.each((250, 1000)):
        table = lab.make_table()
        expected = {f"lakepact.{number}": str(number) for number in range(many)}
        reply = lab.try_commit(
            table, *[set_properties(**{key: value}) for key, value in expected.items()]
        )
        with lab.judge(
            "IRC-COM-026",
            remark=f"{many} updates are refused" if reply.status in (400, 413) else "",
        ):
            expect.status(reply, 200, 400, 413, about=f"for {many} updates")
            if reply.status == 200:
                after = lab.load(table)
                missing = [
                    key for key, value in expected.items() if properties_of(after).get(key) != value
                ]
                about = f"of {many} properties, those that the table lacks:"
                expect.equal([], missing, about, at=after.place("properties"), kind=Kind.MISSING)
