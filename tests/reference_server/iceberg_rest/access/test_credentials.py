"""The vended keys of a table give a caller the same access in storage as in the catalog."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from .conftest import SERVER_FILE, fill, guarded

FILE = f"""
[warehouses.lake]
[warehouses.lake.credentials]
rehearsal = true
{SERVER_FILE}"""
VENDED = {"X-Iceberg-Access-Delegation": "vended-credentials"}
TABLE = "/v1/namespaces/open/tables/shown"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Generator[Any]:
    """Yield principals, and a list of whether each vended credential is writable."""
    folder: Path = tmp_path_factory.mktemp("guarded")
    with guarded(folder, FILE) as (server, bearing):
        given: list[bool] = []
        usual = server.service.rules.current("storage_credentials")

        def written_down(*arguments: Any, is_writable: bool, **named: Any) -> Any:
            given.append(is_writable)
            return usual(*arguments, is_writable=is_writable, **named)

        server.service.rules.replace("storage_credentials", written_down)
        fill(bearing("root-token"), "open", tables=("open.shown", "open.other"))
        yield bearing, given


@pytest.mark.parametrize(
    ("token", "writes"), [("root", True), ("writer", True), ("reader", False), ("looker", False)]
)
@pytest.mark.parametrize(("path", "headers"), [(TABLE, VENDED), (f"{TABLE}/credentials", {})])
def test_keys_are_writable_only_with_write_access(
    asked: Any, token: str, *, writes: bool, path: str, headers: dict[str, str]
) -> None:
    bearing, given = asked
    given.clear()
    answer = bearing(f"{token}-token")("GET", path, **headers)

    assert (answer.status, given) == (200, [writes])
    assert len(answer.document["storage-credentials"]) == 1


@pytest.mark.parametrize(
    ("token", "table", "status"),
    [
        ("looker", "other", 404),
        ("stranger", "shown", 404),
        (None, "shown", 401),
        ("former", "shown", 401),
    ],
)
def test_hidden_table_gives_no_keys(asked: Any, token: str | None, table: str, status: int) -> None:
    bearing, given = asked
    given.clear()
    principal = bearing(token and f"{token}-token")
    answers = [
        principal("GET", f"/v1/namespaces/open/tables/{table}{end}", **VENDED)
        for end in ("", "/credentials")
    ]

    assert ({answer.status for answer in answers}, given) == ({status}, [])
