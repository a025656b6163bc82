"""Additions of contract version 1.11.0 are served only by servers of that version."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lakepact.reference_server import running
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply
from lakepact.reference_server.http.service import RulesByName
from lakepact.reference_server.iceberg_rest.commits.idempotency import (
    KEPT_SECONDS,
    SHELF,
    Keys,
    Rules,
)
from lakepact.reference_server.settings import BadSetting
from lakepact.reference_server.storage.store import Key, MemoryStore, NotKept, Record
from raw_requests import Sender, serving
from sample_tables.table_documents import view_version

KEY = "01934f2e-79b0-7cc3-98c4-dc0c0c07398f"
OTHER = "01934f2e-79b0-7cc3-98c4-dc0c0c073990"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running(contract="iceberg_rest", contract_version="1.11.0", warehouse="memory:") as server:
        yield server.url


@pytest.fixture
def newer(url: str) -> Iterator[Callable[..., Any]]:
    with Sender(url) as send:
        yield send


def view_of(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "schema": {"type": "struct", "fields": []},
        "view-version": view_version(),
        "properties": {},
    }


# -- operations of each version --------------------------------------------------------------------


def test_unknown_version_is_refused_with_the_known_versions() -> None:
    with (
        pytest.raises(BadSetting, match=r"1\.10\.0, 1\.11\.0"),
        running(contract="iceberg_rest", contract_version="0.9"),
    ):
        pass


def test_version_of_an_unserved_contract_is_refused() -> None:
    refused = pytest.raises(BadSetting, match="--contract-version requires --contract iceberg_rest")
    with refused, running(contract="watsonx_data", contract_version="1.11.0"):
        pass


def test_configuration_has_the_key_lifetime_and_the_added_endpoint(
    newer: Sender, send: Sender
) -> None:
    here, there = newer("GET", "/v1/config").document, send("GET", "/v1/config").document

    assert here["idempotency-key-lifetime"] == "PT30M"
    assert "idempotency-key-lifetime" not in there
    assert set(here["endpoints"]) - set(there["endpoints"]) == {
        "POST /v1/{prefix}/namespaces/{namespace}/register-view"
    }


@pytest.fixture
def home(newer: Sender) -> str:
    name = f"ns_{uuid.uuid4().hex}"
    assert newer("POST", "/v1/namespaces", {"namespace": [name]}).status == 200
    return f"/v1/namespaces/{name}"


def test_a_commit_answers_with_the_tag_of_the_table(
    newer: Sender, home: str, send: Sender, table: str
) -> None:
    schema = {"type": "struct", "fields": []}
    assert newer("POST", f"{home}/tables", {"name": "t", "schema": schema}).status == 200
    body = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"a": "b"}}]}

    committed = newer("POST", f"{home}/tables/t", body)

    assert committed.headers["etag"] == newer("GET", f"{home}/tables/t").headers["etag"]
    assert "etag" not in send("POST", table, body).headers


# -- views that are registered ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"current-version-id": 7},
            "at /current-version-id: expected one of the versions, found 7",
        ),
        ({"versions": []}, "at /current-version-id: expected one of the versions"),
        ({"schemas": []}, "at /versions/0/schema-id: expected one of the schemas, found 0"),
        ({"format-version": 9}, "does not hold valid view metadata"),
    ],
)
def test_view_metadata_that_refer_to_what_is_not_there_are_refused(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    with serving(
        contract="iceberg_rest", contract_version="1.11.0", warehouse=str(tmp_path)
    ) as send:
        assert send("POST", "/v1/namespaces", {"namespace": ["a"]}).status == 200
        made = send("POST", "/v1/namespaces/a/views", view_of("v")).document
        file = tmp_path / "a" / "made.metadata.json"
        file.write_text(json.dumps({**made["metadata"], **change}))

        refused = send(
            "POST",
            "/v1/namespaces/a/register-view",
            {"name": "w", "metadata-location": f"file://{file}"},
        )

        assert refused.error == (400, "BadRequestException")
        assert message in refused.message


# -- keys ------------------------------------------------------------------------------------------


def test_idempotency_key_that_is_no_uuid_returns_400(newer: Sender) -> None:
    refused = newer("POST", "/v1/namespaces", {"namespace": ["x"]}, idempotency_key="k" * 36)

    assert refused.error == (400, "BadRequestException")
    assert "Idempotency-Key" in refused.message


def test_a_key_outlives_the_server_with_the_store(tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "contract": "iceberg_rest",
        "contract_version": "1.11.0",
        "warehouse": str(tmp_path),
        "store": "file",
    }
    body = {"namespace": ["once"]}
    with serving(**settings) as send:
        first = send("POST", "/v1/namespaces", body, idempotency_key=KEY)
    with serving(**settings) as send:
        again = send("POST", "/v1/namespaces", body, idempotency_key=KEY)

    assert (again.status, again.body) == (first.status, first.body)


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def keys(store: MemoryStore, clock: Clock) -> Keys:
    return Keys(store, Rules(), clock)


@pytest.fixture(params=[False, True], ids=["on the loop", "in a thread"])
def blocking(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


class Counted:
    """A handler that counts its calls in the store, in its own transaction."""

    def __init__(self, store: MemoryStore, *, refusal: Problem | None = None) -> None:
        self.store = store
        self.refusal = refusal
        self.calls = 0

    def __call__(self, **arguments: Any) -> Reply:
        self.calls += 1
        with self.store.begin() as transaction:
            transaction.put(Key("done", (), str(self.calls)), Record("done", {}, b"{}"))
            if self.refusal is not None:
                raise self.refusal
        return Reply(200, b'{"said":"%d"}' % self.calls, ((b"etag", b'"1"'),))


def test_an_answer_comes_again_whole_and_nothing_is_done_twice(
    store: MemoryStore, keys: Keys, *, blocking: bool
) -> None:
    handler = Counted(store)
    once = keys.once("createTable", handler, blocking=blocking)

    answers = [
        once(idempotency_key=spelled, body={"name": "t"}) for spelled in (KEY, KEY.upper(), KEY)
    ]

    assert answers == [Reply(200, b'{"said":"1"}', ((b"etag", b'"1"'),))] * 3
    assert handler.calls == 1


@pytest.mark.parametrize(("status", "calls"), [(400, 1), (404, 1), (409, 1), (500, 2), (503, 2)])
def test_refusals_are_final_and_failures_are_not(
    store: MemoryStore, keys: Keys, status: int, calls: int, *, blocking: bool
) -> None:
    handler = Counted(store, refusal=Problem(status, "BadRequestException", "no"))
    once = keys.once("createTable", handler, blocking=blocking)

    for _ in range(2):
        with pytest.raises(Problem, match="no") as refused:
            once(idempotency_key=KEY, body={})
        assert (refused.value.status, refused.value.kind) == (status, "BadRequestException")

    assert handler.calls == calls
    assert store.get(Key("done", (), "1")) is None


@pytest.mark.parametrize(
    "other", [{"operation": "dropTable"}, {"body": {"name": "u"}}, {"table": "t"}]
)
def test_a_key_is_good_for_one_request(
    store: MemoryStore, keys: Keys, other: dict[str, Any], *, blocking: bool
) -> None:
    handler = Counted(store)
    keys.once("createTable", handler, blocking=blocking)(idempotency_key=KEY, body={"name": "t"})
    arguments: dict[str, Any] = {
        "body": {"name": "t"},
        **{name: value for name, value in other.items() if name != "operation"},
    }

    with pytest.raises(Problem, match="came with another request before") as refused:
        keys.once(other.get("operation", "createTable"), handler, blocking=blocking)(
            idempotency_key=KEY, **arguments
        )

    assert (refused.value.status, handler.calls) == (400, 1)


def test_a_key_whose_request_is_being_carried_out_is_to_be_tried_again(keys: Keys) -> None:
    def within(**_: Any) -> Reply:
        with pytest.raises(Problem, match="being carried out") as refused:
            once(idempotency_key=KEY)
        assert (refused.value.status, refused.value.headers) == (503, (("retry-after", "1"),))
        return NO_CONTENT

    once = keys.once("createTable", within, blocking=True)

    assert once(idempotency_key=KEY) is NO_CONTENT
    assert once(idempotency_key=KEY) == NO_CONTENT


def test_keys_are_forgotten_after_their_time_and_not_before(
    store: MemoryStore, keys: Keys, clock: Clock
) -> None:
    once = keys.once("dropTable", lambda **_: NO_CONTENT, blocking=False)
    once(idempotency_key=KEY)
    clock.now += KEPT_SECONDS
    once(idempotency_key=OTHER)
    known = store.get(Key(SHELF, (), KEY)) is not None
    clock.now += 1
    once(idempotency_key=str(uuid.uuid4()))

    assert (known, store.get(Key(SHELF, (), KEY))) == (True, None)


def test_keys_of_a_store_that_was_opened_again_are_forgotten_too(
    store: MemoryStore, keys: Keys, clock: Clock
) -> None:
    keys.once("dropTable", lambda **_: NO_CONTENT, blocking=False)(idempotency_key=KEY)
    clock.now += KEPT_SECONDS + 1
    Keys(store, Rules(), clock).once("dropTable", lambda **_: NO_CONTENT, blocking=False)(
        idempotency_key=OTHER
    )

    assert store.get(Key(SHELF, (), KEY)) is None


def test_a_key_that_was_kept_again_after_it_was_undone_has_its_whole_time(
    store: MemoryStore, keys: Keys, clock: Clock
) -> None:
    once = keys.once("dropTable", lambda **_: NO_CONTENT, blocking=False)
    once(idempotency_key=KEY)
    with store.begin() as transaction:
        transaction.remove(Key(SHELF, (), KEY))  # as a disk that is full undoes it
    clock.now += KEPT_SECONDS
    once(idempotency_key=KEY)
    clock.now += 1
    once(idempotency_key=OTHER)

    assert store.get(Key(SHELF, (), KEY)) is not None


def test_change_is_answered_although_its_key_cannot_be_kept(
    store: MemoryStore, clock: Clock
) -> None:
    def full(*_: Any) -> None:
        raise NotKept("the disk is full", 507)

    rules = Rules()
    RulesByName(rules).replace("keep_key", full)
    keys = Keys(store, rules, clock)

    assert (
        keys.once("createTable", lambda **_: NO_CONTENT, blocking=True)(idempotency_key=KEY)
        is NO_CONTENT
    )
