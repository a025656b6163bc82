"""Schemas, partition specs and sort orders: a table keeps all that it ever had, and one of each is
the one that counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.updates import Draft
from lakepact.reference_server.iceberg_rest.updates.draft import LAST_ADDED, Member
from mutants.iceberg_rest.operators.updates import Update


@dataclass(frozen=True, slots=True)
class Versions:
    """How the versions of one thing are kept in metadata, and ways to go wrong with them."""

    member: Member  #: of the metadata, where all of them are
    id: str  #: the member of each that is its id
    default: Member  #: the member of the metadata that is the id of the one that counts
    added: str  #: the attribute of a draft that is the id of the one that was added last
    chosen: str  #: the member of an update that is the id of the one that shall count
    #: the member of an update that is the ids of those that shall go; empty where no update removes
    #: any
    removed: str = ""

    def keep_first_added(self, update: Update, draft: Draft, document: Document) -> None:
        """Take the one that a commit adds first for the one that it added last."""
        first = getattr(draft, self.added)
        update(draft, document)
        if first is not None:
            setattr(draft, self.added, first)

    def is_last_added(self, _: Draft, document: Document) -> bool:
        """Whether an update chooses the one that was added last."""
        return bool(document[self.chosen] == LAST_ADDED)

    def set_whatever(self, draft: Draft, document: Document) -> None:
        """Choose whatever an update says, existent or not."""
        known = getattr(draft, self.added) if document[self.chosen] == LAST_ADDED else None
        draft.set(self.default, document[self.chosen] if known is None else known)

    def remove_whatever(self, draft: Draft, document: Document) -> None:
        """Remove whatever an update says, needed or not."""
        draft.set(
            self.member,
            [one for one in self._all(draft) if one[self.id] not in document[self.removed]],
        )

    def remove_all_but_default(self, draft: Draft, _: Document) -> None:
        """Remove all but the one that counts."""
        draft.set(
            self.member,
            [one for one in self._all(draft) if one[self.id] == draft.get(self.default)],
        )

    def _all(self, draft: Draft) -> list[dict[str, Any]]:
        known: list[dict[str, Any]] = draft.items(self.member)
        return known


SCHEMAS = Versions(
    member="schemas",
    id="schema-id",
    default="current-schema-id",
    added="added_schema",
    chosen="schema-id",
    removed="schema-ids",
)
SPECS = Versions(
    member="partition-specs",
    id="spec-id",
    default="default-spec-id",
    added="added_spec",
    chosen="spec-id",
    removed="spec-ids",
)
ORDERS = Versions(
    member="sort-orders",
    id="order-id",
    default="default-sort-order-id",
    added="added_order",
    chosen="sort-order-id",
)
