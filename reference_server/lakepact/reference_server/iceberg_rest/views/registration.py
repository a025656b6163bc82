"""View metadata that another writer has made, or that this server made earlier: taken over whole, or refused with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.http.json_text import NotJson, read_json
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.validation import Invalid
from lakepact.reference_server.iceberg_rest.documents import refused
from lakepact.reference_server.iceberg_rest.identifiers import bad_request
from lakepact.reference_server.iceberg_rest.tables.metadata_files import read_text
from lakepact.reference_server.warehouse.local import Outside, Unreadable

if TYPE_CHECKING:
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog


def read_view_metadata(catalog: Catalog, location: str) -> Document:
    """Return the view metadata at a location, validated against the contract and for consistency.

    Raises:
        Problem: 400, the file is missing, or a reference in it is dangling.
    """
    try:
        document: Document = read_json(read_text(catalog.warehouse, location))
        catalog.validators().check("ViewMetadata", document)
        _check_references(document)
    except (Outside, Unreadable) as error:
        raise bad_request(f"at /metadata-location: {error}") from None
    except (NotJson, Invalid, Problem) as error:
        raise bad_request(f"{location[:300]!r} does not hold valid view metadata: {str(error).replace('the body', 'the file')}") from None
    return document


def _check_references(document: Document) -> None:
    versions = {version["version-id"] for version in document["versions"]}
    if document["current-version-id"] not in versions:
        raise refused("/current-version-id", f"expected one of the versions, found {document['current-version-id']}")
    schemas = {schema.get("schema-id", 0) for schema in document["schemas"]}
    for index, version in enumerate(document["versions"]):
        if version["schema-id"] not in schemas:
            raise refused(f"/versions/{index}/schema-id", f"expected one of the schemas, found {version['schema-id']}")
