"""Landing by the writers that Spark has for Iceberg and Delta: executors read and write; rows of the same run are replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from lakepact.conformance.campaign.engines.spark import Spark, cause, hadoop
from lakepact.conformance.campaign.errors import CannotLand
from lakepact.data.campaigns import RUN, TABLES, Kept, Landed

Write = Callable[[Any, Kept], None]  #: stores the rows of a frame in place of those of the run

CATALOG = "lakepact_landing"
#: Settings with which Spark has to start, by format.
SETTINGS = {
    "iceberg": (),
    "delta": (
        "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog",
    ),
}
ADVICE = "Spark needs the jar of the format: --conf spark.jars.packages=…"


def in_catalog(engine: Spark, url: str, namespace: str, *, properties: Mapping[str, str]) -> Write:
    """Return what stores tables in an Iceberg catalog over REST.

    Args:
        engine: with the jar of Iceberg.
        url: address of the catalog.
        namespace: of the tables; created if it does not exist.
        properties: further properties of the catalog, such as `token` and `warehouse`.
    """
    settings = {"": "org.apache.iceberg.spark.SparkCatalog", ".type": "rest", ".uri": url}
    for name, value in (
        settings | {f".{name}": value for name, value in properties.items()}
    ).items():
        engine.session.conf.set(f"spark.sql.catalog.{CATALOG}{name}", value)

    def write(frame: Any, kept: Kept) -> None:
        engine.session.sql(f"CREATE NAMESPACE IF NOT EXISTS {CATALOG}.`{namespace}`")
        name = f"{CATALOG}.`{namespace}`.`{kept.name}`"
        if engine.session.catalog.tableExists(name):
            frame.writeTo(name).overwrite(
                import_module("pyspark.sql").functions.col(RUN) == kept.run_id
            )
        else:
            frame.writeTo(name).create()

    return write


def in_folder(folder: Path) -> Write:
    """Return what stores tables in a folder, each as a Delta table of its own."""

    def write(frame: Any, kept: Kept) -> None:
        replacing = {"replaceWhere": f"{RUN} = '{kept.run_id}'", "mergeSchema": "true"}
        frame.write.format("delta").mode("overwrite").options(**replacing).save(
            hadoop(folder / kept.name)
        )

    return write


def land(engine: Spark, tables: Iterable[Kept], write: Write) -> Iterator[Landed]:
    """Store tables; yields after each.

    Raises:
        CannotLand: Spark lacks a jar, or what is there did not take the table.
    """
    for kept in tables:
        others = [f"`{field.name}`" for field in TABLES[kept.name] if field.name != RUN]
        try:
            write(
                engine.table(kept.folder, TABLES[kept.name]).selectExpr(
                    f"'{kept.run_id}' AS {RUN}", *others
                ),
                kept,
            )
        except Exception as wrong:
            raise CannotLand(
                f"Spark did not store {kept.name}: {cause(wrong)}; {ADVICE}"
            ) from wrong
        yield Landed(kept.name, kept.rows, changed=True)
