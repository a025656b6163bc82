"""Tables with delete files and deletion vectors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.conformance.clients.iceberg_rest.kit.deleted_rows import (
    DEFAULT,
    FIRST,
    KEPT,
    KEPT_IN_PARTITIONS,
    KINDS,
    LATER,
    NONE,
    table_with_default,
    table_with_deletes,
    table_with_older_spec,
    table_with_partitions,
)
from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.evidence import extras
from lakepact.conformance.evidence.outcome import NotOffered
from lakepact.conformance.judging import expect
from lakepact.conformance.programs.program import in_order
from lakepact.extras import install

LIBRARIES = ("pyarrow", "pyroaring")
Rows = list[dict[str, Any]]


def _require_libraries() -> None:
    """Require the libraries that write files.

    Raises:
        NotOffered: one is missing.
    """
    try:
        extras.require(*LIBRARIES)
    except ModuleNotFoundError as missing:
        raise NotOffered(
            f"lakepact writes no files without {missing.name}: "
            f"{install(extras.OF_CHECKS[str(missing.name)])}"
        ) from None


@check("IRC-CLI-075")
def deleted_rows(lab: CatalogClientLab) -> None:
    """A client that reads a table with position deletes, equality deletes or a deletion vector returns no deleted row, or fails."""
    _require_libraries()
    lab.require_done(lab.performs("read-rows", **table_with_deletes(lab, NONE)), [*FIRST, *LATER])
    tables = {kind: (partial(table_with_deletes, lab, kind), KEPT) for kind in KINDS}
    tables["equality deletes in one of two partitions"] = (
        partial(table_with_partitions, lab),
        KEPT_IN_PARTITIONS,
    )
    with lab.judge_each(
        "IRC-CLI-075", without="the client refuses tables with deleted rows"
    ) as case:
        for kind, (make, rows) in tables.items():
            done = lab.performs("read-rows", **make())
            if done.ended.is_done:
                with case():
                    expect.equal(
                        in_order(rows),
                        in_order(done.result),
                        f"rows of a table with {kind}:",
                        at=None,
                    )


@check("IRC-CLI-078")
def rows_older_than_the_layout(lab: CatalogClientLab) -> None:
    """A client reads rows that are older than a column with a default, or than a partition field, also with a filter."""
    _require_libraries()
    older = [{**row, "kind": DEFAULT} for row in FIRST]
    default, spec = partial(table_with_default, lab), partial(table_with_older_spec, lab)
    wanted: tuple[tuple[str, Callable[[], dict[str, Any]], dict[str, Any], Rows], ...] = (
        ("older than the column kind, whose initial-default is set", default, {}, older),
        ("older than that column", default, {"kind": DEFAULT}, older),
        ("older than that column", default, {"kind": "other"}, []),
        ("older than the partition field of id", spec, {"id": 2}, FIRST[1:2]),
    )
    with lab.judge_each("IRC-CLI-078", without="the client refuses these tables") as case:
        for how, make, where, rows in wanted:
            arguments: dict[str, Any] = {**make(), **({"where": where} if where else {})}
            done = lab.tries("read-rows-where" if where else "read-rows", **arguments)
            if done is not None and done.ended.is_done:
                with case():
                    expect.equal(
                        in_order(rows),
                        in_order(done.result),
                        f"rows{f' where {expect.shown(where)}' if where else ''}, {how}:",
                        at=None,
                    )
