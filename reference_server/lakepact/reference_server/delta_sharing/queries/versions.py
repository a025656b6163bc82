"""The version of a table that a request names, and whether it is shared."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from lakepact.reference_server.delta_sharing.histories import History
from lakepact.reference_server.delta_sharing.log.refusals import (
    DamagedLog,
    LogError,
    NoSuchVersion,
    NoTable,
    UnsupportedTable,
)
from lakepact.reference_server.delta_sharing.queries.queries import malformed
from lakepact.reference_server.delta_sharing.queries.timestamps import (
    BadTimestamp,
    not_after,
    not_before,
)
from lakepact.reference_server.delta_sharing.shares import SharedTable
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.service import Rules as ServiceRules

#: A local path in a message: only its last segment is shown.
ABSOLUTE = re.compile(r"(^|[\s'\"])(?:[A-Za-z][A-Za-z0-9+.-]*:)?/[^\s'\"]*/")


def table_name(table: SharedTable) -> str:
    """Return a table as messages call it."""
    return f"the table {table.share}.{table.schema}.{table.name}"


def refusal(table: SharedTable, error: LogError | OSError) -> Problem:
    """Return the message about a failing log: table and log file, without the path."""
    if isinstance(error, NoSuchVersion):
        return malformed(f"{table_name(table)}: {error}")
    if isinstance(error, UnsupportedTable):
        return Problem(400, "UNSUPPORTED_OPERATION", f"{table_name(table)}: {error}")
    if isinstance(error, NoTable):
        return Problem(
            500, "INTERNAL_ERROR", f"{table_name(table)} is shared, but its data is not there"
        )
    if isinstance(error, DamagedLog):
        message = ABSOLUTE.sub(r"\1…/", str(error))
        return Problem(
            500, "INTERNAL_ERROR", f"the log of {table_name(table)} is damaged: {message}"
        )
    return Problem(500, "INTERNAL_ERROR", f"the log of {table_name(table)} cannot be read")


def history_is_shared(table: SharedTable, member: str) -> None:
    """Check that the history of a table is shared.

    Raises:
        Problem: 400, it is not.
    """
    if not table.history_shared:
        raise malformed(
            f"{member}: the history of {table_name(table)} is not shared; ask for its current version"
        )


def version_is_shared(table: SharedTable, version: int) -> None:
    """Check that a version is within the shared history of the table."""
    if version < table.start_version:
        raise malformed(
            f"{table_name(table)} is shared from version {table.start_version} on, and {version} is"
            " before it"
        )


def version_at(log: History, milliseconds: int) -> int:
    """Return the version that was current at a time."""
    return log.at_or_before(milliseconds)


def version_from(log: History, milliseconds: int) -> int:
    """Return the first version that is not older than a time."""
    return log.at_or_after(milliseconds)


class Versions:
    """The versions that requests about one table mean.

    Args:
        table: the table.
        log: its log, which stays as it is while the request is answered.
        rules: the decisions.
    """

    def __init__(self, table: SharedTable, log: History, rules: Rules) -> None:
        self._table, self._log, self._rules = table, log, rules

    def current(self) -> int:
        """Return the newest version.

        Raises:
            Problem: 400, it is not shared.
        """
        newest = self._log.latest()
        self._rules.version_is_shared(self._table, newest)
        return newest

    def point(self, parameters: Mapping[str, Any]) -> int:
        """Return the version that a request asks for; by default the latest one.

        Raises:
            Problem: 400, the version is not shared or malformed.
            NoSuchVersion: the table does not have it.
        """
        if "version" in parameters:
            return self.exactly(parameters["version"], "version")
        if "timestamp" in parameters:
            return self._at(parameters["timestamp"], "timestamp")
        return self.current()

    def start(self, parameters: Mapping[str, Any]) -> int:
        """Return the version that the changes a request asks for start with.

        Raises:
            Problem: it does not say so, or not in a way that can be read, or that version is not
                shared.
            NoSuchVersion: the table does not have it.
        """
        if "startingVersion" in parameters:
            return self.exactly(parameters["startingVersion"], "startingVersion")
        if "startingTimestamp" in parameters:
            return self.since(parameters["startingTimestamp"], "startingTimestamp")
        raise malformed(
            "startingVersion or startingTimestamp is required: it says where the changes start"
        )

    def end(self, parameters: Mapping[str, Any]) -> int:
        """Return the version that the changes a request asks for end with, the newest one if it
        does not say.

        Raises:
            Problem: it cannot be parsed, or is not shared.
            NoSuchVersion: the table does not have it.
        """
        if "endingVersion" in parameters:
            return self.exactly(parameters["endingVersion"], "endingVersion")
        if "endingTimestamp" in parameters:
            return self._at(parameters["endingTimestamp"], "endingTimestamp")
        return self.current()

    def exactly(self, version: int, member: str) -> int:
        """Return a version that a request names, by the member or parameter `member`.

        Raises:
            Problem: it is not shared.
            NoSuchVersion: the table does not have it.
        """
        self._rules.history_is_shared(self._table, member)
        self._rules.version_is_shared(self._table, version)
        self._log.existing(version)
        return version

    def since(self, text: str, member: str) -> int:
        """Return the first shared version that is not older than a time that a request names.

        Raises:
            Problem: that is no time, or the history is not shared.
            NoSuchVersion: all versions are older.
        """
        self._rules.history_is_shared(self._table, member)
        version = self._rules.version_from(
            self._log, self._time(self._rules.not_before, text, member)
        )
        return max(version, min(self._table.start_version, self.current()))

    def _at(self, text: str, member: str) -> int:
        self._rules.history_is_shared(self._table, member)
        version = self._rules.version_at(self._log, self._time(self._rules.not_after, text, member))
        self._rules.version_is_shared(self._table, version)
        return version

    def _time(self, read: Callable[[str], int], text: str, member: str) -> int:
        try:
            milliseconds = read(text)
        except BadTimestamp as bad:
            raise malformed(f"{member}: {bad}") from None
        return milliseconds


class Rules(ServiceRules):
    """Decisions about versions that a fault may replace."""

    not_before = staticmethod(not_before)
    not_after = staticmethod(not_after)
    history_is_shared = staticmethod(history_is_shared)
    version_is_shared = staticmethod(version_is_shared)
    version_at = staticmethod(version_at)
    version_from = staticmethod(version_from)
