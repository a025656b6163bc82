"""Servers that share the fixture pack in an unusual way that the protocol allows fail nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from faulty import unnamed
from faulty_servers import checked, outcomes_of
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.running import suite as suites
from lakepact.reference_server.delta_sharing.answers import refusal
from lakepact.reference_server.delta_sharing.queries.timestamps import BadTimestamp
from lakepact.reference_server.faults import Install, all_of, on_call, on_lines, on_reply, wrap_rule
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Handler, Scope
from mutants import fault_named
from mutants.hunting import served
from sampling import by_day

SUITE = suites.load("delta_sharing")
IN_LINES = ("getTableMetadata", "queryTable", "queryTableChanges")
KINDS = ("protocol", "metaData", "file", "add", "cdf", "remove", "endStreamAction")
TOLERATED = {Outcome.PASS, Outcome.WARN, Outcome.NOT_OFFERED}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("quirks"))


@pytest.fixture
def outcomes(folder: str) -> Callable[..., dict[str, Outcome]]:
    """Return a function that checks the reference server with a quirk."""

    def check(quirk: Install, *only: str) -> dict[str, Outcome]:
        with served(SUITE, folder, faults=(unnamed(quirk),)) as target:
            return outcomes_of(checked(target, *only, of=SUITE))

    return check


def failures_of(outcomes: dict[str, Outcome]) -> dict[str, Outcome]:
    return {
        requirement: outcome
        for requirement, outcome in outcomes.items()
        if outcome not in TOLERATED
    }


def _with_every_kind(lines: list[Any]) -> list[Any]:
    return [{**dict.fromkeys(KINDS), **line} for line in lines]


def _in_delta_format_alone(negotiate: Callable[..., str]) -> Callable[..., str]:
    def choose(capabilities: Any, features: Any) -> str:
        if "delta" not in (capabilities.formats or ()):
            raise refusal(400, "answers are in delta format")
        return negotiate(replace(capabilities, formats=("delta",)), features)

    return choose


def _whole_seconds(reading: Callable[[str], int]) -> Callable[[str], int]:
    def read(text: str) -> int:
        if "." in text:
            raise BadTimestamp("seconds are whole")
        return reading(text)

    return read


def _of_now(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Refuse requests for past versions."""
    parameters = {**arguments, **(arguments.get("body") or {})}
    if any(
        parameters.get(name) is not None
        for name in ("starting_timestamp", "version", "timestamp", "startingVersion")
    ):
        raise refusal(400, "the history is not shared")
    return handler(**arguments)


def _holds_versions_alone(agree: Callable[..., Any]) -> Callable[..., Any]:
    """Take hints from the request instead of the refresh token."""

    def merge(
        request: dict[str, Any], was: dict[str, Any], *, member: str, whole: bool
    ) -> dict[str, Any]:
        if member != "refreshToken":
            return dict(agree(request, was, member=member, whole=whole))
        return {name: value for name, value in was.items() if "Hint" not in name} | {
            n: v for n, v in request.items() if "Hint" in n
        }

    return merge


def _elsewhere(reply: Reply, scope: Scope) -> Reply:
    """Redirect requests for files to another URL."""
    if reply.status not in {200, 206} or b"moved=1" in scope["query_string"]:
        return reply
    target = b"%b?%b&moved=1" % (scope["raw_path"], scope["query_string"])
    return replace(
        reply,
        status=307,
        chunks=None,
        body=b"",
        headers=((b"location", target), (b"content-length", b"0")),
    )


def _without(features: frozenset[str] | None = None) -> Install:
    """Return a quirk that refuses tables with some features, or with any."""

    def without(negotiate: Callable[..., str]) -> Callable[..., str]:
        def choose(capabilities: Any, of_table: Any) -> str:
            if of_table and (features is None or of_table & features):
                raise refusal(400, "tables with these features are not shared")
            return negotiate(capabilities, of_table)

        return choose

    return wrap_rule("negotiate", without)


def _without_changes(status: int) -> Quirk:
    """Return a quirk that refuses changes, whatever the settings of the table are."""

    def refusing(handler: Handler, arguments: dict[str, Any]) -> Reply:
        raise refusal(status, "no changes are shared")

    only = (
        "DS-CDF-0[2-8]",
        "DS-CDF-1[0156]",
        "DS-TSF-01",
        "DS-CAP-0[34]",
        "DS-MDT-01",
        "DS-GEN-05",
    )
    passes = dict.fromkeys(("DS-TSF-01", "DS-MDT-01", "DS-GEN-05"), PASS)
    return (
        on_call("queryTableChanges", refusing),
        only,
        passes | dict.fromkeys(("DS-CDF-03", "DS-CDF-10", "DS-CDF-15"), NOT_OFFERED),
    )


