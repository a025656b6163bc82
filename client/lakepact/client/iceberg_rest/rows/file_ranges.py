"""Statistics of manifests, files and row groups, which show that no row is selected."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from pyiceberg import types as t
from pyiceberg.conversions import from_bytes
from pyiceberg.transforms import BucketTransform, TimeTransform, UnknownTransform, VoidTransform
from pyiceberg.utils.datetime import date_to_days, datetime_to_micros

from lakepact.client.rows.predicates import Comparison, Predicate
from lakepact.client.rows.ranges import ANY, Outcomes, Range, of_range, outcomes

if TYPE_CHECKING:
    from pyiceberg.manifest import DataFile, ManifestFile
    from pyiceberg.partitioning import PartitionField, PartitionSpec
    from pyiceberg.schema import Schema

    from lakepact.client.rows.predicates import Leaf

_REAL = (t.FloatType, t.DoubleType)
#: Types whose statistics in Parquet compare as the values of the column do.
_IN_PARQUET = (t.IntegerType, t.LongType, *_REAL, t.StringType, t.DateType)


@dataclass(frozen=True, slots=True)
class FileRanges:
    """The possible outcomes of a bound predicate on rows of manifests, files and row groups."""

    predicate: Predicate
    #: The schema that the predicate is bound to.
    schema: Schema
    specs: dict[int, PartitionSpec]

    def of_manifest(self, manifest: ManifestFile) -> Outcomes:
        """Return the outcomes on the rows of all files of a manifest."""
        spec = self.specs[manifest.partition_spec_id]
        partitions = manifest.partitions or []
        if len(partitions) != len(spec.fields):
            return ANY
        summaries = dict(zip(spec.fields, partitions, strict=True))

        def of_leaf(leaf: Leaf) -> Outcomes:
            field, result = self.schema.find_field(leaf.column), ANY
            for one, summary in summaries.items():
                if one.source_id == field.field_id:
                    kind: Any = one.transform.result_type(field.field_type)
                    low, high = (
                        _decode(kind, bound) for bound in (summary.lower_bound, summary.upper_bound)
                    )
                    values = Range(low, high, summary.contains_null, True, has_nans=_is_real(field))
                    result &= _of_partition(leaf, one, field.field_type, values)
            return result

        return outcomes(self.predicate, of_leaf)

    def of_file(self, file: DataFile) -> Outcomes:
        """Return the outcomes on the rows of a data file."""
        spec = self.specs[file.spec_id]

        def of_leaf(leaf: Leaf) -> Outcomes:
            field = self.schema.find_field(leaf.column)
            result = of_range(leaf, _range_in_file(field, file))
            for place, one in enumerate(spec.fields):
                value = file.partition[place] if one.source_id == field.field_id else ...
                if value is not ... and value == value:  # noqa: PLR0124 - not NaN
                    values = Range(value, value, value is None, value is not None)
                    result &= _of_partition(leaf, one, field.field_type, values)
            return result

        return outcomes(self.predicate, of_leaf)

    def of_group(self, group: Any, source: Schema, constants: dict[int, Any]) -> Outcomes:
        """Return the outcomes on the rows of a row group.

        Args:
            group: The metadata of the row group.
            source: The schema of its file.
            constants: The columns whose values are not in the file.
        """
        columns = [group.column(number) for number in range(group.num_columns)]
        by_path = {column.path_in_schema: column for column in columns}

        def of_leaf(leaf: Leaf) -> Outcomes:
            field = self.schema.find_field(leaf.column)
            if field.field_id in constants or field.field_id not in source.field_ids:
                return ANY
            column = by_path.get(source.find_column_name(field.field_id))
            statistics = None if column is None else column.statistics
            if statistics is None:
                return ANY
            kind = source.find_field(field.field_id).field_type
            return of_range(leaf, _in_parquet(statistics, kind, field, group.num_rows))

        return outcomes(self.predicate, of_leaf)


def _is_real(field: Any) -> bool:
    return isinstance(field.field_type, _REAL)


def _range_in_file(field: t.NestedField, file: DataFile) -> Range:
    number, kind = field.field_id, field.field_type
    nulls = (file.null_value_counts or {}).get(number)
    low, high = (
        _decode(kind, (bounds or {}).get(number))
        for bounds in (file.lower_bounds, file.upper_bounds)
    )
    return Range(
        low,
        high,
        has_nulls=nulls != 0,
        has_values=nulls is None or nulls < file.record_count,
        has_nans=_is_real(field) and (file.nan_value_counts or {}).get(number) != 0,
    )


def _decode(kind: Any, bound: bytes | None) -> Any:
    """Return a bound as a value of a type; None if it excludes nothing."""
    if bound is None or not isinstance(kind, t.PrimitiveType) or isinstance(kind, t.UUIDType):
        return None
    try:
        # The file may be older than a wider type of its column.
        if isinstance(kind, t.LongType) and len(bound) == 4:
            return int.from_bytes(bound, "little", signed=True)
        value = (
            struct.unpack("<f", bound)[0]
            if isinstance(kind, t.DoubleType) and len(bound) == 4
            else from_bytes(kind, bound)
        )
    except (ValueError, TypeError, struct.error):
        return None
    return value if value == value else None  # noqa: PLR0124 - not NaN


def _of_partition(leaf: Leaf, one: PartitionField, kind: Any, values: Range) -> Outcomes:
    """Return the outcomes on rows whose partition values have a range."""
    transform: Any = one.transform
    if isinstance(transform, (VoidTransform, UnknownTransform)):
        return ANY
    is_bucket = isinstance(transform, BucketTransform)
    is_unordered = isinstance(kind, t.UUIDType) or (
        is_bucket and isinstance(leaf, Comparison) and leaf.operator != "equal"
    )
    if not isinstance(leaf, Comparison) or is_unordered:
        return of_range(leaf, replace(values, low=None, high=None))
    try:
        value: Any = transform.transform(kind)(leaf.value)
    except (ValueError, TypeError, OverflowError, struct.error):
        return ANY
    if isinstance(transform, TimeTransform) and value < 0:
        return ANY  # old writers rounded moments before 1970 up
    result = of_range(Comparison(leaf.column, leaf.operator, value), values)
    # Values of one partition differ: in the partition of the value, both outcomes may occur.
    may_be_equal = True in of_range(Comparison(leaf.column, "equal", value), values)
    if may_be_equal and str(transform) != "identity":
        result |= {True, False}
    return result


def _in_parquet(statistics: Any, source: Any, field: Any, rows: int) -> Range:
    nulls = statistics.null_count if statistics.has_null_count else None
    is_compared = isinstance(source, _IN_PARQUET) and (
        source == field.field_type or not isinstance(source, t.DateType)
    )
    low, high = (
        map(_plain, (statistics.min, statistics.max))
        if is_compared and statistics.has_min_max
        else (None, None)
    )
    return Range(
        low,
        high,
        has_nulls=nulls != 0,
        has_values=nulls is None or nulls < rows,
        has_nans=_is_real(field),
    )


def _plain(value: Any) -> Any:
    """Return a value as bounds have it."""
    if isinstance(value, datetime):
        return datetime_to_micros(value)
    if isinstance(value, date):
        return date_to_days(value)
    return value if value == value else None  # noqa: PLR0124 - not NaN
