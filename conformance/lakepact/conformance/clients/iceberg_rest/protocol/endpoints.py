"""Catalogs with few operations, a prefix or another address, and requests whether objects exist."""

from __future__ import annotations

from typing import Any

from lakepact.conformance.clients.iceberg_rest.api import (
    Answer,
    CatalogClientLab,
    Document,
    Forward,
    NotOffered,
    Performance,
    Request,
    Script,
    Unmet,
    answering,
    check,
    error,
    expect,
    op,
    with_endpoints,
)
from lakepact.conformance.clients.iceberg_rest.kit.scripts import MISSING

#: Operations that a client can do without.
OPTIONAL = frozenset(
    {
        op.table_exists,
        op.namespace_exists,
        op.view_exists,
        op.load_credentials,
        op.plan_table_scan,
        op.fetch_planning_result,
        op.fetch_scan_tasks,
        op.cancel_planning,
        op.report_metrics,
        op.list_views,
        op.load_view,
    }
)
#: Prefixes of several segments, and one whose slash is encoded.
PREFIXES = ("warehouses/one", "a/b/c", "projects%2Fone", "with.dot_and~tilde")
ELSEWHERE = "elsewhere"


def _tasks(home: list[str]) -> list[tuple[str, Document]]:
    """Return tasks that use optional operations if the catalog serves them."""
    where = {"namespace": home, "table": "t"}
    return [
        ("table-exists", where),
        ("namespace-exists", where),
        ("load-table", where),
        ("file-properties", where),
        ("list-tables", where),
        ("append-rows", {**where, "rows": [{"id": 1, "data": "a"}]}),
        ("read-rows", where),
    ]


@check("IRC-CLI-011")
def undeclared_operations(lab: CatalogClientLab) -> None:
    """A client does not call operations that `endpoints` does not declare."""
    home = lab.namespace("t")
    script = with_endpoints(without=OPTIONAL)
    count = 0
    with lab.judge_each("IRC-CLI-011") as case:
        for task, arguments in _tasks(home):
            performance = lab.tries(task, script, **arguments)
            if performance is not None and performance.of(op.get_config):
                count += 1
                with case():
                    operations = sorted(
                        {
                            exchange.operation
                            for exchange in performance.of(*OPTIONAL)
                            if exchange.operation
                        }
                    )
                    expect.equal(
                        [],
                        operations,
                        f"operations that {task} calls and the configuration does not list:",
                    )
    if not count:
        raise NotOffered("the client does not ask for the configuration")


def below(prefix: str) -> Script:
    """Return a catalog below a prefix, which its configuration names."""

    def script(request: Request, forward: Forward) -> Answer:
        path, mark, query = request.target.partition("?")
        start = f"/v1/{prefix}/"
        if request.operation == op.get_config:
            return forward(request).merging(overrides={"prefix": prefix})
        if not path.startswith(start):
            return MISSING
        return forward(request.at("/v1/" + path.removeprefix(start) + mark + query))

    return script


def _paths(performance: Performance) -> set[str]:
    """Return the paths of a client's requests that belong below the prefix."""
    paths = {
        "/v1/" + exchange.url.partition("/v1/")[2].partition("?")[0]
        for exchange in performance.exchanges
    }
    return paths - {"/v1/config", "/v1/oauth/tokens"}


def _all_below(performance: Performance, prefix: str) -> None:
    outside = sorted(path for path in _paths(performance) if not path.startswith(f"/v1/{prefix}/"))
    expect.equal([], outside, f"paths of {performance.task} that do not begin with /v1/{prefix}/:")


@check("IRC-CLI-013")
def prefixes(lab: CatalogClientLab) -> None:
    """A client sends every request below `/v1/` and the `prefix`, whose slashes and percent signs
    are unchanged.
    """
    where: Document = {"namespace": lab.namespace(), "table": "t"}
    tasks: list[tuple[str, Document]] = [
        ("list-namespaces", {}),
        ("create-table", where),
        ("list-tables", where),
        ("set-properties", {**where, "updates": {"lakepact.note": "1"}}),
        ("table-exists", where),
        ("append-rows", {**where, "rows": [{"id": 1, "data": "a"}]}),
        (
            "commit-transaction",
            {**where, "tables": ["t"], "updates": {"lakepact.note": "2"}},
        ),
        ("rename-table", {**where, "to": "renamed"}),
        ("drop-table", {**where, "table": "renamed"}),
    ]
    count = 0
    with lab.judge_each("IRC-CLI-013") as case:
        for number, prefix in enumerate(PREFIXES):
            for task, arguments in tasks if number == 0 else tasks[:3:2]:
                performance = lab.tries(task, below(prefix), prefix=prefix, **arguments)
                if performance is not None and _paths(performance):
                    count += 1
                    with case():
                        _all_below(performance, prefix)
    if not count:
        raise NotOffered("the client sends no request in any of the tasks")


