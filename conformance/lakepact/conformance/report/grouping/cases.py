"""The failing cases of a report, with the exchange that shows each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

import orjson

from lakepact.conformance.evidence.differences import Kind
from lakepact.conformance.evidence.object_names import OBJECT
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Outcome, Wrong
from lakepact.conformance.judging.invalid_bodies import WRONG_TYPES

if TYPE_CHECKING:
    from lakepact.generated.report import (
        ExchangeLine,
        FailurePart,
        ResultLine,
        VerdictPart,
    )

#: Status, type of the error, and the expected status.
Answer: TypeAlias = "tuple[int, str, *tuple[int, ...]]"

BROKEN = (Outcome.FAIL, Outcome.WARN)
#: Members that hold what a response, or a line of it, is about.
ENVELOPES = frozenset(
    {
        "metadata",
        "protocol",
        "metaData",
        "file",
        "add",
        "remove",
        "cdf",
        "deltaProtocol",
        "deltaMetadata",
        "deltaSingleAction",
    }
)
#: Members whose members have names that clients invent.
MAPS = frozenset({"config", "defaults", "overrides", "properties", "refs", "summary"})
NAMESPACE = frozenset(
    {"loadNamespaceMetadata", "updateProperties", "listNamespaces"}
)  #: their last word is another
#: Operations whose answers name the files that a client reads.
SCANS = frozenset({"planTableScan", "fetchPlanningResult", "fetchScanTasks"})
#: Members of requests that name a table or view.
IDENTIFIERS = frozenset({"source", "destination", "identifier"})
READS = frozenset({"GET", "HEAD"})
UNSERVED = frozenset({404, 405, 406, 501})  #: statuses of operations that a server does not have
NOT_FOUND = 404
SERVER_ERROR = 500  #: the lowest status of an error that the server makes
CONFLICT = 409  #: the status of a commit whose requirements do not hold
#: Characters of a message, which the report cuts behind as many particulars as there are.
SHOWN_MESSAGE = 150
#: Parts of a server's message that differ between requests: names of checks, UUIDs, quoted texts
#: without calls, places of classes, URLs, what follows an equals sign, numbers. What is quoted
#: behind "because" is a variable in code.
PARTICULAR = re.compile(
    r"lp[_x][0-9a-f]+[_x][0-9_a-z]+(?:\.\w+)*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{32}\b"
    r"|'[^'(]*'|(?<!because )\"[^\"(]*\"|`[^`(]*`|\bat"
    r" /\S+|\b[a-z][\w+.-]*:/\S+|(?<==)[^\s,;)]+|\d+"
)
#: Around a message: the class of an exception, and a remark in brackets. Behind the errors that
#: Pydantic counts: their values.
AROUND = re.compile(r"^(?:\w+\.)+\w+: | \([^()]*\)?\W*$|(?<=validation error)s| \[type=(?s:.)*")
#: A message that any error of a server may have.
SAYS_NOTHING = re.compile(
    r"\W*(?:\S*|.*\b(?:internal|server|unexpected|unknown|unhandled) error\b.*)\W*",
    re.IGNORECASE,
)


def place_in(at: str) -> tuple[str, ...]:
    """Return the steps of a JSON pointer that say something: positions, and names that clients
    invent, are `*`.
    """
    steps: list[str] = []
    for step in at.split("/")[1:]:
        is_any = step.isdigit() or bool(steps and steps[-1] in MAPS) or "lakepact" in step
        steps.append("*" if is_any else step)
    while steps and (steps[0] == "*" or steps[0] in ENVELOPES):
        del steps[0]
    while steps and steps[-1] == "*":
        steps.pop()
    return tuple(steps)


@dataclass(frozen=True)
class Finding:
    """One failing case of a requirement, with the exchange that shows it."""

    result: ResultLine
    verdict: VerdictPart
    failure: FailurePart
    exchange: ExchangeLine | None
    #: The last accepted change of its check before, of the same objects, and a later one that was
    #: refused.
    change: ExchangeLine | None = None
    refusal: ExchangeLine | None = None
    #: Whether that refusal is a failure of its own, of which this one is the effect.
    follows_refusal: bool = False

    @property
    def requirement(self) -> str:
        """The id of the broken requirement."""
        return self.result["requirement"]

    @property
    def operation(self) -> str:
        """The operation of the request, or its method if no contract has it."""
        return (
            (self.exchange["operation"] or self.exchange["request"]["method"])
            if self.exchange
            else ""
        )

    @cached_property
    def objects(self) -> frozenset[str]:
        """The names of the checks in the request, or in what is expected of a listing."""
        in_request = self.exchange.get("objects", ()) if self.exchange else ()
        return frozenset(in_request or OBJECT.findall(self.failure["expected"]))

    @property
    def reads(self) -> bool:
        """Whether the request is a GET or HEAD."""
        return self.exchange is not None and self.exchange["request"]["method"] in READS

    @property
    def removes(self) -> bool:
        """Whether the request is a DELETE."""
        return self.exchange is not None and self.exchange["request"]["method"] == "DELETE"

    @property
    def status(self) -> int:
        """The status of the response; 0 without one."""
        return self.exchange["response"]["status"] if self.exchange else 0

    @property
    def expected_status(self) -> tuple[int, ...]:
        """The statuses that the requirement allows, if it demands a status."""
        return tuple(self.failure.get("expected_status", ()))

    @property
    def is_about_status(self) -> bool:
        """Whether the response has another status than the requirement demands."""
        return (
            bool(self.failure.get("about_status") or self.failure.get("refusal"))
            or self.place == ("status",)
            or (bool(self.expected_status) and self.status not in self.expected_status)
        )

    @property
    def is_unserved(self) -> bool:
        """Whether an operation is not served, whatever status it should have."""
        is_bare = self.failure.keys().isdisjoint({"expected_status", "mutation", "refusal"})
        return is_bare and self.is_about_status and self.status in UNSERVED

    @property
    def expects_success(self) -> bool:
        """Whether the requirement demands that a right request succeeds."""
        is_right = "mutation" not in self.failure
        return is_right and bool(self.expected_status) and min(self.expected_status) < LOWEST_ERROR

    @property
    def is_error(self) -> bool:
        """Whether the response is a refusal or an error of the server, and the finding is about
        it.
        """
        return self.status >= LOWEST_ERROR and (
            not self.place or self.place[0] in {"error", "status"}
        )

    @property
    def accepts(self) -> bool:
        """Whether a request was accepted that should have been refused."""
        is_due = self.failure.get("refusal", min(self.expected_status, default=0) >= LOWEST_ERROR)
        return bool(is_due) and LOWEST_ERROR > self.status >= 200 and not self.is_error_as_success

    @cached_property
    def is_error_as_success(self) -> bool:
        """Whether the body of an error came with the status of a success."""
        if self.exchange is None or not 200 <= self.status < LOWEST_ERROR:
            return False
        try:
            document = orjson.loads(self.exchange["response"]["body"])
        except orjson.JSONDecodeError:
            return False
        members = document.keys() if isinstance(document, dict) else set()
        return members in ({"error"}, {"errorCode", "message"})

    @property
    def wrong(self) -> str:
        """The kind of mistake in the request; empty if the check does not say it."""
        return self.failure["mutation"]["kind"] if "mutation" in self.failure else ""

    @property
    def is_let_in(self) -> bool:
        """Whether a request without the rights got an error that its content explains: it was
        carried out.
        """
        return (
            self.wrong == Wrong.ACCESS
            and self.is_about_status
            and LOWEST_ERROR <= self.status < SERVER_ERROR
        )

    @property
    def answer(self) -> Answer:
        """The status of the response, the type of the error, and the expected status."""
        return (self.status, self.error_type or "", *self.expected_status[:1])

    @property
    def crash(self) -> tuple[int, str]:
        """The status and the type of the error."""
        return self.status, self.error_type or ""

    @property
    def difference(self) -> str:
        """The JSON pointer of the place that is not as expected; empty if it is not known."""
        return self.failure["difference"]["at"] if "difference" in self.failure else ""

    @cached_property
    def place(self) -> tuple[str, ...]:
        """The steps to the place that is not as expected; none if it is not known."""
        return place_in(self.difference)

    @property
    def is_of_any_exchange(self) -> bool:
        """Whether an invariant found it, which judges the exchanges of all checks."""
        return self.exchange is not None and self.exchange.get("check") != self.verdict.get("check")

    @property
    def error_type(self) -> str | None:
        """The type in the contract's error body; `None` if the response has no such body."""
        error = self.exchange.get("error") if self.exchange else None
        return error.get("type") if error else None

    @cached_property
    def message(self) -> str:
        """The message of an error without what differs between requests; empty if it says
        nothing.
        """
        return message_of(self.exchange) if self.exchange else ""

    @property
    def differs_after_refusal(self) -> bool:
        """Whether a read shows another value than expected after a change that was refused, or no
        object any more.
        """
        was_there = self.change is not None or self.is_of_any_exchange
        is_missing = was_there and self.expects_success and self.status == NOT_FOUND
        is_there = self.accepts and NOT_FOUND in self.expected_status
        is_other = self.status < LOWEST_ERROR and self.is_about(Kind.VALUE, Kind.SURPLUS)
        return self.refusal is not None and self.reads and (is_missing or is_there or is_other)

    @property
    def is_effect(self) -> bool:
        """Whether a load shows that a change which was refused has been applied."""
        return self.differs_after_refusal and not self.follows_refusal

    @property
    def mistake(self) -> tuple[str, str]:
        """The kind of mistake in the request, and the member or thing; the kind is empty if the
        check does not say it.
        """
        mutation = self.failure.get("mutation")
        update = subject(self.exchange["request"]["body"], self.failure) if self.exchange else ""
        if not mutation:
            return "", f"{self.operation} with {update}" if update else self.operation
        kind = Wrong.TYPE if mutation["kind"] in WRONG_TYPES else mutation["kind"]
        if mutation["kind"] == "as string" and mutation["at"].endswith(("/action", "/type")):
            kind = Wrong.VALUE  # a text is the right type there
        steps = [
            "*" if step.isdigit() or "lakepact" in step else step
            for step in mutation["at"].strip("/").split("/")
        ]
        steps = ["identifier" if step in IDENTIFIERS else step for step in steps]
        before, fields, member = "/".join(steps).rpartition("fields/*/")
        if fields:  # of a schema, or of a partition spec or sort order
            return kind, f"{'schema' if 'schema' in before else 'spec'}/{fields}{member}"
        within = "/".join(steps).removeprefix("table-changes/*/")
        # The name of an unknown kind is an invented one.
        item = re.match(r"(?:updates|requirements)/\*(?!/(?:action|type)$)", within)
        return kind, f"{update}{within[item.end() :]}" if item and update else within

    @property
    def names(self) -> str:
        """The sort of special names in the path: nested or encoded; empty for usual ones."""
        path = urlsplit(self.exchange["request"]["url"]).path.upper() if self.exchange else ""
        return "nested" if "%1F" in path else "encoded" if "%" in path else ""

    @property
    def kind_of_request(self) -> tuple[str, ...]:
        """The special names and query parameters of a right request; otherwise its resource and
        kind of update.
        """
        if self.exchange is None:
            return ()
        request, query = self.exchange["request"], urlsplit(self.exchange["request"]["url"]).query
        parameters = sorted({pair.partition("=")[0] for pair in query.split("&") if pair})
        special = tuple(filter(None, (self.names, *parameters)))
        return special or (resource_of(self.operation), subject(request["body"], self.failure))

    @property
    def object_of_crash(self) -> tuple[str, ...]:
        """The object of a request that got a 5xx without a message; empty for objects of the run,
        which are alike.
        """
        request = self.exchange and self.exchange["request"]
        is_own = bool(self.exchange and self.exchange.get("objects"))
        is_silent = self.is_error and self.status >= SERVER_ERROR and not self.message
        if not request or is_own or not is_silent or "mutation" in self.failure:
            return ()
        return (urlsplit(request["url"]).path.rpartition("/")[0],)

    @property
    def loss(self) -> tuple[str, ...]:
        """The special parts of a request for an object that is not found, or the accepted change
        that should have left it.
        """
        is_special = self.exchange and (
            self.names or urlsplit(self.exchange["request"]["url"]).query
        )
        if self.change is None or is_special:
            return self.kind_of_request
        return ("after", str(self.change["operation"]))

    def is_about(self, *kinds: Kind) -> bool:
        """Return whether the response differs in one of these ways from what is expected."""
        return "difference" in self.failure and self.failure["difference"]["kind"] in kinds


