"""Views that are taken for tables, made otherwise than was asked for, or changed by updates that do
something else.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, wrap_entry, wrap_rule
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import identifier_key
from lakepact.reference_server.iceberg_rest.views.updates import ViewDraft
from lakepact.reference_server.storage.store import Place, Record, Transaction
from mutants.iceberg_rest.operators import creation
from mutants.iceberg_rest.operators.requests import while_handling

CREATE, LIST, LOAD, EXISTS, REPLACE, DROP, RENAME = (
    op.create_view,
    op.list_views,
    op.load_view,
    op.view_exists,
    op.replace_view,
    op.drop_view,
    op.rename_view,
)
CARRIERS = (CREATE, LOAD, REPLACE)  #: operations whose answers carry view metadata

Update = Callable[[ViewDraft, Document], None]


def of_any_kind(find: Callable[..., Record]) -> Callable[..., Record]:
    """Requests for a table find a view of that name, and the reverse."""

    def found(transaction: Transaction, levels: Place, name: str) -> Record:
        return transaction.get(identifier_key(levels, name)) or find(transaction, levels, name)

    return found


def takes_tables(operation: OperationId) -> Install:
    """An operation on views takes a table for one."""
    return while_handling(operation, "view_exists", of_any_kind)


def takes_views(operation: OperationId) -> Install:
    """An operation on tables takes a view for one."""
    return while_handling(operation, "table_exists", of_any_kind)


def overlooks(operation: OperationId, kind: str) -> Install:
    """An operation that needs a free name does not see those of that kind."""

    def wrapper(usual: Callable[..., None]) -> Callable[..., None]:
        def identifier_is_free(
            transaction: Transaction, levels: Place, name: str, *wanted: str
        ) -> None:
            record = transaction.get(identifier_key(levels, name))
            if record is None or record.kind != kind:
                usual(transaction, levels, name, *wanted)

        return identifier_is_free

    return while_handling(operation, "identifier_is_free", wrapper)


def made_with(spoil: Callable[[Document, Document], None]) -> Install:
    """The metadata of new views are changed by `spoil(metadata, body)`."""
    return creation.made_with(spoil, rule="new_view_metadata")


def finished_with(change: Callable[[Document, Document], Document]) -> Install:
    """The result of a commit is `change(metadata, previous)`."""

    def wrapper(finish: Callable[..., Document]) -> Callable[..., Document]:
        def finished(metadata: Document, previous: Document) -> Document:
            return change(copy.deepcopy(finish(metadata, previous)), previous)

        return finished

    return wrap_rule("finish_view_commit", wrapper)


def in_place_of(action: str, act: Callable[[Update, ViewDraft, Document], None]) -> Install:
    """`act(update, draft, document)` is called in place of the update of a view."""
    return wrap_entry("view-updates", action, lambda update: partial(act, update))


def adding(rewrite: Callable[[ViewDraft, Document], Document]) -> Install:
    """Versions are added as if `rewrite(draft, version)` had been sent."""

    def act(update: Update, draft: ViewDraft, document: Document) -> None:
        update(draft, {**document, "view-version": rewrite(draft, document["view-version"])})

    return in_place_of("add-view-version", act)


def once_each(version: Document) -> Document:
    """A version less the representations of dialects that it has already."""
    kept: dict[str, Document] = {}
    for representation in version["representations"]:
        kept.setdefault(representation["dialect"].casefold(), representation)
    return {**version, "representations": list(kept.values())}
