"""Faults of signed requests to the storage of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server import faults
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.iceberg_rest.identifiers import bad_request
from lakepact.reference_server.warehouse.local import Warehouse
from lakepact.reference_server.warehouse.storage_requests import Bucket, StorageRequest, Unsigned
from mutants.iceberg_rest.access.rights import admitting, letting, without_asking

SIGN = op.sign_request
COPIES = "x-amz-copy-source"
#: A value for each required member that is left out.
LEFT_OUT: Mapping[str, Any] = {
    "region": "eu-central-1",
    "uri": "https://lakepact.s3.eu-central-1.amazonaws.com/",
    "method": "GET",
    "headers": {},
}


def reading(
    act: Callable[[Callable[..., StorageRequest], dict[str, Any], Bucket], StorageRequest],
) -> faults.Install:
    """Let `act(reads, request, bucket)` say which objects a request is about."""

    def wrapper(reads: Callable[..., StorageRequest]) -> Callable[..., StorageRequest]:
        return lambda request, bucket: act(reads, request, bucket)

    return faults.wrap_rule("storage_request", wrapper)


def signing_anyway(is_meant: Callable[[dict[str, Any]], bool]) -> faults.Install:
    """Sign the requests that `is_meant` selects, whatever objects they are about."""

    def act(
        reads: Callable[..., StorageRequest], request: dict[str, Any], bucket: Bucket
    ) -> StorageRequest:
        if not is_meant(request):
            return reads(request, bucket)
        try:
            return replace(reads(request, bucket), locations=())
        except Unsigned:
            return StorageRequest((), {}, "UNSIGNED-PAYLOAD")

    return reading(act)


def refusing(is_meant: Callable[[dict[str, Any]], bool]) -> faults.Install:
    """Sign none of the requests that `is_meant` selects."""

    def act(
        reads: Callable[..., StorageRequest], request: dict[str, Any], bucket: Bucket
    ) -> StorageRequest:
        if is_meant(request):
            raise Unsigned("such requests are not signed")
        return reads(request, bucket)

    return reading(act)


def path(request: Mapping[str, Any]) -> str:
    """Return the path of the URI of a request, as it is spelled."""
    return urlsplit(str(request["uri"])).path


def query(request: Mapping[str, Any]) -> str:
    """Return the query of the URI of a request."""
    return urlsplit(str(request["uri"])).query


@faults.fault("IRC-SIGN-002", "IRC-SIGN-007", by=partial(faults.replace_rule, "is_below"))
def signs_for_locations_that_begin_alike(
    warehouse: Warehouse, location: str, folders: Iterable[str]
) -> bool:
    return any(
        place.startswith(warehouse.places(folder)[0])
        for folder in folders
        for place in warehouse.places(location)
    )


@faults.fault("IRC-SIGN-002")
def signs_for_other_buckets() -> faults.Install:
    def act(
        reads: Callable[..., StorageRequest], request: dict[str, Any], bucket: Bucket
    ) -> StorageRequest:
        own = f"https://{bucket.name}.s3.{bucket.region}.amazonaws.com{path(request)}?{query(request)}"
        return reads({**request, "uri": own, "headers": {}}, bucket)

    return reading(act)


@faults.fault("IRC-SIGN-002")
def signs_listings_of_prefixes_without_a_slash() -> faults.Install:
    def act(
        reads: Callable[..., StorageRequest], request: dict[str, Any], bucket: Bucket
    ) -> StorageRequest:
        wanted = reads(request, bucket)
        return replace(
            wanted, locations=tuple(location.rstrip("*") for location in wanted.locations)
        )

    return reading(act)


@faults.fault("IRC-SIGN-002")
def signs_copies_of_any_object() -> faults.Install:
    def act(
        reads: Callable[..., StorageRequest], request: dict[str, Any], bucket: Bucket
    ) -> StorageRequest:
        headers = {name: values for name, values in request["headers"].items() if name != COPIES}
        return reads({**request, "headers": headers}, bucket)

    return reading(act)


@faults.fault("IRC-SIGN-001", by=partial(faults.on_answer, SIGN))
def signed_requests_have_no_uri(document: dict[str, Any]) -> None:
    del document["uri"]


def _taking_without(member: str) -> faults.Install:
    def act(handler: Handler, arguments: Arguments) -> Reply:
        body = (
            arguments["body"]
            if member in arguments["body"]
            else {**arguments["body"], member: LEFT_OUT[member]}
        )
        if not LEFT_OUT.keys() <= body.keys():
            raise bad_request("a member is missing")
        return handler(**{**arguments, "body": body})

    return faults.all_of(faults.skip_validation(SIGN), faults.on_call(SIGN, act))


def _without_asking_for(*methods: str) -> faults.Install:
    def act(asks: Handler, handler: Handler, arguments: Arguments) -> Reply:
        return (
            without_asking(asks, handler, arguments)
            if arguments["body"]["method"] in methods
            else asks(**arguments)
        )

    return admitting((SIGN,), act)


@faults.fault("IRC-SIGN-007")
def first_object_of_a_deletion_decides() -> faults.Install:
    def act(
        reads: Callable[..., StorageRequest], request: dict[str, Any], bucket: Bucket
    ) -> StorageRequest:
        wanted = reads(request, bucket)
        return replace(wanted, locations=wanted.locations[:1])

    return reading(act)


def on_signer_config(change: Callable[[dict[str, str]], dict[str, str]]) -> faults.Install:
    """Change the settings of the signer that a table comes with."""
    return faults.wrap_rule(
        "signer_config", lambda make: lambda access, path: change(make(access, path))
    )


def sign_as(change: Callable[[StorageRequest, str], tuple[StorageRequest, str]]) -> faults.Install:
    """Sign a request as `change(request, region)` says."""

    def wrapper(sign: Callable[..., Mapping[str, str]]) -> Callable[..., Mapping[str, str]]:
        def signed(
            request: dict[str, Any], wanted: StorageRequest, *, keys: Any, region: str
        ) -> Mapping[str, str]:
            other, where = change(wanted, region)
            return sign(request, other, keys=keys, region=where)

        return signed

    return faults.wrap_rule("signature", wrapper)


@faults.fault("IRC-SIGN-009", by=partial(faults.on_answer, SIGN))
def signed_requests_lack_the_signature(document: dict[str, Any]) -> None:
    document["headers"] = {
        name: values
        for name, values in document["headers"].items()
        if name.lower() != "authorization"
    }


FAULTS = {
    "signs-for-the-whole-bucket IRC-SIGN-002 IRC-SIGN-007": faults.replace_rule(
        "is_below", lambda *_: True
    ),
    "signs-paths-with-dot-segments IRC-SIGN-002": signing_anyway(
        lambda request: "/../" in path(request)
    ),
    "signs-encoded-dot-segments IRC-SIGN-002": signing_anyway(
        lambda request: "/../" in unquote(path(request)) and "/../" not in path(request)
    ),
    "signs-encoded-slashes IRC-SIGN-002": signing_anyway(
        lambda request: "%2E%2E%2F" in path(request)
    ),
    "signs-writes-of-any-object IRC-SIGN-002": signing_anyway(
        lambda request: request["method"] not in {"GET", "HEAD"} and len(path(request)) > 1
    ),
    "signs-heads-of-any-object IRC-SIGN-002": signing_anyway(
        lambda request: request["method"] == "HEAD"
    ),
    "signs-listings-of-the-bucket IRC-SIGN-002": signing_anyway(
        lambda request: "prefix=" in query(request)
    ),
    "signs-changes-of-the-bucket IRC-SIGN-002": signing_anyway(
        lambda request: path(request) in {"", "/"} and request["method"] != "GET"
    ),
    "signs-no-writes IRC-SIGN-001": refusing(lambda request: request["method"] == "PUT"),
    "signs-no-heads IRC-SIGN-001": refusing(lambda request: request["method"] == "HEAD"),
    "signs-no-encoded-paths IRC-SIGN-001": refusing(lambda request: "%" in path(request)),
    "signed-headers-are-strings IRC-SIGN-001": faults.on_answer(
        SIGN,
        lambda document: document.update(
            headers={name: ", ".join(values) for name, values in document["headers"].items()}
        ),
    ),
    "wants-the-provider IRC-SIGN-005": refusing(lambda request: "provider" not in request),
    "missing-tables-of-signatures-are-forbidden IRC-SIGN-004": faults.on_status(SIGN, {404: 403}),
    "readers-get-writes-signed IRC-SIGN-006": letting(SIGN),
    "readers-get-deletions-signed IRC-SIGN-006": _without_asking_for("DELETE"),
    "readers-get-uploads-signed IRC-SIGN-006": _without_asking_for("POST"),
    "bodies-of-deletions-are-not-looked-at IRC-SIGN-007": signing_anyway(
        lambda request: "delete" in query(request)
    ),
    "signer-has-no-endpoint IRC-SIGN-008": on_signer_config(
        lambda config: {
            name: value for name, value in config.items() if not name.endswith("signer.endpoint")
        }
    ),
    "signer-is-elsewhere IRC-SIGN-008": on_signer_config(
        lambda config: (
            config | {"signer.endpoint": "v1/aws/s3/sign", "s3.signer.endpoint": "v1/aws/s3/sign"}
        )
    ),
    "signer-is-named-without-the-version IRC-SIGN-008": on_signer_config(
        lambda config: config | {"signer.endpoint": config["signer.endpoint"].removeprefix("v1/")}
    ),
    "headers-are-not-signed IRC-SIGN-009": sign_as(
        lambda wanted, region: (replace(wanted, headers={}), region)
    ),
    "signatures-are-for-one-region IRC-SIGN-009": sign_as(lambda wanted, _: (wanted, "us-east-1")),
    **{f"signs-without-{member} IRC-SIGN-003": _taking_without(member) for member in LEFT_OUT},
}
