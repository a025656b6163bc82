"""A suite: the checks and invariants of one contract, found by importing its folder under
`checks/`.

A *check* is a scenario: it sends requests and judges the requirements that it cites. An *invariant*
is judged on every exchange of every check.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.evidence.target import Offer, Target
from lakepact.conformance.fuzz import Fuzz
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.judging.definitions import Check, Invariant, everything
from lakepact.conformance.judging.lab import Lab
from lakepact.conformance.running.embedded_target import EmbeddedTarget
from lakepact.generated.contract import (
    Contract,
    OperationId,
    Requirement,
    contracts,
    version_module,
)

L = TypeVar("L", bound=Lab)

NOTHING: Mapping[str, str] = MappingProxyType({})
FOLDER = re.compile(
    r"lakepact\.conformance\.(?:checks|clients)\.\w+\."
)  #: of a contract; the path below it begins the names of checks
_CHECKS = "lakepact.conformance.checks."
VERSION = re.compile(r"v\d\w*")


def _as_it_is(_: Path) -> EmbeddedTarget:
    return EmbeddedTarget()


class Suite(Generic[L]):
    """The checks and invariants of one contract.

    Args:
        contract: name of the contract.
        version: one of its versions; by default the one that has models and endpoints.
        lab: the class of lab that checks receive.
        discover: returns the declarations of a target.
        rights: raises `Blocked` if the caller may not create, change and drop what checks need.
        launch_settings: writes the files that the reference server needs into an empty folder.
        launch_settings_for: the same for requirements of an operation that this server does not
            offer.
        parameters: names of `--parameter` settings and their meaning.
        gaps: requirements and features that the reference server does not implement, with the
            reason; no fault of it can break them.
        libraries: optional libraries that its checks use.
        health: sends ordinary requests and raises `Unmet` or `Blocked` if the target does not
            answer them as usual.
        leftovers: returns a line for each object that the exchanges of a run leave on the target.
        clean: removes objects whose names have a prefix; yields the path of each, and why it is
            still there.
    """

    def __init__(
        self,
        contract: str,
        *,
        version: str | None = None,
        lab: type[L],
        discover: Callable[[Wire, Target], Offer],
        rights: Callable[[Wire, Target], None] | None = None,
        launch_settings: Callable[[Path], EmbeddedTarget] = _as_it_is,
        launch_settings_for: Mapping[
            OperationId, Callable[[Path], EmbeddedTarget]
        ] = MappingProxyType({}),
        parameters: Mapping[str, str] = NOTHING,
        gaps: Mapping[str, str] = NOTHING,
        libraries: tuple[str, ...] = (),
        health: Callable[[L], None] | None = None,
        leftovers: Callable[[L, Iterable[Exchange]], list[str]] | None = None,
        clean: Callable[[L, str], Iterable[tuple[str, str]]] | None = None,
    ) -> None:
        self.contract = Contract(contract, version)
        self.lab = lab
        self.discover = discover
        self.rights = rights
        self.launch_settings = launch_settings
        self.launch_settings_for = launch_settings_for
        self.parameters = parameters
        self.gaps = gaps
        self.libraries = libraries
        self.health = health
        self.leftovers = leftovers
        self.clean = clean
        self.checks: dict[str, Check] = {}
        self.invariants: dict[str, Invariant] = {}
        self.fuzz: Fuzz | None = None  #: settings of the fuzzer, if the contract has any
        self._inherits = False

    def check(
        self, *requirements: str, alone: bool = False, last: int = 0
    ) -> Callable[[Callable[[L], None]], Callable[[L], None]]:
        """Register a check that judges each of `requirements`.

        Args:
            requirements: their ids.
            alone: whether it runs while no other check runs.
            last: not 0 for a check that runs after all others, because a careless server may store
                its requests; the greater comes later.

        Raises:
            LookupError: a requirement is unknown, the check's name is taken, or its docstring is
                missing.
        """

        def register(function: Callable[[L], None]) -> Callable[[L], None]:
            name = self._name(function, requirements, self.checks)
            self.checks[name] = Check(name, _summary(function), requirements, function, alone, last)
            return function

        return register

    def invariant(
        self,
        *requirements: str,
        traffic: tuple[str, ...] = (),
        concerns: Callable[[OperationId | None, int], bool] = everything,
    ) -> Callable[[Callable[[Exchange], bool | None]], Callable[[Exchange], bool | None]]:
        """Register an invariant: it returns True where it holds, False or None where it does not
        apply.

        Args:
            requirements: ids of the requirements that it judges.
            traffic: checks whose exchanges suffice when the invariant runs alone; by default all.
            concerns: returns whether it may apply to answers of an operation and status; other
                answers are not shown to it.
        """

        def register(
            function: Callable[[Exchange], bool | None],
        ) -> Callable[[Exchange], bool | None]:
            name = self._name(function, requirements, self.invariants)
            self.invariants[name] = Invariant(
                name, _summary(function), requirements, function, traffic, concerns
            )
            return function

        return register

    def _name(
        self, function: Callable[..., Any], requirements: tuple[str, ...], names: dict[str, Any]
    ) -> str:
        name = f"{FOLDER.sub('', function.__module__)}.{function.__name__}"
        unknown = [r for r in requirements if r not in self.contract.requirements]
        if unknown or not requirements:
            raise LookupError(
                f"{name} cites {', '.join(unknown) or 'nothing'}: not in the registry of"
                f" {self.contract.name}"
            )
        if name in names or not _summary(function):
            raise LookupError(f"{name}: the name is taken, or the docstring is missing")
        return name

    def inherit(self, other: Suite[Any]) -> None:
        """Add the checks and invariants of `other`, the suite of the contract or version that this
        one extends.

        Only requirements of this contract are judged: verdicts of an inherited check about others
        are dropped. A check or invariant of this suite replaces an inherited one of the same name.
        """
        if self._inherits:
            return
        self._inherits = True
        requirements = self.contract.requirements
        for check in other.checks.values():
            own = tuple(r for r in check.requirements if r in requirements)
            if own and check.name not in self.checks:
                self.checks[check.name] = replace(
                    check,
                    requirements=own,
                    outside_profile=frozenset(check.requirements) - set(own),
                )
        for invariant in other.invariants.values():
            own = tuple(r for r in invariant.requirements if r in requirements)
            if own and invariant.name not in self.invariants:
                self.invariants[invariant.name] = replace(
                    invariant,
                    requirements=own,
                    traffic=tuple(name for name in invariant.traffic if name in self.checks),
                )
        self.parameters = {**other.parameters, **self.parameters}
        reasons = {
            what: why
            for what, why in other.gaps.items()
            if what in requirements or what in self.contract.features
        }
        self.gaps = {**reasons, **self.gaps}
        self.fuzz = self.fuzz or other.fuzz
        self.health = self.health or other.health
        self.clean = self.clean or other.clean
        self.rights = self.rights or other.rights

    def judges(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the checks and invariants that judge each requirement."""
        by_requirement: dict[str, list[str]] = {}
        items: list[Check | Invariant] = [*self.checks.values(), *self.invariants.values()]
        for item in items:
            for requirement in item.requirements:
                by_requirement.setdefault(requirement, []).append(item.name)
        return {requirement: tuple(names) for requirement, names in by_requirement.items()}

    def server_of(self, requirements: Iterable[str]) -> OperationId | None:
        """Return the operation whose own reference server some requirements are judged on; `None`
        for the usual server.
        """
        operations = {
            operation
            for identifier in requirements
            for operation in self.requirement(identifier).operations
        }
        return next(
            (operation for operation in self.launch_settings_for if operation in operations), None
        )

    def requirement(self, identifier: str) -> Requirement:
        """Return the requirement of an id."""
        return self.contract.requirements[identifier]


