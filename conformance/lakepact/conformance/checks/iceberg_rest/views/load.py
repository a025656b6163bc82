"""Checks of loading and dropping views, and of the namespaces that hold them."""

from __future__ import annotations

import orjson

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    NotOffered,
    Wrong,
    check,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.metadata_members import of_the_contract
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import (
    expect_no_change as table_unchanged,
)
from lakepact.conformance.checks.iceberg_rest.kit.views import (
    HARMLESS,
    TABLE_AS_VIEW,
    View,
    canonical_form,
    expect_no_change,
    load_view,
    make_view,
    next_version,
    replace_view,
    same_metadata,
    same_view,
)
from lakepact.conformance.evidence.shared_files import READABLE_FILES


def in_file(lab: CatalogLab, view: View) -> Document | None:
    """Return the content of the metadata file of a view; None if the suite cannot read the files of
    the target.

    A file that says another UUID, or nothing, is taken for one that is not the target's.
    """
    if not lab.feature(READABLE_FILES):
        return None
    try:
        document = orjson.loads(
            lab.target.shared_files.at(view.reply.at("metadata-location")).read()
        )
    except (NotOffered, orjson.JSONDecodeError):
        return None
    return (
        document
        if view.uuid and isinstance(document, dict) and document.get("view-uuid") == view.uuid
        else None
    )


@check("IRC-VIEW-LOAD-001", "IRC-VIEW-LOAD-004")
def load_view_returns_the_latest_metadata(lab: CatalogLab) -> None:
    """Loading a view returns the metadata of its last change, as in its metadata file, and a
    `config` of strings.
    """
    view = make_view(lab, properties={"lakepact.note": "1"})
    answers = [view]
    if lab.offers(op.replace_view):
        answers.append(replace_view(lab, view, HARMLESS, *next_version(view, "SELECT 2 AS id")))
    before = answers[-1]
    reply = lab.send(op.load_view, **view.at)

    with lab.judge("IRC-VIEW-LOAD-001"):
        same_view(lab, before.reply, reply, "the metadata of the last response,")
        expect.member(
            before.reply.at("metadata-location"),
            reply.place("metadata-location"),
            "the metadata-location of the last response,",
        )
        document = in_file(lab, view.in_reply(reply))
        if document is not None:
            metadata = of_the_contract(lab, "ViewMetadata", reply.at("metadata"), document)
            same_metadata(
                lab,
                canonical_form(document),
                canonical_form(metadata),
                "metadata as in the file:",
                at=reply.place("metadata"),
            )
    config = [
        (one.document.get("config"), one.place("config"))
        for one in (*(answer.reply for answer in answers), reply)
    ]
    with lab.judge_each(
        "IRC-VIEW-LOAD-004",
        remark="" if any(settings for settings, _ in config) else "no configuration is given",
    ) as case:
        for settings, at in config:
            with case():
                expect.true(
                    settings is None or isinstance(settings, dict),
                    "an object as `config`",
                    settings,
                    at=at,
                )
                wrong = {
                    key: value
                    for key, value in (settings or {}).items()
                    if not isinstance(value, str)
                }
                expect.equal({}, wrong, "values in `config` that are not strings:", at=at)


@check("IRC-VIEW-LOAD-002", "IRC-VIEW-LOAD-007", "IRC-VIEW-LOAD-008")
def drop_view_returns_204_then_404(lab: CatalogLab) -> None:
    """Dropping a view returns 204 and removes it; loading or dropping a missing view returns
    404.
    """
    home = lab.make_namespace()
    views = [make_view(lab, home), make_view(lab, home)]
    if lab.offers(op.replace_view):
        replace_view(lab, views[1], *next_version(views[1], "SELECT 2 AS id"))
    other = load_view(lab, make_view(lab, home))
    for view in lab.each(views):
        reply = lab.send(op.drop_view, **view.at)
        with lab.judge("IRC-VIEW-LOAD-007"):
            expect.status(reply, 204)
            expect.not_found(lab.send(op.load_view, **view.at), "view")
            expect_no_change(lab, other)
    absent: list[Document] = [
        views[0].at,
        {**views[0].at, "view": lab.name()},
        {**other.at, "namespace": (lab.name(),)},
    ]
    for at in lab.each(absent):
        with lab.judge("IRC-VIEW-LOAD-002"):
            expect.not_found(lab.send(op.load_view, **at), "view")
        with lab.judge("IRC-VIEW-LOAD-008"):
            expect.not_found(lab.send(op.drop_view, **at), "view")


@check("IRC-VIEW-LOAD-003", "IRC-VIEW-LOAD-009")
def tables_are_not_views(lab: CatalogLab) -> None:
    """Loading or dropping a table as a view returns 404 and keeps the table."""
    table = lab.load(lab.make_table())
    at: Document = {"namespace": table.namespace, "view": table.name}

    with lab.judge("IRC-VIEW-LOAD-003"):
        expect.status(lab.send(op.load_view, **at), 404, mutation=TABLE_AS_VIEW)
    with lab.judge("IRC-VIEW-LOAD-009"):
        expect.status(lab.send(op.drop_view, **at), 404, mutation=TABLE_AS_VIEW)
        table_unchanged(lab, table)


@check("IRC-NS-DROP-001")
def namespaces_without_views_can_be_dropped(lab: CatalogLab) -> None:
    """Dropping a namespace returns 204 once its last view was dropped."""
    view = make_view(lab)
    lab.require(lab.send(op.drop_view, **view.at))

    with lab.judge("IRC-NS-DROP-001"):
        expect.status(lab.send(op.drop_namespace, namespace=view.namespace), 204)
        expect.not_found(
            lab.send(op.load_namespace_metadata, namespace=view.namespace), "namespace"
        )


@check("IRC-NS-DROP-004")
def namespaces_with_views_are_not_dropped(lab: CatalogLab) -> None:
    """Dropping a namespace that holds only a view returns 409 and keeps the view."""
    view = load_view(lab, make_view(lab))
    reply = lab.send(op.drop_namespace, namespace=view.namespace)

    with lab.judge("IRC-NS-DROP-004"):
        expect.status(reply, 409, mutation=Wrong.IN_USE("namespace"))
        expect_no_change(lab, view)


@check("IRC-VIEW-LOAD-005")
def head_view_follows_create_and_drop(lab: CatalogLab) -> None:
    """HEAD of a view returns 404 before it is created, 204 after, and 404 once it is dropped."""
    namespace, name = lab.make_namespace(), lab.name()
    at: Document = {"namespace": namespace, "view": name}
    for _ in lab.each(range(2)):
        before = lab.send(op.view_exists, **at)
        lab.make_view(namespace, name=name)
        after = lab.send(op.view_exists, **at)
        lab.require(lab.send(op.drop_view, **at))
        last = lab.send(op.view_exists, **at)
        with lab.judge_each("IRC-VIEW-LOAD-005") as case:
            for reply, status, when in (
                (before, 404, "before it is created"),
                (after, 204, "once created"),
                (last, 404, "once dropped"),
            ):
                with case():
                    expect.status(
                        reply,
                        status,
                        about=f"for a view {when}",
                        mutation=Wrong.ABSENT("view") if status == 404 else None,
                    )
