"""The index page: contents, and lines that connect clients, without secrets."""

from __future__ import annotations

import contextlib
import html
import json
import re
import shlex
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from click.testing import CliRunner

from browsers import NEEDS_BROWSER, seen
from lakepact.cli import main
from lakepact.conformance.fixtures import pack
from lakepact.reference_server import running
from raw_requests import Sender, serving
from sample_tables.table_documents import field, struct

EVIL = "<b>\"x'"
CONFIG = """
[warehouses.lake]
[principals.ann]
token = "anns-token"
[[grants]]
principal = "ann"
access = "admin"
"""


def page(url: str, **headers: str) -> str:
    """Return the index page as a browser gets it."""
    with urllib.request.urlopen(urllib.request.Request(f"{url}/", headers=headers)) as answer:
        assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
        return str(answer.read().decode())


def section(text: str, heading: str) -> str:
    """Return the text of a part of the page, without tags."""
    return " ".join(
        html.unescape(
            re.sub(r"<[^>]+>", " ", text.partition(f"<h3>{heading}</h3>")[2].partition("<h")[0])
        ).split()
    )


@pytest.fixture
def open_catalog() -> Iterator[tuple[str, Any]]:
    """Yield the address of a catalog that is open to all, and a function that sends requests to
    it.
    """
    with serving(contract="iceberg_rest", warehouse="memory:") as send:
        yield send.url, send


@pytest.fixture
def guarded_catalog(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "server.toml").write_text(CONFIG, "utf-8")
    with running(
        contract="iceberg_rest", warehouse="memory:", config=tmp_path / "server.toml"
    ) as server:
        yield server.url


def test_index_page_lists_namespaces_and_tables(open_catalog: tuple[str, Any]) -> None:
    url, send = open_catalog
    assert section(page(url), "Contents") == "Nothing is there yet."

    for levels in (["sales"], ["sales", "emea"], [EVIL]):
        send("POST", "/v1/namespaces", {"namespace": levels})
    send("POST", "/v1/namespaces/sales/tables", {"name": EVIL, "schema": struct(field(1, "id"))})

    assert section(page(url), "Contents") == f"tables views {EVIL} sales {EVIL} sales.emea"
    assert EVIL not in page(url)


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'; alert(1)//",
    "<!--",
    "</td></table><b>",
    "&lt;b&gt;",
    "\u202egnp.exe",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_callers_are_inert_on_the_index_page(
    text: str, open_catalog: tuple[str, Any]
) -> None:
    url, send = open_catalog
    before = re.findall(r"<[^>]*>", page(url))
    send(
        "POST", "/v1/namespaces", {"namespace": [text], "properties": {text: text, "comment": text}}
    )
    there = f"/v1/namespaces/{quote(text, safe='')}"
    send(
        "POST",
        f"{there}/tables",
        {"name": text, "schema": struct(field(1, "id")), "properties": {text: text}},
    )
    with contextlib.suppress(urllib.error.HTTPError):
        urllib.request.urlopen(
            urllib.request.Request(
                f"{url}{there}",
                headers={"User-Agent": text.encode("latin-1", "replace").decode("latin-1")},
            )
        )
    shown = page(url)

    assert section(shown, "Contents").count(text.replace("\u202e", "\\u202e")) == 2
    assert set(re.findall(r"<[^>]*>", shown)) <= {*before, *KNOWN_TAGS}
    assert "\u202e" not in shown


#: Tags of tables of contents.
KNOWN_TAGS = (
    "<table>",
    "</table>",
    "<tr>",
    "</tr>",
    "<td>",
    "</td>",
    "<th>",
    "</th>",
    "<small>",
    "</small>",
    '<div class="wide">',
    "</div>",
)
KNOWN_TAGS += ('<td class="soft">',)


def test_index_page_forbids_scripts_frames_forms_and_sniffing(
    open_catalog: tuple[str, Any],
) -> None:
    with urllib.request.urlopen(f"{open_catalog[0]}/") as answer:
        policy = dict(
            rule.strip().split(" ", 1)
            for rule in answer.headers["content-security-policy"].split(";")
        )

    forbidden = dict.fromkeys(
        ["default-src", "base-uri", "form-action", "frame-ancestors"], "'none'"
    )
    assert policy == {**forbidden, "style-src": "'unsafe-inline'"}
    assert (answer.headers["x-content-type-options"], answer.headers["referrer-policy"]) == (
        "nosniff",
        "no-referrer",
    )


