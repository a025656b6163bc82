"""Servers that share tables in ways of their own, or do one thing wrong, are not accused of what they keep."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from lakepact.conformance import plan, runner
from lakepact.conformance import suite as suites
from lakepact.conformance.outcome import Outcome
from lakepact.conformance.target import Target
from miniatures import answer, miniature

if TYPE_CHECKING:
    from miniatures import Answer

SUITE = suites.load("delta_sharing")
TOKEN = "the-token-of-the-only-recipient"
MODULES = ("errors", "names", "paging", "recipients", "schemas", "shares", "table_version", "tables", "transport")
PROTOCOL = {"protocol": {"minReaderVersion": 1, "unknown": "member"}}
METADATA = {
    "metaData": {"id": "m", "format": {"provider": "parquet"}, "schemaString": '{"type":"struct","fields":[]}', "partitionColumns": []}
}
FILE = {"file": {"url": "http://127.0.0.1/f?X-Amz-Signature=1", "id": "f", "partitionValues": {}, "size": 1}}


class Refused(Exception):
    """What is answered with an error."""

    def __init__(self, status: int) -> None:
        self.status = status


class Sharing:
    """One share with one schema with one table, in a server that says as little as it may; subclasses have habits.

    It pages, has no ids, leaves out what it has nothing to say of, and adds members that nobody has heard of.
    """

    share, schema, table = "Only", "default", "T1"
    token = TOKEN

    def __init__(self) -> None:
        self._heard = threading.local()

    def listen(self, headers: dict[str, str]) -> None:
        self._heard.headers = headers

    def __call__(self, method: str, target: str, body: bytes) -> Answer:
        try:
            self.authorize(self._heard.headers.get("authorization", ""))
            split = urlsplit(target)
            parts = [unquote(part) for part in split.path.split("/")[1:]]
            return self.answered(method, parts, parse_qs(split.query, keep_blank_values=True), body)
        except Refused as refused:
            return self.error(refused.status)

    def authorize(self, said: str) -> None:
        scheme, _, token = said.partition(" ")
        if scheme.lower() != "bearer" or token != self.token:
            raise Refused(401)

    def error(self, status: int) -> Answer:
        return answer(status, {"errorCode": "SOME_CODE", "message": "no", "details": []})

    def answered(self, method: str, parts: list[str], query: dict[str, list[str]], body: bytes) -> Answer:
        names = self.named(parts)
        match method, len(parts), parts[-1]:
            case "GET", 1, "shares":
                return self.page([{"name": self.share}], query)
            case "GET", 2, _:
                return self.described({"share": {"name": self.share}})
            case "GET", 3, "schemas":
                return self.page([{"name": self.schema, "share": names[0]}], query)
            case ("GET", 3, "all-tables") | ("GET", 5, "tables"):
                return self.page([{"name": self.table, "schema": self.schema, "share": names[0], "more": {}}], query)
            case "GET", 7, "version":
                return self.version(query)
            case "GET", 7, "metadata":
                return self.lines(PROTOCOL, METADATA)
            case "POST", 7, "query":
                self.read(body)
                return self.lines(PROTOCOL, METADATA, FILE)
        raise Refused(404)

    def named(self, parts: list[str]) -> list[str]:
        """Return the names in a path as they are spelled there; each has to be one that is shared."""
        given = parts[1:6:2]
        for name, known in zip(given, (self.share, self.schema, self.table), strict=False):
            if name.lower() != known.lower():
                raise Refused(404)
        return given

    def read(self, body: bytes) -> Any:
        try:
            return json.loads(body or b"{}")
        except ValueError:
            raise Refused(400) from None

    def described(self, document: dict[str, Any]) -> Answer:
        return answer(200, document, **{"Content-Type": "application/json;charset=UTF-8"})

    def page(self, items: list[dict[str, Any]], query: dict[str, list[str]]) -> Answer:
        size = query.get("maxResults", ["500"])[0]
        if not size.isdigit() or int(size) > 2**31 - 1 or query.get("pageToken", ["1"]) != ["1"]:
            raise Refused(400)
        start = int(query.get("pageToken", ["0"])[0]) if int(size) else 0
        return self.described({"items": items} if int(size) and not start else {"nextPageToken": ""})

    def version(self, query: dict[str, list[str]]) -> Answer:
        if query.get("startingTimestamp"):
            raise Refused(400)  # the history of the table is not shared
        return 200, {"delta-table-version": "0"}, b""

    def lines(self, *documents: dict[str, Any]) -> Answer:
        headers = {"Content-Type": 'application/x-ndjson; charset="utf-8"', "DELTA-TABLE-VERSION": "0"}
        return 200, headers, b"\r\n".join(json.dumps(d, indent=None).encode() for d in documents)


def outcomes(server: Sharing, *only: str) -> dict[str, Outcome]:
    with miniature(server) as url:
        wanted = only or tuple(f"{module}.*" for module in MODULES)
        run = runner.Run(plan.plan(SUITE, only=wanted), Target(url, headers={"Authorization": f"Bearer {server.token}"}))
        for _ in run.events():
            pass
    return {requirement: result.outcome for requirement, result in run.results().items()}


def accused(found: dict[str, Outcome]) -> set[str]:
    return {requirement for requirement, outcome in found.items() if outcome not in (Outcome.PASS, Outcome.NOT_OFFERED, Outcome.WARN)}


def test_who_shares_one_table_and_says_no_more_than_needed_is_accused_of_nothing() -> None:
    found = outcomes(Sharing())

    assert accused(found) == set()
    assert {r for r, outcome in found.items() if outcome is Outcome.WARN} == {"DS-DF-07", "DS-GEN-13"}  # it spells names as its callers do


class Nothing(Sharing):
    """Shares nothing."""

    def answered(self, method: str, parts: list[str], query: dict[str, list[str]], body: bytes) -> Answer:
        if (method, parts) == ("GET", ["shares"]):
            return self.page([], query)
        raise Refused(404)


def test_who_shares_nothing_is_accused_of_nothing() -> None:
    assert accused(outcomes(Nothing())) == set()


class Numbered(Sharing):
    """Has given a UUID as its token, and reads it in either case as UUIDs are read."""

    token = "6f1c9a52-0d3e-4b7a-8c55-91be2f7d4a10"

    def authorize(self, said: str) -> None:
        super().authorize(said.lower())


class Described(Sharing):
    """Adds to tables, where all of a share are listed, what it does not say elsewhere."""

    def answered(self, method: str, parts: list[str], query: dict[str, list[str]], body: bytes) -> Answer:
        self._heard.more = {"rows": 7} if parts[-1] == "all-tables" else {"id": None}
        return super().answered(method, parts, query, body)

    def page(self, items: list[dict[str, Any]], query: dict[str, list[str]]) -> Answer:
        return super().page([{**item, **self._heard.more} for item in items], query)


@pytest.mark.parametrize("server", [Numbered(), Described()], ids=lambda server: type(server).__name__)
def test_what_no_clause_forbids_is_no_accusation(server: Sharing) -> None:
    assert accused(outcomes(server)) == set()


class Web(Sharing):
    """Has a web site before it, whose page is all that other paths lead to."""

    def answered(self, method: str, parts: list[str], query: dict[str, list[str]], body: bytes) -> Answer:
        if "lakepact-nothing" in parts:
            return 404, {"Content-Type": "text/html"}, b"<html>Not Found</html>"
        return super().answered(method, parts, query, body)


def test_pages_at_paths_that_the_protocol_does_not_have_are_warned_of_alone() -> None:
    found = outcomes(Web(), "DS-GEN-07")

    assert found["DS-GEN-07"] is Outcome.WARN


class CleanedUp(Sharing):
    """Has rewritten one file without a change of rows, and cleaned up what it had removed."""

    def __call__(self, method: str, target: str, body: bytes) -> Answer:
        return (404, {}, b"") if "X-Amz-Signature" in target else super().__call__(method, target, body)

    def version(self, query: dict[str, list[str]]) -> Answer:
        return 200, {"delta-table-version": "0" if query.get("startingTimestamp") else "2"}, b""

    def answered(self, method: str, parts: list[str], query: dict[str, list[str]], body: bytes) -> Answer:
        if method == "POST" and parts[-1] == "query":
            lines = self.changed if "startingVersion" in self.read(body) else [{"file": self.one("rewritten", 7)}]
            return self.lines(PROTOCOL, METADATA, *lines)
        return super().answered(method, parts, query, body)

    @property
    def changed(self) -> list[dict[str, Any]]:
        """All that was added and removed; the rewriting was neither."""
        return [
            {"add": self.one("first", 7, version=0, timestamp=1)},
            {"add": self.one("second", 9, version=0, timestamp=1)},
            {"remove": self.one("second", 9, version=1, timestamp=2)},
        ]

    def one(self, name: str, size: int, **more: int) -> dict[str, Any]:
        url = f"http://{self._heard.headers['host']}/{name}?X-Amz-Signature=1"
        return {"url": url, "id": name, "partitionValues": {}, "size": size, **more}


def test_what_an_owner_has_cleaned_up_or_rewritten_is_not_missed() -> None:
    found = outcomes(CleanedUp(), "DS-REM-01", "DS-FIL-03")

    assert accused(found) == set()
    assert found["DS-FIL-03"] is Outcome.PASS


class Dead(Sharing):
    """Has lost the only file of its table."""

    def __call__(self, method: str, target: str, body: bytes) -> Answer:
        if method == "POST" and target.endswith("/query"):
            url = f"http://{self._heard.headers['host']}/f?X-Amz-Signature=1"
            return self.lines(PROTOCOL, METADATA, {"file": {**FILE["file"], "url": url}})
        return (404, {}, b"") if "X-Amz-Signature" in target else super().__call__(method, target, body)


def test_of_a_file_that_is_lost_the_size_is_not_judged() -> None:
    found = outcomes(Dead(), "DS-FIL-01", "DS-FIL-05")

    assert (found["DS-FIL-01"], found["DS-FIL-05"]) == (Outcome.FAIL, Outcome.NOT_OFFERED)


def test_who_shares_no_history_need_not_understand_times() -> None:
    assert outcomes(Sharing(), "DS-TSF-01") == {"DS-TSF-01": Outcome.NOT_OFFERED}


class Text401(Sharing):
    """Has a door before it that knows no JSON, as the official server has."""

    def error(self, status: int) -> Answer:
        return (401, {"Content-Type": "text/plain"}, b"401 Unauthorized") if status == 401 else super().error(status)


class Echo(Sharing):
    """Spells names as they were asked for, everywhere."""

    def page(self, items: list[dict[str, Any]], query: dict[str, list[str]]) -> Answer:
        return super().page([{**item, "name": item["name"].swapcase()} if "schema" in item else item for item in items], query)


class SmallPages(Sharing):
    """Refuses large pages, as the official server does."""

    def page(self, items: list[dict[str, Any]], query: dict[str, list[str]]) -> Answer:
        size = query.get("maxResults", ["0"])[0]
        if size.isdigit() and int(size) > 500:
            raise Refused(400)
        return super().page(items, query)


class Forgiving(Sharing):
    """Takes every body, however broken, for an empty one."""

    def read(self, body: bytes) -> Any:
        return {}


class Strict(Sharing):
    """Knows names in one spelling only."""

    def named(self, parts: list[str]) -> list[str]:
        given = parts[1:6:2]
        if given != [self.share, self.schema, self.table][: len(given)]:
            raise Refused(404)
        return given


class Open(Sharing):
    """Asks nobody who he is."""

    def authorize(self, said: str) -> None:
        pass


@pytest.mark.parametrize(
    ("server", "requirements"),
    [
        (Text401(), {"DS-GEN-07"}),
        (Echo(), set()),
        (SmallPages(), {"DS-PAG-07"}),
        (Forgiving(), {"DS-GEN-08"}),
        (Strict(), {"DS-GEN-13"}),
        (Open(), {"DS-GEN-02", "DS-GEN-09"}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_who_does_one_thing_wrong_is_accused_of_that_alone(server: Sharing, requirements: set[str]) -> None:
    assert accused(outcomes(server)) == requirements


@pytest.mark.parametrize("body", [b"null", b"[]", b"{}", b'{"items": [{}]}', b'{"items": [null]}', b"<html>", b"", b"\xff"], ids=repr)
def test_whatever_is_answered_the_harness_does_not_break(body: bytes) -> None:
    with miniature(lambda *_: (200, {"Content-Type": "application/json"}, body)) as url:
        run = runner.Run(plan.plan(SUITE), Target(url))
        for _ in run.events():
            pass

    assert [v for v in run.verdicts if v.outcome is Outcome.ERROR] == []
