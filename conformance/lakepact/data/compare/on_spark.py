"""Comparisons in a session of Spark that is there, for notebooks and jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lakepact.data.compare.model import Compared
from lakepact.data.compare.runs import Journal, Names, running
from lakepact.data.compare.sides import SideAddress
from lakepact.data.compare.spark_engine import SparkEngine
from lakepact.data.compare.tables import Choices


def compare_on_spark(
    spark: Any,
    a: str,
    b: str,
    *,
    tables: Sequence[str],
    key: Sequence[str] = (),
    renames: Mapping[str, str] | None = None,
    properties_a: Mapping[str, str] | None = None,
    properties_b: Mapping[str, str] | None = None,
    workers: int = 2,
) -> list[Compared]:
    """Compare tables of two addresses, as `lakepact data compare --engine spark` does.

    Args:
        spark: The session.
        a: The address of side A: the URL of a catalog, `PROFILE#SHARE`, or a folder of Delta
            tables.
        b: The address of side B.
        tables: Patterns of names of tables of A, such as `sales.*`.
        key: The columns that find a row on both sides; by default the identifier fields.
        renames: Names of tables or namespaces of A with those of B.
        properties_a: Of the catalog or storage of A, as pyiceberg or deltalake take them.
        properties_b: Those of B.
        workers: Tables that are compared at a time.

    Raises:
        CannotCompare: A side cannot be read.
    """
    sides = (SideAddress(a, properties_a or {}), SideAddress(b, properties_b or {}))
    names = Names(tuple(tables), tuple((renames or {}).items()))
    choices = Choices({"": tuple(key)} if key else {})
    with running(SparkEngine(spark), sides, names, choices, Journal(None)) as run:
        return sorted(run.results(workers), key=lambda result: result.table)
