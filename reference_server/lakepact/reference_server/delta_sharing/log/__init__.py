"""The log of a Delta table: its versions, the changes of each, and the files of each."""

from __future__ import annotations

from lakepact.reference_server.delta_sharing.log.actions import Commit
from lakepact.reference_server.delta_sharing.log.active_files import ActiveFiles
from lakepact.reference_server.delta_sharing.log.reading import Log, Snapshot
from lakepact.reference_server.delta_sharing.log.refusals import (
    DamagedLog,
    LogError,
    NoSuchVersion,
    NoTable,
    UnsupportedTable,
)

__all__ = [
    "ActiveFiles",
    "Commit",
    "DamagedLog",
    "Log",
    "LogError",
    "NoSuchVersion",
    "NoTable",
    "Snapshot",
    "UnsupportedTable",
]
