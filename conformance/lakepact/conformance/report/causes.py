"""The causes of a report's failures: deviating exchanges, each with the requirements that it
breaks, the gravest first.

`grouping` tells what findings of one cause have in common.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.object_names import OBJECT
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Outcome, Wrong, any_of
from lakepact.conformance.http.wire import BUSY, NOT_MODIFIED
from lakepact.conformance.report.grouping.cases import NOT_FOUND, SCANS, SERVER_ERROR, Finding
from lakepact.conformance.report.grouping.evidence import Evidence
from lakepact.conformance.report.grouping.keys import Key

if TYPE_CHECKING:
    from lakepact.generated.report import Line

#: Members with the files that a client reads.
FILES = frozenset({"file-scan-tasks", "delete-files", "plan-tasks"})

#: Members that say which table or view a load shows, and which of its states.
STATES = frozenset({("table-uuid",), ("view-uuid",), ("current-snapshot-id",)})

SHOWN_MESSAGE = 80  #: characters of a server's message in a title
SHOWN = 160  #: characters of a text in a title
FOLDERS = re.compile(r"\w+:/[^\s\"]*/(?=[^/\s\"]+\.\w)")  #: before the name of a file
STATUS = re.compile(r"^(?:status [\dx or]+|a refusal|a 4xx status|no 5xx status) ?")

#: By kind of mistake: what a request has, where `{}` is the member, the parameter or the thing.
MISTAKES: Mapping[str, str] = {
    Wrong.ABSENT: "for a {} that does not exist",
    Wrong.PRESENT: "for a {} that exists already",
    Wrong.MISSING: "without a required member",
    Wrong.TYPE: "with a value of the wrong JSON type",
    Wrong.VALUE: "with an invalid value of `{}`",
    Wrong.DUPLICATE: "with a duplicate in `{}`",
    Wrong.UNKNOWN_ID: "with an unknown id in `{}`",
    Wrong.IN_USE: "with a change of what is in use, in `{}`",
    Wrong.STALE: "whose `{}` does not hold",
    Wrong.SYNTAX: "with an unreadable `{}`",
    Wrong.ACCESS: "without the rights or the credentials ({})",
}
IMPLIED = "as earlier successful requests imply"  #: in what a model of the catalog expects
HOLDS = "for a namespace that holds a {}"
#: By what is special about the names in a path.
NAMES = {
    "nested": "for a namespace of several levels",
    "encoded": "for a name with characters that are encoded",
}
#: By kind of difference: what an answer has, where `{}` is the place.
DEVIATIONS: Mapping[str, str] = {
    Kind.MISSING: "`{}` missing or incomplete",
    Kind.SURPLUS: "`{}` with more than it should have",
    Kind.VALUE: "a wrong `{}`",
    Kind.TYPE: "`{}` with another JSON type",
    Kind.SPELLING: "`{}` as text instead of a number, or the reverse",
}


#: Faults that show in many requests, by the first item of their keys; the others are their values.
FAULTS: Mapping[str, str] = {
    "no error body": "errors have no error body of the contract",
    "error as success": "errors came with status {}",
    "lost creation": "{} returned success, and the object is not found afterwards",
    "unserved": "operations that should be served returned {}",
    "constant": "nearly all requests returned {}",
    "unread": "bodies without a required member, or with another JSON type, returned {}, expected 400",
}


class Severity(StrEnum):
    """The harm of a cause to clients, the gravest first."""

    DATA = "data lost or corrupted"
    EXPOSED = "data exposed"
    REFUSED = "right request refused"
    EFFECT = "wrong effect"
    STATUS = "wrong status"
    TEXT = "wrong text"

    @property
    def rank(self) -> int:
        """Rank of the severity; 0 is the gravest."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause of failures."""

    severity: Severity  #: of the gravest finding
    title: str  #: what was sent, expected and returned
    findings: tuple[Finding, ...]  #: one of each requirement; the first explains the others
    outcome: Outcome  #: the worst of the requirements

    @property
    def requirements(self) -> tuple[str, ...]:
        """The ids of the requirements that the cause breaks."""
        return tuple(finding.requirement for finding in self.findings)


