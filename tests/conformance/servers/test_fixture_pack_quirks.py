"""Servers that share the fixture pack in an unusual way that the protocol allows fail nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from faulty import unnamed
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.running import plan, runner
from lakepact.conformance.running import suite as suites
from lakepact.reference_server.delta_sharing.answers import refused
from lakepact.reference_server.delta_sharing.queries.timestamps import BadTimestamp
from lakepact.reference_server.faults import Install, all_of, on_call, on_lines, on_reply, wrap_rule
from mutants import fault_named
from mutants.hunting import served

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Handler, Scope

SUITE = suites.load("delta_sharing")
IN_LINES = ("getTableMetadata", "queryTable", "queryTableChanges")
KINDS = ("protocol", "metaData", "file", "add", "cdf", "remove", "endStreamAction")
TOLERATED = {Outcome.PASS, Outcome.WARN, Outcome.NOT_OFFERED}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("quirks"))


@pytest.fixture
def outcomes(monkeypatch: pytest.MonkeyPatch, folder: str) -> Callable[..., dict[str, Outcome]]:
    """Return a function that checks the reference server with a quirk."""

    def judged(quirk: Install, *only: str) -> dict[str, Outcome]:
        with served(SUITE, folder, faults=(unnamed(quirk),)) as target:
            run = runner.Run(plan.plan(SUITE, only=only), target)
            for _ in run.events():
                pass
        return {requirement: result.outcome for requirement, result in run.results().items()}

    return judged


def failed(found: dict[str, Outcome]) -> dict[str, Outcome]:
    return {requirement: outcome for requirement, outcome in found.items() if outcome not in TOLERATED}


def _with_every_kind(lines: list[Any]) -> list[Any]:
    return [{**dict.fromkeys(KINDS), **line} for line in lines]


def _in_delta_format_alone(negotiate: Callable[..., str]) -> Callable[..., str]:
    def chosen(capabilities: Any, needed: Any) -> str:
        if "delta" not in (capabilities.formats or ()):
            raise refused(400, "answers are in delta format")
        return negotiate(replace(capabilities, formats=("delta",)), needed)

    return chosen


def _whole_seconds(reading: Callable[[str], int]) -> Callable[[str], int]:
    def read(text: str) -> int:
        if "." in text:
            raise BadTimestamp("seconds are whole")
        return reading(text)

    return read


def _of_now(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Refuse requests for past versions."""
    said = {**arguments, **(arguments.get("body") or {})}
    if any(said.get(name) is not None for name in ("starting_timestamp", "version", "timestamp", "startingVersion")):
        raise refused(400, "the history is not shared")
    return handler(**arguments)


def _refused_with(status: int) -> Install:
    """Return a quirk that refuses changes, whatever the settings of the table are."""

    def refusing(handler: Handler, arguments: dict[str, Any]) -> Reply:
        raise refused(status, "no changes are shared")

    return on_call("queryTableChanges", refusing)


def _holds_versions_alone(agreed: Callable[..., Any]) -> Callable[..., Any]:
    """Take hints from the request instead of the refresh token."""

    def held(asked: dict[str, Any], was: dict[str, Any], *, member: str) -> dict[str, Any]:
        if member != "refreshToken":
            return dict(agreed(asked, was, member=member))
        return {name: value for name, value in was.items() if "Hint" not in name} | {n: v for n, v in asked.items() if "Hint" in n}

    return held


def _without_features(negotiate: Callable[..., str]) -> Callable[..., str]:
    def chosen(capabilities: Any, needed: Any) -> str:
        if needed:
            raise refused(400, "tables with features are not shared")
        return negotiate(capabilities, needed)

    return chosen


def _elsewhere(reply: Reply, scope: Scope) -> Reply:
    """Redirect requests for files to another URL."""
    if reply.status not in {200, 206} or b"moved=1" in scope["query_string"]:
        return reply
    target = b"%b?%b&moved=1" % (scope["raw_path"], scope["query_string"])
    return replace(reply, status=307, chunks=None, body=b"", headers=((b"location", target), (b"content-length", b"0")))


def test_null_line_kinds_fail_nothing(outcomes: Callable[..., dict[str, Outcome]]) -> None:
    quirk = on_lines(IN_LINES, _with_every_kind)

    assert failed(outcomes(quirk, "DS-WRP-01", "DS-DWP-01", "DS-QRY-*", "DS-CDF-*", "DS-ESA-*", "DS-DF-05", "DS-JSP-0[2-7]")) == {}


def test_server_with_only_delta_format_is_judged_in_delta_format(outcomes: Callable[..., dict[str, Outcome]]) -> None:
    quirk = wrap_rule("negotiate", _in_delta_format_alone)
    found = outcomes(quirk, "DS-QRY-*", "DS-CDF-*", "DS-TTV-*", "DS-SCH-*", "DS-FIL-*", "DS-DFL-*", "DS-MET-*", "DS-HNT-*")

    assert failed(found) == {}
    assert {found[r] for r in ("DS-QRY-09", "DS-CDF-10", "DS-TTV-01", "DS-HNT-03", "DS-MET-04")} == {Outcome.PASS}
    assert {found[r] for r in ("DS-MET-03", "DS-SCH-06", "DS-FIL-03")} == {Outcome.NOT_OFFERED}


