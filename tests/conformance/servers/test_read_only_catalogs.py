"""The suite checks the tables that a read-only catalog has."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from threading import Event
from typing import Any

import httpx
import pytest

from faulty import mutants, unnamed
from faulty_servers import checked
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server import running
from lakepact.reference_server.faults import all_of, on_answer, on_request
from lakepact.reference_server.http.problems import Problem

OF_SNAPSHOTS = ("IRC-TBL-LOAD-006", "IRC-TBL-LOAD-008", "IRC-TBL-LOAD-010")
OF_LOADS = (*OF_SNAPSHOTS, "IRC-SCH-TableMetadata")
SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": True}]}


def _declare_reads(document: dict[str, Any]) -> None:
    document["endpoints"] = [e for e in document["endpoints"] if e.startswith(("GET", "HEAD"))]


def snapshot(number: int, ref: str, kind: str) -> list[dict[str, Any]]:
    """Return the updates that add a snapshot and name it."""
    document = {
        "snapshot-id": number,
        "sequence-number": number,
        "timestamp-ms": 4_000_000_000_000 + number,
        "manifest-list": f"memory:///{number}.avro",
        "summary": {"operation": "append"},
    }
    ref_update = {
        "action": "set-snapshot-ref",
        "ref-name": ref,
        "type": kind,
        "snapshot-id": number,
    }
    return [{"action": "add-snapshot", "snapshot": document}, ref_update]


@contextmanager
def read_only(*faults: str, tables: int = 1) -> Generator[str]:
    """Serve a catalog that neither declares nor serves changes of its tables."""
    complete = Event()

    def refuse(_: object) -> None:
        if complete.is_set():
            raise Problem(404, "NotFoundException", "there is no such route")

    changes = (op.create_table, op.update_table, op.drop_table, op.register_table, op.rename_table)
    install = all_of(on_answer(op.get_config, _declare_reads), on_request(changes, refuse))
    with running(warehouse="memory:", faults=[*mutants(faults), unnamed(install)]) as server:
        with httpx.Client(base_url=f"{server.url}/v1") as http:
            http.post("/namespaces", json={"namespace": ["sales"]}).raise_for_status()
            for number in range(tables):
                table = {"name": f"orders_{number}", "schema": SCHEMA}
                http.post("/namespaces/sales/tables", json=table).raise_for_status()
                updates = [*snapshot(1, "main", "branch"), *snapshot(2, "audit", "tag")]
                commit = {"requirements": [], "updates": updates}
                address = f"/namespaces/sales/tables/orders_{number}"
                http.post(address, json=commit).raise_for_status()
        complete.set()
        yield server.url


def outcomes(url: str) -> dict[str, Outcome]:
    results = checked(Target(url), *OF_LOADS).results()
    return {requirement: results[requirement].outcome for requirement in OF_LOADS}


def test_tables_of_a_read_only_catalog_are_judged() -> None:
    with read_only(tables=2) as url:
        assert outcomes(url) == dict.fromkeys(OF_LOADS, Outcome.PASS)


@pytest.mark.parametrize(
    ("fault", "requirement"),
    [("refs-are-branches", "IRC-TBL-LOAD-008"), ("refs-have-no-logs", "IRC-TBL-LOAD-010")],
)
def test_wrong_load_of_an_existing_table_fails(fault: str, requirement: str) -> None:
    with read_only(fault) as url:
        assert outcomes(url)[requirement] is Outcome.FAIL


def test_read_only_catalog_without_tables_offers_none_to_judge() -> None:
    with read_only(tables=0) as url:
        actual = outcomes(url)
    assert {actual[requirement] for requirement in OF_SNAPSHOTS} == {Outcome.NOT_OFFERED}
