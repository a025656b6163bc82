"""Hand-written shared tables, and requests about them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import yaml

from lakepact.reference_server.delta_sharing.formats import file_id
from sample_tables.delta_logs import HEAD, METADATA, Table

TOKENS = {"one": "token-of-one", "two": "token-of-two"}
MIDNIGHT = 1_704_067_200  #: 2024-01-01T00:00:00Z, when tables are made; a version an hour follows


def write_shares(
    folder: Path, tables: list[dict[str, Any]], recipients: dict[str, str], /, **more: Any
) -> Path:
    """Share tables as s.d to recipients, named with their tokens; return the shares file."""
    document = {
        "shares": [{"name": "s", "schemas": [{"name": "d", "tables": tables}]}],
        "recipients": [{"name": name, "bearerToken": token} for name, token in recipients.items()],
        **more,
    }
    file = folder / "shares.yaml"
    file.write_text(yaml.safe_dump(document), encoding="utf-8")
    return file


@dataclass(frozen=True)
class Lines:
    """An answer of JSON lines."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of an answer with status 200."""
        assert self.status == 200, self.body
        assert self.headers["content-type"] == "application/x-ndjson; charset=utf-8"
        assert self.body.endswith(b"}\n")
        return [json.loads(line) for line in self.body[:-1].split(b"\n")]

    @property
    def kinds(self) -> list[str]:
        """The kind of each line."""
        return [kind for line in self.lines for kind in line]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the contents of the lines of a kind."""
        return [line[kind] for line in self.lines if kind in line]

    @property
    def ids(self) -> set[str]:
        """The ids of all files."""
        found = [
            said["id"]
            for line in self.lines
            for said in line.values()
            if "id" in said and "partitionValues" in said
        ]
        found += [
            said["id"]
            for line in self.lines
            for said in line.values()
            if "deltaSingleAction" in said
        ]
        assert len(found) == len(set(found))
        return set(found)

    @property
    def version(self) -> int:
        """The version of the header."""
        return int(self.headers["delta-table-version"])

    @property
    def end(self) -> dict[str, Any]:
        """The endStreamAction, which is the last line."""
        assert self.kinds.count("endStreamAction") == 1
        end: dict[str, Any] = self.lines[-1]["endStreamAction"]
        return end

    @property
    def refusal(self) -> tuple[int, str]:
        """Status and error code of an answer with exactly the contract's error body."""
        document = json.loads(self.body)
        assert (set(document), set(map(type, document.values()))) == (
            {"errorCode", "message"},
            {str},
        )
        return self.status, document["errorCode"]

    @property
    def message(self) -> str:
        """The message of an error answer."""
        return str(json.loads(self.body)["message"])


class SharedTable(Table):
    """A shared table, and requests about it."""

    def __init__(self, folder: Path, name: str, send: Callable[..., Any]) -> None:
        super().__init__(folder)
        self.name = name
        self.send = send

    def commit(self, version: int, *actions: dict[str, Any], at: float | None = None) -> Path:
        """Write a commit, an hour after the previous commit."""
        path = super().commit(version, *actions)
        seconds = MIDNIGHT + 3600 * version if at is None else at
        os.utime(path, (seconds, seconds))
        return path

    def begun(self, *actions: dict[str, Any], **configuration: str) -> SharedTable:
        """Write the first version, and return the table."""
        settings = {name.replace("__", "."): value for name, value in configuration.items()}
        head = (HEAD[0], {"metaData": METADATA | {"configuration": settings}}) if settings else HEAD
        self.commit(0, *head, *actions)
        return self

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str = TOKENS["one"],
        **headers: str,
    ) -> Lines:
        """Send a request about this table."""
        address = f"/delta-sharing/shares/s/schemas/d/tables/{self.name}{path}"
        answer = self.send(method, address, body, Authorization=f"Bearer {token}", **headers)
        return Lines(answer.status, answer.headers, answer.body)

    def version(self, **parameters: Any) -> Lines:
        """Send GET version."""
        return self.ask("GET", f"/version?{urlencode(parameters)}")

    def metadata(self, capabilities: str | None = None, **parameters: Any) -> Lines:
        """Send GET metadata."""
        return self.ask("GET", f"/metadata?{urlencode(parameters)}", **_said(capabilities))

    def query(
        self, capabilities: str | None = None, *, token: str = TOKENS["one"], **body: Any
    ) -> Lines:
        """Send POST query."""
        return self.ask("POST", "/query", body, token=token, **_said(capabilities))

    def changes(
        self, capabilities: str | None = None, *, token: str = TOKENS["one"], **parameters: Any
    ) -> Lines:
        """Send GET changes."""
        return self.ask(
            "GET", f"/changes?{urlencode(parameters)}", token=token, **_said(capabilities)
        )


def _said(capabilities: str | None) -> dict[str, str]:
    return {} if capabilities is None else {"delta_sharing_capabilities": capabilities}


def ids(*paths: str) -> set[str]:
    """Return the ids of files."""
    return {file_id(path) for path in paths}


def hour(hours: float) -> str:
    """Return the time a number of hours after the first version."""
    minutes = round(hours * 60)
    return f"2024-01-01T{minutes // 60:02}:{minutes % 60:02}:00Z"


def milliseconds(version: int) -> int:
    """Return the time of a version."""
    return (MIDNIGHT + 3600 * version) * 1000
