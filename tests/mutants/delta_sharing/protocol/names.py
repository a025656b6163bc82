"""Names that nothing may have, and names that are not found."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import unquote

from lakepact.generated.contract import OperationId
from lakepact.generated.delta_sharing import op
from lakepact.reference_server.faults import (
    Install,
    fault,
    on_answer,
    on_call,
    replace_rule,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler

SHARES, SCHEMAS, TABLES = op.list_shares, op.list_schemas, op.list_all_tables


def last_item(operation: OperationId, edit: Callable[[dict[str, Any]], Any]) -> Install:
    """Change the last item of the last page of a listing."""

    def change(document: dict[str, Any]) -> None:
        if document.get("items") and "nextPageToken" not in document:
            edit(document["items"][-1])

    return on_answer(operation, change)


def _called(
    operation: OperationId, rename: Callable[[str], str], *, member: str = "name"
) -> Install:
    return last_item(operation, lambda item: item.update({member: rename(item[member])}))


def _table_decoded_again(handler: Handler, arguments: Arguments) -> Reply:
    """Decode the name of a table where the path has decoded it already."""
    return handler(**arguments | {"table": unquote(arguments["table"])})


@fault("DS-GEN-11", by=partial(on_call, op.get_table_metadata))
def tables_are_found_in_any_schema(handler: Handler, arguments: Arguments) -> Reply:
    try:
        return handler(**arguments)
    except Problem:
        for schema in ("tables", "one", "hard&names?"):
            with contextlib.suppress(Problem):
                return handler(**arguments | {"schema": schema})
        raise


@fault("DS-NAME-07", by=partial(on_answer, (SHARES, SCHEMAS, TABLES)))
def siblings_differ_in_case(document: dict[str, Any]) -> None:
    items = document.get("items") or []
    items += [{**item, "name": item["name"].swapcase()} for item in items[:1]]


@fault("DS-GEN-13", by=partial(on_call, op.get_table_metadata))
def capitals_lead_to_another_table(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments)
    if not arguments["table"].isupper():
        return reply
    return replace(
        reply, chunks=None, body=reply.as_whole().body.replace(b'"id":"', b'"id":"other-')
    )


FAULTS = {
    "name-of-256-characters DS-NAME-01 DS-NAME-08": _called(SHARES, lambda n: n.ljust(256, "x")),
    "name-with-a-space DS-NAME-02 DS-NAME-08": _called(TABLES, lambda n: f"{n} 2"),
    "name-with-a-slash DS-NAME-03 DS-NAME-08": _called(SCHEMAS, lambda n: f"{n}/2"),
    "name-with-a-control-character DS-NAME-04": _called(TABLES, lambda n: f"{n}\t2"),
    "name-with-a-delete-character DS-NAME-05": _called(SHARES, lambda n: f"{n}\x7f"),
    "schema-with-a-period DS-NAME-06": _called(SCHEMAS, lambda n: f"{n}.2"),
    "table-with-a-period DS-NAME-06": _called(op.list_tables, lambda n: f"{n}.2"),
    "shares-with-a-period-are-not-found DS-NAME-06": wrap_rule(
        "lookup",
        lambda original: lambda known, name: None if "." in name else original(known, name),
    ),
    "tables-lie-in-no-schema DS-NAME-08": _called(TABLES, lambda n: f"{n}/{n}", member="schema"),
    "schemas-lie-in-no-share DS-NAME-08": _called(SCHEMAS, lambda _: "a share", member="share"),
    "names-have-case DS-GEN-13": replace_rule(
        "lookup",
        lambda known, name: next((found for found in known.values() if found.name == name), None),
    ),
    "names-are-decoded-twice DS-GEN-14": wrap_rule(
        "decode_segment", lambda original: lambda raw: unquote(original(raw))
    ),
    "plus-is-a-space DS-GEN-14": wrap_rule(
        "decode_segment", lambda original: lambda raw: original(raw.replace(b"+", b" "))
    ),
    "names-beyond-ascii-are-not-found DS-GEN-14": wrap_rule(
        "lookup",
        lambda original: lambda known, name: original(known, name) if name.isascii() else None,
    ),
    **{
        f"{what}-decode-names-again DS-GEN-14": on_call(operation, _table_decoded_again)
        for what, operation in (
            ("queries", op.query_table),
            ("changes", op.query_table_changes),
            ("metadata", op.get_table_metadata),
        )
    },
}