def _summary(function: Callable[..., Any]) -> str:
    return " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())


def of_profile(
    keys: Mapping[str, Any], contract: str | None, version: str | None = None
) -> Suite[Any]:
    """Return the suite of a profile, unless `contract` or `version` override it.

    Args:
        keys: those of the profile.
        contract: overrides the profile's contract; the default is the first contract.
        version: overrides the profile's version.

    Raises:
        LookupError: the contract or version is unknown.
    """
    name = contract or keys.get("contract", contracts()[0])
    own = name == keys.get("contract", name)
    return load(name, version or (keys.get("contract_version") if own else None))


def load(contract: str, version: str | None = None) -> Suite[Any]:
    """Import all checks of a contract and return its suite.

    Args:
        contract: its name.
        version: one of its versions, whose own checks are in a folder below the contract's; by
            default the one that has models and endpoints.

    Raises:
        LookupError: the contract or version has no checks.
    """
    if contract not in contracts():
        raise LookupError(f"there are no checks for a contract called {contract!r}")
    folder = _CHECKS + contract
    suite = _folder(folder, load)
    if version not in {None, *suite.contract.versions}:
        raise LookupError(
            f"{contract} {version} is unknown; known versions: {', '.join(suite.contract.versions)}"
        )
    return _later(suite, folder, version)


def has_checks(contract: Contract) -> bool:
    """Return whether there are checks of servers of one version of a contract."""
    folder = _CHECKS + contract.name
    if contract.version != contract.versions[0]:
        folder += f".{version_module(contract.version)}"
    return importlib.util.find_spec(folder) is not None


def with_clients() -> tuple[str, ...]:
    """Return the names of contracts that have checks for clients."""
    return tuple(
        contract
        for contract in contracts()
        if importlib.util.find_spec(f"lakepact.conformance.clients.{contract}")
    )


def of_clients(contract: str, version: str | None = None) -> Suite[Any]:
    """Import all client checks of a contract or version and return their suite.

    Raises:
        LookupError: the version has no checks for clients.
    """
    folder = f"lakepact.conformance.clients.{contract}"
    return _later(_folder(folder, of_clients), folder, version)


def _later(suite: Suite[Any], folder: str, version: str | None) -> Suite[Any]:
    """Return the suite of a version below the contract's folder, which adds to the version before
    it.
    """
    versions = suite.contract.versions
    for each in versions[1 : versions.index(version or versions[0]) + 1]:
        later = _folder(f"{folder}.{version_module(each)}")
        later.inherit(suite)
        suite = later
    return suite


def _folder(folder: str, suite_of: Callable[[str], Suite[Any]] | None = None) -> Suite[Any]:
    """Return the suite in a folder after importing every module in it and in its areas.

    Args:
        folder: its package.
        suite_of: returns the suite of the contract that a profile extends.

    Raises:
        LookupError: there is no such folder.
    """
    if importlib.util.find_spec(folder) is None:
        path = folder.replace(".", "/")
        raise LookupError(
            f"there are no checks in {path}/: write suite.py and checks there, "
            "as docs/upgrade-a-contract.md says"
        )
    _import_all(folder)
    suite: Suite[Any] = importlib.import_module(f"{folder}.suite").suite
    if suite_of and suite.contract.profile_of is not None:
        suite.inherit(suite_of(suite.contract.profile_of))
    return suite


def _import_all(folder: str) -> None:
    for module in pkgutil.iter_modules(importlib.import_module(folder).__path__):
        if not module.ispkg:
            importlib.import_module(f"{folder}.{module.name}")
        elif not VERSION.fullmatch(module.name):
            _import_all(f"{folder}.{module.name}")
