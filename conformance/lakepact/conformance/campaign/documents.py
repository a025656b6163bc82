"""The documents of plans and runs: `plan.json` and `run.json`.

A folder may come from a stranger: one with a link in it is refused, because a verb would write
through it.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Annotated, Any, NotRequired

from pydantic import ConfigDict, StringConstraints, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from lakepact.conformance.campaign.paths import is_local

#: What stands in names of files, and in predicates of other programs.
Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=200)]


class Start(TypedDict):
    """One start of a run."""

    word: Word
    workers: int
    engine: str
    rps: float


class Plan(TypedDict):
    """A plan."""

    contracts: dict[Word, dict[str, str]]


class Target(TypedDict):
    """A target, as `targets.TargetSettings` writes it."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]  # pydantic's way
    name: Word
    url: Annotated[str, StringConstraints(pattern=r"^https?://[^/]")]
    contract: Word
    headers: dict[str, str]
    features: dict[str, bool]
    operations: list[str]
    parameters: NotRequired[dict[str, str]]
    segments: NotRequired[dict[str, str | None]]
    version: NotRequired[str]
    access: NotRequired[dict[str, str]]
    timeout: NotRequired[float]


class Run(TypedDict):
    """A run."""

    run_id: Word
    status: str
    plan: Plan
    targets: list[Target]
    starts: NotRequired[list[Start]]
    created_at: NotRequired[str]
    finished_at: NotRequired[str]


_SHAPES: dict[str, TypeAdapter[Any]] = {
    "plan.json": TypeAdapter(Plan),
    "run.json": TypeAdapter(Run),
}


def read(path: Path) -> dict[str, Any]:
    """Return the document of a plan or run whose folder holds plain files alone.

    Raises:
        LookupError: there is none, it is damaged, or the folder holds something else than files and
            folders.
    """
    what = path.stem
    try:
        if is_local(path):
            _check_plain_files(path.parent)
        document: dict[str, Any] = json.loads(path.read_bytes())
        _SHAPES[path.name].validate_python(document, strict=True)
    except FileNotFoundError as missing:
        raise LookupError(
            f"{path} is not there: is {path.parent} the folder of a {what}?"
        ) from missing
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        raise LookupError(
            f"{path} is not that of a {what}: {'.'.join(map(str, first['loc']))[:200]}:"
            f" {first['msg'][:200]}"
        ) from wrong
    except (ValueError, RecursionError) as wrong:
        raise LookupError(f"{path} cannot be read: {wrong}") from wrong
    return document


def _check_plain_files(folder: Path) -> None:
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            entry = Path(parent, name)
            mode = entry.lstat().st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise LookupError(
                    f"{entry} is neither a file nor a folder: lakepact uses no folder with links"
                )
