"""View metadata that another writer has made, or that this server made earlier: taken over whole, or refused with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.iceberg_rest.documents import refused
from lakepact.reference_server.iceberg_rest.tables.registration import read_registered

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.documents import ViewMetadata
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog


def read_view_metadata(catalog: Catalog, location: str) -> ViewMetadata:
    """Return the view metadata in a file that a request names.

    Raises:
        Problem: 400, the file is missing, or its content is not valid.
    """
    return read_registered(catalog, location, "view", _consistent)


def _consistent(document: ViewMetadata) -> ViewMetadata:
    versions = {version["version-id"] for version in document["versions"]}
    if document["current-version-id"] not in versions:
        raise refused("/current-version-id", f"expected one of the versions, found {document['current-version-id']}")
    schemas = {schema.get("schema-id", 0) for schema in document["schemas"]}
    for index, version in enumerate(document["versions"]):
        if version["schema-id"] not in schemas:
            raise refused(f"/versions/{index}/schema-id", f"expected one of the schemas, found {version['schema-id']}")
    return document
