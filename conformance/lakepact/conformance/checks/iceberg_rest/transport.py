"""Transport: statuses, bodies, encodings, and what a server has to forgive or refuse on every route."""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from lakepact.conformance import expect
from lakepact.conformance.checks.iceberg_rest.lab import SCHEMA, set_properties, set_ref
from lakepact.conformance.checks.iceberg_rest.suite import check, law
from lakepact.conformance.outcome import Unmet
from lakepact.conformance.wire import Reply
from lakepact.generated.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakepact.conformance.checks.iceberg_rest.lab import CatalogLab, Table
    from lakepact.conformance.wire import Exchange

OPERATIONS = Contract("iceberg_rest").operations

#: What is wrong with a request, and the sending of it.
Request: TypeAlias = "tuple[str, Callable[[], Reply]]"

#: Beyond what a double holds exactly, and the largest but one of 64 bits.
WIDE = (9007199254740993, 9223372036854775806)


# -- laws ---------------------------------------------------------------------------------------------------------


def succeeded(exchange: Exchange) -> bool:
    """Whether an operation of the contract was answered with some 2xx."""
    return exchange.operation is not None and exchange.method == OPERATIONS[exchange.operation].method and 200 <= exchange.status < 300


@law("IRC-GEN-005")
def success_bodies_are_json(exchange: Exchange) -> bool:
    """A 200 answer is served as application/json."""
    if not succeeded(exchange) or exchange.status != 200 or exchange.method == "HEAD":
        return False
    expect.equal("application/json", exchange.media_type, "media type")
    return True


@law("IRC-GEN-006")
def success_without_body_is_204(exchange: Exchange) -> bool:
    """An operation whose documented success is 204 is not answered with another 2xx."""
    if not succeeded(exchange) or OPERATIONS[exchange.operation or ""].success != 204:
        return False
    expect.status(Reply(exchange), 204)
    return True


@law("IRC-GEN-009")
def success_with_body_is_200(exchange: Exchange) -> bool:
    """An operation whose documented success is 200 is not answered with another 2xx."""
    if not succeeded(exchange) or OPERATIONS[exchange.operation or ""].success != 200:
        return False
    expect.status(Reply(exchange), 200)
    return True


@law("IRC-GEN-008")
def heads_have_no_body(exchange: Exchange) -> bool:
    """No byte follows the headers of an answer to HEAD."""
    if exchange.method != "HEAD":
        return False
    expect.no_body(Reply(exchange))
    return True


@law("IRC-GEN-018")
def members_are_kebab_case(exchange: Exchange) -> bool:
    """No member of an answer is the camelCase twin of one that the contract spells with hyphens."""
    if exchange.operation in {None, "getToken"} or not isinstance(exchange.parsed, dict):
        return False
    for member in exchange.parsed:
        expect.true(member not in CAMEL_TWINS, f"`{CAMEL_TWINS.get(member)}`, as the contract spells it", member)
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


# -- answers without a body -----------------------------------------------------------------------------------------


@check("IRC-GEN-007")
def answers_with_204_have_no_body(lab: CatalogLab) -> None:
    """Whatever is answered with 204 has no body, not even one that the headers do not speak of."""
    table = lab.make_table()
    target = {"namespace": list(table.namespace), "name": lab.name()}
    replies = [lab.send("renameTable", body={"source": table.identifier, "destination": target}, alone=True)]
    replies += [lab.send("dropTable", namespace=table.namespace, table=target["name"], alone=True)]
    replies += [lab.send("dropNamespace", namespace=table.namespace, alone=True)]

    with lab.judge("IRC-GEN-007"):
        for reply in replies:
            lab.works(reply)
            expect.no_body(reply)


@check("IRC-GEN-030", "IRC-GEN-027")
def dropping_twice_is_safe(lab: CatalogLab) -> None:
    """What is dropped is gone for the next request, and dropping it again is a 404."""
    table = lab.make_table()
    lab.works(lab.send("dropTable", **table.at))
    again = lab.send("dropTable", **table.at)
    lab.works(lab.send("dropNamespace", namespace=table.namespace))
    namespace_again = lab.send("dropNamespace", namespace=table.namespace)

    with lab.judge("IRC-GEN-030"):
        expect.status(again, 404)
        expect.status(namespace_again, 404)
    with lab.judge("IRC-GEN-027"):
        for _ in range(10):
            level = lab.name()
            lab.works(lab.send("createNamespace", body={"namespace": [level]}))
            expect.status(lab.send("loadNamespaceMetadata", namespace=(level,), alone=True), 200)
            expect.contains([level], lab.send("listNamespaces", alone=True).at("namespaces"), "the list")
            lab.works(lab.send("dropNamespace", namespace=(level,)))
            expect.status(lab.send("loadNamespaceMetadata", namespace=(level,), alone=True), 404)


