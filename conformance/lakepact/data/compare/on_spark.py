"""Comparisons in a session of Spark that is there, for notebooks and jobs."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from lakepact.conformance.evidence.redaction import SECRET_NAMES, redacted
from lakepact.data.compare.model import Compared
from lakepact.data.compare.runs import Journal, Names, Run
from lakepact.data.compare.sides import side_of
from lakepact.data.compare.spark_engine import SparkEngine
from lakepact.data.compare.tables import Choices


def compare_on_spark(
    spark: Any,
    a: str,
    b: str,
    *,
    tables: Sequence[str],
    key: Sequence[str] = (),
    renamed: Mapping[str, str] | None = None,
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
        renamed: Names of tables or namespaces of A with those of B.
        properties_a: Of the catalog or storage of A, as pyiceberg or deltalake take them.
        properties_b: Those of B.
        workers: Tables that are compared at a time.

    Raises:
        CannotCompare: A side cannot be read.
    """
    settings = (properties_a or {}, properties_b or {})
    secrets = [
        value for each in settings for name, value in each.items() if SECRET_NAMES.search(name)
    ]
    with contextlib.ExitStack() as ending:
        left = ending.enter_context(contextlib.closing(side_of(a, settings[0])))
        right = ending.enter_context(contextlib.closing(side_of(b, settings[1])))
        names = Names(tuple(tables), tuple((renamed or {}).items()))
        choices = Choices({"": tuple(key)} if key else {}).with_addresses(a, b)
        addresses = (redacted(a, secrets), redacted(b, secrets))
        run = Run(
            SparkEngine(spark),
            left,
            right,
            names,
            choices,
            Journal(None),
            addresses,
            tuple(secrets),
        )
        results = run.results(names.of_both(left, right), workers)
        return sorted(results, key=lambda result: result.table)
