"""The parts of a table that match a filter: manifests and files that may hold a matching row, and
the residual filters.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.iceberg_rest.scan_planning.expressions import (
    ALWAYS,
    NEVER,
    Constant,
    Expression,
    rewritten,
    tests,
)
from lakepact.reference_server.iceberg_rest.scan_planning.manifests import by_id
from lakepact.reference_server.iceberg_rest.scan_planning.spans import ANYTHING, Rows, Span, rows
from lakepact.reference_server.iceberg_rest.scan_planning.transforms import (
    result_type,
    source_span,
    value_span,
)
from lakepact.reference_server.iceberg_rest.scan_planning.values import FLOATS, ORDERED, from_bytes
from lakepact.reference_server.iceberg_rest.tables.types import name_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lakepact.generated.iceberg_rest.documents import PartitionField, PartitionSpec
    from lakepact.reference_server.iceberg_rest.scan_planning.expressions import Test
    from lakepact.reference_server.iceberg_rest.scan_planning.manifests import Entry, Manifest


class Pruning:
    """A filter over the files of one table.

    Args:
        whole: the filter.
        specs: the partition specs of the table by their ids.
        types: the types of all its columns by their ids.
    """

    def __init__(
        self, whole: Expression, specs: Mapping[int, PartitionSpec], types: Mapping[int, Any]
    ) -> None:
        self._whole = whole
        self._specs = specs
        self._types = types
        self._columns = {test.column.id: test for test in tests(whole)}

    def manifest_may_match(self, manifest: Manifest) -> bool:
        """Return whether a file of a manifest may hold a matching row."""
        if isinstance(self._whole, Constant):
            return self._whole.holds
        spec = None if manifest.spec_id is None else self._specs.get(manifest.spec_id)
        if (
            spec is None
            or manifest.partitions is None
            or len(spec["fields"]) != len(manifest.partitions)
        ):
            return True
        fields = spec["fields"]
        spans = [
            self._summary_span(summary, field)
            for summary, field in zip(manifest.partitions, fields, strict=True)
        ]
        return self._left(self._whole, fields, spans) != NEVER

    def remains(self, entry: Entry) -> Expression:
        """Return the residual filter for the rows of a data file; `NEVER` if none can match."""
        if isinstance(self._whole, Constant):
            return self._whole
        fields = self._specs[entry.spec_id]["fields"]
        spans = [
            self._value_span(value, field)
            for value, field in zip(entry.partition, fields, strict=True)
        ]
        left = self._left(self._whole, fields, spans)
        return NEVER if left == NEVER or self._with_statistics(left, entry.file) == NEVER else left

    def _left(
        self, whole: Expression, fields: list[PartitionField], spans: list[Span]
    ) -> Expression:
        def evaluate(test: Test) -> Expression:
            outcomes = {
                rows(span, test.kind, test.literals, or_nan=test.or_nan)
                for span in self._of_test(test, fields, spans)
            }
            return NEVER if Rows.NONE in outcomes else ALWAYS if Rows.ALL in outcomes else test

        return rewritten(whole, evaluate)

    def _of_test(
        self, test: Test, fields: list[PartitionField], spans: list[Span]
    ) -> Iterator[Span]:
        """Evaluate a predicate by partition values."""
        for field, span in zip(fields, spans, strict=True):
            if field["source-id"] != test.column.id:
                continue
            if test.transform is None:
                yield source_span(
                    value_span(span, field["transform"], test.column.type),
                    field["transform"],
                    test.column.type,
                )
            elif test.transform == field["transform"]:
                yield value_span(span, field["transform"], test.column.type)

    def _value_span(self, value: Any, field: PartitionField) -> Span:
        if field["transform"] == "void":
            return ANYTHING
        if value is None:
            return Span(values=False)
        if isinstance(value, float) and math.isnan(value):
            return Span(values=False, null=False, nan=True)
        return Span(null=False, lower=value, upper=value)

    def _summary_span(self, summary: Mapping[str, Any], field: PartitionField) -> Span:
        kind = self._field_type(field)
        if field["transform"] == "void" or name_of(kind) not in ORDERED:
            return ANYTHING
        null = summary.get("contains_null") is not False
        nan = name_of(kind) in FLOATS and summary.get("contains_nan") is not False
        lower, upper = (
            None if summary.get(b) is None else from_bytes(summary[b], kind)
            for b in ("lower_bound", "upper_bound")
        )
        return Span(null=null, nan=nan, lower=lower, upper=upper)

    def _field_type(self, field: PartitionField) -> Any:
        return result_type(field["transform"], self._types.get(field["source-id"], "string"))

    # -- by statistics of columns ------------------------------------------------------------------

    def _with_statistics(self, whole: Expression, file: Mapping[str, Any]) -> Expression:
        statistics = {
            member: by_id(file.get(member))
            for member in (
                "value_counts",
                "null_value_counts",
                "nan_value_counts",
                "lower_bounds",
                "upper_bounds",
            )
        }

        def evaluate(test: Test) -> Expression:
            if test.transform is not None:
                return test
            outcome = rows(
                _column_span(test, statistics), test.kind, test.literals, or_nan=test.or_nan
            )
            return NEVER if outcome is Rows.NONE else test

        return rewritten(whole, evaluate)


def _column_span(test: Test, statistics: Mapping[str, Mapping[int, Any]]) -> Span:
    """Return the statistics of a column; files older than the column have none."""
    column = test.column
    kind = name_of(column.type)
    total, nulls, nans = (
        statistics[f"{what}_counts"].get(column.id) for what in ("value", "null_value", "nan_value")
    )
    if column.in_optional:
        nulls = None  # writers differ in whether they count what is within a struct that is null
    floating = kind in FLOATS
    lower, upper = (
        from_bytes(raw, column.type) if kind in ORDERED and isinstance(raw, bytes) else None
        for raw in (statistics[bound].get(column.id) for bound in ("lower_bounds", "upper_bounds"))
    )
    has_values = (
        total is None
        or nulls is None
        or total <= 0
        or nulls + (nans or 0 if floating else 0) < total
    )
    return Span(
        values=has_values,
        null=nulls is None or nulls > 0,
        nan=floating and (nans is None or nans > 0),
        lower=lower,
        upper=upper,
    )
