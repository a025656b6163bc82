"""Names with special characters that one operation reads or tells otherwise than all others."""

from __future__ import annotations

import unicodedata
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_answer, on_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.generated.contract import OperationId
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Handler


def _tell(change: Callable[[str], str]) -> Callable[[Document], None]:
    """List names otherwise than they are."""

    def edit(document: Document) -> None:
        document["identifiers"] = [{**one, "name": change(one["name"])} for one in document["identifiers"]]

    return edit


def _reading(operation: OperationId, change: Callable[[str], str], *place: str) -> Install:
    """Read the text at a place among the arguments of an operation otherwise than it was sent."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        return handler(**_changed(arguments, place, change))

    return on_call(operation, act)


def _changed(document: dict[str, Any], place: tuple[str, ...], change: Callable[[str], str]) -> dict[str, Any]:
    first, *rest = place
    value = document[first]
    return {**document, first: _changed(value, tuple(rest), change) if rest else change(value)}


def _plus_is_a_space(name: str) -> str:
    return name.replace("+", " ")


@fault("IRC-GEN-020")
def lists_decoded_tables() -> Install:
    """Names of tables are decoded once more when they are listed."""
    return on_answer(op.list_tables, _tell(unquote))


@fault("IRC-GEN-020")
def lists_decoded_views() -> Install:
    """Names of views are decoded once more when they are listed."""
    return on_answer(op.list_views, _tell(unquote))


@fault("IRC-GEN-020", by=partial(on_answer, op.list_namespaces))
def lists_decoded_namespaces(document: Document) -> None:
    """Namespaces are decoded once more when they are listed."""
    document["namespaces"] = [[unquote(level) for level in namespace] for namespace in document["namespaces"]]


@fault("IRC-GEN-020", by=partial(on_answer, op.list_views))
def lists_views_of_one_script(document: Document) -> None:
    """Views with letters of other scripts are not listed."""
    document["identifiers"] = [one for one in document["identifiers"] if one["name"].isascii()]


@fault("IRC-GEN-020", by=lambda act: _reading(op.create_view, act, "body", "name"))
def normalises_views(name: str) -> str:
    """Names of new views are normalised."""
    return unicodedata.normalize("NFC", name)


@fault("IRC-GEN-021")
def commits_decode_names() -> Install:
    """Commits look for tables by decoded names."""
    return _reading(op.update_table, unquote, "table")


@fault("IRC-TBL-HEAD-001")
def existence_of_tables_knows_no_plus() -> Install:
    """A plus is a space where a table is asked for by HEAD."""
    return _reading(op.table_exists, _plus_is_a_space, "table")


@fault("IRC-VIEW-LOAD-005")
def existence_of_views_knows_no_plus() -> Install:
    """A plus is a space where a view is asked for by HEAD."""
    return _reading(op.view_exists, _plus_is_a_space, "view")


@fault("IRC-VIEW-LOAD-007")
def drops_decoded_views() -> Install:
    """Views are dropped by decoded names."""
    return _reading(op.drop_view, unquote, "view")


@fault("IRC-TBL-REN-001")
def renames_to_decoded_names() -> Install:
    """Tables are renamed to decoded names."""
    return _reading(op.rename_table, unquote, "body", "destination", "name")


@fault("IRC-TBL-REN-001")
def renames_trimmed_names() -> Install:
    """Tables are renamed from trimmed names."""
    return _reading(op.rename_table, str.strip, "body", "source", "name")


@fault("IRC-VIEW-REN-001")
def renames_views_to_decoded_names() -> Install:
    """Views are renamed to decoded names."""
    return _reading(op.rename_view, unquote, "body", "destination", "name")


@fault("IRC-TBL-REG-001")
def registers_in_lower_case() -> Install:
    """Tables are registered by names in lower case."""
    return _reading(op.register_table, str.lower, "body", "name")


@fault("IRC-TBL-REG-001")
def registers_by_trimmed_names() -> Install:
    """Tables are registered by trimmed names."""
    return _reading(op.register_table, str.strip, "body", "name")
