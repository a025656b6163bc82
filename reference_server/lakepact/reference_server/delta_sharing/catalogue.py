"""Shares, schemas and tables that a recipient may see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from lakepact.reference_server.delta_sharing.access.recipients import Caller
from lakepact.reference_server.delta_sharing.access.tokens import BadToken, Tokens
from lakepact.reference_server.delta_sharing.answers import json_answer, refusal
from lakepact.reference_server.delta_sharing.shares import (
    Recipient,
    Share,
    SharedSchema,
    SharedTable,
    Shares,
    fold,
)
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Rules as ServiceRules

DEFAULT_SIZE = 500  #: items of a page when the caller does not say
LASTING = 24 * 60 * 60 * 1000  #: milliseconds for which the page token of a listing holds
PURPOSE = "listing"

Item = TypeVar("Item")


class Catalogue:
    """The listings, and the tables by their names.

    Args:
        shares: what is shared.
        rules: the decisions about listings.
        tokens: what seals page tokens.
    """

    def __init__(self, shares: Shares, rules: Rules, *, tokens: Tokens) -> None:
        self._shares = shares
        self._rules = rules
        self._tokens = tokens

    # -- operations --------------------------------------------------------------------------------

    def list_shares(
        self, *, caller: Caller, max_results: int | None = None, page_token: str | None = None
    ) -> Reply:
        """List the shares that the recipient may read."""
        items = [
            share_document(share)
            for share in self._shares.shares.values()
            if self._may_read(caller, share)
        ]
        return self._page(items, caller, (), max_results=max_results, page_token=page_token)

    def get_share(self, *, caller: Caller, share: str) -> Reply:
        """Describe one share."""
        return json_answer({"share": share_document(self.share(caller, share))})

    def list_schemas(
        self,
        *,
        caller: Caller,
        share: str,
        max_results: int | None = None,
        page_token: str | None = None,
    ) -> Reply:
        """List the schemas of a share."""
        entry = self.share(caller, share)
        items = [schema_document(schema) for schema in entry.schemas.values()]
        return self._page(
            items, caller, ("schemas", entry.name), max_results=max_results, page_token=page_token
        )

    def list_tables(
        self,
        *,
        caller: Caller,
        share: str,
        schema: str,
        max_results: int | None = None,
        page_token: str | None = None,
    ) -> Reply:
        """List the tables of a schema."""
        entry = self.schema(caller, share, schema)
        items = [table_document(table) for table in entry.tables.values()]
        return self._page(
            items,
            caller,
            ("tables", entry.share, entry.name),
            max_results=max_results,
            page_token=page_token,
        )

    def list_all_tables(
        self,
        *,
        caller: Caller,
        share: str,
        max_results: int | None = None,
        page_token: str | None = None,
    ) -> Reply:
        """List the tables of every schema of a share."""
        entry = self.share(caller, share)
        items = [
            table_document(table)
            for schema in entry.schemas.values()
            for table in schema.tables.values()
        ]
        return self._page(
            items,
            caller,
            ("all-tables", entry.name),
            max_results=max_results,
            page_token=page_token,
        )

    # -- lookups -----------------------------------------------------------------------------------

    def share(self, caller: Caller, share: str) -> Share:
        """Return a share by its name.

        Raises:
            Problem: there is none that the caller may see.
        """
        entry = self._rules.lookup(self._shares.shares, share)
        if entry is None or not self._may_read(caller, entry):
            raise refusal(404, f"share {_quote(share)} not found")
        return entry

    def schema(self, caller: Caller, share: str, schema: str) -> SharedSchema:
        """Return a schema by its names.

        Raises:
            Problem: 404, no visible schema has these names.
        """
        entry = self._rules.lookup(self.share(caller, share).schemas, schema)
        if entry is None:
            raise refusal(404, f"schema {_quote(share, schema)} not found")
        return entry

    def table(self, caller: Caller, share: str, schema: str, table: str) -> SharedTable:
        """Return a table by its names.

        Raises:
            Problem: 404, no visible table has these names.
        """
        entry = self._rules.lookup(self.schema(caller, share, schema).tables, table)
        if entry is None:
            raise refusal(404, f"table {_quote(share, schema, table)} not found")
        return entry

    def _may_read(self, caller: Caller, share: Share) -> bool:
        return self._rules.may_read(caller.recipient, share)

    def _page(
        self,
        items: Sequence[Any],
        caller: Caller,
        listing: tuple[str, ...],
        *,
        max_results: int | None,
        page_token: str | None,
    ) -> Reply:
        bound = (caller.recipient.name, *map(fold, listing))
        try:
            start = (
                self._tokens.open(PURPOSE, page_token, bound=bound)["at"]
                if page_token is not None
                else 0
            )
        except BadToken as bad:
            raise refusal(400, f"pageToken is not one of this listing: {bad}") from None
        page, following = self._rules.page(
            items, start, DEFAULT_SIZE if max_results is None else max_results
        )
        document: dict[str, Any] = {"items": page}
        if following is not None:
            document["nextPageToken"] = self._tokens.seal(
                PURPOSE, {"at": following}, bound=bound, lasting=LASTING
            )
        return json_answer(document)


def may_read(recipient: Recipient, share: Share) -> bool:
    """Return whether a recipient may read a share."""
    return recipient.shares is None or share.name.casefold() in recipient.shares


def lookup(items: Mapping[str, Item], name: str) -> Item | None:
    """Return the item with a name in any case, or `None`."""
    return items.get(fold(name))


def page(items: Sequence[Any], start: int, size: int) -> tuple[Sequence[Any], int | None]:
    """Return the items of the page that begins at `start`, and where the next one begins, if there
    is one.
    """
    end = start + size
    return items[start:end], end if end < len(items) else None


def share_document(share: Share) -> dict[str, Any]:
    """Return a share as it is answered."""
    document: dict[str, Any] = {"name": share.name, "id": share.id}
    optional = {
        "displayName": share.display_name,
        "comment": share.comment,
        "properties": share.properties,
    }
    return document | {name: value for name, value in optional.items() if value is not None}


def schema_document(schema: SharedSchema) -> dict[str, Any]:
    """Return a schema as it is answered."""
    return {"name": schema.name, "share": schema.share}


def table_document(table: SharedTable) -> dict[str, Any]:
    """Return a table as it is answered."""
    return {
        "name": table.name,
        "schema": table.schema,
        "share": table.share,
        "shareId": table.share_id,
        "id": table.id,
        **table.access,
    }


def _quote(*names: str) -> str:
    return repr(".".join(names))[:200]


class Rules(ServiceRules):
    """Decisions about listings that a fault may replace."""

    lookup = staticmethod(lookup)
    page = staticmethod(page)
    may_read = staticmethod(may_read)
