"""Remote signing: the operation that signs a caller's requests to the storage of a table, and the
settings that say so.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Rules as ServiceRules
from lakepact.reference_server.iceberg_rest.identifiers import full_name, identifier_key, levels_of
from lakepact.reference_server.iceberg_rest.tables.locations import FOLDERS
from lakepact.reference_server.warehouse.local import Outside, inside
from lakepact.reference_server.warehouse.storage_requests import (
    READING,
    Bucket,
    Unsigned,
    storage_request,
)
from lakepact.reference_server.warehouse.vended_credentials.policies import bucket_and_prefix
from lakepact.reference_server.warehouse.vended_credentials.signing import sign_for_s3

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lakepact.generated.iceberg_rest.documents import RemoteSignRequest, TableMetadata
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
    from lakepact.reference_server.iceberg_rest.tables.storage_credentials import StorageAccess
    from lakepact.reference_server.storage.store import Key
    from lakepact.reference_server.warehouse.local import Warehouse
    from lakepact.reference_server.warehouse.storage_requests import StorageRequest
    from lakepact.reference_server.warehouse.vended_credentials.signing import Keys

#: How long an answer may be used again: clients look for exactly this word, and others write
#: nothing twice.
KEPT, NOT_KEPT = (b"cache-control", b"private"), (b"cache-control", b"no-store")
#: Replaced by the signature, whatever the caller has sent.
REPLACED = frozenset(
    {"authorization", "x-amz-date", "x-amz-content-sha256", "x-amz-security-token"}
)


def locations_of(catalog: Catalog, key: Key, metadata: TableMetadata) -> tuple[str, ...]:
    """Return the locations that a table keeps its files at, as far as they are its own."""
    properties = metadata.get("properties") or {}
    further = map(properties.get, FOLDERS)
    return (
        metadata["location"],
        *(path for path in further if path and _is_its_own(catalog, key, path)),
    )


def _is_its_own(catalog: Catalog, key: Key, path: str) -> bool:
    """Return whether a table may keep files at a path that its properties name, and no other table
    or view does.
    """
    try:
        catalog.warehouse.check_location(path)
    except Outside:
        return False
    return catalog.locations.is_unused(path, key)


def is_below(warehouse: Warehouse, location: str, folders: Iterable[str]) -> bool:
    """Return whether an object lies in one of the folders, in whichever way its location is
    read.
    """
    places = [warehouse.places(folder)[0] for folder in folders]
    return all(
        any(inside(place, folder) for folder in places) for place in warehouse.places(location)
    )


def signature(
    request: Mapping[str, Any], storage_request: StorageRequest, *, keys: Keys, region: str
) -> Mapping[str, str]:
    """Return the headers that authorize a request."""
    at = datetime.now(UTC)
    return sign_for_s3(
        request["method"],
        request["uri"],
        storage_request.headers,
        storage_request.payload,
        keys=keys,
        region=region,
        at=at,
    )


def caching_header(method: str) -> tuple[bytes, bytes]:
    """Return the header that says whether clients may use a signature again."""
    return KEPT if method in READING else NOT_KEPT


class Rules(ServiceRules):
    """Decisions about remote signing that a fault may replace."""

    storage_request = staticmethod(storage_request)
    is_below = staticmethod(is_below)
    signature = staticmethod(signature)


class RemoteSigning:
    """The operation of the contract that signs requests.

    Args:
        catalog: the catalog whose tables they are for.
        rules: the decisions about signing.
        access: how the storage of its warehouse is opened.
        is_offered: whether the warehouse is in a store whose requests can be signed.
    """

    def __init__(
        self, catalog: Catalog, rules: Rules, access: StorageAccess, *, is_offered: bool
    ) -> None:
        self._catalog, self._rules = catalog, rules
        self._access = access
        name = bucket_and_prefix(f"{catalog.warehouse.root}/table")[0] if is_offered else ""
        endpoint = access.settings.get("s3.endpoint")
        in_path = access.settings.get("s3.path-style-access") == "true"
        self._bucket = Bucket(name, access.region, endpoint, in_path=in_path)

    def sign_request(self, *, namespace: str, table: str, body: RemoteSignRequest) -> Reply:
        """Return a request with the headers that authorize it, if it concerns files of the table
        alone.
        """
        keys = self._access.keys
        if not self._bucket.name or keys is None:
            raise Problem(
                406,
                "UnsupportedOperationException",
                "the warehouse of this table is in no store that requests are signed for",
            )
        levels = levels_of(namespace)
        with self._catalog.store.view() as view:
            record = self._catalog.rules.table_exists(view, levels, table)
        metadata, key = record.document["metadata"], identifier_key(levels, table)
        if not self._catalog.locations.is_alone(key, metadata["location"]):
            raise _refusal(f"another table lies at the location of {full_name(levels, table)}")
        try:
            request = self._rules.storage_request(body, self._bucket)
        except Unsigned as unsigned:
            raise _refusal(str(unsigned)) from None
        self._check(request.locations, locations_of(self._catalog, key, metadata))
        extra = self._rules.signature(body, request, keys=keys, region=self._bucket.region)
        headers = {
            name: values for name, values in body["headers"].items() if name.lower() not in REPLACED
        }
        document = {
            "uri": body["uri"],
            "headers": {**headers, **{name: [value] for name, value in extra.items()}},
        }
        return Reply(200, orjson.dumps(document), (caching_header(body["method"]),))

    def _check(self, locations: Sequence[str], folders: Sequence[str]) -> None:
        for location in locations:
            if not self._rules.is_below(self._catalog.warehouse, location, folders):
                raise _refusal(f"{location[:200]!r} is not below the location of the table")


def _refusal(why: str) -> Problem:
    return Problem(403, "ForbiddenException", f"the request is not signed: {why}")