def message_of(exchange: ExchangeLine) -> str:
    """Return the message of an error without what differs between requests; empty if it says
    nothing.
    """
    if (error := exchange.get("error")) is None:
        return ""
    text = AROUND.sub("", error["message"])
    for _, value in exchange["request"].get("headers", ()):
        text = text.replace(value, "…", 1) if value else text
    for name in _names(exchange["request"]["body"]):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "…", text)
    general = PARTICULAR.sub("…", text)
    return "" if SAYS_NOTHING.fullmatch(general) else general[:SHOWN_MESSAGE]


def _names(body: str) -> list[str]:
    """Return the names of the object that a request creates or renames, the longest first."""
    try:
        document = orjson.loads(body)
        identifiers = [document, *(document.get(end) or {} for end in ("source", "destination"))]
        levels = [level for each in identifiers for level in each.get("namespace") or ()]
        names = [each.get("name") for each in identifiers] + levels
    except (orjson.JSONDecodeError, AttributeError, TypeError):
        return []
    return sorted((name for name in names if isinstance(name, str) and name), key=len)[::-1]


def cases_of(result: ResultLine, exchanges: Mapping[int, ExchangeLine]) -> Iterator[Finding]:
    """Yield the failing cases of a result."""
    for verdict in result["verdicts"]:
        if verdict["outcome"] == result["outcome"]:
            whole: FailurePart = {
                "expected": verdict.get("expected", ""),
                "actual": verdict.get("actual", ""),
            }
            last = next(reversed(verdict.get("exchanges", ())), -1)
            for failure in verdict.get("failures", ()) or (whole,):
                yield Finding(
                    result, verdict, failure, exchanges.get(failure.get("exchange", last))
                )


