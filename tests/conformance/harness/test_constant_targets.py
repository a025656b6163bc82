"""Targets that answer everything alike, or one operation never: no requirement passes that they
were not seen to keep.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from faulty_servers import checked
from lakepact.conformance.evidence.limits import Budget, GivenUp
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.http.wire import NoAnswer, Wire
from lakepact.conformance.report.run_lines import lines_of
from lakepact.conformance.running import runner
from lakepact.generated.contract import Contract
from lakepact.generated.iceberg_rest import op
from miniatures import answer, miniature
from server_doubles.hostile_servers import attacking, dripping_body

CONTRACT = "iceberg_rest"
MOST_CAUSES = 10
ENDPOINTS = [
    f"{operation.method} {operation.path}" for operation in Contract(CONTRACT).operations.values()
]
CONFIGURATION = answer(200, {"defaults": {}, "overrides": {}, "endpoints": ENDPOINTS})


def error(status: int) -> tuple[int, dict[str, str], bytes]:
    """Return an answer with the contract's error body."""
    return answer(
        status, {"error": {"message": "always", "type": "ConstantException", "code": status}}
    )


#: Requirements that any answer may keep: of the configuration, which is right here, and of single
#: answers.
CONFIGURATION_ONLY = frozenset(
    {f"IRC-CFG-{n:03}" for n in (1, 4, 7, 8, 9, 10, 12, 14, 16, 17, 18, 19, 20)}
    | {"IRC-SCH-CatalogConfig"}
)
ERROR_BODIES = frozenset(
    {
        *(
            "IRC-ERR-001",
            "IRC-ERR-002",
            "IRC-ERR-003",
            "IRC-ERR-004",
            "IRC-ERR-006",
            "IRC-ERR-015",
            "IRC-ERR-018",
            "IRC-ERR-021",
        ),
        *("IRC-SCH-ErrorModel", "IRC-SCH-IcebergErrorResponse"),
    }
)
NO_SERVER_ERROR, JSON_BODIES, NO_CONTENT = "IRC-ERR-014", "IRC-GEN-005", "IRC-GEN-006"
NO_BODY_OF_HEAD, STATUS_200, SPELLING, UNKNOWN_PATHS = (
    *("IRC-GEN-008", "IRC-GEN-009", "IRC-GEN-018"),
    ("IRC-GEN-024", "IRC-GEN-025", "IRC-ERR-020"),
)
SINGLE_ANSWERS = frozenset({NO_BODY_OF_HEAD, STATUS_200, SPELLING})

#: By name: the answer to everything but the configuration, and the requirements that such a server
#: keeps.
TARGETS = {
    "200-empty": (answer(200), {NO_SERVER_ERROR, JSON_BODIES}),
    "204": (answer(204), {NO_SERVER_ERROR, JSON_BODIES, NO_CONTENT}),
    "404": (error(404), {NO_SERVER_ERROR, JSON_BODIES, *ERROR_BODIES, *UNKNOWN_PATHS}),
    "500": (error(500), {JSON_BODIES, *ERROR_BODIES}),
    "200-object": (answer(200, {}), {NO_SERVER_ERROR, JSON_BODIES}),
    "200-page": ((200, {"Content-Type": "text/html"}, b"<html></html>"), {NO_SERVER_ERROR}),
    "400": (error(400), {NO_SERVER_ERROR, JSON_BODIES, *ERROR_BODIES, *UNKNOWN_PATHS}),
    "409": (error(409), {NO_SERVER_ERROR, JSON_BODIES, *ERROR_BODIES, *UNKNOWN_PATHS}),
}


def passes_beyond(
    constant: tuple[int, dict[str, str], bytes], own_requirements: set[str]
) -> tuple[int, list[str], list[str], bool]:
    """Return the exit code, the passes that such a server cannot have earned, the errors of the
    suite, and whether causes are few.
    """

    def reply(method: str, target: str, _: bytes) -> tuple[int, dict[str, str], bytes]:
        status, headers, body = CONFIGURATION if target.startswith("/v1/config") else constant
        return status, headers, b"" if method == "HEAD" else body

    with miniature(reply) as url:
        run = checked(Target(url, timeout=10))
    results = run.results()
    allowed = CONFIGURATION_ONLY | SINGLE_ANSWERS | own_requirements
    passes = sorted(
        r for r, result in results.items() if result.outcome is Outcome.PASS and r not in allowed
    )
    errors = [r for r, result in results.items() if result.outcome is Outcome.ERROR]
    causes = [line for line in lines_of(run) if line["line"] == "cause"]
    return runner.exit_code(results.values()), passes, errors, len(causes) <= MOST_CAUSES


@pytest.mark.parametrize("name", TARGETS)
def test_constant_answer_passes_nothing_that_it_does_not_keep(name: str) -> None:
    assert passes_beyond(*TARGETS[name]) == (1, [], [], True)


def test_operation_that_is_late_twice_is_no_longer_sent() -> None:
    with attacking(dripping_body) as url, Wire(url, timeout=0.2, budget=Budget(60)) as wire:
        for _ in range(2):
            with pytest.raises(NoAnswer):
                wire.send("GET", "/x", operation=op.load_table)

        with pytest.raises(GivenUp, match="loadTable did not answer in time"):
            wire.send("GET", "/x", operation=op.load_table)
        with pytest.raises(NoAnswer):
            wire.send("GET", "/x", operation=op.list_tables)


def test_late_operation_that_answered_before_is_sent_once_more_after_a_pause() -> None:
    budget = Budget(recovery=0.05)
    budget.count_answer("createTable")
    for operation in ("createTable", "createTable", "listTables", "listTables"):
        budget.count_late(operation, 0.0)
    with pytest.raises(GivenUp):
        budget.check("createTable")
    time.sleep(0.06)

    budget.check("createTable")

    for operation in ("createTable", "listTables"):  # sent once; never answered
        with pytest.raises(GivenUp):
            budget.check(operation)


def test_simultaneous_late_answers_count_once() -> None:
    budget, gate = Budget(3.0), threading.Barrier(4)

    def late() -> None:
        gate.wait(10)
        time.sleep(0.5)
        budget.spend(0.5)
        budget.count_late("createTable", 0.5)

    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(late) for _ in range(4)]:
            future.result()

    budget.check("createTable")  # neither the seconds nor the operation are used up
