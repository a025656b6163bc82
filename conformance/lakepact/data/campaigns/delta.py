"""Tables of runs as Delta tables of a folder, with a file from which a server shares them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from lakepact.conformance.campaign.errors import CannotLand
from lakepact.data.campaigns import RUN, SAYS_CONTENT, SAYS_RUN, TABLES, Landed, RunTable
from lakepact.data.delta import SHARES_FILE, first_line, shares
from lakepact.extras import install

SCHEMA = "campaigns"
HEAD = """\
# Written by `lakepact campaign land`; recipients are yours to add: name them and their tokens, then
#   lakepact serve --shares {path} --profiles DIR
"""


def deltalake() -> Any:
    """Return the module.

    Raises:
        CannotLand: it is not installed.
    """
    try:
        return import_module("deltalake")
    except ModuleNotFoundError as missing:
        raise CannotLand(f"{missing.name} is not installed: {install('delta')}") from missing


def land(tables: Iterable[RunTable], folder: Path) -> Iterator[Landed]:
    """Write tables into a folder, each in a folder of its own; yield the result of each.

    Raises:
        CannotLand: deltalake is not installed, or refuses the table.
    """
    library = deltalake()
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        try:
            yield _land_table(library, folder / table.name, table)
        except (OSError, library.exceptions.DeltaError) as error:
            raise CannotLand(
                f"{folder / table.name} did not take the table: {first_line(error)}"
            ) from error


def _land_table(library: Any, folder: Path, table: RunTable) -> Landed:
    digest = table.digest
    properties = {SAYS_RUN: table.run_id, SAYS_CONTENT: digest}
    there = library.DeltaTable.is_deltatable(str(folder))
    if there:
        commit: dict[str, Any] = next(
            (
                one
                for one in library.DeltaTable(str(folder)).history()
                if one.get(SAYS_RUN) == table.run_id
            ),
            {},
        )
        if commit.get(SAYS_CONTENT) == digest:
            return Landed(table.name, table.rows, is_new=False)
    # One version replaces the rows of the run.
    replacing: dict[str, Any] = (
        {"predicate": f"{RUN} = '{table.run_id}'", "schema_mode": "merge"} if there else {}
    )
    library.write_deltalake(
        str(folder),
        table.reader,
        mode="overwrite",
        name=table.name,
        commit_properties=library.CommitProperties(custom_metadata=properties),
        **replacing,
    )
    return Landed(table.name, table.rows, is_new=True)


def share(folder: Path) -> Path | None:
    """Write the file that shares the tables of a folder; return its path, or `None` if the folder
    has such a file.
    """
    path = folder / SHARES_FILE
    if path.exists():
        return None
    names = [name for name in TABLES if (folder / name / "_delta_log").is_dir()]
    path.write_text(HEAD.format(path=path) + shares(names, SCHEMA), encoding="utf-8")
    return path
