"""`pytest --lakepact`: each requirement is a pytest test with the outcome of its check."""

from __future__ import annotations

import importlib
import subprocess
import sys
import unicodedata
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from faulty import mutants
from lakepact.conformance.running import suite as suites
from lakepact.generated.contract import Contract, contracts
from lakepact.reference_server.running import running as serving
from miniatures import answer, miniature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from miniatures import Answer

    Run = Callable[..., pytest.RunResult]

FAULTS = (
    "drops-what-has-children",
    "refuses-commits-without-updates",
)  #: break IRC-NS-DROP-005 (MUST) and IRC-COM-012 (SHOULD)


def requirement_count() -> int:
    """Return how many requirements of iceberg_rest are judged."""
    return len(suites.load("iceberg_rest").judges())


@pytest.fixture(scope="module")
def faulty_url() -> Iterator[str]:
    with serving(warehouse="memory:", faults=mutants(FAULTS)) as server:
        yield server.url


@pytest.fixture(scope="module", autouse=True)
def _imports() -> None:
    """Import modules before the inner pytest, which removes its own imports at its end, so that
    none is imported twice.
    """
    importlib.import_module("lakepact.testing.requirements")
    for contract in contracts():
        suites.load(contract)


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    """Return a function that runs another pytest in an empty folder."""
    return lambda *words: pytester.runpytest_inprocess(
        "-p", "no:cacheprovider", "-rA", "--rootdir=.", *words
    )


def test_broken_requirement_is_a_failed_test_with_evidence(faulty_url: str, run: Run) -> None:
    result = run("--lakepact", faulty_url, "-k", "IRC-NS-DROP-005 or IRC-NS-DROP-001")
    output = " ".join(str(result.stdout).split())

    result.assert_outcomes(passed=1, failed=1, deselected=requirement_count() - 2)
    outcomes = ("PASSED iceberg_rest::IRC-NS-DROP-001", "FAILED iceberg_rest::IRC-NS-DROP-005")
    evidence = (
        "expected status 409",
        "clause openapi.yaml#/paths/",
        f"{faulty_url}/v1/namespaces",
    )
    assert [word for word in (*outcomes, *evidence) if word not in output] == []
    assert "requirements.py" not in output