def causes(
    report: Iterable[Line], *, refused: Collection[str] = ("GET", "POST"), always: int = 0
) -> list[Cause]:
    """Return the causes of the broken requirements of a report: those of failures first, each by
    severity.

    Args:
        report: the lines of results and exchanges.
        refused: methods with a request that the server refused.
        always: the status that nearly every request returned; 0 if there is none.
    """
    evidence = Evidence(report, refused=refused, always=always)
    groups: dict[Key, list[Finding]] = defaultdict(list)
    for finding in evidence.findings:
        groups[evidence.key(finding)].append(finding)
    alike: dict[str, tuple[Key, list[Finding]]] = {}
    for key, group in groups.items():  # what reads alike is one cause
        alike.setdefault(_cause(key, group).title, (key, []))[1].extend(group)
    return sorted((_cause(key, group) for key, group in alike.values()), key=_order)


def _order(cause: Cause) -> tuple[bool, int, int]:
    return (cause.outcome is not Outcome.FAIL, cause.severity.rank, -len(cause.findings))


def _cause(key: Key, group: Sequence[Finding]) -> Cause:
    gravest: dict[str, Finding] = {}
    for finding in sorted(group, key=_gravity):
        gravest.setdefault(finding.requirement, finding)
    order: dict[str, Callable[[Finding], tuple[object, ...]]] = {
        "accepted": _shows,
        "success": _status_first,
        "error as success": lambda finding: (not finding.is_error_as_success, *_explains(finding)),
        "lost creation": partial(_not_found_after, key[-1]),
    }
    findings = tuple(sorted(gravest.values(), key=order.get(str(key[0]), _explains)))
    outcome = min(
        (Outcome(finding.result["outcome"]) for finding in group),
        key=lambda outcome: outcome.weight,
    )
    of_status = [finding for finding in group if finding.is_about_status]
    cases = of_status if key[0] == "success" and of_status else group
    grave = min((severity(finding) for finding in cases), key=lambda each: each.rank)
    if key[0] == "lost creation" or (key[0] == "accepted" and any(map(_cannot_be_read, group))):
        grave = Severity.DATA
    if key[0] == "error as success":  # also of HEAD, whose answer does not show the error
        grave = Severity.STATUS
    return Cause(grave, _title_of(key, findings, group), findings, outcome)


def _gravity(finding: Finding) -> tuple[int, bool]:
    """Return the rank of a case of a requirement: the gravest, and of these one whose mistake needs
    no words of its own.
    """
    return severity(finding).rank, "phrase" in finding.failure.get("mutation", {})


def _not_found_after(creation: object, finding: Finding) -> tuple[object, ...]:
    """Return the rank of a finding in the cause of a creation: a 404 against one of its own
    requirements explains the others.
    """
    operations = finding.result.get("operations", ())
    return creation not in operations, finding.status != NOT_FOUND, len(operations)


def _shows(finding: Finding) -> tuple[object, ...]:
    """Return the rank of a finding in a cause that begins with an accepted request: the gravest
    shows what it did.
    """
    return (severity(finding).rank, not finding.accepts, *_explains(finding))


def _status_first(finding: Finding) -> tuple[object, ...]:
    """Return the rank of a finding in its cause: another status explains what else differs."""
    return (not finding.is_about_status, *_explains(finding))


def _explains(finding: Finding) -> tuple[object, ...]:
    """Return the rank of a finding in its cause: what changes more explains the others, then what
    binds fewer operations.
    """
    return (
        finding.follows_refusal,
        not finding.accepts and finding.is_error,
        severity(finding) in {Severity.STATUS, Severity.TEXT},
        finding.result["outcome"] != Outcome.FAIL,
        _rank_of_check(finding),
        len(finding.result.get("operations", ())) or 99,
        severity(finding).rank,
    )


def _rank_of_check(finding: Finding) -> int:
    """Return the rank of the check that has a finding: an invariant sees the effect of a refused
    request first, and most other things last.
    """
    if not finding.is_of_any_exchange:
        return 1
    return 0 if finding.is_effect else 2


