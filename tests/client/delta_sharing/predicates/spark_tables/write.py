"""Write the Delta tables beside this file with Apache Spark and delta-spark: `nox -s spark_tables`.

Their statistics are those of a foreign writer: the tests of file skipping read them without Java.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

FOLDER = Path(__file__).parent
PACKAGE = "io.delta:delta-spark_4.1_2.13:4.4.0"
LONG = "x" * 40
#: For each type, the rows of each file as SQL.
VALUES: dict[str, tuple[str, ...]] = {
    "TINYINT": ("1 2", "127", "-128 0", "NULL", "5 NULL", "-1"),
    "SMALLINT": ("300 301", "32767", "-32768 0", "NULL", "-5 NULL", "7"),
    "INT": ("70000 70001", "2147483647", "-2147483648 0", "NULL", "-5 NULL", "16777217"),
    "BIGINT": (
        "5000000000 5",
        "9223372036854775807",
        "-9223372036854775808 0",
        "NULL",
        "9007199254740993 NULL",
        "-7",
    ),
    "FLOAT": (
        "3.4 3.5",
        "'NaN' 1.5 2.7",
        "'-0.0'",
        "0.0 '-Infinity'",
        "7.038531e-26 1e-45",
        "'NaN' NULL",
        "3.4028235e38 16777216",
        "NULL",
    ),
    "DOUBLE": (
        "3.4 3.5",
        "'NaN' 1.5 2.7",
        "'-0.0'",
        "0.0 '-Infinity'",
        "1e-320 1e300",
        "'NaN' NULL",
        "0.1 0.30000000000000004",
        "NULL",
    ),
    "DECIMAL(9,2)": ("1.10 2.20", "-9999999.99", "9999999.99 0", "NULL", "-0.01 NULL", "0.05"),
    "DECIMAL(18,4)": (
        "12345678901234.5678",
        "99999999999999.9999 -1",
        "-99999999999999.9999",
        "NULL",
        "0.0001 NULL",
        "-0.0001",
    ),
    "DECIMAL(38,0)": (
        "12345678901234567890123456789012345678",
        "99999999999999999999999999999999999999 1",
        "-99999999999999999999999999999999999999",
        "NULL",
        "9223372036854775808 NULL",
        "-9223372036854775809 9007199254740993",
    ),
    "DECIMAL(38,30)": (
        "5.000000000000000000000000000001",
        "0.1 99999999.9",
        "-5",
        "NULL",
        "5 NULL",
        "-0.000000000000000000000000000001",
    ),
    "STRING": (
        "'b' 'd'",
        f"'{LONG}a' '{LONG}é'",
        f"'{LONG[:32]}😀😀' '{LONG[:31]}😀y'",
        "'' NULL",
        "'é' '\uff21\uff21' '日本'",
        f"'{'😀' * 33}' 'a' '{LONG[:32]}\uff21\uff21'",
        "NULL",
        f"'{chr(0x10FFFF) * 70}'",
    ),
    "BOOLEAN": ("true", "false", "true false", "NULL", "true NULL", "false NULL"),
    "DATE": (
        "'2024-01-02' '2024-01-04'",
        "'1969-12-31'",
        "'0001-01-01' '1582-10-04'",
        "NULL '1582-10-15'",
        "'+12000-01-01'",
        "'9999-12-31'",
    ),
    "TIMESTAMP": (
        "'2024-01-01 00:00:00.123456Z' '2024-01-01 00:00:00.123999Z'",
        "'1969-12-31 23:59:59.999999Z'",
        "'1969-12-31 23:59:59.998500Z' NULL",
        "'1850-06-01 12:00:00.000001Z'",
        "'9999-12-31 23:59:59.999999Z'",
        "'+12000-01-01 00:00:00Z' '2024-02-01 00:00:00Z'",
        "NULL",
        "'0001-01-03 00:00:00.000001Z'",
    ),
    "BINARY": ("X'00FF' X'01'", "X'FF'", "NULL", "X''"),
}
VALUES["TIMESTAMP_NTZ"] = tuple(values.replace("Z'", "'") for values in VALUES["TIMESTAMP"])
#: The types that a column of each type is widened to.
WIDER = {
    "TINYINT": ("SMALLINT", "INT", "BIGINT", "DOUBLE", "DECIMAL(10,0)", "DECIMAL(12,2)"),
    "SMALLINT": ("INT", "BIGINT", "DOUBLE", "DECIMAL(10,0)", "DECIMAL(12,2)"),
    "INT": ("BIGINT", "DOUBLE", "DECIMAL(10,0)", "DECIMAL(12,2)"),
    "BIGINT": ("DECIMAL(20,0)", "DECIMAL(22,2)"),
    "FLOAT": ("DOUBLE",),
    "DECIMAL(9,2)": ("DECIMAL(18,2)", "DECIMAL(38,4)"),
    "DATE": ("TIMESTAMP_NTZ",),
}
SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.hadoop.parquet.enable.dictionary": "false",
    "spark.hadoop.parquet.column.statistics.enabled": "false",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.databricks.delta.writeChecksumFile.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
}


def session() -> SparkSession:
    """Return a session that writes Delta tables; `SPARK_JARS` names the jars where Ivy finds
    none.
    """
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    jars = (
        {"spark.jars": os.environ["SPARK_JARS"]}
        if "SPARK_JARS" in os.environ
        else {"spark.jars.packages": PACKAGE}
    )
    spark = (
        SparkSession.builder.master("local[1]")
        .config(map=SETTINGS | jars | {"spark.sql.warehouse.dir": tempfile.mkdtemp()})
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


class Tables:
    """Writes tables into a folder, one file for each insertion."""

    def __init__(self, spark: Any, folder: Path) -> None:
        self._spark = spark
        self._folder = folder

    def sql(self, text: str) -> None:
        """Run a statement."""
        self._spark.sql(text).collect()

    def sql_name(self, name: str) -> str:
        """Return a table in SQL."""
        return f"delta.`{self._folder / name}`"

    def create(self, name: str, columns: str, more: str = "", **properties: str) -> None:
        """Create a table with column mapping or other properties."""
        options = ", ".join(
            f"'delta.{key}'='{value}'"
            for key, value in {
                "enableTypeWidening": "true",
                "feature.timestampNtz": "supported",
                **properties,
            }.items()
        )
        self.sql(
            f"CREATE TABLE {self.sql_name(name)} ({columns}) USING delta {more} TBLPROPERTIES ({options})"
        )

    def alter(self, name: str, types: dict[str, str]) -> None:
        """Widen columns, in one version."""
        self.sql(
            f"ALTER TABLE {self.sql_name(name)} ALTER COLUMN {', '.join(f'{column} TYPE {kind}' for column, kind in types.items())}"
        )

    def insert(self, name: str, columns: dict[str, tuple[str, str]]) -> None:
        """Insert one file; a column has a type, and values that stand between spaces."""
        values = {column: _texts(text) for column, (_, text) in columns.items()}
        rows = range(max(map(len, values.values())))
        selects = [
            ", ".join(
                f"CAST({texts[row % len(texts)]} AS {columns[column][0]}) AS {column}"
                for column, texts in values.items()
            )
            for row in rows
        ]
        union = " UNION ALL ".join(f"SELECT {row}" for row in selects)
        self.sql(
            f"INSERT INTO {self.sql_name(name)} ({', '.join(columns)}) SELECT /*+ COALESCE(1) */ * FROM ({union})"
        )

    def every_type(
        self, name: str, groups: dict[str, tuple[str, ...]], count: int | None = None
    ) -> None:
        """Insert a file for each group of values, with all types side by side."""
        for number in range(count or max(map(len, groups.values()))):
            self.insert(
                name,
                {
                    column_of(kind): (kind, values[number % len(values)])
                    for kind, values in groups.items()
                },
            )


def column_of(kind: str, wider: str = "") -> str:
    """Return the name of a column of a type."""
    return "c_" + "_to_".join(
        part.lower().translate(str.maketrans("(,", "__", ")")) for part in (kind, wider) if part
    )


def _texts(text: str) -> list[str]:
    """Return the values that stand between spaces, but not within quotes."""
    texts, is_quoted = [""], False
    for letter in text:
        is_quoted ^= letter == "'"
        if letter == " " and not is_quoted:
            texts.append("")
        else:
            texts[-1] += letter
    return texts


def write(spark: Any, folder: Path) -> None:
    """Write all tables into a folder."""
    tables = Tables(spark, folder)
    declared = ", ".join(f"{column_of(kind)} {kind}" for kind in VALUES)
    tables.create(
        "types",
        f"{declared}, nested STRUCT<a: INT, b: STRING>, list ARRAY<INT>",
        dataSkippingNumIndexedCols="-1",
    )
    tables.every_type("types", VALUES)
    tables.insert(
        "types",
        {
            "nested": ("STRUCT<a: INT, b: STRING>", "NULL named_struct('a',1,'b','x')"),
            "list": ("ARRAY<INT>", "array(1,2)"),
        },
    )
    _in_local_time(spark, tables)
    _widening(tables)
    _column_mapping(tables)
    _partitioned(tables)
    _deletions(tables)
    for path in sorted(folder.rglob("*.crc")):
        path.unlink()


def _in_local_time(spark: Any, tables: Tables) -> None:
    """Statistics in a zone whose offset had seconds until 1883, and short prefixes of texts."""
    spark.conf.set("spark.sql.session.timeZone", "America/Los_Angeles")
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    kinds = {kind: VALUES[kind] for kind in ("TIMESTAMP", "TIMESTAMP_NTZ", "STRING")}
    declared = ", ".join(f"{column_of(kind)} {kind}" for kind in kinds)
    tables.create("local_time", declared, dataSkippingStringPrefixLength="3")
    tables.every_type("local_time", kinds)
    spark.conf.set("spark.sql.session.timeZone", "UTC")


def _widening(tables: Tables) -> None:
    changes = [(kind, wider) for kind, others in WIDER.items() for wider in others]
    tables.create(
        "widened",
        ", ".join(f"{column_of(*change)} {change[0]}" for change in changes),
        dataSkippingNumIndexedCols="-1",
    )
    for number in range(6):
        tables.insert(
            "widened",
            {column_of(*change): (change[0], _group(change[0], number)) for change in changes},
        )
    tables.alter("widened", {column_of(*change): change[1] for change in changes})
    for number in range(2):
        tables.insert(
            "widened",
            {column_of(*change): (change[1], _group(change[1], number)) for change in changes},
        )


def _group(kind: str, number: int) -> str:
    choices = [group for group in VALUES.get(kind, ("1 3", "1000", "NULL")) if "12000" not in group]
    return choices[number % len(choices)]


def _column_mapping(tables: Tables) -> None:
    properties = {"columnMapping.mode": "name", "randomizeFilePrefixes": "true"}
    tables.create(
        "mapped",
        "c_id INT, c_at TIMESTAMP_NTZ, c_part STRING",
        "PARTITIONED BY (c_part)",
        **properties,
    )
    for number, part in enumerate(("'a b'", "''", "NULL", "'x/y%z=1'")):
        at = VALUES["TIMESTAMP_NTZ"][number % 3]
        tables.insert(
            "mapped",
            {
                "c_id": ("INT", f"{number} NULL"),
                "c_at": ("TIMESTAMP_NTZ", at),
                "c_part": ("STRING", part),
            },
        )
    for old, new in (("c_id", "c_number"), ("c_at", "c_id"), ("c_part", "c_at")):
        tables.sql(f"ALTER TABLE {tables.sql_name('mapped')} RENAME COLUMN {old} TO {new}")
    tables.sql(f"ALTER TABLE {tables.sql_name('mapped')} ADD COLUMNS (c_late DOUBLE)")
    tables.insert(
        "mapped",
        {
            "c_number": ("INT", "9"),
            "c_id": ("TIMESTAMP_NTZ", "NULL"),
            "c_at": ("STRING", "'é'"),
            "c_late": ("DOUBLE", "1.5"),
        },
    )


def _partitioned(tables: Tables) -> None:
    """A table partitioned by a column of each type, and one by columns that were widened; each row
    is a file.
    """
    values = {
        kind: _texts_of_years_of_readers(groups)
        for kind, groups in VALUES.items()
        if kind not in {"BINARY", "DECIMAL(38,30)"}
    }
    _partition(tables, "partitioned", values)
    wider = {
        "INT": "BIGINT",
        "FLOAT": "DOUBLE",
        "DATE": "TIMESTAMP_NTZ",
        "DECIMAL(9,2)": "DECIMAL(18,4)",
    }
    _partition(tables, "partitioned_widened", {kind: values[kind] for kind in wider}, widens="true")
    tables.alter("partitioned_widened", {column_of(kind): wide for kind, wide in wider.items()})


def _partition(
    tables: Tables, name: str, values: dict[str, list[str]], *, widens: str = "false"
) -> None:
    declared = ", ".join(f"{column_of(kind)} {kind}" for kind in values)
    by = ", ".join(map(column_of, values))
    tables.create(
        name,
        f"row INT, {declared}",
        f"PARTITIONED BY ({by})",
        randomizeFilePrefixes="true",
        enableTypeWidening=widens,
    )
    tables.insert(
        name,
        {
            "row": ("INT", "1"),
            **{column_of(kind): (kind, " ".join(literals)) for kind, literals in values.items()},
        },
    )


def _texts_of_years_of_readers(groups: tuple[str, ...]) -> list[str]:
    """Return the values up to the year 9999, which partition values of readers end at."""
    return list(
        dict.fromkeys(text for group in groups for text in _texts(group) if "12000" not in text)
    )


def _deletions(tables: Tables) -> None:
    """Deletion vectors, with statistics of before the deletion."""
    tables.create("deleted", "c_id INT, c_at TIMESTAMP, c_real FLOAT", enableDeletionVectors="true")
    for number in range(3):
        ids = " ".join(
            "NULL" if (number + each) % 4 == 0 else str(number * 10 + each) for each in range(5)
        )
        columns = {
            "c_id": ("INT", ids),
            "c_at": ("TIMESTAMP", VALUES["TIMESTAMP"][number]),
            "c_real": ("FLOAT", VALUES["FLOAT"][number]),
        }
        tables.insert("deleted", columns)
    tables.sql(f"DELETE FROM {tables.sql_name('deleted')} WHERE c_id IN (1, 4, 14, 20, 21, 22)")


if __name__ == "__main__":
    for old in FOLDER.glob("*/_delta_log"):
        shutil.rmtree(old.parent)
    write(session(), FOLDER)
