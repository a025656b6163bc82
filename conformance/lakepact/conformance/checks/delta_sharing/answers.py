"""What answers of this contract hold, whatever operation they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from lakepact.generated.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakepact.conformance.exchanges import Exchange, Reply

OPERATIONS = Contract("delta_sharing").operations

#: The operations that name a table, and what a body or a query needs to be right whatever the table.
OF_TABLES: dict[str, dict[str, Any]] = {
    "getTableVersion": {},
    "headTableVersion": {},
    "getTableMetadata": {},
    "queryTable": {"body": {"limitHint": 1}},
    "queryTableChanges": {"starting_version": 0},
    "generateTemporaryTableCredentials": {"body": {}},
}

#: The operations that name more and more, with the arguments that name it.
OF_NAMES: dict[str, tuple[str, ...]] = {
    "getShare": ("share",),
    "listSchemas": ("share",),
    "listAllTables": ("share",),
    "listTables": ("share", "schema"),
    **dict.fromkeys(OF_TABLES, ("share", "schema", "table")),
}

JSON_ANSWERS = frozenset({"listShares", "getShare", "listSchemas", "listTables", "listAllTables"})
ANSWERS_IN_LINES = frozenset({"getTableMetadata", "queryTable", "queryTableChanges"})

KINDS = ("protocol", "metaData", "file", "add", "cdf", "remove", "endStreamAction")  #: of lines


def lower(text: str) -> str:
    """A name with its ASCII letters in small: no other case is judged."""
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def of_operation(exchange: Exchange) -> bool:
    """Whether a request was made for an operation by its own method."""
    return exchange.operation is not None and exchange.method == OPERATIONS[exchange.operation].method


def answered(exchange: Exchange, operations: frozenset[str]) -> bool:
    """Whether one of these operations was answered with 200."""
    return exchange.operation in operations and of_operation(exchange) and exchange.status == 200


def asked_for(exchange: Exchange, argument: str) -> str | None:
    """The share, schema or table that a URL names, decoded."""
    segments = urlsplit(exchange.url).path.split("/")
    before = {"share": "shares", "schema": "schemas", "table": "tables"}[argument]
    if before not in segments or segments.index(before) + 1 >= len(segments):
        return None
    return unquote(segments[segments.index(before) + 1])


def version_of(reply: Reply) -> int | None:
    """The version in the header of an answer, if it is one."""
    text: str = reply.headers.get("delta-table-version", "")
    return int(text) if text.isascii() and text.isdigit() else None


def named(lines: tuple[dict[str, Any], ...], kind: str) -> Iterator[dict[str, Any]]:
    """What the lines of one kind hold."""
    return (line[kind] for line in lines if isinstance(line.get(kind), dict))


def essence(reply: Reply) -> Any:
    """What an answer says that does not depend on when and how it was asked for: names, versions, and ids of files."""
    exchange = reply.exchange
    if exchange.operation in ANSWERS_IN_LINES and reply.status == 200:
        ids = [(kind, str(line.get("id"))) for kind in KINDS for line in named(reply.lines, kind)]
        return reply.status, version_of(reply), sorted(ids)
    if exchange.operation in JSON_ANSWERS and reply.status == 200:
        items = reply.document.get("items", [reply.document.get("share")])
        names = [tuple(lower(str(item.get(m, ""))) for m in ("share", "schema", "name")) for item in items or () if isinstance(item, dict)]
        return reply.status, sorted(names)
    return reply.status, version_of(reply)
