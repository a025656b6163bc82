# Made by codegen.generate from specs/codegen/templates/format_version_1.py, sha256 5eae94582995dfac. Do not edit: nox -s generate
"""Base classes of Iceberg's table metadata: they add what metadata of format version 1, or an old
writer, may omit.

The values are those of the table spec ("Reading v1 metadata for v2") and of Iceberg's libraries.
Members that are added count as unset, so that they are not written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

from pydantic import model_validator

from lakepact.generated.wire import WireModel

if TYPE_CHECKING:
    from pydantic import ModelWrapValidatorHandler

_FIRST_PARTITION_ID = 1000


class _WithDefaults(WireModel):
    """A document in which members may be absent or null."""

    @classmethod
    def _defaults(cls, document: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    @model_validator(mode="wrap")
    @classmethod
    def _complete(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(value, dict):
            return handler(value)
        document = cast("dict[str, Any]", value)
        defaults = cls._defaults(document)
        if not defaults:
            return handler(value)
        defaults_used = {
            name: default for name, default in defaults.items() if _member(document, name) is None
        }
        model = handler({**document, **defaults_used})
        model.__pydantic_fields_set__.difference_update(
            name.replace("-", "_") for name in defaults_used
        )
        return model


class FormatVersion1Defaults(_WithDefaults):
    """Table metadata; later versions than 1 require all that is added."""

    @classmethod
    def _defaults(cls, document: dict[str, Any]) -> dict[str, Any]:
        return _of_version_1(document) if _member(document, "format-version") == 1 else {}


class SortFieldDefaults(_WithDefaults):
    """A field of a sort order; in ascending order nulls come first, and in descending order
    last.
    """

    @classmethod
    def _defaults(cls, document: dict[str, Any]) -> dict[str, Any]:
        return {
            "null-order": "nulls-last"
            if _member(document, "direction") == "desc"
            else "nulls-first"
        }


def _of_version_1(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the members that later format versions require; without `schema` there is nothing to
    make `schemas` of.
    """
    fields = [
        {"field-id": _FIRST_PARTITION_ID + place, **_document(field)}
        for place, field in enumerate(_member(metadata, "partition-spec") or ())
    ]
    specs = _member(metadata, "partition-specs") or [{"spec-id": 0, "fields": fields}]
    ids = [
        _member(_document(field), "field-id") or 0
        for spec in specs
        for field in _member(_document(spec), "fields") or ()
    ]
    members: dict[str, Any] = {
        "last-sequence-number": 0,
        "partition-specs": specs,
        "default-spec-id": 0,
        "last-partition-id": max(ids, default=_FIRST_PARTITION_ID - 1),
        "sort-orders": [{"order-id": 0, "fields": []}],
        "default-sort-order-id": 0,
    }
    schema = _document(_member(metadata, "schema") or _member(metadata, "schema_"))
    if schema:
        members["schemas"] = [{"schema-id": 0, **schema}]
        members["current-schema-id"] = members["schemas"][0]["schema-id"]
    return members


def _member(document: dict[str, Any], name: str) -> Any:
    """Return a member by its name, or by that in Python; None if it is absent or null."""
    value = document.get(name)
    return document.get(name.replace("-", "_")) if value is None else value


def _document(value: Any) -> dict[str, Any]:
    if isinstance(value, WireModel):
        return value.to_wire()
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
