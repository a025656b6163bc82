"""Checks of values in plans: partitions and bounds have the JSON form of their types."""

from __future__ import annotations

import struct
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import CatalogLab, Document, check, expect, scans
from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import long_bound

UUID = "f79c3e09-677c-4bbd-a479-3f349cb785e7"

#: By type: a value as manifests have it, as bytes of a bound, and in its JSON form.
VALUES: dict[str, tuple[Any, bytes, Any]] = {
    "boolean": (True, b"\x01", True),
    "int": (-34, struct.pack("<i", -34), -34),
    "long": (2**40 + 1, long_bound(2**40 + 1), 2**40 + 1),
    "double": (1.5, struct.pack("<d", 1.5), 1.5),
    "decimal(9, 2)": ((1420).to_bytes(4, "big"), (1420).to_bytes(2, "big"), "14.20"),
    "date": (17_486, struct.pack("<i", 17_486), "2017-11-16"),
    "time": (81_068_123_456, long_bound(81_068_123_456), "22:31:08.123456"),
    "timestamp": (
        1_510_871_468_123_456,
        long_bound(1_510_871_468_123_456),
        "2017-11-16T22:31:08.123456",
    ),
    "timestamptz": (
        1_510_871_468_123_456,
        long_bound(1_510_871_468_123_456),
        "2017-11-16T22:31:08.123456+00:00",
    ),
    "string": ("eisberg ❄", "eisberg ❄".encode(), "eisberg ❄"),
    "uuid": (bytes.fromhex(UUID.replace("-", "")), bytes.fromhex(UUID.replace("-", "")), UUID),
    "binary": (b"\x78\x79\x7a\x00", b"\x78\x79\x7a\x00", "78797A00"),
}


def schema() -> Document:
    """Return a schema with a column of each of these types."""
    fields = [
        {"id": n, "name": f"c{n}", "type": kind, "required": False}
        for n, kind in enumerate(VALUES, 1)
    ]
    return {"type": "struct", "schema-id": 0, "fields": fields}


def by_each() -> Document:
    """Return a partition spec with a field for each column."""
    fields = [
        {"source-id": n, "field-id": 999 + n, "name": f"c{n}", "transform": "identity"}
        for n in range(1, len(VALUES) + 1)
    ]
    return {"spec-id": 0, "fields": fields}


@check("IRC-SCAN-SCH-008", "IRC-SCAN-SCH-014")
def partition_values_have_the_form_of_their_type(lab: CatalogLab) -> None:
    """The partition of a file is an array in the order of the spec, with each value in the JSON
    form of its type.
    """
    table = scans.table_with_files(lab, schema=schema(), partition_spec=by_each())
    table.append(
        table.file("full", *(value for value, _, _ in VALUES.values())),
        table.file("null", *[None] * len(VALUES)),
    )
    plain = scans.table_with_files(lab)
    plain.append(plain.file("plain"))
    numbers = range(1, len(VALUES) + 1)
    bounds = {n: raw for n, (_, raw, _) in zip(numbers, VALUES.values(), strict=True)}
    counts = dict.fromkeys(numbers, 10)
    with_statistics = scans.table_with_files(lab, schema=schema())
    statistics: Document = {
        "lower": bounds,
        "upper": bounds,
        "values": counts,
        "nulls": dict.fromkeys(numbers, 0),
    }
    with_statistics.append(
        with_statistics.file(
            "measured", **statistics, splits=(4, 500), sort_order=0, key=b"\x0a\xff"
        )
    )
    scans.complete_plan(lab, with_statistics.table, stats_fields=[f"c{n}" for n in numbers])
    whole, bare = scans.complete_plan(lab, table.table), scans.complete_plan(lab, plain.table)
    with lab.step("IRC-SCAN-PLAN-027"):
        whole.reads([table.path("full"), table.path("null")], "each file once:")
        bare.reads([plain.path("plain")], "each file once:")
    full, null = sorted(
        (file for _, file, _ in whole.tasks), key=lambda file: str(file["file-path"])
    )

    with lab.judge("IRC-SCAN-SCH-008"):
        partition, at = full.get("partition"), full.place("partition")
        expect.true(
            isinstance(partition, list) and len(partition) == len(VALUES),
            f"an array of {len(VALUES)} values as partition",
            partition,
            at=at,
        )
        expect.member_of(
            null, "partition", [None] * len(VALUES), "the partition of a file of nulls,"
        )
        expect.member_of(bare.tasks[0].file, "partition", [], "no partition,")
    with lab.judge("IRC-SCAN-SCH-014"):
        expect.member_of(
            full,
            "partition",
            [json_value for _, _, json_value in VALUES.values()],
            "values by type,",
        )


@check("IRC-SCAN-SCH-012")
def bounds_have_the_form_of_their_type(lab: CatalogLab) -> None:
    """Each bound has the JSON form of its column's type."""
    table = scans.table_with_files(lab, schema=schema())
    numbers = range(1, len(VALUES) + 1)
    bounds = {n: raw for n, (_, raw, _) in zip(numbers, VALUES.values(), strict=True)}
    counts = dict.fromkeys(numbers, 10)
    table.append(
        table.file(
            "measured", lower=bounds, upper=bounds, values=counts, nulls=dict.fromkeys(numbers, 0)
        )
    )
    (_, file, _), *_ = scans.complete_plan(
        lab, table.table, stats_fields=[f"c{n}" for n in numbers]
    ).tasks
    expected = {
        n: json_value for n, (_, _, json_value) in zip(numbers, VALUES.values(), strict=True)
    }
    bounds_by_member = {member: file.get(member) for member in ("lower-bounds", "upper-bounds")}

    if not any(bounds_by_member.values()):
        lab.skip("IRC-SCAN-SCH-012", "the target sends no bounds")
        return
    with lab.judge_each("IRC-SCAN-SCH-012") as case:
        for member, bounds_map in bounds_by_member.items():
            pairs = zip(
                (bounds_map or {}).get("keys") or [],
                (bounds_map or {}).get("values") or [],
                strict=False,
            )
            for number, (column, value) in enumerate(pairs):
                with case():
                    at = file.place(member, "values", number)
                    expect.equal(
                        expected.get(column), value, f"{member} of column {column}:", at=at
                    )
