"""Clients on the checked server: they perform everyday tasks there, as they do on the reference
server.
"""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from lakepact.conformance.checks.iceberg_rest.kit.lab import (
    SEPARATOR_IN_PATHS,
    SEPARATOR_OF_TARGET,
    CatalogLab,
)
from lakepact.conformance.evidence.exchanges import Reply
from lakepact.conformance.evidence.observations import Observation, TaskOutcome
from lakepact.conformance.evidence.outcome import Blocked, NotOffered
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.programs.everyday.content import Content, Entry
from lakepact.conformance.programs.everyday.measuring import SoundStep, Trial, repeat
from lakepact.conformance.programs.everyday.outcomes import CONTRACT, SEVERITY, WORKS
from lakepact.conformance.programs.everyday.programme import CHAINS, Step
from lakepact.conformance.programs.program import Program
from lakepact.conformance.programs.relay import Relay
from lakepact.conformance.running import runner
from lakepact.conformance.running import suite as suites
from lakepact.conformance.running.embedded_server import embedded
from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op

SECONDS = 60.0  #: time limit of a task
#: Programs that come with lakepact, by the names of their clients.
OWN_PROGRAMS = {"pyiceberg": "pyiceberg_client.py", "duckdb": "duckdb_client.py"}
LIBRARIES = {"pyiceberg": ("pyiceberg", "pyarrow"), "duckdb": ("duckdb",)}  #: of those programs
#: The operations that list, load and drop objects of each kind.
KINDS = {
    "table": (op.list_tables, op.load_table, op.drop_table),
    "view": (op.list_views, op.load_view, op.drop_view),
}


