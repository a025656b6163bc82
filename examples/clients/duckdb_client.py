"""Tasks of `lakepact check-client` for DuckDB and its Iceberg extension.

    lakepact check-client -- python examples/clients/duckdb_client.py

Needs duckdb, and its extensions iceberg, avro and httpfs: from `duckdb-ext-iceberg` and the like, or by INSTALL.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
import time
from functools import cache
from typing import TYPE_CHECKING, Any

import duckdb

if TYPE_CHECKING:
    from collections.abc import Callable

CATALOGS = itertools.count(1)
PROPERTIES = {"token", "credential", "oauth2-server-uri", "warehouse"}


def quoted(name: str) -> str:
    """Return a name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """Return a text as SQL has it."""
    return "'" + value.replace("'", "''") + "'"


def literal(value: Any) -> str:
    """Return a value of JSON as SQL has it."""
    if value is None:
        return "NULL"
    return text(value) if isinstance(value, str) else str(value)


def pairs(values: dict[str, Any], join: str) -> str:
    """Return columns with their values as SQL has them."""
    return join.join(f"{quoted(name)} = {literal(value)}" for name, value in values.items())


@cache
def engine() -> duckdb.DuckDBPyConnection:
    """Return the database that all tasks share: loading its extensions takes longer than a task."""
    connection = duckdb.connect()
    with contextlib.suppress(ImportError):
        import duckdb_ext  # noqa: PLC0415

        duckdb_ext.init(connection)
    for extension in ("avro", "httpfs", "iceberg"):
        connection.execute(f"LOAD {extension}")
    return connection


