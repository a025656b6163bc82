"""Decisions about scans that a fault may replace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.http.service import Rules as ServiceRules

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.documents import PlanTableScanRequest, TableMetadata
    from lakepact.reference_server.iceberg_rest.scan_planning.deletes import Deletes
    from lakepact.reference_server.iceberg_rest.scan_planning.expressions import Expression
    from lakepact.reference_server.iceberg_rest.scan_planning.manifests import Entry, Manifest
    from lakepact.reference_server.iceberg_rest.scan_planning.pruning import Pruning
    from lakepact.reference_server.iceberg_rest.scan_planning.scans import Scan


def scan_of_request(metadata: TableMetadata, body: PlanTableScanRequest) -> Scan:
    """Return the scan that a request asks for."""
    from lakepact.reference_server.iceberg_rest.scan_planning.scans import scan  # noqa: PLC0415 - a server that plans nothing starts without

    return scan(metadata, body)


def manifest_may_match(pruning: Pruning, manifest: Manifest) -> bool:
    """Return whether a file of a manifest may hold a matching row."""
    return pruning.manifest_may_match(manifest)


def rows_remain(pruning: Pruning, entry: Entry) -> Expression:
    """Return the residual filter for the rows of a data file."""
    return pruning.remains(entry)


def deletes_of(deletes: Deletes, entry: Entry) -> list[Entry]:
    """Return the delete files that apply to a data file."""
    return deletes.of(entry)


def plans_are_of() -> str:
    """Return the principal whose plans the caller may use; empty where callers are not known."""
    return ""


class Rules(ServiceRules):
    """The rules of scans."""

    scan_of_request = staticmethod(scan_of_request)
    manifest_may_match = staticmethod(manifest_may_match)
    rows_remain = staticmethod(rows_remain)
    deletes_of = staticmethod(deletes_of)
    plans_are_of = staticmethod(plans_are_of)