def severity(finding: Finding) -> Severity:
    """Return what clients lose by a finding, as the exchange shows it."""
    if finding.follows_refusal:
        return Severity.REFUSED
    if finding.is_error_as_success:
        return Severity.STATUS
    is_data = finding.result.get("risk") == "data"
    if finding.status >= LOWEST_ERROR:
        return _severity_of_error(finding, is_data=is_data)
    is_open = finding.accepts and finding.wrong == Wrong.ACCESS
    if is_open or finding.result.get("risk") == "exposed":
        return Severity.EXPOSED
    is_stale = is_data and finding.status == NOT_MODIFIED
    if finding.is_about_status and not finding.accepts and not is_stale:
        return Severity.STATUS
    is_loss = (
        is_data or _loses_rows(finding) or _shows_another(finding) or finding.differs_after_refusal
    )
    return Severity.DATA if is_loss else Severity.EFFECT


def _severity_of_error(finding: Finding, *, is_data: bool) -> Severity:
    if finding.difference.endswith("/message"):
        return Severity.TEXT
    if not finding.expects_success or finding.status in BUSY:  # they ask to come again
        return Severity.STATUS
    operations = finding.result.get("operations", ())
    is_later = bool(operations) and finding.operation not in operations
    is_loss = finding.differs_after_refusal or (is_data and (finding.reads or is_later))
    return Severity.DATA if is_loss else Severity.REFUSED


def _cannot_be_read(finding: Finding) -> bool:
    """Return whether the server fails to show what is stored."""
    return finding.reads and finding.expects_success and finding.status >= SERVER_ERROR


def _shows_another(finding: Finding) -> bool:
    """Return whether a read shows another table or view, or another state of it, than it should."""
    return finding.reads and finding.place in STATES and finding.is_about(Kind.VALUE)


def _loses_rows(finding: Finding) -> bool:
    """Return whether a plan has other files than the rows that were asked for."""
    return (
        finding.operation in SCANS
        and len(finding.place) == 1
        and finding.place[0] in FILES
        and not finding.is_about(Kind.TYPE, Kind.SPELLING)
    )


def _title_of(key: Key, findings: Sequence[Finding], group: Sequence[Finding]) -> str:
    """Return the title of a cause.

    Args:
        key: what its findings have in common.
        findings: one of each requirement; the first explains the others.
        group: all its cases.
    """
    names = list(dict.fromkeys(filter(None, (each.operation for each in group))))
    match key:
        case ("refuses none", reads):
            methods = "GET or HEAD" if reads else "POST, PUT or DELETE"
            return f"no {methods} request of the run was refused, for {len(findings)} requirements"
        case ("empty body" | "a web page" | "no JSON" as flaw,):
            fault = f"requests returned {flaw}"
        case (kind, *values) if kind in FAULTS:
            fault = FAULTS[str(kind)].format(*values)
        case ("refused alike", status, kind, expected, *_):
            error = f"{status} ({kind})" if kind else status
            fault = f"requests with mistakes of many kinds returned {error}, expected {expected}"
        case ("accepted", *_):
            first = next((f for f in (*findings, *group) if f.accepts), findings[0])
            unread = next((f for f in group if _cannot_be_read(f)), None)
            after = f"; then {unread.operation} returned {unread.status}" if unread else ""
            return _title(first, names) + after
        case _:
            numbers = {f.refusal["number"] for f in group if f.refusal and f.is_effect}
            refusals = (
                f
                for f in sorted(group, key=_status_first)
                if f.exchange and f.exchange["number"] in numbers
            )
            if (origin := next(refusals, None)) is not None:
                return f"{_title(origin, names)}; the change was applied"
            return _title(findings[0], names)
    return _short(f"{fault}: {', '.join(names)}")


