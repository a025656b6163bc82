# Made by codegen.generate from specs/codegen/templates/current_parts.py, sha256 b3f07d330b177858. Do not edit: nox -s generate
"""The base class of Iceberg's table metadata: its current schema, partition spec, sort order and
snapshot as properties.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from lakepact.generated.format_version_1 import FormatVersion1Defaults

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakepact.generated.iceberg_rest.models import (
        PartitionSpec,
        Schema,
        Snapshot,
        SortOrder,
        TableMetadata,
    )

T = TypeVar("T")
#: Stands for no current snapshot in the metadata of older writers.
_NO_SNAPSHOT = -1


class CurrentParts(FormatVersion1Defaults):
    """Table metadata whose current parts are found by their ids; a schema or partition spec without
    an id has the id 0.
    """

    @property
    def current_schema(self) -> Schema:
        """The schema that `current-schema-id` names.

        Raises:
            ValueError: The metadata has no such schema.
        """
        metadata = cast("TableMetadata", self)
        return _part_by_id(
            "schema",
            metadata.current_schema_id,
            ((schema.schema_id or 0, schema) for schema in metadata.schemas),
        )

    @property
    def default_partition_spec(self) -> PartitionSpec:
        """The partition spec that `default-spec-id` names.

        Raises:
            ValueError: The metadata has no such partition spec.
        """
        metadata = cast("TableMetadata", self)
        return _part_by_id(
            "partition spec",
            metadata.default_spec_id,
            ((spec.spec_id or 0, spec) for spec in metadata.partition_specs),
        )

    @property
    def default_sort_order(self) -> SortOrder:
        """The sort order that `default-sort-order-id` names.

        Raises:
            ValueError: The metadata has no such sort order.
        """
        metadata = cast("TableMetadata", self)
        return _part_by_id(
            "sort order",
            metadata.default_sort_order_id,
            ((order.order_id, order) for order in metadata.sort_orders),
        )

    @property
    def current_snapshot(self) -> Snapshot | None:
        """The snapshot that `current-snapshot-id` names; None for a table without one.

        Raises:
            ValueError: The metadata has no such snapshot.
        """
        metadata = cast("TableMetadata", self)
        id_ = metadata.current_snapshot_id
        if id_ is None or id_ == _NO_SNAPSHOT:
            return None
        return _part_by_id(
            "snapshot", id_, ((snapshot.snapshot_id, snapshot) for snapshot in metadata.snapshots)
        )


def _part_by_id(kind: str, id_: int, parts: Iterable[tuple[int, T]]) -> T:
    for own, part in parts:
        if own == id_:
            return part
    raise ValueError(f"the metadata of the table names the {kind} {id_} and does not contain it")
