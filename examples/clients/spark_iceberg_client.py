"""Tasks of `lakepact check-client` for Spark with Iceberg.

    lakepact check-client --timeout 120 -- python examples/clients/spark_iceberg_client.py

Needs pyspark 4.1 and Java 17. SPARK_JARS is the path of iceberg-spark-runtime-4.1_2.13-1.11.0.jar.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import os
import re
import sys
import time
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

CATALOGS = itertools.count(1)
SETTINGS = {
    "spark.jars": os.environ["SPARK_JARS"],
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.log.level": "OFF",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.shuffle.partitions": "1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def started() -> SparkSession:
    """Return the session; each task adds a catalog of its own to it."""
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    builder = SparkSession.builder.master("local[1]").appName("lakepact check-client")
    for key, value in SETTINGS.items():
        builder.config(key, value)
    return builder.getOrCreate()


def quoted(*names: str) -> str:
    """Return a name of several parts as SQL has it."""
    return ".".join("`" + name.replace("`", "``") + "`" for name in names)


def unquoted(name: str) -> list[str]:
    """Return the parts of a name that SQL has quoted where needed."""
    return [
        part.replace("``", "`") if whole.startswith("`") else whole
        for whole, part in re.findall(r"(`((?:[^`]|``)*)`|[^.`]+)", name)
    ]


def text(value: str) -> str:
    """Return a text as SQL has it."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def literal(value: Any) -> str:
    """Return a value of JSON as SQL has it."""
    if value is None:
        return "NULL"
    return text(value) if isinstance(value, str) else str(value)


def columns(values: dict[str, Any], join: str) -> str:
    """Return columns with their values as SQL has them."""
    return join.join(f"{quoted(name)} = {literal(value)}" for name, value in values.items())


def pairs(properties: dict[str, str]) -> str:
    """Return properties as SQL has them."""
    return (
        "(" + ", ".join(f"{text(name)} = {text(value)}" for name, value in properties.items()) + ")"
    )