def at_another_address(request: Request, forward: Forward) -> Answer:
    """Answer as a catalog whose configuration overrides its address; it serves nothing else at the
    former one.
    """
    here = f"/{ELSEWHERE}"
    if request.target.startswith(here):
        return forward(request.at(request.target.removeprefix(here)))
    if request.operation != op.get_config:
        return MISSING
    return forward(request).merging(overrides={"uri": request.base + here})


@check("IRC-CLI-014")
def addresses_in_overrides(lab: CatalogClientLab) -> None:
    """A client sends all further requests to the `uri` in the overrides of the configuration."""
    home = lab.listable()
    with lab.judge("IRC-CLI-014"):
        performance = lab.performs("list-tables", at_another_address, namespace=home)
        paths = [
            exchange.url.partition("/task-")[2].partition("/")[2].partition("?")[0]
            for exchange in performance.exchanges
        ]
        configuration = paths[0] if paths else ""  # a client may ask for it twice
        later = [path for path in paths if path != configuration]
        if not later or not all(path.startswith(f"{ELSEWHERE}/") for path in later):
            raise Unmet(
                f"requests to the overridden uri, which ends with /{ELSEWHERE}",
                expect.excerpt(later),
            )


ASKED_BY_STATUS = frozenset({op.table_exists, op.namespace_exists})
ASKED = ASKED_BY_STATUS | {op.load_table, op.load_namespace_metadata}
#: The tasks, with their arguments for a missing object.
TASKS = {"table-exists": {"table": "missing"}, "namespace-exists": {}}
REFUSED = (401, 403, 500, 503)


def _available_tasks(lab: CatalogClientLab) -> list[str]:
    """Return the tasks that the client implements.

    Raises:
        NotOffered: it implements none.
    """
    home = lab.namespace("t")
    tasks = [task for task in TASKS if lab.tries(task, namespace=home, table="t") is not None]
    if not tasks:
        raise NotOffered("the client does not implement table-exists or namespace-exists")
    return tasks


def _expect_result(performance: Performance, expected: Any, how: str) -> None:
    expect.equal(expected, performance.result, f"{performance.task} {how}:")


@check("IRC-CLI-015", "IRC-CLI-012")
def existence_by_status(lab: CatalogClientLab) -> None:
    """A client reports whether an object exists, by 204 and 404 of HEAD, or without HEAD if
    `endpoints` does not list it.
    """
    home, missing = lab.namespace("t"), [lab.name()]
    scripts: list[tuple[str, str, Script]] = [
        ("IRC-CLI-015", "with HEAD", with_endpoints()),
        (
            "IRC-CLI-012",
            "without HEAD among the endpoints",
            with_endpoints(without=ASKED_BY_STATUS),
        ),
    ]
    tasks = _available_tasks(lab)
    for requirement, how, script in lab.each(scripts):
        with lab.judge_each(requirement) as case:
            for task in tasks:
                with case():
                    _expect_result(
                        lab.performs(task, script, namespace=home, table="t"),
                        True,
                        f"of an object that exists, {how}",
                    )
                with case():
                    namespace = home if task == "table-exists" else missing
                    _expect_result(
                        lab.performs(task, script, namespace=namespace, **TASKS[task]),
                        False,
                        f"of a missing object, {how}",
                    )


@check("IRC-CLI-003", "IRC-CLI-016", "IRC-CLI-018")
def unusual_existence_responses(lab: CatalogClientLab) -> None:
    """A client reports an object as existing for 200, as missing for 404 without a body, and an
    error for 401, 403, 500 and 503.
    """
    home = lab.namespace("t")
    tasks = _available_tasks(lab)
    with lab.judge_each("IRC-CLI-016", without="the client sends no HEAD request") as case:
        for task in tasks:
            performance = lab.performs(
                task, answering(ASKED_BY_STATUS, Answer(200)), namespace=home, table="t"
            )
            if performance.of(*ASKED_BY_STATUS):
                with case():
                    _expect_result(performance, True, "where HEAD returns 200")
    with lab.judge_each("IRC-CLI-018") as case:
        for task in tasks:
            with case():
                missing = answering(ASKED, Answer(404, headers=()))
                _expect_result(
                    lab.performs(task, missing, namespace=home, table="t"),
                    False,
                    "where the answer is 404 without a body",
                )
    with lab.judge_each("IRC-CLI-003") as case:
        for task in tasks:
            for status in REFUSED:
                with case():
                    performance = lab.performs(
                        task, answering(ASKED, error(status)), namespace=home, table="t"
                    )
                    performance.expect_refusal(f"the server returned {status}")