def programs(options: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the command of each client.

    Args:
        options: names with commas between them, or one `NAME=COMMAND`.

    Raises:
        ValueError: a name has no program here, or its client is not installed.
    """
    commands: dict[str, tuple[str, ...]] = {}
    for option in options:
        for entry in [option] if "=" in option else option.split(","):
            name, _, command = entry.partition("=")
            commands[name] = tuple(shlex.split(command)) or _own_program(name)
    return commands


def _own_program(name: str) -> tuple[str, ...]:
    if name not in OWN_PROGRAMS:
        raise ValueError(
            f"--clients {name}: {name} has no program in lakepact; write --clients "
            f"{name}='COMMAND' with the command of a program as docs/test-a-client.md describes"
        )
    if absent := [library for library in LIBRARIES[name] if find_spec(library) is None]:
        raise ValueError(
            f"--clients {name} needs {' and '.join(absent)} beside lakepact: "
            f"pip install {' '.join(absent)}"
        )
    return sys.executable, "-W", "ignore", str(_folder() / OWN_PROGRAMS[name])


def _folder() -> Path:
    """Return the folder of the programs: in the package, or in a clone the one that the package is
    made from.
    """
    own_folder = Path(str(resources.files("lakepact.conformance.programs"))) / "clients"
    return own_folder if own_folder.is_dir() else Path(__file__).parents[5] / "examples" / "clients"


def observe(commands: Mapping[str, Sequence[str]], run: runner.Run) -> Iterator[Observation]:
    """Yield what each client did on the target of a run.

    Args:
        commands: the command of each client.
        run: whose target is discovered, and whose connections are open.
    """
    if not commands:
        return
    lab = run.lab("clients", len(run.plan.checks) + 1)
    if not isinstance(lab, CatalogLab):
        raise Blocked(f"--clients performs tasks of {CONTRACT}; {lab.contract.name} has none yet")
    for number, (name, command) in enumerate(commands.items()):
        program = Program(tuple(command), SECONDS)
        prefix = f"{lab.prefix}{number}{lab.divider}client"
        try:
            yield _observe(name, program, lab, prefix=prefix)
        except (Blocked, OSError, RuntimeError) as hindered:
            yield Observation(name, reason=str(hindered))
        finally:
            program.stop()


def _observe(name: str, program: Program, lab: CatalogLab, *, prefix: str) -> Observation:
    sound = repeat(CHAINS, partial(_sound, program, prefix=prefix))
    if not sound:
        raise Blocked(f"the client performs no task on the reference server: {program.failure}")
    findings: list[TaskOutcome] = []
    tasks = 0
    catalog = _Catalog(lab, prefix)
    with Relay(lab) as relay:
        trial = _trial(program, catalog, relay)
        try:
            for chain, steps in sound.items():
                first = len(relay.exchanges)
                for finding in trial.findings(chain, steps):
                    tasks += 1
                    if finding.outcome != WORKS:
                        shows = _deciding(lab, relay.exchanges[first:])
                        outcome, detail = finding.outcome, lab.wire.redact(finding.detail)
                        findings.append(TaskOutcome(finding.task, outcome, detail, shows))
                    first = len(relay.exchanges)
        finally:
            catalog.clear()
    worst = max((finding.outcome for finding in findings), key=SEVERITY.index, default=WORKS)
    return Observation(name, worst, tasks, tuple(findings))


def _deciding(lab: CatalogLab, numbers: Sequence[int]) -> int:
    """Return the request that decided a task: the last one that was refused, else the last change,
    else the last.
    """
    exchanges = [lab.wire.exchanges[number] for number in numbers]
    refusals = [exchange.number for exchange in exchanges if not 0 < exchange.status < 400]
    changes = [exchange.number for exchange in exchanges if exchange.method not in {"GET", "HEAD"}]
    return (refusals or changes or list(numbers) or [0])[-1]


def _sound(
    program: Program, chains: Mapping[str, Sequence[Step]], *, prefix: str
) -> dict[str, tuple[SoundStep, ...]]:
    """Return the tasks that the client does on a new reference server, by chain."""
    steps: dict[str, tuple[SoundStep, ...]] = {}
    suite = suites.load(CONTRACT)
    with embedded(suites.of_clients(CONTRACT)) as target, Wire(target.url) as wire:
        lab = suite.lab(
            wire,
            suite.contract,
            target,
            offer=suite.discover(wire, target),
            check="clients",
            run="sound",
            serial=0,
        )
        with Relay(lab) as relay:
            trial = _trial(program, _Catalog(lab, prefix), relay)
            for chain, chain_steps in chains.items():
                sound_steps = tuple(trial.sound_steps(chain, chain_steps))
                # More than the namespace; a client without its library refuses what it should.
                if sum(not step.error for step in sound_steps) > 1:
                    steps[chain] = sound_steps
    return steps


def _trial(program: Program, catalog: _Catalog, relay: Relay) -> Trial:
    content = Content(catalog.entries, catalog.read, catalog.prefix)
    return Trial(program, content, relay.address)


class _Catalog:
    """The objects of the programme on a server.

    Args:
        lab: of the server.
        prefix: of the namespaces.
    """

    def __init__(self, lab: CatalogLab, prefix: str) -> None:
        self._lab = lab
        self.prefix = prefix

    def entries(self, chain: str = "") -> Iterator[Entry]:
        """Yield the namespaces, tables and views of a chain, by default of all."""
        for levels in _namespaces(chain):
            levels_here = [self.prefix + levels[0], *levels[1:]]
            reply = self._ask(op.load_namespace_metadata, namespace=levels_here)
            if reply is None:
                continue
            *above, name = levels_here
            yield Entry("namespace", tuple(above), name, reply.document)
            for kind, object_name in self._objects(levels_here):
                load = KINDS[kind][1]
                if answer := self._ask(load, namespace=levels_here, **{kind: object_name}):
                    yield Entry(kind, tuple(levels_here), object_name, answer.document)

    def _objects(self, levels: list[str]) -> Iterator[tuple[str, str]]:
        """Yield the kind and the name of each table and view in a namespace."""
        for kind, (listing, _, _) in KINDS.items():
            answer = self._ask(listing, namespace=levels)
            for identifier in answer.document.get("identifiers", ()) if answer else ():
                yield kind, identifier["name"]

    def read(self, location: str) -> bytes:
        """Return the content of a file that the user shares."""
        return self._lab.target.shared_files.at(location).read()

    def clear(self) -> None:
        """Drop all objects of the programme."""
        for levels in reversed([*_namespaces("")]):
            levels_here = [self.prefix + levels[0], *levels[1:]]
            if self._ask(op.load_namespace_metadata, namespace=levels_here) is None:
                continue
            for kind, name in [*self._objects(levels_here)]:
                self._ask(KINDS[kind][2], namespace=levels_here, **{kind: name})
            self._ask(op.drop_namespace, namespace=levels_here)

    def _ask(self, operation: OperationId, **arguments: object) -> Reply | None:
        """Return an accepted answer; None if the target refuses the request, or does not declare
        the operation.
        """
        if not self._lab.offers(operation):
            return None
        entry = self._lab.contract.operations[operation]
        path = self._lab.path(operation, **arguments)
        separator = self._lab.offer.results.get(SEPARATOR_OF_TARGET)
        if separator:
            path = path.replace(SEPARATOR_IN_PATHS, quote(separator, safe=""))
        with contextlib.suppress(NotOffered, Blocked):
            reply = self._lab.send_raw(entry.method, path, operation=operation)
            return reply if reply.status < 300 else None
        return None


def _namespaces(chain: str) -> Iterator[list[str]]:
    """Yield the namespaces that a chain makes, those above first."""
    for name, steps in CHAINS.items():
        if chain in {"", name}:
            namespaces_ = [
                step.arguments.get("namespace", [name])
                for step in steps
                if step.task == "create-namespace"
            ]
            yield from [
                levels for n, levels in enumerate(namespaces_) if levels not in namespaces_[:n]
            ]
