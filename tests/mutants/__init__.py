"""Mutants: the reference server with one fault each, which the checks of what it breaks have to
find.

Faults lie in the folders of their contract and area, as checks do. A fault that is one call of an
operator is a row in `FAULTS`:

    "drops-what-is-missing IRC-TBL-DROP-002 IRC-TBL-DROP-010": on_status(op.drop_table, {404: 204}),

Its key is its name and the requirements that it breaks; after them `@/metadata/refs` may say where
it shows. Other faults are functions (`lakepact.reference_server.faults.fault`).

A profile of a contract has that one's faults too: `ALSO_BREAKS` in its package names what they
break of the profile's own requirements, and `NOT_INHERITED` the faults that break nothing there,
with reasons.

This package proves the suite. It is not part of the distribution.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from types import ModuleType

from lakepact.generated.contract import Contract, version_module
from lakepact.reference_server.faults import Fault, UnknownFault

VERSION = re.compile(r"v\d\w*")  #: the folder of a later version of the contract


def faults(contract: str, version: str | None = None) -> dict[str, Fault]:
    """Return the faults of a contract by name: those of its oldest version, and those of each later
    one up to `version`.
    """
    versions = Contract(contract).versions
    upto = versions[: versions.index(version) + 1] if version else versions[:1]
    return {name: fault for each in upto for name, fault in own_faults(contract, each).items()}


def fault_named(name: str, contract: str, version: str | None = None) -> Fault:
    """Return one fault of a contract.

    Raises:
        UnknownFault: there is none of that name.
    """
    known = faults(contract, version)
    if name not in known:
        raise UnknownFault(
            f"{contract} has no mutant {name!r}; near: {', '.join(difflib.get_close_matches(name, known, n=5, cutoff=0.4))}"
        )
    return known[name]


@cache
def own_faults(contract: str, version: str) -> dict[str, Fault]:
    """Return the faults of one version of a contract by name, without those of the version that it
    adds to.

    Raises:
        ValueError: two faults have the same name.
    """
    package = importlib.import_module(f"{__name__}.{contract}")
    found: dict[str, Fault] = {}
    if version == Contract(contract).versions[0]:
        found = _inherited(contract, package)
    else:
        package = importlib.import_module(f"{package.__name__}.{version_module(version)}")
    for fault in _written(package):
        if fault.name in found:
            raise ValueError(f"two faults of {contract} are called {fault.name}")
        found[fault.name] = fault
    return found


def faults_of(module: ModuleType) -> Iterator[Fault]:
    """Yield the faults of a module: its functions, and the rows of its `FAULTS`."""
    yield from (value for value in vars(module).values() if isinstance(value, Fault))
    for words, install in getattr(module, "FAULTS", {}).items():
        ids, _, place = words.partition(" @")
        name, *breaks = ids.split()
        yield Fault(name, tuple(breaks), install, place)


def _written(package: ModuleType) -> Iterator[Fault]:
    """Yield the faults in the modules of a package and of its areas; a version of the contract is
    an area of its own.
    """
    for found in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        if not found.ispkg:
            yield from faults_of(module)
        elif not VERSION.fullmatch(found.name):
            yield from _written(module)


def _inherited(contract: str, package: ModuleType) -> dict[str, Fault]:
    """Return the faults that a profile has from the contract that it is one of: those that break
    what it demands.
    """
    profile = Contract(contract)
    if profile.profile_of is None:
        return {}
    without: Mapping[str, str] = package.NOT_INHERITED
    also: Mapping[str, tuple[str, ...]] = package.ALSO_BREAKS
    known = faults(profile.profile_of)
    idle = sorted({*without, *also} - set(known))
    if idle:
        raise ValueError(
            f"{contract} names faults that {profile.profile_of} does not have: {', '.join(idle)}"
        )
    found: dict[str, Fault] = {}
    for name, fault in known.items():
        breaks = (*(r for r in fault.breaks if r in profile.requirements), *also.get(name, ()))
        if breaks and name not in without:
            found[name] = replace(fault, breaks=breaks)
    return found
