"""Errors of a log: no table, an unknown version, damage, or a feature that this server does not
support.
"""

from __future__ import annotations


class LogError(Exception):
    """The log of a table gives no answer; the message says why, and names the file if one is to
    blame.
    """


class NoTable(LogError):
    """The folder holds no Delta table."""


class NoSuchVersion(LogError):
    """The table does not have that version: not yet, not any more, or not at that time."""


class DamagedLog(LogError):
    """The content of the log is not a Delta log."""


class UnsupportedTable(LogError):
    """The table needs a reader feature that this server does not know."""
