"""Steps of DuckDB's extension for Iceberg, which writes files to the warehouse: from CREATE SCHEMA
to DROP SCHEMA.
"""

from __future__ import annotations

import sys
import uuid

import duckdb
import duckdb_ext
from client_steps import URL, step, successes

WAREHOUSE = sys.argv[2]  # this client always names a warehouse
NS = f"duck_{uuid.uuid4().hex[:8]}"
ATTACH = f"""ATTACH '{WAREHOUSE}' AS lake
    (TYPE iceberg, ENDPOINT '{URL}', AUTHORIZATION_TYPE 'none', ACCESS_DELEGATION_MODE 'none')"""
EVENTS, SECOND = f"lake.{NS}.events", f"lake.{NS}.second"

db = duckdb.connect()
duckdb_ext.init(db)
for extension in ("avro", "httpfs", "iceberg"):
    db.load_extension(extension)


def sql(
    name: str,
    text: str,
    rows: list[tuple[object, ...]] | None = None,
    *,
    fails_anywhere: bool = False,
) -> None:
    """Run one statement and compare its rows."""
    step(name, lambda: db.execute(text).fetchall(), rows, fails_anywhere=fails_anywhere)


sql("attach", ATTACH)
sql("create schema", f"CREATE SCHEMA lake.{NS}")
sql(
    "list schemas",
    f"SELECT schema_name FROM duckdb_schemas() WHERE database_name = 'lake' AND schema_name = '{NS}'",
    [(NS,)],
)
sql(
    "create table",
    f"CREATE TABLE {EVENTS} (id BIGINT, name VARCHAR, moment TIMESTAMP, price DECIMAL(9, 2))",
)
sql(
    "list tables",
    f"SELECT table_name FROM duckdb_tables() WHERE database_name = 'lake' AND schema_name = '{NS}'",
    [("events",)],
)
sql(
    "insert",
    f"INSERT INTO {EVENTS} SELECT i, 'row ' || i, TIMESTAMP '2026-01-01' + to_hours(i::INT), i FROM range(10) rows(i)",
)
sql(
    "select",
    f"SELECT count(*), min(id), max(name), sum(price)::INT FROM {EVENTS}",
    [(10, 0, "row 9", 45)],
)
sql("insert again", f"INSERT INTO {EVENTS} VALUES (100, 'hundred', NULL, NULL)")
sql("select again", f"SELECT count(*) FROM {EVENTS}", [(11,)])
sql(
    "describe",
    f"SELECT column_name FROM (DESCRIBE {EVENTS})",
    [("id",), ("name",), ("moment",), ("price",)],
)
sql("snapshots", f"SELECT count(*) FROM iceberg_snapshots({EVENTS})", [(2,)])
sql("metadata", f"SELECT count(*) > 0 FROM iceberg_metadata({EVENTS})", [(True,)])
first = db.execute(
    f"SELECT snapshot_id FROM iceberg_snapshots({EVENTS}) ORDER BY sequence_number"
).fetchone() or (0,)
sql("time travel", f"SELECT count(*) FROM {EVENTS} AT (VERSION => {first[0]})", [(10,)])
sql("filter", f"SELECT name FROM {EVENTS} WHERE id = 3", [("row 3",)])

sql("commit: begin", "BEGIN")
sql("commit: insert", f"INSERT INTO {EVENTS} VALUES (101, 'kept', NULL, NULL)")
sql("commit: commit", "COMMIT")
sql("rollback: begin", "BEGIN")
sql("rollback: insert", f"INSERT INTO {EVENTS} VALUES (102, 'lost', NULL, NULL)")
sql("rollback: rollback", "ROLLBACK")
sql("rollback: select", f"SELECT count(*) FROM {EVENTS}", [(12,)])
sql("two tables: create", f"CREATE TABLE {SECOND} (id BIGINT)")
sql("two tables: begin", "BEGIN")
sql("two tables: insert into one", f"INSERT INTO {EVENTS} VALUES (103, 'both', NULL, NULL)")
sql("two tables: insert into the other", f"INSERT INTO {SECOND} VALUES (1)")
sql("two tables: commit", "COMMIT")
sql(
    "two tables: select",
    f"SELECT (SELECT count(*) FROM {EVENTS}), (SELECT count(*) FROM {SECOND})",
    [(13, 1)],
)
sql("delete", f"DELETE FROM {EVENTS} WHERE id = 3")
sql("delete: select", f"SELECT count(*), count(*) FILTER (id = 3) FROM {EVENTS}", [(12, 0)])
sql("update", f"UPDATE {EVENTS} SET name = 'changed' WHERE id = 4")
sql("update: select", f"SELECT name FROM {EVENTS} WHERE id = 4", [("changed",)])

# Both write files before the table exists, into folders that the server makes on staged creation.
sql("create table as", f"CREATE TABLE lake.{NS}.copy AS SELECT * FROM {EVENTS}")
sql("create table as: select", f"SELECT count(*) FROM lake.{NS}.copy", [(12,)])
sql("create and insert: begin", "BEGIN")
sql("create and insert: create", f"CREATE TABLE lake.{NS}.third (id BIGINT)")
sql("create and insert: insert", f"INSERT INTO lake.{NS}.third VALUES (1)")
sql(
    "create and insert: commit",
    "COMMIT" if "create and insert: insert" in successes else "ROLLBACK",
)

# This release of the extension supports none of these.
sql(
    "alter table: add column", f"ALTER TABLE {EVENTS} ADD COLUMN extra VARCHAR", fails_anywhere=True
)
sql("alter table: rename", f"ALTER TABLE {EVENTS} RENAME TO other", fails_anywhere=True)
sql("create view", f"CREATE VIEW lake.{NS}.v AS SELECT 1 AS one", fails_anywhere=True)
sql(
    "create partitioned table",
    f"CREATE TABLE lake.{NS}.parts (id BIGINT, d DATE) PARTITIONED BY (d)",
    fails_anywhere=True,
)

sql(
    "absent table",
    "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'lake' AND table_name = 'absent'",
    [(0,)],
)
sql("detach", "DETACH lake")
sql("attach again", ATTACH)
sql("attach again: select", f"SELECT count(*) FROM {EVENTS}", [(12,)])
for table in ("events", "second", "third", "copy"):
    sql(f"drop table {table}", f"DROP TABLE lake.{NS}.{table}")
sql("drop schema", f"DROP SCHEMA lake.{NS}")
