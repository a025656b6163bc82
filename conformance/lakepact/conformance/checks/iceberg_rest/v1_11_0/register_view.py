"""Checks of registering views, from the metadata file of a view that is dropped."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import (
    Blocked,
    CatalogLab,
    Document,
    Mutation,
    Namespace,
    Reply,
    Wrong,
    expect,
    op,
    set_properties,
)
from lakepact.conformance.checks.iceberg_rest.kit.listings import identifiers, names
from lakepact.conformance.checks.iceberg_rest.kit.tables.registration import NO_FILE
from lakepact.conformance.checks.iceberg_rest.kit.views import (
    OVER_TABLE,
    View,
    expect_no_change,
    load_view,
    make_view,
    next_version,
    same_view,
    try_replace,
)
from lakepact.conformance.checks.iceberg_rest.v1_11_0.suite import check


def register(lab: CatalogLab, namespace: Namespace, name: str, location: str) -> Reply:
    """Return the answer to registering a view's metadata file; the clean-up drops the view."""
    lab.add_cleanup(lambda: lab.send(op.drop_view, namespace=namespace, view=name))
    return lab.send(
        op.register_view, namespace=namespace, body={"name": name, "metadata-location": location}
    )


def register_former_view(lab: CatalogLab) -> tuple[View, Reply]:
    """Return a view, and the answer to registering its metadata file under another name.

    Some catalogs remove the files of a dropped view; others do not register the file of a live one.

    Raises:
        Blocked: no view can be created.
    """
    view = make_view(lab)
    lab.require(
        try_replace(
            lab, view, *next_version(view, "SELECT 2 AS id"), set_properties(kept="as it is")
        ),
        200,
    )
    last = load_view(lab, view)
    location = last.reply.at("metadata-location")
    beside = register(lab, view.namespace, lab.name(), location)
    if beside.status == 200:
        return last, beside
    lab.require(lab.send(op.drop_view, **view.at))
    return last, register(lab, view.namespace, lab.name(), location)


def left_behind(lab: CatalogLab) -> tuple[View, str]:
    """Return a registered view, and the location of metadata that can be registered again.

    Some catalogs remove the file of a dropped view. The first view is not dropped if its file can
    be registered beside it.

    Raises:
        Blocked: nothing can be registered.
    """
    last, reply = register_former_view(lab)
    lab.require(reply, 200)
    if lab.send(op.load_view, **last.at).status == 404:
        lab.require(
            lab.send(
                op.drop_view, namespace=last.namespace, view=reply.exchange.request_json["name"]
            )
        )
    return last, last.reply.at("metadata-location")


@check("IRC-VIEW-REG-001", "IRC-VIEW-REG-002", "IRC-VIEW-REG-008")
def register_view_returns_the_metadata_of_the_file(lab: CatalogLab) -> None:
    """Registering a view returns 200 with the metadata of its file; the view loads, is listed and
    can be replaced.
    """
    last, reply = register_former_view(lab)
    view = View(last.namespace, reply.exchange.request_json["name"], reply)

    with lab.judge("IRC-VIEW-REG-001"):
        expect.status(reply, 200)
        same_view(lab, last.reply, reply, "the metadata of the file,")
    lab.require(reply, 200)
    with lab.judge("IRC-VIEW-REG-002"):
        same_view(lab, reply, lab.send(op.load_view, **view.at), "the metadata when it is loaded,")
        after = lab.send(op.list_views, namespace=view.namespace)
        expect.contains(
            view.identifier, identifiers(after), "the list of views", at=after.place("identifiers")
        )
    with lab.judge("IRC-VIEW-REG-008"):
        replacement = try_replace(lab, load_view(lab, view), *next_version(view, "SELECT 3 AS id"))
        expect.status(replacement, 200)
        expect.member(last.uuid, replacement.place("metadata", "view-uuid"))


@check("IRC-VIEW-REG-001")
def names_of_dropped_views_are_free(lab: CatalogLab) -> None:
    """Registering a view under the name of a dropped one does not return 409."""
    last, location = left_behind(lab)
    if lab.send(op.load_view, **last.at).status != 404:
        lab.require(lab.send(op.drop_view, **last.at))
    reply = register(lab, last.namespace, last.name, location)

    with lab.judge("IRC-VIEW-REG-001"):
        if reply.status == 409:
            expect.status(reply, 200, about="for the name of a view that was dropped")
        if reply.status == 200:
            same_view(lab, last.reply, reply, "the metadata of the file,")


