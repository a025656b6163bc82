"""The titles of causes: what was wrong in the request, what came back, and what was expected."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Wrong
from lakepact.conformance.report.evidence import Finding, Key

SHOWN = 160  #: characters of a text in a title
STATUS = re.compile(r"^(?:status [\d or]+|a refusal|a 4xx status|no 5xx status) ?")

#: By kind of mistake: what a request has, where `{}` is the member, the parameter or the thing.
MISTAKES: Mapping[str, str] = {
    Wrong.ABSENT: "for a {} that does not exist",
    Wrong.PRESENT: "for a {} that exists already or is not empty",
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
#: By what is special about the names in a path.
NAMES = {
    "nested": "for a namespace of several levels",
    "encoded": "for a name with characters that are encoded",
}
#: By kind of difference: what an answer has, where `{}` is the place.
DEVIATIONS: Mapping[str, str] = {
    Kind.MISSING: "`{}` missing or incomplete",
    Kind.SURPLUS: "`{}` with more than it should have",
    Kind.VALUE: "another `{}`",
    Kind.TYPE: "`{}` with another JSON type",
    Kind.SPELLING: "`{}` as text instead of a number, or the reverse",
}


def title(key: Key, findings: Sequence[Finding], group: Sequence[Finding]) -> str:
    """Return the title of a cause.

    Args:
        key: what its findings have in common.
        findings: one of each requirement; the first explains the others.
        group: all its cases.
    """
    names = list(dict.fromkeys(filter(None, (each.operation for each in group))))
    operations = ", ".join(names)
    match key:
        case ("refuses none", reads):
            methods = "GET or HEAD" if reads else "POST, PUT or DELETE"
            many = f"{len(findings)} requirements"
            return f"no {methods} request of the run was refused, for {many}"
        case ("no error body", status):
            return _short(
                f"errors with status {status} have no error body of the contract: {operations}"
            )
        case ("no error body",):
            return _short(f"errors have no error body of the contract: {operations}")
        case ("refused alike", status, expected):
            return _short(
                f"requests with mistakes of many kinds returned {status}, expected {expected}: {operations}"
            )
        case _:
            return _title(next((f for f in group if f.accepted), findings[0]), names)


def _title(finding: Finding, operations: Sequence[str]) -> str:
    expected, actual = (_short(finding.failure[side]) for side in ("expected", "actual"))
    if finding.exchange is None:
        return f"expected {expected}, got {actual}"
    request = finding.exchange["request"]
    sent = finding.operation or f"{request['method']} {request['url']}"
    is_about_status = finding.expected_status or STATUS.match(finding.failure["expected"])
    if not is_about_status:
        return f"{sent} returned {_deviation(finding)}: expected {expected}, got {actual}"
    status = " or ".join(map(str, finding.expected_status)) or _sort_of_status(finding)
    also = f" (also {', '.join(o for o in operations if o != finding.operation)})"
    return _short(
        f"{sent} returned {finding.status}{_body(finding)} {_request(finding)}".rstrip()
        + f", expected {status}"
        + (also if set(operations) - {finding.operation} else "")
    )


def _sort_of_status(finding: Finding) -> str:
    expected = STATUS.match(finding.failure["expected"])
    return expected[0].strip().removeprefix("status ") if expected else "a refusal"


def _deviation(finding: Finding) -> str:
    """Return what the answer has at the place that is not as expected; its status if the place is not known."""
    place, kind = "/".join(finding.place), finding.failure.get("difference", {}).get("kind", "")
    return DEVIATIONS[kind].format(place) if place and kind in DEVIATIONS else str(finding.status)


def _request(finding: Finding) -> str:
    """Return what was wrong in the request, or special about it: in the words of the check, or else of the mutation."""
    if phrase := finding.failure.get("mutation", {}).get("phrase", ""):
        return str(phrase)
    about = STATUS.sub("", finding.failure["expected"]).strip()
    if STATUS.match(finding.failure["expected"]) and about:
        return about
    kind, at = finding.mistake
    if not kind and finding.names and finding.expects_success:
        return NAMES[finding.names]
    if kind in MISTAKES:
        return re.sub(r"\ba (?=[aeio])", "an ", MISTAKES[kind].format(at.removesuffix("/*")))
    return f"to {at.partition(' with ')[2]}" if " with " in at else ""


def _body(finding: Finding) -> str:
    """Return what an error's body is: its type, or that it is not the contract's."""
    if finding.status < LOWEST_ERROR:
        return ""
    if finding.error_type is not None:
        return f" ({finding.error_type or 'an empty type'})"
    is_head = finding.exchange is not None and finding.exchange["request"]["method"] == "HEAD"
    return "" if is_head else " without the contract's error body"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
