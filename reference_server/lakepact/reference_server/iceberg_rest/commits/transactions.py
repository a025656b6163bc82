"""Transactions: changes to several tables that are committed together or not at all.

All of it happens in one transaction of the store. Every table is looked up and every requirement
checked before anything is written, so that all requirements hold of the state that is changed. If
writing fails half-way, the transaction removes the files again.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply
from lakepact.reference_server.http.service import Rules as ServiceRules
from lakepact.reference_server.iceberg_rest.commits.commits import check_kinds
from lakepact.reference_server.iceberg_rest.identifiers import (
    bad_request,
    full_name,
    identifier_key,
)
from lakepact.reference_server.warehouse.local import overlap

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from lakepact.generated.iceberg_rest.documents import (
        CommitTransactionRequest,
        TableMetadata,
        TableRequirement,
        TableUpdate,
    )
    from lakepact.reference_server.iceberg_rest.commits.commits import Commits
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
    from lakepact.reference_server.storage.store import Key, Record, Transaction


@dataclass(frozen=True, slots=True)
class Change:
    """The changes of a transaction to one table."""

    key: Key
    requirements: Sequence[TableRequirement]
    updates: Sequence[TableUpdate]


def changes_of(body: CommitTransactionRequest) -> tuple[Change, ...]:
    """Return the changes of a transaction, each for the table that it names.

    Raises:
        Problem: 400, a change names no table, or two of them name the same.
    """
    result: dict[Key, Change] = {}
    for index, change in enumerate(body["table-changes"]):
        identifier = change.get("identifier")
        if identifier is None:
            raise bad_request(
                f"at /table-changes/{index}: identifier is missing; in a transaction each change"
                " has to name its table"
            )
        key = identifier_key(identifier["namespace"], identifier["name"])
        if key in result:
            raise bad_request(
                f"at /table-changes/{index}/identifier: there is a change to"
                f" {full_name(key.place, key.name)} before it; put what one table requires and what is"
                " to be updated into one change"
            )
        result[key] = Change(key, change["requirements"], change["updates"])
    return tuple(result.values())


def tables_to_commit(
    commits: Commits, transaction: Transaction, changes: Sequence[Change]
) -> dict[Key, Record | None]:
    """Return the tables of a transaction as they are, None for those that it creates; all of them
    are what the transaction requires.

    Raises:
        Problem: 404, a table does not exist; 409, a requirement does not hold.
    """
    formers: dict[Key, Record | None] = {}
    for change in changes:
        with _name_in_errors(change):
            if any(
                requirement.get("type") == "assert-create" for requirement in change.requirements
            ):
                commits.catalog.rules.name_is_addressable(change.key.name, "/identifier/name")
            formers[change.key] = commits.table_to_commit(
                transaction, change.key, change.requirements
            )
    for change in changes:
        with _name_in_errors(change):
            commits.check_requirements(formers[change.key], change.requirements)
    return formers


def check_locations_apart(
    catalog: Catalog, formers: Mapping[Key, Record | None], metadata: Mapping[Key, TableMetadata]
) -> None:
    """Refuse a transaction that puts a table at a location that another one takes or names.

    Raises:
        Problem: 400, two of the new locations overlap.
    """
    places: list[tuple[Key, str]] = []
    folders: list[tuple[Key, str]] = []
    for key, document in metadata.items():
        former = formers[key]
        base: TableMetadata | None = former.document["metadata"] if former else None
        new = [] if base and base["location"] == document["location"] else [document["location"]]
        places.extend((key, place) for one in new for place in catalog.warehouse.places(one))
        locations = (*new, *catalog.locations.new_folders(document, base))
        folders.extend(
            (key, place) for location in locations for place in catalog.warehouse.places(location)
        )
    for (key, place), (other, folder) in product(places, folders):
        if key != other and overlap(place, folder):
            two = f"{full_name(other.place, other.name)} and {full_name(key.place, key.name)}"
            raise bad_request(
                f"the new locations of {two} overlap; choose a folder of its own for each"
            )


@contextmanager
def _name_in_errors(change: Change) -> Generator[None]:
    try:
        yield
    except Problem as problem:
        table = full_name(change.key.place, change.key.name)
        raise Problem(
            problem.status, problem.kind, f"the change to {table}: {problem.message}"
        ) from None


class Rules(ServiceRules):
    """Decisions about transactions that a fault may replace; `commits` has those about the commit
    to one table.
    """

    changes_of = staticmethod(changes_of)
    tables_to_commit = staticmethod(tables_to_commit)


class Transactions:
    """The operation of the contract that changes several tables.

    Args:
        commits: the steps of a commit to one table.
        rules: the decisions about transactions.
    """

    def __init__(self, commits: Commits, rules: Rules) -> None:
        self._commits, self._rules = commits, rules

    def commit_transaction(self, *, body: CommitTransactionRequest) -> Reply:
        """Apply the changes to all tables if all requirements of all of them hold."""
        catalog, changes = self._commits.catalog, self._rules.changes_of(body)
        for index, change in enumerate(changes):
            try:
                check_kinds(
                    {"requirements": change.requirements, "updates": change.updates},
                    catalog.updates,
                    catalog.preconditions,
                )
            except Problem as problem:
                raise bad_request(f"at /table-changes/{index}: {problem.message}") from None
        with catalog.store.begin() as transaction:
            formers = self._rules.tables_to_commit(self._commits, transaction, changes)
            metadata: dict[Key, TableMetadata] = {}
            for change in changes:
                with _name_in_errors(change):
                    metadata[change.key] = self._commits.following(
                        change.key, formers[change.key], change.updates
                    )
            check_locations_apart(catalog, formers, metadata)
            for key, document in metadata.items():
                catalog.put(
                    transaction,
                    key,
                    self._commits.stored(formers[key], document),
                    former=formers[key],
                )
        return NO_CONTENT