Quirk = tuple[Install, tuple[str, ...], dict[str, Outcome]]
PASS, WARN, NOT_OFFERED = Outcome.PASS, Outcome.WARN, Outcome.NOT_OFFERED
OF_TIMES = ("DS-VER-*", "DS-TSF-*", "DS-TTV-*")
#: By quirk: the server, requirements that it does not break, and outcomes of some of them.
QUIRKS: dict[str, Quirk] = {
    "writes-null-for-other-kinds": (
        on_lines(IN_LINES, _with_every_kind),
        ("DS-WRP-01", "DS-DWP-01", "DS-QRY-*", "DS-CDF-*", "DS-ESA-*", "DS-DF-05", "DS-JSP-0[2-7]"),
        {},
    ),
    "speaks-delta-format-alone": (
        wrap_rule("negotiate", _in_delta_format_alone),
        (
            "DS-QRY-*",
            "DS-CDF-*",
            "DS-TTV-*",
            "DS-SCH-*",
            "DS-FIL-*",
            "DS-DFL-*",
            "DS-MET-*",
            "DS-HNT-*",
        ),
        dict.fromkeys(("DS-QRY-09", "DS-CDF-10", "DS-TTV-01", "DS-HNT-03", "DS-MET-04"), PASS)
        | dict.fromkeys(("DS-MET-03", "DS-SCH-06", "DS-FIL-03"), NOT_OFFERED),
    ),
    "takes-whole-seconds": (
        all_of(*(wrap_rule(reading, _whole_seconds) for reading in ("not_before", "not_after"))),
        ("DS-VER-04", "DS-TSF-03"),
        {"DS-VER-04": PASS, "DS-TSF-03": PASS},
    ),
    "redirects-files": (
        on_reply("(data files)", _elsewhere),
        ("DS-QRY-09", "DS-DWP-02", "DS-FIL-*"),
        {},
    ),
    "refuses-times-after-the-last-commit": (
        fault_named("times-after-the-last-commit-are-refused", "delta_sharing").install,
        ("DS-TTV-02",),
        {"DS-TTV-02": WARN},
    ),
    "shares-no-history": (
        all_of(on_call("getTableVersion", _of_now), on_call("queryTable", _of_now)),
        OF_TIMES,
        dict.fromkeys(("DS-VER-04", "DS-VER-05", "DS-TSF-01", "DS-TTV-01"), NOT_OFFERED),
    ),
    "tells-versions-by-time-alone": (
        on_call("queryTable", _of_now),
        OF_TIMES,
        {"DS-VER-04": PASS, "DS-TSF-01": PASS},
    ),
    **{
        f"refuses-changes-with-{status}": _without_changes(status)
        for status in (400, 403, 404, 405)
    },
    "keeps-no-hints": (
        wrap_rule("query_of_token", _holds_versions_alone),
        ("DS-EST-06",),
        {"DS-EST-06": PASS},
    ),
    "shares-no-features": (
        _without(),
        ("DS-QRY-09", "DS-TTV-*", "DS-CDF-*", "DS-HNT-*", "DS-STA-*", "DS-DWP-02", "DS-DF-1[89]"),
        {},
    ),
    "shares-no-rounded-statistics": (
        _without(frozenset({"typeWidening", "timestampNtz"})),
        ("DS-HNT-*", "DS-STA-*", "DS-JSP-0[68]", "DS-DF-19"),
        dict.fromkeys(("DS-HNT-03", "DS-HNT-09", "DS-DF-19"), PASS),
    ),
}
LONG = {
    "writes-null-for-other-kinds",
    "shares-no-rounded-statistics",
    "redirects-files",
    "speaks-delta-format-alone",
    "shares-no-features",
}


@pytest.mark.parametrize(
    "quirk",
    by_day(
        QUIRKS,
        QUIRKS.keys() - LONG - {f"refuses-changes-with-{status}" for status in (400, 403, 405)},
    ),
)
def test_allowed_quirk_fails_nothing(
    outcomes: Callable[..., dict[str, Outcome]], quirk: str
) -> None:
    install, only, expected = QUIRKS[quirk]
    actual = outcomes(install, *only)

    assert failures_of(actual) == {}
    assert {requirement: actual[requirement] for requirement in expected} == expected


def test_unreadable_table_does_not_hide_failures_of_other_tables(
    outcomes: Callable[..., dict[str, Outcome]],
) -> None:
    names = ("inline-vectors-are-a-failure", "hints-are-refused-with-reader-features")
    flaws = all_of(*(fault_named(name, "delta_sharing").install for name in names))

    assert outcomes(flaws, "queries.random_hints.one_sql_predicate")["DS-HNT-03"] is Outcome.FAIL
