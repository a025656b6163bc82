"""The command `lakepact serve`."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from collections.abc import Generator, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import click
import uvicorn

from lakepact.generated.contract import Contract, contracts
from lakepact.reach.options import EXISTING_FILE, FOLDER, OUTPUT_FILE, option, several, with_options
from lakepact.reference_server.app import ENGINES, application, services
from lakepact.reference_server.faults import UnknownFault
from lakepact.reference_server.http.resetting import Resetting
from lakepact.reference_server.http.service import Service, Unanswered
from lakepact.reference_server.http.workers import share_the_interpreter
from lakepact.reference_server.running import LIMITS, configure, listening, warehouse_location
from lakepact.reference_server.settings import (
    AUTH,
    DURABILITIES,
    MAX_BODY,
    MAX_MANIFEST,
    SETTING_CONTRACT,
    BadSetting,
    Settings,
)
from lakepact.reference_server.stub.application import StubApplication
from lakepact.reference_server.stub.recorder import Recorder
from lakepact.reference_server.stub.script import read as read_script
from lakepact.reference_server.warehouse.local import Outside


class _Announced(uvicorn.Server):
    """A server that says in one line where it is, once it answers."""

    def __init__(self, config: uvicorn.Config, *, url: str) -> None:
        super().__init__(config)
        self._url = url

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]  # sockets as uvicorn passes them
        await super().startup(sockets=sockets)  # type: ignore[arg-type]  # the same list
        if self.started:
            click.echo(self._url)


@contextlib.contextmanager
def _ending_cleanly() -> Generator[None]:
    """Let Ctrl-C and SIGTERM leave every `with` block, before the server runs and, as uvicorn
    raises them again, after it.
    """

    def end(_number: int, _frame: object) -> None:
        sys.exit(0)

    former = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def _write_profiles(service_list: Iterable[Service], url: str, folder: Path | None) -> None:
    """Write the profiles of all services, readable only by the owner, because they hold tokens.

    Raises:
        BadSetting: the files cannot be written, or no service has profiles.
    """
    if folder is None:
        return
    files = {
        name: body
        for one in service_list
        if one.profiles
        for name, body in one.profiles(url + one.root).items()
    }
    if not files:
        raise BadSetting(
            "there are no profiles to write: they are of those who are named in the file of"
            " --shares"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, body in files.items():
            path = folder / name
            path.unlink(missing_ok=True)
            with os.fdopen(
                os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
            ) as file:
                file.write(body)
    except OSError as error:
        raise BadSetting(
            f"the profiles cannot be written into {folder}: {error.strerror}"
        ) from None


@dataclass(frozen=True, kw_only=True)
class ServeOptions:
    """The options of `lakepact serve`."""

    host: str = option("Address to listen on.", default="127.0.0.1")
    port: int = option(
        "Port to listen on; 0 takes a free one.", default=8181, type=click.IntRange(0, 65535)
    )
    warehouse: str | None = option(
        "Root of table files: a folder, a file: URI or memory:. [default: a temporary folder]"
    )
    allowed_location: tuple[str, ...] = several(
        "A folder beside the warehouse that tables may lie in, if their creators say so; may be"
        " given several times.",
        "LOCATION",
    )
    prefix: str | None = option(
        "Path segments that clients must put behind /v1/; the name of a watsonx.data catalog."
    )
    fault: tuple[str, ...] = several(
        "Misbehave in a named way; may be given several times.", "[OPERATION.]NAME"
    )
    max_body: int = option(
        "Most bytes of a request body that are read.",
        default=MAX_BODY,
        type=click.IntRange(min=1),
    )
    max_manifest: int = option(
        "Most bytes of a manifest, or list of manifests, that are read to plan a scan; a plan may"
        " have twice as many.",
        default=MAX_MANIFEST,
        type=click.IntRange(min=1024 * 1024),
    )
    max_connections: int = option(
        "Most connections that are open at once; a full server closes the one that has been idle"
        " longest.",
        default=LIMITS.connections,
        type=click.IntRange(min=1),
    )
    timeout: float = option(
        "Seconds within which a request has to arrive whole, and a client has to take the next 64"
        " KiB of an answer.",
        default=LIMITS.seconds,
        type=click.FloatRange(min=0, min_open=True),
    )
    shares: Path | None = option(
        "YAML file of shares and recipients; without it, Delta Sharing is not served.",
        "FILE",
        type=EXISTING_FILE,
    )
    profiles: Path | None = option(
        "Write there a profile file for each recipient of the shares, with which clients find and"
        " enter the server.",
        "FOLDER",
        type=FOLDER,
    )
    credentials: Path | None = option(
        "The tokens and API keys that open a watsonx.data catalog; without it, it is open to all.",
        "FILE",
        type=EXISTING_FILE,
    )
    config: Path | None = option(
        "The server file (TOML): warehouses, principals and what they may do.",
        "FILE",
        type=EXISTING_FILE,
    )
    auth: str | None = option(
        "How callers of the Iceberg catalog are known. [default: as the principals of --config"
        " suggest; without any, none]",
        type=click.Choice(AUTH),
    )
    store: str = option(
        "Storage of the catalog: memory, a file below the warehouse, or the named file.",
        "memory|file|PATH",
        default="memory",
    )
    durability: str = option(
        "Whether acknowledged changes of a file store survive a power failure, or only the end of"
        " the process.",
        default=DURABILITIES[0],
        type=click.Choice(DURABILITIES),
    )
    engine: str = option(
        "Origin of routes: plans generated by connexion, or connexion at every start; answers are"
        " the same.",
        default=ENGINES[0],
        type=click.Choice(ENGINES),
    )
    fast_path: bool = option(
        "Whether plain loads and questions are answered past ASGI; answers are the same, only"
        " sooner.",
        None,
        "--fast-path/--no-fast-path",
        default=True,
    )
    contract: tuple[str, ...] = several(
        "A contract to serve; may be given several times. [default: all that can be served, but"
        " profiles of others]",
        type=click.Choice(contracts()),
    )
    contract_version: str | None = option(
        "The version of the contract to serve. [default: the oldest]",
        type=click.Choice(
            [
                version
                for contract in SETTING_CONTRACT["contract_version"]
                for version in Contract(contract).versions
            ]
        ),
    )
    reset_path: str | None = option(
        "A POST to this path empties the catalog, as between tests; every caller may send it.",
        "/PATH",
    )
    record: Path | None = option(
        "Write every exchange there, without secrets, one JSON object per line.",
        "FILE",
        type=OUTPUT_FILE,
    )
    script: Path | None = option(
        "YAML file of rules: chosen requests get given answers, delays or closed connections.",
        "FILE",
        type=EXISTING_FILE,
    )


@click.command()
@with_options(ServeOptions)
def serve(options: ServeOptions) -> None:
    """Start the reference server; one line with its URL is printed when it is ready.

    Example: lakepact serve --port 0 --fault loadTable.slow
    """
    reset_path = options.reset_path
    if reset_path and (options.store != "memory" or not reset_path.startswith("/")):
        raise click.UsageError("--reset-path /PATH requires --store memory, and a path with /")
    with _ending_cleanly(), contextlib.ExitStack() as ending:
        try:
            location = ending.enter_context(
                warehouse_location(options.warehouse, store=options.store)
            )
            settings = Settings(
                warehouse=location,
                allowed_locations=options.allowed_location,
                prefix=options.prefix,
                max_body=options.max_body,
                max_manifest=options.max_manifest,
                shares=options.shares,
                credentials=options.credentials,
                config=options.config,
                auth=options.auth,
                store=options.store,
                durability=options.durability,
                contract_version=options.contract_version,
            )
            service_list = services(options.contract, settings, faults=options.fault)
            for one in service_list:
                ending.callback(one.close)
            rules = read_script(options.script) if options.script else None
            recorder = (
                Recorder(ending.enter_context(options.record.open("a", encoding="utf-8")))
                if options.record
                else None
            )
            listener, url = listening(options.host, options.port)
        except (UnknownFault, Outside, BadSetting) as error:
            raise click.UsageError(str(error)) from None
        except Unanswered as error:
            raise click.ClickException(str(error)) from None
        except OSError as error:
            where = f"listen on {options.host}:{options.port}"
            what = f"use {error.filename}" if error.filename else where
            advice = "; --port 0 takes a free port" if error.errno == errno.EADDRINUSE else ""
            raise click.UsageError(f"cannot {what}: {error.strerror}{advice}") from None
        with contextlib.closing(listener):
            try:
                _write_profiles(service_list, url, options.profiles)
            except BadSetting as error:
                raise click.UsageError(str(error)) from None
            app = application(*service_list, engine=options.engine)
            if reset_path:
                app = Resetting(
                    lambda: application(
                        *services(options.contract, settings, faults=options.fault),
                        engine=options.engine,
                    ),
                    reset_path,
                )
            if rules or recorder:
                app = StubApplication(app, service_list, script=rules, recorder=recorder)
            share_the_interpreter()
            limits = replace(LIMITS, connections=options.max_connections, seconds=options.timeout)
            config = configure(app, fast_path=options.fast_path, limits=limits)
            _Announced(config, url=url).run(sockets=[listener])
