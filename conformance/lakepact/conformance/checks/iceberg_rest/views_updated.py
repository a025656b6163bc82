"""Checks of the updates that views share with tables: their properties and where they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance import expect
from lakepact.conformance.checks.iceberg_rest.lab import set_properties
from lakepact.conformance.checks.iceberg_rest.suite import check
from lakepact.conformance.checks.iceberg_rest.table_updates import remove_properties, set_location
from lakepact.conformance.checks.iceberg_rest.view_requests import View, loaded, made, properties_of, replace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.conformance.checks.iceberg_rest.lab import CatalogLab

COLOURS = {"lakepact.red": "1", "lakepact.green": "2", "lakepact.blue": "3"}


def expect_properties(view: View, expected: Mapping[str, str | None]) -> None:
    """The view has these properties, and not those that are expected to be `None`; others are its own affair.

    Raises:
        Unmet: it has others.
    """
    found = properties_of(view)
    expect.equal(dict(expected), {key: found.get(key) for key in expected}, "properties of the view")


@check("IRC-UPD-059")
def views_move(lab: CatalogLab) -> None:
    """A view has the location that it is given, unless the server refuses it."""
    view = made(lab)
    moved = f"{str(view.member('location')).rstrip('/')}_moved"
    reply = replace(lab, view, set_location(moved))

    with lab.judge("IRC-UPD-059", remark="" if reply.status == 200 else f"the server refuses to move views with status {reply.status}"):
        expect.status(reply, 200, 400, 403)
        if reply.status == 200:
            expect.equal(moved, loaded(lab, view).member("location"), "location of the view")


@check("IRC-UPD-061", "IRC-UPD-064")
def properties_of_views_are_set_and_removed(lab: CatalogLab) -> None:
    """Properties of a view that are set have their new values, those that are removed are gone, and all others stay."""
    view = made(lab)
    lab.works(replace(lab, view, set_properties(**COLOURS)), 200)

    with lab.judge("IRC-UPD-061"):
        expect_properties(loaded(lab, view), COLOURS)
        expect.status(replace(lab, view, set_properties(**{"lakepact.red": "9", "lakepact.black": ""})), 200)
        expect_properties(loaded(lab, view), {**COLOURS, "lakepact.red": "9", "lakepact.black": ""})
    lab.works(replace(lab, view, set_properties(**COLOURS)), 200)
    with lab.judge("IRC-UPD-064"):
        reply = replace(lab, view, remove_properties("lakepact.red", "lakepact.nothing", "lakepact.green"))
        expect.status(reply, 200)
        expect_properties(loaded(lab, view), {"lakepact.red": None, "lakepact.green": None, "lakepact.blue": "3", "lakepact.nothing": None})
