"""Commits: requirements are checked, updates applied and the result swapped in, all in one transaction."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.validation import Invalid
from lakepact.reference_server.http.workers import leave_the_loop
from lakepact.reference_server.iceberg_rest.commits.preconditions import check
from lakepact.reference_server.iceberg_rest.identifiers import (
    bad_request,
    identifier_key,
    levels_of,
    namespace_key,
    no_such_table,
    now_ms,
    shown,
)
from lakepact.reference_server.iceberg_rest.tables.etags import no_tag
from lakepact.reference_server.iceberg_rest.tables.metadata import finish_commit, new_in
from lakepact.reference_server.iceberg_rest.updates import apply_updates
from lakepact.reference_server.service import Rules as ServiceRules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
    from lakepact.reference_server.storage.store import Key, Place, Record, Transaction


def identifier_matches(levels: Place, name: str, body: Document) -> None:
    """Check that the identifier in a commit equals the table in the path."""
    identifier = body.get("identifier")
    if identifier is not None and (tuple(identifier["namespace"]), identifier["name"]) != (levels, name):
        named = shown(identifier["namespace"], identifier["name"])
        raise bad_request(f"at /identifier: the commit is for {named}, but was sent to {shown(levels, name)}")


def kinds_are_known(body: Document, updates: Mapping[str, object], preconditions: Mapping[str, object]) -> None:
    """Check that all updates and requirements are known, before anything else."""
    for at, tag, known in (("updates", "action", updates), ("requirements", "type", preconditions)):
        for index, entry in enumerate(body[at]):
            if entry.get(tag) not in known:
                raise bad_request(f"at /{at}/{index}/{tag}: {entry.get(tag)!r} is not one of {', '.join(known)}")


def committed_table(transaction: Transaction, key: Key, requirements: Sequence[Document]) -> Record | None:
    """Return the table that a commit is for; None for one that it creates."""
    record = transaction.get(key)
    creates = any(requirement.get("type") == "assert-create" for requirement in requirements)
    if transaction.get(namespace_key(key.place)) is None:
        raise no_such_table(key.place, key.name, homeless=True)
    if record is not None and record.kind != "table" and creates:
        raise Problem(
            409, "CommitFailedException", f"{record.kind.capitalize()} with same name already exists: {shown(key.place, key.name)}"
        )
    if (record is None or record.kind != "table") and not creates:
        raise no_such_table(key.place, key.name)
    return record


class Rules(ServiceRules):
    """Decisions about commits that a fault may replace."""

    identifier_matches = staticmethod(identifier_matches)
    kinds_are_known = staticmethod(kinds_are_known)
    committed_table = staticmethod(committed_table)
    requirements_hold = staticmethod(check)
    updates_applied = staticmethod(apply_updates)
    commit_finished = staticmethod(finish_commit)
    commit_tag = staticmethod(no_tag)


class Commits:
    """The operation of the contract that changes one table."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._rules = catalog.rules

    def update_table(self, *, namespace: str, table: str, body: Document, **_: object) -> Reply:
        """Apply updates to a table if all requirements hold."""
        levels = levels_of(namespace)
        self._rules.identifier_matches(levels, table, body)
        self._rules.kinds_are_known(body, self._catalog.updates, self._catalog.preconditions)
        key = identifier_key(levels, table)
        with self._catalog.store.begin() as transaction:
            former: Record | None = self._rules.committed_table(transaction, key, body["requirements"])
            leave_the_loop(0 if former is None else len(former.body))
            requirements_hold(self._catalog, former, body["requirements"])
            record = stored(self._catalog, former, following(self._catalog, key, former, body["updates"]))
            transaction.put(key, record)
            if record is not former:
                transaction.otherwise(partial(self._catalog.warehouse.forget, record.document["metadata-location"]))
        tag: bytes = self._rules.commit_tag(record, "all")
        return Reply(200, record.body, ((b"etag", tag),) if tag else ())


def requirements_hold(catalog: Catalog, former: Record | None, requirements: Sequence[Document]) -> None:
    """Refuse a commit to this table, or to none, unless all it requires is so."""
    catalog.rules.requirements_hold(former.document["metadata"] if former else None, requirements, table=catalog.preconditions)


def following(catalog: Catalog, key: Key, former: Record | None, updates: Sequence[Document]) -> Document:
    """Return the metadata that updates make of the table at a key, or of none; the table's own if they change nothing."""
    base: Document | None = former.document["metadata"] if former else None
    metadata: Document = catalog.rules.updates_applied(base or {}, updates, now_ms=now_ms(), table=catalog.updates)
    if former is not None and metadata is base:
        return metadata
    if base is None or metadata["location"] != base["location"]:
        catalog.rules.location_is_held(catalog.warehouse, metadata["location"])
        catalog.rules.location_is_free(catalog.located, key, metadata["location"])
    if former is not None and base is not None:
        metadata = catalog.rules.commit_finished(metadata, base, former.document["metadata-location"])
    validators = catalog.validators()
    if base is None or not validators["TableMetadata"].is_valid(new_in(metadata, base)):
        try:
            validators.check("TableMetadata", metadata)
        except Invalid as invalid:
            raise bad_request(f"the updates would leave table metadata that is not valid: {invalid}") from None
    return metadata


def stored(catalog: Catalog, former: Record | None, metadata: Document) -> Record:
    """Return the record of a table whose metadata are this from now on, after they were written; the former one if nothing changed."""
    if former is not None and metadata is former.document["metadata"]:
        return former
    record: Record = catalog.rules.written(catalog.warehouse, metadata, former=former.document["metadata-location"] if former else None)
    return record
