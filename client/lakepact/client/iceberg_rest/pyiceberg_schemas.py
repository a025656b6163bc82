"""Schemas of pyiceberg and Arrow as documents of the contract."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyiceberg.catalog import noop
from pyiceberg.io.pyarrow import UnsupportedPyArrowTypeException
from pyiceberg.schema import Schema, assign_fresh_schema_ids

if TYPE_CHECKING:
    from pydantic import BaseModel


class SchemaConversion(noop.NoopCatalog):
    """The conversion of schemas, which pyiceberg offers to its catalogs alone."""

    @classmethod
    def schema_document(cls, schema: Schema | pa.Schema, version: Any) -> dict[str, Any]:
        """Return a schema as JSON; one of Arrow gets field ids from 1 on, and types of the format
        version.

        Raises:
            ValueError: Iceberg has no such type.
        """
        if isinstance(schema, Schema):
            return document_of(schema)
        columns = pa.schema(field.with_type(_with_utc(field.type, version)) for field in schema)
        try:
            with_ids = cls._convert_schema_if_needed(columns, version)
        except UnsupportedPyArrowTypeException as unsupported:
            raise ValueError(str(unsupported)) from unsupported
        return document_of(assign_fresh_schema_ids(with_ids))


def _with_utc(type_: Any, version: int) -> Any:
    """Return a type of Arrow with UTC in place of another zone, and with microseconds below format
    version 3.
    """
    if not pa.types.is_timestamp(type_):
        return type_
    unit: Any = type_.unit if version >= 3 else "us"
    return pa.timestamp(unit, type_.tz and "UTC")


def document_of(model: BaseModel) -> dict[str, Any]:
    """Return a model of pyiceberg as JSON."""
    document: dict[str, Any] = json.loads(model.model_dump_json())
    return document
