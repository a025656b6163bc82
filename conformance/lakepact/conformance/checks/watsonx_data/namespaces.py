"""Namespaces: their single level, their location, and drops of namespaces that are not empty."""

from __future__ import annotations

import re
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import Kind, Reply, Wrong, expect, op
from lakepact.conformance.checks.iceberg_rest.kit.lab import Namespace
from lakepact.conformance.checks.iceberg_rest.kit.namespaces import children, properties_of
from lakepact.conformance.checks.iceberg_rest.protocol.configuration import configuration
from lakepact.conformance.checks.watsonx_data.lab import WatsonxLab
from lakepact.conformance.checks.watsonx_data.suite import check
from lakepact.conformance.evidence.exchanges import Placed

STORAGE = re.compile(r"s3[an]?(?=://)")  #: schemes of one storage
KEYS = ("with_underscore", "with.dot", "with:colon", "with-hyphen")


@check("WXD-NS-001")
def namespaces_of_several_levels_are_refused(lab: WatsonxLab) -> None:
    """Creating a namespace of several levels returns 4xx and creates nothing."""
    top, free = lab.make_namespace(), lab.name()
    child = lab.name()
    for levels in lab.each(
        ([top[0], child], [free, child], [top[0], child, lab.name()], [top[0], top[0]])
    ):
        reply = lab.send(op.create_namespace, body={"namespace": levels, "properties": {}})
        with lab.judge("WXD-NS-001"):
            expect.client_error(reply, mutation=Wrong.VALUE("/namespace"))
    namespaces = children(lab, None)
    with lab.judge("WXD-NS-001"):
        left = [
            namespace
            for namespace in namespaces
            if any(name in ".".join(map(str, namespace)) for name in (child, free))
        ]
        expect.equal(
            [], left, "namespaces that exist although their creation was refused:", at=namespaces.at
        )


@check("WXD-NS-002")
def namespaces_without_levels_are_refused(lab: WatsonxLab) -> None:
    """Creating a namespace without levels returns 4xx."""
    lab.make_namespace()
    with lab.judge("WXD-NS-002"):
        reply = lab.send(op.create_namespace, body={"namespace": [], "properties": {}})
        expect.client_error(reply, mutation=Wrong.VALUE("/namespace"))


def locations(properties: Placed) -> dict[str, str]:
    """Return the location members of a namespace: storage_location and location."""
    return {
        key: properties[key]
        for key in ("storage_location", "location")
        if isinstance(properties.get(key), str)
    }


def plain(location: str) -> str:
    """Return a location in canonical form: with the scheme s3, and without slashes at the end."""
    return STORAGE.sub("s3", location).rstrip("/")


@check("WXD-NS-003", "WXD-NS-004", "WXD-NS-005")
def namespaces_have_a_location(lab: WatsonxLab) -> None:
    """A namespace has the requested location, also after an update of its properties, by default a
    folder of its name in the warehouse, and its tables are below it.
    """
    bare = lab.make_namespace()
    stored = properties_of(lab, bare)
    defaults = locations(stored)
    warehouse = (configuration(lab).document.get("overrides") or {}).get("warehouse")

    with lab.judge("WXD-NS-004") as case:
        expect.true(
            bool(defaults),
            "a `storage_location` or `location`",
            "neither",
            at=stored.place("location"),
            kind=Kind.MISSING,
        )
        for key, location in defaults.items():
            with case():
                at = stored.place(key)
                expect.true(
                    plain(location).endswith(f"/{bare[0]}"),
                    f"a location that ends with {bare[0]}",
                    location,
                    at=at,
                )
                if isinstance(warehouse, str) and "://" in warehouse:
                    below = plain(location).startswith(f"{bucket(plain(warehouse))}/")
                    expect.true(below, f"a location in {bucket(plain(warehouse))}", location, at=at)
    # The server may not be able to write elsewhere: the requested location is a sibling of the
    # default one.
    first = next(iter(defaults.values()), "")
    parent = (
        plain(first).rpartition("/")[0] if defaults else plain(str(warehouse or "")).rstrip("/")
    )
    if "://" not in parent:
        for requirement in ("WXD-NS-003", "WXD-NS-005"):
            lab.skip(requirement, "no location is known that a namespace may have")
        return
    scheme = (first or parent).partition("://")[0]
    requested = f"{scheme}://{parent.partition('://')[2]}/{lab.name()}"
    namespace = lab.make_namespace(properties={"storage_location": requested})
    with lab.judge("WXD-NS-003"):
        expect_location(lab, namespace, requested)
        updates = {"removals": [], "updates": {"owner": lab.name()}}
        if lab.offers(op.update_properties) and (
            lab.send(op.update_properties, namespace=namespace, body=updates).status == 200
        ):
            expect_location(lab, namespace, requested, " after an update of its properties")
    table = lab.make_table(namespace)
    with lab.judge("WXD-NS-005"):
        expect.true(
            plain(table.location).startswith(f"{plain(requested)}/"),
            f"a location below {requested}",
            table.location,
            at=table.place("location"),
        )


