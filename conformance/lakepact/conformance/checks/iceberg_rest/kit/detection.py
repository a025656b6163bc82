"""Detection of the operations that a catalog implements, whatever it declares."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import orjson

from lakepact.conformance.checks.iceberg_rest.kit.lab import DECLARED, CatalogLab, Namespace, Table
from lakepact.conformance.checks.iceberg_rest.kit.probes import (
    PROBES,
    Answer,
    classify_answer,
    proves,
)
from lakepact.conformance.checks.iceberg_rest.kit.scans import TableWithFiles
from lakepact.conformance.evidence.exchanges import Document, Exchange, Members
from lakepact.conformance.evidence.outcome import Blocked, NotOffered, Unmet
from lakepact.conformance.http.wire import NoAnswer
from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op

DETECTED = "detected"  #: what an offer calls its detection
FILES = 5  #: of the table whose scan is planned
MAX_WORKERS = 4  #: probes at a time, like checks
NO_ROUTE = "/lakepact_nothing"  #: below a namespace; no version of the contract has it
VIEWS = frozenset(
    {
        op.list_views,
        op.create_view,
        op.load_view,
        op.replace_view,
        op.drop_view,
        op.view_exists,
        op.rename_view,
        op.register_view,
    }
)

#: The operation that loads what a HEAD operation looks for.
GET_OF_HEAD = {
    op.namespace_exists: op.load_namespace_metadata,
    op.table_exists: op.load_table,
    op.view_exists: op.load_view,
}


@dataclass(frozen=True)
class Detection:
    """The operations of a catalog, as far as the answers to harmless requests show them."""

    operations: frozenset[OperationId]
    missing: frozenset[OperationId]
    silent: frozenset[OperationId]  #: no answer came within the timeout


def detection_of(lab: CatalogLab) -> Detection:
    """Return the detection on the target of a lab; without one, the declared operations."""
    detection: Detection = lab.offer.results.get(DETECTED) or Detection(
        lab.offer.operations, frozenset(), frozenset()
    )
    return detection


def declared_operations(lab: CatalogLab) -> frozenset[OperationId]:
    """Return the operations that the target declares, or implies without `endpoints`."""
    declared: frozenset[OperationId] = lab.offer.results.get(DECLARED, lab.offer.operations)
    return declared


@dataclass(frozen=True)
class ProbeAnswers:
    """The answers to the probes of all operations.

    Args:
        routers: by method, the answer for a route that does not exist.
        exchanges: by operation, the probe that was answered.
        silent: operations whose probe was not answered within the timeout.
    """

    routers: Mapping[str, Exchange]
    exchanges: Mapping[OperationId, Exchange]
    silent: frozenset[OperationId]

    def operations_with(self, answer: Answer) -> frozenset[OperationId]:
        """Return the operations whose probes give this evidence."""
        return frozenset(
            o
            for o, exchange in self.exchanges.items()
            if classify_answer(exchange, self.routers.get(exchange.method)) is answer
        )


def send_probes(lab: CatalogLab) -> ProbeAnswers:
    """Send the probe of every operation of the contract, and one request of each method for a route
    that does not exist.

    They are sent without an operation: invariants do not judge the answers of routes that the
    server need not have.
    """
    operations = [operation for operation in PROBES if operation in lab.contract.operations]
    requests = [
        (lab.contract.operations[operation].method, _path(lab, operation), PROBES[operation])
        for operation in operations
    ]
    nowhere = lab.path(op.load_namespace_metadata, namespace=(lab.name(),)) + NO_ROUTE
    methods = sorted({method for method, _, _ in requests})
    requests += [(method, nowhere, {"body": {}} if method == "POST" else {}) for method in methods]
    with ThreadPoolExecutor(MAX_WORKERS) as pool:
        answers = list(pool.map(lambda request: _answer(lab, *request), requests))
    exchanges = {
        o: answer
        for o, answer in zip(operations, answers, strict=False)
        if answer is not None and answer.status
    }
    silent = frozenset(
        o
        for o, answer in zip(operations, answers, strict=False)
        if answer is not None and not answer.status
    )
    controls = zip(methods, answers[len(operations) :], strict=True)
    return ProbeAnswers(
        {method: answer for method, answer in controls if answer is not None and answer.status},
        exchanges,
        silent,
    )


def _path(lab: CatalogLab, operation: OperationId) -> str:
    return lab.path(
        operation, namespace=(lab.name(),), table=lab.name(), view=lab.name(), plan_id=lab.name()
    )


def _answer(lab: CatalogLab, method: str, path: str, probe: Members) -> Exchange | None:
    """Return the exchange of a probe: with status 0 if the timeout expired, `None` if the
    connection failed.
    """
    content = orjson.dumps(probe["body"]) if "body" in probe else b""
    headers = [("Content-Type", "application/json")] if content else []
    try:
        return lab.send_raw(method, path, headers=headers, content=content).exchange
    except NoAnswer as none:
        return none.keep() if none.late else None
    except Blocked:
        return None


def undeclared_operations(
    answers: ProbeAnswers, declared: frozenset[OperationId]
) -> frozenset[OperationId]:
    """Return the operations that probes show as served although the target does not declare them.

    The answer to a HEAD request counts only beside the GET of the same path.
    """
    present = answers.operations_with(Answer.SERVED)
    return frozenset(
        o
        for o in present - declared
        if proves(answers.exchanges[o]) and GET_OF_HEAD.get(o, o) in present
    )


def detect(lab: CatalogLab, answers: ProbeAnswers, declared: frozenset[OperationId]) -> Detection:
    """Return the operations of a catalog; unclear ones are tried on a namespace, a table and a view
    that the suite creates and drops.

    Args:
        lab: a lab that may use the declared operations and those of `undeclared_operations`.
        answers: the answers to the probes.
        declared: the operations that the catalog declares, or implies without `endpoints`.
    """
    present, absent = answers.operations_with(Answer.SERVED), answers.operations_with(Answer.ABSENT)
    present &= declared | undeclared_operations(answers, declared)
    unclear = answers.operations_with(Answer.UNCLEAR)
    doubtful = {
        o
        for o in absent | unclear
        if o in declared or (o in unclear and answers.exchanges[o].method == "HEAD")
    }
    results = _try_operations(lab, doubtful, answers.routers)
    successes = frozenset(o for o, there in results.items() if there)
    # The answer of a router decides only if no existing object could be tried.
    missing = frozenset(o for o in doubtful & declared if not results.get(o, o not in absent))
    # The answer to a HEAD request has no body to tell it from a router's.
    missing |= {o for o in doubtful & declared - results.keys() if GET_OF_HEAD.get(o) in missing}
    return Detection(present | successes, missing, answers.silent)


def planning_features(lab: CatalogLab, table: Table, *, with_files: bool) -> dict[str, bool]:
    """Return whether a scan is planned in the background, and whether its plan is divided into plan
    tasks.

    Args:
        lab: a lab that may plan scans, if the target does.
        table: a table without snapshots.
        with_files: whether data files can be written for the plan; a plan of an empty table is more
            likely made at once.
    """
    if not lab.offers(op.plan_table_scan):
        return {}
    table_with_files = TableWithFiles(lab, table)
    if with_files:
        # Metadata that breaks other requirements, such as an unexpected partition field, keep a
        # file from being written.
        with contextlib.suppress(Blocked, NotOffered, Unmet, LookupError, TypeError, ValueError):
            table_with_files.append(
                *(table_with_files.file(f"file-{number}") for number in range(FILES))
            )
    answer = lab.send(op.plan_table_scan, body={}, **table.at).exchange.json
    document = answer if isinstance(answer, dict) else {}
    return {
        "async-planning": document.get("status") == "submitted",
        "plan-tasks": bool(document.get("plan-tasks")),
    }


def _try_operations(
    lab: CatalogLab, doubtful: Iterable[OperationId], routers: Mapping[str, Exchange]
) -> dict[OperationId, bool]:
    """Try operations on existing objects, and return whether each is served."""
    operations = set(doubtful)
    results: dict[OperationId, bool] = {}
    if not operations:
        return results
    with contextlib.suppress(Blocked, NotOffered, Unmet):
        namespace = lab.make_namespace()
        results[op.create_namespace] = True
        table = lab.make_table(namespace)
        results[op.create_table] = True
        view = _view(lab, namespace) if operations & VIEWS else ""
        if view:
            results[op.create_view] = True
        for operation, arguments in _about_objects(lab, table, view).items():
            if operation in operations:
                exchange = lab.send(operation, declared=False, **arguments()).exchange
                # 404 for HEAD does not tell a missing object from a missing route.
                if not (exchange.method == "HEAD" and exchange.status == 404):
                    results[operation] = (
                        classify_answer(exchange, routers.get(exchange.method)) is not Answer.ABSENT
                    )
    lab.clean_up()
    return {operation: there for operation, there in results.items() if operation in operations}


def _view(lab: CatalogLab, namespace: Namespace) -> str:
    """Return the name of a new view; empty if none can be created."""
    with contextlib.suppress(Blocked, NotOffered, Unmet):
        return lab.make_view(namespace)
    return ""


def _about_objects(
    lab: CatalogLab, table: Table, view: str
) -> dict[OperationId, Callable[[], Document]]:
    """Return the arguments of a request about an existing object for each operation; those that
    remove it come last.
    """
    home = {"namespace": table.namespace}
    change = {"identifier": table.identifier, "requirements": [], "updates": []}
    of_namespaces = (
        op.load_namespace_metadata,
        op.namespace_exists,
        op.list_tables,
        op.list_views,
        op.update_properties,
        op.register_table,
    )
    of_tables = (
        op.load_table,
        op.table_exists,
        op.load_credentials,
        op.update_table,
        op.report_metrics,
        op.drop_table,
    )
    of_views = (op.load_view, op.view_exists, op.replace_view, op.drop_view) if view else ()

    def renaming() -> Document:
        source, name = lab.make_table(table.namespace), lab.name()
        lab.drop_afterwards(table.namespace, name)
        return {
            "body": {
                "source": source.identifier,
                "destination": {**source.identifier, "name": name},
            }
        }

    def registering() -> Document:
        location, name = lab.load(table).reply.at("metadata-location"), lab.name()
        lab.drop_afterwards(table.namespace, name)
        return {"body": {"name": name, "metadata-location": location}, **home}

    requests: dict[OperationId, Callable[[], Document]] = {
        o: partial(dict, PROBES[o], **home) for o in of_namespaces
    }
    requests[op.register_table] = registering
    requests[op.commit_transaction] = lambda: {"body": {"table-changes": [change]}}
    requests |= {o: partial(dict, PROBES[o], **table.at) for o in of_tables}
    requests |= {o: partial(dict, PROBES[o], **home, view=view) for o in of_views}
    return {**requests, op.rename_table: renaming, op.drop_namespace: lambda: home}
