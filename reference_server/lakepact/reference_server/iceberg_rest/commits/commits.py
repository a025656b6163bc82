"""Commits: requirements are checked, updates applied and the result swapped in, all in one
transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Rules as ServiceRules
from lakepact.reference_server.http.validation import Invalid
from lakepact.reference_server.iceberg_rest import identifiers
from lakepact.reference_server.iceberg_rest.commits.preconditions import check
from lakepact.reference_server.iceberg_rest.tables.etags import no_tag
from lakepact.reference_server.iceberg_rest.tables.metadata import finish_commit, new_in
from lakepact.reference_server.iceberg_rest.updates import apply_updates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lakepact.generated.iceberg_rest.documents import (
        CommitTableRequest,
        TableMetadata,
        TableRequirement,
        TableUpdate,
        ViewMetadata,
    )
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
    from lakepact.reference_server.storage.store import Key, Record, Transaction


def check_kinds(
    body: Mapping[str, Any], updates: Mapping[str, object], preconditions: Mapping[str, object]
) -> None:
    """Check that all updates and requirements are known, before anything else."""
    for at, tag, kinds in (("updates", "action", updates), ("requirements", "type", preconditions)):
        for index, entry in enumerate(body[at]):
            if entry.get(tag) not in kinds:
                raise identifiers.bad_request(
                    f"at /{at}/{index}/{tag}: {entry.get(tag)!r} is not one of {', '.join(kinds)}"
                )


def table_to_commit(
    transaction: Transaction, key: Key, requirements: Sequence[TableRequirement]
) -> Record | None:
    """Return the table that a commit is for; None for one that it creates."""
    record = transaction.get(key)
    creates = any(requirement.get("type") == "assert-create" for requirement in requirements)
    if transaction.get(identifiers.namespace_key(key.place)) is None:
        raise identifiers.no_such_table(key.place, key.name, homeless=True)
    if record is not None and record.kind != "table" and creates:
        raise Problem(
            409,
            "CommitFailedException",
            f"{record.kind.capitalize()} with same name already exists:"
            f" {identifiers.full_name(key.place, key.name)}",
        )
    if (record is None or record.kind != "table") and not creates:
        raise identifiers.no_such_table(key.place, key.name)
    return record


class Rules(ServiceRules):
    """Decisions about commits to tables that a fault may replace."""

    table_to_commit = staticmethod(table_to_commit)
    requirements_hold = staticmethod(check)
    apply_updates = staticmethod(apply_updates)
    finish_commit = staticmethod(finish_commit)
    commit_tag = staticmethod(no_tag)


class Commits:
    """The operation of the contract that changes one table, and its steps, which transactions
    share.

    Args:
        catalog: the catalog of the tables.
        rules: the decisions about commits.
    """

    def __init__(self, catalog: Catalog, rules: Rules) -> None:
        self.catalog, self._rules = catalog, rules

    def update_table(self, *, namespace: str, table: str, body: CommitTableRequest) -> Reply:
        """Apply updates to a table if all requirements hold."""
        levels = identifiers.levels_of(namespace)
        self.catalog.rules.identifier_matches(levels, table, body)
        check_kinds(body, self.catalog.updates, self.catalog.preconditions)
        key = identifiers.identifier_key(levels, table)
        with self.catalog.store.begin() as transaction:
            former = self.table_to_commit(transaction, key, body["requirements"])
            self.check_requirements(former, body["requirements"])
            record = self.stored(former, self.following(key, former, body["updates"]))
            self.catalog.put(transaction, key, record, former=former)
        tag = self._rules.commit_tag(record, "all")
        stored_at = "" if record is former else record.document["metadata-location"]
        return Reply(200, record.body, ((b"etag", tag),) if tag else (), stored_at=stored_at)

    def table_to_commit(
        self, transaction: Transaction, key: Key, requirements: Sequence[TableRequirement]
    ) -> Record | None:
        """Return the table that a commit is for; None for one that it creates.

        Raises:
            Problem: 404, the table does not exist; 409, a view has its name.
        """
        return self._rules.table_to_commit(transaction, key, requirements)

    def check_requirements(
        self, former: Record | None, requirements: Sequence[TableRequirement]
    ) -> None:
        """Refuse a commit to this table, or to none, unless all its requirements hold."""
        self._rules.requirements_hold(
            former.document["metadata"] if former else None,
            requirements,
            table=self.catalog.preconditions,
        )

    def following(
        self, key: Key, former: Record | None, updates: Sequence[TableUpdate]
    ) -> TableMetadata:
        """Return the metadata that updates make of the table at a key, or of none; the table's own
        if they change nothing.
        """
        catalog = self.catalog
        base: TableMetadata | None = former.document["metadata"] if former else None
        metadata = self._rules.apply_updates(
            base or {}, updates, now_ms=identifiers.now_ms(), table=catalog.updates
        )
        if former is not None and metadata is base:
            return metadata
        if base is None or metadata["location"] != base["location"]:
            catalog.check_location(key, metadata["location"])
        catalog.check_folders(key, metadata, base)
        if former is not None and base is not None:
            metadata = self._rules.finish_commit(
                metadata, base, former.document["metadata-location"]
            )
        if base is None or not catalog.validators()["TableMetadata"].is_valid(
            new_in(metadata, base)
        ):
            check_result(catalog, "table", metadata)
        return metadata

    def stored(self, former: Record | None, metadata: TableMetadata) -> Record:
        """Return the record of a table after its new metadata were written; the former one if
        nothing changed.
        """
        if former is not None and metadata is former.document["metadata"]:
            return former
        location = former.document["metadata-location"] if former else None
        return self.catalog.rules.write_metadata(self.catalog.warehouse, metadata, former=location)


def check_result(catalog: Catalog, kind: str, metadata: TableMetadata | ViewMetadata) -> None:
    """Refuse a commit to a table or view whose result is not valid metadata.

    Raises:
        Problem: 400, it is not.
    """
    try:
        catalog.validators().check(f"{kind.capitalize()}Metadata", metadata)
    except Invalid as invalid:
        raise identifiers.bad_request(
            f"the updates would leave {kind} metadata that is not valid: {invalid}"
        ) from None
