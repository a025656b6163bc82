"""Names with special characters that one operation reads or tells otherwise than all others."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import unquote

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, all_of, fault, on_answer, on_call
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.operators import refuse_calls


def _tell(change: Callable[[str], str]) -> Callable[[Document], None]:
    """List names otherwise than they are."""

    def edit(document: Document) -> None:
        document["identifiers"] = [
            {**one, "name": change(one["name"])} for one in document["identifiers"]
        ]

    return edit


def _reading(operation: OperationId, change: Callable[[str], str], *place: str) -> Install:
    """Read the text at a place among the arguments of an operation otherwise than it was sent."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        return handler(**_changed(arguments, place, change))

    return on_call(operation, act)


def _changed(
    document: dict[str, Any], place: tuple[str, ...], change: Callable[[str], str]
) -> dict[str, Any]:
    first, *rest = place
    value = document[first]
    return {**document, first: _changed(value, tuple(rest), change) if rest else change(value)}


def _plus_is_a_space(name: str) -> str:
    return name.replace("+", " ")


@fault("IRC-GEN-020", by=partial(on_answer, op.list_namespaces))
def lists_decoded_namespaces(document: Document) -> None:
    document["namespaces"] = [
        [unquote(level) for level in namespace] for namespace in document["namespaces"]
    ]


def _dotted(arguments: Arguments) -> bool:
    body = arguments.get("body") or {}
    return "." in "".join(
        [*body.get("namespace", ()), body.get("name", ""), arguments.get("namespace", "")]
    )


INVALID = Problem(400, "BadRequestException", "a dot in a name")
CRASH = Problem(500, "InternalServerError", "a dot in a name")

FAULTS = {
    "refused-namespaces-crash-updates IRC-GEN-034 IRC-ERR-014": all_of(
        refuse_calls(op.create_namespace, _dotted, INVALID),
        refuse_calls(op.update_properties, _dotted, CRASH),
    ),
    "refused-tables-crash-loads IRC-GEN-034 IRC-ERR-014": all_of(
        refuse_calls(op.create_table, _dotted, INVALID),
        refuse_calls(op.load_table, lambda arguments: "." in arguments["table"], CRASH),
    ),
    "lists-decoded-tables IRC-GEN-020": on_answer(op.list_tables, _tell(unquote)),
    "lists-decoded-views IRC-GEN-020": on_answer(op.list_views, _tell(unquote)),
    "lists-views-of-one-script IRC-GEN-020": on_answer(
        op.list_views,
        lambda document: document.update(
            identifiers=[one for one in document["identifiers"] if one["name"].isascii()]
        ),
    ),
    "normalises-views IRC-GEN-020": _reading(
        op.create_view, lambda name: unicodedata.normalize("NFC", name), "body", "name"
    ),
    "commits-decode-names IRC-GEN-021": _reading(op.update_table, unquote, "table"),
    "existence-of-tables-knows-no-plus IRC-TBL-HEAD-001": _reading(
        op.table_exists, _plus_is_a_space, "table"
    ),
    "existence-of-views-knows-no-plus IRC-VIEW-LOAD-005": _reading(
        op.view_exists, _plus_is_a_space, "view"
    ),
    "drops-decoded-views IRC-VIEW-LOAD-007": _reading(op.drop_view, unquote, "view"),
    "renames-to-decoded-names IRC-TBL-REN-001": _reading(
        op.rename_table, unquote, "body", "destination", "name"
    ),
    "renames-trimmed-names IRC-TBL-REN-001": _reading(
        op.rename_table, str.strip, "body", "source", "name"
    ),
    "renames-views-to-decoded-names IRC-VIEW-REN-001": _reading(
        op.rename_view, unquote, "body", "destination", "name"
    ),
    "registers-in-lower-case IRC-TBL-REG-001": _reading(
        op.register_table, str.lower, "body", "name"
    ),
    "registers-by-trimmed-names IRC-TBL-REG-001": _reading(
        op.register_table, str.strip, "body", "name"
    ),
}
