"""The bench for servers that share tables: what they list, what is known of the fixture pack, and who asks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.conformance.lab import Lab
from lakepact.conformance.outcome import NotOffered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.conformance.checks.delta_sharing.catalogue import Catalogue, SharedTable
    from lakepact.conformance.wire import Exchange, Reply

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Fixture:
    """A table of the fixture pack as the target shares it."""

    name: str
    document: Mapping[str, Any]  #: its entry in the manifest
    folder: Path  #: of the pack

    @property
    def at(self) -> dict[str, str]:
        """The arguments that address the table."""
        return {key: self.document[key] for key in ("share", "schema", "table")}

    @property
    def versions(self) -> list[dict[str, Any]]:
        """What is known of each version, oldest first."""
        versions: list[dict[str, Any]] = self.document["versions"]
        return versions


class SharingLab(Lab):
    """The bench of one check of a server that shares tables."""

    def changes(self, exchange: Exchange) -> bool:  # noqa: ARG002 - whatever it is
        """Nothing: the protocol only reads, by POST too."""
        return False

    # -- what is shared --------------------------------------------------------------------------------------------------

    @property
    def catalogue(self) -> Catalogue:
        """What was found when the target was first looked at."""
        found: Catalogue = self.offer.found["catalogue"]
        return found

    def shares(self) -> tuple[str, ...]:
        """Names of the shares that are listed.

        Raises:
            NotOffered: there are none.
        """
        if not self.catalogue.shares:
            raise NotOffered("the target lists no share")
        return tuple(share["name"] for share in self.catalogue.shares)

    def schemas(self) -> tuple[tuple[str, str], ...]:
        """Share and schema, for every schema that is listed.

        Raises:
            NotOffered: there are none.
        """
        if not self.catalogue.schemas:
            raise NotOffered("the target lists no schema")
        return self.catalogue.schemas

    def tables(self) -> tuple[SharedTable, ...]:
        """The tables that are listed and whose metadata is answered.

        Raises:
            NotOffered: there are none.
        """
        if not self.catalogue.readable:
            raise NotOffered("the target lists no table whose metadata it answers")
        return self.catalogue.readable

    def table(self) -> SharedTable:
        """One of them: the first that is read in parquet format by URLs of files, or the first of all.

        Raises:
            NotOffered: there are none.
        """
        tables = self.tables()
        return next((table for table in tables if table.format == "parquet" and "url" in table.access_modes), tables[0])

    # -- the fixture pack ------------------------------------------------------------------------------------------------

    @property
    def pack(self) -> Path:
        """The folder of the fixture pack that the target shares.

        Raises:
            NotOffered: it is not said that it shares one.
        """
        if not self.feature("fixtures") or "fixtures" not in self.target.parameters:
            raise NotOffered("the content of the target is not known: `lakepact fixtures delta DIR` and --parameter fixtures=DIR")
        return Path(self.target.parameters["fixtures"])

    @property
    def manifest(self) -> dict[str, Any]:
        """What is known of the fixture pack.

        Raises:
            NotOffered: the target does not share it.
        """
        return read_manifest(self.pack)

    def fixture(self, name: str) -> Fixture:
        """A table of the pack by the name of its fixture.

        Raises:
            NotOffered: the target does not share the pack, or the pack has no such table.
        """
        known = self.manifest["tables"]
        if name not in known:
            raise NotOffered(f"the fixture pack has no table {name}")
        return Fixture(name, known[name], self.pack)

    # -- who asks --------------------------------------------------------------------------------------------------------

    def recipient(self, name: str) -> list[tuple[str, str]]:
        """Headers of another recipient: `second` sees less than the target's own, the time of `expired` is over.

        Raises:
            NotOffered: the token is neither in the fixture pack nor named by `--parameter NAME-token-env=VARIABLE`.
        """
        variable = self.target.parameters.get(f"{name}-token-env")
        token = os.environ.get(variable, "") if variable else ""
        if not token and self.feature("fixtures") and "fixtures" in self.target.parameters:
            token = self.manifest["tokens"].get(name, "")
        if not token:
            raise NotOffered(f"no {name} token is known: --parameter {name}-token-env=VARIABLE")
        return bearing(token)

    # -- answers ---------------------------------------------------------------------------------------------------------

    def lines(self, reply: Reply) -> tuple[dict[str, Any], ...]:
        """The lines of an answer that had to come.

        Raises:
            Blocked: it was refused.
            Unmet: a line is not a JSON object.
        """
        return self.works(reply, 200).lines


def bearing(token: str) -> list[tuple[str, str]]:
    """Headers of who has a token."""
    return [("Authorization", f"Bearer {token}")]


@cache
def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of the pack in a folder."""
    manifest: dict[str, Any] = orjson.loads((folder / MANIFEST).read_bytes())
    return manifest
