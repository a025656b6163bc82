"""Successful tasks: their results, their changes in the catalog, and one request for each change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lakepact.conformance.clients.iceberg_rest.api import (
    COMMITS,
    Answer,
    Blocked,
    CatalogClientLab,
    Document,
    Forward,
    NotOffered,
    OperationId,
    Performance,
    Request,
    Unmet,
    answering,
    check,
    error,
    expect,
    op,
)
from lakepact.conformance.clients.iceberg_rest.kit.changes import UPDATES, changes
from lakepact.conformance.clients.iceberg_rest.kit.lab import VIEW_SQL, path_of

READS = frozenset({"GET", "HEAD"})
SUFFIX = ".50%41é&b"  #: characters that paths and bodies spell in different ways
CONFLICT = error(409, "CommitFailedException")
REFUSALS = (error(403, "ForbiddenException"), error(500, "InternalServerError"))
#: Operations whose success status is 204.
EMPTY = frozenset({op.drop_table, op.rename_table, op.drop_namespace, op.drop_view, op.rename_view})


def _expect_one_request(performance: Performance, operation: OperationId) -> None:
    """Expect the client to report a successful operation as done, and not to repeat its request.

    Raises:
        Blocked: the operation did not succeed.
    """
    answers = performance.of(operation)
    successes = [exchange for exchange in answers if 200 <= exchange.status < 300]
    if not successes:
        raise Blocked(f"{operation} did not succeed: {performance.text}")
    first = successes[0]
    repetitions = [
        e
        for e in answers
        if (e.url, e.request_body) == (first.url, first.request_body) and e.number > first.number
    ]
    if repetitions:
        raise Unmet(
            f"one request for {operation}, which returned {first.status}",
            f"{1 + len(repetitions)} requests",
        )
    if not performance.is_done:
        raise Unmet(
            f"{performance.task} to succeed, since {operation} returned {first.status}",
            performance.text,
        )


@check("IRC-CLI-017")
def successes_are_reported(lab: CatalogClientLab) -> None:
    """A client reports each successful change as done and requests it once."""
    count = 0
    with lab.judge_each("IRC-CLI-017") as case:
        for operation, task, arguments, _ in changes(lab):
            performance = lab.tries(task, **arguments)
            if performance is not None and any(
                exchange.status < 300 for exchange in performance.of(operation)
            ):
                count += 1
                with case():
                    _expect_one_request(performance, operation)
    if not count:
        raise NotOffered("the client changes nothing")


def with_200(request: Request, forward: Forward) -> Answer:
    """Answer as a catalog that returns 200 with an empty object where the contract has 204."""
    answer = forward(request)
    return (
        replace(answer, status=200, body=b"{}")
        if request.operation in EMPTY and answer.status == 204
        else answer
    )


@check("IRC-CLI-016")
def other_successes(lab: CatalogClientLab) -> None:
    """A client reports a rename or drop that returns 200 instead of 204 as done, and requests it
    once.
    """
    home = lab.namespace("t", "u")
    tasks: list[tuple[OperationId, str, Document]] = [
        (op.rename_table, "rename-table", {"table": "t", "to": "renamed"}),
        (op.drop_table, "drop-table", {"table": "u"}),
    ]
    count = 0
    with lab.judge_each("IRC-CLI-016") as case:
        for operation, task, arguments in tasks:
            performance = lab.tries(task, with_200, namespace=home, **arguments)
            if performance is not None and performance.of(operation):
                count += 1
                with case():
                    _expect_one_request(performance, operation)
    if not count:
        raise NotOffered("the client neither renames nor drops tables")


@check("IRC-CLI-003")
def refused_changes(lab: CatalogClientLab) -> None:
    """A client reports an error for a change that returns 403 or 500, and for a commit that returns
    409.
    """
    count = 0
    with lab.judge_each("IRC-CLI-003") as case:
        for operation, task, arguments, _ in changes(lab):
            refusals = (*REFUSALS, CONFLICT) if operation in COMMITS else REFUSALS
            for answer in refusals if operation != op.report_metrics else ():
                performance = lab.tries(task, answering(operation, answer), **arguments)
                if performance is None or not performance.of(operation):
                    break
                count += 1
                with case():
                    performance.expect_refusal(f"{operation} was answered with {answer.status}")
    if not count:
        raise NotOffered("the client changes nothing")


def _document(lab: CatalogClientLab, path: str) -> Document | None:
    """Return a document of the server behind the scripted server, a view with its `sql`; None for
    404.
    """
    answer = lab.server.ask("GET", path, allowed=404)
    if answer.status == 404:
        return None
    document: Document = answer.document
    for version in document.get("metadata", {}).get("versions", ()):
        if version["version-id"] == document["metadata"]["current-version-id"]:
            document["sql"] = version["representations"][0]["sql"]
    return document


def _expect_documents(lab: CatalogClientLab, leaves: dict[str, Document | None], how: str) -> None:
    """Expect these members of documents of the server, and 404 for None."""
    for path, expected in leaves.items():
        document = _document(lab, path)
        expect.equal(
            expected,
            _of(document, expected) if expected is not None else document,
            f"{path} {how}:",
        )


def _of(document: Any, expected: Any) -> Any:
    """Return the members of a document that are expected."""
    if isinstance(document, dict) and isinstance(expected, dict):
        return {
            name: _of(document[name], value) for name, value in expected.items() if name in document
        }
    return document


@check("IRC-CLI-058", "IRC-CLI-059")
def changes_leave_what_was_asked_for(lab: CatalogClientLab) -> None:
    """A client performs each change that it offers, and the catalog then has the objects by their
    names, and no other changes.
    """
    able: set[str] = set()
    for suffix in lab.each(("", SUFFIX)):
        for operation, task, arguments, leaves in lab.each(changes(lab, suffix)):
            performance = lab.tries(task, **arguments) if not suffix or task in able else None
            if performance is None or performance.is_late:
                continue
            if not suffix:
                with lab.judge("IRC-CLI-058"):
                    performance.meets(
                        performance.is_done, f"{task} to succeed with an unchanged server"
                    )
                    expect.true(
                        bool(performance.exchanges),
                        f"a request for {operation}",
                        "no request at all",
                    )
                    able.add(task)
            if task in able and (
                performance.is_done
                or not suffix
                or any(exchange.method not in READS for exchange in performance.exchanges)
            ):
                with lab.judge(
                    "IRC-CLI-059"
                ):  # a client may refuse names with such characters by itself
                    _expect_documents(
                        lab,
                        leaves,
                        f"after {task}, which {'succeeded' if performance.is_done else 'failed'}",
                    )
    if not able:
        raise NotOffered("the client changes nothing")


def _reads(lab: CatalogClientLab) -> list[tuple[str, Document, Any]]:
    """Return tasks that read, and their results."""
    home, other = lab.namespace("t", "u"), lab.namespace()
    child = lab.namespace(within=home)
    for view in ("v", "w"):
        lab.view(home, view)
    uuid = lab.server.ask("GET", path_of(home, "views", "v")).document["metadata"]["view-uuid"]
    metadata = lab.commit(home, "t", {"action": "set-properties", "updates": UPDATES})
    lab.server.ask(
        "POST", path_of(home, "properties"), document={"updates": UPDATES, "removals": []}
    )
    table = {
        "uuid": metadata["table-uuid"],
        "location": metadata["location"],
        "properties": metadata["properties"],
    }
    where = {"namespace": home, "table": "t", "view": "v"}
    return [
        ("list-namespaces", {}, [home, other]),
        ("list-child-namespaces", {"parent": home}, [child]),
        ("list-child-namespaces", {"parent": other}, []),
        ("namespace-exists", {"namespace": child}, True),
        ("namespace-exists", {"namespace": [*home, "absent"]}, False),
        ("load-namespace", where, lab.server.ask("GET", path_of(home)).document["properties"]),
        ("list-tables", where, ["t", "u"]),
        ("list-tables", {"namespace": other}, []),
        ("table-exists", where, True),
        ("table-exists", {**where, "table": "absent"}, False),
        ("load-table", where, {**table, "snapshot-ids": [], "current-snapshot-id": None}),
        ("read-rows", where, []),
        ("list-views", where, ["v", "w"]),
        ("load-view", where, {"uuid": uuid, "sql": VIEW_SQL}),
    ]


@check("IRC-CLI-058")
def reads_return_what_the_server_has(lab: CatalogClientLab) -> None:
    """A client performs each task that it offers and that reads, and returns the names, members and
    values of the server.
    """
    with lab.judge_each("IRC-CLI-058", without="the client implements no task that reads") as case:
        for task, arguments, expected in _reads(lab):
            performance = lab.tries(task, **arguments)
            if performance is None:
                continue
            with case():
                if performance.is_late:
                    raise Blocked(performance.text)
                actual = _of(performance.result, expected)
                if task == "list-namespaces" and isinstance(actual, list):
                    actual = [one for one in actual if one in expected]
                expect.same_items(expected, actual, f"result of {task}:")
                expect.true(bool(performance.exchanges), "a request to the server", "none")
