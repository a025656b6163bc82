"""A catalog with one fault fails only the requirement that the fault breaks; dependent requirements are blocked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from faulty_servers import judged, results
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.reference_server.faults import on_call
from lakepact.reference_server.http.problems import Problem

if TYPE_CHECKING:
    import pytest

    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Handler, Service

CREATING = ("IRC-REQ-00*", "IRC-TBL-STAGE-*", "IRC-UPD-00*", "IRC-UPD-01*", "IRC-UPD-022", "IRC-UPD-04*", "IRC-TXN-0*")
DROPPING = ("IRC-TBL-*", "IRC-COM-*", "IRC-ERR-*", "IRC-NS-*", "IRC-GEN-*", "IRC-REQ-00*", "IRC-PAG-0*", "IRC-VIEW-*", "IRC-SCAN-FETCH-*")


def wants_to_purge(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if not arguments.get("purge_requested"):
        raise Problem(400, "BadRequestException", "purgeRequested has to be true")
    return handler(**arguments)


def test_catalog_that_drops_only_with_purge_fails_one_requirement(monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged({"wants-to-purge": on_call("dropTable", wants_to_purge)}, *DROPPING) == [("IRC-TBL-DROP-001", "fail")]


def creates_only_staged_tables(service: Service) -> None:
    """Accept commits that create a table only if the table was staged."""
    stages: dict[tuple[str, str], dict[str, Any]] = {}
    create, commit = service.handlers["createTable"], service.handlers["updateTable"]

    def stage(**arguments: Any) -> Reply:
        reply = create(**arguments)
        if arguments["body"].get("stage-create"):
            stages[arguments["namespace"], arguments["body"]["name"]] = reply.document["metadata"]
        return reply

    def only_staged(**arguments: Any) -> Reply:
        place = arguments["namespace"], arguments["table"]
        creates = any(one.get("type") == "assert-create" for one in arguments["body"]["requirements"])
        there = True
        try:
            service.handlers["tableExists"](namespace=place[0], table=place[1])
        except Problem:
            there = False
        if creates and not there and place not in stages:
            raise Problem(404, "NoSuchTableException", f"Table does not exist: {place} was not staged")
        reply = commit(**arguments)
        stages.pop(place, None)  # not before: a handler that leaves the event loop is called again
        return reply

    service.handlers.update(createTable=stage, updateTable=only_staged)


def test_catalog_that_creates_only_staged_tables_fails_one_requirement(monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged({"creates-only-staged-tables": creates_only_staged_tables}, *CREATING) == [("IRC-REQ-001", "fail")]


def keeps_files_together(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Refuse commits that create a table and name files outside its location."""
    updates = arguments["body"].get("updates") or ()
    location = next((one["location"] for one in updates if one["action"] == "set-location"), None)
    named = [one["snapshot"]["manifest-list"] for one in updates if one["action"] == "add-snapshot" and "manifest-list" in one["snapshot"]]
    named += [one["statistics"]["statistics-path"] for one in updates if one["action"] == "set-statistics"]
    named += [one["partition-statistics"]["statistics-path"] for one in updates if one["action"] == "set-partition-statistics"]
    if location and any(not file.startswith(f"{location}/") for file in named):
        raise Problem(400, "BadRequestException", "This commit names a file which is outside the table's own storage")
    return handler(**arguments)


def test_refusal_of_files_outside_the_location_fails_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged({"keeps-files-together": on_call("updateTable", keeps_files_together)}, *CREATING) == []


def upgrades_nothing(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if any(one["action"] == "upgrade-format-version" and one.get("format-version") == 3 for one in arguments["body"]["updates"]):
        raise Problem(500, "UnsupportedOperationException", "Implement format version update")
    return handler(**arguments)


def creates_version_2(handler: Handler, arguments: dict[str, Any]) -> Reply:
    properties = {k: v for k, v in arguments["body"].get("properties", {}).items() if k != "format-version"}
    return handler(**{**arguments, "body": {**arguments["body"], "properties": properties}})


def test_upgrade_that_returns_500_fails_its_requirement_and_blocks_others() -> None:
    faults = {"version-2": on_call("createTable", creates_version_2), "no-upgrade": on_call("updateTable", upgrades_nothing)}
    found = results(faults, "IRC-UPD-005", "IRC-UPD-041", "IRC-UPD-079")

    assert found == {"IRC-UPD-005": Outcome.FAIL, "IRC-UPD-041": Outcome.BLOCKED, "IRC-UPD-079": Outcome.BLOCKED}


def knows_no_nested_columns(handler: Handler, arguments: dict[str, Any]) -> Reply:
    columns = {column["id"] for column in arguments["body"]["schema"]["fields"]}
    fields = arguments["body"].get("partition-spec", {}).get("fields", [])
    if any(field["source-id"] not in columns for field in fields):
        raise Problem(500, "NullPointerException", "source")
    return handler(**arguments)


def test_nested_partition_columns_that_return_500_fail_the_partitioning() -> None:
    found = results({"no-nested-columns": on_call("createTable", knows_no_nested_columns)}, "IRC-TBL-CREATE-005", "IRC-TBL-CREATE-006")

    assert found == {"IRC-TBL-CREATE-005": Outcome.BLOCKED, "IRC-TBL-CREATE-006": Outcome.FAIL}
