"""A migration of many tables by eight processes, which edit one shared table too."""

import multiprocessing
from functools import partial

from lakepact.client import IcebergCatalog, Retries
from lakepact.reference_server import Server

SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "int", "required": True}]}


def migrate(catalog: IcebergCatalog, table: str) -> str:
    """The program of one process, which gets a pickled catalog: all edits of a table are made, or none."""
    catalog.change(table).update_column("id", "long").rename_column("id", "order_id").add_column(
        "note", "string"
    ).commit()
    catalog.change("sales.migrated").add_column(table.partition(".")[2], "timestamptz").commit()
    return table


def test_eight_processes_migrate_all_tables(lakepact_server: Server) -> None:
    tables = [f"sales.t{number}" for number in range(16)]
    with IcebergCatalog(lakepact_server.url, retries=Retries(tries=20)) as catalog:
        catalog.create_namespace("sales")
        for table in [*tables, "sales.migrated"]:
            catalog.create_table(table, SCHEMA)

        with multiprocessing.get_context("spawn").Pool(8) as pool:
            assert pool.map(partial(migrate, catalog), tables, 2) == tables

        for table in tables:
            fields = catalog.load_table(table).metadata.current_schema.fields
            assert [(field.name, field.type) for field in fields] == [
                ("order_id", "long"),
                ("note", "string"),
            ]
        migrated = catalog.load_table("sales.migrated").metadata.current_schema.fields
        assert {field.name for field in migrated} == {
            "id",
            *(table.partition(".")[2] for table in tables),
        }
