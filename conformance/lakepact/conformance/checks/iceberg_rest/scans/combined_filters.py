"""Checks of scans that ask for much at once, or to the last digit: filters of former snapshots, in
the background, with deletes.
"""

from __future__ import annotations

from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    NotOffered,
    check,
    expect,
    scans,
)
from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import Manifest, long_bound
from lakepact.conformance.checks.iceberg_rest.scans.deletes import BY_NAME
from lakepact.conformance.checks.iceberg_rest.scans.fetch import in_the_background
from lakepact.conformance.checks.iceberg_rest.scans.filters import both, comparison
from lakepact.conformance.checks.iceberg_rest.scans.plan import files_of, of_four
from lakepact.conformance.checks.iceberg_rest.scans.residuals import holds, is_decided

#: Members of a request that do not change the files to read.
OPTIONS: dict[str, Document] = {
    "a filter that holds for every row": {"filter": comparison("not-null", "id")},
    "selected columns": {"select": ["id"]},
    "statistics": {"stats_fields": ["id"]},
    "everything said": {
        "filter": comparison("not-null", "id"),
        "select": ["id"],
        "case_sensitive": False,
    },
}

BEYOND_DOUBLES = 2**53 + 1  #: the first whole number that no double is
MICROS = 1_577_880_000_000_001  #: 2020-01-01T12:00:00.000001 UTC, in microseconds since 1970
SPACED = " a "
MANY = 300

#: By the name of a file whose rows are all alike: the column, its bound, and filters that the row
#: matches.
WHOLE: dict[str, tuple[int, bytes, tuple[Any, ...]]] = {
    "number": (
        1,
        long_bound(BEYOND_DOUBLES),
        (
            comparison("eq", "id", BEYOND_DOUBLES),
            comparison("gt", "id", BEYOND_DOUBLES - 1),
            comparison(
                "in", "id", *range(2 * BEYOND_DOUBLES, 2 * BEYOND_DOUBLES + MANY), BEYOND_DOUBLES
            ),
            both(
                "or",
                comparison("eq", "name", "nobody"),
                comparison("in", "id", *range(MANY), BEYOND_DOUBLES),
            ),
        ),
    ),
    "text": (
        2,
        SPACED.encode(),
        (
            comparison("eq", "name", SPACED),
            comparison("starts-with", "name", " "),
            comparison("in", "name", *(f"x{number}" for number in range(MANY)), SPACED),
        ),
    ),
    "moment": (
        3,
        long_bound(MICROS),
        (
            comparison("eq", "at", "2020-01-01T12:00:00.000001+00:00"),
            comparison("gt", "at", "2020-01-01T12:00:00.000000+00:00"),
            comparison("lt", "at", "2020-01-01T12:00:00.000002+00:00"),
        ),
    ),
}


@check("IRC-SCAN-PLAN-015")
def filters_compare_exact_values(lab: CatalogLab) -> None:
    """Filters compare literals exactly: to the last digit, space and microsecond, and to the last
    value of a set.
    """
    table = scans.table_with_files(lab)
    spec = table.spec()
    files = (
        table.file(
            name,
            lower={column: bound},
            upper={column: bound},
            values={column: 10},
            nulls={column: 0},
        )
        for name, (column, bound, _) in WHOLE.items()
    )
    table.commit([Manifest((file,), spec=spec) for file in files])

    for name, (_, _, filters) in lab.each(WHOLE.items()):
        for expression in lab.each(filters):
            with lab.judge("IRC-SCAN-PLAN-015"):
                plan = scans.complete_plan(lab, table.table, filter=expression)
                expect.contains(
                    table.path(name),
                    plan.paths,
                    f"the files for {expect.excerpt(expression)},",
                    at=plan.at,
                )


@check("IRC-SCAN-PLAN-009", "IRC-SCAN-PLAN-010")
def filters_and_selections_keep_the_snapshot(lab: CatalogLab) -> None:
    """A plan covers the files of the requested snapshots, with any filter, column selection and
    statistics selection.
    """
    table = of_four(lab)
    first, _, third, _ = table.snapshots

    for what, options in lab.each(OPTIONS.items()):
        with lab.judge("IRC-SCAN-PLAN-009"):
            plan = scans.complete_plan(lab, table.table, snapshot_id=third.id, **options)
            plan.reads(third.data, f"the files of snapshot {third.id}, with {what},")
    scans.needs_scans_between(lab, table)
    for what, options in lab.each(OPTIONS.items()):
        with lab.judge("IRC-SCAN-PLAN-010"):
            plan = scans.complete_plan(
                lab, table.table, start_snapshot_id=first.id, end_snapshot_id=third.id, **options
            )
            plan.reads(
                files_of(table, 2, 3), f"the files appended after snapshot 1 up to 3, with {what},"
            )


