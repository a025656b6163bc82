"""Checks of signed requests to the storage of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance import expect
from lakepact.conformance.checks.iceberg_rest.v1_11_0.suite import check
from lakepact.conformance.outcome import NotOffered
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Table


def request(uri: str, **members: Any) -> dict[str, Any]:
    """Return a request to the storage, as one asks for its signature."""
    return {"region": "us-east-1", "uri": uri, "method": "GET", "headers": {"host": [uri.split("/")[2]]}, "provider": "s3", **members}


def address(location: str, *, path: str = "data/00000-0.parquet") -> str:
    """Return the URI of an object of a table in S3.

    Raises:
        NotOffered: the table lies elsewhere.
    """
    scheme, _, rest = location.partition("://")
    bucket, _, prefix = rest.partition("/")
    if scheme not in {"s3", "s3a", "s3n"} or not bucket:
        raise NotOffered(f"the tables of the target do not lie in S3 but at {scheme}:")
    return f"https://{bucket}.s3.us-east-1.amazonaws.com/{prefix.rstrip('/')}/{path}"


def sign(lab: CatalogLab, table: Table, body: Any) -> Any:
    """Return the answer to asking for a signature."""
    return lab.send(op.sign_request, body=body, **table.at)


@check("IRC-SIGN-001", "IRC-SIGN-005")
def requests_for_table_objects_are_signed(lab: CatalogLab) -> None:
    """Signing a request for an object of the table returns 200 with `uri` and `headers`, with or without `provider`."""
    table = lab.make_table()
    whole = request(address(table.location))
    short = {member: value for member, value in whole.items() if member != "provider"}

    for requirement, body in (("IRC-SIGN-001", whole), ("IRC-SIGN-005", short)):
        with lab.judge(requirement):
            reply = sign(lab, table, body)
            expect.status(reply, 200)
            expect.true(isinstance(reply.at("uri"), str), "a text as `uri`", reply.at("uri"))
            headers = reply.at("headers")
            sound = isinstance(headers, dict) and all(isinstance(values, list) for values in headers.values())
            expect.true(sound, "headers with lists of values", type(headers).__name__)


@check("IRC-SIGN-002")
def requests_for_other_objects_return_400_or_403(lab: CatalogLab) -> None:
    """Signing a request for an object outside the table's location returns 400 or 403."""
    table, other = lab.make_table(), lab.make_table()
    own, foreign = address(table.location), address(other.location)
    base = own.removesuffix("/data/00000-0.parquet")
    wrong = (
        foreign,
        f"{base}-beside/data/00000-0.parquet",
        f"{base}/../{lab.name()}/data/00000-0.parquet",
        own.replace("https://", f"https://{lab.name().replace('_', '-')}-"),
    )

    with lab.judge_each("IRC-SIGN-002") as case:
        for uri in wrong:
            with case():
                expect.status(sign(lab, table, request(uri)), 400, 403, about=f"for {uri}")


@check("IRC-SIGN-003", "IRC-SIGN-004")
def invalid_signing_requests_are_refused(lab: CatalogLab) -> None:
    """A signing request without a required member returns 400; one for a missing table returns 404."""
    table = lab.make_table()
    whole = request("https://bucket.s3.us-east-1.amazonaws.com/key")

    with lab.judge_each("IRC-SIGN-003") as case:
        for member in ("region", "uri", "method", "headers"):
            with case():
                body = {name: value for name, value in whole.items() if name != member}
                expect.status(sign(lab, table, body), 400, about=f"without {member}")
    absent = lab.send(op.sign_request, body=whole, namespace=table.namespace, table=lab.name())
    with lab.judge("IRC-SIGN-004"):
        expect.status(absent, 404)
        expect.equal("NoSuchTableException", absent.at("error", "type"), "error.type")
