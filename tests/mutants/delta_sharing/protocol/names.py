"""Names that nothing may have, and names that are not found."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.faults import Fault, Install, fault, on_answer, on_call, replace_rule, wrap_rule
from lakepact.reference_server.http.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lakepact.generated.contract import OperationId
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Handler

SHARES, SCHEMAS, TABLES = op.list_shares, op.list_schemas, op.list_all_tables


def last_item(operation: OperationId, edit: Callable[[dict[str, Any]], Any]) -> Install:
    """Change the last item of the last page of a listing."""

    def change(document: dict[str, Any]) -> None:
        if document.get("items") and "nextPageToken" not in document:
            edit(document["items"][-1])

    return on_answer(operation, change)


def _called(operation: OperationId, rename: Callable[[str], str], *, member: str = "name") -> Install:
    return last_item(operation, lambda item: item.update({member: rename(item[member])}))


def _table_decoded_again(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Decode the name of a table where the path has decoded it already."""
    return handler(**arguments | {"table": unquote(arguments["table"])})


@fault("DS-GEN-11", by=partial(on_call, op.get_table_metadata))
def tables_are_found_in_any_schema(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """A table is found by its name in every schema of its share."""
    try:
        return handler(**arguments)
    except Problem:
        for schema in ("tables", "one", "hard&names?"):
            with contextlib.suppress(Problem):
                return handler(**arguments | {"schema": schema})
        raise


@fault("DS-NAME-01", "DS-NAME-08")
def name_of_256_characters() -> Install:
    """A share has a name that is too long."""
    return _called(SHARES, lambda n: n.ljust(256, "x"))


@fault("DS-NAME-02", "DS-NAME-08")
def name_with_a_space() -> Install:
    """A table has a name with a space."""
    return _called(TABLES, lambda n: f"{n} 2")


@fault("DS-NAME-03", "DS-NAME-08")
def name_with_a_slash() -> Install:
    """A schema has a name with a slash."""
    return _called(SCHEMAS, lambda n: f"{n}/2")


@fault("DS-NAME-04")
def name_with_a_control_character() -> Install:
    """A table has a name with a tab."""
    return _called(TABLES, lambda n: f"{n}\t2")


@fault("DS-NAME-05")
def name_with_a_delete_character() -> Install:
    """A share has a name with DELETE in it."""
    return _called(SHARES, lambda n: f"{n}\x7f")


@fault("DS-NAME-06")
def schema_with_a_period() -> Install:
    """A schema has a name with a period."""
    return _called(SCHEMAS, lambda n: f"{n}.2")


@fault("DS-NAME-06")
def table_with_a_period() -> Install:
    """A table has a name with a period."""
    return _called(op.list_tables, lambda n: f"{n}.2")


@fault("DS-NAME-06", by=partial(wrap_rule, "named"))
def shares_with_a_period_are_not_found(original: Callable[..., Any]) -> Callable[..., Any]:
    """A share whose name has a period cannot be asked for."""
    return lambda known, name: None if "." in name else original(known, name)


@fault("DS-NAME-07", by=partial(on_answer, (SHARES, SCHEMAS, TABLES)))
def siblings_differ_in_case(document: dict[str, Any]) -> None:
    """A listing has two items whose names differ in case alone."""
    items = document.get("items") or []
    items += [{**item, "name": item["name"].swapcase()} for item in items[:1]]


@fault("DS-NAME-08")
def tables_lie_in_no_schema() -> Install:
    """A table names a schema that cannot be."""
    return _called(TABLES, lambda n: f"{n}/{n}", member="schema")


@fault("DS-NAME-08")
def schemas_lie_in_no_share() -> Install:
    """A schema names a share that cannot be."""
    return _called(SCHEMAS, lambda _: "a share", member="share")


@fault("DS-GEN-13", by=partial(replace_rule, "named"))
def names_have_case(known: Mapping[str, Any], name: str) -> Any:
    """Names are found in one spelling only."""
    return next((found for found in known.values() if found.name == name), None)


@fault("DS-GEN-13", by=partial(on_call, op.get_table_metadata))
def capitals_lead_to_another_table(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Metadata of a table whose name is written in capitals has another id."""
    reply = handler(**arguments)
    if not arguments["table"].isupper():
        return reply
    return replace(reply, chunks=None, body=reply.joined().body.replace(b'"id":"', b'"id":"other-'))


@fault("DS-GEN-14", by=partial(wrap_rule, "decode_segment"))
def names_are_decoded_twice(original: Callable[[bytes], str]) -> Callable[[bytes], str]:
    """Names in URLs are decoded twice."""
    return lambda raw: unquote(original(raw))


@fault("DS-GEN-14", by=partial(wrap_rule, "decode_segment"))
def plus_is_a_space(original: Callable[[bytes], str]) -> Callable[[bytes], str]:
    """A plus in a path is a space."""
    return lambda raw: original(raw.replace(b"+", b" "))


@fault("DS-GEN-14", by=partial(wrap_rule, "named"))
def names_beyond_ascii_are_not_found(original: Callable[..., Any]) -> Callable[..., Any]:
    """Names with other letters than those of ASCII are not found."""
    return lambda known, name: original(known, name) if name.isascii() else None


FAULTS: tuple[Fault, ...] = (
    *(
        Fault(
            f"{what}-decode-names-again",
            f"In requests for {what} the name of a table is decoded twice.",
            ("DS-GEN-14",),
            on_call(operation, _table_decoded_again),
        )
        for what, operation in (("queries", op.query_table), ("changes", op.query_table_changes), ("metadata", op.get_table_metadata))
    ),
)
