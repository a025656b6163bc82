"""Checks of the contents of vended credentials: the secret, the expiry and the refresh endpoint. No
value is shown.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lakepact.conformance.checks.iceberg_rest.access.vended_credentials import (
    config_of,
    credentials_of,
)
from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Exchange,
    Kind,
    Members,
    Placed,
    Reply,
    Table,
    check,
    expect,
    invariant,
    op,
)

DELEGATED = (("X-Iceberg-Access-Delegation", "vended-credentials"),)
DAY = 24 * 3600 * 1000  #: milliseconds by which the clock of a server may be behind


@dataclass(frozen=True)
class Storage:
    """The keys of one kind of storage, as Iceberg's clients read them."""

    family: str  #: the first part of its keys
    temporary: re.Pattern[str]  #: a secret that expires; its group, if any, is the account
    expiry: str  #: milliseconds since 1970; `{}` stands for the account
    refresh: str  #: the endpoint that returns new secrets
    opening: tuple[
        re.Pattern[str], ...
    ]  #: keys that open the storage, or say that no secret is needed


STORAGES = (
    Storage(
        "s3",
        re.compile(r"s3\.session-token"),
        "s3.session-token-expires-at-ms",
        "client.refresh-credentials-endpoint",
        (
            re.compile(r"s3\.secret-access-key"),
            re.compile(r"s3\.remote-signing-enabled"),
            re.compile(r"s3\.signer(\..+)?"),
        ),
    ),
    Storage(
        "gcs",
        re.compile(r"gcs\.oauth2\.token"),
        "gcs.oauth2.token-expires-at",
        "gcs.oauth2.refresh-credentials-endpoint",
        (
            re.compile(r"gcs\.oauth2\.token"),
            re.compile(r"gcs\.no-auth"),
            re.compile(r"gcs\.credentials(\..+)?"),
        ),
    ),
    Storage(
        "adls",
        re.compile(r"adls\.sas-token\.(.+)"),
        "adls.sas-token-expires-at-ms.{}",
        "adls.refresh-credentials-endpoint",
        (
            *(
                re.compile(rf"adls\.{key}(\..+)?")
                for key in ("sas-token", "connection-string", "account-key", "token")
            ),
            re.compile(r"adls\.auth\.shared-key\..+"),
        ),
    ),
)


def temporary_secrets(config: Members) -> Iterator[tuple[Storage, str, str]]:
    """Return each temporary secret of a configuration: its storage, its key, and the key of its
    expiry.
    """
    for storage in STORAGES:
        for key in config:
            match = storage.temporary.fullmatch(key)
            if match:
                yield storage, key, storage.expiry.format(*match.groups())


def config_in(reply: Reply) -> Placed:
    """Return the configuration that a table comes with."""
    config = reply.document.get("config")
    return Placed(config if isinstance(config, dict) else {}, reply.place("config"))


def configs_of(reply: Reply) -> list[Placed]:
    """Return the configurations of all credentials in an answer."""
    credentials = credentials_of(reply.document)
    return [
        Placed(config_of(credential), reply.place("storage-credentials", number, "config"))
        for number, credential in enumerate(credentials)
        if isinstance(credential, dict)
    ]


def credentials_in(reply: Reply) -> list[Placed]:
    """Return the configurations of all credentials in an answer; where there are none, that of the
    table, for older clients.
    """
    return [] if reply.status != 200 else configs_of(reply) or [config_in(reply)]


def with_tables(lab: CatalogLab, table: Table) -> dict[str, Reply]:
    """Return the answers to loading and to creating a table with access delegation."""
    name = lab.name()
    lab.drop_afterwards(table.namespace, name)
    return {
        op.load_table: lab.send(op.load_table, headers=DELEGATED, **table.at),
        op.create_table: lab.try_create_table(table.namespace, name, headers=DELEGATED),
    }


def by_themselves(lab: CatalogLab, table: Table) -> dict[str, Reply]:
    """Return the answer to loading the credentials of a table, where the target declares that."""
    return (
        {op.load_credentials: lab.send(op.load_credentials, **table.at)}
        if lab.offers(op.load_credentials)
        else {}
    )


