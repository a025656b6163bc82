"""Every fault changes its operations as described, and no others."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import itertools
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from faulty import mutants, unnamed
from lakepact.generated.contract import Contract
from lakepact.reference_server.app import service
from lakepact.reference_server.faults import (
    ANSWERS,
    EVERY,
    Install,
    UnknownFault,
    all_of,
    find_fault,
    on_answer,
    on_headers,
    on_wire,
    per_server,
    replace_entry,
)
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.wire import Wire
from lakepact.reference_server.settings import Settings
from mutants import faults
from raw_requests import Sender, serving

CONTRACT = Contract("iceberg_rest")
Faulty = Callable[[Any], Sender]


@pytest.fixture
def faulty() -> Iterator[Faulty]:
    """Yield a function that starts a server with one fault, given by its name or installer."""
    with contextlib.ExitStack() as stack:

        def start(fault: str | Install) -> Sender:
            faults = [fault if isinstance(fault, str) else unnamed(fault)]
            return stack.enter_context(serving(warehouse="memory:", faults=faults))

        yield start


def test_an_answer_is_replaced_by_what_the_edit_returns(faulty: Faulty) -> None:
    send = faulty(on_answer(EVERY, lambda _: [1]))

    assert send("GET", "/v1/config").document == [1]


def test_state_of_a_fault_starts_again_with_each_server(faulty: Faulty) -> None:
    def numbered() -> Install:
        numbers = itertools.count()
        return on_answer("getConfig", lambda _: [next(numbers)])

    one_fault = per_server(numbered)()
    first = faulty(one_fault)
    assert [first("GET", "/v1/config").document for _ in range(2)] == [[0], [1]]

    assert faulty(one_fault)("GET", "/v1/config").document == [0]


def test_error_about_an_unknown_entry_names_the_nearest() -> None:
    with pytest.raises(UnknownFault, match="set-properties"):
        replace_entry("updates", "set-property", None)(service("iceberg_rest", Settings()))


def test_fault_of_an_operation_that_is_not_offered_is_refused() -> None:
    with pytest.raises(UnknownFault, match="getToken is not offered"):
        service("iceberg_rest", Settings(), faults=("getToken.answers-404",))


def test_headers_are_added_and_the_content_type_replaced(faulty: Faulty) -> None:
    send = faulty(all_of(on_headers("getConfig", {"content-type": "text/plain", "etag": "x"})))
    headers = send("GET", "/v1/config").headers

    assert (headers["content-type"], headers["etag"]) == ("text/plain", "x")


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("answers-500", 500),
        ("answers-503", 503),
        ("answers-404", 404),
        ("answers-201", 201),
        ("wrong-content-type", 200),
    ],
)
def test_a_generic_fault_changes_its_operation_and_no_other(name: str, status: int) -> None:
    with serving(warehouse="memory:", faults=[f"getConfig.{name}"]) as send:
        changed, other = send("GET", "/v1/config"), send("GET", "/v1/namespaces")

    assert (changed.status, other.status) == (status, 200)
    assert (changed.headers["content-type"] == "application/json") == (name != "wrong-content-type")


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("not-json", b"<html><body>It works!</body></html>"),
        ("null-body", b"null"),
        ("list-body", b"[]"),
    ],
)
def test_a_generic_fault_changes_bodies(name: str, body: bytes) -> None:
    with serving(warehouse="memory:", faults=[name]) as send:
        assert [send("GET", path).body for path in ("/v1/config", "/v1/namespaces/irc")] == [
            body,
            body,
        ]


def test_a_connection_is_dropped() -> None:
    with (
        serving(warehouse="memory:", faults=["getConfig.drops-connection"]) as send,
        pytest.raises(http.client.RemoteDisconnected),
    ):
        send("GET", "/v1/config")


def test_a_body_is_cut_off() -> None:
    with (
        serving(warehouse="memory:", faults=["getConfig.truncates-body"]) as send,
        pytest.raises(http.client.IncompleteRead),
    ):
        send("GET", "/v1/config")


def test_204_gets_a_body() -> None:
    with serving(warehouse="memory:", faults=["dropNamespace.adds-body"]) as send:
        send("POST", "/v1/namespaces", {"namespace": ["a"]})

        assert send("DELETE", "/v1/namespaces/a").headers["content-length"] == "22"


def test_an_answer_that_waits_does_not_hold_up_others(faulty: Faulty) -> None:
    other = asyncio.Event()

    async def wait(wire: Wire, reply: Reply) -> None:
        await other.wait()
        await wire.answer(reply)

    async def answer(wire: Wire, reply: Reply) -> None:
        other.set()
        await wire.answer(reply)

    send = faulty(all_of(on_wire("getConfig", wait), on_wire("listNamespaces", answer)))
    waiting = threading.Thread(target=send, args=["GET", "/v1/config"])
    waiting.start()
    with Sender(send.url) as meanwhile:
        status = meanwhile("GET", "/v1/namespaces").status
    waiting.join()

    assert status == 200


def test_every_fault_can_be_switched_on(tmp_path: Path) -> None:
    config = tmp_path / "server.toml"
    config.write_text(
        '[principals.ann]\ntoken = "t"\nclient-id = "a"\nclient-secret = "s"\n', encoding="utf-8"
    )
    generic = [
        find_fault(name, CONTRACT)
        for name in (*(f"loadTable.{name}" for name in ANSWERS), *ANSWERS)
    ]

    for fault in (*faults("iceberg_rest").values(), *generic):
        assert fault.install(service("iceberg_rest", Settings(config=config))) is None, fault.name


@pytest.mark.parametrize(
    "spelled",
    ["tables-without-credentials", "readers-commit", "any-principal-reads-tables", "any-secret"],
)
def test_faults_of_access_need_a_server_that_asks_who_calls(spelled: str) -> None:
    with pytest.raises(UnknownFault):
        service("iceberg_rest", Settings(), faults=mutants([spelled]))


@pytest.mark.parametrize(
    ("spelled", "hint"),
    [
        ("answers-50", "near: .*answers-500"),
        ("loadTabel.answers-500", "near: .*loadTable"),
        ("zzzzzzzzzz", r"NAME or OPERATION\.NAME, with NAME one of answers-500, .*last-page-lost"),
        ("nope", "near: not-persisted; .* one of answers-500, .*last-page-lost"),
    ],
)
def test_an_unknown_fault_is_refused_with_what_may_have_been_meant(spelled: str, hint: str) -> None:
    with pytest.raises(UnknownFault, match=hint):
        find_fault(spelled, CONTRACT)


CREATED = {"name": "t", "schema": {"type": "struct", "fields": []}}


@pytest.fixture
def with_fault(faulty: Faulty) -> Faulty:
    """Return a function that starts a server with a named fault and the namespace `n`."""

    def start(name: str) -> Sender:
        send = faulty(name)
        assert send("POST", "/v1/namespaces", {"namespace": ["n"]}).status == 200
        return send

    return start


def test_creation_that_is_not_persisted_returns_200_and_no_table_exists(with_fault: Faulty) -> None:
    send = with_fault("createTable.not-persisted")

    assert send("POST", "/v1/namespaces/n/tables", CREATED).status == 200
    assert send("GET", "/v1/namespaces/n/tables/t").status == 404


def test_commit_that_is_not_persisted_leaves_the_table_as_it_was(with_fault: Faulty) -> None:
    send = with_fault("updateTable.not-persisted")
    created = send("POST", "/v1/namespaces/n/tables", CREATED).document
    change = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"a": "1"}}]}

    committed = send("POST", "/v1/namespaces/n/tables/t", change)

    assert (committed.status, committed.document["metadata"]["properties"]["a"]) == (200, "1")
    assert send("GET", "/v1/namespaces/n/tables/t").document["metadata"] == created["metadata"]


def test_purge_that_is_not_persisted_leaves_the_table_readable(with_fault: Faulty) -> None:
    send = with_fault("dropTable.not-persisted")
    created = send("POST", "/v1/namespaces/n/tables", CREATED).document

    assert send("DELETE", "/v1/namespaces/n/tables/t?purgeRequested=true").status == 204
    assert send("GET", "/v1/namespaces/n/tables/t").document["metadata"] == created["metadata"]


def test_commit_that_is_done_but_answered_with_500_changes_the_table(with_fault: Faulty) -> None:
    send = with_fault("updateTable.done-but-500")
    send("POST", "/v1/namespaces/n/tables", CREATED)
    change = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"a": "1"}}]}

    assert send("POST", "/v1/namespaces/n/tables/t", change).status == 500
    assert send("GET", "/v1/namespaces/n/tables/t").document["metadata"]["properties"]["a"] == "1"


def test_listing_whose_last_page_is_lost_ends_after_its_first_page(with_fault: Faulty) -> None:
    send = with_fault("listNamespaces.last-page-lost")
    send("POST", "/v1/namespaces", {"namespace": ["o"]})

    assert send("GET", "/v1/namespaces?pageSize=1&pageToken=").document == {"namespaces": [["n"]]}
