"""Checks of the updates `set-properties`, `remove-properties` and `set-location`."""

from __future__ import annotations

from collections.abc import Mapping

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Table,
    Wrong,
    check,
    expect,
    op,
    set_properties,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.renames import rename_table

#: Properties of the tables of these checks.
COLOURS = {"lakepact.red": "1", "lakepact.green": "2", "lakepact.blue": "3"}


def expect_properties(table: Table, expected: Mapping[str, str | None]) -> None:
    """The table has these properties, and not those that are expected to be `None`; others are its
    own affair.
    """
    properties = table.member("properties")
    expect.equal(
        dict(expected),
        {key: properties.get(key) for key in expected},
        "properties",
        at=table.place("properties"),
    )


def judge_older_name(
    lab: CatalogLab,
    requirement: str,
    table: Table,
    update: Document,
    *,
    expected: Mapping[str, str | None],
) -> None:
    """Judge an update that has its member under an older name: it is refused, or does what it did
    under that name.

    Args:
        lab: the lab of the check.
        requirement: its id.
        table: the table that it is for.
        update: the update.
        expected: the properties if the older name is understood.
    """
    reply = lab.try_commit(table, update)
    understood = reply.status == 200
    with lab.judge(
        requirement, remark="the older name of the member is understood too" if understood else ""
    ):
        expect.status(reply, 200, 400)
        if understood:
            expect_properties(lab.load(table), expected)


def table_with_colours(lab: CatalogLab) -> Table:
    """Return a table with three properties, by a commit: whether those of a creation are kept is
    judged by a check of its own.
    """
    return lab.commit(lab.make_table(), set_properties(**COLOURS))


@check("IRC-UPD-061")
def properties_are_added_and_replaced(lab: CatalogLab) -> None:
    """`set-properties` sets the named properties and keeps all others, also after a rename."""
    table = table_with_colours(lab)

    with lab.judge("IRC-UPD-061"):
        after = lab.commit_and_load(
            table, set_properties(**{"lakepact.red": "9", "lakepact.black": ""})
        )
        expect_properties(after, {**COLOURS, "lakepact.red": "9", "lakepact.black": ""})
        # One that writers look at; a target that does not let them set it refuses it.
        codec = {"write.parquet.compression-codec": "gzip"}
        if lab.try_commit(table, set_properties(**codec)).status == 200:
            expect_properties(lab.load(table), codec)
        new = Table(table.namespace, lab.name(), table.reply)
        if (
            lab.offers(op.rename_table)
            and rename_table(lab, table.identifier, new.identifier).status == 204
        ):
            after = lab.commit_and_load(lab.load(new), set_properties(**{"lakepact.new": "1"}))
            expect_properties(after, {**COLOURS, "lakepact.red": "9", "lakepact.new": "1"})


@check("IRC-UPD-062", "IRC-UPD-063")
def set_properties_needs_strings(lab: CatalogLab) -> None:
    """`set-properties` without `updates`, or with values that are not strings, returns 400."""
    table = table_with_colours(lab)
    update = set_properties(**{"lakepact.red": "9"})
    upd.judge_refusals(lab, "IRC-UPD-062", table, {"no updates": upd.lacking(update, "updates")})
    older = {**upd.without(update, "updates"), "updated": update["updates"]}
    judge_older_name(lab, "IRC-UPD-062", table, older, expected={**COLOURS, "lakepact.red": "9"})
    number = {**update, "updates": {"lakepact.red": 1}}
    upd.judge_refusals(
        lab,
        "IRC-UPD-063",
        table,
        {"a number as a value": (Wrong.TYPE("/updates/*/updates/lakepact.red"), [number])},
    )


@check("IRC-UPD-064")
def listed_properties_are_removed(lab: CatalogLab) -> None:
    """`remove-properties` removes the listed properties for good and keeps the others; unknown ones
    change nothing.
    """
    table = table_with_colours(lab)

    with lab.judge("IRC-UPD-064"):
        after = lab.commit_and_load(table, upd.remove_properties("lakepact.red", "lakepact.nope"))
        expect_properties(after, {**COLOURS, "lakepact.red": None})
        later = lab.load(lab.commit(after, set_properties(**{"lakepact.new": "1"})))
        expect_properties(later, {**COLOURS, "lakepact.red": None})


@check("IRC-UPD-065")
def remove_properties_needs_strings(lab: CatalogLab) -> None:
    """`remove-properties` without `removals` as an array of strings returns 400."""
    table = table_with_colours(lab)
    update = upd.remove_properties("lakepact.red")
    cases = {
        "no removals": upd.lacking(update, "removals"),
        "a number among the removals": (
            Wrong.TYPE("/updates/*/removals/*"),
            [{**update, "removals": [1]}],
        ),
        "a text as removals": (
            Wrong.TYPE("/updates/*/removals"),
            [{**update, "removals": "lakepact.red"}],
        ),
    }
    upd.judge_refusals(lab, "IRC-UPD-065", table, cases)
    older = {**upd.without(update, "removals"), "removed": update["removals"]}
    judge_older_name(lab, "IRC-UPD-065", table, older, expected={**COLOURS, "lakepact.red": None})


@check("IRC-UPD-059", "IRC-UPD-060")
def set_location_moves_tables(lab: CatalogLab) -> None:
    """`set-location` moves the table or returns 400 or 403; without a location it returns 400."""
    table = lab.make_table()
    location = f"{table.location.rstrip('/')}_moved"
    reply = lab.try_commit(table, upd.set_location(location))

    with lab.judge(
        "IRC-UPD-059",
        remark=""
        if reply.status == 200
        else f"the server refuses to move tables with status {reply.status}",
    ):
        expect.status(reply, 200, 400, 403)
        if reply.status == 200:
            after = lab.load(table)
            expect.member(location, after.place("location"))
    null = Wrong.TYPE("/updates/*/location"), [{**upd.set_location(location), "location": None}]
    cases = {
        "no location": upd.lacking(upd.set_location(location), "location"),
        "null as location": null,
    }
    upd.judge_refusals(lab, "IRC-UPD-060", table, cases)
