"""Names that nothing may have, and names that are not found."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lakepact.reference_server.faults import Fault, Install, around, instead, on_answer, on_call
from lakepact.reference_server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler

SHARES, SCHEMAS, TABLES = "listShares", "listSchemas", "listAllTables"


def last_item(operation: str, edit: Callable[[dict[str, Any]], Any]) -> Install:
    """Change the last item of the last page of a listing."""

    def change(document: dict[str, Any]) -> None:
        if document.get("items") and "nextPageToken" not in document:
            edit(document["items"][-1])

    return on_answer(operation, change)


def _called(operation: str, rename: Callable[[str], str], *, member: str = "name") -> Install:
    return last_item(operation, lambda item: item.update({member: rename(item[member])}))


def _in_other_letters(document: dict[str, Any]) -> None:
    items = document.get("items") or []
    items += [{**item, "name": item["name"].swapcase()} for item in items[:1]]


def _exactly(known: Mapping[str, Any], name: str) -> Any:
    return next((found for found in known.values() if found.name == name), None)


def _without_periods(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda known, name: None if "." in name else original(known, name)


def _decoded_twice(original: Callable[[bytes], str]) -> Callable[[bytes], str]:
    return lambda raw: unquote(original(raw))


def _another_id_for_capitals(handler: Handler, arguments: dict[str, Any]) -> Reply:
    reply = handler(**arguments)
    if not arguments["table"].isupper():
        return reply
    return replace(reply, chunks=None, body=reply.joined().body.replace(b'"id":"', b'"id":"other-'))


def _table_decoded_again(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Decode the name of a table where the path has decoded it already."""
    return handler(**arguments | {"table": unquote(arguments["table"])})


def _plus_is_a_space(original: Callable[[bytes], str]) -> Callable[[bytes], str]:
    return lambda raw: original(raw.replace(b"+", b" "))


def _ascii_alone(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda known, name: original(known, name) if name.isascii() else None


def _in_any_schema(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Look for a table in other schemas too, where it is not found in its own."""
    try:
        return handler(**arguments)
    except Problem:
        for schema in ("tables", "one", "hard&names?"):
            with contextlib.suppress(Problem):
                return handler(**arguments | {"schema": schema})
        raise


FAULTS = (
    Fault(
        "tables-are-found-in-any-schema",
        "A table is found by its name in every schema of its share.",
        ("DS-GEN-11",),
        on_call("getTableMetadata", _in_any_schema),
    ),
    Fault(
        "name-of-256-characters",
        "A share has a name that is too long.",
        ("DS-NAME-01", "DS-NAME-08"),
        _called(SHARES, lambda n: n.ljust(256, "x")),
    ),
    Fault("name-with-a-space", "A table has a name with a space.", ("DS-NAME-02", "DS-NAME-08"), _called(TABLES, lambda n: f"{n} 2")),
    Fault("name-with-a-slash", "A schema has a name with a slash.", ("DS-NAME-03", "DS-NAME-08"), _called(SCHEMAS, lambda n: f"{n}/2")),
    Fault("name-with-a-control-character", "A table has a name with a tab.", ("DS-NAME-04",), _called(TABLES, lambda n: f"{n}\t2")),
    Fault("name-with-a-delete-character", "A share has a name with DELETE in it.", ("DS-NAME-05",), _called(SHARES, lambda n: f"{n}\x7f")),
    Fault("schema-with-a-period", "A schema has a name with a period.", ("DS-NAME-06",), _called(SCHEMAS, lambda n: f"{n}.2")),
    Fault("table-with-a-period", "A table has a name with a period.", ("DS-NAME-06",), _called("listTables", lambda n: f"{n}.2")),
    Fault(
        "shares-with-a-period-are-not-found",
        "A share whose name has a period cannot be asked for.",
        ("DS-NAME-06",),
        around("rules", "named", _without_periods),
    ),
    Fault(
        "siblings-differ-in-case",
        "A listing has two items whose names differ in case alone.",
        ("DS-NAME-07",),
        on_answer((SHARES, SCHEMAS, TABLES), _in_other_letters),
    ),
    Fault(
        "tables-lie-in-no-schema",
        "A table names a schema that cannot be.",
        ("DS-NAME-08",),
        _called(TABLES, lambda n: f"{n}/{n}", member="schema"),
    ),
    Fault(
        "schemas-lie-in-no-share",
        "A schema names a share that cannot be.",
        ("DS-NAME-08",),
        _called(SCHEMAS, lambda _: "a share", member="share"),
    ),
    Fault("names-have-case", "Names are found in one spelling only.", ("DS-GEN-13",), instead("rules", "named", _exactly)),
    Fault(
        "capitals-lead-to-another-table",
        "Metadata of a table whose name is written in capitals has another id.",
        ("DS-GEN-13",),
        on_call("getTableMetadata", _another_id_for_capitals),
    ),
    Fault("names-are-decoded-twice", "Names in URLs are decoded twice.", ("DS-GEN-14",), around("rules", "decode-segment", _decoded_twice)),
    *(
        Fault(
            f"{what}-decode-names-again",
            f"In requests for {what} the name of a table is decoded twice.",
            ("DS-GEN-14",),
            on_call(operation, _table_decoded_again),
        )
        for what, operation in (("queries", "queryTable"), ("changes", "queryTableChanges"), ("metadata", "getTableMetadata"))
    ),
    Fault("plus-is-a-space", "A plus in a path is a space.", ("DS-GEN-14",), around("rules", "decode-segment", _plus_is_a_space)),
    Fault(
        "names-beyond-ascii-are-not-found",
        "Names with other letters than those of ASCII are not found.",
        ("DS-GEN-14",),
        around("rules", "named", _ascii_alone),
    ),
)
