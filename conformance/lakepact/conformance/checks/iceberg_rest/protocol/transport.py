"""Transport: statuses and bodies of answers, and the values in them that have to survive."""

from __future__ import annotations

import copy

from lakepact.conformance.checks.iceberg_rest.api import (
    SCHEMA,
    CatalogLab,
    Contract,
    Exchange,
    Place,
    Reply,
    check,
    expect,
    invariant,
    op,
    set_ref,
)
from lakepact.conformance.checks.iceberg_rest.kit.dropped import drop_namespace, drop_table
from lakepact.conformance.checks.iceberg_rest.kit.endpoints import OPERATIONS
from lakepact.conformance.evidence.exchanges import NO_OPERATION

#: Beyond what a double holds exactly, and the largest but one of 64 bits.
WIDE = (9007199254740993, 9223372036854775806)


# -- invariants ------------------------------------------------------------------------------------


def is_success(exchange: Exchange) -> bool:
    """Return whether an operation of the contract was answered with some 2xx."""
    return (
        exchange.operation is not None
        and exchange.method == OPERATIONS[exchange.operation or NO_OPERATION].method
        and 200 <= exchange.status < 300
    )


@invariant("IRC-GEN-005")
def success_bodies_are_json(exchange: Exchange) -> bool:
    """A 200 response with a body has the media type application/json."""
    if not is_success(exchange) or exchange.status != 200 or not exchange.body:
        return False
    expect.equal(
        "application/json", exchange.media_type, "media type", at=Place(exchange, "/media-type")
    )
    return True


@invariant("IRC-GEN-006")
def success_without_body_is_204(exchange: Exchange) -> bool:
    """An operation whose documented success is 204 returns no other 2xx."""
    if not is_success(exchange) or OPERATIONS[exchange.operation or NO_OPERATION].success != 204:
        return False
    expect.status(Reply(exchange), 204)
    return True


@invariant("IRC-GEN-009")
def success_with_body_is_200(exchange: Exchange) -> bool:
    """An operation whose documented success is 200 returns no other 2xx."""
    if not is_success(exchange) or OPERATIONS[exchange.operation or NO_OPERATION].success != 200:
        return False
    expect.status(Reply(exchange), 200)
    return True


@invariant("IRC-GEN-008")
def head_responses_have_no_body(exchange: Exchange) -> bool:
    """A response to HEAD has no body."""
    if exchange.method != "HEAD":
        return False
    expect.no_body(Reply(exchange))
    return True


@invariant("IRC-GEN-018")
def members_are_kebab_case(exchange: Exchange) -> bool:
    """No response has the camelCase form of a member that the contract spells with hyphens."""
    if exchange.operation in {None, op.get_token} or not isinstance(exchange.json, dict):
        return False
    for member in exchange.json:
        if member in CAMEL_TWINS:
            schema, at = {"not": {"required": [member]}}, Reply(exchange).place()
            raise expect.unmet(
                f"`{CAMEL_TWINS[member]}`, as the contract spells it", member, at=at, schema=schema
            )
    return True


def _camel(name: str) -> str:
    first, *rest = name.split("-")
    return first + "".join(word.capitalize() for word in rest)


CAMEL_TWINS = {
    _camel(name): name
    for schema in Contract("iceberg_rest").bundle["components"]["schemas"].values()
    for name in schema.get("properties", {})
    if "-" in name
}


# -- answers without a body ------------------------------------------------------------------------

SHORT_LISTING = 50  #: servers cut listings after no fewer entries


@check("IRC-GEN-007")
def responses_with_204_have_no_body(lab: CatalogLab) -> None:
    """A 204 response has no body, not even one that its headers do not declare."""
    table = lab.make_table()
    target = {"namespace": list(table.namespace), "name": lab.name()}
    replies = [
        lab.send(
            op.rename_table, body={"source": table.identifier, "destination": target}, alone=True
        )
    ]
    replies += [lab.try_drop_table(namespace=table.namespace, table=target["name"], alone=True)]
    replies += [lab.send(op.drop_namespace, namespace=table.namespace, alone=True)]

    bodiless = [reply for reply in replies if lab.require(reply).status == 204]
    if not bodiless:
        lab.skip("IRC-GEN-007", "the target returns 204 neither for renaming nor for dropping")
        return
    with lab.judge_each("IRC-GEN-007") as case:
        for reply in bodiless:
            with case():
                expect.no_body(reply)