# -- bodies that are wrong --------------------------------------------------------------------------------------------


def valid_bodies(lab: CatalogLab, table: Table) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """For each offered operation with a JSON body: its path arguments, and a body that is in order."""
    namespace = {"namespace": table.namespace}
    bodies: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "createNamespace": ({}, {"namespace": [lab.name()], "properties": {}}),
        "updateProperties": (namespace, {"removals": [], "updates": {"a": "1"}}),
        "createTable": (namespace, lab.table_request(lab.name())),
        "updateTable": (table.at, {"requirements": [], "updates": [set_properties(a="1")]}),
        "renameTable": ({}, {"source": table.identifier, "destination": {**table.identifier, "name": lab.name()}}),
        "registerTable": (namespace, {"name": lab.name(), "metadata-location": table.metadata_location or "file:///nowhere.json"}),
    }
    return {operation: given for operation, given in bodies.items() if lab.offers(operation)}


def refused_and_unchanged(lab: CatalogLab, table: Table, requirement: str, requests: Iterator[Request]) -> None:
    """Judge that each request is refused with 400, and that the table is afterwards what it was."""
    before = lab.load(table).reply.document
    with lab.judge(requirement):
        for what, send in requests:
            reply = send()
            if reply.status != 400:
                raise Unmet(f"status 400 for {what}", f"{reply.exchange.operation}: {reply.shown}")
        expect.equal(before, lab.load(table).reply.document, "an unchanged table")


@check("IRC-GEN-010")
def malformed_json_is_refused(lab: CatalogLab) -> None:
    """A body that is not JSON is refused with 400 on every route, and changes nothing."""
    table = lab.make_table()
    wrong = (b'{"namespace":[', b"{", b'{"a":1}}', b"\xff\xfe{}", b"{'a': 1}")

    def requests() -> Iterator[Request]:
        for operation, (at, _) in valid_bodies(lab, table).items():
            for content in wrong:
                yield f"the body {content!r}", partial(lab.send, operation, content=content, **at)

    refused_and_unchanged(lab, table, "IRC-GEN-010", requests())


@check("IRC-GEN-011")
def other_top_level_types_are_refused(lab: CatalogLab) -> None:
    """A body that is JSON but no object is refused with 400 on every route."""
    table = lab.make_table()

    def requests() -> Iterator[Request]:
        for operation, (at, _) in valid_bodies(lab, table).items():
            for content in (b"[]", b"null", b'"x"', b"5"):
                yield f"the body {content.decode()}", partial(lab.send, operation, content=content, **at)

    refused_and_unchanged(lab, table, "IRC-GEN-011", requests())


#: Members that real clients leave out although the schema requires them, so that tolerance is no fault (A-45).
TOLERATED = frozenset({("createView", "properties"), ("replaceView", "requirements")})


@check("IRC-GEN-012")
def missing_members_are_refused(lab: CatalogLab) -> None:
    """A body without a member that its schema requires is refused with 400, and changes nothing."""
    table = lab.make_table()
    schemas = lab.contract.bundle["components"]["schemas"]

    def requests() -> Iterator[Request]:
        for operation, (at, body) in valid_bodies(lab, table).items():
            for member in schemas[lab.contract.operations[operation].body or ""].get("required", ()):
                less = {key: value for key, value in body.items() if key != member}
                if (operation, member) not in TOLERATED:
                    yield f"a body without `{member}`", partial(lab.send, operation, body=less, **at)
        for missing in ("namespace", "name"):
            source = {key: value for key, value in table.identifier.items() if key != missing}
            renaming = {"source": source, "destination": {**table.identifier, "name": lab.name()}}
            if lab.offers("renameTable"):
                yield f"a source without `{missing}`", partial(lab.send, "renameTable", body=renaming)

    refused_and_unchanged(lab, table, "IRC-GEN-012", requests())


