"""Detection of a sharing server by its listings, since it declares nothing."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.running.discovery import Listing, ProbeSpec, names_in
from lakepact.generated.delta_sharing import op


def recognises(exchange: Exchange) -> bool:
    """Return whether this is a listing of shares, or the refusal of one."""
    document = exchange.json if isinstance(exchange.json, dict) else {}
    if exchange.status == 200:
        return (
            exchange.json == {}
            or isinstance(document.get("items"), list)
            or "nextPageToken" in document
        )
    return "errorCode" in document and exchange.status != 404


def tells(exchange: Exchange) -> dict[str, str]:
    """Return how many shares are listed at once."""
    items = exchange.json.get("items") if isinstance(exchange.json, dict) else None
    return (
        {
            "shares": f"{len(items)}, and more on further pages"
            if exchange.json.get("nextPageToken")
            else str(len(items))
        }
        if items
        else {}
    )


def _items(document: Any) -> list[str]:
    return names_in(document, "items")


probe_spec = ProbeSpec(
    first=op.list_shares,
    path=lambda _: "/shares",
    recognises=recognises,
    tells=tells,
    left_out=MappingProxyType(
        {op.query_table_changes: "not asked: it needs versions of a table with a change data feed"}
    ),
    listings=MappingProxyType(
        {
            op.list_shares: Listing("share", _items),
            op.list_schemas: Listing("schema", _items),
            op.list_tables: Listing("table", _items),
        }
    ),
)
