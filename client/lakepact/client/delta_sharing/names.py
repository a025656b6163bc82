"""Names of shared schemas and tables, in the forms that a caller writes: a string is split at its
dots, the parts of a tuple are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from lakepact.generated.delta_sharing.models import SharedSchema, SharedTable

#: "share.schema", ("share", "schema"), or an item of a listing.
SchemaName: TypeAlias = "str | Sequence[str] | SharedSchema"
#: "share.schema.table", ("share", "schema", "table"), or an item of a listing.
SharedName: TypeAlias = "str | Sequence[str] | SharedTable"


def schema_parts(schema: SchemaName) -> tuple[str, str]:
    """Return the share and the name of a schema.

    Raises:
        ValueError: There are not two parts.
    """
    match _parts(schema, "share", "name"):
        case [share, name]:
            return share, name
        case _:
            raise ValueError(
                'a schema is named "share.schema", or by a tuple if a part holds a dot, ("a.b",'
                f' "schema"): {schema!r}'
            )


def table_parts(table: SharedName) -> tuple[str, str, str]:
    """Return the share, the schema and the name of a table.

    Raises:
        ValueError: There are not three parts.
    """
    match _parts(table, "share", "schema_", "name"):
        case [share, schema, name]:
            return share, schema, name
        case _:
            raise ValueError(
                'a table is named "share.schema.table", or by a tuple if a part holds a dot,'
                f' ("a.b", "c", "d"): {table!r}'
            )


def _parts(name: object, *members: str) -> list[str]:
    if isinstance(name, str):
        return name.split(".")
    return (
        [*name]
        if isinstance(name, Sequence)
        else [getattr(name, member) for member in members if hasattr(name, member)]
    )
