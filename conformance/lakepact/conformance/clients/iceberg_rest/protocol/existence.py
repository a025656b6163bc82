"""Requests whether an object exists, which are answered by the status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.clients.iceberg_rest.kit.declared_endpoints import with_endpoints
from lakepact.conformance.clients.iceberg_rest.kit.scripts import answering, error
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.clients.listener import Answer
from lakepact.conformance.evidence.outcome import NotOffered
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab
    from lakepact.conformance.clients.lab import Performance
    from lakepact.conformance.clients.scripted_server import Script

ASKED_BY_STATUS = frozenset({op.table_exists, op.namespace_exists})
ASKED = ASKED_BY_STATUS | {op.load_table, op.load_namespace_metadata}
#: The tasks, and what they get for an object that does not exist.
TASKS = {"table-exists": {"table": "missing"}, "namespace-exists": {}}
REFUSED = (401, 403, 500, 503)


def _offered(lab: CatalogClientLab) -> list[str]:
    """Return the tasks that the client implements.

    Raises:
        NotOffered: it implements none.
    """
    home = lab.namespace("t")
    tasks = [task for task in TASKS if lab.tries(task, namespace=home, table="t") is not None]
    if not tasks:
        raise NotOffered("the client does not implement table-exists or namespace-exists")
    return tasks


def _is(done: Performance, expected: Any, how: str) -> None:
    expect.equal(expected, done.result, f"{done.ended.task} {how}:", at=None)


@check("IRC-CLI-015", "IRC-CLI-012")
def existence_by_status(lab: CatalogClientLab) -> None:
    """A client reports whether an object exists, by 204 and 404 of HEAD, or without HEAD if `endpoints` does not list it."""
    home, missing = lab.namespace("t"), [lab.name()]
    scripts: list[tuple[str, str, Script]] = [
        ("IRC-CLI-015", "with HEAD", with_endpoints()),
        ("IRC-CLI-012", "without HEAD among the endpoints", with_endpoints(without=ASKED_BY_STATUS)),
    ]
    tasks = _offered(lab)
    for requirement, how, script in lab.each(scripts):
        with lab.judge_each(requirement) as case:
            for task in tasks:
                with case():
                    _is(lab.performs(task, script, namespace=home, table="t"), True, f"of an object that exists, {how}")
                with case():
                    namespace = home if task == "table-exists" else missing
                    _is(lab.performs(task, script, namespace=namespace, **TASKS[task]), False, f"of a missing object, {how}")


@check("IRC-CLI-003", "IRC-CLI-016", "IRC-CLI-018")
def unusual_existence_responses(lab: CatalogClientLab) -> None:
    """A client reports an object as existing for 200, as missing for 404 without a body, and an error for 401, 403, 500 and 503."""
    home = lab.namespace("t")
    tasks = _offered(lab)
    with lab.judge_each("IRC-CLI-016", without="the client sends no HEAD request") as case:
        for task in tasks:
            done = lab.performs(task, answering(ASKED_BY_STATUS, Answer(200)), namespace=home, table="t")
            if done.of(*ASKED_BY_STATUS):
                with case():
                    _is(done, True, "where HEAD returns 200")
    with lab.judge_each("IRC-CLI-018") as case:
        for task in tasks:
            with case():
                gone = answering(ASKED, Answer(404, headers=()))
                _is(lab.performs(task, gone, namespace=home, table="t"), False, "where the answer is 404 without a body")
    with lab.judge_each("IRC-CLI-003") as case:
        for task in tasks:
            for status in REFUSED:
                with case():
                    done = lab.performs(task, answering(ASKED, error(status)), namespace=home, table="t")
                    done.is_refused(f"the server returned {status}")
