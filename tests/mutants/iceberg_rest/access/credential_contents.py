"""Servers whose credentials lack what their clients need, or outlive their time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Install,
    fault,
    on_answer,
    on_call,
    on_reply,
    on_request,
    wrap_rule,
)
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import bad_request
from mutants.iceberg_rest.operators.credentials import each_config
from mutants.iceberg_rest.operators.requests import header

ENDS = "s3.session-token-expires-at-ms"
REFRESH = "client.refresh-credentials-endpoint"
DELEGATION = "X-Iceberg-Access-Delegation"
ENVELOPE = "storage-credentials"
TABLES = (op.create_table, op.load_table)
LOADS = (*TABLES, op.load_credentials)

Config = dict[str, str]


def _without(config: Config, *keys: str) -> Config:
    return {key: value for key, value in config.items() if key not in keys}


@fault("IRC-TBL-CRED-012")
def credentials_without_refresh_endpoint() -> Install:
    def forget(document: Document) -> None:
        for config in (
            document.get("config"),
            *(one["config"] for one in document.get(ENVELOPE) or ()),
        ):
            if config:
                config.pop(REFRESH, None)

    return on_answer(TABLES, forget)


@fault("IRC-TBL-CRED-013", by=each_config)
def credentials_of_region_and_endpoint(config: Config) -> Config:
    return {"s3.region": "eu-central-1", "s3.endpoint": "http://127.0.0.1:9"} | (
        {} if not config else {"s3.path-style-access": "true"}
    )


def _forget_credentials(when: Callable[[Arguments], bool]) -> Install:
    """Create and load tables without the access that is asked for, for the requests that
    `when(arguments)` picks.
    """

    def act(handler: Handler, arguments: Arguments) -> Reply:
        if when(arguments):
            arguments = {**arguments, "x_iceberg_access_delegation": ()}
        return handler(**arguments)

    return on_call(TABLES, act)


def _headers(
    change: Callable[[tuple[tuple[bytes, bytes], ...]], tuple[tuple[bytes, bytes], ...]],
) -> Install:
    def changed(reply: Reply, _: Scope) -> Reply:
        return (
            replace(reply, headers=change(reply.headers))
            if ENVELOPE.encode() in reply.body
            else reply
        )

    return on_reply(LOADS, changed)


def _cached(value: bytes) -> Install:
    return _headers(
        lambda headers: (
            *((n, v) for n, v in headers if n != b"cache-control"),
            (b"cache-control", value),
        )
    )


@fault("IRC-TBL-CRED-017", by=partial(on_answer, TABLES))
def secrets_in_config_alone(document: Document) -> None:
    document.pop(ENVELOPE, None)


def _not_modified(usual: bool) -> Install:  # noqa: FBT001 - whether the tag is that of the table with its credentials
    """Answer 304 to loads with credentials too, when their ETag is current."""

    def change(reply: Reply, scope: Scope) -> Reply:
        sent = header(scope, "If-None-Match") or ""
        tag = dict(reply.headers).get(b"etag", b"").decode()
        known = {tag} if usual else {tag.removeprefix("W/").replace('-vended-credentials"', '"')}
        return (
            Reply(304, headers=((b"etag", tag.encode()),))
            if reply.status == 200 and sent in known - {""}
            else reply
        )

    return on_reply(op.load_table, change)


@fault("IRC-TBL-ETAG-013")
def expired_credentials_are_returned_again() -> Install:
    def wrapped(usual: Callable[..., Sequence[Document]]) -> Callable[..., Sequence[Document]]:
        first: dict[str, Sequence[Document]] = {}

        def credentials(access: object, location: str, **named: Any) -> Sequence[Document]:
            return first.setdefault(location, usual(access, location, **named))

        return credentials

    def install(service: Service) -> None:
        wrap_rule("storage_credentials", wrapped)(service)

    return install


def _wants_vending(scope: Scope) -> None:
    if header(scope, DELEGATION) == "remote-signing":
        raise bad_request("Unsupported access delegation mode: remote-signing")


FAULTS = {
    "credentials-without-expiry IRC-TBL-CRED-011": each_config(
        lambda config: _without(config, ENDS)
    ),
    "credentials-expire-under-another-key IRC-TBL-CRED-011": each_config(
        lambda config: {**_without(config, ENDS), "s3.session-token-expires-at": config[ENDS]}
    ),
    "credentials-expire-in-seconds IRC-TBL-CRED-011": each_config(
        lambda config: {**config, ENDS: config[ENDS][:-3]}
    ),
    "azure-credentials-without-account IRC-TBL-CRED-011": each_config(
        lambda config: {
            "adls.sas-token.lake.dfs.core.windows.net": "sv=1",
            "adls.sas-token-expires-at-ms": config[ENDS],
        }
    ),
    "credentials-with-an-empty-secret IRC-TBL-CRED-013": each_config(
        lambda config: {**config, "s3.secret-access-key": ""}
    ),
    "stages-without-credentials IRC-TBL-CRED-014": _forget_credentials(
        lambda arguments: bool(arguments.get("body", {}).get("stage-create"))
    ),
    "created-tables-without-credentials IRC-TBL-CRED-014": _forget_credentials(
        lambda arguments: "body" in arguments and not arguments["body"].get("stage-create")
    ),
    "refs-without-credentials IRC-TBL-CRED-014": _forget_credentials(
        lambda arguments: arguments.get("snapshots") == "refs"
    ),
    "credentials-may-be-shared IRC-TBL-CRED-015": _cached(b"public, max-age=60"),
    "credentials-say-nothing-of-caches IRC-TBL-CRED-015": _headers(
        lambda headers: tuple((n, v) for n, v in headers if n != b"cache-control")
    ),
    "delegated-answers-do-not-vary IRC-TBL-ETAG-014 @/headers/vary": _cached(
        b"private, max-age=60"
    ),
    "tags-stand-for-credentials IRC-TBL-ETAG-012": _not_modified(usual=False),
    "tags-outlive-credentials IRC-TBL-ETAG-013": _not_modified(usual=True),
    "loading-wants-vended-credentials IRC-TBL-LOAD-019": on_request(op.load_table, _wants_vending),
    "creating-wants-vended-credentials IRC-TBL-CREATE-032": on_request(
        op.create_table, _wants_vending
    ),
}
