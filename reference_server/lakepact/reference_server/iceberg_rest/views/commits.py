"""Commits to views: requirements are checked, updates applied and the result swapped in, all in one
transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.iceberg_rest.commits.commits import check_kinds, check_result
from lakepact.reference_server.iceberg_rest.identifiers import identifier_key, levels_of, now_ms
from lakepact.reference_server.iceberg_rest.views.preconditions import check_view
from lakepact.reference_server.iceberg_rest.views.updates import apply_view_updates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lakepact.generated.iceberg_rest.documents import CommitViewRequest, ViewMetadata
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
    from lakepact.reference_server.iceberg_rest.views.views import Rules
    from lakepact.reference_server.storage.store import Key, Record


class ViewCommits:
    """The operation of the contract that changes one view.

    Args:
        catalog: the catalog of the views.
        rules: the decisions about views.
        updates: what each kind of update does, by its `action`.
        preconditions: what each kind of requirement demands, by its `type`.
    """

    def __init__(
        self,
        catalog: Catalog,
        rules: Rules,
        *,
        updates: Mapping[str, Callable[..., None]],
        preconditions: Mapping[str, Callable[..., None]],
    ) -> None:
        self._catalog, self._rules = catalog, rules
        self._updates = updates
        self._preconditions = preconditions

    def replace_view(self, *, namespace: str, view: str, body: CommitViewRequest) -> Reply:
        """Apply updates to a view if all requirements hold."""
        levels = levels_of(namespace)
        body = {**body, "requirements": body.get("requirements", [])}
        self._catalog.rules.identifier_matches(levels, view, body)
        check_kinds(body, self._updates, self._preconditions)
        with self._catalog.store.begin() as transaction:
            former = self._rules.view_exists(transaction, levels, view)
            key = identifier_key(levels, view)
            record = self._commit(key, former, body)
            self._catalog.put(transaction, key, record, former=former)
        stored_at = "" if record is former else record.document["metadata-location"]
        return Reply(200, record.body, stored_at=stored_at)

    def _commit(self, key: Key, former: Record, body: CommitViewRequest) -> Record:
        base: ViewMetadata = former.document["metadata"]
        check_view(base, body["requirements"], table=self._preconditions)
        metadata = apply_view_updates(base, body["updates"], now_ms=now_ms(), table=self._updates)
        if metadata is base:
            return former
        if metadata["location"] != base["location"]:
            self._catalog.check_location(key, metadata["location"])
        self._catalog.check_folders(key, metadata, base)
        metadata = self._rules.finish_view_commit(metadata, base)
        check_result(self._catalog, "view", metadata)
        return self._rules.write_view_metadata(
            self._catalog.warehouse, metadata, former=former.document["metadata-location"]
        )
