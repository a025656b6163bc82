"""The server in a thread of this process: `with running() as server:` answers at `server.url`."""

from __future__ import annotations

import contextlib
import socket
import tempfile
import threading
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn

from lakepact.reference_server.app import application, services
from lakepact.reference_server.faults import Fault
from lakepact.reference_server.http.bounded_protocol import protocol_factory
from lakepact.reference_server.http.fast_protocol import fast_protocol
from lakepact.reference_server.http.limits import KEEP_ALIVE_SECONDS, Limits
from lakepact.reference_server.http.router import ContractRouter
from lakepact.reference_server.http.service import Service
from lakepact.reference_server.settings import MAX_BODY, MAX_MANIFEST, BadSetting, Settings

START_SECONDS = 30
STOP_SECONDS = 5
LIMITS = Limits()


class DidNotStart(Exception):
    """The server could not start; its log says why."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server that is answering."""

    url: str
    service: Service = field(repr=False)  #: the first of its contracts
    services: Mapping[str, Service] = field(
        default_factory=dict[str, "Service"], repr=False
    )  #: all of them, by the names of their contracts

    def address(self, contract: str) -> str:
        """Return the base address of one contract."""
        return self.url + self.services[contract].root


def configure(
    app: object, *, log_level: str = "warning", fast_path: bool = True, limits: Limits = LIMITS
) -> uvicorn.Config:
    """Return the configuration of uvicorn: one process, one loop, no log of requests.

    Args:
        app: the application.
        log_level: what uvicorn logs.
        fast_path: whether loads and listings are answered without ASGI (`fast_protocol`).
        limits: what callers may hold.
    """
    http: Any = (
        fast_protocol(app, limits=limits)
        if fast_path and isinstance(app, ContractRouter)
        else protocol_factory(limits)
    )
    return uvicorn.Config(
        app,  # type: ignore[arg-type]  # connexion's application is an ASGI one, but not declared as such
        http=http,
        loop="auto",
        ws="none",
        lifespan="on",
        access_log=False,
        log_level=log_level,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=STOP_SECONDS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
    )


def listening(host: str, port: int) -> tuple[socket.socket, str]:
    """Return a socket that listens, and the URL under which it is reached; port 0 takes a free one.

    Raises:
        OSError: the address cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)
    except OSError:
        listener.close()
        raise
    bound = listener.getsockname()[1]
    return listener, f"http://{f'[{host}]' if family == socket.AF_INET6 else host}:{bound}"


@contextlib.contextmanager
def warehouse_location(location: str | None, *, store: str = "memory") -> Generator[str]:
    """Yield a warehouse's location; without one, a fresh temporary folder that is removed in the
    end.

    Raises:
        BadSetting: a store that is to stay would be removed with it.
    """
    if location is not None:
        yield location
        return
    if store != "memory":
        raise BadSetting(
            f"--store {store} keeps a catalog whose tables would go when the server ends; name a"
            " --warehouse that stays"
        )
    with tempfile.TemporaryDirectory(prefix="lakepact-", ignore_cleanup_errors=True) as folder:
        yield f"file://{folder}"


@contextlib.contextmanager
def running(
    *,
    contract: str | None = None,
    contract_version: str | None = None,
    warehouse: str | None = None,
    allowed_locations: Iterable[str] = (),
    prefix: str | None = None,
    shares: str | Path | None = None,
    credentials: str | Path | None = None,
    config: str | Path | None = None,
    auth: str | None = None,
    store: str | Path = "memory",
    durability: str = "full",
    faults: Iterable[str | Fault] = (),
    port: int = 0,
    engine: str = "plan",
    fast_path: bool = True,
    max_body: int = MAX_BODY,
    max_manifest: int = MAX_MANIFEST,
    limits: Limits = LIMITS,
) -> Generator[Server]:
    """Yield a reference server on 127.0.0.1 for the length of a `with` block.

    Args:
        contract: the contract that it serves; if none is named, all that it can serve but profiles
            of others: Delta Sharing needs `shares`.
        contract_version: the version of the contract that it serves; by default the oldest, which
            has models.
        warehouse: where tables keep their files, `memory:` for nowhere; by default a temporary
            folder.
        allowed_locations: folders beside the warehouse that tables may lie in, if their creators
            say so.
        prefix: path segments that clients must put behind `/v1/`.
        shares: the file that says what is shared through Delta Sharing, and with whom.
        credentials: the file with the tokens and API keys that open a watsonx.data catalog.
        config: the server file, which says which warehouses there are, and who may do what.
        auth: how callers are known, `none`, `bearer` or `oauth`; by default as the server file
            suggests.
        store: where the catalog is kept: `memory`, `file` for below the warehouse, or the path of a
            file.
        durability: what a file store survives: `full` for a power failure, `normal` for the end of
            the process alone.
        faults: faults, or their names: `slow`, `loadTable.slow`.
        port: the port; 0 takes a free one.
        engine: where the routes come from, `plan` or `connexion`; answers are the same.
        fast_path: whether loads and listings are answered without ASGI; answers are the same.
        max_body: the most bytes of a request body that are read.
        max_manifest: the most bytes of a manifest that are read; a plan may have twice as many.
        limits: how many connections are open at once, and how long and how large requests may be.

    Raises:
        UnknownFault: a fault's name is not known.
        BadSetting: it cannot be served as the settings say.
        DidNotStart: the server did not come up.
        OSError: the port is taken.
    """
    with (
        warehouse_location(warehouse, store=str(store)) as location,
        contextlib.ExitStack() as ending,
    ):
        files = {"shares": shares, "credentials": credentials, "config": config}
        paths = {name: Path(file) for name, file in files.items() if file is not None}
        settings = Settings(
            warehouse=location,
            allowed_locations=tuple(allowed_locations),
            prefix=prefix,
            max_body=max_body,
            max_manifest=max_manifest,
            auth=auth,
            store=str(store),
            durability=durability,
            contract_version=contract_version,
            **paths,
        )
        all_services = services([contract] if contract else [], settings, faults=faults)
        for one in all_services:
            ending.callback(one.close)
        listener, url = listening("127.0.0.1", port)
        runs_so = configure(
            application(*all_services, engine=engine), fast_path=fast_path, limits=limits
        )
        with contextlib.closing(listener), _answering(uvicorn.Server(runs_so), listener):
            yield Server(
                url, all_services[0], {service.contract.name: service for service in all_services}
            )


@contextlib.contextmanager
def _answering(server: uvicorn.Server, listener: socket.socket) -> Generator[None]:
    thread = threading.Thread(
        target=server.run,
        kwargs={"sockets": [listener]},
        name="lakepact reference server",
        daemon=True,
    )
    thread.start()
    event = threading.Event()
    try:
        for _ in range(START_SECONDS * 200):
            if server.started:
                break
            if not thread.is_alive():
                raise DidNotStart("the reference server did not start; its log says why")
            event.wait(0.005)
        else:
            raise DidNotStart(f"the reference server did not start within {START_SECONDS} seconds")
        yield
    finally:
        server.should_exit = True
        thread.join(STOP_SECONDS * 2)
