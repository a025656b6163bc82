"""The catalog on the index page: namespaces with their tables and views, and the lines that connect
clients.
"""

from __future__ import annotations

import json
import shlex
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from lakepact.reference_server.http.index_entries import (
    MOST_ENTRIES,
    MOST_GROUPS,
    Ask,
    Group,
    NotListed,
)
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR

SPARK_RUNTIME = "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0"
PAGE = {"pageToken": "", "pageSize": str(MOST_ENTRIES)}


class CatalogIndex:
    """The index entries of some catalogs.

    Args:
        root: the path above all paths.
        prefixes: the prefix of each catalog in paths.
        warehouse: the name that clients pass as warehouse; empty if they need none.
        needs_token: whether callers are authenticated.
    """

    def __init__(
        self, root: str, prefixes: Sequence[str], *, warehouse: str, needs_token: bool
    ) -> None:
        self._root = root
        self._prefixes = prefixes
        self._warehouse = warehouse
        self._needs_token = needs_token

    async def contents(self, ask: Ask) -> AsyncIterator[Group]:
        """Yield the namespaces that the caller may see."""
        for prefix in self._prefixes:
            base = f"{self._root}/v1/{prefix}" if prefix else f"{self._root}/v1"
            async for group in _namespaces(
                base, f"{prefix}: " if len(self._prefixes) > 1 else "", ask
            ):
                yield group

    def clients(self, base: str) -> Mapping[str, str]:
        """Return the lines that connect each client."""
        uri, warehouse = base + self._root, self._warehouse
        spark = {"type": "rest", "uri": uri, **({"warehouse": warehouse} if warehouse else {})}
        token = {"token": "TOKEN"} if self._needs_token else {}
        spark_options = " ".join(
            f"\\\n  --conf {shlex.quote(f'spark.sql.catalog.lake.{key}={value}')}"
            for key, value in {**spark, **token}.items()
        )
        python = "".join(
            f", {key}={json.dumps(value)}" for key, value in {**spark, **token}.items()
        )
        bearer = " -H 'Authorization: Bearer TOKEN'" if token else ""
        query = f"?warehouse={quote(warehouse, safe='')}" if warehouse else ""
        authorization = "TOKEN 'TOKEN'" if token else "AUTHORIZATION_TYPE 'none'"
        trino_token = (
            "iceberg.rest-catalog.security=OAUTH2\niceberg.rest-catalog.oauth2.token=TOKEN\n"
            if token
            else ""
        )
        return {
            "curl": f"curl{bearer} {shlex.quote(f'{uri}/v1/config{query}')}",
            "lakepact": f"lakepact ls {uri}{' --token-env TOKEN' if token else ''}",
            "pyiceberg": (
                "from pyiceberg.catalog import load_catalog\n\ncatalog ="
                f' load_catalog("lake"{python})'
            ),
            "Spark": (
                f"spark-sql --packages {SPARK_RUNTIME} \\\n  --conf"
                " spark.sql.catalog.lake=org.apache.iceberg.spark.SparkCatalog " + spark_options
            ),
            "DuckDB": (
                f"INSTALL iceberg; LOAD iceberg;\nATTACH {_sql(warehouse)} AS lake (TYPE iceberg,"
                f" ENDPOINT {_sql(uri)}, {authorization});"
            ),
            "Trino": (
                f"connector.name=iceberg\niceberg.catalog.type=rest\niceberg.rest-catalog.uri={uri}\n"
                + (f"iceberg.rest-catalog.warehouse={warehouse}\n" if warehouse else "")
                + trino_token
            ),
        }


async def _namespaces(base: str, title: str, ask: Ask) -> AsyncIterator[Group]:
    """Yield the namespaces of one catalog, parents before children."""
    waiting: deque[list[str]] = deque([[]])
    count = 0
    while waiting:
        parent = waiting.popleft()
        if parent:
            count += 1
            yield await _namespace(base, title, parent, ask)
        if count >= MOST_GROUPS:
            return
        try:
            inside = await ask(
                f"{base}/namespaces",
                {**PAGE, **({"parent": SEPARATOR.join(parent)} if parent else {})},
            )
        except NotListed:
            if not parent:
                raise
            continue  # a catalog whose namespaces have one level
        waiting.extend(levels for levels in inside["namespaces"] if len(levels) > len(parent))


async def _namespace(base: str, title: str, levels: list[str], ask: Ask) -> Group:
    entries: dict[str, tuple[str, ...]] = {}
    is_whole = True
    for kind in ("tables", "views"):
        try:
            reply: dict[str, Any] = await ask(
                f"{base}/namespaces/{quote(SEPARATOR.join(levels), safe='')}/{kind}", PAGE
            )
        except NotListed:
            continue
        entries[kind] = tuple(entry["name"] for entry in reply["identifiers"])
        is_whole = is_whole and not reply.get("next-page-token")
    return Group(title + ".".join(levels), entries, is_whole)


def _sql(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