@check("IRC-GEN-030", "IRC-GEN-027")
def dropping_twice_returns_404(lab: CatalogLab) -> None:
    """A dropped namespace or table is gone for the next request, and dropping it again returns
    404.
    """
    table = lab.make_table()
    drop_table(lab, table)
    again = lab.try_drop_table(**table.at)
    drop_namespace(lab, table.namespace)
    namespace_again = lab.send(op.drop_namespace, namespace=table.namespace)

    with lab.judge("IRC-GEN-030"):
        expect.not_found(again, "table")
        expect.not_found(namespace_again, "namespace")
    with lab.judge_each("IRC-GEN-027") as case:
        for _ in range(10):
            with case():
                level = lab.name()
                lab.require(lab.send(op.create_namespace, body={"namespace": [level]}))
                expect.status(
                    lab.send(op.load_namespace_metadata, namespace=(level,), alone=True), 200
                )
                reply = lab.send(op.list_namespaces, alone=True)
                namespaces = reply.at("namespaces")
                if len(namespaces) < SHORT_LISTING:  # longer ones are judged by IRC-PAG-001
                    expect.contains([level], namespaces, "the list", at=reply.place("namespaces"))
                lab.require(lab.send(op.drop_namespace, namespace=(level,)))
                expect.not_found(
                    lab.send(op.load_namespace_metadata, namespace=(level,), alone=True),
                    "namespace",
                )


# -- values that have to survive -------------------------------------------------------------------


@check("IRC-GEN-019")
def wide_integers_are_exact(lab: CatalogLab) -> None:
    """64-bit snapshot ids keep every digit, as JSON numbers."""
    table = lab.make_table()
    for identifier in WIDE:
        snapshot = lab.snapshot(table, snapshot_id=identifier, parent_snapshot_id=None)
        table = lab.commit(
            table,
            {"action": "add-snapshot", "snapshot": snapshot},
            set_ref(f"at-{identifier}", identifier),
        )
    load = lab.load(table)

    with lab.judge_each("IRC-GEN-019") as case:
        for identifier in WIDE:
            with case():
                expect.contains(
                    identifier,
                    [s.get("snapshot-id") for s in load.metadata.get("snapshots", [])],
                    "snapshot ids",
                    at=load.place("snapshots"),
                )
                digits = f": {identifier}".encode()
                raw = load.reply.body.replace(b'":', b'": ').replace(b"  ", b" ")
                expect.true(
                    digits in raw,
                    f"the digits {identifier} in the body",
                    load.reply.summary,
                    at=load.place("snapshots"),
                )


@check("IRC-GEN-020")
def unicode_text_is_kept(lab: CatalogLab) -> None:
    """Properties and column docs keep Unicode text, characters beyond the basic plane included."""
    text = "żółć 表 🧊 e\u0301 \u200b"
    namespace = lab.make_namespace(properties={"plain": "text", "note": text})
    schema = copy.deepcopy(SCHEMA)
    schema["fields"][1]["doc"] = text
    table = lab.make_table(namespace, schema=schema, properties={"plain": "text", "note": text})

    with lab.judge("IRC-GEN-020") as case:
        if lab.feature("namespace-properties"):
            with case():
                of_namespace = lab.send(op.load_namespace_metadata, namespace=namespace)
                with lab.step("IRC-NS-GET-002"):
                    expect.member(
                        "text", of_namespace.place("properties", "plain"), "namespace property"
                    )
                expect.member(text, of_namespace.place("properties", "note"), "namespace property")
        load = lab.load(table)
        with case():
            with lab.step("IRC-TBL-CREATE-009"):
                expect.member(
                    "text", load.reply.place("metadata", "properties", "plain"), "table property"
                )
            expect.member(
                text, load.reply.place("metadata", "properties", "note"), "table property"
            )
        docs = [f.get("doc") for s in load.metadata["schemas"] for f in s["fields"]]
        expect.contains(text, docs, "field documentation", at=load.place("schemas"))
