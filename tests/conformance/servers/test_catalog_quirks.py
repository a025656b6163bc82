"""Deviations of real catalogs fail only the requirement that they break, or none."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from faulty_servers import judged, results
from lakepact.conformance.checks.iceberg_rest.tables.load import significant
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.running import plan, runner, suite
from lakepact.reference_server import running
from lakepact.reference_server.faults import all_of, on_answer, on_call, on_request, on_status, replace_rule
from lakepact.reference_server.http.paging import page
from lakepact.reference_server.http.problems import Problem
from miniatures import answer, miniature

if TYPE_CHECKING:
    from pathlib import Path

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Handler, Scope
    from miniatures import Answer

EXISTENCE = ("namespaceExists", "tableExists", "viewExists")


def _numbered(spec: dict[str, Any]) -> bool:
    return "spec-id" in spec and all("field-id" in field for field in spec["fields"])


def wants_new_ids(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Require new schema ids, and ids in partition specs and in their fields."""
    for update in arguments["body"].get("updates") or ():
        if update["action"] == "add-schema" and not update["schema"].get("schema-id") and "assert-create" not in str(arguments["body"]):
            raise Problem(400, "IllegalArgumentException", "A schema with ID 0 already exists")
        if update["action"] == "add-spec" and not _numbered(update["spec"]):
            raise Problem(400, "BadRequestException", "Cannot parse missing int: field-id")
    return handler(**arguments)


