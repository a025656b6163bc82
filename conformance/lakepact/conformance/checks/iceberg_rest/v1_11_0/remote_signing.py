"""Checks of signed requests to the storage of a table. Nothing is sent to the storage."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import orjson

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    NotOffered,
    Reply,
    Table,
    Wrong,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.principals import (
    SECOND,
    Headers,
    bearing,
    require_secret,
)
from lakepact.conformance.checks.iceberg_rest.v1_11_0.suite import check

DELEGATED = [("X-Iceberg-Access-Delegation", "remote-signing")]
FILE = "data/00000-0.parquet"
#: Methods and parameters of requests that write or delete an object.
WRITES = (("PUT", ""), ("DELETE", ""), ("POST", "?uploads="))
SIGNED = re.compile(
    r"AWS4-\S+ Credential=(?P<scope>[^,]+),\s*SignedHeaders=(?P<names>[^,]+),\s*Signature=\S+"
)


@dataclass(frozen=True)
class Storage:
    """The storage of a table, as clients address it.

    Args:
        region: its region.
        url: the URL of the bucket, without a slash at its end.
        bucket: the bucket.
        prefix: the key that the keys of the table begin with, without slashes at its ends.
    """

    region: str
    url: str
    bucket: str
    prefix: str

    def uri(self, path: str = FILE) -> str:
        """Return the URI of an object of the table."""
        return f"{self.url}/{quote(self.prefix)}/{path}"

    def request(self, uri: str, method: str = "GET", **members: Any) -> Document:
        """Return a request to sign."""
        headers = {"host": [urlsplit(uri).netloc], **members.pop("headers", {})}
        return {
            "region": self.region,
            "uri": uri,
            "method": method,
            "headers": headers,
            "provider": "s3",
            **members,
        }


def config_of(reply: Reply) -> Document:
    """Return the configuration of a loaded table."""
    config = reply.document.get("config") if reply.status == 200 else None
    return config if isinstance(config, dict) else {}


def storage_of(lab: CatalogLab, table: Table) -> Storage:
    """Return the storage of a table, as its configuration addresses it.

    Raises:
        NotOffered: the table lies elsewhere than in S3.
    """
    scheme, _, rest = table.location.partition("://")
    bucket, _, prefix = rest.partition("/")
    if scheme not in {"s3", "s3a", "s3n"} or not bucket:
        raise NotOffered(f"the tables of the target do not lie in S3 but at {scheme}:")
    config = config_of(lab.send(op.load_table, headers=DELEGATED, **table.at))
    region = str(config.get("client.region") or config.get("s3.region") or "us-east-1")
    endpoint = urlsplit(str(config.get("s3.endpoint") or f"https://s3.{region}.amazonaws.com"))
    by_path = str(config.get("s3.path-style-access", "false")).lower() == "true"
    url = (
        f"{endpoint.scheme}://{endpoint.netloc}/{bucket}"
        if by_path
        else f"{endpoint.scheme}://{bucket}.{endpoint.netloc}"
    )
    return Storage(region, url, bucket, prefix.strip("/"))


def sign(lab: CatalogLab, table: Table, body: Any, *, who: Headers | None = None) -> Reply:
    """Return the answer to a signing request of the harness or of another principal."""
    return lab.send(
        op.sign_request, body=body, headers=who or (), anonymous=who is not None, **table.at
    )


def deletion(*keys: str) -> str:
    """Return the body of a request that deletes several objects."""
    objects = "".join(f"<Object><Key>{key}</Key></Object>" for key in keys)
    return f'<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{objects}</Delete>'


@check("IRC-SIGN-001", "IRC-SIGN-005")
def requests_for_table_objects_are_signed(lab: CatalogLab) -> None:
    """Signing a request for an object of the table returns 200 with `uri` and `headers`, with or
    without `provider`.
    """
    table = lab.make_table()
    storage = storage_of(lab, table)

    with lab.judge_each("IRC-SIGN-001") as case:
        for method, query in (("GET", ""), ("HEAD", ""), *WRITES):
            for path in (FILE, "data/day=a%2520b/%C3%A4.parquet"):
                with case():
                    expect_signed(
                        sign(lab, table, storage.request(f"{storage.uri(path)}{query}", method))
                    )
    short = storage.request(storage.uri())
    del short["provider"]
    with lab.judge("IRC-SIGN-005"):
        expect_signed(sign(lab, table, short))


def expect_signed(reply: Reply) -> None:
    """Expect a request that is signed."""
    expect.status(reply, 200)
    expect.true(
        isinstance(reply.at("uri"), str), "a text as `uri`", reply.at("uri"), at=reply.place("uri")
    )
    headers = reply.at("headers")
    sound = isinstance(headers, dict) and all(
        isinstance(values, list) for values in headers.values()
    )
    expect.true(
        sound, "headers with lists of values", type(headers).__name__, at=reply.place("headers")
    )


@check("IRC-SIGN-002")
def requests_for_other_objects_return_400_or_403(lab: CatalogLab) -> None:
    """Signing a request for an object outside the table's location returns 400 or 403, whatever it
    does and however it is spelled.
    """
    namespace = lab.make_namespace()
    table, other = lab.make_table(namespace), lab.make_table(namespace)
    storage, foreign = storage_of(lab, table), storage_of(lab, other)
    lab.require(sign(lab, table, storage.request(storage.uri())), 200)
    own, last = storage.uri("").rstrip("/"), quote(foreign.prefix.rpartition("/")[2])
    elsewhere = storage.url.replace(
        storage.bucket, f"{lab.name().replace('_', '-')}-{storage.bucket}", 1
    )
    prefixes = [quote(prefix, safe="") for prefix in (foreign.prefix, storage.prefix, "")]
    wrong = [
        *(
            storage.request(f"{foreign.uri()}{query}", method)
            for method, query in (("GET", ""), ("HEAD", ""), *WRITES)
        ),
        storage.request(f"{own}-beside/{FILE}"),
        *(
            storage.request(f"{own}/{dots}{last}/{FILE}")
            for dots in ("../", "%2e%2e/", "%2E%2E%2F", "./../")
        ),
        storage.request(f"{elsewhere}/{quote(storage.prefix)}/{FILE}"),
        *(storage.request(f"{storage.url}/?list-type=2&prefix={prefix}") for prefix in prefixes),
        storage.request(f"{storage.url}/?policy=", "PUT"),
        storage.request(f"{storage.url}/", "DELETE"),
        storage.request(
            storage.uri(),
            "PUT",
            headers={"x-amz-copy-source": [f"/{storage.bucket}/{quote(foreign.prefix)}/{FILE}"]},
        ),
    ]

    with lab.judge_each("IRC-SIGN-002") as case:
        for body in wrong:
            with case():
                further = "".join(f" with {name}" for name in body["headers"] if name != "host")
                expect.status(
                    sign(lab, table, body),
                    400,
                    403,
                    about=f"for {body['method']} {body['uri']}{further}",
                    mutation=Wrong.ACCESS("/uri"),
                )


@check("IRC-SIGN-003", "IRC-SIGN-004")
def invalid_signing_requests_are_refused(lab: CatalogLab) -> None:
    """A signing request without a required member returns 400; one for a missing table returns
    404.
    """
    table = lab.make_table()
    storage = storage_of(lab, table)
    whole = storage.request(storage.uri())

    with lab.judge_each("IRC-SIGN-003") as case:
        for member in ("region", "uri", "method", "headers"):
            with case():
                body = {name: value for name, value in whole.items() if name != member}
                expect.status(
                    sign(lab, table, body),
                    400,
                    about=f"without {member}",
                    mutation=Wrong.MISSING(f"/{member}"),
                )
    absent = lab.send(op.sign_request, body=whole, namespace=table.namespace, table=lab.name())
    with lab.judge("IRC-SIGN-004"):
        expect.not_found(absent, "table")
        expect.member("NoSuchTableException", absent.place("error", "type"), "error.type")


@check("IRC-SIGN-006")
def readers_get_no_writes_signed(lab: CatalogLab) -> None:
    """A principal that may only read a table gets 200 for a request that reads, and 403 for
    requests that write or delete.
    """
    reader = bearing(require_secret(lab, SECOND))
    table = lab.make_table()
    storage = storage_of(lab, table)
    if sign(lab, table, storage.request(storage.uri()), who=reader).status != 200:
        raise NotOffered(
            "the second principal gets no request signed that reads a table of the first"
        )
    writes = [storage.request(f"{storage.uri()}{query}", method) for method, query in WRITES]
    writes.append(
        storage.request(
            f"{storage.url}/?delete=", "POST", body=deletion(f"{storage.prefix}/{FILE}")
        )
    )

    with lab.judge_each("IRC-SIGN-006") as case:
        for body in writes:
            with case():
                expect.status(
                    sign(lab, table, body, who=reader),
                    403,
                    about=f"for {body['method']} {body['uri']}",
                    mutation=Wrong.ACCESS("principal"),
                )


@check("IRC-SIGN-007")
def deletions_of_other_objects_return_400_or_403(lab: CatalogLab) -> None:
    """Signing a deletion of several objects returns 400 or 403 if one of them is not below the
    table's location.
    """
    namespace = lab.make_namespace()
    table, other = lab.make_table(namespace), lab.make_table(namespace)
    storage, foreign = storage_of(lab, table), storage_of(lab, other)
    uri = f"{storage.url}/?delete="
    own = f"{storage.prefix}/{FILE}"
    further = f"{foreign.prefix}/{FILE}"
    if sign(lab, table, storage.request(uri, "POST", body=deletion(own, f"{own}-2"))).status != 200:
        lab.skip("IRC-SIGN-007", "the target signs no deletion of several objects of one table")
        return

    with lab.judge_each("IRC-SIGN-007") as case:
        for keys in (
            (further,),
            (own, further),
            (further, own),
            (own, f"{storage.prefix}-beside/{FILE}"),
        ):
            with case():
                reply = sign(lab, table, storage.request(uri, "POST", body=deletion(*keys)))
                expect.status(
                    reply,
                    400,
                    403,
                    about=f"for {', '.join(keys)}",
                    mutation=Wrong.ACCESS("/body"),
                )


@check("IRC-SIGN-008")
def configured_endpoint_signs(lab: CatalogLab) -> None:
    """The endpoint in the configuration of a created or loaded table with remote signing returns
    200 for a request for the table.
    """
    name, namespace = lab.name(), lab.make_namespace()
    created = lab.try_create_table(namespace, name, headers=DELEGATED)
    lab.drop_afterwards(namespace, name)
    table = lab.with_metadata(lab.make_table(namespace))
    storage = storage_of(lab, table)
    load = lab.send(op.load_table, headers=DELEGATED, **table.at)
    configs = [(config, reply) for reply in (created, load) if is_on(config := config_of(reply))]
    if not configs:
        lab.skip("IRC-SIGN-008", "no table comes with a configuration that turns remote signing on")
        return

    with lab.judge_each("IRC-SIGN-008") as case:
        for config, reply in configs:
            with case():
                endpoint = _setting(config, "endpoint")
                expect.true(
                    isinstance(endpoint, str) and bool(endpoint),
                    "a text as `signer.endpoint`",
                    endpoint,
                    at=reply.place("config", "signer.endpoint"),
                )
        config = config_of(load)
        endpoint, base = _setting(config, "endpoint"), _setting(config, "uri") or lab.wire.url
        url = f"{str(base).rstrip('/')}/{str(endpoint).lstrip('/')}"
        if endpoint and is_on(config) and url.startswith(f"{lab.wire.url}/"):
            with case():
                content = orjson.dumps(storage.request(storage.uri()))
                headers = [("Content-Type", "application/json")]
                target = url.removeprefix(lab.wire.url)
                expect_signed(
                    lab.send_raw(
                        "POST", target, headers=headers, content=content, operation=op.sign_request
                    )
                )


def _setting(config: Document, name: str) -> Any:
    """Return a setting of the signer; its earlier name is read by older clients."""
    return config.get(f"signer.{name}", config.get(f"s3.signer.{name}"))


def is_on(config: Document) -> bool:
    """Return whether a configuration turns remote signing on."""
    return str(config.get("s3.remote-signing-enabled", "")).lower() == "true"


@check("IRC-SIGN-009")
def signatures_cover_headers_and_region(lab: CatalogLab) -> None:
    """A signature is scoped to the region of the request, and signs `host` and every `x-amz-`
    header of the request.
    """
    table = lab.make_table()
    storage = storage_of(lab, table)
    headers = {
        "x-amz-content-sha256": ["UNSIGNED-PAYLOAD"],
        "x-amz-sdk-checksum-algorithm": ["CRC32"],
        "x-amz-storage-class": ["STANDARD"],
    }

    with lab.judge_each("IRC-SIGN-009") as case:
        for method in ("GET", "PUT"):
            with case():
                reply = lab.require(
                    sign(lab, table, storage.request(storage.uri(), method, headers=headers)), 200
                )
                region, names = _scope_and_headers(reply)
                expect.equal(
                    storage.region, region, "the region of the signature", at=reply.place("headers")
                )
                missing = sorted({"host", *headers} - {name.lower() for name in names})
                expect.equal([], missing, "headers that are not signed:", at=reply.place("headers"))


def _scope_and_headers(reply: Reply) -> tuple[str, list[str]]:
    """Return the region of a signature, and the headers that it signs."""
    headers = {str(name).lower(): values for name, values in reply.at("headers").items()}
    value = (headers.get("authorization") or [""])[0]
    match = SIGNED.fullmatch(str(value))
    query = parse_qs(urlsplit(str(reply.at("uri"))).query)
    scope, names = (query.get(f"X-Amz-{name}", [""])[0] for name in ("Credential", "SignedHeaders"))
    if match:
        scope, names = match["scope"], match["names"]
    parts = scope.split("/")
    sound = len(parts) == 5 and bool(names)
    expect.true(
        sound,
        "a signature in `Authorization`, or in the query of `uri`",
        "none that names its scope and headers",
        at=reply.place("headers"),
    )
    return parts[2], names.split(";")
