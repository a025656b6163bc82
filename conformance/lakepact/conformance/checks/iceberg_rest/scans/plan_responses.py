"""Invariants of scan planning, for every answer with a plan or its tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Exchange,
    Kind,
    OperationId,
    Place,
    Placed,
    Reply,
    expect,
    invariant,
    scans,
)
from lakepact.conformance.checks.iceberg_rest.kit.contract_schemas import SCHEMAS, ContractSchemas
from lakepact.conformance.checks.iceberg_rest.suite import suite
from lakepact.conformance.judging.definitions import answers_of
from lakepact.conformance.running.suite import Suite

ARRAYS = ("file-scan-tasks", "delete-files", "plan-tasks")
COUNTS = ("column-sizes", "value-counts", "null-value-counts", "nan-value-counts")
BOUNDS = ("lower-bounds", "upper-bounds")
REQUIRED = (
    "spec-id",
    "partition",
    "content",
    "file-path",
    "file-format",
    "file-size-in-bytes",
    "record-count",
)
#: Checks whose exchanges show all that the invariants are about.
DELETING = (
    "scans.deletes.delete_files_apply_by_sequence_and_partition",
    "scans.deletes.deletion_vectors_are_matched_to_their_file",
)
BACKGROUND = ("scans.fetch.async_plans_complete",)
FAILING = ("scans.fetch.plans_of_unreadable_tables_fail",)
EMPTY = "scans.plan.tables_without_snapshots_have_empty_plans"
PLANNING = (EMPTY, "scans.plan.plans_cover_the_latest_snapshot_of_main", *DELETING)
VALUES = ("scans.values.partition_values_have_the_form_of_their_type",)
PAGED = ("scans.tasks.plan_tasks_are_exchanged",)
FILTERED = ("scans.filters.filters_keep_every_matching_file",)
PLANS = answers_of(scans.PLAN, scans.FETCH, scans.TASKS, status=200)


def successful_body(exchange: Exchange, *operations: OperationId) -> Placed | None:
    """Return the body of an answer of one of these operations that succeeds; None for others."""
    if (
        exchange.operation not in operations
        or exchange.status != 200
        or not isinstance(exchange.json, dict)
    ):
        return None
    return Placed(exchange.json, Reply(exchange).place())


def objects(document: Placed | None, member: str) -> list[Placed]:
    """Return the objects in an array of an answer; nothing of what is none."""
    items = document.get(member) if document is not None else None
    if document is None or not isinstance(items, list):
        return []
    return [
        Placed(item, document.place(member, n))
        for n, item in enumerate(items)
        if isinstance(item, dict)
    ]


def files(document: Placed) -> Iterator[Placed]:
    """Yield the data files and delete files of an answer."""
    for task in objects(document, "file-scan-tasks"):
        if isinstance(task.get("data-file"), dict):
            yield task["data-file"]
    yield from objects(document, "delete-files")


def of_files(
    identifier: str, holds: Callable[[Placed], bool | None], *, traffic: tuple[str, ...] = PLANNING
) -> None:
    """Register an invariant about each file of a plan.

    `holds` raises an error for a file that breaks it, and returns False for one that it does not
    concern.
    """

    def holds_of_all(exchange: Exchange) -> bool:
        document = successful_body(exchange, scans.PLAN, scans.FETCH, scans.TASKS)
        results = [holds(file) is not False for file in files(document)] if document else []
        return any(results)

    holds_of_all.__name__ = holds.__name__
    holds_of_all.__doc__ = holds.__doc__
    invariant(identifier, traffic=traffic, concerns=PLANS)(holds_of_all)


# -- plans -----------------------------------------------------------------------------------------


@invariant("IRC-SCAN-PLAN-002", traffic=PLANNING, concerns=PLANS)
def planning_never_returns_cancelled(exchange: Exchange) -> bool:
    """A response to planning never has the status `cancelled`."""
    document = successful_body(exchange, scans.PLAN)
    if document is None or not isinstance(document.get("status"), str):
        return False
    expect.true(
        document["status"] != "cancelled",
        "another status than cancelled",
        document["status"],
        at=document.place("status"),
    )
    return True


@invariant("IRC-SCAN-PLAN-003", traffic=PLANNING, concerns=PLANS)
def plans_have_a_status(exchange: Exchange) -> bool:
    """A response to planning has the string `status`."""
    document = successful_body(exchange, scans.PLAN)
    if document is None:
        return False
    expect.true(
        isinstance(document.get("status"), str),
        "`status` as a string",
        sorted(document),
        at=document.place("status"),
    )
    return True


@invariant("IRC-SCAN-PLAN-004", traffic=PLANNING, concerns=PLANS)
def completed_plans_have_tasks(exchange: Exchange) -> bool:
    """A completed plan has `file-scan-tasks` or `plan-tasks`."""
    document = successful_body(exchange, scans.PLAN)
    if document is None or document.get("status") != "completed":
        return False
    holds = any(
        isinstance(document.get(member), list) for member in ("file-scan-tasks", "plan-tasks")
    )
    at = document.place("file-scan-tasks")
    expect.true(
        holds,
        "file-scan-tasks or plan-tasks, as arrays",
        sorted(document),
        at=at,
        kind=Kind.MISSING,
    )
    return True


@invariant("IRC-SCAN-PLAN-005", traffic=BACKGROUND, concerns=PLANS)
def submitted_plans_have_an_id(exchange: Exchange) -> bool:
    """A submitted plan has a `plan-id`."""
    document = successful_body(exchange, scans.PLAN)
    if document is None or document.get("status") != "submitted":
        return False
    identifier = document.get("plan-id")
    expect.true(
        isinstance(identifier, str) and bool(identifier),
        "plan-id as a string",
        identifier,
        at=document.place("plan-id"),
    )
    return True


@invariant("IRC-SCAN-PLAN-006", traffic=FAILING, concerns=PLANS)
def failed_plans_have_an_error(exchange: Exchange) -> bool:
    """A response to planning with the status `failed` has an `error`."""
    return _says_why(successful_body(exchange, scans.PLAN))


@invariant("IRC-SCAN-FETCH-004", traffic=FAILING, concerns=PLANS)
def fetched_failed_plans_have_an_error(exchange: Exchange) -> bool:
    """A fetched plan with the status `failed` has an `error`."""
    return _says_why(successful_body(exchange, scans.FETCH))


def _says_why(document: Placed | None) -> bool:
    if document is None or document.get("status") != "failed":
        return False
    error = document.get("error")
    error = error if isinstance(error, dict) else {}
    whole = (
        all(isinstance(error.get(m), str) for m in ("message", "type"))
        and type(error.get("code")) is int
    )
    expect.true(
        whole,
        "an error with message, type and code",
        document.get("error"),
        at=document.place("error"),
    )
    return True


@invariant("IRC-SCAN-PLAN-007", traffic=(*BACKGROUND, *FAILING), concerns=PLANS)
def incomplete_plans_have_no_tasks(exchange: Exchange) -> bool:
    """A response to planning that is not completed has no tasks."""
    return _has_no_tasks(
        successful_body(exchange, scans.PLAN), {"submitted", "failed", "cancelled"}
    )


@invariant("IRC-SCAN-FETCH-003", traffic=BACKGROUND, concerns=PLANS)
def fetched_submitted_plans_have_no_tasks(exchange: Exchange) -> bool:
    """A fetched plan with the status `submitted` has no tasks."""
    return _has_no_tasks(successful_body(exchange, scans.FETCH), {"submitted"})


def _has_no_tasks(document: Placed | None, states: set[str]) -> bool:
    if document is None or document.get("status") not in states:
        return False
    members = [member for member in ARRAYS if document.get(member)]
    expected = f"no tasks and no delete files with the status {document.get('status')}"
    at = document.place(*members[:1])
    expect.true(not members, expected, members, at=at, kind=Kind.SURPLUS)
    return True


# -- tasks -----------------------------------------------------------------------------------------


@invariant("IRC-SCAN-SCH-001", "IRC-SCAN-SCH-002", traffic=DELETING, concerns=PLANS)
def delete_references_are_valid_indexes(exchange: Exchange) -> bool:
    """Delete file references of a task are distinct indexes into the delete files of the same
    response.
    """
    document = successful_body(exchange, scans.PLAN, scans.FETCH, scans.TASKS)
    applies = False
    for task in objects(document, "file-scan-tasks"):
        references = task.get("delete-file-references")
        at = task.place("delete-file-references")
        if references is None:
            continue
        applies = True
        count = len(objects(document, "delete-files"))
        whole = isinstance(references, list) and all(
            type(reference) is int and 0 <= reference < count for reference in references
        )
        expect.true(
            whole,
            f"indexes below {count}, the number of delete files in the response",
            references,
            at=at,
        )
        expect.true(
            len(set(references)) == len(references), "distinct references", references, at=at
        )
    return applies


@invariant("IRC-SCAN-SCH-004", traffic=DELETING, concerns=PLANS)
def delete_files_are_referenced(exchange: Exchange) -> bool:
    """Each delete file of a response is referenced by a task of that response."""
    document = successful_body(exchange, scans.PLAN, scans.FETCH, scans.TASKS)
    deletes = objects(document, "delete-files")
    if document is None or not deletes:
        return False
    references = {
        reference
        for task in objects(document, "file-scan-tasks")
        for reference in task.get("delete-file-references") or []
    }
    # Of several deletion vectors in one file, which belongs to which task is a matter of
    # IRC-SCAN-SCH-003.
    paths = {delete.get("file-path") for place, delete in enumerate(deletes) if place in references}
    idle = [
        place
        for place, delete in enumerate(deletes)
        if place not in references and delete.get("file-path") not in paths
    ]
    at = document.place("delete-files", *idle[:1])
    expect.true(
        not idle, "a task that refers to each delete file", f"none refers to those at {idle}", at=at
    )
    return True


@invariant("IRC-SCAN-SCH-005", traffic=PLANNING, concerns=PLANS)
def tasks_have_data_files(exchange: Exchange) -> bool:
    """Each task has a data file with the content `data`."""
    document = successful_body(exchange, scans.PLAN, scans.FETCH, scans.TASKS)
    tasks = objects(document, "file-scan-tasks")
    for task in tasks:
        file = task.get("data-file")
        expect.member_of(
            Placed(file if isinstance(file, dict) else {}, task.place("data-file")),
            "content",
            "data",
            "content of the data-file",
        )
    return bool(tasks)


@invariant("IRC-SCAN-SCH-006", traffic=DELETING, concerns=PLANS)
def delete_files_have_a_content_type(exchange: Exchange) -> bool:
    """Each delete file has its content type, and equality deletes have `equality-ids`."""
    document = successful_body(exchange, scans.PLAN, scans.FETCH, scans.TASKS)
    deletes = objects(document, "delete-files")
    for file in deletes:
        expect.one_of(
            ("position-deletes", "equality-deletes"),
            file.get("content"),
            "the content",
            at=file.place("content"),
        )
        if file["content"] == "equality-deletes":
            columns, at = file.get("equality-ids"), file.place("equality-ids")
            whole = (
                isinstance(columns, list)
                and bool(columns)
                and all(type(column) is int for column in columns)
            )
            expect.true(whole, "equality-ids of a file that deletes by equality", columns, at=at)
    return bool(deletes)


def judge_residuals(of: Suite[CatalogLab], schemas: ContractSchemas) -> None:
    """Register the invariant about residual filters in the suite of a version."""

    @of.invariant("IRC-SCAN-SCH-013", traffic=FILTERED, concerns=PLANS)
    def residuals_are_expressions(exchange: Exchange) -> bool:
        """Each residual filter is a valid expression."""
        document = successful_body(exchange, scans.PLAN, scans.FETCH, scans.TASKS)
        if document is None or not any(
            "residual-filter" in task for task in objects(document, "file-scan-tasks")
        ):
            return False
        for component, flaw in schemas.flaws_in(exchange).items():
            if component.endswith("Expression") and flaw is not None:
                at = Place(
                    exchange, f"/body{schemas.invalid_instance(component, exchange).pointer}"
                )
                raise expect.unmet(
                    "a residual-filter that is an expression", exchange.redact(flaw), at=at
                )
        return True


judge_residuals(suite, SCHEMAS)


@invariant("IRC-SCAN-SCH-016", traffic=PAGED, concerns=PLANS)
def plan_tasks_are_strings(exchange: Exchange) -> bool:
    """`plan-tasks` is an array of strings."""
    document = successful_body(exchange, scans.PLAN, scans.FETCH, scans.TASKS)
    if document is None or "plan-tasks" not in document:
        return False
    tasks, at = document["plan-tasks"], document.place("plan-tasks")
    expect.true(
        isinstance(tasks, list) and all(isinstance(task, str) for task in tasks),
        "plan-tasks as an array of strings",
        tasks,
        at=at,
    )
    return True


# -- files -----------------------------------------------------------------------------------------


def _formats(file: Placed) -> None:
    """Formats are spelled in lower case."""
    expect.one_of(
        ("avro", "orc", "parquet", "puffin"),
        file.get("file-format"),
        "the file format",
        at=file.place("file-format"),
    )


def _required(file: Placed) -> None:
    """Files have what is required of them."""
    missing = [member for member in REQUIRED if file.get(member) is None]
    at = file.place(*missing[:1])
    expect.true(
        not missing,
        f"{', '.join(REQUIRED)} of each file",
        f"without {', '.join(missing)}",
        at=at,
        kind=Kind.MISSING,
    )


def _lengths(file: Placed) -> bool:
    """Offsets come with lengths."""
    if file.get("content-offset") is None:
        return False
    is_sized = type(file.get("content-size-in-bytes")) is int
    at = file.place("content-size-in-bytes")
    expect.true(is_sized, "content-size-in-bytes beside content-offset", sorted(file), at=at)
    return True


def _in_step(file: Placed) -> bool:
    """Keys and values of statistics are in step."""
    maps = [
        (file[member], file.place(member))
        for member in (*COUNTS, *BOUNDS)
        if file.get(member) is not None
    ]
    for one, at in maps:
        keys, values = (
            (one.get(m) or [] for m in ("keys", "values"))
            if isinstance(one, dict)
            else (None, None)
        )
        whole = isinstance(keys, list) and isinstance(values, list) and len(keys) == len(values)
        expect.true(
            whole and all(type(key) is int for key in keys or []),
            "as many values as keys, which are integers",
            one,
            at=at,
        )
    return bool(maps)


def _numbers(file: Placed) -> bool:
    """Return numbers of files are integers, and key metadata is hexadecimal."""
    applies = False
    for member in ("first-row-id", "sort-order-id"):
        if file.get(member) is not None:
            applies = True
            expect.true(
                type(file[member]) is int,
                f"an integer as {member}",
                file[member],
                at=file.place(member),
            )
    if file.get("split-offsets") is not None:
        applies = True
        offsets, at = file["split-offsets"], file.place("split-offsets")
        expect.true(
            isinstance(offsets, list) and all(type(offset) is int for offset in offsets),
            "integers as split-offsets",
            offsets,
            at=at,
        )
    if file.get("key-metadata") is not None:
        applies = True
        key = file["key-metadata"]
        whole = (
            isinstance(key, str)
            and len(key) % 2 == 0
            and all(one in "0123456789ABCDEFabcdef" for one in key)
        )
        at = file.place("key-metadata")
        expect.true(
            whole, "two hexadecimal digits for each byte of key-metadata", "something else", at=at
        )
    return applies


of_files("IRC-SCAN-SCH-007", _formats)
of_files("IRC-SCAN-SCH-009", _required)
of_files("IRC-SCAN-SCH-010", _lengths, traffic=DELETING)
of_files("IRC-SCAN-SCH-011", _in_step, traffic=VALUES)
of_files("IRC-SCAN-SCH-015", _numbers, traffic=VALUES)
