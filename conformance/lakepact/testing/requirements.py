"""Requirements as pytest tests: one run judges the selected ones, and each test reports its
requirement.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from rich.console import Console

from lakepact.conformance.evidence import extras
from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.evidence.outcome import Blocked, Outcome
from lakepact.conformance.evidence.target import Target, address
from lakepact.conformance.judging import known_failures
from lakepact.conformance.report import text
from lakepact.conformance.report.outline import Outline
from lakepact.conformance.report.run_lines import lines_of
from lakepact.conformance.running import plan, profiles, runner
from lakepact.conformance.running import suite as suites
from lakepact.conformance.running.embedded_server import Misused, embedded
from lakepact.reach.settings import DIRECT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakepact.conformance.judging.known_failures import KnownFailure
    from lakepact.conformance.report.outline import Entry
    from lakepact.generated.contract import Requirement

EMBEDDED = "embedded"  #: instead of an address
WIDTH = 160  #: characters of a line of evidence


class ShouldBeKept(UserWarning):
    """A requirement that the target breaks."""


class Judging:
    """The run behind the tests; it starts when the first test asks for a result.

    Args:
        suite: the checks of the contract.
        url: address of the target; empty for the embedded server.
        keys: those of the profile.
        failures: the file of known failures.

    Raises:
        ValueError: the profile has a feature or parameter that the contract does not have,
            or its folder does not exist.
    """

    def __init__(
        self,
        suite: suites.Suite[Any],
        url: str,
        keys: dict[str, Any],
        failures: Sequence[KnownFailure],
    ) -> None:
        profiles.reject_unknown_names(
            suite, features=keys.get("features", {}), parameters=keys.get("parameters", {})
        )
        self.suite = suite
        self._url = url
        self._keys = keys
        self._headers, self._access = (
            profiles.headers(profiles.Caller(), keys),
            profiles.access(DIRECT, keys, self._url),
        )
        self._shared = profiles.shared_files(None, keys) if url else None
        self._failures = failures
        self._came_out: dict[str, tuple[Outcome, str]] | None = None
        self._stopped = ""

    def of(self, requirement: str, selection: Callable[[], Sequence[str]]) -> tuple[Outcome, str]:
        """Return the result of a requirement with its evidence; the first call runs the suite."""
        if self._came_out is None:
            self._came_out = {}
            self._judge(selection())
        return self._came_out.get(
            requirement, (Outcome.BLOCKED, plain(self._stopped) or "no check came to it")
        )

    def _judge(self, selection: Sequence[str]) -> None:
        run: runner.Run | None = None
        with contextlib.ExitStack() as stack:
            try:
                address_target = (
                    Target(self._url) if self._url else stack.enter_context(embedded(self.suite))
                )
                target = profiles.target_of(
                    address_target,
                    self._keys,
                    headers=self._headers,
                    access=self._access,
                    folder=self._shared,
                )
                only = () if set(selection) >= self.suite.judges().keys() else selection
                run = runner.Run(
                    plan.plan(self.suite, only=only, narrow=True),
                    target,
                    known_failures=self._failures,
                )
                for _ in run.events():
                    pass
            except (Blocked, Misused) as early:
                self._stopped = run.wire.redact(str(early)) if run else str(early)
                return
        self._came_out = {
            entry.result["requirement"]: (entry.outcome, _evidence(entry))
            for entry in Outline.of(lines_of(run)).entries
        }


def _evidence(entry: Entry) -> str:
    if entry.outcome in {Outcome.PASS, Outcome.NOT_OFFERED, Outcome.KNOWN_FAIL}:
        remarks = dict.fromkeys(v.get("remark", "") for v in entry.result["verdicts"])
        return "; ".join(map(plain, filter(None, remarks)))
    stream = io.StringIO()
    text.evidence(entry, Console(file=stream, width=WIDTH, color_system=None))
    return stream.getvalue().rstrip()


class Kept(pytest.Item):
    """The test of one requirement."""

    def __init__(
        self, *, requirement: Requirement, judges: Sequence[str], judging: Judging, **options: Any
    ) -> None:
        super().__init__(**options)
        self._judging = judging
        self.requirement = requirement
        self._came_out: tuple[Outcome, str] | None = None
        self.extra_keyword_matches.update({requirement.area, *requirement.operations, *judges})
        self.user_properties += [
            ("level", requirement.level),
            ("clause", judging.suite.contract.place(requirement.clause)),
        ]

    def setup(self) -> None:
        """Judge it, together with all selected requirements."""
        outcome, evidence = self._judging.of(self.requirement.id, self._selection)
        if outcome in {Outcome.ERROR, Outcome.BLOCKED}:
            pytest.fail(evidence, pytrace=False)
        self._came_out = outcome, evidence

    def _selection(self) -> list[str]:
        """Return the selected requirements, which are judged in one run."""
        return [
            item.requirement.id
            for item in self.session.items
            if isinstance(item, Kept) and item.parent is self.parent
        ]

    def runtest(self) -> None:
        """Report the verdict to pytest as a failure, warning, skip or expected failure."""
        outcome, evidence = self._came_out or (Outcome.ERROR, "")
        if outcome in {Outcome.FAIL, Outcome.UNEXPECTED_PASS}:
            pytest.fail(evidence, pytrace=False)
        if outcome is Outcome.WARN:
            self.warn(ShouldBeKept(evidence))
        elif outcome is Outcome.NOT_OFFERED:
            pytest.skip(evidence)
        elif outcome is Outcome.KNOWN_FAIL:
            pytest.xfail(evidence)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the heading of a failure."""
        return self.path, 0, f"{self.requirement.id}: {self.requirement.sentence}"


class Requirements(pytest.Collector):
    """The tests of one contract, one for each requirement that the suite judges."""

    def __init__(self, *, judging: Judging, **options: Any) -> None:
        super().__init__(**options)
        self._judging = judging

    def collect(self) -> list[pytest.Item]:
        """Return the tests in the order of the registry."""
        suite = self._judging.suite
        judges = suite.judges()
        return [
            Kept.from_parent(
                self, name=name, requirement=requirement, judges=judges[name], judging=self._judging
            )
            for name, requirement in suite.contract.requirements.items()
            if name in judges
        ]


def requirements(
    session: pytest.Session, target: str, *, contract: str | None, failures_file: str | None
) -> Requirements:
    """Return the tests that check a target against a contract.

    Args:
        session: of pytest.
        target: an address, a profile file, or `embedded`.
        contract: the name of a contract; by default the profile's.
        failures_file: the file of known failures.

    Raises:
        pytest.UsageError: an option or the profile is invalid.
    """
    is_profile = target.endswith(".toml")
    try:
        keys = profiles.profile(Path(target) if is_profile else None)
        suite = suites.of_profile(keys, contract)
        extras.require(*suite.libraries)
        url = "" if target == EMBEDDED else address(keys.get("url", "") if is_profile else target)
        failures = known_failures.read(
            Path(failures_file) if failures_file else None, suite.contract.requirements
        )
        judging = Judging(suite, url, keys, failures)
    except (LookupError, ValueError, OSError) as wrong:
        raise pytest.UsageError(
            "--lakepact:"
            f" {plain(wrong.args[0] if isinstance(wrong, LookupError) and wrong.args else wrong)}"
        ) from wrong
    except click.UsageError as wrong:
        raise pytest.UsageError(f"--lakepact: {plain(wrong.message)}") from wrong
    return Requirements.from_parent(
        session, name=suite.contract.name, nodeid=suite.contract.name, judging=judging
    )
