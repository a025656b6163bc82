"""An Idempotency-Key belongs to its principal: no other principal gets the kept answer."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import SCHEMA, SERVER_FILE, As, fill, guarded
from .test_grants import MUTATIONS

KEY, OTHER = "01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac96-774b-bcce-b302099a8058"


def test_kept_answer_is_for_the_principal_that_sent_the_key(tmp_path: Path) -> None:
    with guarded(tmp_path, contract_version="1.11.0") as (_, bearing):
        root, writer = bearing("root-token"), bearing("writer-token")
        fill(root, "open", "closed")
        made = [
            root(
                "POST",
                "/v1/namespaces/closed/tables",
                {"name": "t", "schema": SCHEMA},
                idempotency_key=KEY,
            )
            for _ in range(2)
        ]
        root(
            "POST",
            "/v1/namespaces/closed/tables",
            {"name": "u", "schema": SCHEMA},
            idempotency_key=OTHER,
        )
        others = writer(
            "POST",
            "/v1/namespaces/closed/tables",
            {"name": "t", "schema": SCHEMA},
            idempotency_key=KEY,
        )
        own = writer(
            "POST",
            "/v1/namespaces/open/tables",
            {"name": "t", "schema": SCHEMA},
            idempotency_key=OTHER,
        )

    assert [answer.status for answer in (*made, others, own)] == [200, 200, 404, 200]
    assert made[0].body == made[1].body


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[As, dict[str, str]]]:
    """Yield principals, and the keys under which root has sent every change."""
    with guarded(tmp_path_factory.mktemp("keyed"), contract_version="1.11.0") as (_, bearing):
        root, keys = bearing("root-token"), {name: str(uuid.uuid4()) for name in MUTATIONS}
        fill(root, "open", "open.child", "far", tables=("open.shown", "open.other"))
        for name, (method, path, body) in MUTATIONS.items():
            root(method, path, body, idempotency_key=keys[name])
        yield bearing, keys


@pytest.mark.parametrize("token", ["reader-token", "looker-token", "stranger-token"])
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_key_of_another_principal_answers_like_a_new_key(
    keyed: tuple[As, dict[str, str]], mutation: str, token: str
) -> None:
    bearing, keys = keyed
    method, path, body = MUTATIONS[mutation]
    foreign, new = (
        bearing(token)(method, path, body, idempotency_key=key)
        for key in (keys[mutation], str(uuid.uuid4()))
    )

    assert foreign.status in {403, 404}
    assert (foreign.status, foreign.body) == (new.status, new.body)


LAKE = "[warehouses.lake]\n[warehouses.lake.credentials]\nrehearsal = true\n"


@pytest.mark.parametrize("vended", [{}, {"x_iceberg_access_delegation": "vended-credentials"}])
def test_kept_answer_is_hidden_after_the_grant_was_withdrawn(
    tmp_path: Path, vended: dict[str, str]
) -> None:
    settings = {
        "contract_version": "1.11.0",
        "warehouse": str(tmp_path / "lake"),
        "store": str(tmp_path / "catalog.sqlite"),
    }
    create = ("POST", "/v1/namespaces/open/tables", {"name": "t", "schema": SCHEMA})
    with guarded(tmp_path, LAKE + SERVER_FILE, **settings) as (_, bearing):
        fill(bearing("root-token"), "open")
        created = bearing("writer-token")(*create, idempotency_key=KEY, **vended)
    with guarded(
        tmp_path,
        LAKE + SERVER_FILE.replace('["open"]\naccess = "write"', '["other"]\naccess = "write"'),
        **settings,
    ) as (
        _,
        bearing,
    ):
        replayed = bearing("writer-token")(*create, idempotency_key=KEY, **vended)
    with guarded(tmp_path, LAKE + SERVER_FILE, **settings) as (_, bearing):
        again = bearing("writer-token")(*create, idempotency_key=KEY, **vended)

    assert (created.status, again.status) == (200, 200)
    assert replayed.error == (404, "NoSuchNamespaceException")


def test_key_of_one_warehouse_is_refused_in_another(tmp_path: Path) -> None:
    text = "[warehouses.one]\n[warehouses.two]\n" + SERVER_FILE
    with guarded(tmp_path, text, contract_version="1.11.0") as (_, bearing):
        root = bearing("root-token")
        answers = [
            root("POST", f"/v1/{prefix}/namespaces", {"namespace": ["a"]}, idempotency_key=KEY)
            for prefix in ("one", "two")
        ]
        kept = root("HEAD", "/v1/two/namespaces/a").status

    assert [answer.status for answer in answers] == [200, 400]
    assert kept == 404
