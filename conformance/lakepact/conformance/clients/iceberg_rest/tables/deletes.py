"""Tables with delete files and deletion vectors."""

from __future__ import annotations

from lakepact.conformance.clients.iceberg_rest.kit.deleted_rows import (
    FIRST,
    KEPT,
    KINDS,
    LATER,
    NONE,
    table_with_deletes,
)
from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.evidence import extras
from lakepact.conformance.evidence.outcome import NotOffered
from lakepact.conformance.judging import expect
from lakepact.conformance.programs.program import in_order
from lakepact.extras import install

LIBRARIES = ("pyarrow", "pyroaring")


@check("IRC-CLI-075")
def deleted_rows(lab: CatalogClientLab) -> None:
    """A client that reads a table with position deletes, equality deletes or a deletion vector returns no deleted row, or fails."""
    try:
        extras.require(*LIBRARIES)
    except ModuleNotFoundError as missing:
        raise NotOffered(
            f"lakepact writes no files without {missing.name}: "
            f"{install(extras.OF_CHECKS[str(missing.name)])}"
        ) from None
    lab.require_done(lab.performs("read-rows", **table_with_deletes(lab, NONE)), [*FIRST, *LATER])
    with lab.judge_each(
        "IRC-CLI-075", without="the client refuses tables with deleted rows"
    ) as case:
        for kind in KINDS:
            done = lab.performs("read-rows", **table_with_deletes(lab, kind))
            if done.ended.is_done:
                with case():
                    expect.equal(
                        in_order(KEPT),
                        in_order(done.result),
                        f"rows of a table with {kind}:",
                        at=None,
                    )
