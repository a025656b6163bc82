"""The programs of pyiceberg do the same as those of the examples, and the readme compares their
lines.
"""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog, load_catalog

from lakepact.reference_server import running

from . import pyiceberg_twins

EXAMPLES = Path(__file__).parents[2] / "examples"
#: The function that is the program, by example; pyiceberg has the first four.
PROGRAMS = {
    "nightly-job": "nightly",
    "migration": "migrate",
    "async-service": "owners",
    "watsonx": "publish",
    "transaction": "close_books",
    "views": "define",
    "vended-keys": "copy",
    "shared-data": "refreshed",
}
TWINS = Path(pyiceberg_twins.__file__)
KEYED = pa.schema([pa.field("id", pa.int32(), nullable=False)])


def lines(path: Path, name: str) -> str:
    """Return the number of lines of a function, one for each statement; a dot if there is none.

    Comments, docstrings and the layout do not count.
    """
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            if ast.get_docstring(node) is not None:
                del node.body[0]
            return str(len(list(filter(str.strip, ast.unparse(node).splitlines()))))
    return "·"


def test_readme_compares_lines_with_pyiceberg() -> None:
    readme = (EXAMPLES / "README.md").read_text("utf-8")
    stated = {
        name: [ours, theirs]
        for name, ours, theirs in re.findall(r"(?m)^\| ([a-z-]+) \| (\d+) \| (\d+|·) \|", readme)
    }
    modules = {
        example: EXAMPLES / example / f"test_{example.replace('-', '_')}.py" for example in PROGRAMS
    }

    assert stated == {
        example: [lines(modules[example], name), lines(TWINS, name)]
        for example, name in PROGRAMS.items()
    }
    assert all(theirs == "·" or int(ours) <= int(theirs) for ours, theirs in stated.values())


@pytest.fixture
def catalog() -> Iterator[Catalog]:
    """Yield a catalog of pyiceberg."""
    with running() as server:
        yield load_catalog("lake", uri=server.url)


@pytest.mark.examples
@pytest.mark.filterwarnings("ignore:Delete operation did not match any records")
def test_nightly_job_replaces_its_rows_and_adds_columns(catalog: Catalog) -> None:
    now = datetime.now(UTC)
    orders = pa.table({"id": [1, 2], "day": [f"{now:%Y-%m-%d}"] * 2})

    counts = [
        pyiceberg_twins.nightly(catalog, rows, now)
        for rows in (orders, orders.append_column("note", [["a", "b"]]))
    ]

    assert (counts, catalog.load_table("sales.orders").schema().column_names) == (
        [2, 2],
        ["id", "day", "note"],
    )


@pytest.mark.examples
def test_migrations_edit_their_table_and_the_common_one(catalog: Catalog) -> None:
    catalog.create_namespace("sales")
    for name in ("t1", "migrated"):
        catalog.create_table(f"sales.{name}", KEYED)

    pyiceberg_twins.migrate(catalog.properties["uri"], "sales.t1")

    assert [
        catalog.load_table(f"sales.{name}").schema().column_names for name in ("t1", "migrated")
    ] == [
        ["order_id", "note"],
        ["id", "t1"],
    ]


@pytest.mark.examples
def test_service_yields_the_owner_of_every_table(catalog: Catalog) -> None:
    expected = {f"t{number}": f"team{number % 2}" for number in range(4)}
    catalog.create_namespace("sales")
    for name, owner in expected.items():
        catalog.create_table(f"sales.{name}", KEYED, properties={"owner": owner})

    async def answered() -> dict[str, str]:
        return {name: owner async for name, owner in pyiceberg_twins.owners(catalog, "sales")}

    assert asyncio.run(answered()) == expected


@pytest.mark.examples
def test_rows_are_published_to_watsonx() -> None:
    with running(
        contract="watsonx_data",
        prefix="iceberg_data",
        credentials=EXAMPLES / "watsonx" / "credentials.yaml",
    ) as server:
        tables = [
            pyiceberg_twins.publish(
                server.url, "iceberg_data", "hank", "an-api-key", pa.table({"id": [1]})
            )
            for _ in range(2)
        ]

    assert tables == [["orders"], ["orders"]]
