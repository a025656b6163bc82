"""Fixtures that every pytest has where lakepact is installed: `lakepact_server`, `lakepact_catalog`
and `lakepact_share`.

    @pytest.mark.lakepact(fault="loadTable.answers-503")
    def test_outage(lakepact_server): ...

Every pytest imports this module; a fixture imports its libraries when a test asks for it.
"""

# ruff: noqa: PLC0415 - see above

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from lakepact.extras import install

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from lakepact.client import IcebergCatalog, SharingClient
    from lakepact.reference_server import Server

MARKER = "lakepact"
ICEBERG, SHARING = "iceberg_rest", "delta_sharing"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The settings that the markers of a test give its server."""

    faults: tuple[str, ...] = ()
    recipient: str | None = None  #: of the shares file; by default the first
    settings: dict[str, Any] = field(default_factory=dict[str, Any])  #: arguments of `running`


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(fault='OPERATION.NAME', recipient='NAME', **settings): faults (one or a list)"
        " and settings of `lakepact_server`, as `lakepact.reference_server.running` takes them;"
        " recipient of `lakepact_share`.",
    )


def options_of(node: pytest.Item) -> Wanted:
    """Return what the markers of a test, its class and its module say together; the nearest marker
    wins.

    Raises:
        pytest.UsageError: a marker has a positional argument.
    """
    faults: list[str] = []
    settings: dict[str, Any] = {}
    for marker in reversed(list(node.iter_markers(MARKER))):
        if marker.args:
            raise pytest.UsageError(
                f"@pytest.mark.{MARKER} takes keyword arguments: fault='loadTable.slow'"
            )
        fault = marker.kwargs.get("fault", ())
        faults += [fault] if isinstance(fault, str) else fault
        settings |= {name: value for name, value in marker.kwargs.items() if name != "fault"}
    return Wanted(tuple(faults), settings.pop("recipient", None), settings)


@contextlib.contextmanager
def _needs(fixture: str, extra: str) -> Generator[None]:
    """Fail a test whose fixture needs a library that is not installed, and name the extra."""
    try:
        yield
    except ModuleNotFoundError as missing:
        pytest.fail(
            f"{fixture} needs {missing.name}, which is not installed: {install(extra)}",
            pytrace=False,
        )


@pytest.fixture(scope="session")
def lakepact_fixture_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the fixture tables of Delta Sharing, and the file that shares them."""
    with _needs("lakepact_share", "delta"):
        from lakepact.conformance.fixtures.pack import write

        folder = tmp_path_factory.mktemp("lakepact") / "tables"
        write(folder)
    return folder


@pytest.fixture
def lakepact_server(request: pytest.FixtureRequest) -> Generator[Server]:
    """An empty reference server of this test alone; it shares tables too if the test uses
    `lakepact_share`.
    """
    options = options_of(request.node)
    settings = dict(options.settings)
    if "lakepact_share" in request.fixturenames and "shares" not in settings:
        settings["shares"] = request.getfixturevalue("lakepact_fixture_tables") / "shares.yaml"
    with _needs("lakepact_server", "server"):
        from lakepact.reference_server import running
    with running(faults=options.faults, **settings) as server:
        yield server


@pytest.fixture
def lakepact_catalog(lakepact_server: Server) -> Generator[IcebergCatalog]:
    """A client of the Iceberg catalog of `lakepact_server`."""
    from lakepact.client import IcebergCatalog

    with IcebergCatalog(lakepact_server.address(ICEBERG)) as catalog:
        yield catalog


@pytest.fixture
def lakepact_share(
    request: pytest.FixtureRequest, lakepact_server: Server
) -> Generator[SharingClient]:
    """A client of the tables that `lakepact_server` shares: the fixture tables, or those of
    `lakepact(shares=FILE)`.
    """
    from lakepact.client import SharingClient

    service = lakepact_server.services[SHARING]
    profiles = service.profiles(lakepact_server.address(SHARING)) if service.profiles else {}
    recipient = options_of(request.node).recipient
    profile = next(
        (
            text
            for name, text in profiles.items()
            if recipient in (None, name.removesuffix(".share"))
        ),
        None,
    )
    if profile is None:
        raise pytest.UsageError(
            f"lakepact_share: the shares file has no recipient {recipient or ''}".rstrip()
        )
    with SharingClient(profile.decode()) as client:
        yield client