def test_index_page_lists_the_first_fifty_namespaces(open_catalog: tuple[str, Any]) -> None:
    url, send = open_catalog
    for number in range(60):
        send("POST", "/v1/namespaces", {"namespace": [f"n{number:02}"]})

    shown = section(page(url), "Contents")

    assert (len(re.findall(r"\bn\d\d\b", shown)), "The first 50 are shown." in shown) == (50, True)


def test_index_page_has_lines_that_connect_clients(open_catalog: tuple[str, Any]) -> None:
    url, _ = open_catalog
    connect = page(url).partition(">Connect<")[2].partition("<h3")[0]

    assert re.findall(r"<summary>(.*?)</summary>", connect) == [
        "curl",
        "lakepact",
        "pyiceberg",
        "Spark",
        "DuckDB",
        "Trino",
    ]
    assert connect.count(url) == 6


def lines_of(url: str, client: str) -> str:
    """Return the lines that connect a client, with Ann's token."""
    found = re.search(f"<summary>{client}</summary><pre[^>]*>(.*?)</pre>", page(url), re.DOTALL)
    assert found
    return re.sub(r"(?<!-env )\bTOKEN\b", "anns-token", html.unescape(found[1]))


@pytest.mark.parametrize("catalog", ["open_catalog", "guarded_catalog"])
def test_connecting_lines_work_as_shown(
    catalog: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = request.getfixturevalue(catalog)
    url = given if isinstance(given, str) else given[0]
    monkeypatch.setenv("TOKEN", "anns-token")
    names: dict[str, Any] = {}

    exec(lines_of(url, "pyiceberg"), names)
    names["catalog"].create_namespace("by_pyiceberg")
    configured = subprocess.run(
        ["bash", "-c", lines_of(url, "curl")], capture_output=True, check=True
    ).stdout
    listed = CliRunner().invoke(main, shlex.split(lines_of(url, "lakepact"))[1:])

    assert (
        "endpoints" in json.loads(configured),
        listed.exit_code,
        "by_pyiceberg" in listed.output,
    ) == (True, 0, True)


@pytest.mark.parametrize("host", ["x';rm$IFS-rf$IFS~;'", "$(id)", "a&b;c", "a,b"])
def test_connecting_lines_hold_no_host_that_a_shell_would_run(
    open_catalog: tuple[str, Any], host: str
) -> None:
    url, _ = open_catalog

    assert page(url, Host=host) == page(url)


def test_index_page_of_a_guarded_catalog_shows_no_name_without_a_token(
    guarded_catalog: str,
) -> None:
    with Sender(guarded_catalog) as send:
        assert (
            send(
                "POST",
                "/v1/namespaces",
                {"namespace": ["secretive"]},
                Authorization="Bearer anns-token",
            ).status
            == 200
        )

    nobody, ann = page(guarded_catalog), page(guarded_catalog, Authorization="Bearer anns-token")

    assert ("secretive" in nobody, "anns-token" in nobody + ann) == (False, False)
    assert "Authorization: Bearer TOKEN" in nobody
    assert section(ann, "Contents") == "tables views secretive"


def test_index_page_lists_shares_to_their_recipient(tmp_path: Path) -> None:
    pack.write(tmp_path / "pack")
    with running(warehouse="memory:", shares=tmp_path / "pack" / "shares.yaml") as server:
        nobody = page(server.url)
        recipient = page(server.url, Authorization=f"Bearer {pack.TOKENS['all']}")

    assert ("partitioned_late" in nobody, "partitioned_late" in recipient) == (False, True)
    assert [
        name for name in ("delta-sharing", "polars") if f"<summary>{name}</summary>" not in nobody
    ] == []


def test_index_page_of_a_failing_catalog_names_the_status() -> None:
    with running(
        contract="iceberg_rest", warehouse="memory:", faults=["listNamespaces.answers-503"]
    ) as server:
        assert section(page(server.url), "Contents") == "The contents cannot be listed: status 503."


def test_other_methods_of_the_index_page_return_405(open_catalog: tuple[str, Any]) -> None:
    url, _ = open_catalog

    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(f"{url}/", method="DELETE"))

    with refused.value as answer:
        assert (answer.code, answer.headers["allow"]) == (405, "GET, HEAD")


@NEEDS_BROWSER
@pytest.mark.parametrize("dark", [False, True], ids=["day", "night"])
def test_index_page_fits_a_telephone(
    open_catalog: tuple[str, Any], tmp_path: Path, *, dark: bool
) -> None:
    url, send = open_catalog
    send("GET", f"/v1/namespaces/{'long-' * 60}")

    found = seen(page(url), "table", width=400, dark=dark, folder=tmp_path)

    assert (
        found["width"],
        found["needs"] <= 400,
        (found["page"] < 0.1) == dark,
        found["worst"][0] >= 4.5,
    ) == (400, True, True, True)
