"""Checks of requests that create no table because something in them is wrong, staged or not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

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
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.requests import (
    array,
    extend_schema,
    field,
    mapping,
    order,
    spec,
    struct,
)
from lakepact.conformance.evidence.replaying import ABSENT

NOWHERE = 99  #: the id of no column
IDENTITY = [field(1, "id", "long", required=True)]


def schema_with(*fields: Members) -> Document:
    """Return members of a request whose schema has a key and these columns."""
    return {"schema": struct(*IDENTITY, *fields)}


def with_identifiers(*identifiers: int) -> Document:
    """Return members of a request whose rows are identified by these columns."""
    columns = (
        field(2, "optional", "string"),
        field(3, "single", "float", required=True),
        field(4, "twice", "double", required=True),
    )
    return {"schema": {**struct(*IDENTITY, *columns), "identifier-field-ids": list(identifiers)}}


def with_partitioning(source_id: int, transform: str) -> Document:
    """Return members of a request whose table is partitioned."""
    return {
        "schema": UNFIT,
        "partition-spec": spec(
            upd.partition_field(source_id, transform, "part", field_id=upd.FIRST_FIELD), spec_id=0
        ),
    }


def with_sorting(source_id: int, transform: str) -> Document:
    """Return members of a request whose table is sorted."""
    return {"schema": UNFIT, "write-order": order(upd.sort_field(source_id, transform=transform))}


#: Columns of types that not every transform fits.
UNFIT = extend_schema(
    fields=[
        *IDENTITY,
        field(2, "name", "string"),
        field(3, "at", "timestamptz"),
        field(4, "measure", "double"),
        field(5, "whole", struct(field(6, "part", "long"))),
    ]
)

#: By requirement: what is wrong with a request, and the members that make it so.
WRONG: dict[str, dict[str, Document]] = {
    "IRC-TBL-CREATE-003": {
        "no name": {"name": ABSENT},
        "no schema": {"schema": ABSENT},
        "neither name nor schema": {"name": ABSENT, "schema": ABSENT},
    },
    "IRC-TBL-CREATE-016": {
        "two columns of one name": schema_with(
            field(2, "name", "string"), field(3, "name", "long")
        ),
        "two fields of one name in a struct": schema_with(
            field(2, "outer", struct(field(3, "x", "int"), field(4, "x", "int")))
        ),
        "two columns with one id": schema_with(field(2, "a", "string"), field(2, "b", "string")),
        "a field in a struct with the id of a column": schema_with(
            field(2, "outer", struct(field(1, "inner", "int")))
        ),
        "two fields of different structs with one id": schema_with(
            field(2, "a", struct(field(4, "inner", "int"))),
            field(3, "b", struct(field(4, "inner", "int"))),
        ),
        "an element with the id of its list": schema_with(field(2, "many", array(2, "string"))),
        "a key with the id of its value": schema_with(
            field(2, "some", mapping((3, 3), "string", "long"))
        ),
        "the type `varchar`": schema_with(field(2, "name", "varchar")),
        "an unknown type in a struct": schema_with(
            field(2, "outer", struct(field(3, "inner", "int128")))
        ),
        "an unknown type in a list": schema_with(field(2, "many", array(3, "text"))),
        "an unknown type in a map": schema_with(
            field(2, "some", mapping((3, 4), "string", "object"))
        ),
        "the nested type `set`": schema_with(
            field(2, "many", {**array(3, "string"), "type": "set"})
        ),
    },
    "IRC-TBL-CREATE-017": {
        "a partition field of a column that is not there": with_partitioning(NOWHERE, "identity"),
        "a partition field with an unknown transform": with_partitioning(2, "fortnight"),
        "bucket[0]": with_partitioning(1, "bucket[0]"),
        "bucket without a number": with_partitioning(1, "bucket"),
        "truncate[-1]": with_partitioning(2, "truncate[-1]"),
        "hour of a string": with_partitioning(2, "hour"),
        "day of a long": with_partitioning(1, "day"),
        "truncate of a timestamp": with_partitioning(3, "truncate[4]"),
        "bucket of a double": with_partitioning(4, "bucket[16]"),
        "identity of a struct": with_partitioning(5, "identity"),
        "a sort field of a column that is not there": with_sorting(NOWHERE, "identity"),
        "a sort field with an unknown transform": with_sorting(2, "fortnight"),
        "sorting by bucket[0]": with_sorting(1, "bucket[0]"),
        "sorting by the hour of a string": with_sorting(2, "hour"),
        "sorting by a struct": with_sorting(5, "identity"),
    },
    "IRC-TBL-CREATE-018": {
        "an optional column": with_identifiers(2),
        "a float column": with_identifiers(3),
        "a double column": with_identifiers(4),
        "no column": with_identifiers(NOWHERE),
        "a good column and an optional one": with_identifiers(1, 2),
    },
    "IRC-TBL-CREATE-020": {
        f"a property that is {value}": {
            "properties": {"lakepact.note": "text", "lakepact.other": json}
        }
        for value, json in {
            "a number": 1,
            "a boolean": True,
            "null": None,
            "an object": {"a": "b"},
            "an array": ["a"],
        }.items()
    },
    "IRC-TBL-CREATE-021": {"an empty name": {"name": ""}},
    "IRC-TBL-CREATE-022": {
        f"{expect.excerpt(value)} as stage-create": {"stage-create": value}
        for value in (None, "true", "false", "")
    },
}

#: By requirement: the mistake of its requests; of others, that of each.
MUTATIONS = {
    "IRC-TBL-CREATE-018": Wrong.VALUE("/schema/identifier-field-ids"),
    "IRC-TBL-CREATE-020": Wrong.TYPE("/properties/*"),
    "IRC-TBL-CREATE-021": Wrong.VALUE("/name"),
    "IRC-TBL-CREATE-022": Wrong.TYPE("/stage-create"),
}


def mutation_of(requirement: str, what: str, wrong: Members) -> Mutation:
    """Return the mistake of a request, by its requirement, its description and the members that
    make it wrong.
    """
    if requirement in MUTATIONS:
        return MUTATIONS[requirement]
    if requirement == "IRC-TBL-CREATE-003":
        return Wrong.MISSING(f"/{next(iter(wrong))}")
    if requirement == "IRC-TBL-CREATE-017":
        fields = (
            "/partition-spec/fields/*" if "partition-spec" in wrong else "/write-order/fields/*"
        )
        return (
            Wrong.UNKNOWN_ID(f"{fields}/source-id")
            if "not there" in what
            else Wrong.VALUE(f"{fields}/transform")
        )
    if "of one name" in what:
        return Wrong.DUPLICATE("/schema/fields/*/name")
    return (
        Wrong.VALUE("/schema/fields/*/type")
        if "type" in what
        else Wrong.DUPLICATE("/schema/fields/*/id")
    )


def wrong_requests(lab: CatalogLab, requirement: str) -> Iterator[tuple[str, Mutation, Document]]:
    """Yield invalid requests with a description and their mistake."""
    for what, wrong in WRONG[requirement].items():
        body = {**lab.table_request(lab.name()), **wrong}
        request = {member: value for member, value in body.items() if value is not ABSENT}
        yield what, mutation_of(requirement, what, wrong), request


def drop_should_it_exist(lab: CatalogLab, namespace: Namespace, body: Members) -> None:
    """Drop afterwards what a request must not have created."""
    if body.get("name"):
        lab.drop_afterwards(namespace, body["name"])


@check(*WRONG, last=1)
def invalid_create_requests_return_400(lab: CatalogLab) -> None:
    """A create request with missing, invalid or inconsistent members returns 400."""
    namespace = (
        lab.make_table().namespace
    )  # a server that creates none shows nothing by its refusals
    for requirement in lab.each(WRONG):
        for what, mutation, body in lab.each(wrong_requests(lab, requirement)):
            reply = lab.send(op.create_table, namespace=namespace, body=body)
            if reply.status < 400:
                drop_should_it_exist(lab, namespace, body)
            with lab.judge(requirement):
                expect.status(reply, 400, about=f"for {what}", mutation=mutation)


#: A stage-create that is no boolean cannot be staged.
STAGEABLE = tuple(requirement for requirement in WRONG if requirement != "IRC-TBL-CREATE-022")


@check("IRC-TBL-STAGE-012", last=1)
def invalid_stage_requests_return_400(lab: CatalogLab) -> None:
    """A request that returns 400 without `stage-create` returns 400 with it."""
    namespace = lab.make_table().namespace
    send = partial(lab.send, op.create_table, namespace=namespace)
    refusals = 0
    for requirement in lab.each(STAGEABLE):
        for what, mutation, body in lab.each(wrong_requests(lab, requirement)):
            reply = send(body=body)
            if reply.status != 400:
                lab.disown(reply.exchange)
                drop_should_it_exist(lab, namespace, body)
                continue
            refusals += 1
            reply = send(body={**body, "stage-create": True})
            with lab.judge("IRC-TBL-STAGE-012"):
                expect.status(
                    reply, 400, about=f"for {what}, as without `stage-create`", mutation=mutation
                )
    if not refusals:
        lab.skip("IRC-TBL-STAGE-012", "the target returns 400 for none of the invalid requests")
