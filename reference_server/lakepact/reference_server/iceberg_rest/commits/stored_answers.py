"""Answers that are sent again: large ones from metadata files, those with credentials with new
ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import orjson

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.identifiers import identifier_key, levels_of
from lakepact.reference_server.iceberg_rest.tables.credentials import Credentials, table_reply
from lakepact.reference_server.iceberg_rest.tables.metadata_files import read_text, whole
from lakepact.reference_server.iceberg_rest.tables.registration import read_metadata
from lakepact.reference_server.warehouse.local import Outside, Unreadable

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.documents import CreateTableRequest, CreateViewRequest
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog


class StoredAnswers:
    """The operations whose answers are not stored whole.

    Args:
        catalog: the catalog, with a warehouse that is open to the server.
        credentials: issues credentials of its tables.
    """

    def __init__(self, catalog: Catalog, credentials: Credentials) -> None:
        self._catalog, self._credentials = catalog, credentials

    def create_table(
        self,
        *,
        reply: Reply,
        namespace: str,
        body: CreateTableRequest,
        x_iceberg_access_delegation: Sequence[str] = (),
        is_registered: bool = False,
        **_: object,
    ) -> Reply:
        """Return a created table, with current credentials or without any if none can be issued."""
        reply = self._whole(reply, namespace, body["name"], is_registered=is_registered)
        access = self._credentials.access_for(
            x_iceberg_access_delegation,
            reply.document["metadata"]["location"],
            levels_of(namespace),
            body["name"],
            has_changed=True,
            is_staged=body.get("stage-create", False),
        )
        return table_reply(reply.body, dict(reply.headers).get(b"etag", b""), access)

    def register_table(self, **arguments: object) -> Reply:
        """Return a table that was taken over from its metadata file."""
        return self.create_table(**arguments, is_registered=True)  # type: ignore[arg-type]

    def update_table(self, *, reply: Reply, namespace: str, table: str, **_: object) -> Reply:
        """Return a table as a commit left it."""
        return self._whole(reply, namespace, table)

    def create_view(
        self, *, reply: Reply, namespace: str, body: CreateViewRequest, **_: object
    ) -> Reply:
        """Return a created view."""
        return self._whole(reply, namespace, body["name"])

    def replace_view(self, *, reply: Reply, namespace: str, view: str, **_: object) -> Reply:
        """Return a view as a commit left it."""
        return self._whole(reply, namespace, view)

    def _whole(
        self, reply: Reply, namespace: str, name: str, *, is_registered: bool = False
    ) -> Reply:
        """Return an answer with its body.

        Raises:
            Problem: 500, its metadata file is gone.
        """
        location = reply.stored_at
        if not location:
            return reply
        record = self._catalog.store.get(identifier_key(levels_of(namespace), name))
        if record is not None and record.body.startswith(whole(location, b"")[:-1]):
            return replace(reply, body=record.body)
        try:
            text = (
                orjson.dumps(read_metadata(self._catalog, location))
                if is_registered
                else read_text(self._catalog.warehouse, location)
            )
        except (Outside, Unreadable, Problem):
            raise Problem(
                500,
                "CommitStateUnknownException",
                f"the request was carried out before, but {location[:300]} is gone; load the table",
            ) from None
        return replace(reply, body=whole(location, text))
