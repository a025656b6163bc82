"""Shares on the index page: schemas with their tables, and the lines that connect clients."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from urllib.parse import quote

from lakepact.reference_server.http.index_entries import MOST_ENTRIES, MOST_GROUPS, Ask, Group


class SharesIndex:
    """The index entries of shares.

    Args:
        root: the path above all paths.
    """

    def __init__(self, root: str) -> None:
        self._root = root

    async def contents(self, ask: Ask) -> AsyncIterator[Group]:
        """Yield the schemas that the recipient may see."""
        shares = (await ask(f"{self._root}/shares", {"maxResults": str(MOST_GROUPS)})).get(
            "items", []
        )
        for share in shares:
            path = f"{self._root}/shares/{quote(share['name'], safe='')}/all-tables"
            reply = await ask(path, {"maxResults": str(MOST_ENTRIES)})
            schemas: dict[str, list[str]] = defaultdict(list)
            for table in reply.get("items", []):
                schemas[table["schema"]].append(table["name"])
            for schema, tables in schemas.items():
                yield Group(
                    f"{share['name']}.{schema}",
                    {"tables": tuple(tables)},
                    is_whole=not reply.get("nextPageToken"),
                )

    def clients(self, base: str) -> Mapping[str, str]:
        """Return the lines that connect each client with a profile file of `--profiles`."""
        return {
            "curl": f"curl -H 'Authorization: Bearer TOKEN' {base}{self._root}/shares",
            "lakepact": "lakepact ls partner.share",
            "delta-sharing": (
                "import"
                ' delta_sharing\n\ndelta_sharing.load_as_pandas("partner.share#SHARE.SCHEMA.TABLE")'
            ),
            "Spark": 'spark.read.format("deltaSharing").load("partner.share#SHARE.SCHEMA.TABLE")',
            "polars": (
                "from lakepact.client import SharingClient\n\n"
                'SharingClient("partner.share").table("SHARE", "SCHEMA", "TABLE").to_polars()'
            ),
        }
