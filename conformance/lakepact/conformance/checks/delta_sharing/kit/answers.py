"""The content of answers of this contract, for any operation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

import orjson

from lakepact.conformance.checks.delta_sharing.kit.catalog import CAPABILITIES
from lakepact.conformance.evidence.exchanges import Document, Exchange, Members, Placed, Reply
from lakepact.generated.contract import Contract, OperationId
from lakepact.generated.delta_sharing import op

#: Of the newest version, which has those of all others.
OPERATIONS = Contract("delta_sharing", Contract("delta_sharing").versions[-1]).operations

#: The operations that name a table, with arguments that are valid for every table.
OF_TABLES: dict[OperationId, Document] = {
    op.get_table_version: {},
    op.head_table_version: {},
    op.get_table_metadata: {},
    op.query_table: {"body": {"limitHint": 1}},
    op.query_table_changes: {"starting_version": 0},
    op.generate_temporary_table_credentials: {"body": {}},
}

#: The operations on shares, schemas and tables, with the arguments that name them.
OF_NAMES: dict[OperationId, tuple[str, ...]] = {
    op.get_share: ("share",),
    op.list_schemas: ("share",),
    op.list_all_tables: ("share",),
    op.list_tables: ("share", "schema"),
    **dict.fromkeys(OF_TABLES, ("share", "schema", "table")),
}

JSON_ANSWERS = frozenset(
    {op.list_shares, op.get_share, op.list_schemas, op.list_tables, op.list_all_tables}
)
ANSWERS_IN_LINES = frozenset({op.get_table_metadata, op.query_table, op.query_table_changes})

KINDS = ("protocol", "metaData", "file", "add", "cdf", "remove", "endStreamAction")  #: of lines


def lower(text: str) -> str:
    """Return a name with its ASCII letters in lower case; other letters are not checked."""
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def of_operation(exchange: Exchange) -> bool:
    """Return whether a request was made for an operation by its own method."""
    return (
        exchange.operation is not None and exchange.method == OPERATIONS[exchange.operation].method
    )


def is_answer(exchange: Exchange, operations: frozenset[OperationId]) -> bool:
    """Return whether one of these operations was answered with 200, and not only with the status of
    a query in the background.
    """
    return (
        exchange.operation in operations
        and of_operation(exchange)
        and exchange.status == 200
        and not tells_status(exchange)
    )


def tells_status(exchange: Exchange) -> bool:
    """Return whether a client that accepts queries in the background got a queryStatus line."""
    if not any(
        name.lower() == CAPABILITIES and "asyncquery=true" in value.lower()
        for name, value in exchange.request_headers
    ):
        return False
    return any(isinstance(line, dict) and "queryStatus" in line for line in exchange.lines or ())


def name_in_url(exchange: Exchange, argument: str) -> str | None:
    """Return the share, schema or table that a URL names, decoded."""
    segments = urlsplit(exchange.url).path.split("/")
    before = {"share": "shares", "schema": "schemas", "table": "tables"}[argument]
    if before not in segments or segments.index(before) + 1 >= len(segments):
        return None
    return unquote(segments[segments.index(before) + 1])


def version_of(reply: Reply) -> int | None:
    """Return the version in the header of an answer, if it is one."""
    text: str = reply.headers.get("delta-table-version", "")
    return int(text) if text.isascii() and text.isdigit() else None


def lines_of_kind(lines: tuple[Placed, ...], kind: str) -> Iterator[Placed]:
    """Return the content of the lines of one kind."""
    return (line[kind] for line in lines if isinstance(line.get(kind), Placed))


#: Members of lines that do not depend on the time of the request, and the members that wrap them.
LASTING = frozenset(
    {
        "id",
        "deletionVectorFileId",
        "name",
        "description",
        "format",
        "schemaString",
        "configuration",
        "partitionColumns",
        "numFiles",
    }
    | {
        "partitionValues",
        "size",
        "stats",
        "version",
        "timestamp",
        "storageType",
        "offset",
        "sizeInBytes",
        "cardinality",
        "dataChange",
    }
    | {"minReaderVersion", "minWriterVersion", "readerFeatures"}
)
WRAPPING = frozenset(
    {
        "deltaProtocol",
        "deltaMetadata",
        "deltaSingleAction",
        "add",
        "remove",
        "cdc",
        "deletionVector",
    }
)
OF_THE_TABLE = frozenset({"protocol", "metaData"})
IDS = frozenset({"id", "deletionVectorFileId"})
TEXTS_OF_JSON = frozenset({"stats", "schemaString"})


def lasting(lines: tuple[Placed, ...], *, ids: bool = True) -> list[str]:
    """Return the stable content of an answer: lines in canonical order, without URLs.

    Args:
        lines: the lines.
        ids: whether file ids count, which some servers create again for each answer.
    """
    left_out = {
        kind: frozenset() if ids or kind in OF_THE_TABLE else IDS
        for kind in KINDS
        if kind != "endStreamAction"
    }
    contents = [
        (kind, _lasting(line, without))
        for kind, without in left_out.items()
        for line in lines_of_kind(lines, kind)
    ]
    return sorted(
        orjson.dumps(content, option=orjson.OPT_SORT_KEYS).decode() for content in contents
    )


def _lasting(document: Members, left_out: frozenset[str]) -> Document:
    members = {
        name: _parse(name, value)
        for name, value in document.items()
        if name in LASTING - left_out and value is not None
    }
    wrappers = (
        (name, value)
        for name, value in document.items()
        if name in WRAPPING and isinstance(value, dict)
    )
    return members | {name: _lasting(value, left_out) for name, value in wrappers}


def _parse(name: str, value: Any) -> Any:
    """Return a member, parsed if it is a string of JSON."""
    if name not in TEXTS_OF_JSON or not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


def essence(reply: Reply) -> Any:
    """Return the content of an answer that does not depend on time and form of the request: names,
    versions, and lines about files.
    """
    exchange = reply.exchange
    if exchange.operation in ANSWERS_IN_LINES and reply.status == 200:
        return reply.status, version_of(reply), lasting(reply.lines, ids=False)
    if exchange.operation in JSON_ANSWERS and reply.status == 200:
        items = reply.document.get("items", [reply.document.get("share")])
        names = [
            tuple(lower(str(item.get(m, ""))) for m in ("share", "schema", "name"))
            for item in items or ()
            if isinstance(item, dict)
        ]
        return reply.status, sorted(names)
    return reply.status, version_of(reply)
