"""The lab of checks of Delta Sharing clients, which find their server by a profile file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from lakepact.conformance.clients.lab import ClientLab
from lakepact.conformance.evidence.exchanges import Document, Members
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.conformance.fixtures.manifest import Manifest
from lakepact.conformance.fixtures.manifest import read as read_manifest
from lakepact.conformance.judging.expect import excerpt
from lakepact.conformance.programs.program import Ended

#: Arguments of every task: profile, the path of the profile file.
TASKS = {
    "list-tables": "return all tables that are shared, an array of SHARE.SCHEMA.TABLE",
    "read-table": (
        "table: return its rows, an array of objects; with limit that many of them, with where only"
        " those with these values"
    ),
    "read-table-by-names": (
        "names, an array of the names of its share, its schema and the table: return its rows"
    ),
    "read-tables": (
        "tables, an array of objects with table and perhaps version: read one after another with"
        " one client object, and return an array of their rows"
    ),
    "read-table-at-version": "table, version: return the rows of that version",
    "read-table-at-timestamp": (
        "table, timestamp in milliseconds since 1970: return the rows as of that time"
    ),
    "read-metadata": "table: return the names of its columns, an array",
    "read-changes": (
        "table, starting-version, ending-version: return the changed rows, with _change_type and"
        " _commit_version"
    ),
    "table-version": "table: return its version, an integer",
}
ROWS = "unpartitioned"  #: a table with an integer and a word in each of its rows
BY_DIRECTORY = "dir_only"  #: a table that can be read by directory only
PROFILE_VERSION = 1
ADDRESS = "{endpoint}"  #: stands for the address of the server in members of a profile


class SharingClientLab(ClientLab):
    """The lab of one check of Delta Sharing clients."""

    tasks = TASKS
    implicit_requirements = ("DS-CLI-22",)

    @property
    def pack(self) -> Manifest:
        """The fixture pack, which the server shares."""
        manifest: Manifest = self.server.once(
            "the fixture pack", lambda: read_manifest(Path(self.target.parameters["fixtures"]))
        )
        return manifest

    @property
    def token(self) -> str:
        """The bearer token of the server behind the scripted server."""
        return self.target.headers["Authorization"].partition(" ")[2]

    def arguments(self, url: str, arguments: Members) -> Members:
        """Return the arguments of a task, with the path of a new profile that has the check's own
        members.
        """
        endpoint = f"{url}/" if arguments.get("slash") else url
        document = {
            "shareCredentialsVersion": PROFILE_VERSION,
            "endpoint": endpoint,
            "bearerToken": self.token,
        }
        profile = {
            name: value.replace(ADDRESS, url) if isinstance(value, str) else value
            for name, value in arguments.get("profile", {}).items()
        }
        document = {
            name: value for name, value in (document | profile).items() if value is not None
        }
        path = self.pack.folder / f"{self.name()}.share"
        path.write_bytes(orjson.dumps(document))
        return {
            **{
                name: value for name, value in arguments.items() if name not in {"profile", "slash"}
            },
            "profile": str(path),
        }

    def catalogue(self, suffix: str = "") -> dict[str, list[str]]:
        """Return all tables that are shared, as clients name them, by their shares; each name ends
        with a suffix.
        """
        return {
            share["name"]: [
                ".".join(f"{one['name']}{suffix}" for one in (share, schema, table))
                for schema in share["schemas"]
                for table in schema["tables"]
            ]
            for share in self.pack.shares
        }

    def address(self, fixture: str) -> str:
        """Return a table as clients name it."""
        return ".".join(self.pack.tables[fixture].address.values())

    def rows(self, fixture: str) -> list[Document]:
        """Return the rows of a table."""
        rows: list[Document] = self.pack.tables[fixture].last.rows.to_pylist()
        return rows

    def reads(self) -> tuple[str, list[Document]]:
        """Return a table that the client reads from an unchanged server, and its rows.

        Raises:
            StepFailed: the client does not read it.
        """
        table, rows = self.address(ROWS), self.rows(ROWS)
        self.does("read-table", rows, table=table)
        return table, rows


def same_rows(performance: Ended, rows: Sequence[Members], why: str) -> None:
    """Expect these rows as the result of a task, in any order.

    Raises:
        Unmet: the rows differ; `why` names the circumstances.
    """
    expect_rows(performance.result, rows, why)


def expect_rows(actual: Any, rows: Sequence[Members], why: str) -> None:
    """Expect these rows in a result, in any order.

    Raises:
        Unmet: the rows differ; `why` names the circumstances.
    """
    if not isinstance(actual, list) or sorted(map(_canonical, actual)) != sorted(
        map(_canonical, rows)
    ):
        count = f"{len(actual)} rows" if isinstance(actual, list) else excerpt(actual)
        raise Unmet(f"the {len(rows)} rows of the table {why}", count)


def _canonical(row: Any) -> bytes:
    return orjson.dumps(row, option=orjson.OPT_SORT_KEYS, default=str)
