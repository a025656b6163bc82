"""Checks of requests that create no view because something in them is wrong."""

from __future__ import annotations

from collections.abc import Mapping

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Members,
    Mutation,
    Namespace,
    Wrong,
    check,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.views import OTHER_SCHEMA, create, sql, version

Cases = Mapping[str, tuple[Mutation, Members]]

REPRESENTATIONS = "/view-version/representations"
MEMBERS_OF_VERSION = (
    "version-id",
    "timestamp-ms",
    "schema-id",
    "summary",
    "representations",
    "default-namespace",
)


def less(member: str, whole: Members) -> Document:
    """Return an object without one of its members."""
    return {key: value for key, value in whole.items() if key != member}


def judge_refusals(lab: CatalogLab, requirement: str, home: Namespace, *, cases: Cases) -> None:
    """Judge a requirement by requests that create no view: each is a bad request, and there is none
    then.

    Args:
        lab: the lab of the check.
        requirement: its id.
        home: where the views would be.
        cases: what is wrong with each request, the mistake, and the members that make it.

    Raises:
        Blocked: no view can be created, so that the refusals show nothing.
    """
    lab.make_view(home)
    for wrong, (mutation, members) in lab.each(cases.items()):
        name = lab.name()
        reply = create(lab, home, name, **members)
        with lab.judge(requirement):
            expect.status(reply, 400, about=f"for {wrong}", mutation=mutation)
            expect.not_found(lab.send(op.load_view, namespace=home, view=name), "view")


@check("IRC-VIEW-CREATE-002", last=1)
def incomplete_create_requests_return_400(lab: CatalogLab) -> None:
    """Creating a view without name, schema or version returns 400; without properties, 200 or
    400.
    """
    home = lab.make_namespace()
    cases: Cases = {
        f"no {member}": (Wrong.MISSING(f"/{member}"), {member.replace("-", "_"): None})
        for member in ("schema", "view-version")
    }
    judge_refusals(lab, "IRC-VIEW-CREATE-002", home, cases=cases)
    nameless = lab.send(
        op.create_view,
        namespace=home,
        body={"schema": OTHER_SCHEMA, "view-version": version(home), "properties": {}},
    )
    plain = create(lab, home, lab.name(), properties=None)

    with lab.judge("IRC-VIEW-CREATE-002", remark=f"without properties: status {plain.status}"):
        expect.status(nameless, 400, about="for no name", mutation=Wrong.MISSING("/name"))
        expect.status(
            plain,
            200,
            400,
            about="for no properties",
            mutation=Wrong.MISSING("/properties"),
        )


@check("IRC-VIEW-CREATE-012", "IRC-VIEW-CREATE-013", last=1)
def incomplete_versions_return_400(lab: CatalogLab) -> None:
    """Creating a view with an incomplete version or representation returns 400."""
    home = lab.make_namespace()
    whole = version(home)
    lacking = {
        f"a version without {member}": (
            Wrong.MISSING(f"/view-version/{member}"),
            {"view_version": less(member, whole)},
        )
        for member in MEMBERS_OF_VERSION
    }
    judge_refusals(lab, "IRC-VIEW-CREATE-012", home, cases=lacking)
    alone = {
        f"a representation without {member}": (member, [less(member, sql())])
        for member in ("type", "sql", "dialect")
    }
    second = {
        f"a second representation without {member}": (
            member,
            [sql(), less(member, sql(dialect="trino"))],
        )
        for member in ("sql", "dialect")
    }
    cases = {
        wrong: (
            Wrong.MISSING(f"{REPRESENTATIONS}/*/{member}"),
            {"view_version": version(home, representations=representations)},
        )
        for wrong, (member, representations) in {**alone, **second}.items()
    }
    judge_refusals(lab, "IRC-VIEW-CREATE-013", home, cases=cases)


@check("IRC-VIEW-CREATE-014", "IRC-VIEW-CREATE-015", last=1)
def repeated_dialects_return_400(lab: CatalogLab) -> None:
    """Creating a view with two representations of one dialect, or with none, returns 400."""
    home = lab.make_namespace()
    twice = version(home, sql("SELECT 1 AS id"), sql("SELECT 2 AS id"))
    case = (Wrong.DUPLICATE(f"{REPRESENTATIONS}/*/dialect"), {"view_version": twice})
    judge_refusals(
        lab, "IRC-VIEW-CREATE-014", home, cases={"two representations of one dialect": case}
    )
    empty = version(home, representations=[])
    none = (Wrong.VALUE(REPRESENTATIONS), {"view_version": empty})
    judge_refusals(lab, "IRC-VIEW-CREATE-015", home, cases={"no representation": none})


@check("IRC-VIEW-CREATE-016", last=1)
def unknown_representations_are_refused(lab: CatalogLab) -> None:
    """Creating a view with only a representation of an unknown type returns 4xx."""
    home = lab.make_namespace()
    name = lab.name()
    reply = create(lab, home, name, view_version=version(home, {**sql(), "type": "lakepact-ast"}))

    with lab.judge("IRC-VIEW-CREATE-016"):
        expect.client_error(reply, mutation=Wrong.VALUE(f"{REPRESENTATIONS}/*/type"))
        expect.not_found(lab.send(op.load_view, namespace=home, view=name), "view")
