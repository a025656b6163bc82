"""The command `lakepact serve`."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from collections.abc import Generator, Iterable
from dataclasses import replace
from pathlib import Path

import click
import uvicorn

from lakepact.generated.contract import Contract, contracts
from lakepact.reference_server.app import ENGINES, application, services
from lakepact.reference_server.faults import UnknownFault
from lakepact.reference_server.http.resetting import Resetting
from lakepact.reference_server.http.service import Service, Unanswered
from lakepact.reference_server.http.workers import share_the_interpreter
from lakepact.reference_server.running import LIMITS, configured, kept, listening
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


def _write_profiles(served: Iterable[Service], url: str, folder: Path | None) -> None:
    """Write the profiles of all services, readable only by the owner, because they hold tokens.

    Raises:
        BadSetting: the files cannot be written, or no service has profiles.
    """
    if folder is None:
        return
    files = {
        name: body
        for one in served
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


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8181,
    show_default=True,
    help="Port to listen on; 0 takes a free one.",
)
@click.option(
    "--warehouse",
    default=None,
    help="Root of table files: a folder, a file: URI or memory:. [default: a temporary folder]",
)
@click.option(
    "--allowed-location",
    "allowed_locations",
    multiple=True,
    metavar="LOCATION",
    help=(
        "A folder beside the warehouse that tables may lie in, if their creators say so; may be"
        " given several times."
    ),
)
@click.option(
    "--prefix",
    default=None,
    help="Path segments that clients must put behind /v1/; the name of a watsonx.data catalog.",
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="[OPERATION.]NAME",
    help="Misbehave in a named way; may be given several times.",
)
@click.option(
    "--max-body",
    type=click.IntRange(min=1),
    default=MAX_BODY,
    show_default=True,
    help="Most bytes of a request body that are read.",
)
@click.option(
    "--max-manifest",
    type=click.IntRange(min=1024 * 1024),
    default=MAX_MANIFEST,
    show_default=True,
    help=(
        "Most bytes of a manifest, or list of manifests, that are read to plan a scan; a plan may"
        " have twice as many."
    ),
)
@click.option(
    "--max-connections",
    type=click.IntRange(min=1),
    default=LIMITS.connections,
    show_default=True,
    help=(
        "Most connections that are open at once; a full server closes the one that has been idle"
        " longest."
    ),
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=LIMITS.seconds,
    show_default=True,
    help=(
        "Seconds within which a request has to arrive whole, and a client has to take the next 64"
        " KiB of an answer."
    ),
)
@click.option(
    "--shares",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=None,
    metavar="FILE",
    help="YAML file of shares and recipients; without it, Delta Sharing is not served.",
)
@click.option(
    "--profiles",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    metavar="FOLDER",
    help=(
        "Write there a profile file for each recipient of the shares, with which clients find and"
        " enter the server."
    ),
)
@click.option(
    "--credentials",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=None,
    metavar="FILE",
    help="The tokens and API keys that open a watsonx.data catalog; without it, it is open to all.",
)
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=None,
    metavar="FILE",
    help="The server file (TOML): warehouses, principals and what they may do.",
)
@click.option(
    "--auth",
    type=click.Choice(AUTH),
    default=None,
    help=(
        "How callers of the Iceberg catalog are known. [default: as the principals of --config"
        " suggest; without any, none]"
    ),
)
@click.option(
    "--store",
    default="memory",
    show_default=True,
    metavar="memory|file|PATH",
    help="Storage of the catalog: memory, a file below the warehouse, or the named file.",
)
@click.option(
    "--durability",
    type=click.Choice(DURABILITIES),
    default=DURABILITIES[0],
    show_default=True,
    help=(
        "Whether acknowledged changes of a file store survive a power failure, or only the end of"
        " the process."
    ),
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default=ENGINES[0],
    show_default=True,
    help=(
        "Origin of routes: plans generated by connexion, or connexion at every start; answers are"
        " the same."
    ),
)
@click.option(
    "--fast-path/--no-fast-path",
    default=True,
    show_default=True,
    help=(
        "Whether plain loads and questions are answered past ASGI; answers are the same, only"
        " sooner."
    ),
)
@click.option(
    "--contract",
    "wanted",
    type=click.Choice(contracts()),
    multiple=True,
    help=(
        "A contract to serve; may be given several times. [default: all that can be served, but"
        " profiles of others]"
    ),
)
@click.option(
    "--contract-version",
    type=click.Choice(
        [
            version
            for contract in SETTING_CONTRACT["contract_version"]
            for version in Contract(contract).versions
        ]
    ),
    default=None,
    help="The version of the contract to serve. [default: the oldest]",
)
@click.option(
    "--reset-path",
    default=None,
    metavar="/PATH",
    help=("A POST to this path empties the catalog, as between tests; every caller may send it."),
)
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    metavar="FILE",
    help="Write every exchange there, without secrets, one JSON object per line.",
)
@click.option(
    "--script",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=None,
    metavar="FILE",
    help="YAML file of rules: chosen requests get given answers, delays or closed connections.",
)
def serve(  # one argument for each option
    *,
    host: str,
    port: int,
    warehouse: str | None,
    allowed_locations: tuple[str, ...],
    prefix: str | None,
    faults: tuple[str, ...],
    max_body: int,
    max_manifest: int,
    max_connections: int,
    timeout: float,
    shares: Path | None,
    profiles: Path | None,
    credentials: Path | None,
    config: Path | None,
    auth: str | None,
    store: str,
    durability: str,
    engine: str,
    fast_path: bool,
    wanted: tuple[str, ...],
    contract_version: str | None,
    reset_path: str | None,
    record: Path | None,
    script: Path | None,
) -> None:
    """Start the reference server; one line with its URL is printed when it is ready.

    Example: lakepact serve --port 0 --fault loadTable.slow
    """
    if reset_path and (store != "memory" or not reset_path.startswith("/")):
        raise click.UsageError("--reset-path /PATH requires --store memory, and a path with /")
    with _ending_cleanly(), contextlib.ExitStack() as ending:
        try:
            location = ending.enter_context(kept(warehouse, store=store))
            files = {"shares": shares, "credentials": credentials, "config": config}
            settings = Settings(
                warehouse=location,
                allowed_locations=allowed_locations,
                prefix=prefix,
                max_body=max_body,
                max_manifest=max_manifest,
                auth=auth,
                store=store,
                durability=durability,
                contract_version=contract_version,
                **files,
            )
            served = services(wanted, settings, faults=faults)
            for one in served:
                ending.callback(one.close)
            rules = read_script(script) if script else None
            recorder = (
                Recorder(ending.enter_context(record.open("a", encoding="utf-8")))
                if record
                else None
            )
            listener, url = listening(host, port)
        except (UnknownFault, Outside, BadSetting) as error:
            raise click.UsageError(str(error)) from None
        except Unanswered as error:
            raise click.ClickException(str(error)) from None
        except OSError as error:
            what = f"use {error.filename}" if error.filename else f"listen on {host}:{port}"
            advice = "; --port 0 takes a free port" if error.errno == errno.EADDRINUSE else ""
            raise click.ClickException(f"cannot {what}: {error.strerror}{advice}") from None
        with contextlib.closing(listener):
            try:
                _write_profiles(served, url, profiles)
            except BadSetting as error:
                raise click.UsageError(str(error)) from None
            app = application(*served, engine=engine)
            if reset_path:
                app = Resetting(
                    lambda: application(*services(wanted, settings, faults=faults), engine=engine),
                    reset_path,
                )
            if rules or recorder:
                app = StubApplication(app, served, script=rules, recorder=recorder)
            share_the_interpreter()
            limits = replace(LIMITS, connections=max_connections, seconds=timeout)
            _Announced(configured(app, fast_path=fast_path, limits=limits), url=url).run(
                sockets=[listener]
            )
