"""Names under which moved checks are reported: files of known failures refer to them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

#: First parts of the names of checks, by module. The others are the path of their module.
AREAS: Mapping[str, str] = MappingProxyType(
    {
        "protocol.capabilities": "capabilities",
        "protocol.errors": "errors",
        "protocol.transport": "transport",
        "protocol.names": "names",
        "protocol.paging": "paging",
        "access.credentials": "credentials",
        "access.recipients": "recipients",
        "listings.shares": "shares",
        "listings.schemas": "schemas",
        "listings.tables": "tables",
        "metadata.metadata": "metadata",
        "metadata.schema": "table_schema",
        "metadata.version": "table_version",
        "queries.query": "query",
        "queries.pages": "query_pages",
        "queries.refresh": "refresh",
        "queries.snapshots": "snapshots",
        "queries.time_travel": "time_travel",
        "queries.changes": "changes",
        "queries.statistics": "statistics",
        "queries.partition_values": "partition_values",
        "queries.hints": "hints",
        "queries.random_hints": "hints_at_random",
        "queries.understood_hints": "hints_understood",
        "queries.file_ids": "file_ids",
        "queries.file_urls": "file_urls",
        "lines.parquet": "parquet_lines",
        "lines.delta": "delta_lines",
        "lines.delta_replay": "delta_replay",
        "lines.end_stream": "end_stream",
        "lines.optional_members": "optional_members",
        "lines.interoperability": "interoperability",
        "lines.formats": "tour",
    }
)
