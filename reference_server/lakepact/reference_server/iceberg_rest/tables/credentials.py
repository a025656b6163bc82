"""Credentials of tables: the operation that returns them, and their form in answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Rules as ServiceRules
from lakepact.reference_server.iceberg_rest.identifiers import full_name, identifier_key, levels_of
from lakepact.reference_server.iceberg_rest.tables.storage_credentials import (
    DELEGATION,
    SIGNING,
    StorageAccess,
    path_of,
    signer_config,
    storage_credentials,
    wants_credentials,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.generated.iceberg_rest.documents import (
        LoadTableResult,
        RemoteSigningConfig,
        StorageCredential,
    )
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
    from lakepact.reference_server.storage.store import Place

NO_STORE = (b"cache-control", b"no-store")  #: shared caches must not keep answers with credentials


def may_write(levels: Sequence[str], name: str) -> bool:  # noqa: ARG001 - where callers are known, it depends on theirs
    """Return whether the keys of a table let those who get them write."""
    return True


def with_credentials(body: bytes, access: LoadTableResult) -> bytes:
    """Return a table with what opens its files."""
    return b"%s,%s" % (body[:-1], orjson.dumps(access)[1:])


def tag_with_credentials(tag: bytes, way: str) -> bytes:
    """Return the tag of a table that comes with a way of access: the same for the same metadata,
    but weak, as credentials differ.
    """
    return b'W/%s-%s"' % (tag[:-1], way.encode()) if tag else b""


def table_reply(body: bytes, tag: bytes, access: LoadTableResult) -> Reply:
    """Return a table as it is sent; with what opens its files, it is for this caller alone."""
    plain = Reply(200, body, ((b"etag", tag),) if tag else ())
    if not access:
        return plain
    way = DELEGATION if "storage-credentials" in access else SIGNING
    body, tag = with_credentials(body, access), tag_with_credentials(tag, way)
    return Reply(200, body, (*(((b"etag", tag),) if tag else ()), NO_STORE), without=plain)


def signer_settings(levels: Place, name: str) -> RemoteSigningConfig:
    """Return what a signer passes on with each request to sign."""
    return {"properties": {"lakepact.table": full_name(levels, name)}, "headers": {}}


class Rules(ServiceRules):
    """Decisions about credentials that a fault may replace."""

    storage_credentials = staticmethod(storage_credentials)
    credentials_may_write = staticmethod(may_write)
    signer_config = staticmethod(signer_config)
    signer_settings = staticmethod(signer_settings)


class Credentials:
    """The operation of the contract that gives credentials.

    Args:
        catalog: whose tables they are for.
        rules: the decisions about credentials.
        access: how the storage of its warehouse is opened.
        prefix: the path segments that clients put behind `/v1/`.
        signs: whether requests to the storage are signed for callers.
        configures_signers: whether tables come with the settings of their signers.
    """

    def __init__(
        self,
        catalog: Catalog,
        rules: Rules,
        access: StorageAccess,
        *,
        prefix: str,
        signs: bool = False,
        configures_signers: bool = False,
    ) -> None:
        self._catalog, self._rules = catalog, rules
        self._access = access
        self._prefix = prefix
        self._signs = signs
        self._configures_signers = configures_signers

    @property
    def are_vended(self) -> bool:
        """Whether tables of this warehouse come with any, or with a signer in their place."""
        return self._access.is_configured or self._signs

    def load_credentials(
        self,
        *,
        namespace: str,
        table: str,
        plan_id: str | None = None,  # noqa: ARG002 - those of a table open the files of its plans
        referenced_by: str | None = None,  # noqa: ARG002 - a view gives no rights here
    ) -> Reply:
        """Return new credentials of a table."""
        levels = levels_of(namespace)
        with self._catalog.store.view() as view:
            record = self._catalog.rules.table_exists(view, levels, table)
        credentials = self.of(record.document["metadata"]["location"], levels, table)
        return Reply(200, orjson.dumps({"storage-credentials": credentials}), (NO_STORE,))

    def access_for(
        self,
        delegation: Sequence[str],
        location: str,
        levels: Place,
        name: str,
        *,
        has_changed: bool = False,
        is_staged: bool = False,
    ) -> LoadTableResult:
        """Return what opens the files of a table for a caller who names these ways of access:
        credentials, else a signer, else nothing.

        Credentials are also in `config`, for older clients.

        Args:
            delegation: the ways of access that the caller names.
            location: where the table lies.
            levels: the levels of its namespace.
            name: its name.
            has_changed: whether something was changed already, so that the answer cannot be a
                refusal any more.
            is_staged: whether the table does not exist yet, so that no request for its files is
                signed.

        Raises:
            Problem: there should be some, but they cannot be had now.
        """
        if self._access.is_configured and wants_credentials(delegation):
            try:
                credentials = self.of(location, levels, name)
            except Problem as problem:
                if problem.status >= 500 and not has_changed:
                    raise
            else:
                if credentials:
                    return {"config": credentials[0]["config"], "storage-credentials": credentials}
        if not self._signs or is_staged or SIGNING not in delegation:
            return {}
        config = self._rules.signer_config(
            self._access, path_of("sign", self._prefix, levels, name)
        )
        if not self._configures_signers:
            return {"config": config}
        return {
            "config": config,
            "remote-signing-config": self._rules.signer_settings(levels, name),
        }

    def of(self, location: str, levels: Place, name: str) -> list[StorageCredential]:
        """Return the credentials of one table.

        Raises:
            Problem: they cannot be had.
        """
        if not self._access.is_configured:
            return []
        if self._access.service is not None and not self._catalog.locations.is_alone(
            identifier_key(levels, name), location
        ):
            why = "they would open another table too, which lies at its location"
            raise Problem(
                403,
                "ForbiddenException",
                f"there are no credentials for {full_name(levels, name)}: {why}",
            )
        is_writable = self._rules.credentials_may_write(levels, name)
        result: list[StorageCredential] = self._rules.storage_credentials(
            self._access, location, name="lakepact", is_writable=is_writable
        )
        if self._access.service is not None:
            path = path_of("credentials", self._prefix, levels, name)
            refresh = {"client.refresh-credentials-endpoint": path}
            result = [
                {**one, "config": refresh | one["config"]} if one["config"] else one
                for one in result
            ]
        return result
