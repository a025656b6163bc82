"""Reports of checks against servers with one fault name its cause."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from faulty import unnamed
from faulty_servers import checked, new_suite
from lakepact.conformance.judging import expect
from lakepact.conformance.judging.lab import Lab
from lakepact.conformance.report.causes import Severity
from lakepact.conformance.report.run_lines import lines_of
from lakepact.conformance.running import plan, runner
from lakepact.conformance.running import suite as suites
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Fault,
    all_of,
    on_call,
    on_reply,
    on_status,
    skip_validation,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Handler, Scope
from lakepact.reference_server.iceberg_rest.identifiers import bad_request
from miniatures import answer, miniature
from mutants import fault_named
from mutants.hunting import served


def report(
    folder: Path,
    *faults: Fault | str,
    only: str | list[str] = "",
    contract: str = "iceberg_rest",
    plan_of_checks: plan.Plan | None = None,
) -> list[dict[str, Any]]:
    """Return the report of the checks of some requirements, or of a plan, on a server with
    faults.
    """
    suite = suites.load(contract)
    with served(suite, str(folder), faults=faults) as target:
        only = [only] if isinstance(only, str) else only
        run = runner.Run(plan_of_checks or plan.plan(suite, only=only), target)
        for _ in run.events():
            pass
        return list(lines_of(run))


def with_a_stack(reply: Reply, _: Scope) -> Reply:
    """Return a refusal with a long stack, and members in alphabetical order."""
    if reply.status < 400 or not reply.body:
        return reply
    error = {**orjson.loads(reply.as_whole().body)["error"], "stack": ["at a.b(C.java:1)"] * 600}
    return replace(
        reply, body=orjson.dumps({"error": error}, option=orjson.OPT_SORT_KEYS), chunks=None
    )


def test_wrong_status_with_a_stack_of_10_kb_has_its_type_in_the_title(tmp_path: Path) -> None:
    wrong = unnamed(on_status(op.load_table, {404: 400}))
    long = unnamed(on_reply(op.load_table, with_a_stack))
    report_lines = report(tmp_path, wrong, long, only="IRC-TBL-LOAD-005")

    assert [line["title"] for line in report_lines if line["line"] == "cause"] == [
        "loadTable returned 400 (NoSuchTableException) for a view as a table, expected 404"
    ]


def test_error_with_the_names_of_the_request_is_one_cause(tmp_path: Path) -> None:
    def refuse(handler: Handler, arguments: dict[str, Any]) -> Reply:
        names = [arguments["body"][end]["name"] for end in ("source", "destination")]
        if all(name.replace("_", "").isalnum() for name in names):
            return handler(**arguments)
        raise Problem(500, "RuntimeException", f"Failed to rename {' to '.join(names)}")

    wrong = unnamed(on_call(op.rename_table, refuse))
    causes = report(tmp_path, wrong, only=["IRC-TBL-REN-001", "IRC-GEN-019", "IRC-GEN-023"])

    titles = [line["title"] for line in causes if line["line"] == "cause"]
    assert titles == [
        "renameTable returned 500 (RuntimeException: Failed to rename … to …), expected 204"
    ]


def test_cause_has_the_trail_of_its_gravest_exchange(tmp_path: Path) -> None:
    wrong = unnamed(on_status(op.load_table, {404: 400}))
    report_lines = report(tmp_path, wrong, only="IRC-TBL-LOAD-005")
    exchanges = {line["number"] for line in report_lines if line["line"] == "exchange"}
    (first,) = [
        item for line in report_lines if line["line"] == "cause" for item in line["evidence"]
    ]

    assert first["exchanges"][-1] == first["exchange"]
    assert exchanges >= set(first["exchanges"])
    assert first["replay"]["exchanges"][-1] == first["exchange"]


def test_namespace_that_a_refused_creation_stores_unreadable_is_lost_data(tmp_path: Path) -> None:
    unreadable: set[str] = set()

    def store(handler: Handler, arguments: dict[str, Any]) -> Reply:
        body = arguments["body"]
        properties = body.get("properties") or {}
        if all(isinstance(value, str) for value in properties.values()):
            return handler(**arguments)
        handler(body={**body, "properties": {}})
        unreadable.update(body["namespace"])
        raise bad_request("no text")

    def load(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if arguments["namespace"] in unreadable:
            raise bad_request("no text")
        return handler(**arguments)

    fault = all_of(
        skip_validation(op.create_namespace),
        on_call(op.create_namespace, store),
        on_call(op.load_namespace_metadata, load),
    )
    report_lines = report(tmp_path, unnamed(fault), only="IRC-NS-CREATE-014")
    (cause,) = [line for line in report_lines if line["line"] == "cause"]

    assert cause["severity"] == Severity.DATA
    assert cause["title"].startswith(
        "after a refused createNamespace, listNamespaces returned `namespaces` with more"
    )


def test_table_that_a_refused_registration_removes_is_lost_data(tmp_path: Path) -> None:
    suite, requirements = suites.load("iceberg_rest"), {"IRC-TBL-REG-010", "IRC-ERR-022"}
    selection = plan.Plan(
        suite,
        tuple(c for c in suite.checks.values() if "IRC-TBL-REG-010" in c.requirements),
        tuple(i for i in suite.invariants.values() if "IRC-ERR-022" in i.requirements),
        frozenset(requirements),
    )
    fault = fault_named("registers-over-in-vain", "iceberg_rest")
    report_lines = report(tmp_path, fault, plan_of_checks=selection)
    (cause,) = [line for line in report_lines if line["line"] == "cause"]

    assert {*cause["requirements"]} == requirements
    assert cause["severity"] == Severity.DATA
    assert cause["title"].startswith("after a refused registerTable, loadTable returned 404 (")


@pytest.mark.nightly
def test_case_with_an_answer_of_another_check_is_reported(tmp_path: Path) -> None:
    fault = fault_named("inline-vectors-are-a-failure", "delta_sharing")
    only = ["DS-DFL-07", "DS-DWP-02", "DS-QRY-09", "DS-TTV-01"]
    lines_of = report(tmp_path, fault, only=only, contract="delta_sharing")
    exchanges = {line["number"]: line for line in lines_of if line["line"] == "exchange"}
    results = {line["requirement"]: line for line in lines_of if line["line"] == "result"}

    for requirement in only:
        verdict = next(v for v in results[requirement]["verdicts"] if v.get("failures"))
        last = exchanges[verdict["failures"][0]["exchange"]]
        assert last["response"]["status"] == 500


def test_exchange_has_the_names_of_its_lab_however_they_are_sent() -> None:
    suite = new_suite()

    @suite.check("IRC-CFG-001")
    def sends_names(lab: Lab) -> None:
        """Send a name of the lab, the same encoded, in a body, and one of another run."""
        name = lab.name()
        escapes = "".join(f"%{byte:02X}" for byte in name.encode())
        for target in (f"/{name}", f"/{escapes}", "/lp_0_0_1"):
            lab.send_raw("GET", target)
        lab.send_raw("POST", "/", content=name.encode())

    with miniature(lambda *_: answer(200, {})) as url:
        run = checked(url, of=suite)
    objects_of_requests = [
        e.objects for e in run.wire.exchanges.values() if e.check.endswith("sends_names")
    ]

    assert [len(objects) for objects in objects_of_requests] == [1, 1, 0, 1]
    assert len(frozenset().union(*objects_of_requests)) == 1


def test_refused_change_before_a_read_is_evidence_of_what_the_read_shows() -> None:
    suite = new_suite()

    @suite.check("IRC-CFG-001")
    def reads_after_a_refusal(lab: Lab) -> None:
        """A refused change changes nothing."""
        name = lab.name()
        lab.send_raw("POST", f"/{name}")
        reply = lab.send_raw("GET", f"/{name}")
        with lab.judge("IRC-CFG-001"):
            expect.member(1, reply.place("a"), "a")

    with miniature(lambda method, *_: answer(409 if method == "POST" else 200, {"a": 2})) as url:
        report_lines = list(lines_of(checked(url, of=suite)))
    (cause,) = [line for line in report_lines if line["line"] == "cause"]
    methods = {
        line["number"]: line["request"]["method"]
        for line in report_lines
        if line["line"] == "exchange"
    }

    assert cause["severity"] == Severity.DATA
    assert [methods[number] for number in cause["evidence"][0]["exchanges"]] == ["POST", "GET"]


def test_members_of_a_refused_answer_are_not_judged(tmp_path: Path) -> None:
    conflict = unnamed(on_status(op.update_properties, {200: 409}))
    lines_of_report = report(tmp_path, conflict, only=["IRC-NS-PROP-001", "IRC-NS-PROP-004"])

    assert {
        line["requirement"]: line["outcome"] for line in lines_of_report if line["line"] == "result"
    } == {"IRC-NS-PROP-001": "fail", "IRC-NS-PROP-004": "blocked"}
