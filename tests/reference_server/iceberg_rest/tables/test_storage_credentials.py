"""Vended credentials of tables: their callers, scope and lifetime; no secret is sent elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.tables.credentials import Credentials, Rules
from lakepact.reference_server.iceberg_rest.tables.storage_credentials import (
    StorageAccess,
    read_storage_access,
)
from lakepact.reference_server.server_file import WarehouseEntry
from lakepact.reference_server.settings import BadSetting
from lakepact.reference_server.warehouse.vended_credentials.remembered import Remembered
from lakepact.reference_server.warehouse.vended_credentials.signing import Keys
from lakepact.reference_server.warehouse.vended_credentials.token_services import (
    NoKeys,
    TemporaryKeys,
)
from miniatures import miniature
from raw_requests import Sender, serving
from sample_tables.schemas import SCHEMA

SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
VENDED = {"x_iceberg_access_delegation": "vended-credentials"}
TABLES = "/v1/namespaces/n/tables"
GIVEN = """<AssumeRoleResponse><AssumeRoleResult><Credentials>
  <AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>very/secret+1</SecretAccessKey>
  <SessionToken>token&amp;/==</SessionToken><Expiration>2999-01-02T03:04:05.678Z</Expiration>
</Credentials></AssumeRoleResult></AssumeRoleResponse>"""
REHEARSAL = 'rehearsal = true\nconfig = { "s3.endpoint" = "http://store" }'


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Sender]]:
    """Yield a function that starts a server with credentials of the file, and a namespace."""
    with ExitStack() as stack:

        def serve(credentials: str, **settings: Any) -> Sender:
            file = tmp_path / "server.toml"
            file.write_text(f"[warehouses.lake]\n[warehouses.lake.credentials]\n{credentials}\n")
            usual = {"contract": "iceberg_rest", "warehouse": "memory:", "config": file}
            send = stack.enter_context(serving(**{**usual, **settings}))
            send("POST", "/v1/namespaces", {"namespace": ["n"]})
            return send

        yield serve


@pytest.fixture
def send(serve: Callable[..., Sender]) -> Sender:
    """Return a sender to a server with rehearsal keys."""
    return serve(REHEARSAL)


def create(send: Sender, name: str = "t", headers: dict[str, str] = VENDED, **more: Any) -> Any:
    return send("POST", TABLES, {"name": name, "schema": SCHEMA, **more}, **headers)


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"x_iceberg_access_delegation": "remote-signing"},
        {"x_iceberg_access_delegation": "telepathy"},
    ],
)
def test_answer_without_request_has_no_credentials(send: Sender, header: dict[str, str]) -> None:
    for answer in (create(send, headers=header), send("GET", f"{TABLES}/t", **header)):
        assert sorted(answer.document) == ["metadata", "metadata-location"]
        assert "cache-control" not in answer.headers


@pytest.mark.parametrize(
    "ways",
    ["vended-credentials", "remote-signing,vended-credentials", " vended-credentials , telepathy"],
)
@pytest.mark.parametrize("query", ["", "?snapshots=refs", "?snapshots=all"])
def test_a_list_of_ways_is_read_whatever_else_is_in_it(send: Sender, ways: str, query: str) -> None:
    create(send)
    answer = send("GET", f"{TABLES}/t{query}", x_iceberg_access_delegation=ways)

    assert len(answer.document["storage-credentials"]) == 1
    assert answer.headers["cache-control"] == "no-store"


def test_etag_with_credentials_is_weak_stable_and_distinct(send: Sender) -> None:
    created = create(send).headers["etag"]
    plain, loaded = (
        send("GET", f"{TABLES}/t", **header).headers["etag"] for header in ({}, VENDED)
    )

    assert created == loaded
    assert loaded.startswith('W/"')
    assert plain not in loaded


def test_known_etag_with_requested_credentials_returns_200(send: Sender) -> None:
    create(send)
    for held in [send("GET", f"{TABLES}/t", **header).headers["etag"] for header in ({}, VENDED)]:
        answer = send("GET", f"{TABLES}/t", **VENDED, if_none_match=f"{held}, *")
        assert (answer.status, len(answer.document["storage-credentials"])) == (200, 1)


def test_a_tag_that_came_with_credentials_is_not_that_of_the_table_alone(
    send: Sender,
) -> None:
    held = create(send).headers["etag"]

    assert send("GET", f"{TABLES}/t", if_none_match=held).status == 200


def test_credentials_of_a_warehouse_without_credentials_are_empty(
    serve: Callable[..., Sender],
) -> None:
    send = serve("")
    create(send)

    assert send("GET", f"{TABLES}/t/credentials").document == {"storage-credentials": []}
    assert "storage-credentials" not in send("GET", f"{TABLES}/t", **VENDED).document


def test_settings_of_the_file_are_handed_out_as_they_are(
    serve: Callable[..., Sender], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAKE_SECRET", SECRET)
    send = serve(
        'config = { "s3.access-key-id" = "AKID" }\nconfig-env = { "s3.secret-access-key" = "LAKE_SECRET" }'
    )
    create(send)

    (credential,) = send("GET", f"{TABLES}/t/credentials").document["storage-credentials"]
    assert credential["config"] == {"s3.access-key-id": "AKID", "s3.secret-access-key": SECRET}


def test_keys_to_a_location_that_tables_share_are_not_given(send: Sender) -> None:
    location = create(send).document["metadata-location"]
    send("POST", "/v1/namespaces/n/register", {"name": "twin", "metadata-location": location})

    refused = send("GET", f"{TABLES}/t/credentials")
    assert refused.error == (403, "ForbiddenException")
    assert "storage-credentials" not in send("GET", f"{TABLES}/twin", **VENDED).document
    send("DELETE", f"{TABLES}/twin")
    assert send("GET", f"{TABLES}/t/credentials").status == 200


def test_keys_to_a_are_given_beside_ab(send: Sender) -> None:
    parent = create(send).document["metadata"]["location"].rpartition("/")[0]
    made = [create(send, name, location=f"{parent}/{name}").document for name in ("a", "ab")]

    assert [one["prefix"] for table in made for one in table["storage-credentials"]] == [
        f"{parent}/a",
        f"{parent}/ab",
    ]


# -- a token service -------------------------------------------------------------------------------


class TokenService:
    """A token service that records its requests and sends a given answer."""

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []
        self.answer: tuple[int, str] = (200, GIVEN)

    def __call__(self, _: str, __: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        self.asked.append(dict(parse_qsl(body.decode())))
        return self.answer[0], {"Content-Type": "text/xml"}, self.answer[1].encode()


@pytest.fixture
def service() -> TokenService:
    return TokenService()


@pytest.fixture
def access(service: TokenService, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Yield the storage access of a warehouse with the token service."""
    monkeypatch.setenv("LAKE_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("LAKE_SECRET", SECRET)
    with miniature(service) as url:
        yield read_storage_access(WarehouseEntry("lake", credentials={**STS, "sts": url}))


STS = {
    "sts": "https://sts.example",
    "region": "eu-central-1",
    "role": "arn:aws:iam::1:role/r",
    "seconds": 1800,
    "access-key-id-env": "LAKE_ID",
    "secret-access-key-env": "LAKE_SECRET",
}


@pytest.mark.parametrize("is_writable", [False, True])
def test_the_role_is_cut_down_to_the_location_of_the_table(
    access: Any, service: TokenService, *, is_writable: bool
) -> None:
    (credential,) = access.credentials("s3://bucket/lake/t", name="ann", is_writable=is_writable)

    (form,) = service.asked
    files, listing, bucket = json.loads(form.pop("Policy"))["Statement"]
    assert {
        key: form[key] for key in ("Action", "RoleArn", "DurationSeconds", "RoleSessionName")
    } == {
        "Action": "AssumeRole",
        "RoleArn": "arn:aws:iam::1:role/r",
        "DurationSeconds": "1800",
        "RoleSessionName": "lakepact-ann",
    }
    assert files["Resource"] == ["arn:aws:s3:::bucket/lake/t/*"]
    assert ("s3:PutObject" in files["Action"]) is is_writable
    assert (listing["Condition"]["StringLike"], bucket["Action"]) == (
        {"s3:prefix": ["lake/t/*"]},
        ["s3:GetBucketLocation"],
    )
    assert credential == {
        "prefix": "s3://bucket/lake/t",
        "config": {
            "client.region": "eu-central-1",
            "s3.access-key-id": "ASIA1",
            "s3.secret-access-key": "very/secret+1",
            "s3.session-token": "token&/==",
            "s3.session-token-expires-at-ms": str(
                int(datetime(2999, 1, 2, 3, 4, 5, 678_000, UTC).timestamp() * 1000)
            ),
        },
    }


def test_keys_are_given_again_to_the_same_for_the_same(access: Any, service: TokenService) -> None:
    for location in ("s3://bucket/t", "s3://bucket/t", "s3://bucket/u"):
        access.credentials(location, name="ann", is_writable=True)
    access.credentials("s3://bucket/t", name="bob", is_writable=True)
    access.credentials("s3://bucket/t", name="ann", is_writable=False)

    assert len(service.asked) == 4


def test_refusal_of_the_token_service_has_only_its_code(access: Any, service: TokenService) -> None:
    service.answer = (
        403,
        f"<Error><Code>AccessDenied</Code><Message>{SECRET} may not</Message></Error>",
    )

    with pytest.raises(Exception, match="refused with status 403 and AccessDenied") as refused:
        access.credentials("s3://bucket/t", name="ann", is_writable=True)
    assert SECRET not in str(refused.value)
    assert refused.value.status == 503


def test_no_representation_shows_a_secret(access: Any) -> None:
    assert not {SECRET, "AKIDEXAMPLE"} & set(
        repr(access).replace("'", " ").replace(",", " ").split()
    )


class Failing:
    """A token service that has no keys."""

    def __init__(self) -> None:
        self.asked = 0

    def keys(
        self, location: str, *, name: str, seconds: int, is_writable: bool = False
    ) -> TemporaryKeys:
        self.asked += 1
        raise NoKeys("it is closed")


def test_missing_keys_fail_a_load_and_not_a_commit(send: Sender, server: Any) -> None:
    credentials = Credentials(
        server.service.catalogs[0], Rules(), StorageAccess(service=Failing()), prefix=""
    )
    asked = (["vended-credentials"], "s3://bucket/t", ("n",), "t")

    assert credentials.access_for(*asked, has_changed=True) == {}
    with pytest.raises(Problem, match="now: it is closed") as problem:
        credentials.access_for(*asked)
    assert problem.value.status == 503


def test_a_token_service_is_of_no_use_to_a_warehouse_that_is_in_no_bucket(
    serve: Callable[..., Sender], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAKE_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("LAKE_SECRET", SECRET)

    with pytest.raises(BadSetting, match="lies at s3://bucket/path"):
        serve(
            'sts = "https://sts"\naccess-key-id-env = "LAKE_ID"\nsecret-access-key-env = "LAKE_SECRET"'
        )


class Clock:
    """A token service whose keys hold for as long as is asked, and the time."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.asked = 0

    def time(self) -> float:
        return self.now

    def keys(
        self, location: str, *, name: str, seconds: int, is_writable: bool = False
    ) -> TemporaryKeys:
        self.asked += 1
        return TemporaryKeys(Keys("id", "secret"), int((self.now + seconds) * 1000))


def test_keys_are_fetched_again_after_half_their_lifetime() -> None:
    clock = Clock()
    remembered = Remembered(clock, clock=clock.time)
    ends = []
    for second in (0, 1799, 1800, 1801, 3500):
        clock.now = 1_000_000.0 + second
        ends.append(
            remembered.keys("s3://b/t", name="ann", seconds=3600).expires // 1000 - 1_000_000
        )

    assert ends == [3600, 3600, 5400, 5400, 5400]


def test_keys_that_were_not_asked_for_the_longest_are_forgotten() -> None:
    clock = Clock()
    remembered = Remembered(clock, most=2, clock=clock.time)
    for location in "abaca":
        remembered.keys(location, name="ann", seconds=3600)

    assert clock.asked == 3


def test_a_failure_is_not_remembered() -> None:
    failing = Failing()
    remembered = Remembered(failing)
    for _ in range(2):
        with pytest.raises(NoKeys):
            remembered.keys("s3://b/t", name="ann", seconds=3600)

    assert failing.asked == 2


def test_rehearsal_keys_may_expire_after_a_second() -> None:
    access = read_storage_access(
        WarehouseEntry("lake", credentials={"rehearsal": True, "seconds": 1}), {}
    )

    assert access.seconds == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"stz": "x"}, "'stz' is not known"),
        ({"rehearsal": True}, "keep one"),
        ({"sts": "ftp://sts"}, "credentials.sts: is the http or https address"),
        ({"sts": "http://user:secret@sts"}, "without credentials"),
        ({"seconds": 60}, "from 900 to 43200"),
        ({"seconds": True}, "from 900 to 43200"),
        ({"role": ""}, "role: is a text"),
        ({"access-key-id-env": None}, "access-key-id-env: is missing"),
        (
            {"secret-access-key-env": "NOT_SET"},
            "secret-access-key-env: names an environment variable that is not set",
        ),
        ({"sts": None}, "region: is of use with sts alone|role: is of use with sts alone"),
        ({"config": {"s3.path-style-access": True}}, "config: is a table of texts"),
    ],
)
def test_invalid_settings_are_refused_at_the_start(change: dict[str, Any], said: str) -> None:
    credentials = {key: value for key, value in {**STS, **change}.items() if value is not None}
    environment = {"LAKE_ID": "AKIDEXAMPLE", "LAKE_SECRET": SECRET}

    with pytest.raises(BadSetting, match=said) as refused:
        read_storage_access(WarehouseEntry("lake", credentials=credentials), environment)
    assert not any(secret in str(refused.value) for secret in (SECRET, "AKIDEXAMPLE", "secret@"))


def test_repeated_creation_has_new_credentials_and_stores_no_secret(
    serve: Callable[..., Sender], tmp_path: Path
) -> None:
    kept = tmp_path / "catalog.sqlite"
    send = serve(REHEARSAL, contract_version="1.11.0", store=str(kept))
    body, key = (
        {"name": "t", "schema": SCHEMA},
        {"idempotency_key": "01920000-0000-7000-8000-000000000001"},
    )
    answers = [send("POST", TABLES, body, **VENDED, **key) for _ in range(2)]
    tables = [answer.document for answer in answers]
    given = [table.pop("storage-credentials") for table in tables]
    configs = [table.pop("config") for table in tables]
    secrets = {
        one["config"][name]
        for some in given
        for one in some
        for name in ("s3.secret-access-key", "s3.session-token")
    }
    stored = b"".join(file.read_bytes() for file in tmp_path.glob("catalog.sqlite*"))

    assert [(answer.status, answer.headers["etag"]) for answer in answers] == [
        (200, answers[0].headers["etag"])
    ] * 2
    assert tables[0] == tables[1]
    assert (len(secrets), [config["s3.secret-access-key"] in secrets for config in configs]) == (
        4,
        [True, True],
    )
    assert tables[0]["metadata-location"].encode() in stored
    assert [secret for secret in secrets if secret.encode() in stored] == []
