"""A small correct client of Delta Sharing, with one fault for each value of LAKEPACT_FAULT."""

from __future__ import annotations

import base64
import datetime as dt
import http.client
import io
import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pyarrow.parquet as pq
from client_loop import answer_tasks

FAULT = os.environ.get("LAKEPACT_FAULT", "")
KNOWN_VERSION = 2
MOST_PAGES = 100
NEWEST_READER = 3
KNOWN = {"url", "id", "partitionValues", "size", "stats", "expirationTimestamp"}


class Refused(Exception):
    """An error answer, or an answer that the client cannot read."""


class Server:
    """The server of a profile."""

    def __init__(self, profile: dict[str, Any]) -> None:
        if profile["shareCredentialsVersion"] > KNOWN_VERSION and FAULT != "takes-any-profile":
            raise Refused("this profile is of a later version: upgrade the client")
        self.endpoint = (
            profile["endpoint"] if FAULT == "keeps-the-slash" else profile["endpoint"].rstrip("/")
        )
        if "expirationTime" in profile and FAULT == "needs-whole-seconds":
            dt.datetime.strptime(profile["expirationTime"], "%Y-%m-%dT%H:%M:%S%z")
        self.authorization = self.authorization_of(profile)
        self.read_before: dict[str, list[Any]] = {}

    def authorization_of(self, profile: dict[str, Any]) -> str:
        """Return the Authorization that a profile leads to."""
        kind = profile.get("type", "bearer_token")
        if kind == "basic":
            pair = f"{profile['username']}:{profile['password']}"
            return "Basic " + (
                pair
                if FAULT == "leaves-passwords-as-they-are"
                else base64.b64encode(pair.encode()).decode()
            )
        if kind == "bearer_token":
            return f"{'Token' if FAULT == 'another-scheme' else 'Bearer'} {profile['bearerToken']}"
        if FAULT == "sends-client-secrets":
            return f"Bearer {profile['clientSecret']}"
        form = {
            "grant_type": "client_credentials",
            "client_id": profile["clientId"],
            "client_secret": profile["clientSecret"],
        }
        with urllib.request.urlopen(
            profile["tokenEndpoint"], data=urlencode(form).encode(), timeout=20
        ) as answer:
            return f"Bearer {json.loads(answer.read())['access_token']}"

    def ask(self, method: str, path: str, body: Any = None) -> tuple[dict[str, str], bytes]:
        headers = {"Authorization": self.authorization, "Content-Type": "application/json"}
        if FAULT.startswith("asks-for-delta"):
            headers["delta-sharing-capabilities"] = "responseformat=delta"
        if FAULT in {"asks-for-features-it-lacks", "forgets-vectors-with-limits"}:
            features = "readerfeatures=deletionvectors"
            if FAULT == "asks-for-features-it-lacks":
                features += ",timestampntz,columnmapping"
            headers["delta-sharing-capabilities"] = f"responseformat=delta,parquet;{features}"
        if not FAULT.startswith("asks-for-no-end"):
            headers["delta-sharing-capabilities"] = (
                headers.get("delta-sharing-capabilities", "responseformat=parquet")
                + ";includeEndStreamAction=true"
            )
        content = (
            None
            if body is None
            else b""
            if body == {} and FAULT == "sends-nothing"
            else json.dumps(body).encode()
        )
        request = urllib.request.Request(
            self.endpoint + path, data=content, method=method, headers=headers
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            return {name.lower(): value for name, value in answer.headers.items()}, answer.read()

    def items_of(self, path: str) -> list[Any]:
        token, every_item = None, []
        for _ in range(10**6 if FAULT == "never-ends" else MOST_PAGES):
            page = json.loads(
                self.ask(
                    "GET",
                    path + (f"?pageToken={quote(token, safe='')}" if token is not None else ""),
                )[1]
            )
            items = page["items"] if FAULT == "needs-items" else page.get("items") or []
            every_item += items
            following = (
                page.get("nextPageToken")
                if FAULT == "takes-empty-for-a-token"
                else page.get("nextPageToken") or None
            )
            if FAULT == "needs-the-token":
                following = page["nextPageToken"] or None
            if (
                following is None
                or FAULT == "reads-one-page"
                or (FAULT == "stops-at-an-empty-page" and not items)
            ):
                return every_item
            if following == token and FAULT != "never-ends":
                raise Refused("the server repeats itself")
            token = following
        raise Refused("too many pages")


def tables(server: Server) -> list[str]:
    names = []
    for share in server.items_of("/shares"):
        if FAULT == "refuses-long-texts" and len(share.get("displayName", "")) > 1000:
            raise Refused("the name is too long")
        names += [
            f"{t['share']}.{t['schema']}.{t['name']}"
            for t in server.items_of(f"/shares/{quote(share['name'])}/all-tables")
        ]
    return names


def address(table: str | list[str]) -> str:
    """Return the path of a table, which is given by its names or by SHARE.SCHEMA.TABLE."""
    names = (
        table.split(".")
        if isinstance(table, str)
        else ".".join(table).split(".")[-3:]
        if FAULT == "splits-names-at-dots"
        else table
    )
    share, schema, name = (
        quote(part, safe="%" if FAULT == "leaves-percent-signs" else "") for part in names
    )
    return f"/shares/{share}/schemas/{schema}/tables/{name}"


def rows(
    server: Server,
    table: str,
    limit: int | None,
    where: dict[str, Any] | None,
    at: dict[str, Any] | None = None,
) -> list[Any]:
    try:
        lines = lines_of_query(server, table, query_body(limit, where) | (at or {}))
    except urllib.error.HTTPError:
        if FAULT == "takes-refusals-for-nothing":
            return []
        raise
    try:
        table_rows = rows_of(lines, is_limited=limit is not None)
    except urllib.error.HTTPError as refused:
        if refused.code != 403 or FAULT == "queries-once":
            raise
        table_rows = rows_of(lines_of_query(server, table, query_body(limit, where) | (at or {})))
    if where and FAULT != "leaves-predicates-to-the-server":
        table_rows = [
            row
            for row in table_rows
            if all(row[column] == value for column, value in where.items())
        ]
    return (
        table_rows
        if limit is None or FAULT == "leaves-limits-to-the-server"
        else table_rows[:limit]
    )


def lines_of_query(server: Server, table: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the lines of all pages of a query."""
    lines: list[dict[str, Any]] = []
    page: dict[str, Any] = {}
    for _ in range(MOST_PAGES):
        headers, answer = server.ask("POST", f"{address(table)}/query", body | page)
        lines += [json.loads(line) for line in answer.splitlines()]
        end = lines[-1].get("endStreamAction")
        look_at_the_end(end, headers)
        if not (end or {}).get("nextPageToken") or FAULT == "reads-one-page-of-a-query":
            return lines
        page = {"pageToken": end["nextPageToken"]}
    raise Refused("too many pages")


def rows_of(lines: list[dict[str, Any]], *, is_limited: bool = False) -> list[dict[str, Any]]:
    """Return the rows of the files in the lines of an answer."""
    every_row: list[dict[str, Any]] = []
    metadata: dict[str, Any] = {}
    for line in lines:
        if "protocol" in line:
            look_at_protocol(line["protocol"])
        if "metaData" in line:
            metadata = line["metaData"].get("deltaMetadata", line["metaData"])
            if FAULT == "needs-access-modes" and "url" not in line["metaData"].get(
                "accessModes", []
            ):
                raise Refused("no URLs")
            if FAULT == "knows-no-decimals" and "decimal" in metadata["schemaString"]:
                raise Refused("an unknown type")
        if "file" in line:
            every_row += read(line["file"], metadata, is_limited=is_limited)
    if FAULT == "needs-a-file" and not any("file" in line for line in lines):
        raise Refused("no files")
    return every_row


def rows_of_each(server: Server, requests: list[dict[str, Any]]) -> list[list[Any]]:
    """Return the rows of several tables and versions."""
    results = []
    for one in requests:
        at = {"version": one["version"]} if "version" in one else {}
        key = one["table"]
        if FAULT == "remembers-versions":
            key += str(one.get("version", version(server, one["table"])))
        if key not in server.read_before or not FAULT.startswith("remembers"):
            server.read_before[key] = rows(server, one["table"], None, None, at)
        results.append(server.read_before[key])
    return results


def columns(server: Server, table: str) -> list[str]:
    lines = [
        json.loads(line) for line in server.ask("GET", f"{address(table)}/metadata")[1].splitlines()
    ]
    metadata = next(line["metaData"] for line in lines if "metaData" in line)
    if FAULT != "asks-for-delta-and-reads-parquet":
        metadata = metadata.get("deltaMetadata", metadata)
    return [field["name"] for field in json.loads(metadata["schemaString"])["fields"]]


def version(server: Server, table: str) -> int:
    request = urllib.request.Request(
        f"{server.endpoint}{address(table)}/version",
        headers={"Authorization": server.authorization},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        if FAULT == "needs-200" and answer.status != 200:
            raise Refused(str(answer.status))
        name = "Delta-Table-Version"
        return int(
            dict(answer.headers.items())[name]
            if FAULT == "knows-one-case"
            else answer.headers[name]
        )


def changes(server: Server, table: str, first: int, last: int) -> list[dict[str, Any]]:
    query = f"startingVersion={first}&endingVersion={last}"
    headers, answer = server.ask("GET", f"{address(table)}/changes?{query}")
    lines = [json.loads(line) for line in answer.splitlines()]
    if FAULT != "passes-over-errors-of-changes":
        look_at_the_end(lines[-1].get("endStreamAction"), headers)
    change_rows = []
    for line in lines:
        for kind, change in (("add", "insert"), ("remove", "delete"), ("cdf", "")):
            if kind in line and not (FAULT == "forgets-removed-rows" and kind == "remove"):
                columns_of_change = {"_commit_version": line[kind]["version"]} | (
                    {"_change_type": change} if change else {}
                )
                change_rows += [{**row, **columns_of_change} for row in read(line[kind], {})]
    if not change_rows and FAULT == "needs-a-change":
        raise Refused("no changes")
    return change_rows


def query_body(limit: int | None, where: dict[str, Any] | None) -> dict[str, Any]:
    body: dict[str, Any] = {} if limit is None else {"limitHint": limit}
    if where:
        (column, value), *_ = where.items()
        children = [
            {"op": "column", "name": column, "valueType": "long"},
            {"op": "literal", "value": str(value), "valueType": "long"},
        ]
        tree = {"op": "equal", "children": children}
        body |= {"predicateHints": [f"{column} = {value}"], "jsonPredicateHints": json.dumps(tree)}
    return body


def look_at_the_end(end: dict[str, Any] | None, headers: dict[str, str]) -> None:
    has_end = "includeendstreamaction=true" in headers.get("delta-sharing-capabilities", "").lower()
    is_requested = not FAULT.startswith("asks-for-no-end")
    if end is None and (
        (has_end and is_requested and FAULT != "misses-no-end")
        or FAULT == "asks-for-no-end-but-needs-one"
    ):
        raise Refused("the answer is cut")
    if end is not None and end.get("errorMessage") and FAULT != "passes-over-errors":
        raise Refused(end["errorMessage"])


def look_at_protocol(protocol: dict[str, Any]) -> None:
    is_delta = "deltaProtocol" in protocol
    if (
        is_delta
        and not FAULT.startswith("asks-for-delta")
        and FAULT
        not in {"passes-over-formats", "asks-for-features-it-lacks", "forgets-vectors-with-limits"}
    ):
        raise Refused("this was not asked for")
    if not is_delta and FAULT == "asks-for-delta-alone":
        raise Refused("this was not asked for")
    if (
        protocol.get("deltaProtocol", protocol)["minReaderVersion"] > NEWEST_READER
        and FAULT != "reads-any-version"
    ):
        raise Refused("this table needs a later reader: upgrade the client")


def read(
    file: dict[str, Any], metadata: dict[str, Any], *, is_limited: bool = False
) -> list[dict[str, Any]]:
    if FAULT == "knows-every-member" and set(file) - KNOWN:
        raise Refused("an unknown member")
    if FAULT == "needs-stats" or (FAULT == "stats-is-text" and "stats" in file):
        json.loads(file["stats"])
    add = file.get("deltaSingleAction", {}).get("add") or {
        "path": file.get("url"),
        "partitionValues": file.get("partitionValues"),
    }
    try:
        with urllib.request.urlopen(add["path"], timeout=20) as answer:
            file_rows: list[dict[str, Any]] = pq.read_table(io.BytesIO(answer.read())).to_pylist()
    except (OSError, http.client.HTTPException):
        if FAULT == "takes-missing-files-for-empty":
            return []
        raise
    vector = add.get("deletionVector") if FAULT == "forgets-vectors-with-limits" else None
    if vector and not is_limited:
        from lakepact.conformance.rows.deletion_vectors import rows_of_vector  # noqa: PLC0415 - rarely used

        deletions = rows_of_vector(
            vector, lambda url: urllib.request.urlopen(url, timeout=20).read()
        )
        file_rows = [row for place, row in enumerate(file_rows) if place not in deletions]
    types = (
        {field["name"]: field["type"] for field in json.loads(metadata["schemaString"])["fields"]}
        if metadata
        else {}
    )
    values = {
        name: json_value(value, types.get(name, "string"))
        for name, value in (add["partitionValues"] or {}).items()
    }
    return [{**row, **values} for row in file_rows]


def json_value(value: str | None, kind: str) -> Any:
    """Return a partition value as JSON."""
    if not value:
        return None
    if FAULT == "partition-values-are-text":
        return value
    if kind in {"long", "integer", "short", "byte"}:
        return int(value)
    return (
        value == "true"
        if kind == "boolean"
        else float(value)
        if kind in {"float", "double"}
        else value
    )


def at_time(milliseconds: int) -> dict[str, str]:
    """Return the time of a query."""
    when = dt.datetime.fromtimestamp(milliseconds / 1000, dt.UTC)
    return {
        "timestamp": when.strftime("%Y-%m-%d %H:%M:%S")
        if FAULT == "sends-local-times"
        else when.isoformat().replace("+00:00", "Z")
    }


def perform(task: str, arguments: dict[str, Any]) -> Any:
    server = Server(json.loads(Path(arguments["profile"]).read_text()))
    table = arguments.get("names") or arguments.get("table", "")
    match task:
        case "list-tables":
            return tables(server)
        case "read-table" | "read-table-by-names":
            return rows(server, table, arguments.get("limit"), arguments.get("where"))
        case "read-tables":
            return rows_of_each(server, arguments["tables"])
        case "read-table-at-version":
            number = arguments["version"]
            has_version = number or FAULT != "takes-version-0-for-none"
            at: dict[str, Any] = {"version": number} if has_version else {}
            if FAULT == "renews-versions":
                at["includeRefreshToken"] = True
            return rows(server, table, None, None, at)
        case "read-table-at-timestamp":
            return rows(server, table, None, None, at_time(arguments["timestamp"]))
        case "read-metadata":
            return columns(server, table)
        case "read-changes":
            return changes(
                server, table, arguments["starting-version"], arguments["ending-version"]
            )
        case "table-version":
            return version(server, table)
        case _:
            raise NotImplementedError(task)


if __name__ == "__main__":
    answer_tasks(perform)
