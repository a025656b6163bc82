"""Correct variants of servers fail nothing, and single deviations fail only the requirement that
they break.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import orjson
import pytest

from faulty import unnamed
from faulty_servers import checked, outcomes_of
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.shared_files import SharedFiles
from lakepact.conformance.evidence.target import Target
from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server import running
from lakepact.reference_server.faults import Install, on_answer, on_call, on_reply
from lakepact.reference_server.http.replies import Reply
from miniatures import Answer, answer, miniature

TABLE = {
    "metadata-location": "memory:/t/metadata/0.json",
    "metadata": {"format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1"},
}


def problem(status: int, kind: str) -> Answer:
    return answer(status, {"error": {"message": kind, "type": kind, "code": status}})


def outcomes(server: Any, *only: str, version: str | None = None) -> dict[str, Outcome]:
    with miniature(server) as url:
        return outcomes_of(checked(url, *only, version=version))


class Namespaces:
    """Namespaces in a set; nested namespaces can be created, but no path finds them."""

    config: ClassVar[dict[str, Any]] = {"defaults": {}, "overrides": {}}
    separator = "\0"  #: of the levels that a path names

    def __init__(self) -> None:
        self.there: set[tuple[str, ...]] = set()

    def __call__(self, method: str, target: str, body: bytes) -> Answer:
        path = target.partition("?")[0].split("/")
        if path[-1] == "config":
            return answer(200, self.config)
        if (method, len(path)) == ("POST", 3):
            return self.create(tuple(orjson.loads(body)["namespace"]))
        if "%1F" in target or method == "POST":
            return problem(400, "BadRequestException")
        return self.route(
            method, tuple(path[3].split(self.separator) if len(path) > 3 else ()), path[-1]
        )

    def create(self, namespace: tuple[str, ...]) -> Answer:
        if namespace in self.there:
            return problem(409, "AlreadyExistsException")
        self.there.add(namespace)
        return answer(200, {"namespace": namespace, "properties": {}})

    def route(self, method: str, namespace: tuple[str, ...], last: str) -> Answer:
        if namespace not in self.there:
            return problem(404, "NoSuchNamespaceException")
        if method == "DELETE":
            self.there.remove(namespace)
            return answer(204)
        return answer(
            200,
            {"identifiers": []} if last == "tables" else {"namespace": namespace, "properties": {}},
        )


def says_200(reply: Reply, _: object) -> Reply:
    return replace(reply, status=200, body=b"{}") if reply.status == 204 else reply


def requires_stage_create(method: str, target: str, body: bytes) -> Answer:
    """Answer as a catalog that requires `stage-create` in a request to create a table."""
    if target.endswith("/config"):
        return answer(200, {"defaults": {}, "overrides": {}})
    if target.endswith("/tables") and method == "POST" and "stage-create" not in orjson.loads(body):
        return problem(500, "WebApplicationException")
    if method == "DELETE":
        return answer(204)
    return answer(200, orjson.loads(body) | TABLE if body else TABLE)


def test_server_that_requires_an_optional_member_fails_one_requirement() -> None:
    actual = outcomes(requires_stage_create, "IRC-TBL-CREATE-001", "IRC-TBL-CREATE-002")

    assert actual["IRC-TBL-CREATE-001"] is Outcome.FAIL
    assert actual["IRC-TBL-CREATE-002"] is Outcome.PASS


@pytest.mark.parametrize("body", [b"null", b"[]", b"{}", b"<html>", b""], ids=repr)
def test_nonsense_answers_cause_no_errors(body: bytes) -> None:
    actual = outcomes(
        lambda *_: (200, {"Content-Type": "application/json"}, body),
        "IRC-CFG-00*",
        "IRC-NS-GET-*",
        "IRC-UPD-01*",
        "IRC-TBL-LOAD-00*",
    )

    assert Outcome.ERROR not in actual.values()


class FlatAndHalf:
    """A catalog without endpoints that has one level of namespaces, keeps the first level of a
    longer name, and can drop nothing.
    """

    def __init__(self) -> None:
        self.there: set[str] = set()

    def __call__(self, method: str, target: str, body: bytes) -> Answer:
        path = target.partition("?")[0].split("/")
        if path[-1] == "config":
            return answer(200, {"defaults": {}, "overrides": {}})
        if path[2] != "namespaces" or len(path) > 4 or method == "DELETE":
            return problem(501, "UnsupportedOperationException")
        if method == "POST":
            name = orjson.loads(body)["namespace"][0]
            self.there.add(name)
            return answer(200, {"namespace": [name], "properties": {}})
        if len(path) == 3:
            return answer(200, {"namespaces": [[name] for name in sorted(self.there)]})
        if path[3] not in self.there:
            return problem(404, "NoSuchNamespaceException")
        return answer(200, {"namespace": [path[3]], "properties": {}})


def test_unsupported_operation_fails_one_requirement() -> None:
    requirements = (
        "IRC-CFG-011",
        "IRC-CFG-013",
        "IRC-NS-DROP-001",
        "IRC-NS-PROP-001",
        "IRC-TBL-DROP-001",
        "IRC-TBL-MET-003",
        "IRC-NS-GET-001",
    )
    actual = outcomes(FlatAndHalf(), *requirements)

    assert {requirement for requirement, outcome in actual.items() if outcome is Outcome.FAIL} == {
        "IRC-CFG-013"
    }
    assert actual["IRC-CFG-011"] is Outcome.NOT_OFFERED  # the configuration names no endpoints
    assert actual["IRC-NS-DROP-001"] is Outcome.BLOCKED
    assert actual["IRC-NS-GET-001"] is Outcome.PASS


def test_server_that_shortens_namespaces_gets_one_warning() -> None:
    actual = outcomes(
        FlatAndHalf(),
        "IRC-NS-CREATE-009",
        "IRC-NS-CREATE-011",
        "IRC-NS-LIST-002",
        "IRC-NS-LIST-008",
        "IRC-NS-LIST-003",
    )

    assert {
        requirement: outcome
        for requirement, outcome in actual.items()
        if outcome in {Outcome.FAIL, Outcome.WARN}
    } == {"IRC-NS-CREATE-011": Outcome.WARN}
    assert actual["IRC-NS-LIST-002"] is Outcome.NOT_OFFERED


def hangs_up_on_forms(method: str, target: str, body: bytes) -> Answer:
    """Answer as a catalog that hangs up on forms."""
    if body.startswith(b"grant_type"):
        raise ConnectionAbortedError
    return (
        answer(200, {"defaults": {}, "overrides": {}})
        if target.endswith("/config")
        else problem(404, "NoSuchNamespaceException")
    )


def test_server_that_hangs_up_on_forms_is_still_judged(capfd: pytest.CaptureFixture[str]) -> None:
    actual = outcomes(hangs_up_on_forms, "IRC-CFG-001", "IRC-CFG-007")
    capfd.readouterr()

    assert set(actual.values()) == {Outcome.PASS}


def has_its_own_error_type(method: str, target: str, body: bytes) -> Answer:
    """Answer as a catalog without endpoints that reports missing objects with its own error
    type.
    """
    path = target.partition("?")[0].split("/")
    if path[-1] == "config":
        return answer(200, {"defaults": {}, "overrides": {}})
    if path[-1] in {"tokens", "credentials", "plan", "tasks"} or "plan" in path:
        return answer(404)
    if (method, path[-1]) == ("GET", "namespaces"):
        return answer(200, {"namespaces": []})
    if path[-1] == "namespaces":
        return problem(400, "BadRequestException")
    return answer(
        404,
        {
            "error": {
                "message": f"nowhere: {'.'.join(path)} {body.decode()}",
                "type": "NotFoundException",
                "code": 404,
            }
        },
    )


def test_own_error_type_for_missing_objects_fails_nothing() -> None:
    actual = outcomes(
        has_its_own_error_type,
        "IRC-CFG-011",
        "IRC-CFG-013",
        "IRC-GEN-026",
        "IRC-ERR-001",
        "IRC-ERR-007",
    )

    assert Outcome.FAIL not in actual.values()
    assert actual["IRC-CFG-013"] is Outcome.PASS


class IsBusy:
    """A catalog that answers every third request with an error and `Retry-After`, until the request
    is repeated.
    """

    def __init__(self, status: int) -> None:
        self.status, self.request_numbers, self.namespaces = (
            status,
            itertools.count(1),
            Namespaces(),
        )
        self.turned_away: set[tuple[str, str, bytes]] = set()

    def __call__(self, method: str, target: str, body: bytes) -> Answer:
        if next(self.request_numbers) % 3 == 0 and (method, target, body) not in self.turned_away:
            self.turned_away.add((method, target, body))
            error = {
                "error": {
                    "message": "busy",
                    "type": "ServiceUnavailableException",
                    "code": self.status,
                }
            }
            return answer(self.status, error, **{"Retry-After": "0"})
        return self.namespaces(method, target, body)


@pytest.mark.parametrize("status", [429, 503])
def test_busy_server_gets_repeated_requests_and_passes(status: int) -> None:
    actual = outcomes(
        IsBusy(status),
        "IRC-NS-GET-001",
        "IRC-NS-GET-005",
        "IRC-NS-CREATE-001",
        "IRC-NS-CREATE-005",
        "IRC-NS-DROP-002",
    )

    assert set(actual.values()) == {Outcome.PASS}


OF_NAMESPACES = (
    "GET /v1/{prefix}/namespaces",
    "POST /v1/{prefix}/namespaces",
    "GET /v1/{prefix}/namespaces/{namespace}",
    "DELETE /v1/{prefix}/namespaces/{namespace}",
    "GET /v1/{prefix}/namespaces/{namespace}/tables",
    "POST /v1/{prefix}/namespaces/{namespace}/tables",
)


class SeparatesByEncodedDots(Namespaces):
    """A catalog that accepts the announced separator only in the announced spelling, and refuses
    the default separator.
    """

    config: ClassVar[dict[str, Any]] = {
        "defaults": {},
        "overrides": {"namespace-separator": "%2E"},
        "endpoints": list(OF_NAMESPACES),
    }
    separator = "%2E"


def test_catalog_without_the_default_separator_fails_one_requirement() -> None:
    actual = outcomes(SeparatesByEncodedDots(), "IRC-SEP-00[12]", version="1.11.0")

    assert actual == {"IRC-SEP-001": Outcome.PASS, "IRC-SEP-002": Outcome.FAIL}


def test_cleanup_with_another_separator_leaves_nothing() -> None:
    server = SeparatesByEncodedDots()
    server.separator = "."  # as the suite spells it in cleanups
    outcomes(server, "IRC-NS-CREATE-009", "IRC-NS-DROP-005", "IRC-NS-LIST-002")

    assert server.there == set()


def knows_config_alone(method: str, target: str, _: bytes) -> Answer:
    if (method, target.partition("?")[0]) == ("GET", "/v1/config"):
        return answer(200, {"defaults": {}, "overrides": {}})
    return answer(501) if method in {"PUT", "TRACE"} else problem(404, "NoSuchNamespaceException")


def test_unknown_method_with_status_501_passes() -> None:
    assert outcomes(knows_config_alone, "IRC-GEN-025") == {"IRC-GEN-025": Outcome.PASS}


def test_additional_metadata_in_answers_passes(tmp_path: Path) -> None:
    def says_more(document: dict[str, Any]) -> None:
        document["metadata"]["x-served-by"] = "another"

    operations = (
        "createTable",
        "loadTable",
        "updateTable",
        "createView",
        "loadView",
        "replaceView",
    )
    with running(
        contract="iceberg_rest",
        warehouse=tmp_path.as_uri(),
        faults=[unnamed(on_answer(operations, says_more))],
    ) as server:
        target = Target(
            server.url, features={"readable-files": True}, shared_files=SharedFiles(tmp_path)
        )
        actual = outcomes_of(checked(target, "IRC-TBL-LOAD-001", "IRC-VIEW-LOAD-001"))

    assert (actual["IRC-TBL-LOAD-001"], actual["IRC-VIEW-LOAD-001"]) == (Outcome.PASS, Outcome.PASS)


@pytest.mark.parametrize(
    ("scheme", "outcome"), [("file:", Outcome.PASS), ("memory:", Outcome.NOT_OFFERED)]
)
def test_shared_files_are_read_without_being_declared(
    tmp_path: Path, scheme: str, outcome: Outcome
) -> None:
    with running(
        contract="iceberg_rest", warehouse=f"file://{tmp_path}" if scheme == "file:" else scheme
    ) as server:
        target = Target(server.url, shared_files=SharedFiles(tmp_path))
        assert outcomes_of(checked(target, "IRC-TBL-DROP-004"))["IRC-TBL-DROP-004"] is outcome


def refusing(operation: OperationId, status: int, is_refused: Callable[[Any], bool]) -> Install:
    """Return a server that refuses some bodies of an operation, as a policy of its own may
    demand.
    """
    refusal = Reply(
        status,
        orjson.dumps(
            {"error": {"message": "by policy", "type": "PolicyException", "code": status}}
        ),
    )
    return on_call(
        operation,
        lambda handler, arguments: (
            refusal if is_refused(arguments["body"]) else handler(**arguments)
        ),
    )


def names_missing_files(body: Any) -> bool:
    snapshots = (
        update["snapshot"] for update in body["updates"] if update["action"] == "add-snapshot"
    )
    return any(
        not Path(snapshot["manifest-list"].removeprefix("file://")).exists()
        for snapshot in snapshots
    )


@pytest.mark.parametrize(
    ("fault", "requirement", "outcome"),
    [
        (
            on_reply((op.rename_table, op.drop_table, op.drop_namespace), says_200),
            "IRC-GEN-007",
            Outcome.NOT_OFFERED,
        ),
        (
            refusing(op.create_namespace, 422, lambda body: "." in "".join(body["namespace"])),
            "IRC-NS-ENC-002",
            Outcome.NOT_OFFERED,
        ),
        (
            refusing(op.update_table, 403, lambda body: "remove-snapshots" in str(body)),
            "IRC-UPD-055",
            Outcome.PASS,
        ),
        (refusing(op.update_table, 422, names_missing_files), "IRC-COM-001", Outcome.PASS),
    ],
    ids=["200 instead of 204", "no dots in names", "snapshots stay", "manifest lists are read"],
)
def test_servers_with_policies_fail_no_other_requirement(
    tmp_path: Path, fault: Install, requirement: str, outcome: Outcome
) -> None:
    with running(
        contract="iceberg_rest", warehouse=tmp_path.as_uri(), faults=[unnamed(fault)]
    ) as server:
        target = Target(server.url, shared_files=SharedFiles(tmp_path))
        assert outcomes_of(checked(target, requirement))[requirement] is outcome


def test_server_that_reads_manifest_lists_passes_without_shared_files(tmp_path: Path) -> None:
    fault = unnamed(refusing(op.update_table, 422, names_missing_files))
    with running(contract="iceberg_rest", warehouse=tmp_path.as_uri(), faults=[fault]) as server:
        requirement = "IRC-COM-001"

        assert outcomes_of(checked(Target(server.url), requirement))[requirement] is Outcome.PASS
