"""Credentials for the files of a table, and requests that the server signs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import orjson

from lakepact.conformance.clients.iceberg_rest.access.tokens import (
    CREDENTIAL,
    LIFETIME,
    PAUSE,
    Issuer,
    asks_for_tokens,
)
from lakepact.conformance.clients.iceberg_rest.api import (
    Answer,
    Blocked,
    CatalogClientLab,
    Document,
    Forward,
    NotOffered,
    Request,
    Script,
    Unmet,
    check,
    error,
    expect,
    op,
    with_endpoints,
)

ACCESS_KEY = "s3.access-key-id"
BUCKET = "s3://lakepact-scripted"
LOADED = frozenset({op.load_table})


def with_access(config: dict[str, str], credentials: Sequence[tuple[str, str]]) -> Script:
    """Return a catalog whose tables have a location in a bucket, this config, and credentials with
    these prefixes and keys.
    """

    def script(request: Request, forward: Forward) -> Answer:
        answer = forward(request)
        if request.operation not in LOADED or answer.status != 200:
            return answer
        document: Document = answer.document
        document["metadata"]["location"] = f"{BUCKET}/home/t"
        document["metadata-location"] = f"{BUCKET}/home/t/metadata/00000-a.metadata.json"
        document["config"] = {**document.get("config", {}), **config}
        document["storage-credentials"] = [
            {"prefix": prefix, "config": keys(key)} for prefix, key in credentials
        ]
        return answer.with_document(document).with_header("etag", None)

    return script


def keys(key: str) -> dict[str, str]:
    """Return credentials with this access key."""
    return {
        ACCESS_KEY: key,
        "s3.secret-access-key": f"opens-nothing-{key}",
        "client.region": "eu-central-1",
    }


def _access_key(lab: CatalogClientLab, home: Sequence[str], script: Script) -> str:
    """Return the key with which the client would open the metadata file."""
    properties = lab.performs("file-properties", script, namespace=home, table="t").result
    if not isinstance(properties, dict):
        raise Unmet("an object of properties", expect.excerpt(properties))
    return str(properties.get(ACCESS_KEY))


@check("IRC-TBL-LOAD-013", "IRC-TBL-CRED-003")
def storage_credentials_of_a_table(lab: CatalogClientLab) -> None:
    """A client opens files with the `storage-credentials` of the longest matching prefix, and
    prefers them to `config`.
    """
    home = lab.namespace("t")
    lab.does("file-properties", namespace=home, table="t")
    with lab.judge("IRC-TBL-LOAD-013"):
        key = _access_key(
            lab, home, with_access(keys("of-config"), [(f"{BUCKET}/home/t", "of-storage")])
        )
        expect.equal("of-storage", key, f"{ACCESS_KEY} of storage-credentials:")
    nested = [
        (f"{BUCKET}/home/t/metadata", "longest"),
        (f"{BUCKET}/home/t/metadata-of-another", "elsewhere"),
        (f"{BUCKET}/home", "short"),
    ]
    with lab.judge_each("IRC-TBL-CRED-003") as case:
        for credentials in (nested, nested[::-1]):
            with case():
                key = _access_key(lab, home, with_access({}, credentials))
                expect.equal(
                    "longest",
                    key,
                    f"{ACCESS_KEY} of the longest of"
                    f" {expect.excerpt([prefix for prefix, _ in credentials])}:",
                )


#: clients in Java refresh credentials where a server sets it
REFRESH = "client.refresh-credentials-endpoint"


def expiring(*, has_endpoint: bool) -> Script:
    """Return a catalog whose credentials expire; with an endpoint for credentials, or without."""
    count = 0
    declared = with_endpoints() if has_endpoint else with_endpoints(without={op.load_credentials})

    def fresh() -> list[Document]:
        nonlocal count
        count += 1
        expiry = {
            "s3.session-token-expires-at-ms": str(int((time.time() + LIFETIME) * 1000)),
            "s3.session-token": f"session-{count}",
        }
        return [{"prefix": f"{BUCKET}/home/t", "config": {**keys(f"key-{count}"), **expiry}}]

    def script(request: Request, forward: Forward) -> Answer:
        if request.operation == op.load_credentials and has_endpoint:
            return Answer(200, body=orjson.dumps({"storage-credentials": fresh()}))
        endpoint = (
            {REFRESH: f"{request.target.partition('?')[0].removeprefix('/')}/credentials"}
            if has_endpoint
            else {}
        )
        answer = with_access(endpoint, [])(request, lambda inner: declared(inner, forward))
        if request.operation != op.load_table or answer.status != 200:
            return answer
        return answer.with_document({**answer.document, "storage-credentials": fresh()})

    return script


@check("IRC-CLI-036")
def expiring_credentials(lab: CatalogClientLab) -> None:
    """A client opens files with new credentials after the first have expired, whether or not
    `endpoints` lists loadCredentials.
    """
    home = lab.namespace("t")
    arguments: Document = {"namespace": home, "table": "t", "times": 2, "pause": PAUSE}
    if not isinstance(
        lab.performs("file-properties-repeatedly", **Document(arguments, pause=0)).value,
        list,
    ):
        raise NotOffered("the client does not return the properties of files repeatedly")
    with lab.judge_each("IRC-CLI-036") as case:
        for has_endpoint in (True, False):
            with case():
                performance = lab.performs(
                    "file-properties-repeatedly", expiring(has_endpoint=has_endpoint), **arguments
                )
                access_keys = [
                    one.get(ACCESS_KEY) for one in performance.result if isinstance(one, dict)
                ]
                where = "with" if has_endpoint else "without"
                fresh = len(access_keys) == 2 and access_keys[0] != access_keys[1]
                how = (
                    f"another access key after the first has expired, {where} loadCredentials among"
                    " the endpoints"
                )
                expect.true(fresh, how, expect.excerpt(access_keys))


TASK = "sign-repeatedly"
PATH = "/v1/lakepact/sign"


def signing(issuer: Issuer) -> Script:
    """Return a catalog that signs the requests to its storage for callers with a valid token."""
    signed = 0

    def config(base: str) -> dict[str, str]:
        names = {"uri": base, "endpoint": PATH.removeprefix("/")}
        return {"s3.remote-signing-enabled": "true"} | {
            f"{family}{name}": value
            for family in ("s3.signer.", "signer.")
            for name, value in names.items()
        }

    def catalog(request: Request, forward: Forward) -> Answer:
        nonlocal signed
        if request.target.partition("?")[0] != PATH and request.operation != op.sign_request:
            return with_access(config(request.base), [])(request, forward)
        document = request.document
        if request.method != "POST" or not isinstance(document, dict) or "uri" not in document:
            return error(400, "BadRequestException")
        signed += 1
        headers = {**document.get("headers", {}), "Authorization": [f"signature-{signed}"]}
        return Answer(200, body=orjson.dumps({"uri": document["uri"], "headers": headers}))

    def script(request: Request, forward: Forward) -> Answer:
        return issuer.script(request, lambda allowed: catalog(allowed, forward))

    return script


@check("IRC-CLI-050")
def signatures_after_the_first_token(lab: CatalogClientLab) -> None:
    """A client gets two signatures from its server although its first token expires in between,
    announced or not.
    """
    arguments: Document = {
        "namespace": lab.namespace("t"),
        "table": "t",
        "times": 2,
        "pause": PAUSE,
        "properties": CREDENTIAL,
    }
    plain = lab.performs(TASK, signing(Issuer()), **Document(arguments, pause=0))
    asks_for_tokens(plain)
    if not _are_signed(plain.value):
        raise Blocked(f"the client does not let requests be signed: {plain.outcome}")
    with lab.judge_each("IRC-CLI-050") as case:
        for announces_expiry in (True, False):
            with case():
                performance = lab.performs(
                    TASK,
                    signing(Issuer(lifetime=LIFETIME, announces_expiry=announces_expiry)),
                    **arguments,
                )
                how = "announced" if announces_expiry else "not announced"
                performance.meets(
                    _are_signed(performance.result),
                    f"two signatures, after an expiry that was {how}",
                )


def _are_signed(result: Any) -> bool:
    return (
        isinstance(result, list)
        and len(result) == 2
        and all(isinstance(one, str) and "signature-" in one for one in result)
    )