def _title(finding: Finding, operations: Sequence[str]) -> str:
    expected, actual = _short(finding.failure["expected"]), _short(finding.failure["actual"])
    if finding.exchange is None:
        return f"expected {expected}, got {actual}"
    request = finding.exchange["request"]
    operation = finding.operation or f"{request['method']} {request['url']}"
    is_about_status = finding.expected_status or STATUS.match(finding.failure["expected"])
    change_and_request = f"{_before(finding)}{operation}"
    if not is_about_status:
        return f"{change_and_request} returned {_deviation(finding)}: expected {expected}, got {actual}"
    status = any_of(finding.expected_status) or _sort_of_status(finding)
    others = ", ".join(o for o in operations if o != finding.operation)
    return _short(
        f"{change_and_request} returned {finding.status}{_body(finding)} {_request(finding)}".rstrip()
        + f", expected {status}"
        + (f" (also {others})" if others else "")
    )


def _before(finding: Finding) -> str:
    """Return the change that a read shows otherwise than expected."""
    if finding.differs_after_refusal and finding.refusal is not None:
        return f"after a refused {finding.refusal['operation']}, "
    is_missing = finding.expects_success and finding.status == NOT_FOUND
    if not finding.reads or finding.is_of_any_exchange or (finding.is_error and not is_missing):
        return ""
    if not finding.objects:  # no change that the report knows is about what is read
        return ""
    if (  # reports of earlier versions hold warnings about a status without `expected_status`
        finding.failure["expected"].startswith("status 4")
        and IMPLIED not in finding.failure["expected"]
    ):
        return ""
    if finding.accepts and IMPLIED not in finding.failure["expected"]:
        return ""
    return f"after {finding.change['operation']}, " if finding.change is not None else ""


def _sort_of_status(finding: Finding) -> str:
    expected = STATUS.match(finding.failure["expected"])
    return expected[0].strip().removeprefix("status ") if expected else "a refusal"


def _deviation(finding: Finding) -> str:
    """Return what the answer has at the place that is not as expected; its status if the place is
    not known.
    """
    place, kind = "/".join(finding.place), finding.failure.get("difference", {}).get("kind", "")
    return DEVIATIONS[kind].format(place) if place and kind in DEVIATIONS else str(finding.status)


def _request(finding: Finding) -> str:
    """Return what was wrong in the request, or special about it: in the words of the check, or else
    of the mutation.
    """
    if phrase := finding.failure.get("mutation", {}).get("phrase", ""):
        return str(phrase)
    about = STATUS.sub("", finding.failure["expected"]).strip()
    if STATUS.match(finding.failure["expected"]) and about:
        return (
            ""
            if _before(finding) and (IMPLIED in about or finding.differs_after_refusal)
            else about
        )
    kind, at = finding.mistake
    if not kind and finding.exchange:
        query = _short(unquote(urlsplit(finding.exchange["request"]["url"]).query))
        name = NAMES.get(finding.names, "") if finding.expects_success else ""
        if special := name or (f"for `?{query}`" if query else ""):
            return special
    if kind in MISTAKES and not finding.differs_after_refusal:
        is_full = kind == Wrong.PRESENT and finding.operation.startswith("drop")
        text = (HOLDS if is_full else MISTAKES[kind]).format(at.removesuffix("/*"))
        return re.sub(r"\ba (?=[aeio])", "an ", text)
    return f"to {at.partition(' with ')[2]}" if " with " in at else ""


def _body(finding: Finding) -> str:
    """Return what an error's body is: its type, or that it is not the contract's."""
    if finding.status < LOWEST_ERROR:
        return ""
    is_unclear = finding.expects_success or finding.status >= SERVER_ERROR
    text = finding.message.partition("\n")[0][:SHOWN_MESSAGE]
    message = f": {text}" if text and is_unclear else ""
    if finding.error_type is not None:
        return f" ({finding.error_type or 'an empty type'}{message})"
    is_head = finding.exchange is not None and finding.exchange["request"]["method"] == "HEAD"
    return "" if is_head else f" without the contract's error body{message}"


def _short(text: str) -> str:
    text = OBJECT.sub("…", FOLDERS.sub("…/", text))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def plural(number: int, thing: str) -> str:
    """Return a number with its noun."""
    return f"{number} {thing}" + ("" if number == 1 else "s")
