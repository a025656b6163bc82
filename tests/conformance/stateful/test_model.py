"""Random sequences of changes find lost or confused changes in few requests, and pass on correct
servers.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from faulty import unnamed
from faulty_servers import checked, rewrites
from lakepact.conformance.checks.iceberg_rest.stateful.model_histories import NEVER_GIVEN
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.running import runner
from lakepact.conformance.running import suite as suites
from lakepact.conformance.running.embedded_server import embedded
from lakepact.reference_server.faults import Fault, Install, on_answer, on_call
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Handler
from lakepact.reference_server.running import running
from mutants import fault_named
from sampling import some

BUDGET = 600  #: requests, as many as `lakepact check` sends


def stateful_run(
    target: Target, suite: suites.Suite[Any] | None = None, *, seed: int = 0
) -> runner.Run:
    """Run the stateful tests on a target and return the run."""
    suite = suite or suites.load("iceberg_rest")
    one = next(
        requirement
        for requirement in suite.judges()
        if suite.requirement(requirement).area == "configuration"
    )
    return checked(target, one, of=suite, stateful=BUDGET, stateful_seed=seed, run_id="same")


def contradictions_of(fault: Fault) -> dict[str, int]:
    """Return the requirements that a fault breaks, with the number of requests that show each."""
    with running(contract="iceberg_rest", warehouse="memory:", faults=(fault,)) as server:
        return contradictions(stateful_run(Target(server.url)))


def contradictions(run: runner.Run) -> dict[str, int]:
    """Return the broken requirements, with the number of requests that show each."""
    return {
        v.requirement: len(v.exchanges)
        for v in run.verdicts
        if v.check == "model" and v.outcome is not Outcome.PASS
    }


@pytest.mark.parametrize(
    ("contract", "version"),
    some([("iceberg_rest", "1.11.0"), ("iceberg_rest", "1.10.0"), ("watsonx_data", "2026")], 3),
)
def test_reference_server_has_no_contradictions(contract: str, version: str) -> None:
    suite = suites.load(contract, version)
    with embedded(suite) as target:
        run = stateful_run(target, suite)

    assert contradictions(run) == {}
    assert sum(v.check == "model" for v in run.verdicts) > 20


def test_equal_seeds_send_equal_requests() -> None:
    requests = []
    for _ in range(2):
        with running(contract="iceberg_rest", warehouse="memory:") as server:
            run = stateful_run(Target(server.url), seed=7)
        requests.append(
            [
                (e.method, e.url.partition("/v1")[2])
                for e in run.wire.exchanges.values()
                if e.check == "model"
            ]
        )

    assert requests[0] == requests[1]


@pytest.mark.parametrize(
    ("fault", "requirement", "most"),
    [
        ("loads-remember-over-renames", "IRC-TBL-REN-001", 8),
        ("assert-ref-always-holds", "IRC-COM-005", 4),
        ("recreates-views", "IRC-VIEW-REN-001", 6),
    ],
)
def test_fault_is_shown_in_few_requests(fault: str, requirement: str, most: int) -> None:
    assert 0 < contradictions_of(fault_named(fault, "iceberg_rest"))[requirement] <= most


# -- faults that need a sequence of requests -------------------------------------------------------


def namespaces_remember() -> Install:
    """Return a catalog in which a recreated namespace has the properties of its predecessor."""
    had: dict[str, dict[str, str]] = {}

    def load_with_former_properties(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        document = orjson.loads(reply.body)
        had.setdefault(str(document["namespace"]), {}).update(document["properties"])
        document["properties"] = had[str(document["namespace"])]
        return type(reply)(reply.status, orjson.dumps(document))

    return on_call("loadNamespaceMetadata", load_with_former_properties)


def four_tables_at_most(document: dict[str, Any]) -> None:
    del document["identifiers"][4:]


def takes_every_tag_for_the_current_one(handler: Handler, arguments: dict[str, Any]) -> Reply:
    reply = handler(**arguments)
    has_tag = arguments.get("if_none_match") not in {None, NEVER_GIVEN}
    return type(reply)(304, b"") if has_tag and reply.status == 200 else reply


FAULTY = {
    "takes-every-tag-for-the-current-one": (
        on_call("loadTable", takes_every_tag_for_the_current_one),
        "IRC-TBL-ETAG-003",
    ),
    "lists-four-tables-at-most": (on_answer("listTables", four_tables_at_most), "IRC-TBL-LIST-007"),
    "namespaces-remember": (namespaces_remember(), "IRC-NS-PROP-002"),
    "transactions-leave-the-last-table-out": (
        rewrites(
            "commitTransaction",
            lambda body: {"table-changes": body["table-changes"][:-1] or body["table-changes"]},
        ),
        "IRC-TXN-001",
    ),
}


@pytest.mark.parametrize("name", some(FAULTY, 2))
def test_fault_that_needs_a_sequence_is_found(name: str) -> None:
    install, requirement = FAULTY[name]

    assert requirement in contradictions_of(unnamed(install))


# -- unusual but correct servers -------------------------------------------------------------------


TIMES, CHANCE = itertools.count(), random.Random(1)
SHOWING = ("loadTable", "createTable", "updateTable")
OWNED = ("loadNamespaceMetadata", "createNamespace", "loadTable")


def pages_of_two(document: dict[str, Any]) -> None:
    if len(document["identifiers"]) > 2:
        document["identifiers"] = document["identifiers"][:2]
        document["next-page-token"] = "2"


def with_property(name: str, value: Callable[[], str]) -> Callable[[dict[str, Any]], None]:
    """Return a function that adds a property to a namespace or a table."""

    def add(document: dict[str, Any]) -> None:
        holder = document.get("metadata", document)
        holder["properties"] = {**(holder.get("properties") or {}), name: value()}

    return add


def versions_in_any_order(document: dict[str, Any]) -> None:
    for member in ("versions", "schemas"):
        document["metadata"][member] = CHANCE.sample(
            document["metadata"][member], len(document["metadata"][member])
        )


def without_refs_beside_main(document: dict[str, Any]) -> None:
    if set(document["metadata"].get("refs") or ()) <= {"main"}:
        document["metadata"].pop("refs", None)


SOUND = {
    "notes-the-time-of-each-load": on_answer(
        SHOWING, with_property("looked-at", lambda: str(next(TIMES)))
    ),
    "pages-of-two": on_answer(("listTables", "listViews"), pages_of_two),
    "properties-of-its-own": on_answer(OWNED, with_property("owner", lambda: "somebody")),
    "versions-in-any-order": on_answer("loadView", versions_in_any_order),
    "leaves-refs-out": on_answer(SHOWING, without_refs_beside_main),
}


@pytest.mark.parametrize("name", some(SOUND, 2))
def test_unusual_server_has_no_contradictions(name: str) -> None:
    assert contradictions_of(unnamed(SOUND[name])) == {}
