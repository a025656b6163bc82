"""The suite checks what a catalog serves, whatever it declares in `endpoints`."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from faulty import mutants, unnamed
from faulty_servers import checked, outcomes_of, refuses, results, rewrites
from lakepact.conformance.checks.iceberg_rest.kit import endpoints
from lakepact.conformance.checks.iceberg_rest.kit.detection import VIEWS, send_probes
from lakepact.conformance.checks.iceberg_rest.suite import DEFAULT_OPERATIONS, CatalogLab, discover
from lakepact.conformance.commands.check import check
from lakepact.conformance.evidence.outcome import Blocked, Outcome
from lakepact.conformance.evidence.shared_files import NO_FILES, SharedFiles
from lakepact.conformance.evidence.target import Offer, Target
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.running import suite
from lakepact.generated.contract import Contract, OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server import running
from lakepact.reference_server.faults import (
    Fault,
    Install,
    all_of,
    on_answer,
    on_request,
    on_status,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.service import Scope
from miniatures import Answer, Answerer, answer, miniature
from sampling import some

SELECTED = (
    "IRC-CFG-*",
    "IRC-NS-GET-*",
    "IRC-NS-DROP-*",
    "IRC-VIEW-LOAD-*",
    "IRC-VIEW-REPL-*",
    "IRC-TBL-REN-*",
    "IRC-TBL-LOAD-00*",
)
CONTRACT = Contract("iceberg_rest")
SUITE = suite.load("iceberg_rest")


def listing(edit: Callable[[list[str]], list[str] | None]) -> Install:
    """Send other endpoints, or none."""

    def change(document: dict[str, Any]) -> None:
        entries = edit(document.pop("endpoints"))
        if entries is not None:
            document["endpoints"] = entries

    return on_answer(op.get_config, change)


def no_route(_: Scope) -> None:
    raise Problem(404, "NotFoundException", "there is no such route")


def without_routes(*operations: OperationId) -> Install:
    return on_request(operations, no_route)


def outcomes(install: Install, **features: bool) -> dict[str, Outcome]:
    with running(warehouse="memory:", faults=[unnamed(install)]) as server:
        return outcomes_of(checked(Target(server.url, features=features), *SELECTED))


@cache
def honest() -> dict[str, Outcome]:
    return outcomes(on_answer(op.get_config, lambda _: None))


def differences(actual: dict[str, Outcome], expected: dict[str, Outcome]) -> dict[str, Outcome]:
    return {
        requirement: outcome
        for requirement, outcome in actual.items()
        if expected[requirement] is not outcome
    }


def offer_of(server: str, *, shared: SharedFiles = NO_FILES, **features: bool) -> Offer:
    with Wire(server, headers={}, timeout=1) as wire:
        return SUITE.discover(
            wire, Target(server, features=features, timeout=1, shared_files=shared)
        )


MISSPELLED = {
    "without-prefix": (lambda entry: entry.replace("/{prefix}", ""), "IRC-CFG-010"),
    "other-case": (
        lambda entry: entry.replace("/namespaces", "/Namespaces").replace("/tables", "/TABLES"),
        "IRC-CFG-010",
    ),
    "trailing-slash": (lambda entry: f"{entry}/", "IRC-CFG-010"),
    "other-placeholders": (lambda entry: entry.replace("{", ":").replace("}", ""), "IRC-CFG-010"),
    "without-version": (lambda entry: entry.replace("/v1", ""), "IRC-CFG-010"),
    "lower-case-methods": (
        lambda entry: f"{entry.partition(' ')[0].lower()} {entry.partition(' ')[2]}",
        "IRC-CFG-009",
    ),
}


@pytest.mark.parametrize("spelling", some(MISSPELLED, 3))
def test_misspelled_endpoints_fail_one_requirement(spelling: str) -> None:
    spell, requirement = MISSPELLED[spelling]
    actual = outcomes(listing(lambda entries: [spell(entry) for entry in entries]))

    assert differences(actual, honest()) == {requirement: Outcome.FAIL}


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (
            lambda entries: [*entries, "POST v1/oauth/tokens", "GET v1/config"],
            {"IRC-CFG-009": Outcome.FAIL},
        ),
        (lambda entries: [*entries, "GET /health", "GET /v2/search"], {}),
        (lambda entries: entries[::2], {"IRC-CFG-012": Outcome.WARN}),
    ],
    ids=["without leading slash", "further", "incomplete"],
)
def test_other_endpoints_break_one_requirement_at_most(
    edit: Callable[[list[str]], list[str]], expected: dict[str, Outcome]
) -> None:
    assert differences(outcomes(listing(edit)), honest()) == expected


#: Requirements about objects that do not exist, which some checks ask about a dropped one too.
ABSENT = (
    "IRC-COM-015",
    "IRC-TBL-LOAD-003",
    "IRC-TBL-LOAD-004",
    "IRC-TBL-LIST-004",
    "IRC-NS-GET-005",
    "IRC-TBL-HEAD-002",
    "IRC-TXN-004",
)


def of_absent(*faults: Install) -> dict[str, Outcome]:
    by_requirement = results(all_of(*faults), *ABSENT)
    return {requirement: by_requirement[requirement] for requirement in ABSENT}


def fails(_: Scope) -> None:
    raise Problem(500, "ServerError", "nothing can be dropped")


DROPS = (op.drop_table, op.drop_namespace)


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [(without_routes(*DROPS), Outcome.PASS), (on_request(DROPS, fails), Outcome.BLOCKED)],
    ids=["unserved", "broken"],
)
def test_absent_objects_are_those_that_never_existed_without_drops(
    fault: Install, outcome: Outcome
) -> None:
    assert of_absent(fault) == dict.fromkeys(ABSENT, outcome)


def test_catalog_without_endpoints_is_checked_for_what_it_serves() -> None:
    actual = outcomes(listing(lambda _: None))
    about_the_list = (
        "IRC-CFG-008",
        "IRC-CFG-009",
        "IRC-CFG-010",
        "IRC-CFG-011",
        "IRC-CFG-012",
        "IRC-CFG-017",
    )

    assert differences(actual, honest()) == {
        **dict.fromkeys(about_the_list, Outcome.NOT_OFFERED),
        "IRC-CFG-013": Outcome.PASS,
        "IRC-CFG-014": Outcome.WARN,
    }


def test_undeclared_operation_that_is_served_is_no_missing_operation() -> None:
    actual = results(
        all_of(listing(lambda _: None), on_status(op.create_view, {400: 500})), "IRC-GEN-026"
    )

    assert set(actual.values()) <= {Outcome.PASS, Outcome.NOT_OFFERED}


def test_endpoints_beyond_what_is_served_fail_once() -> None:
    lacking = without_routes(op.rename_table, *VIEWS & CONTRACT.operations.keys())
    actual = outcomes(lacking)
    truthful = outcomes(
        all_of(
            lacking,
            listing(
                lambda entries: [e for e in entries if "rename" not in e and "/views" not in e]
            ),
        )
    )
    other = differences(actual, truthful)

    assert other.pop("IRC-CFG-011") is Outcome.FAIL
    assert set(other.values()) == {Outcome.BLOCKED}
    assert all(
        "-REN-" in requirement or "-VIEW-" in requirement
        for requirement in other.keys() - {"IRC-NS-DROP-001"}
    )


def test_unserved_default_operation_fails_once_and_names_the_requirement() -> None:
    with running(
        warehouse="memory:",
        faults=[unnamed(all_of(without_routes(op.rename_table), listing(lambda _: None)))],
    ) as server:
        by_requirement = checked(server.url, "IRC-CFG-013", "IRC-TBL-REN-*").results()

    assert [r for r, result in by_requirement.items() if result.outcome is Outcome.FAIL] == [
        "IRC-CFG-013"
    ]
    reason = "the server does not implement renameTable, although a configuration without `endpoints` implies it (IRC-CFG-013)"
    assert reason in {verdict.actual for verdict in by_requirement["IRC-TBL-REN-001"].verdicts}


@pytest.mark.parametrize(
    ("on", "operations"), [(True, VIEWS & CONTRACT.operations.keys()), (False, frozenset())]
)
def test_feature_views_overrides_detection(on: bool, operations: frozenset[OperationId]) -> None:  # noqa: FBT001
    with running(
        warehouse="memory:", faults=[unnamed(without_routes(*VIEWS & CONTRACT.operations.keys()))]
    ) as server:
        offer = offer_of(server.url, views=on)

    assert (
        offer.operations & VIEWS,
        offer.features["views"],
        set(offer.results["unserved"]) & VIEWS,
    ) == (operations, on, set())


def test_probes_are_few_and_change_nothing() -> None:
    with running(warehouse="memory:") as server, Wire(server.url, headers={}, timeout=5) as wire:
        target = Target(server.url)
        lab = CatalogLab(
            wire,
            CONTRACT,
            target,
            offer=discover(wire, target),
            check="discover",
            run="0",
            serial=0,
        )
        before = len(wire.exchanges)
        send_probes(lab)
        exchanges = [
            wire.exchanges[number] for number in range(before + 1, len(wire.exchanges) + 1)
        ]

    assert len(exchanges) <= 40
    assert [
        e.method
        for e in exchanges
        if e.method not in {"GET", "HEAD"} and e.status < 400 and e.operation is None
    ] == []
    assert {e.operation for e in exchanges} == {
        None
    }  # no invariant judges the answers of routes that need not exist


def router(
    *operations: OperationId,
    otherwise: Callable[[str, str], Answer],
    late: frozenset[OperationId] = frozenset(),
) -> Answerer:
    """Return a catalog without objects that serves some operations and no `endpoints`."""
    forms = {
        endpoints.form(f"{o.method} {o.path}"): o
        for o in CONTRACT.operations.values()
        if o.id in operations
    }

    def answerer(method: str, target: str, _: bytes) -> Answer:
        path = target.partition("?")[0]
        if path == "/v1/config":
            return answer(200, {"defaults": {}, "overrides": {}})
        words = [word if word in NOUNS else "{}" for word in path.strip("/").split("/")]
        route = forms.get(endpoints.form(f"{method} /{'/'.join(words)}"))
        if route is None:
            return otherwise(method, path)
        if route.id in late:
            time.sleep(3)
        return answer(
            404,
            {
                "error": {
                    "message": f"nothing at {path}",
                    "type": "NoSuchTableException",
                    "code": 404,
                }
            },
        )

    return answerer


NOUNS = frozenset(
    word
    for o in CONTRACT.operations.values()
    for word in o.path.split("/")
    if word and not word.startswith("{")
)


def plain_404(_: str, __: str) -> Answer:
    return answer(404)


def no_route_for(method: str, path: str) -> Answer:
    return answer(
        400,
        {
            "error": {
                "message": f"No route for request: {method} {path}",
                "type": "BadRequestException",
                "code": 400,
            }
        },
    )


def not_supported(method: str, path: str) -> Answer:
    return answer(
        501,
        {
            "error": {
                "message": f"not supported: {method} {path}",
                "type": "UnsupportedOperationException",
                "code": 501,
            }
        },
    )


@pytest.mark.parametrize(
    "otherwise", [plain_404, no_route_for, not_supported], ids=lambda f: f.__name__
)
def test_answers_of_a_router_are_no_operations(otherwise: Callable[[str, str], Answer]) -> None:
    operations = DEFAULT_OPERATIONS | {op.list_views, op.create_view, op.load_view, op.drop_view}
    with miniature(router(*operations, otherwise=otherwise)) as url:
        offer = offer_of(url)

    assert (offer.operations - {op.get_config}, set(offer.results["unserved"])) == (
        operations,
        set(),
    )


def test_routes_below_an_absent_namespace_need_not_exist() -> None:
    def no_namespace(_: str, __: str) -> Answer:
        return answer(
            404,
            {
                "error": {
                    "message": "Namespace does not exist",
                    "type": "NoSuchNamespaceException",
                    "code": 404,
                }
            },
        )

    with miniature(router(*DEFAULT_OPERATIONS, otherwise=no_namespace)) as url:
        offer = offer_of(url)

    assert (
        offer.operations & {op.list_views, op.load_view, op.plan_table_scan, op.load_credentials}
        == set()
    )


def test_catalog_that_serves_no_operation_is_not_checked() -> None:
    with (
        miniature(router(otherwise=not_supported)) as url,
        pytest.raises(Blocked, match="expected the catalog to serve an operation"),
    ):
        offer_of(url)


def test_endpoints_that_name_no_operation_leave_the_run_incomplete() -> None:
    def answerer(_: str, target: str, __: bytes) -> Answer:
        is_config = target.startswith("/v1/config")
        return (
            answer(200, {"defaults": {}, "overrides": {}, "endpoints": ["GET /v1/search"]})
            if is_config
            else answer(404)
        )

    with miniature(answerer) as url:
        result = CliRunner().invoke(check, [url, "--only", "IRC-CFG-*"])

    assert (
        result.exit_code,
        "expected the catalog to serve an operation of the contract" in result.output,
    ) == (3, True)


def test_operation_that_hangs_is_asked_once() -> None:
    with miniature(
        router(*DEFAULT_OPERATIONS, otherwise=plain_404, late=frozenset({op.load_table}))
    ) as url:
        start = time.monotonic()
        offer = offer_of(url)
        took = time.monotonic() - start

    assert took < 10
    assert "no answer came within 1 seconds" in offer.results["unserved"][op.load_table]


@pytest.mark.parametrize(
    ("endpoint", "operation"),
    [
        ("GET /v1/{prefix}/namespaces", op.list_namespaces),
        ("get v1/namespaces/", op.list_namespaces),
        ("GET /v1/a/b/namespaces", op.list_namespaces),
        ("POST /v1/:prefix/namespaces/<ns>/Tables", op.create_table),
        ("GET /v1/search", None),
        ("GET", None),
        ("", None),
    ],
)
def test_endpoint_means_an_operation_however_it_is_spelled(
    endpoint: str, operation: OperationId | None
) -> None:
    meaning = endpoints.operation_of(endpoint, "a/b")

    assert (meaning and meaning.id) == operation


LATER = {"lakepact.scan-planning.at-once-files": "0", "lakepact.scan-planning.polls": "1"}


def features(warehouse: Path, *faults: str | Fault) -> dict[str, bool]:
    with running(warehouse=str(warehouse), faults=list(faults)) as server:
        return dict(offer_of(server.url, shared=SharedFiles(warehouse)).features)


PLANS_LATER = unnamed(rewrites(op.create_table, lambda body: body | {"properties": LATER}))


@pytest.mark.parametrize(
    ("faults", "later"),
    [([PLANS_LATER], True), ([], False), (mutants(["partitions-anyway"]), False)],
)
def test_plans_in_the_background_are_detected(
    tmp_path: Path,
    faults: list[str | Fault],
    later: bool,  # noqa: FBT001
) -> None:
    assert features(tmp_path, *faults)["async-planning"] is later


def test_server_without_incremental_scans_does_not_offer_them(tmp_path: Path) -> None:
    without_start = refuses(
        op.plan_table_scan, lambda arguments: "start-snapshot-id" in arguments["body"], 406
    )
    with running(warehouse=str(tmp_path), faults=[unnamed(without_start)]) as server:
        assert (
            outcomes_of(
                checked(Target(server.url, shared_files=SharedFiles(tmp_path)), "IRC-SCAN-PLAN-010")
            )["IRC-SCAN-PLAN-010"]
            is Outcome.NOT_OFFERED
        )
