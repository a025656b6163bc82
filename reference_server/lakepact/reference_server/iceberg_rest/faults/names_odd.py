"""Names with special characters that one operation reads or tells otherwise than all others."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lakepact.reference_server.faults import Fault, Install, on_answer, on_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler


def _tell(change: Callable[[str], str]) -> Callable[[Document], None]:
    """List names otherwise than they are."""

    def edit(document: Document) -> None:
        document["identifiers"] = [{**one, "name": change(one["name"])} for one in document["identifiers"]]

    return edit


def _tell_decoded_namespaces(document: Document) -> None:
    document["namespaces"] = [[unquote(level) for level in namespace] for namespace in document["namespaces"]]


def _leave_out_other_scripts(document: Document) -> None:
    document["identifiers"] = [one for one in document["identifiers"] if one["name"].isascii()]


def _reading(operation: str, change: Callable[[str], str], *place: str) -> Install:
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


def _normal(name: str) -> str:
    return unicodedata.normalize("NFC", name)


FAULTS = (
    Fault(
        "lists-decoded-tables",
        "Names of tables are decoded once more when they are listed.",
        ("IRC-GEN-020",),
        on_answer("listTables", _tell(unquote)),
    ),
    Fault(
        "lists-decoded-views",
        "Names of views are decoded once more when they are listed.",
        ("IRC-GEN-020",),
        on_answer("listViews", _tell(unquote)),
    ),
    Fault(
        "lists-decoded-namespaces",
        "Namespaces are decoded once more when they are listed.",
        ("IRC-GEN-020",),
        on_answer("listNamespaces", _tell_decoded_namespaces),
    ),
    Fault(
        "lists-views-of-one-script",
        "Views with letters of other scripts are not listed.",
        ("IRC-GEN-020",),
        on_answer("listViews", _leave_out_other_scripts),
    ),
    Fault("normalises-views", "Names of new views are normalised.", ("IRC-GEN-020",), _reading("createView", _normal, "body", "name")),
    Fault("commits-decode-names", "Commits look for tables by decoded names.", ("IRC-GEN-021",), _reading("updateTable", unquote, "table")),
    Fault(
        "existence-of-tables-knows-no-plus",
        "A plus is a space where a table is asked for by HEAD.",
        ("IRC-TBL-HEAD-001",),
        _reading("tableExists", _plus_is_a_space, "table"),
    ),
    Fault(
        "existence-of-views-knows-no-plus",
        "A plus is a space where a view is asked for by HEAD.",
        ("IRC-VIEW-LOAD-005",),
        _reading("viewExists", _plus_is_a_space, "view"),
    ),
    Fault("drops-decoded-views", "Views are dropped by decoded names.", ("IRC-VIEW-LOAD-007",), _reading("dropView", unquote, "view")),
    Fault(
        "renames-to-decoded-names",
        "Tables are renamed to decoded names.",
        ("IRC-TBL-REN-001",),
        _reading("renameTable", unquote, "body", "destination", "name"),
    ),
    Fault(
        "renames-trimmed-names",
        "Tables are renamed from trimmed names.",
        ("IRC-TBL-REN-001",),
        _reading("renameTable", str.strip, "body", "source", "name"),
    ),
    Fault(
        "renames-views-to-decoded-names",
        "Views are renamed to decoded names.",
        ("IRC-VIEW-REN-001",),
        _reading("renameView", unquote, "body", "destination", "name"),
    ),
    Fault(
        "registers-in-lower-case",
        "Tables are registered by names in lower case.",
        ("IRC-TBL-REG-001",),
        _reading("registerTable", str.lower, "body", "name"),
    ),
    Fault(
        "registers-by-trimmed-names",
        "Tables are registered by trimmed names.",
        ("IRC-TBL-REG-001",),
        _reading("registerTable", str.strip, "body", "name"),
    ),
)
