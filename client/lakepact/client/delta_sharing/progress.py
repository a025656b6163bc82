"""How far a reading has come."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a read; a file counts once its rows are delivered."""

    files: int
    of_files: int
    bytes: int
    of_bytes: int
    rows: int

    def after(self, size: int, rows: int) -> Progress:
        """Return how far it has come after one more file."""
        return replace(self, files=self.files + 1, bytes=self.bytes + size, rows=self.rows + rows)