def test_requirements_run_beside_other_tests_and_are_selected_with_k(
    faulty_url: str, run: Run, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile("def test_own_dropNamespace(): pass\ndef test_other(): pass\n")
    result = run(
        "--lakepact",
        faulty_url,
        "-k",
        "dropNamespace and (test_own or (namespaces and namespaces_with_children_are_not_dropped))",
    )

    others = requirement_count() - 1  # the check judges two requirements
    result.assert_outcomes(passed=2, failed=1, deselected=others)
    result.stdout.fnmatch_lines(
        [f"collected {others + 3} items / {others} deselected / 3 selected"]
    )


def test_known_failure_is_an_expected_failure(faulty_url: str, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "known.txt"
    file.write_text(
        "IRC-NS-DROP-005  children go with their parent here, ticket 4711\n", encoding="utf-8"
    )
    result = run("--lakepact", faulty_url, "--lakepact-known", str(file), "-k", "IRC-NS-DROP-005")

    result.assert_outcomes(xfailed=1, deselected=requirement_count() - 1)
    result.stdout.fnmatch_lines(["XFAIL iceberg_rest::IRC-NS-DROP-005*"])


def test_requirement_that_is_not_offered_is_skipped(
    faulty_url: str, run: Run, tmp_path: Path
) -> None:
    profile = tmp_path / "target.toml"
    profile.write_text(f'url = "{faulty_url}"\n[features]\nnesting = false\n', encoding="utf-8")
    result = run("--lakepact", str(profile), "-k", "IRC-NS-DROP-005")

    result.assert_outcomes(skipped=1, deselected=requirement_count() - 1)


def test_broken_should_requirement_is_a_warning(faulty_url: str, run: Run) -> None:
    result = run("--lakepact", faulty_url, "-k", "IRC-COM-012", "-W", "default")

    result.assert_outcomes(passed=1, warnings=1, deselected=requirement_count() - 1)
    result.stdout.fnmatch_lines(["*ShouldBeKept: WARN  IRC-COM-012  SHOULD  commits"])


def test_unreachable_target_is_an_error_of_each_test(run: Run) -> None:
    result = run("--lakepact", "http://127.0.0.1:9", "-k", "IRC-NS-DROP-005 or IRC-NS-DROP-001")

    result.assert_outcomes(errors=2, deselected=requirement_count() - 2)


def test_embedded_server_of_another_contract_reports_clause_and_level(
    run: Run, tmp_path: Path
) -> None:
    report = tmp_path / "report.xml"
    result = run(
        "--lakepact",
        "embedded",
        "--lakepact-contract",
        "delta_sharing",
        "-k",
        "DS-SHR-01",
        "--junitxml",
        str(report),
    )

    assert result.ret == 0
    assert {one.attrib["name"] for one in ET.parse(report).iter("property")} == {"level", "clause"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("catalog.example.com",), "*catalog.example.com is not the address of a server*"),
        (("",), "*an empty text is not the address of a server*"),
        (("missing.toml",), "*missing.toml cannot be read*"),
        (("embedded", "--lakepact-contract", "hive"), "*hive*"),
        (("embedded", "--lakepact-known", "missing.txt"), "*missing.txt*"),
        (("embedded", "-n", "2"), "*cannot be combined with -n*"),
    ],
)
def test_unusable_options_are_usage_errors(run: Run, words: tuple[str, ...], sentence: str) -> None:
    result = run("--lakepact", *words)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --lakepact{sentence}"])


def test_plugin_imports_no_click_httpx_or_rich() -> None:
    code = "import sys, lakepact.testing.plugin as _; print({'click', 'httpx', 'rich'} & set(sys.modules))"
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert process.stdout == "set()\n"


def test_texts_of_a_hostile_server_are_inert_in_terminal_and_junit(
    run: Run, pytester: pytest.Pytester
) -> None:
    attack = "\x1b[2J\x9b1m\u202e]]><testcase name='x'/>\n::IRC-NS-CREATE-001 PASSED [100%]"
    endpoints = [
        f"{operation.method} {operation.path}"
        for operation in Contract("iceberg_rest").operations.values()
    ]

    def hostile(_method: str, path: str, _body: bytes) -> Answer:
        settings = {"defaults": {"warehouse": attack}, "overrides": {}, "endpoints": endpoints}
        return answer(
            200,
            settings
            if path.startswith("/v1/config")
            else {"namespace": [attack], "namespaces": [[attack]], "properties": {attack: attack}},
        )

    with miniature(hostile) as url:
        result = run("--lakepact", url, "-k", "IRC-NS-", "--junit-xml=junit.xml", "--color=no")
    names = [case.attrib["name"] for case in ET.parse(pytester.path / "junit.xml").iter("testcase")]

    assert result.parseoutcomes()["failed"] > 0
    assert [
        c
        for c in str(result.stdout)
        if c != "\n" and unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp"}
    ] == []
    assert set(names) <= set(suites.load("iceberg_rest").judges())


@pytest.mark.parametrize(
    "content",
    ['"a\\u001b[2J\\nb" = 1', '[headers]\nA = "${NO\\u001b}"', f"odd = {'[' * 5000}", "url = 3"],
)
def test_hostile_profile_is_refused_in_one_printable_line(
    content: str, run: Run, pytester: pytest.Pytester
) -> None:
    (pytester.path / "target.toml").write_text(content, encoding="utf-8")
    result = run("--lakepact", "target.toml")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert [
        line
        for line in result.errlines
        if line and not (line.startswith("ERROR: --lakepact: ") and line.isprintable())
    ] == []
