"""Credentials of tables: the operation that gives them, and what an answer with them looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.iceberg_rest.catalog import Catalog, identifier_key, levels_of, shown
from lakepact.reference_server.iceberg_rest.tables.storage_credentials import StorageAccess, is_asked_for, refresh_path, storage_credentials
from lakepact.reference_server.service import Rules as ServiceRules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.rules import CatalogRules
    from lakepact.reference_server.iceberg_rest.tables.locations import Located
    from lakepact.reference_server.storage.store import Key, Place, Record

NO_STORE = (b"cache-control", b"no-store")  #: shared caches must not keep answers with credentials


def location_is_its_own(located: Located, key: Key, location: str) -> bool:
    """Return whether no other table or view lies at a location, above it or below it: keys to it would open that one too."""
    return located.is_alone(key, location)


def may_write(levels: Sequence[str], name: str) -> bool:  # noqa: ARG001 - where callers are known, it depends on theirs
    """Return whether the keys of a table let those who get them write."""
    return True


def with_credentials(body: bytes, credentials: Sequence[Document]) -> bytes:
    """Return the configuration of a table with its credentials, also in `config` for older clients."""
    given = orjson.dumps({"config": credentials[0]["config"], "storage-credentials": credentials})
    return b"%s,%s" % (body[:-1], given[1:])


def tag_with_credentials(tag: bytes) -> bytes:
    """Return the tag of a table that comes with credentials: the same for the same metadata, but weak, as the credentials differ."""
    return b'W/%s-vended-credentials"' % tag[:-1] if tag else b""


def sent(rules: CatalogRules, body: bytes, tag: bytes, credentials: Sequence[Document]) -> Reply:
    """Return a table as it is sent; with credentials, it is for this caller alone."""
    plain = Reply(200, body, ((b"etag", tag),) if tag else ())
    if not credentials:
        return plain
    body, tag = rules.with_credentials(body, credentials), rules.tag_with_credentials(tag)
    return Reply(200, body, (*(((b"etag", tag),) if tag else ()), NO_STORE), without=plain)


class Rules(ServiceRules):
    """Decisions about credentials that a fault may replace."""

    credentials_asked_for = staticmethod(is_asked_for)
    storage_credentials = staticmethod(storage_credentials)
    credentials_may_write = staticmethod(may_write)
    location_is_its_own = staticmethod(location_is_its_own)
    with_credentials = staticmethod(with_credentials)
    tag_with_credentials = staticmethod(tag_with_credentials)


class Credentials:
    """The operation of the contract that gives credentials.

    Args:
        catalog: whose tables they are for.
        access: how the storage of its warehouse is opened.
        prefix: the path segments that clients put behind `/v1/`.
        located: where all tables of the catalog lie; None where there are no keys to single ones.
    """

    def __init__(self, catalog: Catalog, access: StorageAccess, prefix: str, located: Located | None = None) -> None:
        self._catalog = catalog
        self._access = access
        self._prefix = prefix
        self._located = located
        self._rules = catalog.rules

    @property
    def are_given(self) -> bool:
        """Whether tables of this warehouse come with any."""
        return self._access.is_given

    def load_credentials(self, *, namespace: str, table: str, **_: object) -> Reply:
        """Return new credentials of a table."""
        levels = levels_of(namespace)
        with self._catalog.store.view() as view:
            record: Record = self._rules.table_exists(view, levels, table)
        credentials = self.of(record.document["metadata"]["location"], levels, table)
        return Reply(200, orjson.dumps({"storage-credentials": credentials}), (NO_STORE,))

    def asked_for(self, delegation: Sequence[str], location: str, levels: Place, name: str, *, has_changed: bool = False) -> list[Document]:
        """Return the credentials that go with a table for a caller who names these ways of access; none, if the caller wants none.

        Args:
            delegation: the ways of access that the caller names.
            location: where the table lies.
            levels: the levels of its namespace.
            name: its name.
            has_changed: whether something was changed already, so that the answer cannot be a refusal any more.

        Raises:
            Problem: there should be some, but they cannot be had now.
        """
        if not self._access.is_given or not self._rules.credentials_asked_for(delegation):
            return []
        try:
            return self.of(location, levels, name)
        except Problem as problem:
            if problem.status < 500 or has_changed:
                return []
            raise

    def of(self, location: str, levels: Place, name: str) -> list[Document]:
        """Return the credentials of one table.

        Raises:
            Problem: they cannot be had.
        """
        if not self._access.is_given:
            return []
        if self._located is not None and not self._rules.location_is_its_own(self._located, identifier_key(levels, name), location):
            why = "they would open another table too, which lies at its location"
            raise Problem(403, "ForbiddenException", f"there are no credentials for {shown(levels, name)}: {why}")
        is_writable = self._rules.credentials_may_write(levels, name)
        found: list[Document] = self._rules.storage_credentials(self._access, location, name="lakepact", is_writable=is_writable)
        if self._access.service is not None:
            path = refresh_path(self._prefix, levels, name)
            refresh = {"client.refresh-credentials-endpoint": path}
            found = [{**one, "config": refresh | one["config"]} if one["config"] else one for one in found]
        return found


class CredentialsAgain:
    """The operations whose answers hold credentials and may be repeated, for which credentials are renewed.

    Args:
        rules: the rules of the catalog.
        credentials: the issuer.
    """

    def __init__(self, rules: CatalogRules, credentials: Credentials) -> None:
        self._rules = rules
        self._credentials = credentials

    def create_table(
        self, *, answered: Reply, namespace: str, body: Document, x_iceberg_access_delegation: Sequence[str] = (), **_: object
    ) -> Reply:
        """Return the stored reply of a creation with current credentials, or without any if none can be issued."""
        location = answered.document["metadata"]["location"]
        levels, name = levels_of(namespace), body["name"]
        credentials = self._credentials.asked_for(x_iceberg_access_delegation, location, levels, name, has_changed=True)
        return sent(self._rules, answered.body, dict(answered.headers).get(b"etag", b""), credentials)

    register_table = create_table
