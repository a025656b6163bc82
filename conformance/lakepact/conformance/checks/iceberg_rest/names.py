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
        "protocol.leniency": "transport_forgiven",
        "protocol.rejections": "transport_refused",
        "protocol.unusual_names": "names_odd",
        "protocol.strings_verbatim": "texts_as_sent",
        "protocol.schemas": "schemas",
        "namespaces.nested": "namespaces_deep",
        "namespaces.names": "namespace_names",
        "tables.create": "tables_created",
        "tables.create_refused": "tables_refused",
        "tables.column_defaults": "column_defaults",
        "tables.stage": "tables_staged",
        "tables.load": "tables_loaded",
        "tables.list": "tables_listed",
        "tables.etags": "etags",
        "tables.stale_names": "tables_old_names",
        "tables.register": "register",
        "tables.register_files": "register_files",
        "tables.register_overwrite": "register_overwriting",
        "tables.register_fidelity": "register_whole",
        "tables.metrics": "metrics",
        "tables.metadata": "metadata",
        "commits.atomicity": "commits",
        "commits.create": "commits_creating",
        "commits.create_fidelity": "commits_creating_whole",
        "commits.all_or_nothing": "commits_whole",
        "commits.preconditions": "preconditions",
        "commits.precondition_ids": "preconditions_ids",
        "commits.disconnects": "unheard_answers",
        "updates.near_duplicates": "updates_alike",
        "updates.isolation": "updates_neighbours",
        "updates.supported_evolutions": "updates_taken",
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
        "scans.plan_lifecycle": "scans_lives",
        "scans.plan": "scans_planned",
        "scans.pruning": "scans_pruned",
        "scans.plan_responses": "scans_told",
        "access.authentication": "access",
        "access.cross_namespace": "access_elsewhere",
        "access.unusual_write_paths": "access_otherwise",
        "access.vended_credentials": "credentials",
        "access.vended_credentials_used": "credentials_tried",
        "access.token_exchange": "tokens_exchanged",
        "access.tokens_issued": "tokens_issued",
        "access.tokens_refused": "tokens_refused",
    }
)
