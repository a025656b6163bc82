"""`pytest --lakepact URL`: each requirement of a contract is a test, beside a project's own.

Every pytest loads this where lakepact is installed; what judges is imported once somebody asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, which all begin with --lakepact."""
    group = parser.getgroup("lakepact", "conformance of lakehouse catalogs")
    group.addoption(
        "--lakepact",
        metavar="URL|FILE.toml|embedded",
        help="Judge the server at URL, or that of a profile, which `lakepact probe` writes, or the embedded reference server.",
    )
    group.addoption("--lakepact-contract", metavar="NAME", help="What it is judged by; without it as the profile says, or iceberg_rest.")
    group.addoption("--lakepact-known", metavar="FILE", help="File of known failures, with reasons.")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to share the tests of one run out among processes: each would judge the whole target."""
    if config.getoption("lakepact") is not None and config.getoption("numprocesses", default=None):
        raise pytest.UsageError("--lakepact judges side by side by itself; leave out -n, or give it a run of its own")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Collect the requirements beside what else the session finds."""
    report = yield
    target: str | None = collector.config.getoption("lakepact")
    if target is not None and isinstance(collector, pytest.Session) and report.passed:
        try:
            from lakepact.conformance.as_tests import requirements  # noqa: PLC0415 - most runs of pytest judge nobody
        except ModuleNotFoundError as missing:
            raise pytest.UsageError(f"--lakepact needs {missing.name}: pip install 'lakepact[conformance]'") from missing
        contract, known = (collector.config.getoption(f"lakepact_{name}") for name in ("contract", "known"))
        report.result.append(requirements(collector, target, contract=contract, known_file=known))
    return report
