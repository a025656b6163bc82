"""Vended credentials must open their own table and no other table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote

import pytest

from faulty import unnamed
from faulty_servers import checked
from lakepact.conformance.checks.iceberg_rest.access.vended_credentials_used import Access, try_read
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.running.runner import Run
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server import running
from lakepact.reference_server.faults import on_call
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Handler
from miniatures import miniature

WANTED = "IRC-TBL-LOAD-015"
ALIKE = "IRC-TBL-CRED-016"
OWN = "AKIDOFTHESERVER"
FILE = """
[warehouses.lake]
location = "s3://bucket/lake"
[warehouses.lake.credentials]
sts = "{url}"
access-key-id-env = "LAKE_ID"
secret-access-key-env = "LAKE_SECRET"
config = {{ "s3.endpoint" = "{url}" }}
"""
GIVEN = """<R><AccessKeyId>{id}</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken>
<Expiration>2999-01-01T00:00:00Z</Expiration></R>"""


class Store:
    """A token service with keys limited by their policy, and a bucket that enforces the policy."""

    def __init__(self) -> None:
        self.opens: dict[str, str] = {OWN: "/"}
        self.scope_of: Callable[[str], str] = lambda prefix: prefix
        self.headers: dict[str, str] = {}
        self.is_lost = False
        self.is_open = False

    def listen(self, headers: dict[str, str]) -> None:
        self.headers = headers

    def __call__(self, method: str, target: str, body: bytes) -> Any:
        authorization = self.headers.get("authorization", "")
        key = (
            authorization.removeprefix("Bearer ")
            if authorization.startswith("Bearer")
            else _signer(authorization)
        )
        if method == "POST":
            (resource,) = json.loads(parse_qs(body.decode())["Policy"][0])["Statement"][0][
                "Resource"
            ]
            key_id = f"ASIA{len(self.opens)}"
            self.opens[key_id] = self.scope_of(f"/{resource.partition(':::')[2].removesuffix('*')}")
            return 200, {"Content-Type": "text/xml"}, GIVEN.format(id=key_id).encode()
        if self.is_lost and method in {"HEAD", "GET"}:
            return 404, {}, b""
        path, pattern = unquote(target), _matching(self.opens.get(key, "nowhere"))
        is_open = self.is_open or re.match(pattern, path) is not None
        return (200 if is_open else 403), {"ETag": '"0"'}, b""


def _matching(pattern: str) -> str:
    """Return the regular expression of a policy's pattern, in which `${*}` is a star."""
    signs = re.split(r"(\$\{.\}|[*?])", pattern)
    special = {"*": ".*", "?": "."}
    return "".join(special.get(s) or re.escape(s[2] if s[:2] == "${" else s) for s in signs)


def _signer(authorization: str) -> str:
    return authorization.partition("Credential=")[2].partition("/")[0]


def as_google(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Answer as if the tables were in Google's storage, which takes the id of the key as a
    token.
    """
    body = arguments.get("body")
    if body and "location" in body:
        arguments = {
            **arguments,
            "body": {**body, "location": body["location"].replace("gs://", "s3://")},
        }
    document = json.loads(handler(**arguments).body.replace(b"s3://", b"gs://"))
    for config in (
        document.get("config"),
        *(one["config"] for one in document.get("storage-credentials", ())),
    ):
        if config:
            keys = dict(config)
            config.clear()
            config |= {
                "gcs.oauth2.token": keys["s3.access-key-id"],
                "gcs.service.host": keys["s3.endpoint"],
            }
    return json_reply(document)


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture(params=["S3", pytest.param("GCS", marks=pytest.mark.nightly)])
def check(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Callable[[], Run]]:
    monkeypatch.setenv("LAKE_ID", OWN)
    monkeypatch.setenv("LAKE_SECRET", "secret-of-the-server")
    with miniature(store) as url:
        file = tmp_path / "server.toml"
        file.write_text(FILE.format(url=url))
        faults = (
            [unnamed(on_call((op.create_table, op.load_table), as_google))]
            if request.param == "GCS"
            else []
        )
        with running(contract="iceberg_rest", config=file, faults=faults) as server:
            yield lambda: checked(server.url, WANTED, ALIKE)


def test_keys_for_one_table_pass(check: Callable[[], Run]) -> None:
    results = check().results()

    assert {results[requirement].outcome for requirement in (WANTED, ALIKE)} == {Outcome.PASS}


@pytest.mark.parametrize(
    "scope_of",
    [lambda prefix: prefix.rstrip("/"), lambda prefix: re.sub(r"\$\{(.)\}", r"\1", prefix)],
    ids=["begin alike", "fit a pattern"],
)
def test_keys_for_locations_that_are_alike_are_a_warning(
    check: Callable[[], Run], store: Store, scope_of: Callable[[str], str]
) -> None:
    store.scope_of = scope_of

    results = check().results()

    assert results[WANTED].outcome is Outcome.PASS
    assert results[ALIKE].outcome is Outcome.WARN


@pytest.mark.parametrize(
    "scope_of",
    [lambda _: "/bucket/", lambda prefix: prefix.rsplit("/", 2)[0], lambda _: "/nowhere/"],
)
def test_keys_with_a_wrong_scope_are_a_warning(
    check: Callable[[], Run], store: Store, scope_of: Callable[[str], str]
) -> None:
    store.scope_of = scope_of

    run = check()

    assert run.results()[WANTED].outcome is Outcome.WARN
    assert not any("secret" in f"{verdict}" for verdict in run.verdicts)


def test_storage_that_opens_to_invented_keys_is_not_offered(
    check: Callable[[], Run], store: Store
) -> None:
    store.is_open = True

    results = check().results()

    assert {results[requirement].outcome for requirement in (WANTED, ALIKE)} == {
        Outcome.NOT_OFFERED
    }


def test_storage_without_the_files_is_not_offered(check: Callable[[], Run], store: Store) -> None:
    store.is_lost = True

    results = check().results()

    assert {results[requirement].outcome for requirement in (WANTED, ALIKE)} == {
        Outcome.NOT_OFFERED
    }


@pytest.mark.parametrize(
    ("folder", "expected"),
    [("own", Access.OPENED), ("other", Access.DENIED), ("gone", Access.UNKNOWN)],
)
def test_sas_token_of_the_account_is_tried(folder: str, expected: Access) -> None:
    def container(_: str, target: str, __: bytes) -> Any:
        path, _, token = target.partition("?")
        status = (
            404
            if "gone" in path
            else 200
            if path.startswith("/lake/own/") and token == "sv=1&sig=x"
            else 403
        )
        return status, {}, b""

    with miniature(container) as url:
        host = url.removeprefix("http://")
        location = f"abfs://lake@{host}/{folder}/file.json"

        assert try_read(location, {f"adls.sas-token.{host}": "?sv=1&sig=x"}) is expected
