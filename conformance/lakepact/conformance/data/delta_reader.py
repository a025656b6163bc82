"""Delta tables read back as a recipient: version by version in both formats, their statistics, and what changed between them."""

from __future__ import annotations

import datetime as dt
import io
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import httpx
import orjson

from lakepact.conformance.data.delta import SHARE
from lakepact.conformance.data.digests import Digest, Figures, digest
from lakepact.conformance.data.findings import Finding, bounded, counted, held, not_offered
from lakepact.conformance.evidence.arrow import pa, pq
from lakepact.conformance.rows import changes, lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakepact.conformance.data.truth import Version, WrittenTable
    from lakepact.conformance.rows.lines import Answer, SharedFile

FORMATS = {"parquet": "responseformat=parquet", "delta": "responseformat=delta;readerfeatures=deletionvectors,columnmapping"}
MILLISECOND = dt.timedelta(milliseconds=1)
INSERTED, DELETED = "insert", "delete"


class Shared:
    """The tables of one share, as a recipient sees them.

    Args:
        url: base address of the server.
        token: of the recipient.
        schema: where the tables are.
    """

    def __init__(self, url: str, token: str, schema: str) -> None:
        self._client = httpx.Client(timeout=120, trust_env=False)
        self._headers = {"Authorization": f"Bearer {token}"}
        self._base = f"{url.rstrip('/')}/shares/{SHARE}/schemas/{schema}/tables"

    def close(self) -> None:
        """Let go of connections."""
        self._client.close()

    def ask(self, table: WrittenTable, version: int, form: str) -> Answer:
        """Return the answer to a query of one version."""
        said = {"delta-sharing-capabilities": FORMATS[form], **self._headers}
        return _understood(self._client.post(f"{self._base}/{table.name}/query", json={"version": version}, headers=said))

    def ask_for_changes(self, table: WrittenTable, version: int) -> Answer:
        """Return the answer to a request for the changes of one version."""
        bounds = {"startingVersion": str(version), "endingVersion": str(version)}
        said = {"delta-sharing-capabilities": FORMATS["parquet"], **self._headers}
        return _understood(self._client.get(f"{self._base}/{table.name}/changes", params=bounds, headers=said))

    def fetch(self, _: SharedFile, url: str) -> bytes:
        """Return a data file."""
        return self._client.get(url).raise_for_status().content


def _understood(reply: httpx.Response) -> Answer:
    return lines.parsed([orjson.loads(line) for line in reply.raise_for_status().content.split(b"\n") if line.strip()])


def verify(shared: Shared, table: WrittenTable) -> Iterator[Finding]:
    """Everything that there is to see of one table, one finding at a time."""
    for version in range(len(table.versions)):
        for form in FORMATS:
            answer = shared.ask(table, version, form)
            if any(file.vector for file in answer.files):
                yield not_offered(table, f"version {version}: rows in {form} format", "files have deletion vectors")
                continue
            yield held(table, version, f"rows in {form} format", _digest(answer, shared.fetch))
            statistics = [file.statistics for file in answer.files]
            if form == "parquet" and all(statistics):
                records = sum(int(one["numRecords"]) for one in statistics if one)
                yield counted(table, f"version {version}: numRecords of all files", table.digests[version].rows, records)
    last = len(table.versions) - 1
    yield from bounded(table, table.versions[last], _figures_of(table, shared.ask(table, last, "parquet")), what="the lines")
    for version in range(1, len(table.versions)):
        yield from _changes(shared, table, version)


def _digest(answer: Answer, fetch: Callable[[SharedFile, str], bytes]) -> Digest:
    return sum((digest([pq.read_table(io.BytesIO(fetch(file, file.url)))]) for file in answer.files), Digest())


def _changes(shared: Shared, table: WrittenTable, version: int) -> Iterator[Finding]:
    """Yield whether the changes of a version are the rows that came and those that went."""
    found = changes.rows(shared.ask_for_changes(table, version), shared.fetch)
    for kind, meant in ((INSERTED, table.inserted(version)), (DELETED, table.deleted(version))):
        rows = [{name: row[name] for name in table.columns.schema.names} for row in found if row["_change_type"] == kind]
        actual = digest([pa.Table.from_pylist(rows, schema=table.columns.schema)])
        yield Finding(table.name, table.door, f"version {version}: changes of kind {kind}", str(_of(meant, table)), str(actual))


def _of(version: Version, table: WrittenTable) -> Digest:
    return version.digest(table.columns)


def _figures_of(table: WrittenTable, answer: Answer) -> dict[str, Figures]:
    """Return the figures of all files together; a column that one of them says nothing of has none."""
    told: dict[str, Figures] = {}
    silent: set[str] = set()
    for file in answer.files:
        said = file.statistics or {}
        for field in table.columns.schema:
            nulls = said.get("nullCount", {}).get(field.name)
            if not isinstance(nulls, int):
                silent.add(field.name)
                continue
            least, greatest = (_value(said.get(end, {}).get(field.name), field.type) for end in ("minValues", "maxValues"))
            if pa.types.is_timestamp(field.type) and greatest is not None:
                greatest += MILLISECOND  # writers may cut times to milliseconds
            told[field.name] = told.get(field.name, Figures()) + Figures(nulls, least, greatest)
    return {name: figures for name, figures in told.items() if name not in silent}


def _value(said: Any, kind: Any) -> Any:
    """Return a value of statistics as the column has it."""
    if said is None:
        return None
    if pa.types.is_decimal(kind):
        return Decimal(str(said))
    if pa.types.is_date(kind):
        return dt.date.fromisoformat(said)
    if pa.types.is_timestamp(kind):
        return dt.datetime.fromisoformat(said)
    return said
