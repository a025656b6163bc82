"""Names of columns as the requests of scans write them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lakepact.reference_server.iceberg_rest.documents import INT32, as_text, refusal
from lakepact.reference_server.iceberg_rest.tables.schemas import columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.generated.iceberg_rest.documents import Schema
    from lakepact.reference_server.iceberg_rest.tables.schemas import Column

#: Columns that every table has, though no schema names them.
METADATA_COLUMNS = frozenset(
    {
        "_file",
        "_pos",
        "_deleted",
        "_spec_id",
        "_partition",
        "_row_id",
        "_last_updated_sequence_number",
        "_change_type",
        "_change_ordinal",
        "_commit_snapshot_id",
    }
)


@dataclass(frozen=True, slots=True)
class Names:
    """The columns of a schema by their names."""

    by_id: Mapping[int, Column]
    by_name: Mapping[str, list[Column]]  #: those that share a name if letter case does not count
    case_sensitive: bool

    def column(self, name: str, where: str) -> Column:
        """Return the column of that name.

        Raises:
            Problem: 400, there is none, or there are several.
        """
        matches = self.by_name.get(name if self.case_sensitive else name.casefold())
        if not matches:
            hint = (
                ", and letter case counts"
                if self.case_sensitive and self._in_other_case(name)
                else ""
            )
            raise refusal(where, f"the schema has no column {as_text(name)}{hint}")
        if len(matches) > 1:
            raise refusal(
                where,
                f"{as_text(name)} is the name of {len(matches)} columns if letter case does not count",
            )
        return matches[0]

    def check(self, name: str, where: str) -> None:
        """Refuse a name that can be selected from no table with this schema."""
        if (name if self.case_sensitive else name.casefold()).partition(".")[
            0
        ] not in METADATA_COLUMNS:
            self.column(name, where)

    def _in_other_case(self, name: str) -> bool:
        lower = name.casefold()
        return any(other.casefold() == lower for other in self.by_name)


def names_of(schema: Schema, *, format_version: int, case_sensitive: bool) -> Names:
    """Return the columns of a stored schema."""
    by_id = columns(schema, "/schema", format_version=format_version, ids=INT32)
    by_name: dict[str, list[Column]] = {}
    for column in by_id.values():
        name = column.name if case_sensitive else column.name.casefold()
        by_name.setdefault(name, []).append(column)
    return Names(by_id, by_name, case_sensitive)