@check("IRC-VIEW-REG-003")
def incomplete_register_requests_return_400(lab: CatalogLab) -> None:
    """Registering a view without `name` or `metadata-location` as strings returns 400."""
    last, location = left_behind(lab)
    whole: Document = {"name": lab.name(), "metadata-location": location}
    wrong: tuple[tuple[Document, Mutation], ...] = (
        ({}, Wrong.MISSING("/name")),
        ({"name": whole["name"]}, Wrong.MISSING("/metadata-location")),
        ({"metadata-location": location}, Wrong.MISSING("/name")),
        ({**whole, "name": 7}, Wrong.TYPE("/name")),
        ({**whole, "metadata-location": None}, Wrong.MISSING("/metadata-location")),
    )

    with lab.judge_each("IRC-VIEW-REG-003") as case:
        for body, mutation in wrong:
            with case(mutation):
                expect.status(
                    lab.send(op.register_view, namespace=last.namespace, body=body),
                    400,
                    about=f"for {sorted(body)}",
                )
    with lab.judge("IRC-VIEW-REG-003"):
        after = lab.send(op.list_views, namespace=last.namespace)
        expect.lacks(
            whole["name"], names(after), "the list of views", at=after.place("identifiers")
        )


@check("IRC-VIEW-REG-004", "IRC-VIEW-REG-005")
def registering_over_views_or_tables_returns_409(lab: CatalogLab) -> None:
    """Registering a view under the name of another view or a table returns 409 and changes
    neither.
    """
    last, location = left_behind(lab)
    other = make_view(lab, last.namespace)
    table = lab.make_table(last.namespace)

    with lab.judge("IRC-VIEW-REG-004"):
        reply = lab.send(
            op.register_view,
            namespace=other.namespace,
            body={"name": other.name, "metadata-location": location},
        )
        expect.status(reply, 409, about="under the name of a view", mutation=Wrong.PRESENT("view"))
        expect_no_change(lab, other)
    with lab.judge("IRC-VIEW-REG-005"):
        reply = lab.send(
            op.register_view,
            namespace=table.namespace,
            body={"name": table.name, "metadata-location": location},
        )
        expect.status(reply, 409, about="under the name of a table", mutation=OVER_TABLE)
        after = lab.load(table)
        expect.member(table.uuid, after.place("table-uuid"))


@check("IRC-VIEW-REG-006")
def registering_in_missing_namespaces_returns_404(lab: CatalogLab) -> None:
    """Registering a view in a missing namespace returns 404 with NoSuchNamespaceException."""
    _, location = left_behind(lab)
    reply = lab.send(
        op.register_view,
        namespace=(lab.name(),),
        body={"name": lab.name(), "metadata-location": location},
    )

    with lab.judge("IRC-VIEW-REG-006"):
        expect.not_found(reply, "namespace")
        expect.member("NoSuchNamespaceException", reply.place("error", "type"), "error.type")


@check("IRC-VIEW-REG-007")
def registering_missing_files_returns_400_or_404(lab: CatalogLab) -> None:
    """Registering a view from missing or unreadable metadata returns 400 or 404 and registers
    nothing.
    """
    last, location = left_behind(lab)
    folder = location.rpartition("/")[0]
    for wrong in lab.each((f"{folder}/{NO_FILE}", f"{folder}/", "nonsense")):
        name = lab.name()
        reply = register(lab, last.namespace, name, wrong)
        with lab.judge("IRC-VIEW-REG-007"):
            expect.status(
                reply,
                400,
                404,
                about=f"for {wrong}",
                mutation=Wrong.ABSENT("metadata file"),
            )
            expect.not_found(lab.send(op.load_view, namespace=last.namespace, view=name), "view")


@check("IRC-VIEW-REG-007")
def registering_table_metadata_as_a_view_is_refused(lab: CatalogLab) -> None:
    """Registering the metadata file of a table as a view returns 4xx."""
    table = lab.make_table()
    location = lab.load(table).metadata_location
    if location is None:
        raise Blocked("the target does not say where the metadata of a table stand")
    name = lab.name()
    reply = register(lab, table.namespace, name, location)

    with lab.judge("IRC-VIEW-REG-007"):
        expect.client_error(reply, mutation=Wrong.VALUE("metadata file"))
        expect.not_found(lab.send(op.load_view, namespace=table.namespace, view=name), "view")
