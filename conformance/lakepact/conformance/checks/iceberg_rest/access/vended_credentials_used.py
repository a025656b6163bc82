"""Checks that try the credentials that tables come with: files are read with them, and none is
written.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from importlib.util import find_spec
from urllib.parse import SplitResult, quote, urlsplit

import httpx

from lakepact.conformance.checks.iceberg_rest.access.vended_credentials import (
    begins,
    config_of,
    credentials_of,
    objects,
)
from lakepact.conformance.checks.iceberg_rest.api import (
    Blocked,
    CatalogLab,
    Document,
    Kind,
    Namespace,
    Reply,
    Table,
    check,
    expect,
    op,
)
from lakepact.conformance.evidence.redaction import INVENTED
from lakepact.conformance.http.files import Files
from lakepact.extras import install

KEYS = ("s3.access-key-id", "s3.secret-access-key")
TOKEN, HOST = "gcs.oauth2.token", "gcs.service.host"
GOOGLE = "https://storage.googleapis.com"
SAS = "adls.sas-token."
SECONDS = 10  #: for which a storage is waited for

S3, GCS, ADLS = ("s3", "s3a", "s3n"), ("gs",), ("abfs", "abfss", "wasb", "wasbs")


class Access(Enum):
    """The result of reading a file."""

    OPENED = "opened"
    DENIED = "denied"
    UNKNOWN = "unknown"  #: it cannot be reached from here, or is not there


def keys_for(reply: Reply, location: str) -> Mapping[str, str] | None:
    """Return the storage settings of a location: of the credential with the longest matching
    prefix, or of the table's config.
    """
    fitting = [
        one
        for one in objects(credentials_of(reply.document))
        if begins(location, str(one.get("prefix")))
    ]
    best = max(fitting, key=lambda one: len(str(one.get("prefix"))), default=None)
    config = reply.document.get("config")
    general = config if isinstance(config, dict) else {}
    settings = {**general, **config_of(best)} if best else general
    usable = {key: value for key, value in settings.items() if isinstance(value, str)}
    return usable if _opens(urlsplit(location), usable) else None


def _opens(location: SplitResult, settings: Mapping[str, str]) -> bool:
    """Return whether settings hold the secret of a location."""
    if location.scheme in S3:
        return all(settings.get(key) for key in KEYS)
    return bool(settings.get(TOKEN) if location.scheme in GCS else _sas_token(location, settings))


def _sas_token(location: SplitResult, settings: Mapping[str, str]) -> str | None:
    """Return the SAS token of the account of a location, whose key ends with the name of the
    account or of its host.
    """
    host = location.netloc.rpartition("@")[2]
    return next(
        (
            settings[key]
            for key in (f"{SAS}{host}", f"{SAS}{host.partition('.')[0]}")
            if settings.get(key)
        ),
        None,
    )


def try_read(location: str, settings: Mapping[str, str]) -> Access:
    """Return the result of reading a file of a bucket or container with some settings."""
    place = urlsplit(location)
    if place.scheme in S3:
        return _read_from_s3(location, settings)
    if place.scheme in GCS:
        return _read_over_http(
            f"{settings.get(HOST, GOOGLE).rstrip('/')}/{place.netloc}{quote(place.path)}",
            bearer=settings[TOKEN],
        )
    container, _, host = place.netloc.rpartition("@")
    scheme = "http" if ":" in host else "https"  # emulators have a port, accounts have none
    return _read_over_http(
        f"{scheme}://{host}/{container}{quote(place.path)}?{(_sas_token(place, settings) or '').lstrip('?')}"
    )


def _read_over_http(url: str, *, bearer: str = "") -> Access:
    """Return the result of fetching a file over HTTP. Nothing of the address or the token is
    repeated.
    """
    headers = {"Range": "bytes=0-0", **({"Authorization": f"Bearer {bearer}"} if bearer else {})}
    try:
        with Files(timeout=SECONDS) as files:
            reply = files.read(url, headers=headers)
    except (httpx.HTTPError, httpx.InvalidURL):
        return Access.UNKNOWN
    if reply.is_success:
        return Access.OPENED
    return Access.DENIED if reply.status_code in {401, 403} else Access.UNKNOWN


def _read_from_s3(location: str, settings: Mapping[str, str]) -> Access:
    from pyarrow import fs  # noqa: PLC0415 - few targets give credentials

    options: Document = {
        "request_timeout": SECONDS,
        "connect_timeout": SECONDS,
        "retry_strategy": fs.AwsStandardS3RetryStrategy(2),
    }
    options |= {
        "access_key": settings[KEYS[0]],
        "secret_key": settings[KEYS[1]],
        "session_token": settings.get("s3.session-token"),
    }
    options |= {"region": settings.get("client.region") or settings.get("s3.region") or "us-east-1"}
    endpoint = urlsplit(settings.get("s3.endpoint", ""))
    if endpoint.netloc:
        options |= {"endpoint_override": endpoint.netloc, "scheme": endpoint.scheme}
        options |= {
            "force_virtual_addressing": settings.get("s3.path-style-access", "true").lower()
            != "true"
        }
    try:
        with fs.S3FileSystem(**options).open_input_file(location.partition("://")[2]) as file:
            file.read(1)
    except FileNotFoundError:
        return Access.UNKNOWN
    except OSError as error:
        # The words of the library may hold names of keys: nothing of them is repeated.
        return Access.DENIED if "ACCESS_DENIED" in str(error) else Access.UNKNOWN
    return Access.OPENED


@check("IRC-TBL-LOAD-015")
def credentials_read_only_their_table(lab: CatalogLab) -> None:
    """Credentials that read the metadata file of one table do not read that of its neighbour."""
    namespace = lab.make_namespace()
    _judge_neighbours(lab, "IRC-TBL-LOAD-015", lab.make_table(namespace), lab.make_table(namespace))


@check("IRC-TBL-CRED-016")
def credentials_do_not_match_like_locations(lab: CatalogLab) -> None:
    """Credentials of a table do not read one whose location begins with the same characters, or
    fits theirs as a pattern, as …/t* and …/t? fit …/t2.
    """
    namespace = lab.make_namespace()
    table = lab.make_table(namespace)
    location = table.location.rstrip("/")
    beside = _created(lab, namespace, lab.name(), location=f"{location}2")
    if beside is None or beside.location.rstrip("/") != f"{location}2":
        why = "the target does not put a table at a requested location beside another"
        lab.skip("IRC-TBL-CRED-016", why)
    else:
        _judge_neighbours(lab, "IRC-TBL-CRED-016", table, beside)
    for sign in lab.each("*?"):
        names = f"{table.name[:-1]}{sign}", f"{location[:-1]}{sign}"
        if (pattern := _created(lab, namespace, names[0], location=names[1])) is not None:
            _judge_neighbours(lab, "IRC-TBL-CRED-016", pattern, table)


def _created(lab: CatalogLab, namespace: Namespace, name: str, *, location: str) -> Table | None:
    """Return a new table; none where the target refuses it."""
    lab.drop_afterwards(namespace, name)
    body = lab.table_request(name, location=location)
    reply = lab.send(op.create_table, namespace=namespace, body=body)
    return Table(namespace, name, reply) if reply.status == 200 else None


def _judge_neighbours(lab: CatalogLab, requirement: str, table: Table, neighbour: Table) -> None:
    """Judge that the credentials of a table open its metadata file, and not that of another."""
    reply = lab.require(
        lab.send(
            op.load_table,
            headers=[("X-Iceberg-Access-Delegation", "vended-credentials")],
            **table.at,
        ),
        200,
    )
    settings = keys_for(reply, table.location)
    own_file = file_of(table)
    other_file = file_of(neighbour)
    if settings is None or own_file is None or other_file is None:
        lab.skip(
            requirement,
            "the table comes without keys to a bucket, or its metadata file lies elsewhere",
        )
        return
    if find_spec("pyarrow") is None:
        raise Blocked(f"reading files with vended credentials needs pyarrow: {install('arrow')}")
    if try_read(other_file, with_invalid_secrets(settings)) is Access.OPENED:
        lab.skip(
            requirement, "the storage of the tables opens its files with invented credentials too"
        )
        return
    own_access = try_read(own_file, settings)
    other_access = try_read(other_file, settings)
    if Access.UNKNOWN in {own_access, other_access}:
        lab.skip(
            requirement,
            "the storage of the tables cannot be reached from here, or does not have their metadata"
            " files",
        )
        return

    with lab.judge(requirement):
        at = reply.place("storage-credentials" if credentials_of(reply.document) else "config")
        expect.true(
            own_access is Access.OPENED,
            f"credentials that open {own_file}",
            "they are refused",
            at=at,
        )
        expected = f"credentials that do not open {other_file}, which is of another table"
        expect.true(
            other_access is Access.DENIED, expected, "they open it", at=at, kind=Kind.SURPLUS
        )


def with_invalid_secrets(settings: Mapping[str, str]) -> dict[str, str]:
    """Return settings with invented secrets."""
    return {
        key: f"sv=1&sig={INVENTED}"
        if key.startswith(SAS)
        else INVENTED
        if key in {*KEYS, TOKEN}
        else value
        for key, value in settings.items()
        if key != "s3.session-token"
    }


def file_of(table: Table) -> str | None:
    """Return the metadata file of a table, if it lies in a bucket, and below the table's
    location.
    """
    file = table.metadata_location
    return (
        file
        if file is not None
        and urlsplit(file).scheme in {*S3, *GCS, *ADLS}
        and begins(file, f"{table.location}/")
        else None
    )
