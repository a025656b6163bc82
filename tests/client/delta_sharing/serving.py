"""A scripted sharing server, and one interface to the synchronous and the asynchronous client."""

from __future__ import annotations

import asyncio
import inspect
import io
import json
from collections.abc import Iterator
from datetime import date
from typing import Any

import httpx
import pyarrow as pa
import pyarrow.parquet as pq

from lakepact.client import AsyncSharingClient, SharingClient
from lakepact.client.delta_sharing.asynchronous.listing import AsyncListing
from lakepact.client.delta_sharing.asynchronous.table import AsyncTable
from lakepact.client.delta_sharing.lines import DeletionVector
from lakepact.client.delta_sharing.synchronous.listing import Listing
from lakepact.client.delta_sharing.synchronous.table import Table

TOKEN = "planted-Token.0123456789"
SIGNATURE = "planted-Signature.0123456789"
ENDPOINT = "https://sharing.test/prefix"
PROFILE = {"shareCredentialsVersion": 1, "endpoint": f"{ENDPOINT}/", "bearerToken": TOKEN}
PLACE = ("s", "d", "t")
TABLE = "/prefix/shares/s/schemas/d/tables/t"
KINDS = {"sync": SharingClient, "async": AsyncSharingClient}

SCHEMA = {
    "type": "struct",
    "fields": [
        {"name": name, "type": kind, "nullable": True, "metadata": {}}
        for name, kind in (("id", "long"), ("day", "date"))
    ],
}
PROTOCOL = {"protocol": {"minReaderVersion": 1}}
DELTA_PROTOCOL = {
    "protocol": {
        "deltaProtocol": {
            "minReaderVersion": 3,
            "minWriterVersion": 7,
            "readerFeatures": ["deletionVectors"],
        }
    }
}
END = {"endStreamAction": {}}


def metadata(schema: Any = SCHEMA, **members: Any) -> dict[str, Any]:
    defaults = {
        "id": "7",
        "format": {"provider": "parquet"},
        "schemaString": json.dumps(schema),
        "partitionColumns": [],
    }
    return {"metaData": defaults | members}


def delta_metadata(
    schema: Any = SCHEMA, *, around: dict[str, Any] | None = None, **members: Any
) -> dict[str, Any]:
    return {
        "metaData": {"deltaMetadata": metadata(schema, **members)["metaData"], **(around or {})}
    }


def signed(name: str) -> str:
    return f"https://store.test/{name}?X-Amz-Signature={SIGNATURE}"


def file(name: str, kind: str = "file", **members: Any) -> dict[str, Any]:
    return {kind: {"url": signed(name), "id": name, "partitionValues": {}, "size": 1} | members}


def delta_file(
    name: str, action: str = "add", around: dict[str, Any] | None = None, **members: Any
) -> dict[str, Any]:
    file_action = {"path": signed(name), "partitionValues": {}, "size": 1} | members
    return {"file": {"id": name, "deltaSingleAction": {action: file_action}, **(around or {})}}


def lines(*documents: Any, status: int = 200, **headers: str) -> httpx.Response:
    """Return an answer of these lines; bytes are sent unchanged."""
    rows = [
        document if isinstance(document, bytes) else json.dumps(document).encode()
        for document in documents
    ]
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    defaults = {
        "content-type": "application/x-ndjson; charset=utf-8",
        "delta-table-version": "5",
    } | names
    return httpx.Response(status, headers=defaults, content=b"".join(line + b"\n" for line in rows))


#: The first lines of every answer, by response format.
PARQUET = (PROTOCOL, metadata())
DELTA = (DELTA_PROTOCOL, delta_metadata())
DAYS = [date(2024, 1, 1), date(2024, 1, 2), None]
A = {"id": [1, 2, 3], "day": DAYS}
B = {"id": [4, 5, 6], "day": DAYS}


def parquet_file(columns: Any) -> bytes:
    """Return a Parquet file with these columns or this Arrow table."""
    buffer = io.BytesIO()
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), buffer)
    return buffer.getvalue()


def vector_of(vector: DeletionVector) -> dict[str, Any]:
    """Return the deletionVector member of a line."""
    members = {
        "storageType": vector.storage_type,
        "pathOrInlineDv": vector.path_or_inline,
        "offset": vector.offset,
    }
    return members | {"sizeInBytes": vector.size, "cardinality": vector.cardinality}


def ids(files: Any) -> list[str]:
    return [each.id for each in files]


class Desk:
    """A server that answers by method and path, with each answer in turn and the last forever, and
    records requests.
    """

    def __init__(self, **answers: Any) -> None:
        self.answers: dict[str, list[Any]] = {}
        self.requests: list[httpx.Request] = []
        for name, answer in answers.items():
            self.on({"query": f"POST {TABLE}/query"}.get(name, f"GET {TABLE}/{name}"), answer)

    def on(self, name: str, *answers: Any) -> Desk:
        self.answers[name] = [
            each
            for answer in answers
            for each in (answer if isinstance(answer, list) else [answer])
        ]
        return self

    @property
    def carrier(self) -> httpx.MockTransport:
        return httpx.MockTransport(self._answer)

    @property
    def calls(self) -> list[str]:
        return [f"{request.method} {request.url.path}" for request in self.requests]

    @property
    def bodies(self) -> list[Any]:
        return [
            json.loads(request.content) for request in self.requests if request.method == "POST"
        ]

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        name = f"{request.method} {request.url.path}"
        answers = (
            self.answers.get(name)
            or self.answers.get(f"{request.method} {request.url.host}{request.url.path}")
            or [httpx.Response(418)]
        )
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, bytes):
            answer = httpx.Response(200, content=answer)
        if not isinstance(answer, httpx.Response):
            return httpx.Response(200, json=answer)
        # A response belongs to the client that has read it, so each request gets its own.
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)


def desk_of(files: dict[str, bytes], *, head: Any = PARQUET, **more: Any) -> Desk:
    """Return a desk whose table has these files."""
    desk = Desk(
        query=lines(
            *head, *(file(name, size=len(content), **more) for name, content in files.items())
        )
    )
    for name, content in files.items():
        desk.on(f"GET store.test/{name}", content)
    return desk


class Driven:
    """A client, table or answer of either kind, with synchronous methods."""

    def __init__(self, thing: Any, runner: asyncio.Runner) -> None:
        self.thing = thing
        self._runner = runner

    def __getattr__(self, name: str) -> Any:
        member = getattr(self.thing, name)
        if not inspect.isroutine(member):
            return member
        return lambda *args, **kwargs: self.result_of(member(*args, **kwargs))

    def __iter__(self) -> Iterator[Any]:
        if hasattr(self.thing, "__aiter__"):
            return iter(self._runner.run(_items_of(self.thing)))
        return iter(list(self.thing))

    def result_of(self, result: Any) -> Any:
        if inspect.isasyncgen(result):
            return self._runner.run(_items_of(result))
        if inspect.isgenerator(result):
            return list(result)
        if inspect.iscoroutine(result):
            result = self._runner.run(_result(result))
        return (
            Driven(result, self._runner)
            if isinstance(result, (Table, AsyncTable, Listing, AsyncListing))
            else result
        )


async def _result(awaitable: Any) -> Any:
    return await awaitable


async def _items_of(iterator: Any) -> list[Any]:
    return [item async for item in iterator]
