"""Faults of lines: what they edit in the objects that lines wrap, of one kind and in one format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from lakepact.generated.contract import OperationId
from lakepact.generated.delta_sharing import op
from lakepact.reference_server.faults import Install, on_lines

IN_LINES = (op.get_table_metadata, op.query_table, op.query_table_changes)
METADATA, QUERY, CHANGES = IN_LINES
PARQUET, DELTA = "parquet", "delta"

Document = dict[str, Any]


def form_of(lines: list[Any]) -> str:
    """The format of an answer."""
    return DELTA if any("deltaProtocol" in line.get("protocol", {}) for line in lines) else PARQUET


def wrapped(lines: list[Any], *kinds: str) -> Iterator[Document]:
    """The objects of some kinds."""
    return (line[kind] for line in lines for kind in kinds if kind in line)


def on_wrapped(
    kinds: str | tuple[str, ...],
    edit: Callable[[Document], object],
    *,
    form: str = "",
    of: OperationId | tuple[OperationId, ...] = IN_LINES,
) -> Install:
    """Edit in place each object of some kinds, of answers in one format or in either."""
    names = (kinds,) if isinstance(kinds, str) else kinds

    def change(lines: list[Any]) -> None:
        if form in {"", form_of(lines)}:
            for one in wrapped(lines, *names):
                edit(one)

    return on_lines(of, change)


def on_all(
    change: Callable[[list[Any]], Any],
    *,
    form: str = "",
    of: OperationId | tuple[OperationId, ...] = IN_LINES,
) -> Install:
    """Change the lines of answers in one format or in either, as `on_lines` does."""
    return on_lines(of, lambda lines: change(lines) if form in {"", form_of(lines)} else None)


def on_actions(
    edit: Callable[[Document], object], *, of: OperationId | tuple[OperationId, ...] = IN_LINES
) -> Install:
    """Edit in place each action that a file line in delta format wraps."""

    def change(file: Document) -> None:
        for action in file["deltaSingleAction"].values():
            edit(action)

    return on_wrapped("file", change, form=DELTA, of=of)


def leave_out(*members: str) -> Callable[[Document], None]:
    """Remove members of an object, where they are."""

    def edit(document: Document) -> None:
        for member in members:
            document.pop(member, None)

    return edit


def write(**members: Any) -> Callable[[Document], None]:
    """Write other values into an object."""
    return lambda document: document.update(members)


def rewrite(member: str, change: Callable[[Any], Any]) -> Callable[[Document], None]:
    """Write into an object what `change` makes of a member, where there is one."""

    def edit(document: Document) -> None:
        if document.get(member) is not None:
            document[member] = change(document[member])

    return edit
