"""One client on one server: its everyday tasks, each compared with the same task on a server
without a fault.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lakepact.conformance.evidence.outcome import NotOffered
from lakepact.conformance.programs.everyday.content import Content
from lakepact.conformance.programs.everyday.outcomes import (
    WORKS,
    WRONG,
    Finding,
    difference,
    differing,
    error_of,
    short,
)
from lakepact.conformance.programs.everyday.programme import AS_SOUND, REFUSED, Step, Stored
from lakepact.conformance.programs.program import Ended, Program, in_order

CURRENT = "current-snapshot-id"
PASSES = 5  #: of the programme on the sound server, until two are alike


@dataclass(frozen=True)
class SoundStep:
    """A task on the sound server: its result or the type of its error, and what is stored in the
    namespace of its chain afterwards.
    """

    step: Step
    result: Any
    error: str
    stored: dict[str, Any]


@dataclass
class Trial:
    """A client on one server, which may add properties of its own and hide the files of its tables.

    Args:
        program: runs the client.
        content: of the server.
        url: of the server.
    """

    program: Program
    content: Content
    url: str
    _extras: dict[str, set[str]] = field(default_factory=dict)  #: properties of the server's own

    def arguments(self, chain: str, step: Step) -> dict[str, Any]:
        """Return the arguments of a task; the namespace of the chain has the prefix of the
        content.
        """
        top = self.content.prefix + chain

        def place(value: Any) -> Any:
            if isinstance(value, Stored):
                return self.content.stored(chain, value)
            return [top, *value[1:]] if isinstance(value, list) and value[:1] == [chain] else value

        return {
            name: place(value) for name, value in {"namespace": [chain], **step.arguments}.items()
        }

    def perform(self, chain: str, step: Step) -> tuple[Ended, dict[str, Any]]:
        """Let the client perform one task, and return how it ended and what is stored afterwards.

        Raises:
            NotOffered: it does not implement the task.
        """
        arguments = self.arguments(chain, step)
        end = self.program.run(step.task, {"uri": self.url, "properties": {}, **arguments})
        return end, self.content.state(chain).get(chain, {})

    def result(self, value: Any) -> Any:
        """Return a result without identifiers, and without namespaces that are not the
        programme's.
        """
        prefix = self.content.prefix
        if prefix and isinstance(value, list):
            value = [
                item
                for item in value
                if not (isinstance(item, list) and item)
                or not isinstance(item[0], str)
                or item[0].startswith(prefix)
            ]
        if isinstance(value, dict) and value.get(CURRENT) == -1:
            value = {**value, CURRENT: None}  # servers write either for a table without snapshots
        return self.content.plain(value)

    def sound_steps(self, chain: str, steps: Sequence[Step]) -> Iterator[SoundStep]:
        """Yield the tasks of a chain that end as expected; those that the client does not offer are
        left out.
        """
        for step in steps:
            with contextlib.suppress(NotOffered):
                end, stored = self.perform(chain, step)
                value = self.result(end.value)
                ends = end.is_done if step.expected != REFUSED else bool(end.error)
                if ends and _is_expected(step, value):
                    yield SoundStep(step, in_order(value), end.error, stored)

    def findings(self, chain: str, steps: Sequence[SoundStep]) -> Iterator[Finding]:
        """Yield the outcome of each task of a chain until the first that does not work."""
        for sound in steps:
            finding = self._finding(chain, sound)
            yield finding
            if finding.outcome != WORKS:
                return

    def _finding(self, chain: str, sound: SoundStep) -> Finding:
        step, arguments = sound.step, self.arguments(chain, sound.step)
        end, stored = self.perform(chain, step)
        stored = self._alike(stored, sound.stored)
        if not end.is_done:
            names = map(str, [*arguments.values(), *self.content.identifiers()])
            finding = error_of(step, end, sound.error, [*arguments["namespace"], *names])
            if finding.outcome != WORKS:
                return finding
        else:
            value = self._alike_result(chain, step, self.result(end.value))
            if wrong := differing(step, value, sound.result):
                return Finding(WRONG, step.task, wrong)
        if stored != sound.stored:
            return Finding(WRONG, step.task, stored_difference(stored, sound.stored))
        return Finding(WORKS, step.task)

    def _alike(self, actual: dict[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
        """Return objects without properties that the server added when it made them, and with
        expected rows where no file was read.
        """
        alike = {}
        for name, content in actual.items():
            sound = expected.get(name, {})
            properties = content.get("properties")
            if properties is not None and "properties" in sound:
                own = properties.keys() - sound["properties"].keys()
                extras = self._extras.setdefault(name, set(own))
                content = {**content, "properties": _without(properties, extras)}  # noqa: PLW2901
            if "rows" in content and "rows" in sound:
                rows = {
                    ref: sound["rows"].get(ref) if own is None else own
                    for ref, own in content["rows"].items()
                }
                content = {**content, "rows": rows}  # noqa: PLW2901
            alike[name] = content
        return alike

    def _alike_result(self, chain: str, step: Step, value: Any) -> Any:
        table = step.arguments.get("table")
        if step.task == "load-namespace" and isinstance(value, dict):
            name = ".".join(step.arguments.get("namespace", [chain]))
            return _without(value, self._extras.get(name, set()))
        if table and isinstance(value, dict) and isinstance(value.get("properties"), dict):
            extras = self._extras.get(f"table {chain}.{table}", set())
            return {**value, "properties": _without(value["properties"], extras)}
        return value


def _without(properties: Mapping[str, Any], extras: set[str]) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if name not in extras}


def _is_expected(step: Step, value: Any) -> bool:
    """Return whether a result is the one that the programme names; rows may have further
    columns.
    """
    expected = step.expected
    if expected in (AS_SOUND, REFUSED):
        return True
    if step.task.startswith("read-rows"):
        value = [{name: row.get(name) for name in ("id", "data")} for row in value]
    return bool(in_order(value) == in_order(expected))


def repeat(
    chains: Mapping[str, Sequence[Step]],
    once: Callable[[Mapping[str, Sequence[Step]]], Mapping[str, tuple[SoundStep, ...]]],
) -> Mapping[str, tuple[SoundStep, ...]]:
    """Return the tasks of chains on the sound server, once two passes are alike.

    Args:
        chains: the tasks of each chain.
        once: performs them on a new server.

    Raises:
        RuntimeError: the results of the client differ from pass to pass.
    """
    before: Mapping[str, tuple[SoundStep, ...]] | None = None
    for _ in range(PASSES):
        now = once(chains)
        if now == before:
            return now
        before = now
        chains = {chain: [sound.step for sound in steps] for chain, steps in now.items()}
    raise RuntimeError("the client does not do the same twice on the sound server")


def stored_difference(actual: dict[str, Any], expected: dict[str, Any]) -> str:
    """Return how the content of a namespace differs from the expected one."""
    return short(f"the catalog holds {difference(expected, actual)}")
