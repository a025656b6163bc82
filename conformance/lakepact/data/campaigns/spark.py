"""Landing by the writer that Spark has for Delta: executors read and write; rows of the same run are replaced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from lakepact.conformance.campaign.engines.spark import Spark, cause, hadoop
from lakepact.conformance.campaign.errors import CannotLand
from lakepact.data.campaigns import RUN, TABLES, Kept, Landed

#: Settings with which Spark has to start.
SETTINGS = (
    "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog",
)
ADVICE = "Spark needs the jar of the format: --conf spark.jars.packages=…"


def land(engine: Spark, tables: Iterable[Kept], folder: Path) -> Iterator[Landed]:
    """Store tables in a folder, each as a Delta table of its own; yields after each.

    Raises:
        CannotLand: Spark lacks a jar, or what is there did not take the table.
    """
    for kept in tables:
        others = [f"`{field.name}`" for field in TABLES[kept.name] if field.name != RUN]
        rows = engine.table(kept.folder, TABLES[kept.name])
        replacing = {"replaceWhere": f"{RUN} = '{kept.run_id}'", "mergeSchema": "true"}
        try:
            frame = rows.selectExpr(f"'{kept.run_id}' AS {RUN}", *others)
            frame.write.format("delta").mode("overwrite").options(**replacing).save(
                hadoop(folder / kept.name)
            )
        except Exception as wrong:
            raise CannotLand(
                f"Spark did not store {kept.name}: {cause(wrong)}; {ADVICE}"
            ) from wrong
        yield Landed(kept.name, kept.rows, changed=True)
