"""Choices that the contract leaves to vendors fail nothing."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from faulty import mutants, unnamed
from faulty_servers import judged, results
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.running import plan, runner, suite
from lakepact.reference_server import running
from lakepact.reference_server.faults import accept, all_of, on_answer, on_call
from lakepact.reference_server.http.problems import Problem
from miniatures import answer, miniature

if TYPE_CHECKING:
    from pathlib import Path

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Handler, Service
    from miniatures import Answer

SERVED = itertools.count(1)


def says_when(document: dict[str, Any]) -> None:
    document["x-served"] = next(SERVED)


def asked_for(body: dict[str, Any]) -> dict[str, str]:
    return body.get("properties") or {}


def oldest(handler: Handler, arguments: dict[str, Any]) -> Reply:
    body = arguments["body"]
    return handler(**{**arguments, "body": {**body, "properties": {"format-version": "1", **asked_for(body)}}})


def makes_no_version_3(handler: Handler, arguments: dict[str, Any]) -> Reply:
    upgrades = [one.get("format-version") for one in arguments["body"].get("updates", ()) if one.get("action") == "upgrade-format-version"]
    if "3" in asked_for(arguments["body"]).values() or 3 in upgrades:
        raise Problem(400, "BadRequestException", "no tables of format version 3 here")
    return handler(**arguments)


def keeps_three_versions(handler: Handler, arguments: dict[str, Any]) -> Reply:
    body = arguments["body"]
    return handler(**{**arguments, "body": {**body, "properties": {"version.history.num-entries": "3", **asked_for(body)}}})


def stages_whatever_is_asked_for(service: Service) -> None:
    def unless_staged(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if not arguments["body"].get("stage-create"):
            return handler(**arguments)
        usual = service.rules.current("identifier_is_free")
        service.rules.replace("identifier_is_free", accept)
        try:
            return handler(**arguments)
        finally:
            service.rules.replace("identifier_is_free", usual)

    on_call("createTable", unless_staged)(service)


CHOICES: dict[str, tuple[Install, tuple[str, ...]]] = {
    "each-answer-says-more-of-itself": (on_answer("loadTable", says_when), ("IRC-GEN-01[0-4]", "IRC-TBL-ETAG-003")),
    "format-version-1-is-the-default": (
        on_call("createTable", oldest),
        ("IRC-COM-023", "IRC-UPD-02[26]", "IRC-UPD-07[3-5]", "IRC-REQ-03[0-2]"),
    ),
    "no-tables-of-version-3": (on_call(("createTable", "updateTable"), makes_no_version_3), ("IRC-UPD-005",)),
    "conflicts-are-reported-by-the-commit-of-a-staged-table": (stages_whatever_is_asked_for, ("IRC-TBL-STAGE-009",)),
    "views-keep-three-versions": (on_call("createView", keeps_three_versions), ("IRC-VIEW-REPL-013",)),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_vendor_choice_fails_nothing(choice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    install, only = CHOICES[choice]
    seen = results({choice: install}, *only)

    assert set(seen.values()) <= {Outcome.PASS, Outcome.NOT_OFFERED}


def test_catalog_without_statistics_fails_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def keeps_none(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if any("statistics" in one.get("action", "") for one in arguments["body"].get("updates", ())):
            raise Problem(400, "BadRequestException", "no statistics here")
        return handler(**arguments)

    only = ("IRC-META-015", "IRC-UPD-010", "IRC-UPD-022", "IRC-UPD-04[05]", "IRC-UPD-050")
    with running(contract="iceberg_rest", warehouse="memory:", faults=[unnamed(on_call("updateTable", keeps_none))]) as server:
        target = Target(server.url, features={"statistics": False, "partition-statistics": False})
        run = runner.Run(plan.plan(suite.load("iceberg_rest"), only=only), target)
        for _ in run.events():
            pass

    assert {result.outcome for result in run.results().values()} <= {Outcome.PASS, Outcome.NOT_OFFERED}


def test_additional_metadata_in_answers_passes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def says_more(document: dict[str, Any]) -> None:
        document["metadata"]["x-served-by"] = "another"

    shown = ("createTable", "loadTable", "updateTable", "createView", "loadView", "replaceView")
    with running(contract="iceberg_rest", warehouse=tmp_path.as_uri(), faults=[unnamed(on_answer(shown, says_more))]) as server:
        planned = plan.plan(suite.load("iceberg_rest"), only=("tables.load.loaded*", "views.load.load_view*"))
        run = runner.Run(planned, Target(server.url, features={"readable-files": True}))
        for _ in run.events():
            pass

    seen = {requirement: result.outcome for requirement, result in run.results().items()}
    assert (seen["IRC-TBL-LOAD-001"], seen["IRC-VIEW-LOAD-001"]) == (Outcome.PASS, Outcome.PASS)


def test_catalog_without_renames_across_namespaces_passes_drops(monkeypatch: pytest.MonkeyPatch) -> None:
    def within_its_namespace(handler: Handler, arguments: dict[str, Any]) -> Reply:
        source, destination = (arguments["body"].get(side, {}).get("namespace") for side in ("source", "destination"))
        if source != destination:
            raise Problem(406, "UnsupportedOperationException", "nothing is renamed into another namespace here")
        return handler(**arguments)

    seen = results({"renames-stay-within": on_call("renameTable", within_its_namespace)}, "IRC-NS-DROP-001")

    assert seen == {"IRC-NS-DROP-001": Outcome.PASS}


def test_duplicated_partition_spec_is_only_a_warning() -> None:
    with running(contract="iceberg_rest", warehouse="memory:", faults=mutants(["duplicates-equal-specs"])) as server:
        run = runner.Run(plan.plan(suite.load("iceberg_rest"), only=("IRC-UPD-02[36]",)), Target(server.url))
        for _ in run.events():
            pass

    assert {requirement: result.outcome for requirement, result in run.results().items()} == {
        "IRC-UPD-023": Outcome.WARN,
        "IRC-UPD-026": Outcome.PASS,
    }


def test_missing_namespace_error_for_a_metrics_report_fails_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    there: set[str] = set()

    def makes(handler: Handler, arguments: dict[str, Any]) -> Reply:
        there.add("\x1f".join(arguments["body"]["namespace"]))
        return handler(**arguments)

    def looks_for_the_namespace_first(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if arguments["namespace"] not in there:
            raise Problem(404, "NoSuchNamespaceException", "there is no such namespace")
        return handler(**arguments)

    faults = {"looks-up": all_of(on_call("createNamespace", makes), on_call("reportMetrics", looks_for_the_namespace_first))}

    assert judged(faults, "IRC-TBL-MET-005") == []


def test_unknown_method_with_status_501_passes() -> None:
    def knows_config_alone(method: str, target: str, _: bytes) -> Answer:
        if (method, target.partition("?")[0]) == ("GET", "/v1/config"):
            return answer(200, {"defaults": {}, "overrides": {}})
        if method in {"PUT", "TRACE"}:
            return answer(501)
        return answer(404, {"error": {"message": "none", "type": "NoSuchNamespaceException", "code": 404}})

    with miniature(knows_config_alone) as url:
        run = runner.Run(plan.plan(suite.load("iceberg_rest"), only=("IRC-GEN-025",)), Target(url))
        for _ in run.events():
            pass

    assert {requirement: result.outcome for requirement, result in run.results().items()} == {"IRC-GEN-025": Outcome.PASS}
