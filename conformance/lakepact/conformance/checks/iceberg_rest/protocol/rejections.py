"""Checks of transport: requests that a server must refuse on every route, and routes that it does
not have.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Mutation,
    OperationId,
    Reply,
    Table,
    Wrong,
    check,
    expect,
    op,
    set_properties,
    states,
)
from lakepact.conformance.checks.iceberg_rest.kit.detection import declared_operations, detection_of
from lakepact.conformance.checks.iceberg_rest.kit.views import view_request
from lakepact.conformance.judging.invalid_bodies import InvalidBodies, Mutant, steps_of

NOT_IMPLEMENTED = 501  #: what HTTP has for a method that a server knows nowhere

#: The defect of a request, and its sending.
Request: TypeAlias = "tuple[str, Callable[[], Reply]]"


# -- bodies that are wrong -------------------------------------------------------------------------


def valid_bodies(lab: CatalogLab, table: Table) -> dict[OperationId, tuple[Document, Document]]:
    """For each offered operation with a JSON body: its path arguments, and a body that is in
    order.
    """
    namespace = {"namespace": table.namespace}
    bodies: dict[OperationId, tuple[Document, Document]] = {
        op.create_namespace: ({}, {"namespace": [lab.name()], "properties": {}}),
        **(
            {op.update_properties: (namespace, {"removals": [], "updates": {"a": "1"}})}
            if lab.feature("namespace-properties")
            else {}
        ),
        op.create_table: (namespace, lab.table_request(lab.name())),
        op.update_table: (table.at, {"requirements": [], "updates": [set_properties(a="1")]}),
        op.rename_table: (
            {},
            {"source": table.identifier, "destination": {**table.identifier, "name": lab.name()}},
        ),
        op.register_table: (
            namespace,
            {
                "name": lab.name(),
                "metadata-location": table.metadata_location or "file:///nowhere.json",
            },
        ),
    }
    return {
        operation: arguments for operation, arguments in bodies.items() if lab.offers(operation)
    }


def judge_invalid_bodies(
    lab: CatalogLab, table: Table, requirement: str, wrong: Wrong, requests: Iterator[Request]
) -> None:
    """Judge that each request, whose body is wrong in one way, is refused with 400, and that the
    table is afterwards what it was.
    """
    before = lab.load(table)
    with lab.judge(requirement) as case:
        for what, send in requests:
            with case(Mutation(wrong, "body")):
                reply = send()
                expect.status(reply, 400, about=f"for {what}, sent to {reply.exchange.operation}")
        states.expect_no_change(lab, before)


@check("IRC-GEN-010", last=1)
def malformed_json_returns_400(lab: CatalogLab) -> None:
    """A body that is not JSON returns 400 in every operation and changes nothing."""
    table = lab.make_table()
    wrong = (b'{"namespace":[', b"{", b'{"a":1}}', b"\xff\xfe{}", b"{'a': 1}")

    def requests() -> Iterator[Request]:
        for operation, (at, _) in valid_bodies(lab, table).items():
            for content in wrong:
                yield (
                    f"the body {expect.excerpt(content)}",
                    partial(lab.send, operation, content=content, **at),
                )

    judge_invalid_bodies(lab, table, "IRC-GEN-010", Wrong.SYNTAX, requests())


@check("IRC-GEN-011", last=1)
def bodies_that_are_not_objects_return_400(lab: CatalogLab) -> None:
    """A JSON body that is not an object returns 400 in every operation and changes nothing."""
    table = lab.make_table()

    def requests() -> Iterator[Request]:
        for operation, (at, _) in valid_bodies(lab, table).items():
            for content in (b"[]", b"null", b'"x"', b"5"):
                yield (
                    f"the body {content.decode()}",
                    partial(lab.send, operation, content=content, **at),
                )

    judge_invalid_bodies(lab, table, "IRC-GEN-011", Wrong.TYPE, requests())


def of_later_operations(
    lab: CatalogLab, table: Table
) -> dict[OperationId, tuple[Document, Document]]:
    """Return arguments and a valid body of each offered operation that only few catalogs have."""
    change = {
        "identifier": table.identifier,
        "requirements": [],
        "updates": [set_properties(a="1")],
    }
    namespace = {"namespace": table.namespace}
    bodies: dict[OperationId, tuple[Document, Document]] = {
        op.commit_transaction: ({}, {"table-changes": [change]}),
        op.create_view: (namespace, view_request(table.namespace, lab.name())),
        op.plan_table_scan: (
            table.at,
            {
                "select": ["id"],
                "case-sensitive": True,
                "filter": {"type": "eq", "term": "id", "value": 1},
            },
        ),
    }
    return {
        operation: arguments for operation, arguments in bodies.items() if lab.offers(operation)
    }


def fresh(lab: CatalogLab, operation: OperationId, valid: Document, invalid: Document) -> Document:
    """Return an invalid body about an object of its own, so that an earlier one that was accepted
    does not decide the answer.
    """
    if operation == op.rename_table:
        source = lab.make_table(lab.make_namespace()).identifier
        fresh_names = {"source": source, "destination": {**source, "name": lab.name()}}
        return {
            end: {
                key: fresh_names[end][key] if value == valid[end][key] else value
                for key, value in names.items()
            }
            if isinstance(names, dict)
            else names
            for end, names in invalid.items()
        }
    new_name = (
        {"name": lab.name()} if "name" in valid and invalid.get("name") == valid["name"] else {}
    )
    level = (
        {"namespace": [lab.name()]}
        if operation == op.create_namespace and invalid.get("namespace") == valid["namespace"]
        else {}
    )
    return {**invalid, **new_name, **level}


def refuses_mutants(
    lab: CatalogLab,
    requirement: str,
    mutants: Callable[[str, Any], Iterator[Mutant]],
    *,
    convertible: str = "",
) -> None:
    """Judge that every operation refuses each mutant of its valid body with 400, and that the table
    is afterwards as before.

    Args:
        lab: the lab of the check.
        requirement: the requirement.
        mutants: returns the mutants of a valid body of a component.
        convertible: the requirement about a number or boolean for a string, if that is another one.
    """
    table = lab.make_table()
    before = lab.load(table)
    lenient = lab.judge_each(convertible) if convertible else contextlib.nullcontext()
    with lab.judge(requirement) as must, lenient as should:
        for operation, (at, valid) in {
            **valid_bodies(lab, table),
            **of_later_operations(lab, table),
        }.items():
            for mutation, body in mutants(lab.contract.operations[operation].body or "", valid):
                if (operation, mutation.at) in TOLERATED:
                    continue
                case = should if should and _is_convertible(valid, mutation) else must
                with case(mutation):
                    reply = lab.send(operation, body=fresh(lab, operation, valid, body), **at)
                    expect.status(
                        reply,
                        400,
                        about=f"for a body with {mutation.at} {mutation.kind}, sent to {operation}",
                    )
        states.expect_no_change(lab, before)


def _is_convertible(valid: Any, mutation: Mutation) -> bool:
    """Return whether a mutant has a number or a boolean where its valid body has a string."""
    value = valid
    for step in steps_of(mutation.at):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return isinstance(value, str) and mutation.kind in {"as number", "as boolean"}


#: Members that real clients leave out although the schema requires them, so that tolerance is no
#: fault (A-41).
TOLERATED = frozenset({(op.replace_view, "/requirements")})


@check("IRC-GEN-012", last=1)
def missing_required_members_return_400(lab: CatalogLab) -> None:
    """A body without a member that its schema requires returns 400 and changes nothing."""
    refuses_mutants(lab, "IRC-GEN-012", InvalidBodies(lab.contract).without_members)


@check("IRC-GEN-013", "IRC-GEN-035", last=4)
def members_of_wrong_types_return_400(lab: CatalogLab) -> None:
    """A body with a member of the wrong JSON type returns 400 and changes nothing."""
    mutants = InvalidBodies(lab.contract).of_wrong_types
    refuses_mutants(lab, "IRC-GEN-013", mutants, convertible="IRC-GEN-035")


@check("IRC-GEN-014", last=1)
def empty_bodies_return_400(lab: CatalogLab) -> None:
    """A request without its required body returns 400 and changes nothing."""
    table = lab.make_table()

    def requests() -> Iterator[Request]:
        for operation, (at, _) in valid_bodies(lab, table).items():
            yield (
                "no body",
                partial(
                    lab.send,
                    operation,
                    content=b"",
                    headers=[("Content-Type", "application/json")],
                    **at,
                ),
            )

    judge_invalid_bodies(lab, table, "IRC-GEN-014", Wrong.MISSING, requests())


# -- what there is not -----------------------------------------------------------------------------


@check("IRC-GEN-024", "IRC-GEN-025")
def unknown_paths_and_methods_return_4xx(lab: CatalogLab) -> None:
    """An unknown path returns 4xx; an unknown method returns 4xx or 501."""
    path = lab.path(op.list_namespaces)
    unknown_paths = [f"{path.removesuffix('/namespaces')}/lakepact-nonsense", "/v1/CONFIG"]
    unknown_methods = [
        lab.send_raw("PUT", path, headers=[("Content-Type", "application/json")], content=b"{}"),
        lab.send_raw("TRACE", path),
    ]

    for unknown_path in lab.each(unknown_paths):
        with lab.judge("IRC-GEN-024"):
            expect.client_error(lab.send_raw("GET", unknown_path), mutation=Wrong.ABSENT("path"))
    for reply in lab.each(unknown_methods):
        with lab.judge("IRC-GEN-025"):
            if reply.status != NOT_IMPLEMENTED:
                expect.client_error(reply, mutation=Wrong.VALUE("method"))


@check("IRC-ERR-020")
def unknown_paths_have_error_bodies(lab: CatalogLab) -> None:
    """An unknown path returns 4xx with an error body of the contract."""
    path = lab.path(op.list_namespaces)
    unknown = [
        f"{path.removesuffix('/namespaces')}/lakepact-nonsense",
        f"{path}/{lab.name()}/lakepact-nonsense",
        "/v1/lakepact/nonsense",
    ]

    with lab.judge_each("IRC-ERR-020") as case:
        for each in unknown:
            with case():
                reply = lab.send_raw("GET", each)
                expect.client_error(reply, mutation=Wrong.ABSENT("path"))
                expect.true(
                    isinstance(reply.at("error"), dict),
                    '`{"error": {…}}` as the body',
                    reply.summary,
                    at=reply.place("error"),
                )
                expect.member(reply.status, reply.place("error", "code"), "error code")
                for member in ("message", "type"):
                    expect.true(
                        isinstance(reply.at("error", member), str),
                        f"`error.{member}` as a string",
                        reply.summary,
                        at=reply.place("error", member),
                    )


@check("IRC-GEN-026")
def undeclared_operations_return_no_5xx_but_501(lab: CatalogLab) -> None:
    """An operation that the server does not declare returns no 5xx status but 501."""
    table = lab.make_table()
    values: Document = {"plan_id": "x", "view": lab.name(), **table.at}
    declared, present = declared_operations(lab) | {op.get_token}, detection_of(lab).operations
    others = [
        operation for operation in lab.contract.operations.values() if operation.id not in declared
    ]
    # One that is served may fail on an empty body, which other requirements are about.
    missing = [
        operation for operation in others if not (operation.body and operation.id in present)
    ]
    if not missing:
        lab.skip("IRC-GEN-026", "the target declares every operation, or serves it")
        return

    with lab.judge_each("IRC-GEN-026") as case:
        for operation in missing:
            with case():
                reply = lab.send(
                    operation.id, declared=False, body={} if operation.body else None, **values
                )
                expect.serves(
                    reply,
                    reply.status < 500 or reply.status == NOT_IMPLEMENTED,
                    f"no 5xx status but 501 for {operation.id}",
                )
