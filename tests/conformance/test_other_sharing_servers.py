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
        if scheme.lower() != "bearer" or token != TOKEN:
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
        """The names in a path as they are spelled there; each has to be one that is shared."""
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
        run = runner.Run(plan.plan(SUITE, only=wanted), Target(url, headers={"Authorization": f"Bearer {TOKEN}"}))
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
