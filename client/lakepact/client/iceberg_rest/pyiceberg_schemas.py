"""Schemas of pyiceberg and Arrow as documents of the contract."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pyiceberg.catalog import noop
from pyiceberg.schema import Schema, assign_fresh_schema_ids

if TYPE_CHECKING:
    import pyarrow as pa
    from pydantic import BaseModel


class SchemaConversion(noop.NoopCatalog):
    """The conversion of schemas, which pyiceberg offers to its catalogs alone."""

    @classmethod
    def schema_document(cls, schema: Schema | pa.Schema, version: Any) -> dict[str, Any]:
        """Return a schema as JSON; one of Arrow gets field ids from 1 on, and types of the format version."""
        return document_of(
            schema
            if isinstance(schema, Schema)
            else assign_fresh_schema_ids(cls._convert_schema_if_needed(schema, version))
        )


def document_of(model: BaseModel) -> dict[str, Any]:
    """Return a model of pyiceberg as JSON."""
    found: dict[str, Any] = json.loads(model.model_dump_json())
    return found
