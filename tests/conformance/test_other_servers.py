"""Servers that are right in ways of their own, or wrong in one way only, are not accused of what they keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest

from lakepact.conformance import plan, runner, suite
from lakepact.conformance.outcome import Outcome
from lakepact.conformance.target import Target
from miniatures import answer, miniature

if TYPE_CHECKING:
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
    """A catalog that breaks when a request to create a table does not say `stage-create`."""
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
