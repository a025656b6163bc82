"""Correct variants of servers fail nothing, and single deviations fail only the requirement that they break."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from faulty import mutants, unnamed
from faulty_servers import judged
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.running import plan, runner, suite
from lakepact.reference_server import running
from lakepact.reference_server.faults import all_of, on_answer, on_call, on_request
from lakepact.reference_server.http.problems import Problem
from miniatures import answer, miniature

if TYPE_CHECKING:
    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Handler, Scope
    from miniatures import Answer

TABLE = {
    "metadata-location": "memory:/t/metadata/0.json",
    "metadata": {"format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1"},
}


def refused(status: int, kind: str) -> Answer:
    return answer(status, {"error": {"message": kind, "type": kind, "code": status}})


def outcomes(server: Any, *requirements: str) -> dict[str, Outcome]:
    with miniature(server) as url:
        run = runner.Run(plan.plan(suite.load("iceberg_rest"), only=requirements), Target(url))
        for _ in run.events():
            pass
    return {requirement: result.outcome for requirement, result in run.results().items()}


class Namespaces:
    """Namespaces in a set; nested namespaces can be created, but no path finds them."""

    def __init__(self) -> None:
        self.there: set[tuple[str, ...]] = set()

    def __call__(self, method: str, target: str, body: bytes) -> Answer:
        path = target.partition("?")[0].split("/")
        if path[-1] == "config":
            return answer(200, {"defaults": {}, "overrides": {}})
        if method == "POST":
            return self.made(tuple(orjson.loads(body)["namespace"]))
        name = path[3] if len(path) > 3 else ""
        if "%1F" in name:
            return refused(400, "BadRequestException")
        return self.found(method, (name,))

    def made(self, namespace: tuple[str, ...]) -> Answer:
        if namespace in self.there:
            return refused(409, "AlreadyExistsException")
        self.there.add(namespace)
        return answer(200, {"namespace": list(namespace), "properties": {}})

    def found(self, method: str, namespace: tuple[str, ...]) -> Answer:
        if namespace not in self.there:
            return refused(404, "NoSuchNamespaceException")
        if method == "DELETE":
            self.there.remove(namespace)
            return answer(204)
        return answer(200, {"namespace": list(namespace), "properties": {}})


def test_server_without_nested_paths_fails_only_their_encoding() -> None:
    seen = outcomes(Namespaces(), "IRC-NS-ENC-001", "IRC-NS-GET-001", "IRC-NS-GET-005", "IRC-NS-GET-006")

    assert seen["IRC-NS-ENC-001"] is Outcome.FAIL
    assert seen["IRC-NS-GET-001"] is Outcome.PASS
    assert seen["IRC-NS-GET-005"] is Outcome.PASS
    assert seen["IRC-NS-GET-006"] is Outcome.NOT_OFFERED


def requires_stage_create(method: str, target: str, body: bytes) -> Answer:
    """Answer as a catalog that requires `stage-create` in a request to create a table."""
    if target.endswith("/config"):
        return answer(200, {"defaults": {}, "overrides": {}})
    if target.endswith("/tables") and method == "POST" and "stage-create" not in orjson.loads(body):
        return refused(500, "WebApplicationException")
    if method == "DELETE":
        return answer(204)
    return answer(200, orjson.loads(body) | TABLE if body else TABLE)


def test_server_that_requires_an_optional_member_fails_one_requirement() -> None:
    seen = outcomes(requires_stage_create, "IRC-TBL-CREATE-001", "IRC-TBL-CREATE-002")

    assert seen["IRC-TBL-CREATE-001"] is Outcome.FAIL
    assert seen["IRC-TBL-CREATE-002"] is Outcome.PASS


@pytest.mark.parametrize("body", [b"null", b"[]", b"{}", b"<html>", b""], ids=repr)
def test_nonsense_answers_cause_no_errors(body: bytes) -> None:
    seen = outcomes(
        lambda *_: (200, {"Content-Type": "application/json"}, body), "IRC-CFG-00*", "IRC-NS-GET-*", "IRC-UPD-01*", "IRC-TBL-LOAD-00*"
    )

    assert Outcome.ERROR not in seen.values()


class FlatAndHalf:
    """A catalog without endpoints that has one level of namespaces, keeps the first level of a longer name, and can drop nothing."""

    def __init__(self) -> None:
        self.there: set[str] = set()

    def __call__(self, method: str, target: str, body: bytes) -> Answer:
        path = target.partition("?")[0].split("/")
        if path[-1] == "config":
            return answer(200, {"defaults": {}, "overrides": {}})
        if path[2] != "namespaces" or len(path) > 4 or method == "DELETE":
            return refused(501, "UnsupportedOperationException")
        if method == "POST":
            name = orjson.loads(body)["namespace"][0]
            self.there.add(name)
            return answer(200, {"namespace": [name], "properties": {}})
        if len(path) == 3:
            return answer(200, {"namespaces": [[name] for name in sorted(self.there)]})
        if path[3] not in self.there:
            return refused(404, "NoSuchNamespaceException")
        return answer(200, {"namespace": [path[3]], "properties": {}})


def test_unsupported_operation_fails_one_requirement() -> None:
    wanted = ("IRC-CFG-011", "IRC-CFG-013", "IRC-NS-DROP-001", "IRC-NS-PROP-001", "IRC-TBL-DROP-001", "IRC-TBL-MET-003", "IRC-NS-GET-001")
    seen = outcomes(FlatAndHalf(), *wanted)

    assert {requirement for requirement, outcome in seen.items() if outcome is Outcome.FAIL} == {"IRC-CFG-013"}
    assert seen["IRC-CFG-011"] is Outcome.NOT_OFFERED  # the configuration names no endpoints
    assert seen["IRC-NS-DROP-001"] is Outcome.BLOCKED
    assert seen["IRC-NS-GET-001"] is Outcome.PASS


def test_server_that_shortens_namespaces_gets_one_warning() -> None:
    seen = outcomes(FlatAndHalf(), "IRC-NS-CREATE-009", "IRC-NS-CREATE-011", "IRC-NS-LIST-002", "IRC-NS-LIST-008", "IRC-NS-LIST-003")

    assert {requirement: outcome for requirement, outcome in seen.items() if outcome in {Outcome.FAIL, Outcome.WARN}} == {
        "IRC-NS-CREATE-011": Outcome.WARN
    }
    assert seen["IRC-NS-LIST-002"] is Outcome.NOT_OFFERED


def hangs_up_on_forms(method: str, target: str, body: bytes) -> Answer:
    """Answer as a catalog that hangs up on forms."""
    if body.startswith(b"grant_type"):
        raise ConnectionAbortedError
    return answer(200, {"defaults": {}, "overrides": {}}) if target.endswith("/config") else refused(404, "NoSuchNamespaceException")


def test_server_that_hangs_up_on_forms_is_still_judged(capfd: pytest.CaptureFixture[str]) -> None:
    seen = outcomes(hangs_up_on_forms, "IRC-CFG-001", "IRC-CFG-007")
    capfd.readouterr()

    assert set(seen.values()) == {Outcome.PASS}


def has_its_own_error_type(method: str, target: str, body: bytes) -> Answer:
    """Answer as a catalog without endpoints that reports missing objects with its own error type."""
    path = target.partition("?")[0].split("/")
    if path[-1] == "config":
        return answer(200, {"defaults": {}, "overrides": {}})
    if path[-1] in {"tokens", "credentials", "plan", "tasks"} or "plan" in path:
        return answer(404)
    if (method, path[-1]) == ("GET", "namespaces"):
        return answer(200, {"namespaces": []})
    if path[-1] == "namespaces":
        return refused(400, "BadRequestException")
    return answer(404, {"error": {"message": f"nowhere: {'.'.join(path)} {body.decode()}", "type": "NotFoundException", "code": 404}})


def test_own_error_type_for_missing_objects_fails_nothing() -> None:
    seen = outcomes(has_its_own_error_type, "IRC-CFG-011", "IRC-CFG-013", "IRC-GEN-026", "IRC-ERR-001", "IRC-ERR-007")

    assert Outcome.FAIL not in seen.values()
    assert seen["IRC-CFG-013"] is Outcome.PASS


class SeparatesByDots:
    """A catalog that announces a dot between the levels of a namespace, and refuses the default separator in paths."""

    def __init__(self) -> None:
        self.there: set[str] = set()

    def __call__(self, method: str, target: str, body: bytes) -> Answer:
        path = target.partition("?")[0].split("/")
        if path[-1] == "config":
            return answer(200, {"defaults": {}, "overrides": {"namespace-separator": "%2E"}, "endpoints": list(OF_NAMESPACES)})
        if "%1F" in target:
            return refused(400, "BadRequestException")
        if method == "POST" and path[-1] == "namespaces":
            levels = orjson.loads(body)["namespace"]
            self.there.add(".".join(levels))
            return answer(200, {"namespace": levels, "properties": {}})
        if method == "DELETE" and path[-1] in self.there:
            self.there.remove(path[-1])
            return answer(204)
        return refused(404, "NoSuchNamespaceException")


OF_NAMESPACES = ("GET /v1/{prefix}/namespaces", "POST /v1/{prefix}/namespaces", "DELETE /v1/{prefix}/namespaces/{namespace}")


def test_cleanup_with_another_separator_leaves_nothing() -> None:
    server = SeparatesByDots()
    outcomes(server, "IRC-NS-CREATE-009", "IRC-NS-DROP-005", "IRC-NS-LIST-002")

    assert server.there == set()


def test_server_that_ignores_unknown_columns_blocks_the_letter_case_check() -> None:
    with running(warehouse="memory:", faults=mutants(["unknown-columns-are-ignored"])) as server:
        run = runner.Run(plan.plan(suite.load("iceberg_rest"), only=("IRC-SCAN-PLAN-017", "IRC-SCAN-PLAN-018")), Target(server.url))
        for _ in run.events():
            pass

    seen = {requirement: result.outcome for requirement, result in run.results().items()}
    assert seen == {"IRC-SCAN-PLAN-017": Outcome.FAIL, "IRC-SCAN-PLAN-018": Outcome.BLOCKED}


CHANGING = ("createNamespace", "createTable", "updateTable")
SHOWING = ("createTable", "loadTable", "updateTable")


def shows_its_last_commit() -> Install:
    """Return a catalog whose tables all carry the number of its last commit."""
    commits = itertools.count()
    last = [0]

    def changed(handler: Handler, arguments: dict[str, Any]) -> Reply:
        last[0] = next(commits)
        return handler(**arguments)

    def shown(document: dict[str, Any]) -> None:
        document["metadata"].setdefault("properties", {})["catalog.commit-id"] = str(last[0])

    return all_of(on_call(CHANGING, changed), on_answer(SHOWING, shown))


def test_last_commit_in_table_properties_fails_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with running(contract="iceberg_rest", warehouse="memory:", faults=[unnamed(shows_its_last_commit())]) as server:
        run = runner.Run(
            plan.plan(suite.load("iceberg_rest"), only=["IRC-COM-002", "IRC-COM-004", "IRC-COM-011", "IRC-COM-012"]), Target(server.url)
        )
        for _ in run.events():
            pass

    assert [(v.requirement, v.actual) for v in run.verdicts if v.outcome in {Outcome.FAIL, Outcome.WARN, Outcome.ERROR}] == []


def is_no_route(scope: Scope) -> None:
    raise Problem(404, "NotFoundException", f"Unknown path: {scope['path']}")


def test_operation_without_a_route_fails_one_requirement(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {
        "says-nothing-of-endpoints": on_answer("getConfig", lambda document: document.pop("endpoints", None) and None),
        "has-half-of-the-routes": on_request(("updateProperties", "renameTable", "reportMetrics", "dropTable"), is_no_route),
    }
    seen = judged(faults, "IRC-CFG-013", "IRC-NS-PROP-*", "IRC-TBL-REN-*", "IRC-TBL-MET-*", "IRC-TBL-DROP-001")

    assert seen == [("IRC-CFG-013", "fail")]


def wants_the_last_column(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if any(update["action"] == "add-schema" and "last-column-id" not in update for update in arguments["body"]["updates"]):
        raise Problem(500, "WebApplicationException", "HTTP 400 Bad Request")
    return handler(**arguments)


def test_server_that_requires_a_deprecated_member_fails_one_requirement(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {"wants-the-last-column": on_call("updateTable", wants_the_last_column)}
    seen = judged(faults, "IRC-UPD-01*", "IRC-COM-001", "IRC-COM-030", "IRC-TXN-001")

    assert seen == [("IRC-UPD-012", "fail")]


class IsBusy:
    """A catalog that answers every third request with an error and `Retry-After`, until the request is repeated."""

    def __init__(self, status: int) -> None:
        self.status, self.asked, self.namespaces = status, itertools.count(1), Namespaces()
        self.turned_away: set[tuple[str, str, bytes]] = set()

    def __call__(self, method: str, target: str, body: bytes) -> Answer:
        if next(self.asked) % 3 == 0 and (method, target, body) not in self.turned_away:
            self.turned_away.add((method, target, body))
            error = {"error": {"message": "busy", "type": "ServiceUnavailableException", "code": self.status}}
            return answer(self.status, error, **{"Retry-After": "0"})
        return self.namespaces(method, target, body)


@pytest.mark.parametrize("status", [429, 503])
def test_busy_server_gets_repeated_requests_and_passes(status: int) -> None:
    seen = outcomes(IsBusy(status), "IRC-NS-GET-001", "IRC-NS-GET-005", "IRC-NS-CREATE-001", "IRC-NS-CREATE-005", "IRC-NS-DROP-002")

    assert set(seen.values()) == {Outcome.PASS}


def refuses_children(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if len(arguments["body"]["namespace"]) > 1:
        raise Problem(400, "BadRequestException", "there is one level of namespaces")
    return handler(**arguments)


def test_server_with_flat_namespaces_fails_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {"is-flat": on_call("createNamespace", refuses_children)}

    assert judged(faults, "IRC-NS-CREATE-00*", "IRC-NS-LIST-00*", "IRC-NS-DROP-005", "IRC-TBL-CREATE-013") == []


def refuses_properties(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if arguments["body"].get("properties"):
        raise Problem(406, "UnsupportedOperationException", "namespaces have no properties")
    return handler(**arguments)


def refuses(scope: Scope) -> None:
    raise Problem(406, "UnsupportedOperationException", "namespaces have no properties")


def test_server_without_namespace_properties_fails_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def null(document: dict[str, Any]) -> None:
        document["properties"] = None

    faults = {
        "creates-without-properties": on_call("createNamespace", refuses_properties),
        "updates-no-properties": on_request("updateProperties", refuses),
        "shows-no-properties": on_answer(("createNamespace", "loadNamespaceMetadata"), null),
    }

    only = ("IRC-NS-CREATE-00*", "IRC-NS-ENC-004", "IRC-NS-DROP-005", "IRC-NS-PROP-01*", "IRC-GEN-013", "IRC-GEN-020")
    assert judged(faults, *only) == []


def test_uppercase_uuids_and_default_format_version_3_fail_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def capitals(document: dict[str, Any]) -> None:
        document["metadata"]["table-uuid"] = document["metadata"]["table-uuid"].upper()

    def newest(handler: Handler, arguments: dict[str, Any]) -> Reply:
        asked = arguments["body"].get("properties") or {}
        return handler(**{**arguments, "body": {**arguments["body"], "properties": {"format-version": "3", **asked}}})

    faults = {"spells-uuids-in-capitals": on_answer(SHOWING, capitals), "creates-version-3": on_call("createTable", newest)}
    only = ("IRC-REQ-001", "IRC-TXN-012", "IRC-TBL-STAGE-005")
    assert judged(faults, *only) == []
