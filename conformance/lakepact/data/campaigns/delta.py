"""Landing as Delta tables of a folder, with the file that shares them: whoever serves it gives them
away through Delta Sharing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from lakepact.conformance.campaign.errors import CannotLand
from lakepact.data.campaigns import RUN, SAYS_CONTENT, SAYS_RUN, TABLES, Kept, Landed
from lakepact.extras import install

INSTALL = install("delta")
SHARE, SCHEMA = "lakepact", "campaigns"
SHARES = """\
# Written by `lakepact campaign land`; recipients are yours to add: name them and their tokens, then
#   lakepact serve --shares {path} --profiles DIR
version: 1
shares:
- name: {share}
  comment: what campaigns found
  schemas:
  - name: {schema}
    tables:
{tables}
"""


def land(tables: Iterable[Kept], folder: Path) -> Iterator[Landed]:
    """Put tables into a folder, each in its own; yields after each.

    Raises:
        CannotLand: deltalake is not installed, or what is there is something else.
    """
    try:
        deltalake = import_module("deltalake")
    except ModuleNotFoundError as missing:
        raise CannotLand(f"{missing.name} is not installed: {INSTALL}") from missing
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        try:
            yield _landed(deltalake, folder / table.name, table)
        except (OSError, deltalake.exceptions.DeltaError) as wrong:
            said = (str(wrong).splitlines() or [""])[0]
            raise CannotLand(
                f"{folder / table.name} did not take the table: {said[:300]}"
            ) from wrong


def _landed(deltalake: Any, folder: Path, kept: Kept) -> Landed:
    digest = kept.digest
    properties = {SAYS_RUN: kept.run_id, SAYS_CONTENT: digest}
    there = deltalake.DeltaTable.is_deltatable(str(folder))
    if there:
        said: dict[str, Any] = next(
            (
                one
                for one in deltalake.DeltaTable(str(folder)).history()
                if one.get(SAYS_RUN) == kept.run_id
            ),
            {},
        )
        if said.get(SAYS_CONTENT) == digest:
            return Landed(kept.name, kept.rows, changed=False)
    # The rows of the run go and come in one version.
    replacing: dict[str, Any] = (
        {"predicate": f"{RUN} = '{kept.run_id}'", "schema_mode": "merge"} if there else {}
    )
    deltalake.write_deltalake(
        str(folder),
        kept.reader,
        mode="overwrite",
        name=kept.name,
        commit_properties=deltalake.CommitProperties(custom_metadata=properties),
        **replacing,
    )
    return Landed(kept.name, kept.rows, changed=True)


def share(folder: Path) -> Path | None:
    """Write the file that shares what has landed in a folder, unless there is one; where it is, if
    it was written.
    """
    path = folder / "shares.yaml"
    if path.exists():
        return None
    there = [name for name in TABLES if (folder / name / "_delta_log").is_dir()]
    listed = "\n".join(
        f"    - {{name: {name}, location: {name}, historyShared: true}}" for name in there
    )
    path.write_text(
        SHARES.format(path=path, share=SHARE, schema=SCHEMA, tables=listed), encoding="utf-8"
    )
    return path
