"""Servers that are right in ways of their own, or wrong in one way only, are not accused of what they keep."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from faulty import mutants, unnamed
from faulty_servers import judged
from lakepact.conformance import plan, runner, suite
from lakepact.conformance.outcome import Outcome
from lakepact.conformance.target import Target
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
    """Namespaces in a set; below the top level they can be made and are found at no path."""

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


def test_who_finds_no_nested_namespaces_is_accused_of_that_alone() -> None:
    seen = outcomes(Namespaces(), "IRC-NS-ENC-001", "IRC-NS-GET-001", "IRC-NS-GET-005", "IRC-NS-GET-006")

    assert seen["IRC-NS-ENC-001"] is Outcome.FAIL
    assert seen["IRC-NS-GET-001"] is Outcome.PASS
    assert seen["IRC-NS-GET-005"] is Outcome.PASS
    assert seen["IRC-NS-GET-006"] is Outcome.NOT_OFFERED


def needs_to_be_told_that_nothing_is_staged(method: str, target: str, body: bytes) -> Answer:
    """Return a catalog that breaks when a request to create a table does not say `stage-create`."""
    if target.endswith("/config"):
        return answer(200, {"defaults": {}, "overrides": {}})
    if target.endswith("/tables") and method == "POST" and "stage-create" not in orjson.loads(body):
        return refused(500, "WebApplicationException")
    if method == "DELETE":
        return answer(204)
    return answer(200, orjson.loads(body) | TABLE if body else TABLE)


def test_who_insists_on_an_optional_member_is_accused_of_that_alone() -> None:
    seen = outcomes(needs_to_be_told_that_nothing_is_staged, "IRC-TBL-CREATE-001", "IRC-TBL-CREATE-002")

    assert seen["IRC-TBL-CREATE-001"] is Outcome.FAIL
    assert seen["IRC-TBL-CREATE-002"] is Outcome.PASS


@pytest.mark.parametrize("body", [b"null", b"[]", b"{}", b"<html>", b""], ids=repr)
def test_whatever_is_answered_the_harness_does_not_break(body: bytes) -> None:
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


def test_an_operation_that_is_said_to_be_lacking_is_accused_of_once() -> None:
    wanted = ("IRC-CFG-011", "IRC-CFG-013", "IRC-NS-DROP-001", "IRC-NS-PROP-001", "IRC-TBL-DROP-001", "IRC-TBL-MET-003", "IRC-NS-GET-001")
    seen = outcomes(FlatAndHalf(), *wanted)

    assert {requirement for requirement, outcome in seen.items() if outcome is Outcome.FAIL} == {"IRC-CFG-013"}
    assert seen["IRC-CFG-011"] is Outcome.NOT_OFFERED  # nothing is named, so nothing is named wrongly
    assert seen["IRC-NS-DROP-001"] is Outcome.BLOCKED
    assert seen["IRC-NS-GET-001"] is Outcome.PASS


def test_who_makes_another_namespace_than_was_asked_for_is_accused_of_that_alone() -> None:
    seen = outcomes(FlatAndHalf(), "IRC-NS-CREATE-009", "IRC-NS-LIST-002", "IRC-NS-LIST-008", "IRC-NS-LIST-003")

    assert {requirement for requirement, outcome in seen.items() if outcome is Outcome.FAIL} == {"IRC-NS-CREATE-009"}
    assert seen["IRC-NS-LIST-002"] is Outcome.BLOCKED


def closes_the_door_on_forms(method: str, target: str, body: bytes) -> Answer:
    """Return a catalog whose only answer to a form is to hang up."""
    if body.startswith(b"grant_type"):
        raise ConnectionAbortedError
    return answer(200, {"defaults": {}, "overrides": {}}) if target.endswith("/config") else refused(404, "NoSuchNamespaceException")


def test_who_hangs_up_on_what_is_optional_is_judged_all_the_same(capfd: pytest.CaptureFixture[str]) -> None:
    seen = outcomes(closes_the_door_on_forms, "IRC-CFG-001", "IRC-CFG-007")
    capfd.readouterr()

    assert set(seen.values()) == {Outcome.PASS}


def calls_it_otherwise(method: str, target: str, body: bytes) -> Answer:
    """Return a catalog without endpoints that looks every name up and reports missing ones with its own error type."""
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


def test_what_is_not_there_may_be_called_otherwise_and_routers_answer_what_is_not_offered() -> None:
    seen = outcomes(calls_it_otherwise, "IRC-CFG-011", "IRC-CFG-013", "IRC-GEN-026", "IRC-ERR-001", "IRC-ERR-007")

    assert Outcome.FAIL not in seen.values()
    assert seen["IRC-CFG-013"] is Outcome.PASS


class SeparatesByDots:
    """A catalog that announces a dot between the levels of a namespace, and refuses the contract's own separator in paths."""

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


def test_nothing_is_left_behind_where_levels_are_separated_otherwise() -> None:
    server = SeparatesByDots()
    outcomes(server, "IRC-NS-CREATE-009", "IRC-NS-DROP-005", "IRC-NS-LIST-002")

    assert server.there == set()


