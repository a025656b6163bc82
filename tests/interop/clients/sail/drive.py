"""Steps of Sail, Spark's SQL in Rust, through Spark Connect in one process. Sail writes files to
the warehouse.
"""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Callable

from client_steps import URL, step

os.environ["RUST_LOG"] = "error"
os.environ["SAIL_CATALOG__LIST"] = f'[{{type="iceberg-rest", name="lake", uri="{URL}"}}]'
os.environ["SAIL_CATALOG__DEFAULT_CATALOG"] = "lake"

from pysail.spark import SparkConnectServer  # it reads the environment on import
from pyspark.sql import SparkSession

Rows = list[tuple[object, ...]]

server = SparkConnectServer(port=0)
server.start(background=True)
spark = SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").getOrCreate()
NS = f"sail_{uuid.uuid4().hex[:8]}"
EVENTS, PARTS, COPY, VIEW = (f"{NS}.{name}" for name in ("events", "parts", "copy", "recent"))


def sql(
    name: str,
    text: str,
    rows: Rows | Callable[[Rows], bool] | None = None,
    *,
    fails_anywhere: bool = False,
) -> None:
    """Run one statement and compare its rows."""
    step(
        name,
        lambda: [tuple(row) for row in spark.sql(text).collect()],
        rows,
        fails_anywhere=fails_anywhere,
    )


sql("create database", f"CREATE DATABASE {NS} COMMENT 'made by Sail'")
sql("show databases", "SHOW DATABASES", lambda rows: any(NS in row for row in rows))
sql(
    "create table",
    f"CREATE TABLE {EVENTS} (id BIGINT NOT NULL, name STRING, price DECIMAL(9, 2)) USING iceberg",
)
sql("show tables", f"SHOW TABLES IN {NS}", lambda rows: any("events" in row for row in rows))
sql(
    "describe",
    f"DESCRIBE TABLE {EVENTS}",
    lambda rows: {row[0] for row in rows} >= {"id", "name", "price"},
)
sql(
    "insert",
    f"INSERT INTO {EVENTS} SELECT id, concat('row ', id) AS name, CAST(id AS DECIMAL(9, 2)) AS price FROM range(10)",
)
sql("select", f"SELECT count(*), min(id), max(name) FROM {EVENTS}", [(10, 0, "row 9")])
sql("insert again", f"INSERT INTO {EVENTS} VALUES (100, 'hundred', NULL)")
sql("filter", f"SELECT name FROM {EVENTS} WHERE id = 100", [("hundred",)])
sql(
    "group by",
    f"SELECT id % 2 AS k, count(*) FROM {EVENTS} GROUP BY id % 2 ORDER BY k",
    [(0, 6), (1, 5)],
)
sql(
    "partitioned table",
    f"CREATE TABLE {PARTS} (id BIGINT, d DATE) USING iceberg PARTITIONED BY (d)",
)
sql(
    "partitioned table: insert",
    f"INSERT INTO {PARTS} SELECT id, date_add(DATE'2026-01-01', CAST(id AS INT) % 3) FROM range(9)",
)
sql("partitioned table: select", f"SELECT count(*) FROM {PARTS} WHERE d = DATE'2026-01-02'", [(3,)])
sql("create table as", f"CREATE TABLE {COPY} USING iceberg AS SELECT * FROM {EVENTS}")
sql("create table as: select", f"SELECT count(*) FROM {COPY}", [(11,)])
sql("delete", f"DELETE FROM {EVENTS} WHERE id = 3")
sql(
    "delete: select",
    f"SELECT count(*), sum(CASE WHEN id = 3 THEN 1 ELSE 0 END) FROM {EVENTS}",
    [(10, 0)],
)
sql("overwrite", f"INSERT OVERWRITE {EVENTS} SELECT id, name, price FROM {COPY} WHERE id < 5")
sql("overwrite: select", f"SELECT count(*) FROM {EVENTS}", [(5,)])
sql(
    "alter table: add column", f"ALTER TABLE {EVENTS} ADD COLUMN extra STRING", fails_anywhere=True
)  # this release supports neither
sql("alter table: rename", f"ALTER TABLE {EVENTS} RENAME TO {NS}.other", fails_anywhere=True)
sql("create view", f"CREATE VIEW {VIEW} AS SELECT id FROM {EVENTS}")
sql("create view: select", f"SELECT count(*) FROM {VIEW}", [(5,)])
sql("drop view", f"DROP VIEW {VIEW}")
for table in (COPY, PARTS, EVENTS):
    sql(f"drop table {table.rpartition('.')[2]}", f"DROP TABLE {table}")
sql("drop database", f"DROP DATABASE {NS}")
sql("drop database: show", "SHOW DATABASES", lambda rows: not any(NS in row for row in rows))

sys.stdout.flush()
os._exit(0)  # stopping the engine in order can take a minute