@check("IRC-GEN-013")
def wrong_types_are_refused(lab: CatalogLab) -> None:
    """A member of the wrong JSON type is refused with 400, and changes nothing."""
    table = lab.make_table()
    wrong: dict[str, dict[str, Any]] = {
        "createNamespace": {"namespace": "a", "properties": []},
        "updateProperties": {"removals": "a", "updates": ["a"]},
        "createTable": {"name": 5, "schema": "x", "properties": [], "location": 7},
        "updateTable": {"updates": {}, "requirements": "x"},
        "renameTable": {"source": "a.b", "destination": []},
        "registerTable": {"name": {}, "metadata-location": 5},
    }

    def requests() -> Iterator[Request]:
        for operation, (at, body) in valid_bodies(lab, table).items():
            for member, value in wrong[operation].items():
                yield f"`{member}` as {expect.shown(value)}", partial(lab.send, operation, body={**body, member: value}, **at)

    refused_and_unchanged(lab, table, "IRC-GEN-013", requests())


@check("IRC-GEN-014")
def empty_bodies_are_refused(lab: CatalogLab) -> None:
    """A request without the body that it must have is refused with 400."""
    table = lab.make_table()

    def requests() -> Iterator[Request]:
        for operation, (at, _) in valid_bodies(lab, table).items():
            yield "no body", partial(lab.send, operation, content=b"", headers=[("Content-Type", "application/json")], **at)

    refused_and_unchanged(lab, table, "IRC-GEN-014", requests())


# -- what has to be forgiven ------------------------------------------------------------------------------------------


@check("IRC-GEN-004")
def content_type_may_have_parameters(lab: CatalogLab) -> None:
    """A body whose content type carries a charset is accepted."""
    level = lab.name()
    headers = [("Content-Type", "application/json; charset=UTF-8")]
    reply = lab.send("createNamespace", body={"namespace": [level]}, headers=headers)
    lab.afterwards(lambda: lab.send("dropNamespace", namespace=(level,)))

    with lab.judge("IRC-GEN-004"):
        expect.status(reply, 200)


@check("IRC-GEN-015")
def unknown_members_are_tolerated(lab: CatalogLab) -> None:
    """Members that the contract does not know, at any level of a request, do not change how it is answered."""
    namespace, name = lab.make_namespace(), lab.name()
    unknown = {"x-irc": {"a": 1}}
    schema: dict[str, Any] = {**copy.deepcopy(SCHEMA), **unknown}
    schema["fields"][0].update(unknown)
    created = lab.send("createTable", namespace=namespace, body={**lab.table_request(name, schema=schema), **unknown})
    lab.drop_afterwards(namespace, name)
    update = {**set_properties(a="1"), **unknown}
    committed = lab.send(
        "updateTable",
        namespace=namespace,
        table=name,
        body={"requirements": [], "updates": [update], **unknown},
    )

    with lab.judge("IRC-GEN-015"):
        expect.status(created, 200)
        expect.status(committed, 200)
        expect.equal("1", committed.at("metadata", "properties", "a"), "property a")


@check("IRC-GEN-016", "IRC-GEN-017")
def unknown_parameters_and_headers_are_ignored(lab: CatalogLab) -> None:
    """Unknown query parameters and headers do not change an answer."""
    table = lab.make_table()
    plain = lab.load(table).reply
    with_query = lab.send("loadTable", query=[("x_irc", "1")], **table.at)
    headers = [("X-Client-Version", "lakepact"), ("Idempotency-Key", "0190d6b4-7ad0-7c3f-8f0e-6d2f1f0c9a51"), ("X-Unknown", "1")]
    with_headers = lab.send("loadTable", headers=headers, **table.at)

    with lab.judge("IRC-GEN-016"):
        expect.status(with_query, 200)
        expect.equal(plain.at("metadata"), with_query.at("metadata"), "metadata")
    with lab.judge("IRC-GEN-017"):
        expect.status(with_headers, 200)
        expect.equal(plain.at("metadata"), with_headers.at("metadata"), "metadata")