@check("IRC-TBL-CRED-011")
def temporary_secrets_have_an_expiry(lab: CatalogLab) -> None:
    """A credential with a session token, an OAuth token or a SAS token has its expiry under the key
    that clients read.
    """
    table = lab.make_table()
    secrets = [
        (operation, config, secret)
        for operation, reply in {**with_tables(lab, table), **by_themselves(lab, table)}.items()
        for config in credentials_in(reply)
        for secret in temporary_secrets(config)
    ]
    if not secrets:
        lab.skip("IRC-TBL-CRED-011", "the target gives no temporary secrets")
        return

    with lab.judge_each("IRC-TBL-CRED-011") as case:
        for operation, config, (_, key, expiry) in secrets:
            with case():
                value = config.get(expiry)
                milliseconds = (
                    isinstance(value, str)
                    and value.isdecimal()
                    and int(value) > time.time() * 1000 - DAY
                )
                expected = f"{operation} to give `{key}` with `{expiry}` in milliseconds since 1970"
                actual = (
                    f"keys {', '.join(sorted(config))}"
                    if value is None
                    else f"{expiry}: {expect.excerpt(value)}"
                )
                expect.true(milliseconds, expected, actual, at=config.place(expiry))


@check("IRC-TBL-CRED-012")
def temporary_secrets_name_a_refresh_endpoint(lab: CatalogLab) -> None:
    """A table with a temporary secret names the endpoint that refreshes it, in the credential or in
    `config`.
    """
    table = lab.make_table()
    secrets = [
        (operation, Placed({**config_in(reply), **config}, config.place()), secret)
        for operation, reply in with_tables(lab, table).items()
        for config in credentials_in(reply)
        for secret in temporary_secrets(config)
    ]
    if not secrets or not lab.offers(op.load_credentials):
        lab.skip(
            "IRC-TBL-CRED-012",
            "the target gives no temporary secrets, or does not declare loadCredentials",
        )
        return

    with lab.judge_each("IRC-TBL-CRED-012") as case:
        for operation, config, (storage, key, _) in secrets:
            with case():
                endpoint = config.get(storage.refresh)
                expected = (
                    f"{operation} to give `{key}` with the path that refreshes it under"
                    f" `{storage.refresh}`"
                )
                at, actual = config.place(storage.refresh), f"keys {', '.join(sorted(config))}"
                expect.true(
                    isinstance(endpoint, str) and endpoint != "",
                    expected,
                    actual,
                    at=at,
                    kind=Kind.MISSING,
                )


@check("IRC-TBL-CRED-013")
def credentials_hold_a_secret(lab: CatalogLab) -> None:
    """A credential with keys for S3, GCS or ADLS holds a secret for that storage."""
    table = lab.make_table()
    replies = {**with_tables(lab, table), **by_themselves(lab, table)}
    configs = [
        (operation, config, storage)
        for operation, reply in replies.items()
        if reply.status == 200
        for config in configs_of(reply)
        for storage in STORAGES
        if any(key.startswith(f"{storage.family}.") for key in config)
    ]
    if not configs:
        lab.skip("IRC-TBL-CRED-013", "the target gives no credentials for S3, GCS or ADLS")
        return

    with lab.judge_each("IRC-TBL-CRED-013") as case:
        for operation, config, storage in configs:
            with case():
                opens = any(
                    pattern.fullmatch(key) and config[key] not in ("", "false")
                    for pattern in storage.opening
                    for key in config
                )
                expected = f"a secret for {storage.family} in each credential of {operation}"
                actual = f"keys {', '.join(sorted(config))}"
                expect.true(opens, expected, actual, at=config.place(), kind=Kind.MISSING)


@check("IRC-TBL-CRED-014")
def created_tables_have_credentials(lab: CatalogLab) -> None:
    """Creating or staging a table with access delegation, or loading it with snapshots=refs,
    returns credentials, if loading a table does.
    """
    table = lab.make_table()
    replies = with_tables(lab, table)
    if not has_credentials(replies[op.load_table]):
        lab.skip("IRC-TBL-CRED-014", "loaded tables come without credentials")
        return
    created = {"created": replies[op.create_table]}
    if lab.feature("snapshots-refs"):
        created["loaded with `snapshots=refs`"] = lab.send(
            op.load_table, headers=DELEGATED, snapshots="refs", **table.at
        )
    if lab.feature("stage-create"):
        name = lab.name()
        lab.drop_afterwards(table.namespace, name)
        request = lab.table_request(name, stage_create=True)
        created["staged"] = lab.send(
            op.create_table, headers=DELEGATED, namespace=table.namespace, body=request
        )

    with lab.judge_each("IRC-TBL-CRED-014") as case:
        for how, reply in created.items():
            with case():
                lab.require(reply, 200)
                members = ", ".join(sorted(reply.document))
                expected = f"credentials of a table that is {how}, as when it is loaded"
                at = reply.place("storage-credentials")
                expect.true(
                    has_credentials(reply),
                    expected,
                    f"an answer with {members}",
                    at=at,
                    kind=Kind.MISSING,
                )


