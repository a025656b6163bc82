"""Names under which moved checks are reported: files of known failures refer to them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

#: First parts of the names of checks, by module. The others are the path of their module: `tables/drop.py` holds `tables_drop.*`.
AREAS: Mapping[str, str] = MappingProxyType(
    {
        "protocol.configuration": "configuration",
        "protocol.errors": "errors",
        "protocol.paging": "paging",
        "protocol.transport": "transport",
        "protocol.paths": "transport_paths",
        "protocol.rejections": "transport_refused",
        "protocol.schemas": "schemas",
        "namespaces.names": "namespace_names",
        "tables.create": "tables_created",
        "tables.create_refused": "tables_refused",
        "tables.column_defaults": "column_defaults",
        "tables.stage": "tables_staged",
        "tables.load": "tables_loaded",
        "tables.list": "tables_listed",
        "tables.etags": "etags",
        "tables.register": "register",
        "tables.register_files": "register_files",
        "tables.metrics": "metrics",
        "tables.metadata": "metadata",
        "commits.atomicity": "commits",
        "commits.create": "commits_creating",
        "commits.preconditions": "preconditions",
        "commits.precondition_ids": "preconditions_ids",
        "transactions.commit": "transactions",
        "views.metadata": "view_metadata",
        "views.create": "views_created",
        "views.list": "views_listed",
        "views.load": "views_loaded",
        "views.create_refused": "views_refused",
        "views.replace": "views_replaced",
        "views.replace_refused": "views_replaced_refused",
        "views.update": "views_updated",
        "scans.combined_filters": "scans_combined",
        "scans.fetch": "scans_fetched",
        "scans.filters": "scans_filtered",
        "scans.plan": "scans_planned",
        "scans.pruning": "scans_pruned",
        "access.authentication": "access",
        "access.vended_credentials": "credentials",
        "access.token_exchange": "tokens_exchanged",
        "access.tokens_issued": "tokens_issued",
        "access.tokens_refused": "tokens_refused",
    }
)