@check("IRC-GEN-032")
def accept_makes_no_difference(lab: CatalogLab) -> None:
    """The same JSON is answered whether a client accepts application/json, anything, or says nothing."""
    table, absent = lab.make_table(), lab.name()
    accepts = ("application/json", "*/*", "")
    found = [lab.send("loadTable", headers=[("Accept", accept)], **table.at) for accept in accepts]
    missing = [lab.send("loadTable", headers=[("Accept", a)], namespace=table.namespace, table=absent) for a in accepts]

    with lab.judge("IRC-GEN-032"):
        for reply in found:
            expect.status(reply, 200)
            expect.equal(found[0].at("metadata"), reply.at("metadata"), "metadata")
        for reply in missing:
            expect.status(reply, 404)
            expect.equal("application/json", reply.exchange.media_type, "media type")


# -- values that have to survive ----------------------------------------------------------------------------------------


@check("IRC-GEN-019")
def wide_integers_are_exact(lab: CatalogLab) -> None:
    """64-bit ids survive to the last digit, as numbers."""
    table = lab.make_table()
    for identifier in WIDE:
        snapshot = lab.snapshot(table, snapshot_id=identifier, parent_snapshot_id=None)
        table = lab.committed(table, {"action": "add-snapshot", "snapshot": snapshot}, set_ref(f"at-{identifier}", identifier))
    loaded = lab.load(table)

    with lab.judge("IRC-GEN-019"):
        for identifier in WIDE:
            expect.contains(identifier, [s.get("snapshot-id") for s in loaded.metadata.get("snapshots", [])], "snapshot ids")
            shown = f": {identifier}".encode()
            raw = loaded.reply.body.replace(b'":', b'": ').replace(b"  ", b" ")
            expect.true(shown in raw, f"the digits {identifier} in the body", loaded.reply.shown)


@check("IRC-GEN-020")
def text_survives(lab: CatalogLab) -> None:
    """Text of any script survives in properties and documentation, characters beyond the basic plane included."""
    text = "żółć 表 🧊 e\u0301 \u200b"
    namespace = lab.make_namespace(properties={"note": text})
    schema = copy.deepcopy(SCHEMA)
    schema["fields"][1]["doc"] = text
    table = lab.make_table(namespace, schema=schema, properties={"note": text})

    with lab.judge("IRC-GEN-020"):
        expect.equal(text, lab.send("loadNamespaceMetadata", namespace=namespace).at("properties", "note"), "namespace property")
        loaded = lab.load(table)
        expect.equal(text, loaded.reply.at("metadata", "properties", "note"), "table property")
        docs = [f.get("doc") for s in loaded.metadata["schemas"] for f in s["fields"]]
        expect.contains(text, docs, "field documentation")


# -- paths --------------------------------------------------------------------------------------------------------------


@check("IRC-GEN-001", "IRC-GEN-002")
def routes_stand_below_the_base(lab: CatalogLab) -> None:
    """The configuration and the namespaces are found below the base address, with the configured prefix or none."""
    config = lab.send("getConfig", warehouse=lab.target.parameters.get("warehouse"))
    listed = lab.send("listNamespaces")

    with lab.judge("IRC-GEN-001"):
        expect.status(config, 200)
    with lab.judge("IRC-GEN-002"):
        expect.status(listed, 200)
        if lab.offer.segments.get("prefix") is None:
            doubled = lab.send_raw("GET", "/v1//namespaces", operation=None)
            same = doubled.exchange.parsed == listed.exchange.parsed
            expect.true(doubled.status != 200 or same, "no other catalog behind `//`", doubled.shown)


@check("IRC-GEN-021", "IRC-NS-ENC-001")
def percent_encoding_is_decoded_once(lab: CatalogLab) -> None:
    """Hex digits of percent-encodings may have either case, and nothing is decoded twice."""
    parent = lab.make_namespace()
    child = lab.make_namespace(parent)
    prefix = lab.path("listNamespaces")
    upper = lab.send_raw("GET", f"{prefix}/{parent[0]}%1F{child[1]}", operation="loadNamespaceMetadata")
    lower = lab.send_raw("GET", f"{prefix}/{parent[0]}%1f{child[1]}", operation="loadNamespaceMetadata")
    literal = lab.make_namespace(level=f"{lab.name()}_%41")
    single = lab.send("loadNamespaceMetadata", namespace=literal)

    with lab.judge("IRC-GEN-021"):
        expect.status(upper, 200)
        expect.equal(upper.at("namespace"), lower.at("namespace"), "namespace")
        expect.equal(list(literal), single.at("namespace"), "namespace")
    with lab.judge("IRC-NS-ENC-001"):
        expect.equal(list(child), upper.at("namespace"), "namespace")


