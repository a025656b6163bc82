"""Commits to views: requirements are checked, updates applied and the result swapped in, all in one transaction."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.validation import Invalid
from lakepact.reference_server.http.workers import leave_the_loop
from lakepact.reference_server.iceberg_rest.identifiers import bad_request, identifier_key, levels_of, now_ms
from lakepact.reference_server.iceberg_rest.views.metadata import finish_view_commit
from lakepact.reference_server.iceberg_rest.views.preconditions import check_view
from lakepact.reference_server.iceberg_rest.views.updates import apply_view_updates
from lakepact.reference_server.service import Rules as ServiceRules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
    from lakepact.reference_server.storage.store import Key, Record


class Rules(ServiceRules):
    """Decisions about commits to views that a fault may replace; how a view is found and written is decided in `views`."""

    view_requirements_hold = staticmethod(check_view)
    view_updates_applied = staticmethod(apply_view_updates)
    view_commit_finished = staticmethod(finish_view_commit)


class ViewCommits:
    """The operation of the contract that changes one view.

    Args:
        catalog: what is changed.
        updates: what each kind of update does, by its `action`.
        preconditions: what each kind of requirement demands, by its `type`.
    """

    def __init__(
        self, catalog: Catalog, updates: Mapping[str, Callable[..., None]], preconditions: Mapping[str, Callable[..., None]]
    ) -> None:
        self._catalog = catalog
        self._rules = catalog.rules
        self._updates = updates
        self._preconditions = preconditions

    def replace_view(self, *, namespace: str, view: str, body: Document, **_: object) -> Reply:
        """Apply updates to a view if all requirements hold."""
        levels = levels_of(namespace)
        body = {**body, "requirements": body.get("requirements", [])}
        self._rules.identifier_matches(levels, view, body)
        self._rules.kinds_are_known(body, self._updates, self._preconditions)
        with self._catalog.store.begin() as transaction:
            former: Record = self._rules.view_exists(transaction, levels, view)
            leave_the_loop(len(former.body))
            key = identifier_key(levels, view)
            record = self._committed(key, former, body)
            transaction.put(key, record)
            if record is not former:
                transaction.otherwise(partial(self._catalog.warehouse.forget, record.document["metadata-location"]))
        return Reply(200, record.body)

    def _committed(self, key: Key, former: Record, body: Document) -> Record:
        base: Document = former.document["metadata"]
        self._rules.view_requirements_hold(base, body["requirements"], table=self._preconditions)
        metadata: Document = self._rules.view_updates_applied(base, body["updates"], now_ms=now_ms(), table=self._updates)
        if metadata is base:
            return former
        if metadata["location"] != base["location"]:
            self._rules.location_is_held(self._catalog.warehouse, metadata["location"])
            self._rules.location_is_free(self._catalog.located, key, metadata["location"])
        metadata = self._rules.view_commit_finished(metadata, base)
        self._check(metadata)
        record: Record = self._rules.view_written(self._catalog.warehouse, metadata, former=former.document["metadata-location"])
        return record

    def _check(self, metadata: Document) -> None:
        try:
            self._catalog.validators().check("ViewMetadata", metadata)
        except Invalid as invalid:
            raise bad_request(f"the updates would leave view metadata that is not valid: {invalid}") from None
