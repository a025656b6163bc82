"""Steps of Spark with Iceberg's runtime, in SQL. Its two catalogs have one address; in `planned`
the server plans the scans.

The arguments are the catalog's address and the jars. Spark writes files to the warehouse.
"""

from __future__ import annotations

import os
import sys
import uuid
from typing import Any

from client_steps import URL, step
from pyspark.sql import SparkSession

ROWS = 2000
TOP = f"spark_{uuid.uuid4().hex[:8]}"
HERE, THERE = f"lake.{TOP}.inner", f"planned.{TOP}.inner"
SALES, SMALL, VIEW, THREE, VARIANT = (
    f"{HERE}.{name}" for name in ("sales", "small", "large", "three", "variant")
)
SETTINGS = {
    "spark.jars": sys.argv[2],
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.log.level": "OFF",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
CATALOG = {
    "type": "rest",
    "uri": URL,
    "cache-enabled": "false",
}  # Spark's own cache would hide the requests


def session() -> SparkSession:
    """Return the session."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master("local[2]").appName("lakepact interop")
    for name, more in (("lake", {}), ("planned", {"scan-planning-mode": "server"})):
        builder.config(f"spark.sql.catalog.{name}", "org.apache.iceberg.spark.SparkCatalog")
        for key, value in {**CATALOG, **more}.items():
            builder.config(f"spark.sql.catalog.{name}.{key}", value)
    for key, value in SETTINGS.items():
        builder.config(key, value)
    return builder.getOrCreate()


spark = session()


def rows(text: str) -> list[tuple[Any, ...]]:
    """Return the rows of a statement."""
    return [tuple(row) for row in spark.sql(text).collect()]


def one(text: str) -> Any:
    """Return the single value of a statement."""
    return rows(text)[0][0]


def does(name: str, *statements: str) -> None:
    """Run a step of several statements."""
    step(name, lambda: [rows(text) for text in statements])


def gives(name: str, text: str, value: Any) -> None:
    """Run a step whose statement must return this value."""
    step(name, lambda: one(text), lambda got: got == value)


def fails(name: str, text: str, *words: str) -> None:
    """Run a step whose statement must fail with one of these messages."""

    def body() -> str:
        try:
            rows(text)
        except Exception as error:  # noqa: BLE001 - Spark has many
            return str(error)
        return "it was not refused"

    step(name, body, lambda message: any(word in message for word in words))


def same(name: str, text: str) -> None:
    """Run a step whose scan must return the same rows, planned by the client and by the server."""

    def both() -> tuple[Any, Any]:
        return one(text.format(HERE)), one(text.format(THERE))

    step(name, both, lambda got: got[0] == got[1])


def newest() -> int:
    """Return the current snapshot of the table of sales."""
    return int(
        one(f"SELECT snapshot_id FROM {SALES}.history ORDER BY made_current_at DESC LIMIT 1")
    )


def namespaces() -> None:
    does(
        "create nested namespace",
        f"CREATE NAMESPACE lake.{TOP} WITH PROPERTIES ('team' = 'lakepact')",
        f"CREATE NAMESPACE {HERE}",
    )
    gives("list nested namespaces", f"SHOW NAMESPACES IN lake.{TOP}", f"{TOP}.inner")
    does("alter namespace", f"ALTER NAMESPACE lake.{TOP} SET PROPERTIES ('tier' = 'gold')")
    step(
        "describe namespace",
        lambda: str(rows(f"DESCRIBE NAMESPACE EXTENDED lake.{TOP}")),
        lambda text: "gold" in text and "lakepact" in text,
    )


def data() -> dict[str, int]:
    """Write and change rows, and return the snapshots for time travel."""
    merge_on_read = ", ".join(
        f"'write.{what}.mode' = 'merge-on-read'" for what in ("delete", "update", "merge")
    )
    does(
        "create partitioned table",
        f"""CREATE TABLE {SALES} (id BIGINT NOT NULL, region STRING, amount INT, price DECIMAL(10, 2), ts TIMESTAMP) USING iceberg
            PARTITIONED BY (region, days(ts), bucket(2, id)) TBLPROPERTIES ('format-version' = '2', {merge_on_read})""",
    )
    does(
        "insert",
        f"""INSERT INTO {SALES} SELECT id, concat('r', id % 3), CAST(id % 100 AS INT), CAST(id % 7 AS DECIMAL(10, 2)),
            TIMESTAMP'2026-01-01' + make_interval(0, 0, 0, CAST(id % 4 AS INT)) FROM range({ROWS})""",
    )
    gives("select", f"SELECT count(*) FROM {SALES}", ROWS)
    count = sum(1 for i in range(ROWS) if i % 3 == 1 and i % 4 >= 1 and i < 1000)
    gives(
        "select with filters",
        f"SELECT count(*) FROM {SALES} WHERE region = 'r1' AND ts >= TIMESTAMP'2026-01-02' AND id < 1000",
        count,
    )
    after_insert = newest()
    does(
        "merge",
        f"""MERGE INTO {SALES} t USING (SELECT id FROM range({ROWS - 50}, {ROWS + 50})) u ON t.id = u.id
            WHEN MATCHED THEN UPDATE SET amount = -1
            WHEN NOT MATCHED THEN INSERT (id, region, amount, price, ts) VALUES (u.id, 'r1', -2, 0, TIMESTAMP'2026-02-01')""",
    )
    gives("merge: updated", f"SELECT count(*) FROM {SALES} WHERE amount = -1", 50)
    gives("merge: inserted", f"SELECT count(*) FROM {SALES}", ROWS + 50)
    after_merge = newest()
    does("update", f"UPDATE {SALES} SET price = 9.99 WHERE id < 10")
    gives("update: select", f"SELECT count(*) FROM {SALES} WHERE price = 9.99", 10)
    does("delete rows", f"DELETE FROM {SALES} WHERE id BETWEEN 10 AND 19")
    gives("delete rows: select", f"SELECT count(*) FROM {SALES}", ROWS + 40)
    does("delete partitions", f"DELETE FROM {SALES} WHERE ts >= TIMESTAMP'2026-02-01'")
    gives("delete partitions: select", f"SELECT count(*) FROM {SALES}", ROWS - 10)
    return {"inserted": after_insert, "merged": after_merge}


def changes() -> None:
    alter = f"ALTER TABLE {SALES}"
    does("add column", f"{alter} ADD COLUMN note STRING COMMENT 'free text' AFTER region")
    does("rename column", f"{alter} RENAME COLUMN note TO remark")
    does("widen column", f"{alter} ALTER COLUMN amount TYPE BIGINT")
    does(
        "nested columns",
        f"{alter} ADD COLUMN extra STRUCT<a: INT>",
        f"{alter} ADD COLUMN extra.b DATE",
        f"{alter} DROP COLUMN extra",
    )
    expected = {"amount": "bigint", "remark": "string"}
    step(
        "describe",
        lambda: {row[0]: row[1] for row in rows(f"DESCRIBE TABLE {SALES}")},
        lambda got: expected.items() <= got.items(),
    )
    does(
        "properties",
        f"{alter} SET TBLPROPERTIES ('a' = '1', 'b' = '2')",
        f"{alter} UNSET TBLPROPERTIES ('b')",
    )
    does(
        "identifier fields and sort order",
        f"{alter} SET IDENTIFIER FIELDS id",
        f"{alter} WRITE ORDERED BY region, id DESC",
    )
    does(
        "add partition field",
        f"{alter} ADD PARTITION FIELD truncate(100, amount) AS amount_hundreds",
    )
    does(
        "replace and drop partition field",
        f"{alter} REPLACE PARTITION FIELD amount_hundreds WITH years(ts)",
        f"{alter} DROP PARTITION FIELD years(ts)",
    )
    does(
        "insert after evolution",
        f"INSERT INTO {SALES} (id, region, amount, price, ts) VALUES (-1, 'r9', 1, 1.00, TIMESTAMP'2026-03-01')",
    )
    gives("insert after evolution: select", f"SELECT count(*), max(remark) FROM {SALES}", ROWS - 9)


def travel(snapshots: dict[str, int]) -> None:
    gives(
        "time travel by snapshot",
        f"SELECT count(*) FROM {SALES} VERSION AS OF {snapshots['inserted']}",
        ROWS,
    )
    moment = one(
        f"SELECT CAST(made_current_at AS STRING) FROM {SALES}.history WHERE snapshot_id = {snapshots['merged']}"
    )
    gives(
        "time travel by time", f"SELECT count(*) FROM {SALES} TIMESTAMP AS OF '{moment}'", ROWS + 50
    )
    does(
        "tag and branch",
        f"ALTER TABLE {SALES} CREATE TAG first AS OF VERSION {snapshots['inserted']}",
        f"ALTER TABLE {SALES} CREATE BRANCH audit",
    )
    does(
        "write to a branch",
        f"INSERT INTO {SALES}.branch_audit (id, region, amount, price, ts) VALUES (-2, 'r9', 1, 1.00, TIMESTAMP'2026-03-01')",
    )
    gives("select from a tag", f"SELECT count(*) FROM {SALES} VERSION AS OF 'first'", ROWS)
    gives("select from a branch", f"SELECT count(*) FROM {SALES} VERSION AS OF 'audit'", ROWS - 8)
    gives("main is as it was", f"SELECT count(*) FROM {SALES}", ROWS - 9)
    does("fast forward", f"CALL lake.system.fast_forward('{TOP}.inner.sales', 'main', 'audit')")
    gives("fast forward: select", f"SELECT count(*) FROM {SALES}", ROWS - 8)
    does(
        "drop branch and tag",
        f"ALTER TABLE {SALES} DROP BRANCH audit",
        f"ALTER TABLE {SALES} DROP TAG first",
    )
    tables = (
        "snapshots",
        "history",
        "files",
        "manifests",
        "partitions",
        "refs",
        "metadata_log_entries",
    )
    step(
        "metadata tables",
        lambda: [one(f"SELECT count(*) FROM {SALES}.{name}") for name in tables],
        all,
    )


def others() -> None:
    does(
        "create table as",
        f"CREATE TABLE {SMALL} USING iceberg AS SELECT id, region FROM {SALES} WHERE id BETWEEN 0 AND 99",
    )
    gives("create table as: select", f"SELECT count(*) FROM {SMALL}", 90)
    does(
        "replace table as",
        f"REPLACE TABLE {SMALL} USING iceberg PARTITIONED BY (region) AS SELECT id, region, 1 AS k FROM {SALES} WHERE id < 5",
    )
    does("create or replace table", f"CREATE OR REPLACE TABLE {SMALL} (id BIGINT) USING iceberg")
    gives("create or replace table: select", f"SELECT count(*) FROM {SMALL}", 0)
    does(
        "rename table",
        f"ALTER TABLE {SMALL} RENAME TO {TOP}.inner.tiny",
        f"SELECT * FROM {HERE}.tiny",
    )
    place = one(
        f"SELECT file FROM {HERE}.tiny.metadata_log_entries ORDER BY timestamp DESC LIMIT 1"
    )
    does(
        "register table",
        f"CALL lake.system.register_table(table => '{TOP}.inner.again', metadata_file => '{place}')",
        f"DROP TABLE {HERE}.again",
    )

    does(
        "create view",
        f"CREATE VIEW {VIEW} (key COMMENT 'the id', region) COMMENT 'large ids' AS SELECT id, region FROM {SALES} WHERE id >= {ROWS - 100}",
    )
    gives("create view: select", f"SELECT count(*) FROM {VIEW}", 100)
    does(
        "replace view",
        f"CREATE OR REPLACE VIEW {VIEW} AS SELECT id AS key FROM {SALES} WHERE id >= {ROWS - 7}",
    )
    gives("replace view: select", f"SELECT count(*) FROM {VIEW}", 7)
    does("alter view", f"ALTER VIEW {VIEW} SET TBLPROPERTIES ('b' = '2')")
    step(
        "properties of a view",
        lambda: dict(rows(f"SHOW TBLPROPERTIES {VIEW}")),
        lambda got: got.get("b") == "2",
    )
    does(
        "rename view",
        f"ALTER VIEW {VIEW} RENAME TO lake.{TOP}.inner.larger",
        f"SELECT * FROM {HERE}.larger",
    )
    does("drop view", f"DROP VIEW {HERE}.larger")
    step("list views", lambda: rows(f"SHOW VIEWS IN {HERE}"), lambda got: got == [])


def version_three() -> None:
    modes = "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read'"
    does(
        "format version 3",
        f"CREATE TABLE {THREE} (id BIGINT, k INT) USING iceberg TBLPROPERTIES ('format-version' = '3', {modes})",
    )
    does(
        "deletion vectors",
        f"INSERT INTO {THREE} SELECT id, CAST(id % 5 AS INT) FROM range(1000)",
        f"DELETE FROM {THREE} WHERE id % 10 = 3",
    )
    gives("deletion vectors: files", f"SELECT max(file_format) FROM {THREE}.delete_files", "PUFFIN")
    gives("row lineage", f"SELECT count(DISTINCT _row_id) FROM {THREE}", 900)
    does(
        "variant",
        f"CREATE TABLE {VARIANT} (id BIGINT, v VARIANT) USING iceberg TBLPROPERTIES ('format-version' = '3')",
    )
    does("variant: insert", f"""INSERT INTO {VARIANT} SELECT 1, parse_json('{{"a": [1, 2]}}')""")
    gives("variant: select", f"SELECT variant_get(v, '$.a[1]', 'int') FROM {VARIANT}", 2)


def plans_of_the_server(snapshots: dict[str, int]) -> None:
    same("planned: filter", "SELECT count(*) FROM {}.sales WHERE region = 'r1' AND id < 1000")
    same("planned: position deletes", "SELECT sum(id) FROM {}.sales")
    same(
        "planned: time travel",
        f"SELECT count(*) FROM {{}}.sales VERSION AS OF {snapshots['inserted']}",
    )
    same(
        "planned: evolved schema",
        "SELECT max(remark), count(*) FROM {}.sales WHERE ts < TIMESTAMP'2026-01-02'",
    )
    same(
        "planned: null, not, in, like",
        "SELECT count(*) FROM {}.sales WHERE remark IS NULL AND NOT (region IN ('r1', 'r2')) AND region LIKE 'r%'",
    )
    same("planned: deletion vectors", "SELECT count(*) FROM {}.three WHERE k = 3")
    table = f"{THERE}.made"
    does(
        "planned: create",
        f"CREATE TABLE {table} (id BIGINT, k INT) USING iceberg TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')",
    )
    does("planned: insert", f"INSERT INTO {table} SELECT id, CAST(id % 5 AS INT) FROM range(1000)")
    does(
        "planned: delete and update",
        f"DELETE FROM {table} WHERE id % 10 = 3",
        f"UPDATE {table} SET k = 9 WHERE id < 100",
    )
    gives("planned: select", f"SELECT count(*) FROM {table} WHERE k = 9", 90)
    does("planned: drop", f"DROP TABLE {table} PURGE")


def upkeep(snapshots: dict[str, int]) -> None:
    name = f"'{TOP}.inner.sales'"
    does("roll back", f"CALL lake.system.rollback_to_snapshot({name}, {snapshots['merged']})")
    gives("roll back: select", f"SELECT count(*) FROM {SALES}", ROWS + 50)
    does(
        "set current snapshot",
        f"CALL lake.system.set_current_snapshot({name}, {snapshots['inserted']})",
    )
    does(
        "rewrite data files",
        f"CALL lake.system.rewrite_data_files(table => {name}, options => map('rewrite-all', 'true'))",
    )
    does(
        "expire snapshots",
        f"CALL lake.system.expire_snapshots(table => {name}, older_than => TIMESTAMP'2100-01-01', retain_last => 1)",
    )
    gives("expire snapshots: left", f"SELECT count(*) FROM {SALES}.snapshots", 1)
    gives("expire snapshots: select", f"SELECT count(*) FROM {SALES}", ROWS)


def end() -> None:
    fails("absent table", f"SELECT * FROM {HERE}.nothing", "TABLE_OR_VIEW_NOT_FOUND")
    fails(
        "existing table",
        f"CREATE TABLE {SALES} (id INT) USING iceberg",
        "TABLE_OR_VIEW_ALREADY_EXISTS",
    )
    fails(
        "table in an absent namespace",
        f"CREATE TABLE lake.{TOP}.nowhere.t (id INT) USING iceberg",
        "SCHEMA_NOT_FOUND",
        "Namespace does not exist",
    )
    fails("existing namespace", f"CREATE NAMESPACE {HERE}", "SCHEMA_ALREADY_EXISTS")
    fails("namespace with tables", f"DROP NAMESPACE {HERE}", "not empty")
    for name in ("sales", "tiny", "three", "variant"):
        does(f"drop {name}, purge", f"DROP TABLE {HERE}.{name} PURGE")
    does("drop namespaces", f"DROP NAMESPACE {HERE}", f"DROP NAMESPACE lake.{TOP}")


namespaces()
snapshots = data()
changes()
travel(snapshots)
others()
version_three()
plans_of_the_server(snapshots)
upkeep(snapshots)
end()
spark.stop()
