# Made by codegen.generate from specs/codegen/templates/format_version_1.py, sha256 922378ed4d66de80. Do not edit: nox -s generate
"""The base class of Iceberg's table metadata: it adds what metadata of format version 1 may omit.

Later versions require these members. The values are those of the table spec ("Reading v1 metadata for v2") and of Iceberg's Java library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

from pydantic import model_validator

from lakepact.generated.wire import WireModel

if TYPE_CHECKING:
    from pydantic import ModelWrapValidatorHandler

_FIRST_PARTITION_ID = 1000


class FormatVersion1Defaults(WireModel):
    """Table metadata; members that are added to it count as unset, so that they are not written."""

    @model_validator(mode="wrap")
    @classmethod
    def _complete(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(value, dict):
            return handler(value)
        given = cast("dict[str, Any]", value)
        if given.get("format-version", given.get("format_version")) != 1:
            return handler(value)
        added = {name: default for name, default in _defaults(given).items() if name not in given and name.replace("-", "_") not in given}
        made = handler({**given, **added})
        made.__pydantic_fields_set__.difference_update(name.replace("-", "_") for name in added)
        return made


def _defaults(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the members that later format versions require; without `schema` there is nothing to make `schemas` of."""
    fields = [
        {"field-id": _FIRST_PARTITION_ID + place, **_document(field)}
        for place, field in enumerate(metadata.get("partition-spec", metadata.get("partition_spec")) or ())
    ]
    found: dict[str, Any] = {
        "last-sequence-number": 0,
        "partition-specs": [{"spec-id": 0, "fields": fields}],
        "default-spec-id": 0,
        "last-partition-id": max((field["field-id"] for field in fields), default=_FIRST_PARTITION_ID - 1),
        "sort-orders": [{"order-id": 0, "fields": []}],
        "default-sort-order-id": 0,
    }
    schema = _document(metadata.get("schema", metadata.get("schema_")))
    if schema:
        found["schemas"] = [{"schema-id": 0, **schema}]
        found["current-schema-id"] = found["schemas"][0]["schema-id"]
    return found


def _document(value: Any) -> dict[str, Any]:
    if isinstance(value, WireModel):
        return value.to_wire()
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