class Tasks:
    """The tasks, one method each; each task attaches a catalog of its own."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self.catalog = f"checked{next(CATALOGS)}"
        if len(given.get("namespace", ())) > 1 or given["properties"].keys() - PROPERTIES:
            raise NotImplementedError  # ATTACH has neither nested namespaces nor other properties
        self.connection = engine().cursor()
        warehouse = text(given["properties"].get("warehouse", ""))
        self.connection.execute(
            f"ATTACH {warehouse} AS {self.catalog} (TYPE iceberg, ENDPOINT {text(given['uri'])}, {self.authorization(given)})"
        )
        self.schema = f"{self.catalog}.{quoted('.'.join(given.get('namespace', ())))}"
        self.table = f"{self.schema}.{quoted(given.get('table', ''))}"

    def authorization(self, given: dict[str, Any]) -> str:
        """Return the options of ATTACH for a token or a credential."""
        properties = given["properties"]
        if "token" in properties:
            self.connection.execute(
                f"CREATE OR REPLACE SECRET s (TYPE iceberg, TOKEN {text(properties['token'])})"
            )
        elif "credential" in properties:
            identity, _, secret = properties["credential"].rpartition(":")
            uri = properties.get("oauth2-server-uri", f"{given['uri']}/v1/oauth/tokens")
            options = f"CLIENT_ID {text(identity)}, CLIENT_SECRET {text(secret)}, OAUTH2_SERVER_URI {text(uri)}"
            self.connection.execute(f"CREATE OR REPLACE SECRET s (TYPE iceberg, {options})")
        else:
            return "AUTHORIZATION_TYPE 'none', ACCESS_DELEGATION_MODE 'none'"
        return "SECRET s, ACCESS_DELEGATION_MODE 'none'"

    def close(self) -> None:
        """Detach the catalog; an internal error of DuckDB makes the whole database unusable, so the next task gets another one."""
        try:
            self.connection.execute(f"DETACH {self.catalog}")
        except duckdb.Error:
            engine.cache_clear()

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self.connection.execute(statement).fetchall()
        return found

    def list_namespaces(self) -> Any:
        found = self.run("SELECT database_name, schema_name FROM duckdb_schemas()")
        return [[name] for database, name in found if database == self.catalog]

    def create_namespace(self) -> None:
        self.run(f"CREATE SCHEMA {self.schema}")

    def drop_namespace(self) -> None:
        self.run(f"DROP SCHEMA {self.schema}")

    def list_tables(self) -> Any:
        return [name for (name,) in self.run(f"SHOW TABLES FROM {self.schema}")]

    def list_tables_repeatedly(self) -> Any:
        def listed() -> Any:
            try:
                return self.list_tables()
            except duckdb.Error:
                return None

        return self.repeatedly(listed)

    def repeatedly(self, once: Callable[[], Any]) -> list[Any]:
        found = [once()]
        for _ in range(self.given["times"] - 1):
            time.sleep(self.given["pause"])
            found.append(once())
        return found

    def create_table(self) -> None:
        self.run(f"CREATE TABLE {self.table} (id BIGINT NOT NULL, data VARCHAR)")

    def append_rows(self) -> None:
        rows = ", ".join(f"({row['id']}, {literal(row['data'])})" for row in self.given["rows"])
        self.run(f"INSERT INTO {self.table} VALUES {rows}")  # noqa: S608 - names and texts are quoted

    def read_rows(self) -> Any:
        return self.rows_of(self.table)

    def read_rows_where(self) -> Any:
        return self.rows_of(f"{self.table} WHERE {pairs(self.given['where'], ' AND ')}")

    def delete_rows_where(self) -> None:
        self.run(f"DELETE FROM {self.table} WHERE {pairs(self.given['where'], ' AND ')}")  # noqa: S608 - names and texts are quoted

    def update_rows(self) -> None:
        new, where = pairs(self.given["set"], ", "), pairs(self.given["where"], " AND ")
        self.run(f"UPDATE {self.table} SET {new} WHERE {where}")  # noqa: S608 - names and texts are quoted

    def append_and_read(self) -> Any:
        self.append_rows()
        return self.read_rows()

    def change_and_read(self) -> Any:
        for change in self.given["changes"]:
            self.given |= change
            self.update_rows()
        return self.read_rows()

    def commit_transaction(self) -> None:
        self.run("BEGIN")
        for name in self.given["tables"]:
            self.table = f"{self.schema}.{quoted(name)}"
            self.set_properties()
        self.run("COMMIT")

    def rows_of(self, relation: str) -> list[dict[str, Any]]:
        found = self.connection.execute(f"FROM {relation}")
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def rows_at(self, when: str) -> list[dict[str, Any]]:
        return self.rows_of(f"{self.table} AT ({when})")

    def read_rows_at_snapshot(self) -> Any:
        return self.rows_at(f"VERSION => {self.given['snapshot-id']}")

    def read_rows_at_timestamp(self) -> Any:
        return self.rows_at(f"TIMESTAMP => make_timestamp({self.given['timestamp'] * 1000})")

    def list_snapshots(self) -> Any:
        return [
            identifier
            for (identifier,) in self.run(
                f"FROM iceberg_snapshots({self.table}) SELECT snapshot_id"
            )
        ]

    def set_properties(self) -> None:
        updates = ", ".join(
            f"{text(name)}: {text(value)}" for name, value in self.given["updates"].items()
        )
        self.run(f"CALL set_iceberg_table_properties({self.table}, {{{updates}}})")

    def drop_table(self) -> None:
        self.run(f"DROP TABLE {self.table}")


def answered(line: str) -> dict[str, Any]:
    """Return the answer to the task in a line."""
    asked = json.loads(line)
    act = getattr(Tasks, asked["task"].replace("-", "_"), None)
    if act is None:
        return {"not_offered": True}
    try:
        with contextlib.closing(Tasks(asked["arguments"])) as tasks:
            return {"result": act(tasks)}
    except NotImplementedError:
        return {"not_offered": True}
    except Exception as error:  # noqa: BLE001 - reported
        return {"error": {"type": type(error).__name__, "message": str(error)}}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answered(line)), flush=True)  # noqa: T201 - the answer
