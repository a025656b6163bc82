"""A small correct client of Delta Sharing, with one fault for each value of LAKEPACT_FAULT."""

from __future__ import annotations

import io
import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow.parquet as pq

FAULT = os.environ.get("LAKEPACT_FAULT", "")
KNOWN_VERSION = 1
NEWEST_READER = 3
KNOWN = {"url", "id", "partitionValues", "size", "stats", "expirationTimestamp"}


class Refused(Exception):
    """An error answer, or an answer that the client cannot read."""


class Server:
    """The server of a profile."""

    def __init__(self, profile: dict[str, Any]) -> None:
        if profile["shareCredentialsVersion"] > KNOWN_VERSION and FAULT != "takes-any-profile":
            raise Refused("this profile is of a later version: upgrade the client")
        self.endpoint = profile["endpoint"] if FAULT == "keeps-the-slash" else profile["endpoint"].rstrip("/")
        self.token = profile["bearerToken"]

    def ask(self, method: str, path: str, body: Any = None) -> tuple[dict[str, str], bytes]:
        scheme = "Token" if FAULT == "another-scheme" else "Bearer"
        headers = {"Authorization": f"{scheme} {self.token}", "Content-Type": "application/json"}
        if FAULT.startswith("asks-for-delta"):
            headers["delta-sharing-capabilities"] = "responseformat=delta"
        if not FAULT.startswith("asks-for-no-end"):
            headers["delta-sharing-capabilities"] = (
                headers.get("delta-sharing-capabilities", "responseformat=parquet") + ";includeEndStreamAction=true"
            )
        sent = None if body is None else b"" if body == {} and FAULT == "sends-nothing" else json.dumps(body).encode()
        request = urllib.request.Request(self.endpoint + path, data=sent, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return {name.lower(): value for name, value in answer.headers.items()}, answer.read()

    def listed(self, path: str) -> list[Any]:
        token, found = None, []
        while True:
            page = json.loads(self.ask("GET", path + (f"?pageToken={quote(token, safe='')}" if token is not None else ""))[1])
            found += page["items"] if FAULT == "needs-items" else page.get("items", [])
            token = page.get("nextPageToken") if FAULT == "takes-empty-for-a-token" else page.get("nextPageToken") or None
            if FAULT == "needs-the-token":
                token = page["nextPageToken"] or None
            if token is None:
                return found


def tables(server: Server) -> list[str]:
    found = []
    for share in server.listed("/shares"):
        if FAULT == "refuses-long-texts" and len(share.get("displayName", "")) > 1000:
            raise Refused("the name is too long")
        found += [f"{t['share']}.{t['schema']}.{t['name']}" for t in server.listed(f"/shares/{quote(share['name'])}/all-tables")]
    return found


def rows(server: Server, table: str, limit: int | None, where: dict[str, Any] | None) -> list[dict[str, Any]]:
    share, schema, name = (quote(part) for part in table.split("."))
    try:
        headers, answer = server.ask("POST", f"/shares/{share}/schemas/{schema}/tables/{name}/query", asked(limit, where))
    except urllib.error.HTTPError:
        if FAULT == "takes-refusals-for-nothing":
            return []
        raise
    lines = [json.loads(line) for line in answer.splitlines()]
    look_at_the_end(lines[-1].get("endStreamAction"), headers)
    found: list[dict[str, Any]] = []
    for line in lines:
        if "protocol" in line:
            look_at_protocol(line["protocol"])
        if "metaData" in line and FAULT == "needs-access-modes" and "url" not in line["metaData"].get("accessModes", []):
            raise Refused("no URLs")
        if "file" in line:
            found += read(line["file"])
    if where and FAULT != "leaves-predicates-to-the-server":
        found = [row for row in found if all(row[column] == value for column, value in where.items())]
    return found if limit is None or FAULT == "leaves-limits-to-the-server" else found[:limit]


def asked(limit: int | None, where: dict[str, Any] | None) -> dict[str, Any]:
    body: dict[str, Any] = {} if limit is None else {"limitHint": limit}
    if where:
        (column, value), *_ = where.items()
        children = [{"op": "column", "name": column, "valueType": "long"}, {"op": "literal", "value": str(value), "valueType": "long"}]
        tree = {"op": "equal", "children": children}
        body |= {"predicateHints": [f"{column} = {value}"], "jsonPredicateHints": json.dumps(tree)}
    return body


def look_at_the_end(end: dict[str, Any] | None, headers: dict[str, str]) -> None:
    promised = "includeendstreamaction=true" in headers.get("delta-sharing-capabilities", "").lower()
    asked_for = not FAULT.startswith("asks-for-no-end")
    if end is None and ((promised and asked_for and FAULT != "misses-no-end") or FAULT == "asks-for-no-end-but-needs-one"):
        raise Refused("the answer is cut")
    if end is not None and end.get("errorMessage") and FAULT != "passes-over-errors":
        raise Refused(end["errorMessage"])


def look_at_protocol(protocol: dict[str, Any]) -> None:
    is_delta = "deltaProtocol" in protocol
    if is_delta and not FAULT.startswith("asks-for-delta") and FAULT != "passes-over-formats":
        raise Refused("this was not asked for")
    if not is_delta and FAULT == "asks-for-delta-alone":
        raise Refused("this was not asked for")
    if protocol.get("deltaProtocol", protocol)["minReaderVersion"] > NEWEST_READER and FAULT != "reads-any-version":
        raise Refused("this table needs a later reader: upgrade the client")


def read(file: dict[str, Any]) -> list[dict[str, Any]]:
    if FAULT == "knows-every-member" and set(file) - KNOWN:
        raise Refused("an unknown member")
    single = file.get("deltaSingleAction", {})
    with urllib.request.urlopen(single["add"]["path"] if "add" in single else file["url"], timeout=20) as answer:
        rows: list[dict[str, Any]] = pq.read_table(io.BytesIO(answer.read())).to_pylist()
    return rows


def performed(task: str, given: dict[str, Any]) -> Any:
    server = Server(json.loads(Path(given["profile"]).read_text()))
    if task == "list-tables":
        result: Any = tables(server)
    elif task == "read-table":
        result = rows(server, given["table"], given.get("limit"), given.get("where"))
    else:
        raise NotImplementedError(task)
    return result


def answered(line: str) -> dict[str, Any]:
    """Return the answer to the task in a line."""
    asked = json.loads(line)
    try:
        return {"result": performed(asked["task"], asked["arguments"])}
    except NotImplementedError:
        return {"not_offered": True}
    except Exception as error:  # noqa: BLE001 - reported
        return {"error": {"type": type(error).__name__, "message": str(error)}}


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answered(line)) + "\n")
        sys.stdout.flush()
