"""Sharing servers of others, each as a context manager that yields the endpoint of the fixture
pack.

No package registry has the official server: `DSS_CLASSPATH` names the class path of one that was
built from its sources. It listens on all interfaces, since it has no setting for that.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

import httpx
import pytest
import yaml

from interop import installed
from lakepact.conformance.fixtures import manifest, pack
from servers_matrix.processes import KEYS, client, free_port, object_store, running
from servers_matrix.servers import CatalogServer, lakepact

HERE = Path(__file__).parent
SETTINGS = HERE / "delta_sharing_server"  #: its configuration of S3
CLASS_PATH = "DSS_CLASSPATH"
MAIN = "io.delta.sharing.server.DeltaSharingService"
BUCKET = "lakepact"
PACK = "pack"  #: the folder with the fixture pack
#: The environment variable of its profile with the token of the fixture pack, published and no
#: secret.
TOKEN_VARIABLE, TOKEN = "SHARING_TOKEN_LAKEPACT", pack.TOKENS["all"]


@dataclass(frozen=True)
class OfficialServer:
    """A running official server, and the object store of its tables."""

    url: str
    store: Any

    def upload(self, folder: Path, prefix: str) -> None:
        """Copy the files of a folder, each commit after the one before it."""
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                key = f"{prefix}/{path.relative_to(folder).as_posix()}"
                self.store.upload_file(str(path), BUCKET, key)


@contextlib.contextmanager
def serving(folder: Path, shares: Sequence[Mapping[str, Any]] = ()) -> Generator[OfficialServer]:
    """Yield the official server with the fixture pack and further shares in an object store."""
    class_path = os.environ.get(CLASS_PATH)
    if not class_path:
        pytest.skip(f"{CLASS_PATH} does not name the class path of the official server")
    java, port = installed.tool("java", why="it runs the official server"), free_port()
    written, conf = folder / PACK, folder / "conf"
    pack.write(written, location=f"s3a://{BUCKET}/tables")
    with object_store(folder / "store", services="s3") as store:
        server = OfficialServer(f"http://127.0.0.1:{port}/delta-sharing", client("s3", store))
        server.store.create_bucket(Bucket=BUCKET)
        server.upload(written / "tables", "tables")
        conf.mkdir()
        host = store.removeprefix("http://")
        for settings in SETTINGS.glob("*.xml"):
            text = Template(settings.read_text("utf-8")).substitute(host=host)
            (conf / settings.name).write_text(text, "utf-8")
        document = yaml.safe_load((written / manifest.SHARES).read_text("utf-8"))
        document["shares"] += shares
        document |= {"host": "127.0.0.1", "port": port}
        (conf / "shares.yaml").write_text(yaml.safe_dump(document, allow_unicode=True), "utf-8")
        command = [
            java,
            f"-Dcom.amazonaws.regions.RegionUtils.fileOverride={conf / 'regions.xml'}",
            *("-cp", f"{conf}:{class_path}", MAIN, "--config", str(conf / "shares.yaml")),
        ]
        env = {
            "AWS_ACCESS_KEY_ID": KEYS["aws_access_key_id"],
            "AWS_SECRET_ACCESS_KEY": KEYS["aws_secret_access_key"],
            "AWS_REGION": KEYS["region_name"],
        }
        with running(command, folder / "server.log", answers=server.url, env=env):
            _read_first(server.url)
            yield server


def _read_first(url: str) -> None:
    """Wait for the first read of a table, for which the server loads classes for seconds."""
    table = f"{url}/shares/lakepact/schemas/tables/tables/changes/metadata"
    headers = {"Authorization": f"Bearer {TOKEN}"}
    for _ in range(10):  # it gives up after 30 seconds
        with contextlib.suppress(httpx.TransportError):  # or in the middle of its answer
            if httpx.get(table, headers=headers, timeout=120, trust_env=False).is_success:
                return
    raise RuntimeError(f"the official server does not answer {table}")


@contextlib.contextmanager
def official(folder: Path) -> Generator[str]:
    """Yield the endpoint of the official server with the fixture pack."""
    with serving(folder) as server:
        yield server.url


#: The sharing servers of the matrix, in the order of its columns.
SHARING = (
    CatalogServer(
        "delta-sharing",
        "Delta Sharing server",
        "1.3.9",
        official,
        ("--parameter", f"fixtures=$folder/{PACK}"),
    ),
    CatalogServer("lakepact-sharing", "lakepact reference server", "0.1.0", lakepact),
)
