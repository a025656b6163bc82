"""A suite: the checks and invariants of one contract, found by importing its folder under `checks/`.

A *check* is a scenario: it sends requests and judges the requirements that it cites. A *invariant* is judged over every
exchange that any check causes, so that what must always hold is looked at everywhere.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import re
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lakepact.conformance.embedded_target import EmbeddedTarget
from lakepact.conformance.judges import Check, Invariant, Topic
from lakepact.conformance.lab import Lab
from lakepact.generated.contract import Contract, contracts, version_module

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from lakepact.conformance.exchanges import Exchange
    from lakepact.conformance.fuzz import Fuzz
    from lakepact.conformance.target import Offer, Target
    from lakepact.conformance.wire import Wire
    from lakepact.generated.contract import Requirement

L = TypeVar("L", bound=Lab)

NOTHING: Mapping[str, str] = MappingProxyType({})
#: Before the path of a module of checks: the folder of its contract, and of its version.
FOLDER = re.compile(r"lakepact\.conformance\.(?:checks|clients)\.\w+\.(?:v\d\w*\.)?")
VERSION = re.compile(r"v\d\w*")


def _as_it_is(_: Path) -> EmbeddedTarget:
    return EmbeddedTarget()


class Suite(Generic[L]):
    """The checks and invariants of one contract.

    Args:
        contract: name of the contract.
        version: one of its versions; the one that has models and endpoints if none is named.
        lab: the class whose instances the checks work with.
        discover: asks a target what it declares.
        launch_settings: lays out in an empty folder what the reference server needs to serve the contract.
        parameters: what the harness can be told with `--parameter`, and what each says.
        unserved: what the reference server lacks, so that no fault of it can break what is judged of it: a requirement or a feature,
            and what is lacking.
        areas: first parts of the names of checks, by the path of their module below the suite's folder; others are named by the path.
    """

    def __init__(
        self,
        contract: str,
        *,
        version: str | None = None,
        lab: type[L],
        discover: Callable[[Wire, Target], Offer],
        launch_settings: Callable[[Path], EmbeddedTarget] = _as_it_is,
        parameters: Mapping[str, str] = NOTHING,
        unserved: Mapping[str, str] = NOTHING,
        areas: Mapping[str, str] = NOTHING,
    ) -> None:
        self.contract = Contract(contract, version)
        self.lab = lab
        self.discover = discover
        self.launch_settings = launch_settings
        self.parameters = parameters
        self.unserved = unserved
        self._areas = areas
        self.checks: dict[str, Check] = {}
        self.invariants: dict[str, Invariant] = {}
        self.fuzz: Fuzz | None = None  #: what the contract gives the fuzzer, if it can be fuzzed
        self._inherits = False

    def check(self, *requirements: str, alone: bool = False) -> Callable[[Callable[[L], None]], Callable[[L], None]]:
        """Register a check that judges each of `requirements`.

        Raises:
            LookupError: the registry has no such requirement, or the check has no name or sentence of its own.
        """

        def register(function: Callable[[L], None]) -> Callable[[L], None]:
            name = self._name(function, requirements, self.checks)
            self.checks[name] = Check(name, _first_line(function), requirements, function, alone)
            return function

        return register

    def invariant(
        self, *requirements: str, traffic: tuple[str, ...] = (), topic: Topic | None = None
    ) -> Callable[[Callable[[Exchange], bool | None]], Callable[[Exchange], bool | None]]:
        """Register an invariant over every exchange: it returns True where it held, False or None where it does not apply.

        Args:
            requirements: what it judges.
            traffic: names of checks whose exchanges suffice when the invariant runs alone; by default those of all checks.
            topic: what an exchange has to show so that it can apply; who judges many looks at that first.
        """

        def register(function: Callable[[Exchange], bool | None]) -> Callable[[Exchange], bool | None]:
            name = self._name(function, requirements, self.invariants)
            self.invariants[name] = Invariant(name, _first_line(function), requirements, function, traffic, topic)
            return function

        return register

    def _name(self, function: Callable[..., Any], requirements: tuple[str, ...], taken: dict[str, Any]) -> str:
        name = f"{self._area(function.__module__)}.{function.__name__}"
        unknown = [r for r in requirements if r not in self.contract.requirements]
        if unknown or not requirements:
            raise LookupError(f"{name} cites {', '.join(unknown) or 'nothing'}: not in the registry of {self.contract.name}")
        if name in taken or not _first_line(function):
            raise LookupError(f"{name}: the name is taken, or the docstring is missing")
        return name

    def _area(self, module: str) -> str:
        """Return the first part of the names of checks in a module: frozen where the module has moved, else its path below the suite."""
        path = FOLDER.sub("", module) if FOLDER.match(module) else module.rpartition(".")[2]
        return self._areas.get(path, path.replace(".", "_"))

    def inherit(self, other: Suite[Any]) -> None:
        """Add the checks and invariants of `other`, the suite of the contract or version that this one extends.

        Only requirements of this contract are judged: verdicts of an inherited check about others are dropped. A check or invariant of this
        suite replaces an inherited one of the same name.
        """
        if self._inherits:
            return
        self._inherits = True
        known = self.contract.requirements
        for check in other.checks.values():
            kept = tuple(r for r in check.requirements if r in known)
            if kept and check.name not in self.checks:
                self.checks[check.name] = replace(check, requirements=kept, waived=frozenset(check.requirements) - set(kept))
        for invariant in other.invariants.values():
            kept = tuple(r for r in invariant.requirements if r in known)
            if kept and invariant.name not in self.invariants:
                self.invariants[invariant.name] = replace(
                    invariant, requirements=kept, traffic=tuple(name for name in invariant.traffic if name in self.checks)
                )
        self.parameters = {**other.parameters, **self.parameters}
        lacked = {what: why for what, why in other.unserved.items() if what in known or what in self.contract.features}
        self.unserved = {**lacked, **self.unserved}
        self.fuzz = self.fuzz or other.fuzz

    def judged(self) -> dict[str, tuple[str, ...]]:
        """Names of the checks and invariants that judge each requirement."""
        by_requirement: dict[str, list[str]] = {}
        items: list[Check | Invariant] = [*self.checks.values(), *self.invariants.values()]
        for item in items:
            for requirement in item.requirements:
                by_requirement.setdefault(requirement, []).append(item.name)
        return {requirement: tuple(names) for requirement, names in by_requirement.items()}

    def requirement(self, identifier: str) -> Requirement:
        """The requirement of that id."""
        return self.contract.requirements[identifier]


def _first_line(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0]


def meant(given: Mapping[str, Any], contract: str | None, version: str | None = None) -> Suite[Any]:
    """The suite that a profile asks for, and whoever names a contract or a version beside it.

    Args:
        given: what the profile says.
        contract: the name that wins over the profile's; the first of all contracts if neither has one.
        version: the version that wins over the profile's, which is one of the contract in it.

    Raises:
        LookupError: there is no such contract, or no such version of it.
    """
    named = contract or given.get("contract", contracts()[0])
    own = named == given.get("contract", named)
    return load(named, version or (given.get("contract_version") if own else None))


def load(contract: str, version: str | None = None) -> Suite[Any]:
    """The suite of a contract, with every module of its folder imported.

    Args:
        contract: its name.
        version: one of its versions, whose own checks stand in a folder of theirs below those of the contract; the one that has models
            and endpoints if none is named.

    Raises:
        LookupError: there are no checks for such a contract, or for that version of it.
    """
    folder = f"{__package__}.checks.{contract}"
    try:
        suite = _folder(folder)
    except ModuleNotFoundError as missing:
        raise LookupError(f"there are no checks for a contract called {contract!r}") from missing
    if suite.contract.profile_of is not None:
        suite.inherit(load(suite.contract.profile_of))
    if version in {None, suite.contract.version}:
        return suite
    if version not in suite.contract.versions:
        raise LookupError(f"{contract} {version} is not known; what can be judged is {', '.join(suite.contract.versions)}")
    later = _folder(f"{folder}.{version_module(str(version))}")
    later.inherit(suite)
    return later


def with_clients() -> tuple[str, ...]:
    """Names of the contracts whose clients can be judged."""
    return tuple(contract for contract in contracts() if importlib.util.find_spec(f"{__package__}.clients.{contract}"))


def of_clients(contract: str, version: str | None = None) -> Suite[Any]:
    """The suite that judges clients of a contract, or of one of its versions, with every module of its folder imported.

    Raises:
        LookupError: there are no checks of clients of that version.
    """
    folder = f"{__package__}.clients.{contract}"
    suite = _folder(folder)
    if version in {None, suite.contract.version}:
        return suite
    try:
        later = _folder(f"{folder}.{version_module(str(version))}")
    except ModuleNotFoundError as missing:
        raise LookupError(f"there are no checks of clients of {contract} {version}") from missing
    later.inherit(suite)
    return later


def _folder(folder: str) -> Suite[Any]:
    """Return the suite in a folder after importing every module in it and in the folders of its areas."""
    _import_all(folder)
    suite: Suite[Any] = importlib.import_module(f"{folder}.suite").suite
    return suite


def _import_all(folder: str) -> None:
    for module in pkgutil.iter_modules(importlib.import_module(folder).__path__):
        if not module.ispkg:
            importlib.import_module(f"{folder}.{module.name}")
        elif not VERSION.fullmatch(module.name):
            _import_all(f"{folder}.{module.name}")