def wants_numbered_specs(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if not _numbered(arguments["body"].get("partition-spec") or {"spec-id": 0, "fields": []}):
        raise Problem(500, "WebApplicationException", "HTTP 400 Bad Request")
    return handler(**arguments)


def test_catalog_that_requires_ids_fails_only_the_requirements_about_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {
        "wants-new-ids": on_call("updateTable", wants_new_ids),
        "wants-numbered-specs": on_call("createTable", wants_numbered_specs),
    }
    only = ("IRC-UPD-01[2-8]", "IRC-UPD-02*", "IRC-UPD-07*", "IRC-COM-0[013]*", "IRC-REQ-02*", "IRC-META-0*", "IRC-TBL-CREATE-01[79]")
    seen = judged(faults, *only)

    assert seen == [("IRC-TBL-CREATE-019", "fail"), ("IRC-UPD-022", "fail")]


def wants_the_snapshot_twice(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if any(update["action"] == "set-statistics" and "snapshot-id" not in update for update in arguments["body"].get("updates") or ()):
        raise Problem(400, "BadRequestException", "Cannot parse missing long: snapshot-id")
    return handler(**arguments)


def test_catalog_that_requires_deprecated_snapshot_id_fails_one_requirement(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {"wants-the-snapshot-twice": on_call("updateTable", wants_the_snapshot_twice)}
    seen = judged(faults, "IRC-UPD-052", "IRC-UPD-06[6-9]", "IRC-UPD-07[0-2]", "IRC-META-015")

    assert seen == [("IRC-UPD-067", "fail")]


def keeps_the_current_snapshot(document: dict[str, Any]) -> None:
    metadata = document["metadata"]
    metadata["snapshots"] = [one for one in metadata.get("snapshots", ()) if one["snapshot-id"] == metadata.get("current-snapshot-id")]


def test_catalog_with_one_snapshot_causes_no_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {"keeps-one-snapshot": on_answer(("createTable", "loadTable", "updateTable"), keeps_the_current_snapshot)}
    seen = judged(faults, "IRC-UPD-005", "IRC-UPD-035", "IRC-UPD-044", "IRC-UPD-05*", "IRC-UPD-066", "IRC-UPD-090")

    assert ("IRC-UPD-035", "fail") in seen
    assert "error" not in dict(seen).values()


def test_transaction_with_status_200_fails_only_the_status_requirement(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {"answers-transactions-with-200": on_status("commitTransaction", {204: 200})}
    only = ("IRC-TXN-001", "IRC-TXN-009", "IRC-TXN-010", "IRC-TXN-011", "IRC-TXN-012", "IRC-TXN-014")

    assert judged(faults, *only) == [("IRC-TXN-001", "fail")]


def refuses_unit_separators(scope: Scope) -> None:
    if b"%1F" in scope["raw_path"]:
        raise Problem(400, "BadRequestException", "Suspicious Path Character")


def test_catalog_without_nested_paths_fails_only_their_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {"refuses-unit-separators": on_request(("loadNamespaceMetadata", "dropNamespace"), refuses_unit_separators)}

    assert judged(faults, "IRC-NS-CREATE-010", "IRC-NS-ENC-001") == [("IRC-NS-ENC-001", "fail")]


def test_pages_are_judged_without_nested_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    operations = ("loadNamespaceMetadata", "dropNamespace", "listTables", "createTable")
    seen = results({"refuses-unit-separators": on_request(operations, refuses_unit_separators)}, "IRC-PAG-01*")

    assert {outcome for outcome in seen.values() if outcome is not Outcome.PASS} <= {Outcome.NOT_OFFERED}
    assert seen["IRC-PAG-017"] is Outcome.PASS


def puts_children_at_the_top(handler: Handler, arguments: dict[str, Any]) -> Reply:
    return handler(**{**arguments, "body": {**arguments["body"], "namespace": arguments["body"]["namespace"][:1]}})


def test_pages_of_misplaced_children_are_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = results({"puts-children-at-the-top": on_call("createNamespace", puts_children_at_the_top)}, "IRC-PAG-022", "IRC-PAG-004")

    assert seen == {"IRC-PAG-004": Outcome.PASS, "IRC-PAG-022": Outcome.NOT_OFFERED}


def is_no_route(scope: Scope) -> None:
    raise Problem(404, "NotFoundException", f"Unknown path: {scope['path']}")


def test_404_from_an_undeclared_head_route_fails_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_existence(document: dict[str, Any]) -> None:
        document["endpoints"] = [endpoint for endpoint in document["endpoints"] if not endpoint.startswith("HEAD ")]

    faults = {"declares-no-head": on_answer("getConfig", without_existence), "has-no-head": on_request(EXISTENCE, is_no_route)}

    assert judged(faults, "IRC-CFG-012") == []


def test_catalog_without_drop_and_rename_passes_creation(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {
        "says-nothing-of-endpoints": on_answer("getConfig", lambda document: document.pop("endpoints", None) and None),
        "drops-and-renames-nothing": on_request(("dropTable", "renameTable"), is_no_route),
    }

    assert judged(faults, "IRC-TBL-CREATE-001", "IRC-VIEW-CREATE-001") == []


def counts_requests() -> Install:
    """Return a catalog whose tables carry the number of its last commit, which also counts refused commits."""
    commits = itertools.count()
    last = [0]

    def changed(handler: Handler, arguments: dict[str, Any]) -> Reply:
        last[0] = next(commits)
        return handler(**arguments)

    def shown(document: dict[str, Any]) -> None:
        document["metadata"].setdefault("properties", {})["catalog.commit-id"] = str(last[0])

    showing = on_answer(("createTable", "loadTable", "updateTable"), shown)
    return all_of(on_call(("createTable", "updateTable", "loadTable"), changed), showing)


def test_catalog_state_in_table_properties_fails_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    only = ("IRC-TBL-CREATE-014", "IRC-TBL-STAGE-006", "IRC-TBL-LOAD-006", "IRC-TBL-LOAD-010", "IRC-GEN-01[67]", "IRC-GEN-032")

    assert judged({"counts-requests": counts_requests()}, *only, "IRC-SCAN-PLAN-026") == []


def shows_its_requests() -> Install:
    """Return a catalog whose namespaces and views carry the number of the last request that could have changed one."""
    last = [0]

    def changed(handler: Handler, arguments: dict[str, Any]) -> Reply:
        last[0] += 1
        return handler(**arguments)

    def shown(document: dict[str, Any]) -> None:
        holder = document.get("metadata", document)
        if isinstance(holder.get("properties"), dict):
            holder["properties"]["catalog.commit-id"] = str(last[0])

    changing = ("createNamespace", "createTable", "createView", "replaceView", "renameView", "dropView", "dropNamespace")
    return all_of(on_call(changing, changed), on_answer(("loadNamespaceMetadata", "createView", "loadView", "replaceView"), shown))


def test_catalog_state_in_view_properties_fails_nothing() -> None:
    only = ("IRC-VIEW-CREATE-009", "IRC-VIEW-LOAD-00*", "IRC-VIEW-REPL-0*", "IRC-VIEW-REN-00*", "IRC-NS-DROP-004", "IRC-NS-GET-00*")

    assert judged({"shows-its-requests": shows_its_requests()}, *only) == []


class RemovesFilesOfViews:
    """A catalog that removes the metadata file of a dropped view, even if another view uses the file."""

    def __init__(self) -> None:
        self.current: dict[Any, str] = {}
        self.gone: set[str] = set()

    def answered(self, handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        name = arguments["view"] if "view" in arguments else arguments["body"]["name"]
        self.current[str(arguments["namespace"]), name] = reply.document["metadata-location"]
        return reply

    def dropped(self, handler: Handler, arguments: dict[str, Any]) -> Reply:
        self.gone.add(self.current.get((str(arguments["namespace"]), arguments["view"]), ""))
        return handler(**arguments)

    def registered(self, handler: Handler, arguments: dict[str, Any]) -> Reply:
        if arguments["body"].get("metadata-location") in self.gone:
            raise Problem(404, "NotFoundException", "Failed to open input stream for file")
        return self.answered(handler, arguments)


def test_catalog_that_removes_files_of_dropped_views_passes_registration(monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = RemovesFilesOfViews()
    faults = {
        "tells-locations": on_call(("createView", "replaceView", "loadView"), catalog.answered),
        "drops-files": on_call("dropView", catalog.dropped),
        "finds-no-files": on_call("registerView", catalog.registered),
    }
    seen = results(faults, "IRC-VIEW-REG-00[456]", version="1.11.0")

    assert set(seen.values()) == {Outcome.PASS}


def keeps_main_alone(document: dict[str, Any]) -> None:
    metadata = document["metadata"]
    metadata["refs"] = {name: ref for name, ref in (metadata.get("refs") or {}).items() if name == "main"}


def test_catalog_without_branches_fails_only_their_creation(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {"keeps-main-alone": on_answer(("createTable", "loadTable", "updateTable"), keeps_main_alone)}
    seen = judged(faults, "IRC-TBL-LOAD-00[16789]", "IRC-UPD-044")

    assert seen == [("IRC-UPD-044", "fail")]


def wants_properties_once(handler: Handler, arguments: dict[str, Any]) -> Reply:
    updates = [update["action"] for update in arguments["body"].get("updates") or ()]
    if updates.count("set-properties") > 1:
        raise Problem(400, "IllegalArgumentException", "Found multiple updates of type SetProperties")
    return handler(**arguments)


def test_catalog_with_one_property_update_per_commit_passes_staging(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {"wants-properties-once": on_call("updateTable", wants_properties_once)}

    assert judged(faults, "IRC-TBL-STAGE-00[4567]") == []


def turned_round(document: dict[str, Any]) -> None:
    for member in ("snapshots", "schemas", "partition-specs", "sort-orders"):
        document["metadata"][member] = document["metadata"].get(member, [])[::-1]


def test_reversed_metadata_lists_fail_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {"turned-round": on_answer(("createTable", "loadTable", "updateTable"), turned_round)}

    assert judged(faults, "IRC-UPD-*", "IRC-COM-0*", "IRC-META-*") == []


def test_metadata_file_in_another_order_is_equal() -> None:
    file = {"snapshots": [{"snapshot-id": 1}, {"snapshot-id": 2}], "schemas": [{"schema-id": 1}, {"schema-id": 0}]}

    assert significant({member: value[::-1] for member, value in file.items()}) == significant(file)


def wants_updates(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if arguments["body"].get("updates") == []:
        raise Problem(400, "BadRequestException", "A commit must carry at least one update.")
    return handler(**arguments)


def test_refusal_of_empty_commits_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {"wants-updates": on_call("updateTable", wants_updates)}
    only = ("IRC-COM-01[2-5]", "IRC-REQ-00*", "IRC-ERR-010", "IRC-TBL-REN-013")

    assert judged(faults, *only) == [("IRC-COM-012", "warn")]


def test_empty_body_with_status_200_fails_only_the_status(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {"renames-with-200": on_status("renameTable", {204: 200})}

    assert judged(faults, "IRC-GEN-005", "IRC-GEN-006") == [("IRC-GEN-006", "fail")]


OF_NAMESPACES = (
    "GET /v1/{prefix}/namespaces",
    "POST /v1/{prefix}/namespaces",
    "GET /v1/{prefix}/namespaces/{namespace}",
    "DELETE /v1/{prefix}/namespaces/{namespace}",
    "GET /v1/{prefix}/namespaces/{namespace}/tables",
    "POST /v1/{prefix}/namespaces/{namespace}/tables",
)


class SeparatesByEncodedDots:
    """A catalog that accepts the announced separator only in the announced spelling, and refuses the default separator."""

    def __init__(self) -> None:
        self.there: set[tuple[str, ...]] = set()

    def __call__(self, method: str, target: str, body: bytes) -> Answer:
        path = target.partition("?")[0].split("/")
        if path[-1] == "config":
            return answer(200, {"defaults": {}, "overrides": {"namespace-separator": "%2E"}, "endpoints": list(OF_NAMESPACES)})
        namespace = tuple(path[3].split("%2E")) if len(path) > 3 else tuple(orjson.loads(body or b"{}").get("namespace", ()))
        if (method, len(path)) == ("POST", 3):
            self.there.add(namespace)
            return answer(200, {"namespace": namespace, "properties": {}})
        if "%1F" in target or method == "POST":
            return answer(400, {"error": {"message": "Suspicious Path Character", "type": "BadRequestException", "code": 400}})
        if namespace not in self.there:
            return answer(404, {"error": {"message": "none", "type": "NoSuchNamespaceException", "code": 404}})
        if method == "DELETE":
            self.there.remove(namespace)
            return answer(204)
        return answer(200, {"identifiers": []} if path[-1] == "tables" else {"namespace": namespace, "properties": {}})


def test_catalog_without_the_default_separator_fails_one_requirement() -> None:
    with miniature(SeparatesByEncodedDots()) as url:
        run = runner.Run(plan.plan(suite.load("iceberg_rest", "1.11.0"), only=("IRC-SEP-00[12]",)), Target(url))
        for _ in run.events():
            pass

    seen = {requirement: result.outcome for requirement, result in run.results().items()}
    assert seen == {"IRC-SEP-001": Outcome.PASS, "IRC-SEP-002": Outcome.FAIL}


@pytest.mark.parametrize("most", [1, 2])
def test_pages_shorter_than_requested_are_a_warning(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def short(records: Any, listing: str, *, after: str | None, size: int | None) -> Any:
        return page(records, listing, after=after, size=None if after is None and size is None else min(most, size or most))

    assert judged({"short pages": replace_rule("page", short)}, "IRC-PAG-*", "IRC-NS-LIST-*") == [("IRC-PAG-020", "warn")]


def test_catalog_with_one_update_per_commit_blocks_the_disconnect_check(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_update(handler: Handler, arguments: dict[str, Any]) -> Reply:
        return handler(**{**arguments, "body": {**arguments["body"], "updates": arguments["body"]["updates"][:1]}})

    found = results({"one update": on_call("updateTable", one_update)}, "IRC-COM-022")
    assert found["IRC-COM-022"] is Outcome.BLOCKED


def forgets_earlier_snapshots(document: dict[str, Any]) -> None:
    """Keep only the current snapshot, and no ref but main, as a catalog that manages snapshots by itself."""
    metadata = document["metadata"]
    current = metadata.get("current-snapshot-id")
    metadata["snapshots"] = [one for one in metadata.get("snapshots", ()) if one["snapshot-id"] == current]
    metadata["refs"] = {name: ref for name, ref in (metadata.get("refs") or {}).items() if name == "main"}


def test_lost_snapshots_and_refs_block_what_needs_them() -> None:
    faults = {"forgets-earlier-snapshots": on_answer(("createTable", "loadTable", "updateTable"), forgets_earlier_snapshots)}
    needing = ("IRC-COM-030", "IRC-UPD-056", "IRC-UPD-066", "IRC-UPD-070", "IRC-REQ-016", "IRC-TBL-LOAD-017", "IRC-TBL-REN-003")
    seen = results(faults, "IRC-UPD-035", "IRC-UPD-044", "IRC-UPD-045", *needing)

    assert {seen[requirement] for requirement in ("IRC-UPD-035", "IRC-UPD-044", "IRC-UPD-045")} == {Outcome.FAIL}
    assert not {seen[requirement] for requirement in needing} & {Outcome.FAIL, Outcome.WARN, Outcome.ERROR}


def ignores_refs_in_requirements(handler: Handler, arguments: dict[str, Any]) -> Reply:
    body = arguments["body"]
    kept = [one for one in body.get("requirements") or () if one.get("type") != "assert-ref-snapshot-id"]
    return handler(**{**arguments, "body": {**body, "requirements": kept}})


def test_ignored_requirement_fails_once_and_blocks_what_builds_on_it() -> None:
    only = ("IRC-COM-004", "IRC-COM-005", "IRC-COM-006", "IRC-COM-013", "IRC-REQ-039")
    seen = results({"ignores-refs": on_call("updateTable", ignores_refs_in_requirements)}, *only)

    assert {requirement for requirement, outcome in seen.items() if outcome is Outcome.FAIL} == {"IRC-COM-005"}


def takes_no_removals(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if any(str(update.get("action")).startswith("remove-") and "ref" not in update["action"] for update in arguments["body"]["updates"]):
        raise Problem(500, "UnsupportedOperationException", "cannot remove")
    return handler(**arguments)


def test_unsupported_removals_fail_once() -> None:
    seen = judged({"takes-no-removals": on_call("updateTable", takes_no_removals)}, "IRC-UPD-05[15]", "IRC-UPD-07[3467]")

    assert seen == [("IRC-UPD-073", "fail"), ("IRC-UPD-076", "fail")]


@pytest.mark.parametrize(("scheme", "outcome"), [("file:", Outcome.PASS), ("memory:", Outcome.NOT_OFFERED)])
def test_files_of_the_same_machine_are_read_without_being_declared(tmp_path: Path, scheme: str, outcome: Outcome) -> None:
    warehouse = f"file://{tmp_path}" if scheme == "file:" else scheme
    with running(contract="iceberg_rest", warehouse=warehouse) as server:
        run = runner.Run(plan.plan(suite.load("iceberg_rest"), only=["IRC-TBL-DROP-004"]), Target(server.url))
        for _ in run.events():
            pass

    assert run.results()["IRC-TBL-DROP-004"].outcome is outcome
