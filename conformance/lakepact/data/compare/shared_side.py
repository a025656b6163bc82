"""The tables of a share, read as its recipient."""

from __future__ import annotations

import contextlib
import datetime as dt
import tempfile
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import numpy as np
import orjson

from lakepact.conformance.evidence.arrow import Schema, pa, pq
from lakepact.conformance.rows import data_files, deletion_vectors, lines
from lakepact.conformance.rows.lines import Answer, SharedFile
from lakepact.data.compare.delta_side import arrow_schema, layout
from lakepact.data.compare.model import CannotCompare, PinnedTable

CAPABILITIES = (
    "responseformat=delta,parquet;readerfeatures=deletionvectors,columnmapping,timestampntz"
)
ROWS = 65_536  #: of a record batch


class SharedSide:
    """A share, `PROFILE#SHARE`, at its latest versions or those of a time.

    Raises:
        CannotCompare: the profile cannot be read, or has no bearer token.
    """

    def __init__(self, address: str, *, as_of: dt.datetime | None) -> None:
        self._as_of = as_of
        self._file, _, share = address.rpartition("#")
        try:
            profile = orjson.loads(Path(self._file).read_bytes())
            base, token = str(profile["endpoint"]).rstrip("/"), str(profile["bearerToken"])
        except (OSError, ValueError, KeyError, TypeError) as wrong:
            raise CannotCompare(
                f"{self._file} is no profile with endpoint and bearerToken: {type(wrong).__name__}"
            ) from wrong
        self._share, self._base = share, f"{base}/shares/{quote(share, safe='')}"
        headers = {"Authorization": f"Bearer {token}", "delta-sharing-capabilities": CAPABILITIES}
        self._client, self._files = (
            httpx.Client(headers=headers, timeout=120),
            httpx.Client(timeout=120),
        )

    def close(self) -> None:
        """Close connections."""
        self._client.close()
        self._files.close()

    def names(self, _: Sequence[str]) -> Iterator[str]:
        """Yield the names of all tables of the share, with their schemas."""
        page: dict[str, str] = {}
        while True:
            listing = (
                self._client.get(f"{self._base}/all-tables", params=page).raise_for_status().json()
            )
            yield from (
                f"{table['schema']}.{table['name']}" for table in listing.get("items") or ()
            )
            if not listing.get("nextPageToken"):
                return
            page = {"pageToken": listing["nextPageToken"]}

    def table(self, name: str) -> PinnedTable:
        """Return a table with the files of its latest version, or of that of the time."""
        schema, _, table = name.partition(".")
        chosen = {"timestamp": self._as_of.isoformat()} if self._as_of else {}
        url = f"{self._base}/schemas/{quote(schema, safe='')}/tables/{quote(table, safe='')}/query"
        reply = self._client.post(url, json=chosen).raise_for_status()
        answer = lines.parsed(
            [orjson.loads(line) for line in reply.content.split(b"\n") if line.strip()]
        )
        version = reply.headers.get("delta-table-version", "")
        columns = arrow_schema(answer.metadata["schemaString"])
        known = int(version) if version.isdigit() else None
        options = {"profile": self._file, **({"versionAsOf": version} if version else {})}
        properties = answer.metadata.get("configuration") or {}
        return PinnedTable(
            name=name,
            pin=f"version {version or 'unknown'} of {answer.metadata.get('id')}",
            layout=layout(answer.schema, answer.partition_columns, properties, version=known),
            schema=columns,
            batches=lambda: (
                batch for file in answer.files for batch in self._batches(answer, file, columns)
            ),
            frame=lambda session: (
                session.read.format("lakepact").options(**options).load(f"{self._share}.{name}")
            ),
        )

    def _batches(self, answer: Answer, file: SharedFile, columns: Schema) -> Iterator[Any]:
        """Yield the rows of one file that are not deleted."""
        gone = deletion_vectors.gone(file.vector, self._fetch) if file.vector else ()
        lost = np.array(sorted(gone), np.int64)
        start = 0
        with (
            self._stored(file.url) as path,
            pq.ParquetFile(path, coerce_int96_timestamp_unit="us") as stored,
        ):
            for batch in stored.iter_batches(ROWS):
                arrays = [
                    _column(batch, answer, file, field).cast(columns.field(field["name"]).type)
                    for field in answer.fields
                ]
                rows = pa.RecordBatch.from_arrays(arrays, schema=columns)
                kept = np.ones(batch.num_rows, bool)
                kept[lost[(lost >= start) & (lost < start + batch.num_rows)] - start] = False
                start += batch.num_rows
                yield rows if kept.all() else rows.filter(pa.array(kept))

    def _fetch(self, url: str) -> bytes:
        return self._files.get(url).raise_for_status().content

    @contextlib.contextmanager
    def _stored(self, url: str) -> Generator[str]:
        """Yield a temporary file with the content of a URL."""
        with (
            tempfile.NamedTemporaryFile(prefix="lakepact-", suffix=".parquet") as kept,
            self._files.stream("GET", url) as reply,
        ):
            for part in reply.raise_for_status().iter_bytes():
                kept.write(part)
            kept.flush()
            yield kept.name


def _column(batch: Any, answer: Answer, file: SharedFile, field: dict[str, Any]) -> Any:
    if field["name"] in answer.partition_columns:
        return pa.array([data_files.partition_value(answer, file, field)] * batch.num_rows)
    if (
        answer.mapping != "none"
        and isinstance(field["type"], dict)
        and data_files.PHYSICAL in str(field["type"])
    ):
        raise CannotCompare(
            f"the parts of column {field['name']} are mapped to other names, which is not supported for shares"
        )
    name = data_files.physical_name(field) if answer.mapping != "none" else field["name"]
    return batch.column(name) if name in batch.schema.names else pa.nulls(batch.num_rows)
