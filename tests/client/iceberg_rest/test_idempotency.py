"""A change is retried only with an idempotency key that the server supports."""

from __future__ import annotations

import uuid

import httpx
import pytest

from driving import KINDS, Desk, Driven
from lakepact.client import errors
from lakepact.client.retries import Retries
from lakepact.reference_server import running
from sample_tables.schemas import OPTIONAL_X as SCHEMA

ADDRESS = "http://catalog"
COMMIT = "POST /v1/namespaces/n/tables/t"
UPDATES = [{"action": "set-properties", "updates": {"a": "1"}}]
QUICKLY = Retries(tries=3, total=30.0, first_pause=0.0)


def lose_reply(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadError("lost", request=request)


def config_of(lifetime: object) -> dict[str, object]:
    return {"defaults": {}, "overrides": {}, "idempotency-key-lifetime": lifetime}


class _Forgetful:
    """A transport that makes commits and loses their first answers."""

    losing = 2

    def _lose(self, request: httpx.Request) -> None:
        if request.method == "POST" and request.url.path.endswith("/tables/t") and self.losing:
            self.losing -= 1
            raise httpx.ReadError("lost", request=request)


class Forgetful(_Forgetful, httpx.HTTPTransport):
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        self._lose(request)
        return response


class AsyncForgetful(_Forgetful, httpx.AsyncHTTPTransport):
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        self._lose(request)
        return response


@pytest.mark.parametrize("kind", KINDS)
def test_commit_with_lost_answers_is_made_once_with_a_key(kind: str) -> None:
    carrier = AsyncForgetful() if kind == "async" else Forgetful()
    with (
        running(contract="iceberg_rest", contract_version="1.11.0", warehouse="memory:") as server,
        Driven(KINDS[kind], server.url, retries=QUICKLY, carrier=carrier) as catalog,
    ):
        catalog.create_namespace("n")
        created = catalog.create_table("n.t", SCHEMA)
        append = {
            "action": "add-schema",
            "schema": {**SCHEMA, "fields": [{**SCHEMA["fields"][0], "id": 2, "name": "y"}]},
        }
        catalog.commit_table(
            "n.t",
            [append],
            requirements=[{"type": "assert-last-assigned-field-id", "last-assigned-field-id": 1}],
        )
        table = catalog.load_table("n.t")

    assert carrier.losing == 0
    assert (len(created.metadata.schemas), len(table.metadata.schemas)) == (1, 2)


def keys_of(desk: Desk) -> list[str | None]:
    return [
        request.headers.get("Idempotency-Key")
        for request in desk.requests
        if request.method in {"POST", "DELETE"}
    ]


def test_tries_of_a_change_share_a_key_and_changes_do_not() -> None:
    desk = Desk(
        {
            "GET /v1/config": config_of("PT30M"),
            COMMIT: lose_reply,
            "DELETE /v1/namespaces/n": httpx.Response(204),
        }
    )
    with Driven(KINDS["sync"], ADDRESS, retries=QUICKLY, carrier=desk.carrier) as catalog:
        with pytest.raises(errors.OutcomeUnknown):
            catalog.commit_table("n.t", UPDATES)
        catalog.drop_namespace("n")
        first, second, third, other = keys_of(desk)

    assert first == second == third != other
    assert {uuid.UUID(key).version for key in (first, other)} == {7}


def test_commit_without_any_answer_is_not_retry_safe() -> None:
    desk = Desk({"GET /v1/config": config_of("PT30M"), COMMIT: lose_reply})
    with (
        Driven(KINDS["sync"], ADDRESS, retries=QUICKLY, carrier=desk.carrier) as catalog,
        pytest.raises(errors.OutcomeUnknown) as exc_info,
    ):
        catalog.commit_table("n.t", UPDATES)

    assert (exc_info.value.tries, exc_info.value.is_retry_safe) == (3, False)


@pytest.mark.parametrize("lifetime", [None, "", "PT29S", "soon", 1800], ids=repr)
def test_short_key_lifetime_sends_no_key_and_no_retry(lifetime: object) -> None:
    desk = Desk({"GET /v1/config": config_of(lifetime), COMMIT: lose_reply})
    with (
        Driven(KINDS["sync"], ADDRESS, retries=QUICKLY, carrier=desk.carrier) as catalog,
        pytest.raises(errors.OutcomeUnknown),
    ):
        catalog.commit_table("n.t", UPDATES)

    assert keys_of(desk) == [None]


def test_plan_request_has_no_key() -> None:
    plan = "POST /v1/namespaces/n/tables/t/plan"
    config = {
        **config_of("PT30M"),
        "endpoints": ["POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan"],
    }
    desk = Desk({"GET /v1/config": config, plan: {"status": "completed"}})
    with Driven(KINDS["sync"], ADDRESS, carrier=desk.carrier) as catalog:
        catalog.plan_scan("n.t")

    assert keys_of(desk) == [None]


def test_retry_of_a_busy_server_keeps_the_key() -> None:
    answers = iter([httpx.Response(503), httpx.Response(502), httpx.Response(204)])
    desk = Desk(
        {"GET /v1/config": config_of("PT30M"), "POST /v1/tables/rename": lambda _: next(answers)}
    )
    with Driven(KINDS["sync"], ADDRESS, retries=QUICKLY, carrier=desk.carrier) as catalog:
        catalog.rename_table(("n", "t"), ("n", "u"))
        keys = keys_of(desk)

    assert (len(keys), len({*keys})) == (3, 1)
