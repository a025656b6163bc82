"""The server file is read, and mistakes are reported with their place and without secrets."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from lakepact.reference_server.cli import serve
from lakepact.reference_server.server_file import (
    Grant,
    Secret,
    ServerFile,
    WarehouseEntry,
    read_server_file,
)
from lakepact.reference_server.settings import BadSetting

WHOLE = """
[warehouses.sales]
location = "file:///data/sales"
prefix = "s"
functions = "f.json"
defaults = { "clients" = "4" }
overrides = { "io" = "local" }
table-defaults = { "format-version" = "3" }
[warehouses.sales.credentials]
access-key = "hidden-key"

[principals.ann]
token = "hidden-token"
token-expires = 2027-01-31T00:00:00Z

[principals.bot]
client-id = "bot"
client-secret-env = "BOT_SECRET"

[[grants]]
principal = "ann"
access = "admin"

[[grants]]
principal = "bot"
warehouse = "sales"
namespace = ["a", "b"]
table = "t"
access = "read"

[tokens]
lifetime = 60
max-age = 600
"""


def read(folder: Path, text: str) -> ServerFile:
    file = folder / "server.toml"
    file.write_text(text, encoding="utf-8")
    return read_server_file(file, {"BOT_SECRET": "hidden-secret"})


def test_every_setting_of_a_file_is_read(tmp_path: Path) -> None:
    file = read(tmp_path, WHOLE)
    ann, bot = file.principals.values()

    credentials = {"access-key": "hidden-key"}
    made_with = {"format-version": "3"}
    given = ("sales", "file:///data/sales", "s", {"clients": "4"}, {"io": "local"})
    sales = WarehouseEntry(
        *given,
        table_defaults=made_with,
        credentials=credentials,
        functions=str(tmp_path / "f.json"),
    )
    assert {"sales": sales} == file.warehouses
    assert ("ann", Secret.of("hidden-token"), datetime(2027, 1, 31, tzinfo=UTC)) == (
        ann.name,
        ann.token,
        ann.token_expires,
    )
    assert ("bot", "bot", Secret.of("hidden-secret")) == (
        bot.name,
        bot.client_id,
        bot.client_secret,
    )
    assert (Grant("ann", "admin"), Grant("bot", "read", "sales", ("a", "b"), "t")) == file.grants
    assert (file.token_lifetime, file.token_max_age) == (60, 600)


def test_empty_file_has_no_settings(tmp_path: Path) -> None:
    assert ServerFile() == read(tmp_path, "")


def test_no_secret_can_be_read_off_what_was_read(tmp_path: Path) -> None:
    assert "hidden" not in repr(read(tmp_path, WHOLE))


ANN = '[principals.ann]\ntoken = "hidden"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[warehouse.a]",
            "at the top: 'warehouse' is not known; known are warehouses, principals, grants, tokens",
        ),
        (
            "[warehouses.a]\nplace = 1",
            "at warehouses.a: 'place' is not known; known are location, prefix, defaults, overrides, table-defaults, credentials",
        ),
        ("[warehouses.a]\ndefaults = { x = 1 }", "at warehouses.a.defaults.x: is a text"),
        ("[warehouses]\na = 1", "at warehouses.a: is a table"),
        ("warehouses = 1", "at warehouses: is a table"),
        (
            '[principals.ann]\ntoken = "hidden"\nsecret = "hidden"',
            "at principals.ann: 'secret' is not known; known are token, token-env",
        ),
        ("[principals.ann]", "at principals.ann: has nothing to be known by"),
        ("[principals.ann]\ntoken = 1", "at principals.ann.token: is a text, and not empty"),
        ('[principals.ann]\ntoken = ""', "at principals.ann.token: is a text, and not empty"),
        (
            '[principals.ann]\ntoken = "hidden"\ntoken-env = "X"',
            "at principals.ann: token and token-env are two places for one thing",
        ),
        (
            '[principals.ann]\ntoken-env = "X"',
            "at principals.ann.token-env: the environment variable X is not set, or empty",
        ),
        (
            '[principals.ann]\nclient-id = "a"',
            "at principals.ann: client-id and client-secret (or client-secret-env) go together",
        ),
        (
            '[principals.ann]\nclient-id = "a:b"\nclient-secret = "hidden"',
            "at principals.ann.client-id: must not hold a colon",
        ),
        (
            f"{ANN}token-expires = 2027-01-31",
            "at principals.ann.token-expires: is a time with its zone",
        ),
        (
            f'{ANN}[principals.ben]\ntoken = "hidden"',
            "at principals.ben.token: is that of principals.ann already",
        ),
        (f"{ANN}[grants]", "at grants: is a list of tables"),
        (f'{ANN}[[grants]]\naccess = "read"', "at grants[0]: principal is missing"),
        (
            f'{ANN}[[grants]]\nprincipal = "ben"\naccess = "read"',
            "at grants[0].principal: 'ben' is not one of ann",
        ),
        (
            f'{ANN}[[grants]]\nprincipal = "ann"\naccess = "all"',
            "at grants[0].access: 'all' is not one of read, write, admin",
        ),
        (
            f'{ANN}[[grants]]\nprincipal = "ann"\naccess = "read"\nwarehouse = "w"',
            "at grants[0].warehouse: 'w' is not one of",
        ),
        (
            f'{ANN}[[grants]]\nprincipal = "ann"\naccess = "read"\nnamespace = "a"',
            "at grants[0].namespace: is the list",
        ),
        (
            f'{ANN}[[grants]]\nprincipal = "ann"\naccess = "read"\nnamespace = []',
            "at grants[0].namespace: is the list",
        ),
        (
            f'{ANN}[[grants]]\nprincipal = "ann"\naccess = "read"\ntable = "t"',
            "at grants[0].table: needs a namespace beside it",
        ),
        (
            "[tokens]\nlifetime = 0",
            "at tokens.lifetime: is a whole number of seconds, from 1 to 1000000000",
        ),
        ("[tokens]\nlifetime = 1000000001", "at tokens.lifetime: is a whole number"),
        ("[tokens]\nlifetime = true", "at tokens.lifetime: is a whole number"),
        ("[tokens]\nmax-age = 1.5", "at tokens.max-age: is a whole number"),
        (
            "[tokens]\nmax-age = 3599",
            "at tokens.max-age: must be at least tokens.lifetime, which is 3600",
        ),
        ("[principals.ann]\ntoken = hidden", "is not TOML: "),
    ],
)
def test_invalid_setting_is_reported_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadSetting) as refused:
        read(tmp_path, text)

    assert said in str(refused.value)
    assert "hidden" not in str(refused.value)


def test_maximum_age_is_a_day_unless_tokens_live_longer(tmp_path: Path) -> None:
    assert read(tmp_path, "").token_max_age == 86_400
    assert read(tmp_path, "[tokens]\nlifetime = 100000").token_max_age == 100_000


def test_command_reports_a_wrong_file(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text("[warehouse]", encoding="utf-8")
    result = CliRunner().invoke(serve, ["--config", str(file), "--warehouse", "memory:"])

    assert result.exit_code == 2
    assert f"the server file {file}, at the top: 'warehouse' is not known" in result.output.replace(
        "\n", " "
    )


def test_authentication_without_principals_is_refused() -> None:
    result = CliRunner().invoke(serve, ["--auth", "bearer", "--warehouse", "memory:"])

    assert result.exit_code == 2
    assert "--auth bearer needs principals" in result.output


def test_the_example_of_the_guide_is_understood(tmp_path: Path) -> None:
    guide = (Path(__file__).resolve().parents[2] / "docs" / "run-the-server.md").read_text(
        encoding="utf-8"
    )
    (example,) = [
        block
        for block in re.findall(r"^```toml\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
        if "[principals." in block
    ]
    file = tmp_path / "server.toml"
    file.write_text(f"[warehouses.lake]\n{example}", encoding="utf-8")
    read_file = read_server_file(file, {"SPARK_SECRET": "hidden"})

    assert [(one.name, one.client_id) for one in read_file.principals.values()] == [
        ("ann", None),
        ("spark", "spark"),
    ]
    assert (
        Grant("spark", "admin"),
        Grant("ann", "read", "lake", ("sales", "emea"), "orders"),
    ) == read_file.grants