def test_who_looks_no_column_up_is_not_accused_of_letter_case() -> None:
    with running(warehouse="memory:", faults=mutants(["unknown-columns-are-ignored"])) as server:
        run = runner.Run(plan.plan(suite.load("iceberg_rest"), only=("IRC-SCAN-PLAN-017", "IRC-SCAN-PLAN-018")), Target(server.url))
        for _ in run.events():
            pass

    seen = {requirement: result.outcome for requirement, result in run.results().items()}
    assert seen == {"IRC-SCAN-PLAN-017": Outcome.FAIL, "IRC-SCAN-PLAN-018": Outcome.BLOCKED}


CHANGING = ("createNamespace", "createTable", "updateTable")
SHOWING = ("createTable", "loadTable", "updateTable")


def shows_its_last_commit() -> Install:
    """Every table has a property with the number of the catalog's last commit, whichever table it was to."""
    commits = itertools.count()
    last = [0]

    def changed(handler: Handler, arguments: dict[str, Any]) -> Reply:
        last[0] = next(commits)
        return handler(**arguments)

    def shown(document: dict[str, Any]) -> None:
        document["metadata"].setdefault("properties", {})["catalog.commit-id"] = str(last[0])

    return all_of(on_call(CHANGING, changed), on_answer(SHOWING, shown))


def test_who_shows_its_own_last_commit_in_every_table_is_not_accused_of_changing_them(monkeypatch: pytest.MonkeyPatch) -> None:
    with running(contract="iceberg_rest", warehouse="memory:", faults=[unnamed(shows_its_last_commit())]) as server:
        run = runner.Run(
            plan.plan(suite.load("iceberg_rest"), only=["IRC-COM-002", "IRC-COM-004", "IRC-COM-011", "IRC-COM-012"]), Target(server.url)
        )
        for _ in run.events():
            pass

    assert [(v.requirement, v.actual) for v in run.verdicts if v.outcome in {Outcome.FAIL, Outcome.WARN, Outcome.ERROR}] == []


def is_no_route(scope: Scope) -> None:
    raise Problem(404, "NotFoundException", f"Unknown path: {scope['path']}")


def test_an_operation_that_no_route_leads_to_is_accused_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_who_insists_on_a_deprecated_member_is_accused_of_that_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {"wants-the-last-column": on_call("updateTable", wants_the_last_column)}
    seen = judged(faults, "IRC-UPD-01*", "IRC-COM-001", "IRC-COM-030", "IRC-TXN-001")

    assert seen == [("IRC-UPD-012", "fail")]


class IsBusy:
    """A catalog of namespaces that is too busy for every third request until it comes again, and says when it will not be."""

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
def test_who_is_busy_now_and_then_is_asked_again_and_accused_of_nothing(status: int) -> None:
    seen = outcomes(IsBusy(status), "IRC-NS-GET-001", "IRC-NS-GET-005", "IRC-NS-CREATE-001", "IRC-NS-CREATE-005", "IRC-NS-DROP-002")

    assert set(seen.values()) == {Outcome.PASS}


def refuses_children(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if len(arguments["body"]["namespace"]) > 1:
        raise Problem(400, "BadRequestException", "there is one level of namespaces")
    return handler(**arguments)


def test_who_refuses_children_of_namespaces_lacks_what_nobody_has_to_have(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {"is-flat": on_call("createNamespace", refuses_children)}

    assert judged(faults, "IRC-NS-CREATE-00*", "IRC-NS-LIST-00*", "IRC-NS-DROP-005", "IRC-TBL-CREATE-013") == []


def refuses_properties(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if arguments["body"].get("properties"):
        raise Problem(406, "UnsupportedOperationException", "namespaces have no properties")
    return handler(**arguments)


def refuses(scope: Scope) -> None:
    raise Problem(406, "UnsupportedOperationException", "namespaces have no properties")


def test_who_keeps_no_properties_of_namespaces_lacks_what_nobody_has_to_have(monkeypatch: pytest.MonkeyPatch) -> None:
    def null(document: dict[str, Any]) -> None:
        document["properties"] = None

    faults = {
        "creates-without-properties": on_call("createNamespace", refuses_properties),
        "updates-no-properties": on_request("updateProperties", refuses),
        "shows-no-properties": on_answer(("createNamespace", "loadNamespaceMetadata"), null),
    }

    only = ("IRC-NS-CREATE-00*", "IRC-NS-ENC-004", "IRC-NS-DROP-005", "IRC-NS-PROP-01*", "IRC-GEN-013", "IRC-GEN-020")
    assert judged(faults, *only) == []


def test_uuids_may_be_spelled_in_capitals_and_format_version_3_be_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    def capitals(document: dict[str, Any]) -> None:
        document["metadata"]["table-uuid"] = document["metadata"]["table-uuid"].upper()

    def newest(handler: Handler, arguments: dict[str, Any]) -> Reply:
        asked = arguments["body"].get("properties") or {}
        return handler(**{**arguments, "body": {**arguments["body"], "properties": {"format-version": "3", **asked}}})

    faults = {"spells-uuids-in-capitals": on_answer(SHOWING, capitals), "creates-version-3": on_call("createTable", newest)}
    only = ("IRC-REQ-001", "IRC-TXN-012", "IRC-TBL-STAGE-005")
    assert judged(faults, *only) == []
