"""Objects that a check creates and drops."""

from __future__ import annotations

from collections.abc import Iterator

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Namespace, Table
from lakepact.conformance.evidence.outcome import Wrong
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op


def former_tables(lab: CatalogLab, namespace: Namespace | None = None) -> Iterator[Table]:
    """Yield a dropped table; nothing if the target does not offer dropTable.

    Raises:
        Blocked: it cannot be created or dropped.
    """
    if lab.offers(op.drop_table):
        table = lab.make_table(namespace)
        drop_table(lab, table)
        yield table


def former_namespaces(lab: CatalogLab) -> Iterator[Namespace]:
    """Yield a dropped namespace; nothing if the target does not offer dropNamespace.

    Raises:
        Blocked: it cannot be created or dropped.
    """
    if lab.offers(op.drop_namespace):
        namespace = lab.make_namespace()
        drop_namespace(lab, namespace)
        yield namespace


def drop_table(lab: CatalogLab, table: Table) -> None:
    """Drop a table, which no longer loads.

    Raises:
        StepFailed: it still does.
        Blocked: it cannot be dropped.
    """
    lab.drop_table(**table.at)
    with lab.step("IRC-TBL-DROP-001"):
        expect.refusal(
            lab.send(op.load_table, **table.at),
            about="for a dropped table",
            mutation=Wrong.ABSENT("table"),
        )


def drop_namespace(lab: CatalogLab, namespace: Namespace) -> None:
    """Drop a namespace, which no longer loads.

    Raises:
        StepFailed: it still does.
        Blocked: it cannot be dropped.
    """
    lab.require(lab.send(op.drop_namespace, namespace=namespace))
    with lab.step("IRC-NS-DROP-001"):
        reply = lab.send(op.load_namespace_metadata, namespace=namespace)
        expect.refusal(reply, about="for a dropped namespace", mutation=Wrong.ABSENT("namespace"))
