"""The contracts that people wrote, found by their folders:
`specs/<name>/<version>/contract.yaml`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from lakepact.codegen.documents import Broken, read_yaml, sha256
from lakepact.codegen.names import snake

SPECS = Path(__file__).resolve().parents[1]
TEMPLATES = SPECS / "codegen" / "templates"
Writing = Literal[
    "json", "form", "lines"
]  #: one document, the fields of a form, or one document a line
LAST = 1000  #: rank of a contract that says none


@dataclass(frozen=True, slots=True)
class Source:
    """One version of a contract as people wrote it."""

    name: str  #: of the folder, and of the generated package
    version: str
    title: str
    folder: Path
    media: dict[str, Writing] = field(hash=False)  #: how bodies of each media type are written
    without_endpoints: tuple[
        str, ...
    ]  #: operations that the client does not call: they have no endpoints
    without_handlers: tuple[
        str, ...
    ]  #: operations and parameters that a server reads before it calls a handler
    callers: bool  #: whether handlers are told their callers
    rank: int  #: place among the contracts; the first is meant where none is named
    #: whether it may become code; if not, it is only seen to be sound, and compared with the
    #: version that does
    code: bool
    #: whether it has tables of its own although it is not the version that becomes code: it can be
    #: served and judged
    tables: bool = False
    #: whether the models and endpoints are of this version, which has tables of its own too
    models: bool = False
    extends: Source | None = (
        #: the version that this one's files add to, of the same contract or of the one that this is
        #: a profile of
        None
    )
    adoptions: tuple[
        str, ...
    ] = ()  #: corrections of that version's overlay that the authors have made themselves since
    beside: tuple[Source, ...] = ()  #: the other versions of the contract that becomes code

    @property
    def profile_of(self) -> Source | None:
        """The other contract that this one is a profile of, if it is one."""
        return self.extends if self.extends is not None and self.extends.name != self.name else None

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders that it is made of, the one that all others add to first."""
        return (*(self.extends.folders if self.extends else ()), self.folder)

    @property
    def document(self) -> Path:
        """The contract itself."""
        return self.folders[0] / "openapi.yaml"

    @property
    def inputs(self) -> dict[str, str]:
        """The SHA-256 of every file that the contract is made of, by path from the root."""
        files = [path for folder in self.folders for path in sorted(folder.rglob("*.yaml"))]
        return {
            f"specs/{path.relative_to(self.folder.parents[1]).as_posix()}": sha256(
                path.read_bytes()
            )
            for path in files
        }


def all_sources(specs: Path = SPECS) -> tuple[Source, ...]:
    """Return every contract below `specs`, by rank, in its newest version that may become code,
    with the others beside it.

    Raises:
        Broken: A contract's description is wrong, or no version of it may become code.
    """
    versions: dict[str, list[Source]] = {}
    for path in sorted(specs.glob("*/*/contract.yaml")):
        source = _read(path.parent)
        versions.setdefault(source.name, []).append(source)
    return tuple(
        sorted(
            (_newest(each) for each in versions.values()),
            key=lambda source: (source.rank, source.name),
        )
    )


def _newest(versions: list[Source]) -> Source:
    by_age = sorted(versions, key=_age)
    newest = next((source for source in reversed(by_age) if source.code), None)
    if newest is None:
        raise Broken(f"{versions[0].name}: no version becomes code")
    return replace(newest, beside=tuple(source for source in by_age if source is not newest))


def _age(source: Source) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", source.version)]


def _read(folder: Path) -> Source:
    contract: dict[str, Any] = read_yaml(folder / "contract.yaml")
    name, version = snake(folder.parent.name), str(contract["version"])
    if version != folder.name:
        raise Broken(
            f"{folder.parent.name}: contract.yaml says version {version}, its folder says"
            f" {folder.name}"
        )
    extends = _base_version(folder, str(contract["extends"])) if "extends" in contract else None
    adoptions = tuple(contract.get("adopted", ()))
    if extends is not None and extends.name != name:
        return _profile(name, folder, contract, extends)
    if extends is not None:
        own = [
            member
            for member in ("title", "media", "rank", "client", "server")
            if member in contract
        ]
        if own:
            raise Broken(
                f"{name} {version}: {', '.join(own)} are those of {extends.version}, which it"
                " extends"
            )
        code, tables, models = _code(contract)
        return replace(
            extends,
            version=version,
            folder=folder,
            code=code,
            tables=tables,
            models=models,
            extends=extends,
            adoptions=adoptions,
        )
    if adoptions:
        raise Broken(
            f"{name} {version}: what is adopted is a correction of a version that it extends, but"
            " it extends none"
        )
    return Source(
        name,
        version,
        contract["title"],
        folder,
        contract["media"],
        tuple(contract.get("client", {}).get("without", ())),
        tuple(contract.get("server", {}).get("without", ())),
        contract.get("server", {}).get("callers", False),
        contract.get("rank", LAST),
        *_code(contract),
    )


def _profile(name: str, folder: Path, contract: dict[str, Any], of: Source) -> Source:
    title, rank, (code, tables, models) = (
        contract["title"],
        contract.get("rank", LAST),
        _code(contract),
    )
    unknown = sorted({"media", "adopted"} & set(contract))
    if unknown:
        raise Broken(
            f"{name} {folder.name}: {', '.join(unknown)} are those of {of.name}, which it is a"
            " profile of"
        )
    return replace(
        of,
        name=name,
        version=folder.name,
        title=title,
        folder=folder,
        rank=rank,
        code=code,
        tables=tables,
        models=models,
        extends=of,
        adoptions=(),
    )


def _code(contract: dict[str, Any]) -> tuple[bool, bool, bool]:
    """Return whether a version may become code, and otherwise whether it has tables of its own, and
    models and endpoints with them.
    """
    code = contract.get("code", True)
    if code not in {True, False, "tables", "client"}:
        raise Broken(
            f"contract.yaml of {contract['version']}: code is true, false, tables or client, not"
            f" {code}"
        )
    return code is True, code in {"tables", "client"}, code == "client"


def _base_version(folder: Path, version: str) -> Source:
    """Return the version that another extends: of its own contract, or, as `contract/version`, of
    another one.
    """
    there = folder.parents[1] / version if "/" in version else folder.parent / version
    if there == folder or not (there / "contract.yaml").exists():
        raise Broken(f"{folder.parent.name} {folder.name}: extends {version}, which is not there")
    return _read(there)
