"""`pytest --lakepact URL`: each requirement of a contract is a test among the project's own.

Every pytest loads this module where lakepact is installed; the suite is imported only when the
option is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lakepact.conformance.evidence.extras import OF_CHECKS
from lakepact.extras import install

if TYPE_CHECKING:
    from collections.abc import Generator


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, which all begin with --lakepact."""
    group = parser.getgroup("lakepact", "conformance of lakehouse catalogs")
    group.addoption(
        "--lakepact",
        metavar="URL|FILE.toml|embedded",
        help=(
            "Check the server at URL, or of a profile (see `lakepact probe`), or the embedded"
            " reference server."
        ),
    )
    group.addoption(
        "--lakepact-contract",
        metavar="NAME",
        help="Contract to check against; by default the profile's, or iceberg_rest.",
    )
    group.addoption(
        "--lakepact-known", metavar="FILE", help="File of known failures, with reasons."
    )


def pytest_configure(config: pytest.Config) -> None:
    """Reject pytest-xdist: each process would check the whole target."""
    if config.getoption("lakepact") is not None and config.getoption("numprocesses", default=None):
        raise pytest.UsageError(
            "--lakepact cannot be combined with -n: it runs checks concurrently itself; use a"
            " separate pytest run"
        )


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Add the requirements to the collected tests."""
    report = yield
    target: str | None = collector.config.getoption("lakepact")
    if target is not None and isinstance(collector, pytest.Session) and report.passed:
        contract, failures_file = (
            collector.config.getoption(f"lakepact_{name}") for name in ("contract", "known")
        )
        try:
            from lakepact.testing.requirements import requirements  # noqa: PLC0415 - few runs of pytest check a server

            report.result.append(
                requirements(collector, target, contract=contract, failures_file=failures_file)
            )
        except ModuleNotFoundError as missing:
            extra = OF_CHECKS.get(missing.name or "", "conformance")
            raise pytest.UsageError(
                f"--lakepact needs {missing.name}: {install(extra)}"
            ) from missing
    return report
