"""Random sequences of changes find lost or confused changes in few requests, and pass on correct servers."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from faulty import unnamed
from lakepact.conformance.checks.iceberg_rest.stateful.model_histories import NEVER_GIVEN
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.running import plan, runner
from lakepact.conformance.running import suite as suites
from lakepact.conformance.running.embedded_server import embedded
from lakepact.reference_server.faults import Fault, all_of, on_answer, on_call
from lakepact.reference_server.running import running
from mutants import fault_named

if TYPE_CHECKING:
    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Handler

BUDGET = 600  #: requests, as many as `lakepact check` sends


def stateful_run(target: Target, suite: suites.Suite[Any] | None = None, *, seed: int = 0) -> runner.Run:
    """Run the stateful tests on a target and return the run."""
    suite = suite or suites.load("iceberg_rest")
    one = next(requirement for requirement in suite.judged() if suite.requirement(requirement).area == "configuration")
    run = runner.Run(plan.plan(suite, only=[one]), target, stateful=BUDGET, stateful_seed=seed, run_id="same")
    for _ in run.events():
        pass
    return run


def contradictions_of(fault: Fault) -> dict[str, int]:
    """Return the requirements that a fault breaks, with the number of requests that show each."""
    with running(contract="iceberg_rest", warehouse="memory:", faults=(fault,)) as server:
        return contradictions(stateful_run(Target(server.url)))


def contradictions(run: runner.Run) -> dict[str, int]:
    """Return the broken requirements, with the number of requests that show each."""
    return {v.requirement: len(v.exchanges) for v in run.verdicts if v.check == "model" and v.outcome is not Outcome.PASS}


@pytest.mark.parametrize(("contract", "version"), [("iceberg_rest", "1.10.0"), ("iceberg_rest", "1.11.0"), ("watsonx_data", "2026")])
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
        requests.append([(e.method, e.url.partition("/v1")[2]) for e in run.wire.exchanges.values() if e.check == "model"])

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


# -- faults that need a sequence of requests ----------------------------------------------------------------------


def forgets_every_fifth_table() -> Install:
    """Return a catalog that lists at most four tables."""

    def shorten(document: dict[str, Any]) -> None:
        del document["identifiers"][4:]

    return on_answer("listTables", shorten)


def namespaces_remember() -> Install:
    """Return a catalog in which a recreated namespace has the properties of its predecessor."""
    had: dict[str, dict[str, str]] = {}

    def loaded(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        document = orjson.loads(reply.body)
        had.setdefault(str(document["namespace"]), {}).update(document["properties"])
        document["properties"] = had[str(document["namespace"])]
        return type(reply)(reply.status, orjson.dumps(document))

    return on_call("loadNamespaceMetadata", loaded)


def transactions_leave_the_last_table_out() -> Install:
    """Return a catalog that forgets the last table of a transaction of several."""

    def shortened(handler: Handler, arguments: dict[str, Any]) -> Reply:
        changes = arguments["body"]["table-changes"]
        if len(changes) > 1:
            arguments = {**arguments, "body": {"table-changes": changes[:-1]}}
        return handler(**arguments)

    return on_call("commitTransaction", shortened)


def takes_every_tag_for_the_current_one() -> Install:
    """Return a catalog that returns 304 for every ETag that it has ever given."""

    def loaded(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        is_given = arguments.get("if_none_match") not in {None, NEVER_GIVEN}
        return type(reply)(304, b"") if is_given and reply.status == 200 else reply

    return on_call("loadTable", loaded)


FAULTY = {
    "takes-every-tag-for-the-current-one": (takes_every_tag_for_the_current_one, "IRC-TBL-ETAG-003"),
    "forgets-every-fifth-table": (forgets_every_fifth_table, "IRC-TBL-LIST-007"),
    "namespaces-remember": (namespaces_remember, "IRC-NS-PROP-002"),
    "transactions-leave-the-last-table-out": (transactions_leave_the_last_table_out, "IRC-TXN-001"),
}


@pytest.mark.parametrize("name", FAULTY)
def test_fault_that_needs_a_sequence_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    install, requirement = FAULTY[name]

    assert requirement in contradictions_of(unnamed(install()))


# -- unusual but correct servers ----------------------------------------------------------------------------------


def moves_with_every_load() -> Install:
    """Return a catalog that notes the time of each load in the table."""
    times = iter(range(10**6))

    def note(document: dict[str, Any]) -> None:
        document["metadata"]["properties"] = {**document["metadata"].get("properties", {}), "looked-at": str(next(times))}

    return on_answer(("loadTable", "createTable", "updateTable"), note)


def pages_of_two() -> Install:
    """Return a catalog that always lists two tables per page."""

    def cut(document: dict[str, Any]) -> None:
        if len(document["identifiers"]) > 2:
            document["identifiers"] = document["identifiers"][:2]
            document["next-page-token"] = "2"

    return on_answer(("listTables", "listViews"), cut)


def properties_of_its_own() -> Install:
    """Return a catalog that gives namespaces and tables properties of its own."""

    def add_to_namespace(document: dict[str, Any]) -> None:
        document["properties"] = {**(document.get("properties") or {}), "owner": "somebody"}

    def add_to_table(document: dict[str, Any]) -> None:
        document["metadata"]["properties"] = {**document["metadata"].get("properties", {}), "owner": "somebody"}

    return all_of(on_answer(("loadNamespaceMetadata", "createNamespace"), add_to_namespace), on_answer("loadTable", add_to_table))


def versions_in_any_order() -> Install:
    """Return a catalog that sends the versions and schemas of a view in random order."""
    chance = random.Random(1)

    def shuffle(document: dict[str, Any]) -> None:
        for member in ("versions", "schemas"):
            document["metadata"][member] = chance.sample(document["metadata"][member], len(document["metadata"][member]))

    return on_answer("loadView", shuffle)


def leaves_refs_out() -> Install:
    """Return a catalog that omits `refs` if there is no other ref than `main`."""

    def leave_out(document: dict[str, Any]) -> None:
        if set(document["metadata"].get("refs") or ()) <= {"main"}:
            document["metadata"].pop("refs", None)

    return on_answer(("loadTable", "createTable", "updateTable"), leave_out)


SOUND = {
    "moves-with-every-load": moves_with_every_load,
    "pages-of-two": pages_of_two,
    "properties-of-its-own": properties_of_its_own,
    "versions-in-any-order": versions_in_any_order,
    "leaves-refs-out": leaves_refs_out,
}


@pytest.mark.parametrize("name", SOUND)
def test_unusual_server_has_no_contradictions(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert contradictions_of(unnamed(SOUND[name]())) == {}
