"""The contracts that people wrote, found by their folders: `specs/<name>/<version>/contract.yaml`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from codegen.documents import Broken, read_yaml, sha256
from codegen.names import snake

SPECS = Path(__file__).resolve().parents[1]
Writing = Literal["json", "form", "lines"]  #: one document, the fields of a form, or one document a line
LAST = 1000  #: rank of a contract that says none


@dataclass(frozen=True, slots=True)
class Source:
    """One contract as people wrote it."""

    name: str  #: of the folder, and of the generated package
    version: str
    title: str
    folder: Path
    media: dict[str, Writing]  #: how bodies of each media type are written
    rank: int  #: place among the contracts; the first is meant where none is named

    @property
    def document(self) -> Path:
        """The contract itself."""
        return self.folder / "openapi.yaml"

    @property
    def inputs(self) -> dict[str, str]:
        """The SHA-256 of every file that the contract is made of, by path from the root."""
        files = sorted(path for path in self.folder.rglob("*.yaml") if path.is_file())
        return {f"specs/{path.relative_to(self.folder.parents[1]).as_posix()}": sha256(path.read_bytes()) for path in files}


def found(specs: Path = SPECS) -> tuple[Source, ...]:
    """Every contract below `specs`, by rank, in its newest version; older ones stay beside it to be compared with.

    Raises:
        Broken: A contract's description is wrong.
    """
    newest: dict[str, Source] = {}
    for source in sorted((_read(path.parent) for path in specs.glob("*/*/contract.yaml")), key=_age):
        newest[source.name] = source
    return tuple(sorted(newest.values(), key=lambda source: (source.rank, source.name)))


def _age(source: Source) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", source.version)]


def _read(folder: Path) -> Source:
    known = read_yaml(folder / "contract.yaml")
    name = snake(folder.parent.name)
    if str(known["version"]) != folder.name:
        raise Broken(f"{folder.parent.name}: contract.yaml says version {known['version']}, its folder says {folder.name}")
    return Source(name, folder.name, known["title"], folder, known["media"], known.get("rank", LAST))
