"""Unmodified pyiceberg with a configured token, and with tokens that it fetches from the
catalog.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import ForbiddenError, NoSuchTableError, OAuthError, UnauthorizedError
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from lakepact.reference_server import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyiceberg.catalog.rest import RestCatalog

    from lakepact.reference_server import Server

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

SCHEMA = Schema(NestedField(1, "id", LongType(), required=True), identifier_field_ids=[1])
ROWS = pa.table(
    {"id": pa.array([1, 2], pa.int64())},
    schema=pa.schema([pa.field("id", pa.int64(), nullable=False)]),
)
SERVER_FILE = """
[principals.root]
token = "root-token"

[principals.engine]
client-id = "engine"
client-secret = "s3cret:of the engine"

[principals.reader]
client-id = "reader"
client-secret = "another"

[[grants]]
principal = "root"
access = "admin"

[[grants]]
principal = "engine"
access = "admin"

[[grants]]
principal = "reader"
namespace = ["open"]
access = "read"
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    file = tmp_path / "server.toml"
    file.write_text(SERVER_FILE, encoding="utf-8")
    with running(warehouse=(tmp_path / "warehouse").as_uri(), config=file) as server:
        yield server


def catalog(server: Server, **properties: str) -> RestCatalog:
    return load_catalog("lakepact", type="rest", uri=server.url, **properties)


def credential(server: Server, text: str) -> dict[str, str]:
    return {
        "credential": text,
        "oauth2-server-uri": f"{server.url}/v1/oauth/tokens",
        "scope": "catalog",
    }


def test_token_and_credentials_write_and_read_rows(server: Server) -> None:
    own = catalog(server, token="root-token")
    own.create_namespace("open")
    with_credential = catalog(server, **credential(server, "engine:s3cret:of the engine"))
    table = with_credential.create_table("open.numbers", SCHEMA)
    table.append(ROWS)

    assert own.load_table("open.numbers").scan().to_arrow().to_pylist() == [{"id": 1}, {"id": 2}]


def test_expired_token_is_fetched_again(server: Server) -> None:
    times = [datetime.now(UTC)]
    server.service.rules.replace("now", lambda: times[0])
    with_credential = catalog(server, **credential(server, "engine:s3cret:of the engine"))
    with_credential.create_namespace("open")
    times[0] += timedelta(hours=2)
    with_credential.create_namespace("late")

    assert with_credential.list_namespaces() == [("late",), ("open",)]


def test_reader_gets_forbidden_for_writes_and_404_for_hidden_tables(server: Server) -> None:
    own = catalog(server, token="root-token")
    for name in ("open", "closed"):
        own.create_namespace(name)
        own.create_table(f"{name}.numbers", SCHEMA)
    reader = catalog(server, **credential(server, "reader:another"))

    assert reader.list_namespaces() == [("open",)]
    assert reader.load_table("open.numbers").scan().to_arrow().num_rows == 0
    with pytest.raises(ForbiddenError):
        reader.drop_table("open.numbers")
    with pytest.raises(ForbiddenError):
        reader.load_table("open.numbers").append(ROWS)
    with pytest.raises(NoSuchTableError):
        reader.load_table("closed.numbers")


def test_wrong_credentials_raise_oauth_and_unauthorized_errors(server: Server) -> None:
    with pytest.raises(OAuthError, match="invalid_client"):
        catalog(server, **credential(server, "engine:wrong"))
    with pytest.raises(UnauthorizedError):
        catalog(server, token="nobodys-token")
