"""Objects that were dropped, beside names that never existed."""

from __future__ import annotations

from collections.abc import Iterator

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Namespace, Table
from lakepact.conformance.evidence.outcome import Mutation, Wrong
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import op


def dropped_tables(lab: CatalogLab, namespace: Namespace | None = None) -> Iterator[Table]:
    """Yield a table that was dropped; nothing where the target declares no dropTable or lacks it.

    Raises:
        Blocked: it cannot be created or dropped.
    """
    if lab.offers(op.drop_table):
        table = lab.make_table(namespace)
        drop_table(lab, table)
        yield table


def dropped_namespaces(lab: CatalogLab) -> Iterator[Namespace]:
    """Yield a namespace that was dropped; nothing where the target declares no dropNamespace or
    lacks it.

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
        expect.refused(
            lab.send(op.load_table, **table.at),
            about="for a dropped table",
            mutation=Mutation(Wrong.ABSENT, "table"),
        )


def drop_namespace(lab: CatalogLab, namespace: Namespace) -> None:
    """Drop a namespace, which no longer loads.

    Raises:
        StepFailed: it still does.
        Blocked: it cannot be dropped.
    """
    lab.require(lab.send(op.drop_namespace, namespace=namespace))
    with lab.step("IRC-NS-DROP-001"):
        loaded = lab.send(op.load_namespace_metadata, namespace=namespace)
        expect.refused(
            loaded, about="for a dropped namespace", mutation=Mutation(Wrong.ABSENT, "namespace")
        )