class Tasks:
    """The tasks, one method each."""

    def __init__(self, spark: SparkSession, given: dict[str, Any]) -> None:
        self.spark = spark
        self.given = given
        self.catalog = f"checked{next(CATALOGS)}"
        spark.conf.set(f"spark.sql.catalog.{self.catalog}", "org.apache.iceberg.spark.SparkCatalog")
        for key, value in {
            "type": "rest",
            "uri": given["uri"],
            "cache-enabled": "false",
            **given["properties"],
        }.items():
            spark.conf.set(f"spark.sql.catalog.{self.catalog}.{key}", value)
        levels = given.get("namespace", ())
        self.namespace = quoted(self.catalog, *levels)
        self.table = quoted(self.catalog, *levels, given.get("table", ""))
        self.view = quoted(self.catalog, *levels, given.get("view", ""))

    def run(self, statement: str) -> list[Any]:
        found: list[Any] = self.spark.sql(statement).collect()
        return found

    def list_namespaces(self) -> Any:
        return [unquoted(row[0]) for row in self.run(f"SHOW NAMESPACES IN {self.catalog}")]

    def list_child_namespaces(self) -> Any:
        return [
            unquoted(row[0])
            for row in self.run(f"SHOW NAMESPACES IN {quoted(self.catalog, *self.given['parent'])}")
        ]

    def namespace_exists(self) -> Any:
        return self.spark.catalog.databaseExists(self.namespace)

    def create_namespace(self) -> None:
        self.run(f"CREATE NAMESPACE {self.namespace}")

    def load_namespace(self) -> Any:
        described = {
            row[0]: row[1] for row in self.run(f"DESCRIBE NAMESPACE EXTENDED {self.namespace}")
        }
        return dict(re.findall(r"\(([^,()]*),([^()]*)\)", described.get("Properties", "")))

    def set_namespace_properties(self) -> None:
        if self.given["updates"]:
            self.run(
                f"ALTER NAMESPACE {self.namespace} SET PROPERTIES {pairs(self.given['updates'])}"
            )
        if self.given["removals"]:
            self.run(
                f"ALTER NAMESPACE {self.namespace} UNSET PROPERTIES ({', '.join(map(text, self.given['removals']))})"
            )

    def drop_namespace(self) -> None:
        self.run(f"DROP NAMESPACE {self.namespace}")

    def list_tables(self) -> Any:
        return [row["tableName"] for row in self.run(f"SHOW TABLES IN {self.namespace}")]

    def list_tables_repeatedly(self) -> Any:
        def listed() -> Any:
            try:
                return self.list_tables()
            except Exception:  # noqa: BLE001 - null stands for a listing that failed
                return None

        return self.repeatedly(listed)

    def repeatedly(self, once: Callable[[], Any]) -> list[Any]:
        found = [once()]
        for _ in range(self.given["times"] - 1):
            time.sleep(self.given["pause"])
            found.append(once())
        return found

    def table_exists(self) -> Any:
        return self.spark.catalog.tableExists(self.table)

    def create_table(self) -> None:
        self.run(f"CREATE TABLE {self.table} (id BIGINT NOT NULL, data STRING) USING iceberg")

    def load_table(self) -> Any:
        loaded = self.spark._jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(  # noqa: SLF001
            self.spark._jsparkSession,  # noqa: SLF001
            self.table,
        )
        current = loaded.currentSnapshot()
        return {
            "uuid": loaded.uuid().toString(),
            "location": loaded.location(),
            "properties": dict(loaded.properties()),
            "snapshot-ids": [snapshot.snapshotId() for snapshot in iterated(loaded.snapshots())],
            "current-snapshot-id": current.snapshotId() if current else None,
        }

    def load_table_repeatedly(self) -> Any:
        return self.repeatedly(self.load_table)

    def set_properties(self) -> None:
        self.run(f"ALTER TABLE {self.table} SET TBLPROPERTIES {pairs(self.given['updates'])}")

    def set_properties_twice(self) -> None:
        for member in ("first", "second"):
            self.run(f"ALTER TABLE {self.table} SET TBLPROPERTIES {pairs(self.given[member])}")

    def add_column(self) -> None:
        self.run(f"ALTER TABLE {self.table} ADD COLUMN {quoted(self.given['column'])} STRING")

    def values(self) -> str:
        """Return the rows of the task as SQL has them."""
        return ", ".join(f"({row['id']}, {literal(row['data'])})" for row in self.given["rows"])

    def append_rows(self, branch: str = "") -> None:
        self.run(f"INSERT INTO {self.table}{branch} VALUES {self.values()}")  # noqa: S608 - names and texts are quoted

    def delete_rows_where(self) -> None:
        self.run(f"DELETE FROM {self.table} WHERE {columns(self.given['where'], ' AND ')}")  # noqa: S608 - names and texts are quoted

    def update_rows(self) -> None:
        new, where = columns(self.given["set"], ", "), columns(self.given["where"], " AND ")
        self.run(f"UPDATE {self.table} SET {new} WHERE {where}")  # noqa: S608 - names and texts are quoted

    def upsert_rows(self) -> None:
        same = " AND ".join(f"t.{quoted(name)} = s.{quoted(name)}" for name in self.given["key"])
        source = f"(SELECT * FROM VALUES {self.values()} AS v(id, data))"  # noqa: S608 - texts are quoted
        self.run(
            f"MERGE INTO {self.table} t USING {source} s ON {same} "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )

    def overwrite_rows(self) -> None:
        self.run(f"INSERT OVERWRITE {self.table} VALUES {self.values()}")  # noqa: S608 - names and texts are quoted

    def append_and_read(self) -> Any:
        self.append_rows()
        return self.read_rows()

    def change_and_read(self) -> Any:
        for change in self.given["changes"]:
            self.given |= change
            self.update_rows()
        return self.read_rows()

    def expire_snapshots(self) -> None:
        name = quoted(*self.given["namespace"], self.given["table"])
        before = dt.datetime.fromtimestamp(self.given["older-than"] / 1000, dt.UTC)
        arguments = f"table => {text(name)}, older_than => TIMESTAMP {text(before.isoformat(' '))}"
        self.run(f"CALL {self.catalog}.system.expire_snapshots({arguments})")

    def read_rows_where(self) -> Any:
        return self.rows_at(f"WHERE {columns(self.given['where'], ' AND ')}")

    def read_rows(self) -> Any:
        return [row.asDict() for row in self.spark.table(self.table).collect()]

    def rows_at(self, when: str) -> list[dict[str, Any]]:
        return [row.asDict() for row in self.run(f"SELECT * FROM {self.table} {when}")]  # noqa: S608 - names are quoted

    def read_rows_at_snapshot(self) -> Any:
        return self.rows_at(f"VERSION AS OF {self.given['snapshot-id']}")

    def read_rows_at_timestamp(self) -> Any:
        return self.rows_at(f"TIMESTAMP AS OF timestamp_millis({self.given['timestamp']})")

    def read_rows_at_ref(self) -> Any:
        return self.rows_at(f"VERSION AS OF {text(self.given['ref'])}")

    def list_snapshots(self) -> Any:
        return [row[0] for row in self.run(f"SELECT snapshot_id FROM {self.table}.snapshots")]  # noqa: S608 - names are quoted

    def append_rows_to_branch(self) -> None:
        self.append_rows(f".{quoted('branch_' + self.given['branch'])}")

    def alter(self, change: str) -> None:
        self.run(f"ALTER TABLE {self.table} {change}")

    def create_branch(self) -> None:
        self.alter(
            f"CREATE BRANCH {quoted(self.given['branch'])} AS OF VERSION {self.given['snapshot-id']}"
        )

    def create_tag(self) -> None:
        self.alter(
            f"CREATE TAG {quoted(self.given['tag'])} AS OF VERSION {self.given['snapshot-id']}"
        )

    def fast_forward_branch(self) -> None:
        name = quoted(*self.given["namespace"], self.given["table"])
        arguments = f"table => {text(name)}, branch => {text(self.given['branch'])}, to => {text(self.given['to'])}"
        self.run(f"CALL {self.catalog}.system.fast_forward({arguments})")

    def drop_branch(self) -> None:
        self.alter(f"DROP BRANCH {quoted(self.given['branch'])}")

    def drop_tag(self) -> None:
        self.alter(f"DROP TAG {quoted(self.given['tag'])}")

    def report_metrics(self) -> None:
        self.read_rows()

    def rename_table(self) -> None:
        self.run(
            f"ALTER TABLE {self.table} RENAME TO {quoted(*self.given['namespace'], self.given['to'])}"
        )

    def drop_table(self) -> None:
        self.run(f"DROP TABLE {self.table}")

    def register_table(self) -> None:
        name = quoted(*self.given["namespace"], self.given["table"])
        arguments = (
            f"table => {text(name)}, metadata_file => {text(self.given['metadata-location'])}"
        )
        self.run(f"CALL {self.catalog}.system.register_table({arguments})")

    def list_views(self) -> Any:
        return [row["viewName"] for row in self.run(f"SHOW VIEWS IN {self.namespace}")]

    def create_view(self) -> None:
        self.run(f"CREATE VIEW {self.view} AS {self.given['sql']}")

    def replace_view(self) -> None:
        self.run(f"CREATE OR REPLACE VIEW {self.view} AS {self.given['sql']}")

    def rename_view(self) -> None:
        self.run(
            f"ALTER VIEW {self.view} RENAME TO {quoted(*self.given['namespace'], self.given['to'])}"
        )

    def drop_view(self) -> None:
        self.run(f"DROP VIEW {self.view}")


def iterated(found: Any) -> Iterable[Any]:
    """Yield the items of an Iterable of Java."""
    iterator = found.iterator()
    while iterator.hasNext():
        yield iterator.next()


def kind(error: Exception) -> str:
    """Return the class of Iceberg's exception that an error of Spark stands for, or its own class."""
    cause = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    name = type(error).__name__
    while cause is not None:
        if cause.getClass().getName().startswith("org.apache.iceberg"):
            name = cause.getClass().getSimpleName()
        cause = cause.getCause()
    return name


def answered(spark: SparkSession, line: str) -> dict[str, Any]:
    """Return the answer to the task in a line."""
    asked = json.loads(line)
    act = getattr(Tasks, asked["task"].replace("-", "_"), None)
    if act is None:
        return {"not_offered": True}
    try:
        return {"result": act(Tasks(spark, asked["arguments"]))}
    except Exception as error:  # noqa: BLE001 - reported
        return {"error": {"type": kind(error), "message": str(error).partition("\n")[0]}}


if __name__ == "__main__":
    session = started()
    for line in sys.stdin:
        print(json.dumps(answered(session, line)), flush=True)  # noqa: T201 - the answer
