"""The lab for sharing servers: their listings, the fixture pack, and recipients."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from lakepact.conformance.checks.delta_sharing.kit.catalog import (
    EITHER_FORMAT,
    Catalogue,
    SharedTable,
)
from lakepact.conformance.checks.delta_sharing.kit.times import EPOCH, as_of
from lakepact.conformance.evidence.exchanges import Document, Exchange, Reply
from lakepact.conformance.evidence.outcome import Blocked, NotOffered
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.fixtures.manifest import Manifest, PackTable
from lakepact.conformance.judging.lab import Lab
from lakepact.generated.contract import OperationId
from lakepact.generated.delta_sharing import op

SECOND = "second"  #: the recipient with fewer shares
LASTING = 60.0  #: seconds for which checks share an answer


class Answers:
    """Answers that the checks of a run share: some servers read the log of a table for each
    request.
    """

    def __init__(self) -> None:
        self._answers: dict[str, tuple[float, Reply]] = {}
        self._locks: dict[str, threading.Lock] = {}

    def of(self, request: str, send: Callable[[], Reply]) -> Reply:
        """Return a recent answer, since URLs of files expire, or send the request."""
        with self._locks.setdefault(request, threading.Lock()):
            since, reply = self._answers.get(request, (0.0, None))
            if reply is None or time.monotonic() - since > LASTING:
                reply = send()
                self._answers[request] = time.monotonic(), reply
            return reply

    def close(self) -> None:
        """Forget all answers."""
        self._answers.clear()


class SharingLab(Lab):
    """The lab of one check of a server that shares tables."""

    def read(self, operation: OperationId, **arguments: Any) -> Reply:
        """Return the answer to a request: a new one, or that of another check a moment ago."""
        answers = self.wire.shared_resource("answers", Answers)
        request = repr((operation, sorted(arguments.items())))
        reply = answers.of(request, partial(self.send, operation, **arguments))
        with self._lock:
            self.sent.append(reply.exchange.number)
        return reply

    def changes(self, exchange: Exchange) -> bool:  # noqa: ARG002 - whatever it is
        """Nothing: the protocol only reads, by POST too."""
        return False

    # -- shared objects ----------------------------------------------------------------------------

    @property
    def outline(self) -> Catalogue:
        """The listed shares, schemas and tables, without the metadata of tables."""
        objects: Catalogue = self.offer.result("listed")
        return objects

    @property
    def catalogue(self) -> Catalogue:
        """The outline with the metadata of tables, which is requested once."""
        catalogue: Catalogue = self.offer.result("catalogue")
        return catalogue

    def shares(self) -> tuple[str, ...]:
        """Return the names of the listed shares.

        Raises:
            NotOffered: there are none.
        """
        if not self.outline.shares:
            raise NotOffered("the target lists no share")
        return tuple(share["name"] for share in self.outline.shares)

    def schemas(self) -> tuple[tuple[str, str], ...]:
        """Return share and schema of every listed schema.

        Raises:
            NotOffered: there are none.
        """
        if not self.outline.schemas:
            raise NotOffered("the target lists no schema")
        return self.outline.schemas

    def tables(self) -> tuple[SharedTable, ...]:
        """Return the listed tables whose metadata is answered.

        Raises:
            NotOffered: no table is listed.
            Blocked: the metadata of none is answered.
        """
        if not self.outline.tables:
            raise NotOffered("the target lists no table")
        if not self.catalogue.readable:
            raise Blocked("the target answers the metadata of no table that it lists")
        return self.catalogue.readable

    def table(self) -> SharedTable:
        """Return the first table that is read in parquet format by URLs of files, or the first one.

        Raises:
            NotOffered: no table is listed.
            Blocked: the metadata of none is answered.
        """
        tables = self.tables()
        return next(
            (
                table
                for table in tables
                if table.format == "parquet" and "url" in table.access_modes
            ),
            tables[0],
        )

    def with_history(self) -> SharedTable:
        """Return a table whose history is shared.

        Raises:
            NotOffered: none was found.
        """
        self.needs_history()
        addresses = (
            [pack.address for pack in self.manifest.tables.values() if pack.history]
            if self.knows_content
            else []
        )
        table: SharedTable | None = next(
            (t for t in self.catalogue.readable if t.address in addresses),
            self.offer.result("history"),
        )
        if table is None:
            raise NotOffered("no table was found whose versions can be asked for by their times")
        return table

    def needs_history(self) -> None:
        """Require that the history of a table may be shared.

        Raises:
            NotOffered: a time and a version of a table of the fixture pack return 400.
        """
        if self.feature("history") or not self.knows_content:
            return
        table = next(
            pack
            for pack in self.manifest.tables.values()
            if pack.history and len(pack.readable) == len(pack.versions) > 1
        )
        time = table.versions[1].time
        by_time = self.send(
            op.get_table_version,
            starting_timestamp=EPOCH if time is None else as_of(time),
            **table.address,
        )
        by_version = self.send(
            op.query_table,
            body={"version": table.last.version},
            headers=[EITHER_FORMAT],
            **table.address,
        )
        if by_time.status == by_version.status == 400:
            raise NotOffered("the target shares no history")

    @property
    def speaks_parquet(self) -> bool:
        """Whether the target answers any table in parquet format."""
        speaks: bool = self.offer.result("parquet-format")
        return speaks

    def needs_parquet(self) -> None:
        """Require answers in parquet format.

        Raises:
            NotOffered: the target refuses it for every table.
        """
        if not self.speaks_parquet:
            raise NotOffered("the target does not answer in parquet format")

    # -- the fixture pack --------------------------------------------------------------------------

    @property
    def knows_content(self) -> bool:
        """Whether the target shares the fixture pack, by its settings."""
        return self.feature("fixtures") and "fixtures" in self.target.parameters

    @property
    def manifest(self) -> Manifest:
        """Return the known content of the fixture pack.

        Raises:
            NotOffered: the target does not share it.
            Blocked: its folder is missing.
        """
        if not self.knows_content:
            raise NotOffered(
                "the content of the target is not known: `lakepact fixtures delta DIR` and"
                " --parameter fixtures=DIR"
            )
        return read_manifest(Path(self.target.parameters["fixtures"]))

    def fixture(self, name: str) -> PackTable:
        """Return a table of the pack by the name of its fixture.

        Raises:
            NotOffered: the target does not share the pack, or the pack has no such table.
        """
        tables = self.manifest.tables
        if name not in tables:
            raise NotOffered(f"the fixture pack has no table {name}")
        return tables[name]

    # -- recipients --------------------------------------------------------------------------------

    def recipient(self, name: str) -> list[tuple[str, str]]:
        """Return the headers of another recipient: `second` has fewer shares than the target's own,
        and the token of `expired` has expired.

        Raises:
            NotOffered: the token is neither in the fixture pack nor named by a parameter,
                or the target does not know it.
        """
        token = token_of(name, self.target)
        if not token:
            raise NotOffered(f"no {name} token is known: --parameter {name}-token-env=VARIABLE")
        headers = bearing(token)
        if name == SECOND:
            status = self.send(op.list_shares, headers=headers).status
            if status in {401, 403}:
                raise NotOffered(
                    f"listShares returned {status} for the {name} token: name one that the target "
                    f"knows with --parameter {name}-token-env=VARIABLE"
                )
        return headers

    # -- answers -----------------------------------------------------------------------------------

    def lines(self, reply: Reply) -> tuple[Document, ...]:
        """Return the lines of a required answer.

        Raises:
            Blocked: it was refused.
            Unmet: a line is not a JSON object.
        """
        return self.require(reply, 200).lines


def bearing(token: str) -> list[tuple[str, str]]:
    """Return the headers of a recipient with a token."""
    return [("Authorization", f"Bearer {token}")]


def token_of(name: str, target: Target) -> str:
    """Return the token of another recipient, as far as it is known."""
    variable = target.parameters.get(f"{name}-token-env")
    if variable:
        return os.environ.get(variable, "")
    folder = target.parameters.get("fixtures")
    return read_manifest(Path(folder)).tokens.get(name, "") if folder else ""


@cache
def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of the pack in a folder.

    Raises:
        Blocked: there is none.
    """
    from lakepact.conformance.fixtures.manifest import NoPack, read  # noqa: PLC0415 - pyarrow is needed where content is known

    try:
        return read(folder)
    except NoPack as missing:
        raise Blocked(str(missing)) from missing