@check("IRC-GEN-022")
def plus_in_a_path_is_a_plus(lab: CatalogLab) -> None:
    """A plus in a path stands for itself and not for a space."""
    stem = lab.name()
    plus, space = lab.make_namespace(level=f"{stem}+b"), lab.make_namespace(level=f"{stem} b")
    prefix = lab.path("listNamespaces")
    answers = {
        f"{stem}+b": plus,
        f"{stem}%2Bb": plus,
        f"{stem}%20b": space,
    }

    with lab.judge("IRC-GEN-022"):
        for segment, namespace in answers.items():
            reply = lab.send_raw("GET", f"{prefix}/{segment}", operation="loadNamespaceMetadata")
            expect.status(reply, 200)
            expect.equal(list(namespace), reply.at("namespace"), f"namespace at {segment}")


ODD_NAMES = ("a/b", "a.b", "a%b", "a b", "a'b\"c", "a?b", "a#b", "a\\b", "ä表🧊", "a%2Fb", "..", "a&b=c", "a;b", "a:b@c")


@check("IRC-GEN-023")
def odd_names_are_refused_or_addressable(lab: CatalogLab) -> None:
    """A name with special characters is refused when it is created, or can be loaded, found and dropped afterwards."""
    namespace, stem = lab.make_namespace(), lab.name()

    with lab.judge("IRC-GEN-023"):
        for odd in ODD_NAMES:
            name = f"{stem}{odd}"
            created = lab.send("createTable", namespace=namespace, body=lab.table_request(name))
            if 400 <= created.status < 500:
                continue
            expect.status(created, 200)
            lab.drop_afterwards(namespace, name)
            loaded = lab.send("loadTable", namespace=namespace, table=name)
            expect.status(loaded, 200)
            expect.equal(created.at("metadata", "table-uuid"), loaded.at("metadata", "table-uuid"), f"table UUID of {name!r}")
            expect.status(lab.send("dropTable", namespace=namespace, table=name), 204, 200)
            expect.status(lab.send("loadTable", namespace=namespace, table=name), 404)


@check("IRC-GEN-024", "IRC-GEN-025")
def what_is_not_in_the_contract_is_refused(lab: CatalogLab) -> None:
    """A path or a method that the contract does not have is answered with some 4xx."""
    path = lab.path("listNamespaces")
    unknown_path = lab.send_raw("GET", f"{path.removesuffix('/namespaces')}/lakepact-nonsense")
    unknown_method = lab.send_raw("PUT", path, headers=[("Content-Type", "application/json")], content=b"{}")

    with lab.judge("IRC-GEN-024"):
        expect.client_error(unknown_path)
    with lab.judge("IRC-GEN-025"):
        expect.client_error(unknown_method)


@check("IRC-GEN-026")
def undeclared_operations_are_refused(lab: CatalogLab) -> None:
    """An operation that the server does not implement is refused as such, not with a server error."""
    table = lab.make_table()
    values: dict[str, Any] = {"plan_id": "x", "view": lab.name(), **table.at}
    undeclared = [o for o in lab.contract.operations.values() if not lab.offers(o.id) and o.id != "getToken"]
    if not undeclared:
        lab.skip("IRC-GEN-026", "the target declares every operation")
        return

    with lab.judge("IRC-GEN-026"):
        for operation in undeclared:
            reply = lab.send(operation.id, declared=False, body={} if operation.body else None, **values)
            expect.true(reply.status < 500 or reply.status == 501, "no 5xx status but 501", f"{operation.id}: {reply.shown}")


@check("IRC-GEN-028")
def both_format_versions_are_supported(lab: CatalogLab) -> None:
    """Tables of format version 1 and 2 can be created."""
    namespace = lab.make_namespace()

    with lab.judge("IRC-GEN-028"):
        for version in (1, 2):
            name = lab.name()
            request = lab.table_request(name, properties={"format-version": str(version)})
            created = lab.send("createTable", namespace=namespace, body=request)
            lab.drop_afterwards(namespace, name)
            expect.status(created, 200)
            expect.equal(version, created.at("metadata", "format-version"), "format version")
