"""Cases: one request, a sequence of requests, or a check of the suite, as canonical text.

Values that a target chooses are named (`Learned`), not spelled out. The id of a case is a hash of
its content, so that equal cases have equal ids in all plans.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lakepact.conformance.fuzz.steps import Learned, Step
from lakepact.conformance.judging.definitions import Check
from lakepact.generated.contract import Contract

READING = frozenset({"GET", "HEAD"})
ID_DIGITS = 32
#: Modes of cases that are more than one request: a sequence, and a check of the suite.
SEQUENCE, CHECK = "sequence", "check"


@dataclass(frozen=True)
class Case:
    """A case: requests for one place on a target.

    Args:
        contract: name of the contract.
        mode: how it was drawn.
        seed: the seed of its generation.
        setup: requests that create its objects.
        steps: the request, or those of a sequence.
    """

    contract: str
    mode: str
    seed: int
    setup: tuple[Step, ...]
    steps: tuple[Step, ...]


def to_json(value: Any) -> Any:
    """Return a value as JSON that can be read back: what JSON has no form for stands in an object
    with one member, `$…`.
    """
    if isinstance(value, Learned):
        return {"$learned": [to_json(value.what), value.default, value.then]}
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode("ascii")}
    if isinstance(value, (tuple, list)):
        items = [to_json(item) for item in value]
        return items if isinstance(value, list) else {"$tuple": items}
    if isinstance(value, dict):
        if all(isinstance(key, str) and not key.startswith("$") for key in value):
            return {key: to_json(member) for key, member in value.items()}
        return {"$object": [[to_json(key), to_json(member)] for key, member in value.items()]}
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def read(value: Any) -> Any:
    """Return the value that `spelled` made JSON of."""
    if isinstance(value, list):
        return [read(item) for item in value]
    if not isinstance(value, dict):
        return value
    for mark, reading in _READINGS.items():
        if mark in value:  # alone: an object that has one as a member is spelled as `$object`
            return reading(value[mark])
    return {key: read(member) for key, member in value.items()}


_READINGS: dict[str, Callable[[Any], Any]] = {
    "$learned": lambda value: Learned(read(value[0]), value[1], value[2]),
    "$bytes": base64.b64decode,
    "$tuple": lambda value: tuple(read(item) for item in value),
    "$object": lambda value: {read(name): read(member) for name, member in value},
}


def text_of(value: Any) -> str:
    """Canonical text: members sorted, ASCII alone."""
    return json.dumps(to_json(value), sort_keys=True, separators=(",", ":"))


def _document(step: Step) -> dict[str, Any]:
    return {
        "operation": step.operation,
        "arguments": dict(step.arguments),
        "body": step.body,
        "query": list(step.query),
    }


def text_of_steps(steps: Sequence[Step]) -> str:
    """Return requests as canonical text, without how they were generated."""
    return text_of([_document(step) for step in steps])


def steps_of(text: str) -> tuple[Step, ...]:
    """Return the requests that `text_of_steps` wrote down."""
    return tuple(
        Step(
            step["operation"],
            step["arguments"],
            step["body"],
            tuple((name, value) for name, value in step["query"]),
        )
        for step in read(json.loads(text))
    )


def fingerprint(contract: Contract) -> str:
    """Return a hash of a contract."""
    return hashlib.sha256(json.dumps(contract.bundle, sort_keys=True).encode()).hexdigest()


def row_of(case: Case, contract: Contract, contract_sha256: str) -> dict[str, Any]:
    """Return a case as a row of the table `cases`, without its number."""
    setup, request = text_of_steps(case.setup), text_of_steps(case.steps)
    row = {
        "case_id": _id(contract_sha256, setup, request),
        "contract": case.contract,
        "mode": case.mode,
        "seed": case.seed,
        "alone": False,
        "setup": setup,
        "request": request,
    }
    if case.mode == SEQUENCE:
        return {**row, "operation_id": SEQUENCE, "method": "", "path_template": "", "mutates": True}
    operation = contract.operations[case.steps[0].operation]
    columns = {
        "operation_id": operation.id,
        "method": operation.method,
        "path_template": operation.path,
    }
    # Read-only cases share a place, unless it costs nothing.
    return {**row, **columns, "mutates": operation.method not in READING or not case.setup}


def row_of_check(check: Check, contract: Contract, contract_sha256: str) -> dict[str, Any]:
    """Return a check of the suite as a row of the table `cases`, without its number; it is called
    by its name.
    """
    return {
        "case_id": _id(contract_sha256, CHECK, check.name),
        "contract": contract.name,
        "operation_id": check.name,
        "mode": CHECK,
        "seed": 0,
        "method": "",
        "path_template": "",
        "mutates": True,
        "alone": check.alone or check.last > 0,
        "setup": text_of_steps(()),
        "request": check.name,
    }


def _id(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:ID_DIGITS]


def case_of(row: Mapping[str, Any]) -> Case:
    """Return the case of a row that is no check.

    Raises:
        LookupError: its requests are no text of `text_of_steps`.
    """
    try:
        return Case(
            row["contract"],
            row["mode"],
            row["seed"],
            steps_of(row["setup"]),
            steps_of(row["request"]),
        )
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as wrong:
        raise LookupError(
            f"the requests of the case {row['case_id']} cannot be read: {str(wrong)[:200]}"
        ) from wrong
