"""The comparison of many tables, several at a time, and the file of results from which a later run
continues.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from lakepact.conformance.evidence.escaping import json
from lakepact.conformance.evidence.redaction import redact
from lakepact.data.compare import layouts
from lakepact.data.compare.engines import Engine
from lakepact.data.compare.iceberg_side import IN_NAMESPACE, IcebergSide
from lakepact.data.compare.model import NAMESPACE, TABLE, VIEW, Compared, Difference, message
from lakepact.data.compare.sides import Side, SideAddress
from lakepact.data.compare.tables import Choices, compare

FILE = "tables.jsonl"


class Journal:
    """The results in a folder; without a folder, an empty journal that stores nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._lock, self._path = threading.Lock(), folder and folder / FILE
        self._results: dict[str, Compared] = {}
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
        lines = self._path.read_bytes().splitlines() if self._path and self._path.exists() else []
        for line in lines:
            with contextlib.suppress(ValidationError):  # the last line of a run that was ended
                result = TypeAdapter(Compared).validate_json(line)
                self._results[result.table] = result

    def find(
        self, table: str, pins: tuple[str | None, str | None], options: str
    ) -> Compared | None:
        """Return the comparison by an earlier run of a table at the same snapshots with the same
        options.
        """
        result = self._results.get(table)
        is_same = result and not result.error and (result.pins, result.options) == (pins, options)
        return result if is_same else None

    def add(self, result: Compared) -> None:
        """Append the result of a table."""
        if self._path:
            with self._lock, self._path.open("ab+") as file:
                is_cut = (
                    file.tell() and file.seek(-1, 2) and file.read(1) != b"\n"
                )  # an earlier run was ended within a line
                file.write(b"\n" * bool(is_cut) + json(asdict(result)).encode() + b"\n")


@dataclass(frozen=True)
class Names:
    """The tables that are compared: patterns of names on side A, and pairs of names that differ on
    side B.
    """

    patterns: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...] = ()

    def on_b(self, name: str) -> str:
        """Return the name on side B of a table of side A."""
        return _rename(name, self.pairs)

    def of_both(self, a: Side, b: Side) -> dict[str, tuple[bool, bool]]:
        """Return the tables by their names on side A, in order, with whether each side has them."""
        return self.pair(a.names(self.patterns), b.names(self.patterns_on_b))

    @property
    def patterns_on_b(self) -> list[str]:
        """The patterns of names on side B."""
        return [self.on_b(pattern) for pattern in self.patterns]

    def pair(self, a: Iterable[str], b: Iterable[str]) -> dict[str, tuple[bool, bool]]:
        """Return names by those on side A, in order, with whether each side has them."""
        back = [(theirs, ours) for ours, theirs in self.pairs]
        there = {_rename(name, back): name for name in b}
        left = set(filter(self._matches, a))
        right = {
            name
            for name, theirs in there.items()
            if self._matches(name) and self.on_b(name) == theirs
        }
        return {name: (name in left, name in right) for name in sorted(left | right)}

    def _matches(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.patterns)


def _rename(name: str, pairs: Sequence[tuple[str, str]]) -> str:
    for old, new in pairs:
        if name == old or name.startswith(f"{old}."):
            return new + name[len(old) :]
    return name


@contextlib.contextmanager
def running(
    engine: Engine, sides: Sequence[SideAddress], names: Names, choices: Choices, journal: Journal
) -> Generator[Run]:
    """Yield the comparison of two addresses, whose sides are closed afterwards."""
    own = choices.with_addresses(*(side.address for side in sides))
    secrets = tuple(secret for side in sides for secret in side.secrets)
    addresses = tuple(redact(side.address, secrets) for side in sides)
    with contextlib.ExitStack() as ending:
        a, b = (ending.enter_context(contextlib.closing(side.side())) for side in sides)
        yield Run(engine, a, b, names, own, journal, addresses, secrets)


@dataclass(frozen=True)
class Run:
    """The comparison of many tables of two sides by an engine."""

    engine: Engine
    a: Side
    b: Side
    names: Names
    choices: Choices
    journal: Journal
    addresses: tuple[str, ...]  #: without secrets
    secrets: tuple[str, ...] = ()  #: reach no report

    def results(self, workers: int) -> Iterator[Compared]:
        """Yield the namespaces and views that differ, then the result of each table as it ends."""
        tables = self.names.of_both(self.a, self.b)
        yield from self._objects()
        with ThreadPoolExecutor(workers, "compare") as executor:
            waiting = [
                executor.submit(self._result, name, is_there) for name, is_there in tables.items()
            ]
            try:
                for future in as_completed(waiting):
                    yield future.result()
            finally:
                executor.shutdown(cancel_futures=True)

    def _objects(self) -> Iterator[Compared]:
        """Yield the namespaces and views of two catalogs that differ, or cannot be read."""
        a, b = self.a, self.b
        if not (isinstance(a, IcebergSide) and isinstance(b, IcebergSide)):
            return
        for kind in (NAMESPACE, VIEW):
            try:
                of_a = a.objects(kind, self.names.patterns)
                pairs = self.names.pair(of_a, b.objects(kind, self.names.patterns_on_b))
            except Exception as wrong:  # noqa: BLE001 - as for tables
                error = message(wrong, self.secrets)
                yield Compared(f"{kind} *", f"{kind} *", error=error, kind=kind)
                continue
            for name, is_there in pairs.items():
                label, other = name.removesuffix(IN_NAMESPACE), self.names.on_b(name)
                result = Compared(
                    f"{kind} {label}", f"{kind} {other.removesuffix(IN_NAMESPACE)}", kind=kind
                )
                differences = [_absent(kind, label, is_there)]
                try:
                    if all(is_there):
                        what = "property" if kind == NAMESPACE else kind
                        facts = a.facts(kind, name), b.facts(kind, other)
                        differences = list(layouts.of_names(what, "", *facts))
                except Exception as wrong:  # noqa: BLE001 - as for tables
                    yield replace(result, error=message(wrong, self.secrets))
                    continue
                if differences:
                    counting, others = self.choices.divide(differences)
                    yield replace(result, differences=counting, information=others)

    def _result(self, name: str, is_there: tuple[bool, bool]) -> Compared:
        start, other = time.monotonic(), self.names.on_b(name)
        options = f"{self.addresses} {self.choices}"
        try:
            if all(is_there):
                a, b = self.a.table(name), self.b.table(other)
                earlier = self.journal.find(name, (a.pin, b.pin), options)
                if earlier:
                    return earlier
                result = compare(self.engine, a, b, self.choices, secrets=self.secrets)
            else:
                result = Compared(name, other, differences=(_absent(TABLE, name, is_there),))
        except Exception as wrong:  # noqa: BLE001 - catalogs, files and engines fail in many ways; other tables are compared
            result = Compared(name, other, error=message(wrong, self.secrets))
        result = replace(
            result, other=other, seconds=round(time.monotonic() - start, 2), options=options
        )
        self.journal.add(result)
        return result


def _absent(kind: str, name: str, is_there: tuple[bool, bool]) -> Difference:
    return Difference(kind, f"{kind} {name}", *("exists" if there else None for there in is_there))
