"""Leniency: unusual requests of real clients that a server must accept."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import partial

from lakepact.conformance.checks.iceberg_rest.api import (
    SCHEMA,
    CatalogLab,
    Document,
    Place,
    Reply,
    check,
    expect,
    op,
    set_properties,
    states,
)


@check("IRC-GEN-004")
def content_type_may_have_parameters(lab: CatalogLab) -> None:
    """A request whose Content-Type has a charset returns 200."""
    lab.make_namespace()
    level = lab.name()
    headers = [("Content-Type", "application/json; charset=UTF-8")]
    reply = lab.send(op.create_namespace, body={"namespace": [level]}, headers=headers)
    lab.add_cleanup(lambda: lab.send(op.drop_namespace, namespace=(level,)))

    if reply.status == 200:
        lab.find_namespace((level,))
    with lab.judge("IRC-GEN-004"):
        expect.status(reply, 200)


@check("IRC-GEN-015")
def unknown_request_members_are_ignored(lab: CatalogLab) -> None:
    """A request with unknown members, at any level, returns 200 and the server ignores them."""
    namespace, name = lab.make_namespace(), lab.name()
    unknown = {"x-irc": {"a": 1}}
    schema: Document = {**copy.deepcopy(SCHEMA), **unknown}
    schema["fields"][0].update(unknown)
    created = lab.send(
        op.create_table,
        namespace=namespace,
        body={**lab.table_request(name, schema=schema), **unknown},
    )
    lab.drop_afterwards(namespace, name)
    update = {**set_properties(a="1"), **unknown}
    commit = lab.send(
        op.update_table,
        namespace=namespace,
        table=name,
        body={"requirements": [], "updates": [update], **unknown},
    )

    with lab.judge("IRC-GEN-015"):
        expect.status(created, 200)
        expect.status(commit, 200)
        expect.member("1", commit.place("metadata", "properties", "a"), "property a")


@check("IRC-GEN-016", "IRC-GEN-017")
def unknown_parameters_and_headers_are_ignored(lab: CatalogLab) -> None:
    """A request with unknown query parameters or headers returns the same table as without."""
    table = lab.make_table()
    plain = lab.load(table)
    with_query = lab.send(op.load_table, query=[("x_irc", "1")], **table.at)
    headers = [
        ("X-Client-Version", "lakepact"),
        ("Idempotency-Key", "0190d6b4-7ad0-7c3f-8f0e-6d2f1f0c9a51"),
        ("X-Unknown", "1"),
    ]
    with_headers = lab.send(op.load_table, headers=headers, **table.at)

    with lab.judge("IRC-GEN-016"):
        expect.status(with_query, 200)
        states.assert_same_table(lab, plain, table.in_reply(with_query))
    with lab.judge("IRC-GEN-017"):
        expect.status(with_headers, 200)
        states.assert_same_table(lab, plain, table.in_reply(with_headers))


@check("IRC-GEN-032")
def accept_does_not_change_responses(lab: CatalogLab) -> None:
    """The server returns the same JSON for Accept: application/json, */* and no Accept header."""
    table, absent = lab.make_table(), lab.name()
    accepts = ("application/json", "*/*", "")
    loads = [
        lab.send(op.load_table, headers=[("Accept", accept)], **table.at) for accept in accepts
    ]
    missing = [
        lab.send(op.load_table, headers=[("Accept", a)], namespace=table.namespace, table=absent)
        for a in accepts
    ]

    with lab.judge_each("IRC-GEN-032") as case:
        for reply in loads:
            with case():
                expect.status(reply, 200)
                states.assert_same_table(lab, *(table.in_reply(one) for one in (loads[0], reply)))
        for reply in missing:
            with case():
                expect.not_found(reply, "table")
                expect.equal(
                    "application/json",
                    reply.exchange.media_type,
                    "media type",
                    at=Place(reply.exchange, "/media-type"),
                )


@check("IRC-GEN-038")
def other_media_types_are_served_or_return_4xx(lab: CatalogLab) -> None:
    """A request with a Content-Type or an Accept that is not JSON is served, or returns a 4xx
    status.
    """
    table = lab.make_table()
    types = (
        "text/plain",
        "application/xml",
        "application/x-www-form-urlencoded",
        "nonsense",
        "a/b;c",
    )

    def replies() -> Iterator[Reply]:
        for media_type in types:
            (level,) = namespace = (lab.name(),)
            headers = [("Content-Type", media_type)]
            body = {"namespace": [level], "properties": {}}
            created = lab.send(op.create_namespace, body=body, headers=headers)
            if created.status == 200:
                lab.add_cleanup(partial(lab.send, op.drop_namespace, namespace=namespace))
            yield created
            yield lab.send(op.load_table, headers=[("Accept", media_type)], **table.at)

    with lab.judge_each("IRC-GEN-038") as case:
        for reply in replies():
            with case():
                expect.no_server_error(reply)
