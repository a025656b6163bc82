"""The log of a Delta table: its versions, what each of them changed, and the files that it consists of."""

from __future__ import annotations

from .actions import Commit
from .active_files import ActiveFiles
from .reading import Log, Snapshot
from .refusals import DamagedLog, LogError, NoSuchVersion, NoTable, UnsupportedTable

__all__ = ["ActiveFiles", "Commit", "DamagedLog", "Log", "LogError", "NoSuchVersion", "NoTable", "Snapshot", "UnsupportedTable"]