@check("IRC-TBL-CRED-017")
def secrets_are_in_storage_credentials(lab: CatalogLab) -> None:
    """Each storage secret in `config` is in `storage-credentials` too, where clients look first."""
    replies = with_tables(lab, lab.make_table())
    general = {
        operation: [*secret_keys([config_in(reply)])]
        for operation, reply in replies.items()
        if reply.status == 200
    }
    if not any(general.values()):
        lab.skip("IRC-TBL-CRED-017", "the target puts no secret into the configuration of tables")
        return

    with lab.judge_each("IRC-TBL-CRED-017") as case:
        for operation, keys in general.items():
            with case():
                vended_keys = {*secret_keys(configs_of(replies[operation]))}
                reply = replies[operation]
                lacking = sorted({*keys} - vended_keys)
                expected = f"each secret of {operation} in `config` in `storage-credentials` too"
                expect.true(
                    not lacking,
                    expected,
                    f"not {', '.join(lacking)}",
                    at=reply.place("storage-credentials"),
                    kind=Kind.MISSING,
                )


def secret_keys(configs: Iterable[Members]) -> Iterator[str]:
    """Return the keys of storage secrets."""
    for config in configs:
        yield from (
            key
            for storage in STORAGES
            for key in config
            if any(pattern.fullmatch(key) for pattern in storage.opening)
        )


def has_credentials(reply: Reply) -> bool:
    """Return whether a table comes with credentials, in whichever member."""
    return bool(credentials_of(reply.document)) or any(secret_keys([config_in(reply)]))


TABLES = (
    "access.credential_contents.temporary_secrets_have_an_expiry",
    "access.credential_contents.created_tables_have_credentials",
)
WITH_CREDENTIALS = frozenset(
    {op.load_table, op.create_table, op.register_table, op.load_credentials}
)


def cache_control(exchange: Exchange) -> frozenset[str]:
    """Return the names of the directives in Cache-Control, in lower case."""
    parts = str(exchange.headers.get("cache-control", "")).lower().split(",")
    return frozenset(part.partition("=")[0].strip() for part in parts)


def holds_credentials(exchange: Exchange) -> bool:
    """Return whether an answer holds credentials."""
    return (
        exchange.status == 200
        and isinstance(exchange.json, dict)
        and bool(credentials_of(exchange.json))
    )


@invariant("IRC-TBL-CRED-015", traffic=TABLES)
def credential_responses_are_not_cached_by_others(exchange: Exchange) -> bool:
    """A response with credentials has Cache-Control: no-store or private."""
    if exchange.operation not in WITH_CREDENTIALS or not holds_credentials(exchange):
        return False
    header = exchange.headers.get("cache-control")
    is_private = bool(cache_control(exchange) & {"no-store", "private"})
    at = Reply(exchange).header("cache-control")
    expect.true(
        is_private, "Cache-Control: no-store or private", header or "no Cache-Control", at=at
    )
    return True


@invariant("IRC-TBL-ETAG-014", traffic=TABLES)
def responses_vary_by_access_delegation(exchange: Exchange) -> bool:
    """A loaded table with credentials and an ETag has Cache-Control: no-store or Vary:
    X-Iceberg-Access-Delegation.
    """
    if (
        exchange.operation != op.load_table
        or not holds_credentials(exchange)
        or "etag" not in exchange.headers
    ):
        return False
    vary = str(exchange.headers.get("vary", ""))
    varies = {"*", "x-iceberg-access-delegation"} & {
        name.strip().lower() for name in vary.split(",")
    }
    actual = f"Cache-Control: {exchange.headers.get('cache-control')}, Vary: {vary}"
    at, expected = Reply(exchange).header("vary"), "no-store, or Vary: X-Iceberg-Access-Delegation"
    expect.true(bool(varies) or "no-store" in cache_control(exchange), expected, actual, at=at)
    return True
