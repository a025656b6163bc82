"""Answers for Idempotency-Keys are bounded in bytes; large ones are read from metadata files."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.iceberg_rest.commits.idempotency import (
    MOST_BYTES,
    MOST_IN_ALL,
    SHELF,
    Keys,
    Rules,
)
from lakepact.reference_server.storage.store import Key, MemoryStore, NotKept
from raw_requests import Sender, serving
from sample_tables.schemas import SCHEMA
from sample_tables.table_documents import view_version

BIG = {"big": "x" * 50_000}
MIB = 1024 * 1024


def settings(folder: Path) -> dict[str, Any]:
    return {
        "contract": "iceberg_rest",
        "contract_version": "1.12.0",
        "warehouse": str(folder),
        "store": "file",
    }


@pytest.fixture
def send(tmp_path: Path) -> Iterator[Any]:
    with serving(**settings(tmp_path)) as send:
        assert send("POST", "/v1/namespaces", {"namespace": ["a"]}).status == 200
        yield send


def set_property(value: str) -> dict[str, Any]:
    return {
        "requirements": [],
        "updates": [{"action": "set-properties", "updates": {"n": value}}],
    }


TABLES, TABLE = "/v1/namespaces/a/tables", "/v1/namespaces/a/tables/t"
VIEW = {
    "name": "v",
    "schema": {"type": "struct", "fields": []},
    "view-version": view_version(),
    "properties": BIG,
}


def requests(send: Sender) -> Iterator[tuple[str, Any, Any]]:
    """Yield the path, the body and the answer of requests whose answers are large."""

    def sent(path: str, body: Any) -> tuple[str, Any, Any]:
        answer = send("POST", path, body, idempotency_key=key_of(path, body))
        assert answer.status == 200
        return path, body, answer

    yield sent(TABLES, {"name": "t", "schema": SCHEMA, "properties": BIG})
    yield sent(TABLE, set_property("1"))
    yield sent(TABLE, set_property("2"))
    location = send("GET", TABLE).document["metadata-location"]
    yield sent(f"{TABLE}/unregister", None)
    yield sent("/v1/namespaces/a/register", {"name": "t", "metadata-location": location})
    yield sent("/v1/namespaces/a/views", VIEW)
    yield sent("/v1/namespaces/a/views/v", set_property("1"))


def key_of(path: str, body: Any) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, path + json.dumps(body)))


def test_large_answers_come_again_as_they_were(tmp_path: Path) -> None:
    with serving(**settings(tmp_path)) as send:
        send("POST", "/v1/namespaces", {"namespace": ["a"]})
        answers = list(requests(send))
        again = [send("POST", p, b, idempotency_key=key_of(p, b)) for p, b, _ in answers]
        size = sum(len(record.body) for record in stored(send.server))
    with serving(**settings(tmp_path)) as send:
        later = [send("POST", p, b, idempotency_key=key_of(p, b)) for p, b, _ in answers]

    for (path, _, first), *others in zip(answers, again, later, strict=True):
        for other in others:
            assert (path, other.status, other.document) == (path, 200, first.document)
            assert other.headers.get("etag") == first.headers.get("etag")
    assert size < 2 * len(BIG["big"])


def stored(server: Any) -> list[Any]:
    catalog = server.service.catalogs[0]
    with catalog.store.begin() as transaction:
        return [record for _, record in transaction.every(SHELF)]


def test_large_answer_whose_file_is_gone_returns_500_and_changes_nothing(
    send: Sender,
) -> None:
    answers = {path: (body, answer) for path, body, answer in list(requests(send))[:2]}
    send("POST", TABLE, set_property("3"))
    body, answer = answers[TABLE]
    Path(answer.document["metadata-location"].removeprefix("file://")).unlink()

    again = send("POST", TABLE, body, idempotency_key=key_of(TABLE, body))

    assert again.error == (500, "CommitStateUnknownException")
    assert send("GET", TABLE).document["metadata"]["properties"]["n"] == "3"


# -- limits --------------------------------------------------------------------------------------


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


def answer_of(size: int) -> Callable[..., Reply]:
    return lambda **_: Reply(200, b'"' + b"x" * size + b'"')


def key(number: int) -> str:
    return str(uuid.UUID(int=number))


def known(store: MemoryStore, number: int) -> bool:
    return store.get(Key(SHELF, (), key(number))) is not None


def test_oldest_answers_of_a_warehouse_are_removed_beyond_its_limit(store: MemoryStore) -> None:
    once = Keys(store, Rules()).once("createNamespace", answer_of(MIB), blocking=False)
    once(idempotency_key=key(0), prefix="other")
    count = MOST_BYTES // MIB + 3
    for number in range(1, count):
        once(idempotency_key=key(number), prefix="one")

    assert known(store, 0)
    assert [known(store, n) for n in (1, 2, 3, 4, count - 1)] == [False, False, False, True, True]


def test_oldest_answers_of_all_are_removed_beyond_the_common_limit(store: MemoryStore) -> None:
    once = Keys(store, Rules()).once("createNamespace", answer_of(MIB), blocking=False)
    count = MOST_IN_ALL // MIB + 2
    for number in range(count):
        once(idempotency_key=key(number), prefix=f"w{number % 8}")

    assert [known(store, n) for n in (0, 1, 2, 3, count - 1)] == [False] * 3 + [True, True]


def test_answer_larger_than_the_limit_comes_again(store: MemoryStore) -> None:
    once = Keys(store, Rules()).once("createNamespace", answer_of(MOST_BYTES), blocking=False)

    assert once(idempotency_key=key(1)) == once(idempotency_key=key(1))
    assert known(store, 1)


def test_answers_of_an_earlier_store_are_trimmed_at_the_start(store: MemoryStore) -> None:
    keys = Keys(store, Rules())
    for number in range(3):
        keys.once("createNamespace", answer_of(MIB), blocking=False)(
            idempotency_key=key(number), prefix=f"w{number}"
        )
    with store.begin() as transaction:
        for number in range(3):
            record = transaction.get(Key(SHELF, (), key(number)))
            body = json.loads(record.body)
            body |= {"body": "x" * (MOST_BYTES // 2), "at": body["at"] + number}
            del body["warehouse"]
            transaction.put(
                Key(SHELF, (), key(number)), record.stored("answer", json.dumps(body).encode(), b"")
            )

    Keys(store, Rules())

    assert [known(store, number) for number in range(3)] == [False, False, True]


class FillingStore(MemoryStore):
    """A store that is full when the test says so."""

    is_full = False

    @contextmanager
    def begin(self) -> Iterator[Any]:
        with super().begin() as transaction:
            yield transaction
            if self.is_full:
                raise NotKept("the disk is full", 507)


def test_answers_whose_removal_was_undone_are_removed_later() -> None:
    store = FillingStore()
    once = Keys(store, Rules()).once("createNamespace", answer_of(MIB), blocking=False)
    count = MOST_BYTES // MIB - 1
    for number in range(count):
        once(idempotency_key=key(number))
    store.is_full = True
    with pytest.raises(NotKept):
        once(idempotency_key=key(count))
    store.is_full = False
    is_there = known(store, 0)
    for number in range(count + 1, 3 * count):
        once(idempotency_key=key(number))

    assert is_there
    assert not known(store, 0)