def subject(body: str, failure: FailurePart) -> str:
    """Return the kind of update, or of requirement where a conflict was expected, that a commit has
    wrongly.

    Args:
        body: the body of the request.
        failure: the failing case; its mutation may say the position of the update or requirement.

    Returns:
        An empty text if the commit has none, or several kinds.
    """
    at = failure["mutation"]["at"] if "mutation" in failure else ""
    is_conflict = "/requirements/" in at or (
        not at and min(failure.get("expected_status", ()), default=0) == CONFLICT
    )
    kinds = (
        _kinds(body, "requirements", "type", at)
        if is_conflict
        else _kinds(body, "updates", "action", at)
    )
    return next(iter(kinds)) if len(kinds) == 1 else ""


def kinds(body: str) -> set[str]:
    """Return the kinds of updates and requirements that a commit has."""
    return _kinds(body, "updates", "action", "") | _kinds(body, "requirements", "type", "")


def _kinds(body: str, member: str, tag: str, at: str) -> set[str]:
    try:
        commit = orjson.loads(body)
        changes = commit.get("table-changes", [commit])
        items = [[item[tag] for item in change[member]] for change in changes]
    except (orjson.JSONDecodeError, TypeError, KeyError, AttributeError):
        return set()
    place = re.search(rf"/{member}/(\d+)", at)
    return {
        str(kind)
        for change in items
        for kind in (change[int(place[1]) : int(place[1]) + 1] if place else change)
    }


def resource_of(operation: str) -> str:
    """Return the last word of an operation, such as "Table" of createTable, loadTable and
    updateTable.
    """
    if operation in SCANS:
        return "Scan"
    return (
        "Namespace"
        if operation in NAMESPACE
        else re.findall(r"[A-Z][a-z]+|$", operation)[-2:][0] or operation
    )
