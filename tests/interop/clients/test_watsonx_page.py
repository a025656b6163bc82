"""DuckDB and Spark open instances of watsonx.data as docs/watsonx-data.md says."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import yaml

from interop import installed
from lakepact.reference_server import running

pytestmark = pytest.mark.clients

HERE = Path(__file__).parent
PAGE = (HERE.parents[2] / "docs" / "watsonx-data.md").read_text("utf-8")
SQL = re.findall(r"^```sql\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
CONF = [
    dict(line.split(maxsplit=1) for line in block.splitlines())
    for block in re.findall(r"^```text\n(spark.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
]
LOGINS = ("token", "key", "account")
VALUES = {
    "'TOKEN'": "'a-token'",
    "'ACCOUNT'": "'an-account'",
    "BASE64": base64.b64encode(b"hank:an-api-key").decode(),
}


def duckdb(login: str) -> list[str]:
    """Return the command of DuckDB with the statement of the page for a login."""
    statement = SQL[LOGINS.index(login)]
    for placeholder, value in VALUES.items():
        statement = statement.replace(placeholder, value)
    interpreter = installed.python("duckdb-1.5", HERE / "duckdb" / "requirements-1.5.txt")
    return [str(interpreter), str(HERE / "duckdb" / "attached.py"), statement]


def spark(login: str) -> list[str]:
    """Return the command of Spark with the settings of the page for a login."""
    pytest.importorskip("pyspark", reason="Spark is installed with the extra `spark`")
    installed.java()
    with_token, with_key = CONF
    start = "spark.sql.catalog.wxd"
    settings = {**with_token, f"{start}.token": "a-token"}
    if login == "key":
        del settings[f"{start}.token"]
        settings |= {
            name: value.replace("BASE64", VALUES["BASE64"]) for name, value in with_key.items()
        }
    if login == "account":
        settings[f"{start}.header.AccountId"] = "an-account"
    settings["spark.jars"] = installed.jars(HERE / "spark" / "pom.xml").replace(os.pathsep, ",")
    arguments = [f"{name}={value}" for name, value in settings.items()]
    return [sys.executable, str(HERE / "spark" / "attached.py"), *arguments]


@pytest.mark.parametrize("login", LOGINS)
@pytest.mark.parametrize("command_of", [duckdb, spark])
def test_engine_opens_an_instance_as_the_page_says(
    tmp_path: Path, command_of: Callable[[str], Sequence[str]], login: str
) -> None:
    credentials = {"tokens": ["a-token"], "api-keys": {"hank": "an-api-key"}}
    credentials |= {"account-id": "an-account"} if login == "account" else {}
    (tmp_path / "credentials.yaml").write_text(yaml.safe_dump(credentials), "utf-8")
    with running(
        contract="watsonx_data",
        prefix="iceberg_data",
        warehouse=str(tmp_path / "tables"),
        credentials=tmp_path / "credentials.yaml",
    ) as server:
        address = re.compile(r"https://cpd\.example/(mds|api/v1)/iceberg")
        command = [address.sub(server.address("watsonx_data"), word) for word in command_of(login)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)

    assert ran.stdout.splitlines()[-1:] == ["[(3,)]"], ran.stderr[-3000:]
