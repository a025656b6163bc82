"""Listings that lose something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, around, on_reply
from lakepact.reference_server.replies import Reply, json_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.service import Scope

    Pages = Callable[..., tuple[list[Any], str | None]]


def _cut_at(most: int) -> Install:
    """End listings that nobody wants in pages."""

    def wrap(page: Pages) -> Pages:
        def cut(records: Any, listing: str, *, after: str | None, size: int | None) -> tuple[list[Any], str | None]:
            found, token = page(records, listing, after=after, size=size)
            return (found[:most], None) if after is None and size is None else (found, token)

        return cut

    return around("rules", "page", wrap)


def _none_for_zero(page: Pages) -> Pages:
    def nothing(records: Any, listing: str, *, after: str | None, size: int | None) -> tuple[list[Any], str | None]:
        return ([], None) if size == 0 else page(records, listing, after=after, size=size)

    return nothing


def _refusals_are_empty(reply: Reply, scope: Scope) -> Reply:
    if reply.status == 400 and b"pageSize" in scope["query_string"]:
        return json_reply({"identifiers": [], "namespaces": [], "next-page-token": None})
    return reply


FAULTS = (
    Fault("ends-at-250", "A listing ends after 250 items without a word.", ("WXD-PAG-001",), _cut_at(250)),
    Fault("ends-at-5", "A listing ends after five items without a word.", ("WXD-PAG-001", "WXD-PAG-004"), _cut_at(5)),
    Fault(
        "odd-sizes-are-empty-pages",
        "A page size that is none gets an empty page.",
        ("WXD-PAG-002",),
        on_reply(("listTables", "listViews"), _refusals_are_empty),
    ),
    Fault(
        "size-0-is-nothing",
        "A page size of 0 gets an empty page, and the last one.",
        ("WXD-PAG-003",),
        around("rules", "page", _none_for_zero),
    ),
)