def expect_location(lab: WatsonxLab, namespace: Namespace, location: str, when: str = "") -> None:
    """Expect a namespace to have a location."""
    stored = properties_of(lab, namespace)
    actual = {plain(each) for each in locations(stored).values()}
    expect.true(
        plain(location) in actual,
        f"a namespace at {location}{when}",
        sorted(actual),
        at=stored.place("location"),
    )


def bucket(location: str) -> str:
    """Return the scheme and the bucket of a location; a folder is returned whole."""
    scheme, _, rest = location.partition("://")
    return location if scheme == "file" else f"{scheme}://{rest.partition('/')[0]}"


def refuses(reply: Reply) -> None:
    """Expect 409, or 400 with NamespaceNotEmptyException.

    Raises:
        Unmet: the answer is another one.
    """
    expect.status(reply, 409, 400, mutation=Wrong.PRESENT("table or view"))
    if reply.status == 400:
        expect.member("NamespaceNotEmptyException", reply.place("error", "type"), "error type")


@check("WXD-NS-006")
def namespaces_with_tables_are_not_dropped(lab: WatsonxLab) -> None:
    """Dropping a namespace that holds a table returns 409, or 400 with NamespaceNotEmptyException,
    and keeps the table.
    """
    table = lab.make_table()
    reply = lab.send(op.drop_namespace, namespace=table.namespace)

    with lab.judge("WXD-NS-006"):
        refuses(reply)
        expect.status(lab.send(op.load_table, **table.at), 200)


@check("WXD-NS-007")
def namespaces_with_views_are_not_dropped(lab: WatsonxLab) -> None:
    """Dropping a namespace that holds only a view returns 409, or 400 with
    NamespaceNotEmptyException, and keeps the view.
    """
    home = lab.make_namespace()
    view = lab.make_view(home)
    reply = lab.send(op.drop_namespace, namespace=home)

    with lab.judge("WXD-NS-007"):
        refuses(reply)
        expect.status(lab.send(op.load_view, namespace=home, view=view), 200)


@check("WXD-NS-008")
def property_keys_are_reported_as_sent(lab: WatsonxLab) -> None:
    """Property keys with underscores, dots, colons and hyphens are set, removed and reported as
    sent.
    """
    home = lab.make_namespace()

    def update_properties(**body: Any) -> Reply:
        reply = lab.send(
            op.update_properties, namespace=home, body={"removals": [], "updates": {}, **body}
        )
        expect.status(reply, 200)
        return reply

    def expect_keys(reply: Reply, member: str) -> None:
        expect.same_items(
            KEYS,
            reply.document.get(member) or [],
            f"keys in `{member}`",
            at=reply.place(member),
        )

    with lab.judge("WXD-NS-008"):
        expect_keys(update_properties(updates=dict.fromkeys(KEYS, "1")), "updated")
        expect_keys(update_properties(removals=list(KEYS)), "removed")
        again = update_properties(removals=list(KEYS))
        if again.document.get("missing"):
            expect_keys(again, "missing")
