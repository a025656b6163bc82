"""Every code block of every page runs in page order, or carries a reason."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import duckdb
import orjson
import pytest

from lakepact.conformance.running import suite
from lakepact.conformance.running.embedded_server import embedded
from lakepact.reference_server import running

from .page_blocks import PAGES, ROOT, Block, blocks

#: Tests that run the blocks of a page and language that need more than a folder and a server.
ELSEWHERE = {
    ("docs/generate-code.md", "yaml"): "tests/pages/test_generate_page.py",
    ("docs/generate-code.md", "sh"): "tests/pages/test_generate_page.py",
    ("docs/generate-code.md", "python"): "tests/pages/test_generate_page.py",
    ("docs/watsonx-data.md", "python"): "tests/registry/test_watsonx_data.py",
    ("docs/write-a-check.md", "sh"): "tests/conformance/suites/test_write_a_check.py",
    ("docs/write-a-check.md", "python"): "tests/conformance/suites/test_write_a_check.py",
    ("docs/test-a-client.md", "python"): "tests/conformance/clients/test_clients_under_test.py",
}
CATALOG, TESTED, SHARING, WATSONX = (
    "http://127.0.0.1:8181",
    "https://catalog.example.com",
    "https://sharing.example/delta-sharing",
    "https://cpd.example/mds/iceberg",
)
INSTALLS = ("pip install", "python3 -m venv", "git clone")
SERVES = "lakepact serve"
ENDED = 600  #: seconds after which a command hangs; a busy machine needs a minute for some


@pytest.fixture(scope="module")
def tested() -> Iterator[Mapping[str, str]]:
    """Yield real servers for the example addresses of the pages, and set the environment variables
    of the pages.
    """
    with contextlib.ExitStack() as stack:
        tested = stack.enter_context(embedded(suite.load("iceberg_rest")))
        sharing = stack.enter_context(embedded(suite.load("delta_sharing")))
        watsonx = stack.enter_context(embedded(suite.load("watsonx_data")))
        known = orjson.loads(Path(tested.parameters["principals"]).read_bytes())
        yield {
            TESTED: tested.url,
            SHARING: sharing.url,
            WATSONX: watsonx.url,
            "TOKEN": tested.headers["Authorization"].removeprefix("Bearer "),
            "READER": known["reader-token"],
            "SHARING_TOKEN": sharing.headers["Authorization"].removeprefix("Bearer "),
            "WATSONX_TOKEN": watsonx.headers["Authorization"].removeprefix("Bearer "),
            "USER_AND_KEY": "harness:"
            + orjson.loads(Path(watsonx.parameters["credentials"]).read_bytes())["api-keys"][
                "harness"
            ],
            "--warehouse iceberg_data": f"--warehouse {watsonx.parameters['warehouse']}",
        }


def run_shell(block: Block, addresses: Mapping[str, str], folder: Path) -> None:
    """Run each command of a block; skip installations, and stop servers after their first
    answer.
    """
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "COLUMNS": "160",
    }
    environment |= {name: value for name, value in addresses.items() if name.isupper()}
    text = block.text.replace("\\\n", " ")
    for written, real in addresses.items():
        text = text if written.isupper() else text.replace(written, real)
    for command in text.splitlines():
        if not command.strip() or command.lstrip().startswith(("#", *INSTALLS)):
            continue
        if command.startswith(SERVES):
            serve(command, environment, folder)
            continue
        done = subprocess.run(
            ["bash", "-ec", command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=ENDED,
            check=False,
        )
        assert done.returncode == 0, (
            f"{block}: {command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        )


def serve(command: str, environment: Mapping[str, str], folder: Path) -> None:
    words = f"exec {command} --port 0"
    with subprocess.Popen(
        ["bash", "-c", words], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline()
        process.terminate()
    assert address.startswith("http://127.0.0.1:"), command


def run_python(block: Block, addresses: Mapping[str, str], names: dict[str, object]) -> None:
    """Run a block with the names of the earlier blocks, and compare its output with the lines after
    `#>`.
    """
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(
            compile(
                block.text.replace(CATALOG, addresses[CATALOG]),
                str(block),
                "exec",
                flags=0,
                dont_inherit=True,
            ),
            names,
        )
    assert printed.getvalue().splitlines() == re.findall(
        r"^ *#> (.*)$", block.text, re.MULTILINE
    ), str(block)


@contextlib.contextmanager
def catalog(page: str, folder: Path) -> Iterator[str]:
    """Yield the catalog of a page, which shares the tables of its `shares.yaml`, if any."""
    shared = next(
        (
            block.text
            for block in blocks(page)
            if block.language == "yaml" and "shares:" in block.text
        ),
        "",
    )
    if shared:
        (folder / "shares.yaml").write_text(shared, "utf-8")
    with running(warehouse=folder.as_uri(), shares="shares.yaml" if shared else None) as server:
        if shared:
            for name, profile in (
                server.services["delta_sharing"].profiles(server.address("delta_sharing")).items()
            ):
                (folder / name).write_bytes(profile)
        yield server.url


@pytest.mark.pages
@pytest.mark.parametrize(
    "page",
    [
        page
        for page in PAGES
        if any(block.language != "text" and not block.reason for block in blocks(page))
    ],
)
def test_page_runs_in_order(
    page: str, tested: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    with catalog(page, tmp_path) as url:
        addresses = {**tested, CATALOG: url}
        for block in blocks(page):
            if not block.reason and (page, block.language) not in ELSEWHERE:
                run(block, addresses, folder=tmp_path, names=names)


def run(
    block: Block, addresses: Mapping[str, str], *, folder: Path, names: dict[str, object]
) -> None:
    match block.language:
        case "sh":
            run_shell(block, addresses, folder)
        case "python":
            run_python(block, addresses, names)
        case "toml":
            tomllib.loads(block.text)
        case "json":
            orjson.loads(block.text)
        case "yaml" if "shares:" not in block.text:
            (folder / "credentials.yaml").write_text(block.text, "utf-8")
        case "sql":
            run_sql(block)
        case "text" | "yaml":
            pass
        case _:
            pytest.fail(f"{block}: a block needs a language, or a reason why it is not run")


def run_sql(block: Block) -> None:
    assert duckdb.sql(block.text.strip().rstrip(";")) is not None, str(block)


def test_reasons_equal_the_known_reasons() -> None:
    assert (
        sorted({block.reason for page in PAGES for block in blocks(page) if block.reason})
        == REASONS
    )


def test_blocks_run_elsewhere_have_a_test_file() -> None:
    assert [test for test in ELSEWHERE.values() if not (ROOT / test).is_file()] == []


#: Every reason for a block that does not run.
REASONS = [
    "examples/ci/github.yml; tests/action runs the scripts of the action",
    "installs from the network; `nox -s build` does the same with the wheel",
    "installs from the network; tests/distribution runs the wheel like this",
    "installs from the network; the continuous integration does it in a fresh clone",
    "needs Iceberg's Java server",
    "needs a bucket",
    "needs a bucket and downloads 640 MB",
    "needs a proxy; tests/conformance/command/test_access.py has one",
    "needs a server and clients",
    "needs a server with TLS; tests/client/test_access.py has one",
    "needs a server with TLS; tests/conformance/command/test_access.py has one",
    "needs a server with principals; tests/conformance/command/test_access.py has one",
    "needs an object store and the official server",
    "needs landed runs",
    "needs the imports of its module",
    "needs the package delta-sharing and the tables of the example",
    "needs two catalogs",
    "needs two catalogs with tables",
    "nox -s examples runs the script",
    "one line for each program that may be there",
    "removes what other examples of this page use",
    "starts Spark; nox -s spark_source does the same",
    "starts a server that does not end",
    "tests/attacks/test_shared_files.py runs this with a folder of its own",
    "tests/conformance/clients runs such a program",
    "tests/conformance/clients runs the program below",
    "tests/conformance/command/test_baseline.py does this with a faulty server",
    "tests/conformance/command/test_fixtures_of_pytest.py runs such tests",
    "tests/field runs it",
    "tests/interop/clients has DuckDB with its extension",
    "the form of a finding",
    "the id of a case is one of your own run",
    "theirs.toml is a profile of another server",
]
