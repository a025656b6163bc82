"""The key of a finding: the deviation of its request and of its answer.

A key has what was wrong with the request, if a refusal was expected, and what the answer did: it
accepted the request, refused it with a status and an error, had no error body, lost a simultaneous
change, or differs at a place. The operation is part of a key only where nothing else says more. No
key depends on the words of a requirement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import orjson

from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Wrong
from lakepact.conformance.report.grouping.cases import NOT_FOUND, SERVER_ERROR, Finding, resource_of

if TYPE_CHECKING:
    from lakepact.generated.report import ExchangeLine

#: The evidence that findings of one cause share; its first item is the kind.
Key: TypeAlias = "tuple[object, ...]"

WEB_PAGE = "a web page"
FLAWS = ("empty body", WEB_PAGE, "no JSON")  #: why a body has no members


def key_of(finding: Finding) -> Key:
    """Return the key of a finding, whatever else the report shows."""
    if finding.is_about(Kind.LOST):
        return ("lost", resource_of(finding.operation))
    if finding.accepts or finding.is_let_in:
        # A removal that returns success for an absent object may have removed another one.
        is_removal = finding.wrong == Wrong.ABSENT and finding.removes
        return ("accepted", *finding.mistake, *((finding.operation,) if is_removal else ()))
    if finding.is_error:
        return _key_of_error(finding)
    if finding.exchange and not finding.status:
        return ("no answer", *finding.mistake)
    if finding.is_about_status:
        return ("success", finding.expected_status[:1], finding.status)
    return _key_of_effect(finding)


def _key_of_error(finding: Finding) -> Key:
    """Return what is wrong with an error response: that it came at all, its status, or its body."""
    is_bare = (
        finding.error_type is None
        and finding.exchange is not None
        and finding.exchange["request"]["method"] != "HEAD"
    )
    if not finding.is_about_status:
        if is_bare and (not finding.difference or finding.is_about(Kind.MISSING, Kind.TYPE)):
            return ("no error body",)
        if finding.difference:
            kind = finding.error_type if finding.place[-1:] == ("type",) else ""
            return ("error body", finding.place, kind)
        return ("check", finding.verdict.get("check"), finding.operation)
    if is_bare and not finding.expects_success:
        return ("no error body",)
    if finding.expects_success or (is_server_error(finding) and not has_mistake(finding)):
        return error_of(finding)
    kind = finding.error_type or "" if is_server_error(finding) else ""
    return ("refused", *finding.mistake, finding.status, kind)


def _key_of_effect(finding: Finding) -> Key:
    """Return what is wrong with a response whose status is right."""
    if finding.is_about(Kind.SPELLING):
        return ("number as text",)
    is_bare = finding.status >= LOWEST_ERROR and finding.error_type is None
    if is_bare and finding.place[:1] == ("media-type",):
        return ("no error body",)
    if finding.exchange and (flaw := flaw_of(finding.exchange["response"]["body"])):
        return (flaw, finding.operation)
    if finding.place and finding.place[0] in {"headers", "media-type", "length"}:
        return ("header", finding.difference)
    if finding.place:
        resource, surplus = resource_of(finding.operation), finding.is_about(Kind.SURPLUS)
        return ("place", resource, finding.place, surplus)
    return ("check", finding.verdict.get("check"), finding.operation)


def error_of(finding: Finding) -> Key:
    """Return status, type and message of an error, and the kind of request where they do not say
    what failed.
    """
    kind, key = finding.error_type or "", ("error", finding.status, finding.error_type or "")
    is_refusal = finding.status < SERVER_ERROR and finding.expects_success
    if kind and finding.status == NOT_FOUND:  # whose message just names the object
        return (*key, *finding.loss)
    if is_refusal and finding.names:
        return (*key, finding.names)
    if finding.message:
        return ("error", finding.status, finding.message)
    return (*key, *(finding.mistake if has_mistake(finding) else finding.kind_of_request))


def flaw_of(body: str) -> str:
    """Return why the body that a report shows has no members: it is empty, a web page, or no JSON;
    empty for others.
    """
    try:
        return "empty body" if orjson.loads(body) in ({}, [], None) else ""
    except orjson.JSONDecodeError:
        if body.lstrip().startswith("<"):
            return WEB_PAGE
        is_whole = body.startswith("{") and not body.endswith(" bytes)") and "\n{" not in body
        return "no JSON" if is_whole else ""


def web_page(finding: Finding) -> Key:
    """Return the key of a web page that is no error; an empty one for other answers."""
    body = finding.exchange["response"]["body"] if finding.exchange else ""
    is_page = finding.status < LOWEST_ERROR and flaw_of(body) == WEB_PAGE
    return (WEB_PAGE,) if is_page else ()


def has_mistake(finding: Finding) -> bool:
    """Return whether the check says what is wrong in the request."""
    return bool(finding.failure.get("mutation"))


def is_server_error(finding: Finding) -> bool:
    """Return whether the response has a status from 500 on."""
    return finding.status >= SERVER_ERROR


def is_crash(finding: Finding) -> bool:
    """Return whether an answer has a 5xx status that it should not have."""
    return finding.is_error and finding.is_about_status and is_server_error(finding)


def without_member(key: Key) -> Key:
    """Return a key without the member that a request lacks, or that has the wrong type; an empty
    one for other mistakes.
    """
    match key:
        case ("accepted", Wrong.MISSING | Wrong.TYPE | Wrong.STALE as kind, _):
            return ("accepted", kind, "")
        case ("refused", Wrong.MISSING | Wrong.TYPE as kind, _, int() as status, error):
            is_parsed = kind == Wrong.TYPE or status < SERVER_ERROR
            return ("refused", kind, "", status, error) if is_parsed else ()
        case _:
            return ()


def is_unread(key: Key) -> bool:
    """Return whether a key is of a 5xx answer to a body that lacks a member, or has another type
    there.
    """
    match key:
        case ("refused", Wrong.MISSING | Wrong.TYPE, _, int() as status, _):
            return status >= SERVER_ERROR
        case _:
            return False


def right_request(finding: Finding) -> Key:
    """Return the requirement, the operation and the objects of a finding."""
    return finding.requirement, finding.operation, finding.objects


def kind_of_refusal(refusal: ExchangeLine) -> Key:
    """Return the operation of a refused change, and whether the server failed."""
    return refusal["operation"], refusal["response"]["status"] >= SERVER_ERROR
