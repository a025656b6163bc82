"""Additions of Delta Sharing 2026-08 are served only by servers of that version."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lakepact.reference_server import running
from lakepact.reference_server.settings import BadSetting
from raw_requests import Sender
from sample_tables.delta_logs import add
from sample_tables.shared_tables import TOKENS, SharedTable, write_shares

DELTA = "responseformat=delta"
ASYNC = "responseformat=delta;asyncquery=true"
UPGRADE = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 4}}
FEED = {"delta__enableChangeDataFeed": "true"}
NEWER, OLDER = "2026-08", "2026-02"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SharedTable]:
    """Return tables of three versions. The second version changes the protocol."""
    folder = tmp_path_factory.mktemp("newer")
    tables = {
        name: SharedTable(folder / name, name, lambda *_: None) for name in ("upgraded", "other")
    }
    for table in tables.values():
        table.begun(add("a"), **FEED)
        table.commit(1, UPGRADE, add("b"))
        table.commit(2, add("c"))
    return tables


@pytest.fixture(scope="module")
def shares(written: dict[str, SharedTable]) -> Path:
    tables = [{"name": name, "location": name, "historyShared": True} for name in written]
    return write_shares(written["other"].log.parents[1], tables, TOKENS)


@pytest.fixture(scope="module")
def urls(shares: Path) -> Iterator[dict[str, str]]:
    with (
        running(contract="delta_sharing", contract_version=NEWER, shares=shares) as newer,
        running(contract="delta_sharing", shares=shares) as older,
    ):
        yield {NEWER: newer.url, OLDER: older.url}


@pytest.fixture
def opened(
    urls: dict[str, str], written: dict[str, SharedTable]
) -> Iterator[Callable[..., SharedTable]]:
    """Yield a function that returns a table as a server of a version shares it."""
    with Sender(urls[NEWER]) as newer, Sender(urls[OLDER]) as older:
        send = {NEWER: newer, OLDER: older}

        def table(version: str, name: str = "upgraded") -> SharedTable:
            found = copy.copy(written[name])
            found.send = send[version]
            return found

        yield table


@pytest.fixture
def newer(opened: Callable[..., SharedTable]) -> SharedTable:
    return opened(NEWER)


@pytest.fixture
def older(opened: Callable[..., SharedTable]) -> SharedTable:
    return opened(OLDER)


def answered(table: SharedTable, query_id: str, body: Any = None, **more: Any) -> Any:
    """Return the answer to a query in the background, when it is ready."""
    for _ in range(500):
        answer = table.ask(
            "POST", f"/queries/{query_id}", body or {}, delta_sharing_capabilities=DELTA, **more
        )
        if answer.kinds != ["queryStatus"]:
            return answer
        time.sleep(0.01)
    raise AssertionError("the query has no end")


def begun(table: SharedTable, key: str, **body: Any) -> str:
    (status,) = table.query(ASYNC, idempotencyKey=key, **body).of("queryStatus")
    assert status["status"] == "pending"
    return str(status["queryId"])


# -- the version -----------------------------------------------------------------------------------


def test_unknown_version_is_refused_with_the_known_versions(shares: Path) -> None:
    with (
        pytest.raises(BadSetting, match=r"2026-02, 2026-08"),
        running(contract="delta_sharing", contract_version="2020-01", shares=shares),
    ):
        pass


def test_version_of_one_contract_leaves_the_other_at_its_default(shares: Path) -> None:
    with running(contract_version=NEWER, warehouse="memory:", shares=shares) as server:
        versions = {name: service.contract.version for name, service in server.services.items()}

    assert versions == {"iceberg_rest": "1.10.0", "delta_sharing": NEWER}


# -- historical protocols --------------------------------------------------------------------------


def test_pages_of_a_range_have_each_protocol_once(newer: SharedTable) -> None:
    body: dict[str, Any] = {"startingVersion": 0, "includeHistoricalProtocol": True, "maxFiles": 1}
    with_end = f"{DELTA};includeendstreamaction=true"
    pages = [newer.query(with_end, **body)]
    while "nextPageToken" in pages[-1].end:
        pages.append(newer.query(with_end, **body, pageToken=pages[-1].end["nextPageToken"]))

    assert [len(page.of("file")) for page in pages] == [1, 1, 1]
    assert sum(len(page.of("protocol")) - 1 for page in pages) == 1


def test_older_version_sends_no_further_protocol(older: SharedTable) -> None:
    answer = older.query(DELTA, startingVersion=0, includeHistoricalProtocol=True)

    assert ["version" in line for line in answer.of("protocol")] == [False]


# -- queries in the background ---------------------------------------------------------------------


def test_query_in_the_background_may_ask_for_changes(newer: SharedTable) -> None:
    assert len(answered(newer, begun(newer, "since", startingVersion=1)).of("file")) == 2


def test_key_of_another_query_returns_400(newer: SharedTable) -> None:
    begun(newer, "taken", limitHint=1)

    assert newer.query(ASYNC, idempotencyKey="taken", limitHint=2).refusal == (
        400,
        "INVALID_PARAMETER_VALUE",
    )


def test_key_as_clients_on_the_jvm_spell_it_is_accepted(newer: SharedTable) -> None:
    assert newer.query(ASYNC, idempotency_key="spelled").kinds == ["queryStatus"]


def test_query_of_another_recipient_or_table_returns_404(
    newer: SharedTable, opened: Callable[..., SharedTable]
) -> None:
    query_id = begun(newer, "own")

    foreign = newer.ask("POST", f"/queries/{query_id}", {}, token=TOKENS["two"])
    elsewhere = opened(NEWER, "other").ask("POST", f"/queries/{query_id}", {})
    assert [foreign.refusal, elsewhere.refusal] == [(404, "RESOURCE_DOES_NOT_EXIST")] * 2


def test_invalid_version_is_refused_before_the_query_begins(newer: SharedTable) -> None:
    assert newer.query(ASYNC, idempotencyKey="future", version=99).refusal == (
        400,
        "INVALID_PARAMETER_VALUE",
    )


def test_older_version_answers_at_once(older: SharedTable) -> None:
    assert len(older.query(ASYNC, idempotencyKey="old").ids) == 3
    assert older.ask("POST", "/queries/any", {}).status == 404
