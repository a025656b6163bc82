"""A server with a catalog and a share, and the command `lakepact`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from click.testing import CliRunner
from deltalake import write_deltalake

from lakepact.cli import main
from lakepact.client import IcebergCatalog, pyiceberg_table
from lakepact.reference_server import running
from sample_tables.table_documents import field, partition_field, sort_field, struct

RED = "\x1b[31mred"
SCHEMA = {
    **struct(
        field(1, "id", required=True, doc=f"a key {RED}"),
        field(2, "at", "timestamptz"),
        field(3, "where", struct(field(4, "lat", "double"))),
        field(5, "said", "string"),
    ),
    "identifier-field-ids": [1],
}
SPEC = {"spec-id": 0, "fields": [partition_field(2, "day", "day", **{"field-id": 1000})]}
ORDER = {"order-id": 1, "fields": [sort_field(1)]}
VIEW = {
    "version-id": 1,
    "timestamp-ms": 1_767_225_600_000,
    "schema-id": 0,
    "summary": {},
    "representations": [
        {"type": "sql", "dialect": "spark", "sql": f"SELECT *\nFROM orders -- {RED}"}
    ],
    "default-namespace": ["sales"],
}
SHARES = """
version: 1
shares:
- name: sales
  schemas:
  - name: europe
    tables:
    - {name: orders, location: delta, historyShared: true}
recipients:
- {name: partner, bearerToken: a-token-of-partner}
"""


@dataclass(frozen=True)
class Result:
    """The output and the exit code of the command."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def lakepact(*arguments: str, columns: int | None = None, **environment: str) -> Result:
    """Run the command."""
    result = CliRunner(
        env={"COLUMNS": None if columns is None else str(columns), **environment}
    ).invoke(main, list(arguments))
    return Result(result.exit_code, result.stdout, result.stderr)


@dataclass(frozen=True)
class Place:
    """Addresses of a catalog and a share."""

    url: str
    profile: str
    sharing_url: str
    first_snapshot: str


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("eye")
    (folder / "shares.yaml").write_text(SHARES, "utf-8")
    write_deltalake(folder / "delta", pa.table({"id": [1, 2], "said": ["a", None]}))
    write_deltalake(folder / "delta", pa.table({"id": [3], "said": [RED]}), mode="append")
    with (
        running(
            warehouse=(folder / "warehouse").as_uri(), shares=str(folder / "shares.yaml")
        ) as server,
        IcebergCatalog(server.url) as catalog,
    ):
        catalog.create_namespace("sales")
        catalog.create_namespace(("sales", "a.b"))
        catalog.create_table(
            "sales.orders",
            SCHEMA,
            partition_spec=SPEC,
            write_order=ORDER,
            properties={"comment": RED},
        )
        catalog.create_table((("sales", "a.b"), "empty"), SCHEMA)
        catalog.create_view("sales.recent", SCHEMA, version=VIEW)
        table = pyiceberg_table(catalog, "sales", "orders")
        rows = [
            {
                "id": 1,
                "at": datetime(2026, 5, 1, tzinfo=UTC),
                "where": {"lat": 1.5},
                "said": 'say "hi",\nyou',
            },
            {"id": 2, "at": None, "where": None, "said": RED},
        ]
        table.append(pa.Table.from_pylist(rows, schema=table.schema().as_arrow()))
        first = str(table.current_snapshot().snapshot_id)
        table.append(
            pa.Table.from_pylist([{"id": 3, "said": ""}], schema=table.schema().as_arrow())
        )
        sharing = server.address("delta_sharing")
        profile = folder / "partner.share"
        profile.write_bytes(server.services["delta_sharing"].profiles(sharing)["partner.share"])
        yield Place(server.url, str(profile), sharing, first)
