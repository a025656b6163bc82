"""Listings that lose something."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_reply, wrap_rule
from lakepact.reference_server.http.replies import Reply, json_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.http.service import Scope

    Pages = Callable[..., tuple[list[Any], str | None]]


def _cut_at(most: int) -> Install:
    """Listings without paging parameters are cut."""

    def wrap(page: Pages) -> Pages:
        def cut(
            records: Any, listing: str, *, after: str | None, size: int | None
        ) -> tuple[list[Any], str | None]:
            found, token = page(records, listing, after=after, size=size)
            return (found[:most], None) if after is None and size is None else (found, token)

        return cut

    return wrap_rule("page", wrap)


@fault("WXD-PAG-002", by=partial(on_reply, (op.list_tables, op.list_views)))
def odd_sizes_are_empty_pages(reply: Reply, scope: Scope) -> Reply:
    if reply.status == 400 and b"pageSize" in scope["query_string"]:
        return json_reply({"identifiers": [], "namespaces": [], "next-page-token": None})
    return reply


@fault("WXD-PAG-003", by=partial(wrap_rule, "page"))
def size_0_is_nothing(page: Pages) -> Pages:
    def nothing(
        records: Any, listing: str, *, after: str | None, size: int | None
    ) -> tuple[list[Any], str | None]:
        return ([], None) if size == 0 else page(records, listing, after=after, size=size)

    return nothing


FAULTS = {
    "ends-at-250 WXD-PAG-001": _cut_at(250),
    "ends-at-5 WXD-PAG-001 WXD-PAG-004": _cut_at(5),
}