def test_refusal_of_fractional_seconds_passes(outcomes: Callable[..., dict[str, Outcome]]) -> None:
    quirk = all_of(*(wrap_rule(reading, _whole_seconds) for reading in ("not_before", "not_after")))

    assert outcomes(quirk, "DS-VER-04", "DS-TSF-03") == {"DS-VER-04": Outcome.PASS, "DS-TSF-03": Outcome.PASS}


def test_redirected_files_fail_nothing(outcomes: Callable[..., dict[str, Outcome]]) -> None:
    assert failed(outcomes(on_reply("(data files)", _elsewhere), "DS-QRY-09", "DS-DWP-02", "DS-FIL-*")) == {}


def test_refused_time_after_the_last_commit_is_a_warning(outcomes: Callable[..., dict[str, Outcome]]) -> None:
    quirk = fault_named("times-after-the-last-commit-are-refused", "delta_sharing").install

    assert outcomes(quirk, "DS-TTV-02") == {"DS-TTV-02": Outcome.WARN}


def test_time_travel_is_not_offered_without_history(outcomes: Callable[..., dict[str, Outcome]]) -> None:
    quirk = all_of(on_call("getTableVersion", _of_now), on_call("queryTable", _of_now))
    found = outcomes(quirk, "DS-VER-*", "DS-TSF-*", "DS-TTV-*")

    assert failed(found) == {}
    assert {found[r] for r in ("DS-VER-04", "DS-VER-05", "DS-TSF-01", "DS-TTV-01")} == {Outcome.NOT_OFFERED}


def test_versions_by_time_without_time_travel_fail_nothing(outcomes: Callable[..., dict[str, Outcome]]) -> None:
    found = outcomes(on_call("queryTable", _of_now), "DS-VER-*", "DS-TSF-*", "DS-TTV-*")

    assert failed(found) == {}
    assert {found[r] for r in ("DS-VER-04", "DS-TSF-01")} == {Outcome.PASS}


@pytest.mark.parametrize("status", [400, 403, 404, 405])
def test_refused_changes_are_not_offered(outcomes: Callable[..., dict[str, Outcome]], status: int) -> None:
    found = outcomes(_refused_with(status), "DS-CDF-0[2-8]", "DS-CDF-1[0156]", "DS-TSF-01", "DS-CAP-0[34]", "DS-MDT-01", "DS-GEN-05")

    assert failed(found) == {}
    assert {found[r] for r in ("DS-CDF-03", "DS-CDF-10", "DS-CDF-15")} == {Outcome.NOT_OFFERED}
    assert {found[r] for r in ("DS-TSF-01", "DS-MDT-01", "DS-GEN-05")} == {Outcome.PASS}


def test_refresh_token_without_hints_passes(outcomes: Callable[..., dict[str, Outcome]]) -> None:
    quirk = wrap_rule("agreed", _holds_versions_alone)

    assert outcomes(quirk, "DS-EST-06") == {"DS-EST-06": Outcome.PASS}


def test_refused_tables_with_features_fail_nothing(outcomes: Callable[..., dict[str, Outcome]]) -> None:
    quirk = wrap_rule("negotiate", _without_features)

    assert failed(outcomes(quirk, "DS-QRY-09", "DS-TTV-*", "DS-CDF-*", "DS-HNT-*", "DS-STA-*", "DS-DWP-02", "DS-DF-1[89]")) == {}


def _without_widening(negotiate: Callable[..., str]) -> Callable[..., str]:
    def chosen(capabilities: Any, needed: Any) -> str:
        if needed & {"typeWidening", "timestampNtz"}:
            raise refused(400, "tables with these features are not shared")
        return negotiate(capabilities, needed)

    return chosen


def test_refused_tables_with_rounded_statistics_fail_nothing(outcomes: Callable[..., dict[str, Outcome]]) -> None:
    found = outcomes(wrap_rule("negotiate", _without_widening), "DS-HNT-*", "DS-STA-*", "DS-JSP-0[68]", "DS-DF-19")

    assert failed(found) == {}
    assert {found[r] for r in ("DS-HNT-03", "DS-HNT-09", "DS-DF-19")} == {Outcome.PASS}


def test_unreadable_table_does_not_hide_failures_of_other_tables(outcomes: Callable[..., dict[str, Outcome]]) -> None:
    names = ("inline-vectors-are-a-failure", "hints-are-refused-with-reader-features")
    flaws = all_of(*(fault_named(name, "delta_sharing").install for name in names))

    assert outcomes(flaws, "queries.random_hints.one_sql_predicate")["DS-HNT-03"] is Outcome.FAIL