@check("IRC-SCAN-SCH-003")
def filtered_and_former_scans_have_delete_files(lab: CatalogLab) -> None:
    """Plans with a filter, a former snapshot or both have the delete files of their data files."""
    table = scans.table_with_files(lab, partition_spec=BY_NAME)
    table.append(table.file("a1", "a"), table.file("b1", "b"))
    former = table.append(
        scans.position_deletes(table, "positions-of-a", "a"),
        scans.equality_deletes(table, "values-of-b", "b"),
        operation="delete",
    )
    table.append(
        table.file("a2", "a"),
        scans.equality_deletes(table, "later-values-of-a", "a"),
        operation="overwrite",
    )
    of_a, of_b = {"positions-of-a"}, {"values-of-b"}
    now = {"a1": {*of_a, "later-values-of-a"}, "a2": set[str](), "b1": of_b}
    then = {"a1": of_a, "b1": of_b}
    requests: tuple[tuple[str, Document, dict[str, set[str]]], ...] = (
        (
            "of one partition",
            {"filter": comparison("eq", "name", "a")},
            {name: now[name] for name in ("a1", "a2")},
        ),
        ("of some rows", {"filter": comparison("gt", "id", 3)}, now),
        ("of a former snapshot", {"snapshot_id": former.id}, then),
        (
            "of some rows of a former snapshot",
            {"snapshot_id": former.id, "filter": comparison("eq", "name", "b")},
            {"b1": of_b},
        ),
        ("of some columns", {"select": ["name"]}, now),
    )

    for what, request, expected in lab.each(requests):
        with lab.judge("IRC-SCAN-SCH-003"):
            scans.complete_plan(lab, table.table, **request).expect_deletes(
                table, expected, f" in a scan {what}"
            )


@check("IRC-SCAN-FETCH-002")
def async_plans_keep_matching_files(lab: CatalogLab) -> None:
    """An asynchronous plan with a filter prunes no file that may hold a matching row."""
    table = in_the_background(lab)

    for expression in lab.each(
        (comparison("gt", "id", 3), comparison("not-null", "id"), comparison("eq", "name", "a"))
    ):
        with lab.judge("IRC-SCAN-FETCH-002"):
            scans.complete_plan(lab, table.table, filter=expression).reads(
                table.snapshots[-1].data, f"the files for {expect.excerpt(expression)},"
            )


@check("IRC-SCAN-SCH-017")
def residuals_select_the_same_rows(lab: CatalogLab) -> None:
    """Residual filters select the same rows in tasks of asynchronous plans and of plan tasks."""
    expression = both("and", comparison("gt", "id", 4), comparison("lt-eq", "id", 8))
    has_rows = False
    for properties in lab.each((scans.in_background(lab), scans.on_pages(lab))):
        table = scans.table_with_files(lab, properties=properties)
        table.append(*(table.file(name) for name in ("first", "second", "third")))
        for task, _, _ in lab.each(scans.complete_plan(lab, table.table, filter=expression).tasks):
            residual = task.get("residual-filter")
            rows = [
                row
                for row in ({"id": number} for number in range(12))
                if residual is not None and is_decided(residual, row)
            ]
            has_rows = has_rows or bool(rows)
            with lab.judge_each("IRC-SCAN-SCH-017") as case:
                for row in rows:
                    with case():
                        about = (
                            f"a residual that agrees with {expect.excerpt(expression)} for"
                            f" {expect.excerpt(row)}"
                        )
                        at = task.place("residual-filter")
                        expect.true(
                            holds(expression, row) == holds(residual, row),
                            about,
                            expect.excerpt(residual),
                            at=at,
                        )
    if not has_rows:
        raise NotOffered(
            "the target sends no residuals, or residuals that this check cannot evaluate"
        )
