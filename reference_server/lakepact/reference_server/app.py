"""The ASGI application: the contracts' router, and Flask for all other pages.

1. `service(settings, beside)` of each contract builds its tables (`service.Service`); faults change
   them.
2. The plan of each contract holds the routes that connexion derives from it; by default connexion
   itself is not imported.
3. `ContractRouter` answers every path of the contracts with compiled handlers.
4. Flask answers `/healthz` and `/openapi.json`; it is imported at the first request for one of
   them.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import Any

from lakepact.generated.contract import Contract, OperationId, contracts
from lakepact.reference_server.faults import Fault, UnknownFault, find_fault
from lakepact.reference_server.http.router import AsgiApp, ContractRouter
from lakepact.reference_server.http.service import Service
from lakepact.reference_server.settings import (
    REQUIRED_SETTING,
    SETTING_CONTRACT,
    BadSetting,
    Settings,
)

PAGES = ("/healthz", "/openapi.json")
#: The origin of routes: plans that connexion made at code generation, or connexion itself at every
#: start.
ENGINES = ("plan", "connexion")


def service(
    contract: str,
    settings: Settings,
    *,
    beside: Mapping[str, Service] | None = None,
    faults: Iterable[str | Fault] = (),
) -> Service:
    """Return the service of one contract, with the faults that are asked for by name.

    Args:
        contract: its name.
        settings: what it is built from.
        beside: the services that are already there, by the names of their contracts.
        faults: faults, or their names.

    Raises:
        UnknownFault: a fault's name is not known.
        BadSetting: it cannot be built from these settings.
        Unanswered: an operation of the contract would have no answer.
    """
    result: Service = importlib.import_module(f"lakepact.reference_server.{contract}").service(
        settings, beside or {}
    )
    for choice in faults:
        (choice if isinstance(choice, Fault) else find_fault(choice, result.contract)).install(
            result
        )
    return result


def missing_operations(contract: Contract) -> list[OperationId]:
    """Return the operations of a contract that no area of its server answers."""
    package = f"lakepact.reference_server.{contract.profile_of or contract.name}"
    areas = importlib.import_module(f"{package}.handlers").AREAS
    return [
        o.id
        for o in contract.operations.values()
        if not any(hasattr(area, o.function) for area in areas)
    ]


def services(
    names: Sequence[str], settings: Settings, *, faults: Iterable[str | Fault] = ()
) -> tuple[Service, ...]:
    """Return the services of several contracts beside each other, in the order of `names`; of all
    that the settings allow, if it is empty.

    Profiles of another contract are served when they are named. A fault is switched on in every
    contract that has one of its name.

    Raises:
        UnknownFault: no contract has a fault of that name.
        BadSetting: a contract cannot be built from these settings, or a setting is of no use to any
            of those wanted.
    """
    able = [
        c
        for c in contracts()
        if c not in REQUIRED_SETTING or getattr(settings, REQUIRED_SETTING[c]) is not None
    ]
    contract_names = (
        [c for c in able if c in names]
        if names
        else [c for c in able if Contract(c).profile_of is None]
    )
    for contract, flag in REQUIRED_SETTING.items():
        if contract in names and contract not in able:
            raise BadSetting(f"{contract} cannot be served without --{flag}")
    for setting, owners in SETTING_CONTRACT.items():
        if getattr(settings, setting) is not None and not set(owners) & set(contract_names):
            option = f"--{setting.replace('_', '-')}"
            raise BadSetting(
                f"{option} requires --contract {' or '.join(owners)} (serving:"
                f" {', '.join(contract_names)})"
            )
    result: dict[str, Service] = {}
    with contextlib.ExitStack() as undo:
        for contract in contract_names:
            own = replace(
                settings,
                contract_version=_version(contract, settings.contract_version, contract_names),
            )
            result[contract] = service(contract, own, beside=dict(result))
            undo.callback(result[contract].close)
        for fault in faults:
            _install(fault, result.values())
        undo.pop_all()
    return tuple(result[contract] for contract in dict.fromkeys(names or result))


def _version(contract: str, version: str | None, names: Iterable[str]) -> str | None:
    """Return the version of a contract to serve: the wanted one, or the default if only another
    served contract has such a version.
    """
    having = {name for name in names if version in Contract(name).versions}
    return version if contract in having or not having else None


def _install(choice: str | Fault, services: Iterable[Service]) -> None:
    """Switch a fault on in every contract that has one of its name, or in all contracts."""
    if isinstance(choice, Fault):
        for one in services:
            choice.install(one)
        return
    matches: list[tuple[Service, Fault]] = []
    unknown: list[str] = []
    for one in services:
        try:
            matches.append((one, find_fault(choice, one.contract)))
        except UnknownFault as error:
            unknown.append(str(error))
    if not matches:
        raise UnknownFault("; ".join(unknown))
    for one, fault in matches:
        fault.install(one)


def application(*services: Service, engine: str = "plan") -> AsgiApp:
    """Return the ASGI application that serves contracts on one port.

    Args:
        *services: the contracts; the first one answers paths that belong to no contract.
        engine: one of `ENGINES`: the origin of the routes.
    """
    pages = left_to_flask(services)
    if engine == "connexion":
        app: AsgiApp = importlib.import_module(
            "lakepact.reference_server.http.connexion_engine"
        ).application(*services, pages=pages)
        return app
    by_name = {each.contract.name: each for each in services}
    router = ContractRouter(PagesOnDemand(services), services=by_name, pages=pages)
    for name, each in by_name.items():
        for method, path, operation in each.contract.routes:
            router.add(name, method, path, operation=operation, handler=each.answering(operation))
    return router


def left_to_flask(services: Iterable[Service]) -> frozenset[str]:
    """Return the paths of the pages."""
    return frozenset(
        [*PAGES, *(path for each in services for path in (each.document_path, *each.pages))]
    )


class PagesOnDemand:
    """Flask's pages, created at the first request: importing Flask takes longer than the rest of
    the start.
    """

    def __init__(self, services: tuple[Service, ...]) -> None:
        self._services = services
        self._made: AsgiApp | None = None

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Answer one request for a page."""
        app = self._made
        if app is None:
            # In a thread, so that calls of the contracts are answered at the same time.
            app = await asyncio.get_running_loop().run_in_executor(None, _pages, self._services)
            self._made = app
        await app(scope, receive, send)


def _pages(services: tuple[Service, ...]) -> AsgiApp:
    from lakepact.reference_server.http.pages import pages  # noqa: PLC0415 - connexion takes 0.3 s

    return pages(services)
