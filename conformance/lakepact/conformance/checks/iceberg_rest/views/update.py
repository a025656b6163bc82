"""Checks of the updates that views share with tables: their properties and where they lie."""

from __future__ import annotations

from collections.abc import Mapping

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Wrong,
    check,
    expect,
    req,
    set_properties,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.views import (
    View,
    load_view,
    make_view,
    next_version,
    properties_of,
    try_replace,
)

COLOURS = {"lakepact.red": "1", "lakepact.green": "2", "lakepact.blue": "3"}


def expect_properties(view: View, expected: Mapping[str, str | None]) -> None:
    """The view has these properties, and not those that are expected to be `None`; others are its
    own affair.

    Raises:
        Unmet: it has others.
    """
    actual = properties_of(view)
    expect.equal(
        dict(expected),
        {key: actual.get(key) for key in expected},
        "properties of the view",
        at=view.place("properties"),
    )


@check("IRC-UPD-059")
def set_location_moves_views(lab: CatalogLab) -> None:
    """`set-location` moves the view, or returns 400 or 403."""
    view = make_view(lab)
    location = f"{str(view.member('location')).rstrip('/')}_moved"
    reply = try_replace(lab, view, upd.set_location(location))

    with lab.judge(
        "IRC-UPD-059",
        remark=""
        if reply.status == 200
        else f"the server refuses to move views with status {reply.status}",
    ):
        expect.status(reply, 200, 400, 403, mutation=Wrong.VALUE("/updates/*/location"))
        if reply.status == 200:
            after = load_view(lab, view)
            expect.member(location, after.place("location"), "location of the view")


@check("IRC-META-018")
def views_keep_their_uuid(lab: CatalogLab) -> None:
    """`assign-uuid` with another UUID does not change that of a view."""
    view = make_view(lab)
    try_replace(lab, view, {"action": "assign-uuid", "uuid": req.NOBODY})

    with lab.judge("IRC-META-018"):
        after = load_view(lab, view)
        expect.member(view.uuid, after.place("view-uuid"))


@check("IRC-GEN-020", "IRC-UPD-083")
def view_schemas_are_kept_as_sent(lab: CatalogLab) -> None:
    """A version added with a new schema has its columns, with names, types, `required` and docs as
    sent.
    """
    view = make_view(lab)
    fields = [
        {
            "id": 4,
            "name": "later",
            "type": "long",
            "required": True,
            "doc": "e\u0301 \ufb01, two\nlines",
        },
        {"id": 7, "name": "more", "type": "string", "required": False},
    ]
    schema = {
        "type": "struct",
        "schema-id": max(schema.get("schema-id", 0) for schema in view.member("schemas")) + 1,
        "fields": fields,
    }
    lab.require(
        try_replace(
            lab,
            view,
            upd.add_schema(schema),
            *next_version(view, "SELECT 2 AS later", schema_id=upd.LAST_ADDED),
        ),
        200,
    )
    after = load_view(lab, view)
    schemas = [
        schema
        for schema in after.member("schemas")
        if schema.get("schema-id") == after.current["schema-id"]
    ]
    columns = schemas[0]["fields"] if schemas else []

    with lab.judge("IRC-UPD-083"):
        expected, actual = (
            [(one.get("name"), one.get("type"), one.get("required")) for one in those]
            for those in (fields, columns)
        )
        expect.equal(expected, actual, "columns of the current version", at=after.place("schemas"))
    with lab.judge("IRC-GEN-020"):
        expect.equal(
            [field.get("doc") for field in fields],
            [column.get("doc") for column in columns],
            "docs of the columns",
            at=after.place("schemas"),
        )


@check("IRC-UPD-061", "IRC-UPD-064")
def view_properties_are_set_and_removed(lab: CatalogLab) -> None:
    """Updates set and remove the named properties of a view and keep all others."""
    view = make_view(lab)
    lab.require(try_replace(lab, view, set_properties(**COLOURS)), 200)

    with lab.judge("IRC-UPD-061"):
        expect_properties(load_view(lab, view), COLOURS)
        expect.status(
            try_replace(lab, view, set_properties(**{"lakepact.red": "9", "lakepact.black": ""})),
            200,
        )
        expect_properties(
            load_view(lab, view), {**COLOURS, "lakepact.red": "9", "lakepact.black": ""}
        )
    lab.require(try_replace(lab, view, set_properties(**COLOURS)), 200)
    with lab.judge("IRC-UPD-064"):
        reply = try_replace(
            lab, view, upd.remove_properties("lakepact.red", "lakepact.nothing", "lakepact.green")
        )
        expect.status(reply, 200)
        expect_properties(
            load_view(lab, view),
            {
                "lakepact.red": None,
                "lakepact.green": None,
                "lakepact.blue": "3",
                "lakepact.nothing": None,
            },
        )
