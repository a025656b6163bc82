"""Checks of filters over what is known of files: statistics, partitions of every transform, specs
and types of former times.

Each filter holds for a row that the file may have, so that no server may leave the file out,
whatever it knows or does not know.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Kind,
    Members,
    check,
    expect,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import Manifest, long_bound
from lakepact.conformance.checks.iceberg_rest.kit.scans import (
    TableWithFiles,
    complete_plan,
    expect_plan,
    plan,
    table_with_files,
    wait_for_plan,
)
from lakepact.conformance.checks.iceberg_rest.scans.filters import comparison

HOUR = 3_600_000_000  #: in microseconds


def int_bound(value: int) -> bytes:
    """Return a bound of a column of the type int or date."""
    return struct.pack("<i", value)


#: By column: its type, the bounds of its values in a file, and tests that hold for values between
#: them.
BETWEEN: dict[str, tuple[str, bytes, bytes, tuple[tuple[str, Any], ...]]] = {
    "negative": (
        "int",
        int_bound(-300),
        int_bound(-2),
        (("eq", -256), ("lt", -200), ("gt", -10), ("lt-eq", -300), ("gt-eq", -2), ("in", -300)),
    ),
    "bytes": (
        "long",
        long_bound(255),
        long_bound(65_536),
        (("eq", 256), ("lt", 256), ("gt", 65_535), ("in", 65_536)),
    ),
    "digits": (
        "long",
        long_bound(9),
        long_bound(10),
        (("eq", 9), ("eq", 10), ("gt", 9), ("lt", 10)),
    ),
    "signs": (
        "long",
        long_bound(-(2**40)),
        long_bound(2**40),
        (("eq", -1), ("eq", 0), ("gt", 2**40 - 1), ("lt", -(2**40) + 1)),
    ),
    "reals": (
        "double",
        struct.pack("<d", -2.5),
        struct.pack("<d", -0.5),
        (("eq", -1.5), ("lt", -2.0), ("gt", -1.0)),
    ),
    "halves": (
        "float",
        struct.pack("<f", -2.5),
        struct.pack("<f", 0.5),
        (("eq", -1.5), ("lt", -2.0), ("gt", 0.25)),
    ),
    "prices": (
        "decimal(9, 2)",
        (-1420).to_bytes(2, "big", signed=True),
        (305).to_bytes(2, "big", signed=True),
        (("eq", "-5.00"), ("lt", "-14.00"), ("gt", "3.00"), ("eq", "3.05")),
    ),
    "days": (
        "date",
        int_bound(-12),
        int_bound(2),
        (("eq", "1969-12-31"), ("lt", "1969-12-25"), ("gt", "1970-01-01")),
    ),
    "moments": (
        "timestamp",
        long_bound(-HOUR),
        long_bound(HOUR),
        (
            ("eq", "1969-12-31T23:30:00.000000"),
            ("lt", "1969-12-31T23:10:00.000000"),
            ("gt", "1970-01-01T00:30:00.000000"),
        ),
    ),
    "zoned": (
        "timestamptz",
        long_bound(-HOUR),
        long_bound(HOUR),
        (("eq", "1969-12-31T23:30:00.000000+00:00"), ("gt-eq", "1970-01-01T01:00:00.000000+00:00")),
    ),
    "letters": (
        "string",
        b"Z",
        b"a",
        (("eq", "_"), ("lt", "_"), ("gt", "_"), ("starts-with", "_")),
    ),
    "signs_of_money": (
        "string",
        "\uff5e".encode(),
        "\U0001f600".encode(),
        (("eq", "\uffe5"), ("gt", "\uffe5"), ("starts-with", "\uffe5")),
    ),
    "raw": ("binary", b"\x00", b"\xff", (("eq", "80"), ("gt", "7F"))),
    "flags": ("boolean", b"\x00", b"\x01", (("eq", True), ("eq", False))),
}


def judge_filters(
    lab: CatalogLab,
    table: TableWithFiles,
    filters: Iterable[Members],
    names: Iterable[str],
) -> None:
    """Judge filters that match rows of all files of these names."""
    paths = {table.path(name) for name in names}
    for expression in lab.each(filters):
        reply = plan(lab, table.table, filter=expression)
        with lab.judge("IRC-SCAN-PLAN-015"):
            with lab.step("IRC-SCAN-PLAN-001"):
                expect_plan(reply)
            scan = wait_for_plan(lab, table.table, reply)
            missing = sorted(paths - {*scan.paths})
            about = f"files that may hold rows for {expect.excerpt(expression)}"
            actual = f"without {', '.join(missing)}"
            expect.true(not missing, about, actual, at=scan.at, kind=Kind.MISSING)


@check("IRC-SCAN-PLAN-015")
def bounds_are_compared_by_type(lab: CatalogLab) -> None:
    """Filters compare bounds by column type: signed, numeric, by bytes, and before 1970."""
    fields = [
        {"id": n, "name": name, "type": kind, "required": False}
        for n, (name, (kind, *_)) in enumerate(BETWEEN.items(), 1)
    ]
    table = table_with_files(lab, schema={"type": "struct", "schema-id": 0, "fields": fields})
    numbers = range(1, len(BETWEEN) + 1)
    lower, upper = (
        {n: column[at] for n, column in zip(numbers, BETWEEN.values(), strict=True)}
        for at in (1, 2)
    )
    counts = dict.fromkeys(numbers, 10)
    table.append(
        table.file(
            "measured", lower=lower, upper=upper, values=counts, nulls=dict.fromkeys(numbers, 0)
        )
    )

    judge_filters(
        lab,
        table,
        [
            comparison(kind, name, value)
            for name, (*_, tests) in BETWEEN.items()
            for kind, value in tests
        ],
        ["measured"],
    )


@check("IRC-SCAN-PLAN-015")
def missing_statistics_prune_nothing(lab: CatalogLab) -> None:
    """A plan prunes no file by a column without bounds or without counts of values, nulls or
    NaN.
    """
    fields = [
        {"id": n, "name": name, "type": kind, "required": False}
        for n, name, kind in ((1, "id", "long"), (2, "name", "string"))
    ]
    fields.append({"id": 3, "name": "real", "type": "double", "required": False})
    table = table_with_files(lab, schema={"type": "struct", "schema-id": 0, "fields": fields})
    reals = struct.pack("<d", 0.0), struct.pack("<d", 9.0)
    table.append(
        table.file("bare"),
        table.file(
            "bounded", lower={1: long_bound(0), 3: reals[0]}, upper={1: long_bound(9), 3: reals[1]}
        ),
        table.file("counted", values={1: 10, 2: 10, 3: 10}, nulls={1: 0, 2: 1, 3: 0}),
    )
    filters = [
        *(
            comparison(kind, "id", 5)
            for kind in ("eq", "not-eq", "lt", "lt-eq", "gt", "gt-eq", "in", "not-in")
        ),
        *(
            comparison(kind, "name", "x")
            for kind in (
                "eq",
                "not-eq",
                "lt",
                "gt",
                "starts-with",
                "not-starts-with",
                "in",
                "not-in",
            )
        ),
        *(comparison(kind, "real", 5.0) for kind in ("eq", "lt", "gt", "in")),
        *(comparison(kind, "name") for kind in ("is-null", "not-null")),
        *(comparison(kind, "real") for kind in ("is-nan", "not-nan", "not-null")),
    ]

    judge_filters(lab, table, filters, ["bare", "bounded", "counted"])


@check("IRC-SCAN-PLAN-015")
def files_of_former_schemas_are_kept(lab: CatalogLab) -> None:
    """Bounds of widened columns still apply, and an added column is null in older files."""
    kinds = {
        "count": ("int", "long"),
        "real": ("float", "double"),
        "price": ("decimal(9, 2)", "decimal(18, 2)"),
    }
    fields = [
        {"id": n, "name": name, "type": kind, "required": False}
        for n, (name, (kind, _)) in enumerate(kinds.items(), 1)
    ]
    table = table_with_files(lab, schema={"type": "struct", "schema-id": 0, "fields": fields})
    numbers = {
        1: (int_bound(-5), int_bound(9)),
        2: (struct.pack("<f", -1.5), struct.pack("<f", 1.5)),
        3: (b"\xff\x00", b"\x01\x00"),
    }
    lower, upper = ({n: both[at] for n, both in numbers.items()} for at in (0, 1))
    counts = dict.fromkeys(numbers, 10)
    table.append(
        table.file(
            "narrow", lower=lower, upper=upper, values=counts, nulls=dict.fromkeys(numbers, 0)
        )
    )
    schema = upd.current_schema(table.table)
    wider = [{**field, "type": kinds[field["name"]][1]} for field in schema["fields"]]
    schema = {
        **upd.schema_with(table.table),
        "fields": [*wider, upd.next_column(table.table, "later")],
    }
    table.table = lab.commit(
        table.table, upd.add_schema(schema), upd.set_current_schema(upd.LAST_ADDED)
    )
    tests = {
        "count": (("eq", 5), ("lt", 0), ("gt", 8)),
        "real": (("eq", 1.25), ("lt", -1.0)),
        "price": (("eq", "1.00"), ("lt", "-2.00")),
    }
    filters = [
        comparison(kind, name, value) for name, some in tests.items() for kind, value in some
    ]

    judge_filters(lab, table, [*filters, comparison("is-null", "later")], ["narrow"])


Rows = dict[Any, tuple[tuple[str, Any], ...]]

AFTER, BEFORE = "2017-11-16T22:31:08.123456+00:00", "1969-12-31T22:31:08.000000+00:00"

#: Tests that hold for a row.
OF_ID: Rows = {
    34: (
        ("eq", 34),
        ("in", 34),
        ("lt", 35),
        ("gt", 33),
        ("lt-eq", 34),
        ("gt-eq", 34),
        ("not-eq", 35),
        ("not-in", 33),
    )
}
OF_NAME: Rows = {
    "iceberg": (
        *(
            ("eq", "iceberg"),
            ("in", "iceberg"),
            ("lt", "icez"),
            ("gt", "ice"),
            ("gt-eq", "iceberg"),
            ("lt-eq", "iceberg"),
        ),
        *(
            ("not-eq", "ice"),
            ("not-in", "icy"),
            ("starts-with", "ic"),
            ("starts-with", "iceb"),
            ("not-starts-with", "icy"),
        ),
    )
}
OF_MOMENT: Rows = {
    AFTER: (
        ("eq", AFTER),
        ("in", AFTER),
        ("gt", AFTER[:17] + "00.000000+00:00"),
        ("lt", AFTER[:17] + "59.000000+00:00"),
        ("lt-eq", AFTER),
    ),
    BEFORE: (
        ("eq", BEFORE),
        ("gt", BEFORE[:17] + "00.000000+00:00"),
        ("lt", BEFORE[:17] + "59.000000+00:00"),
        ("gt-eq", BEFORE),
    ),
}

#: Transforms, the column that each is of, and for rows the value of the partition field and tests
#: that hold.
DIVIDED: tuple[tuple[str, str, Rows, tuple[Any, ...]], ...] = (
    ("bucket[16]", "id", OF_ID, (3,)),
    ("truncate[10]", "id", OF_ID, (30,)),
    ("bucket[16]", "name", OF_NAME, (9,)),
    ("truncate[3]", "name", OF_NAME, ("ice",)),
    ("year", "at", OF_MOMENT, (47, -1)),
    ("month", "at", OF_MOMENT, (574, -1)),
    ("day", "at", OF_MOMENT, (17_486, -1)),
    ("hour", "at", OF_MOMENT, (419_686, -2)),
)


@check("IRC-SCAN-PLAN-015")
def partitions_are_pruned_by_their_transform(lab: CatalogLab) -> None:
    """A plan prunes no partition that may hold a matching row, for every transform."""
    for transform, source, rows, values in lab.each(DIVIDED):
        field = upd.partition_field(
            ("id", "name", "at").index(source) + 1, transform, "part", field_id=upd.FIRST_FIELD
        )
        spec = {"spec-id": 0, "fields": [field]}
        table = table_with_files(lab, partition_spec=spec)
        names = [f"part-{n}" for n in range(len(values))]
        manifests = [
            Manifest((table.file(name, value),), spec=table.spec())
            for name, value in zip(names, values, strict=True)
        ]
        table.commit(manifests)
        for name, tests in lab.each(zip(names, rows.values(), strict=True)):
            judge_filters(
                lab, table, [comparison(kind, source, value) for kind, value in tests], [name]
            )


@check("IRC-SCAN-PLAN-001", "IRC-SCAN-PLAN-015")
def void_partitions_prune_nothing(lab: CatalogLab) -> None:
    """Null values of a void partition field prune no file."""
    table = table_with_files(
        lab,
        partition_spec={
            "spec-id": 0,
            "fields": [upd.partition_field(2, "void", "former", field_id=upd.FIRST_FIELD)],
        },
    )
    table.append(table.file("some", None))

    with lab.judge("IRC-SCAN-PLAN-001"):
        expect_plan(plan(lab, table.table))
    judge_filters(
        lab,
        table,
        [
            comparison("eq", "name", "a"),
            comparison("not-null", "name"),
            comparison("starts-with", "name", "a"),
        ],
        ["some"],
    )


@check("IRC-SCAN-PLAN-015", "IRC-SCAN-SCH-008", "IRC-SCAN-SCH-009")
def files_of_former_specs_are_kept(lab: CatalogLab) -> None:
    """A plan filters and describes files by the partition spec that they were written with."""
    table = table_with_files(lab)
    specs = [table.spec()]
    table.append(table.file("whole"))
    for source, name in (("name", "by_name"), ("id", "by_id")):
        update = upd.add_spec(
            upd.field_of(table.table, source, "identity", name),
            spec_id=len(specs),
        )
        table.table = lab.commit(table.table, update, upd.set_default_spec(upd.LAST_ADDED))
        specs.append(table.spec())
        table.append(
            *(
                table.file(f"{name}-{value}", value)
                for value in (("a", "b") if source == "name" else (5, 6))
            )
        )
    expected = {"whole": (specs[0], []), "by_name-a": (specs[1], ["a"]), "by_id-5": (specs[2], [5])}

    judge_filters(
        lab, table, [comparison("eq", "name", "a")], ["whole", "by_name-a", "by_id-5", "by_id-6"]
    )
    judge_filters(
        lab,
        table,
        [comparison("eq", "id", 5), comparison("in", "id", 5, 7)],
        ["whole", "by_name-a", "by_name-b", "by_id-5"],
    )
    plan = complete_plan(lab, table.table)
    by_path = {file["file-path"]: file for _, file, _ in plan.tasks}
    for name, (spec, partition) in lab.each(expected.items()):
        with lab.step("IRC-SCAN-PLAN-027"):
            expect.contains(table.path(name), by_path, "the files to read", at=plan.at)
        file = by_path[table.path(name)]
        with lab.judge("IRC-SCAN-SCH-008"):
            expect.member_of(file, "partition", partition, f"the partition of {name}:")
        with lab.judge("IRC-SCAN-SCH-009"):
            expect.member_of(file, "spec-id", spec["spec-id"], f"the spec-id of {name}:")
