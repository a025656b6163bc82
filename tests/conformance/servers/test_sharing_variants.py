"""Correct variants of sharing servers fail nothing, and single deviations fail only what they
break.
"""

from __future__ import annotations

import json
import threading
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from faulty_servers import checked, outcomes_of
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from miniatures import Answer, answer, miniature

TOKEN = "the-token-of-the-only-recipient"
MODULES = (
    "errors",
    "names",
    "paging",
    "recipients",
    "schemas",
    "shares",
    "version",
    "tables",
    "transport",
)
PROTOCOL = {"protocol": {"minReaderVersion": 1, "unknown": "member"}}
METADATA = {
    "metaData": {
        "id": "m",
        "format": {"provider": "parquet"},
        "schemaString": '{"type":"struct","fields":[]}',
        "partitionColumns": [],
    }
}
FILE = {
    "file": {
        "url": "http://127.0.0.1/f?X-Amz-Signature=1",
        "id": "f",
        "partitionValues": {},
        "size": 1,
    }
}


class Refused(Exception):
    """An error answer."""

    def __init__(self, status: int) -> None:
        self.status = status


class Sharing:
    """A server with one share, one schema and one table that says as little as the protocol allows;
    subclasses have quirks.

    It pages, has no ids, leaves out optional members, and adds unknown members.
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
            return self.route(method, parts, parse_qs(split.query, keep_blank_values=True), body)
        except Refused as refused:
            return self.error(refused.status)

    def authorize(self, authorization: str) -> None:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or token != self.token:
            raise Refused(401)

    def error(self, status: int) -> Answer:
        return answer(status, {"errorCode": "SOME_CODE", "message": "no", "details": []})

    def route(
        self, method: str, parts: list[str], query: dict[str, list[str]], body: bytes
    ) -> Answer:
        names = self.names_in(parts)
        match method, len(parts), parts[-1]:
            case "GET", 1, "shares":
                return self.page([{"name": self.share}], query)
            case "GET", 2, _:
                return self.with_media_type({"share": {"name": self.share}})
            case "GET", 3, "schemas":
                return self.page([{"name": self.schema, "share": names[0]}], query)
            case ("GET", 3, "all-tables") | ("GET", 5, "tables"):
                return self.page(
                    [{"name": self.table, "schema": self.schema, "share": names[0], "more": {}}],
                    query,
                )
            case "GET", 7, "version":
                return self.version(query)
            case "GET", 7, "metadata":
                return self.lines(PROTOCOL, METADATA)
            case "POST", 7, "query":
                self.read(body)
                return self.lines(PROTOCOL, METADATA, FILE)
        raise Refused(404)

    def names_in(self, parts: list[str]) -> list[str]:
        """Return the names in a path as they are spelled there, or refuse names that are not
        shared.
        """
        names_of_path = parts[1:6:2]
        for name, expected in zip(
            names_of_path, (self.share, self.schema, self.table), strict=False
        ):
            if name.lower() != expected.lower():
                raise Refused(404)
        return names_of_path

    def read(self, body: bytes) -> Any:
        try:
            return json.loads(body or b"{}")
        except ValueError:
            raise Refused(400) from None

    def with_media_type(self, document: dict[str, Any]) -> Answer:
        return answer(200, document, **{"Content-Type": "application/json;charset=UTF-8"})

    def page(self, items: list[dict[str, Any]], query: dict[str, list[str]]) -> Answer:
        size = query.get("maxResults", ["500"])[0]
        if not size.isdigit() or int(size) > 2**31 - 1 or query.get("pageToken", ["1"]) != ["1"]:
            raise Refused(400)
        start = int(query.get("pageToken", ["0"])[0]) if int(size) else 0
        return self.with_media_type(
            {"items": items} if int(size) and not start else {"nextPageToken": ""}
        )

    def version(self, query: dict[str, list[str]]) -> Answer:
        if query.get("startingTimestamp"):
            raise Refused(400)  # the history of the table is not shared
        return 200, {"delta-table-version": "0"}, b""

    def lines(self, *documents: dict[str, Any]) -> Answer:
        headers = {
            "Content-Type": 'application/x-ndjson; charset="utf-8"',
            "DELTA-TABLE-VERSION": "0",
        }
        return 200, headers, b"\r\n".join(json.dumps(d, indent=None).encode() for d in documents)


def outcomes(server: Sharing, *only: str) -> dict[str, Outcome]:
    with miniature(server) as url:
        patterns = only or tuple(f"*.{module}.*" for module in MODULES)
        return outcomes_of(
            checked(
                Target(url, headers={"Authorization": f"Bearer {server.token}"}),
                *patterns,
                of="delta_sharing",
            )
        )


def failures_of(by_requirement: dict[str, Outcome]) -> set[str]:
    return {
        requirement
        for requirement, outcome in by_requirement.items()
        if outcome not in (Outcome.PASS, Outcome.NOT_OFFERED, Outcome.WARN)
    }


def test_minimal_server_fails_nothing() -> None:
    actual = outcomes(Sharing())

    assert failures_of(actual) == set()
    assert {r for r, outcome in actual.items() if outcome is Outcome.WARN} == {
        "DS-DF-07",
        "DS-GEN-13",
    }  # it spells names as its callers do


def test_unknown_second_token_judges_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECOND_TOKEN", "of-another-server")
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with miniature(Sharing()) as url:
        target = Target(url, headers=headers, parameters={"second-token-env": "SECOND_TOKEN"})
        run = checked(target, "DS-GEN-10", of="delta_sharing")

    assert outcomes_of(run) == {"DS-GEN-10": Outcome.NOT_OFFERED}


class Nothing(Sharing):
    """A server without shares."""

    def route(
        self, method: str, parts: list[str], query: dict[str, list[str]], body: bytes
    ) -> Answer:
        if (method, parts) == ("GET", ["shares"]):
            return self.page([], query)
        raise Refused(404)


def test_server_without_shares_fails_nothing() -> None:
    assert failures_of(outcomes(Nothing())) == set()


class Numbered(Sharing):
    """A server with a UUID as its token, which it reads in either letter case."""

    token = "6f1c9a52-0d3e-4b7a-8c55-91be2f7d4a10"

    def authorize(self, authorization: str) -> None:
        super().authorize(authorization.lower())


class Described(Sharing):
    """A server that adds members only to the list of all tables of a share."""

    def route(
        self, method: str, parts: list[str], query: dict[str, list[str]], body: bytes
    ) -> Answer:
        self._heard.more = {"rows": 7} if parts[-1] == "all-tables" else {"id": None}
        return super().route(method, parts, query, body)

    def page(self, items: list[dict[str, Any]], query: dict[str, list[str]]) -> Answer:
        return super().page([{**item, **self._heard.more} for item in items], query)


@pytest.mark.parametrize(
    "server", [Numbered(), Described()], ids=lambda server: type(server).__name__
)
def test_variant_that_no_clause_forbids_fails_nothing(server: Sharing) -> None:
    assert failures_of(outcomes(server)) == set()


class Web(Sharing):
    """A server behind a web site that answers unknown paths with a page."""

    def route(
        self, method: str, parts: list[str], query: dict[str, list[str]], body: bytes
    ) -> Answer:
        if "lakepact-nothing" in parts:
            return 404, {"Content-Type": "text/html"}, b"<html>Not Found</html>"
        return super().route(method, parts, query, body)


def test_web_page_at_an_unknown_path_is_a_warning() -> None:
    actual = outcomes(Web(), "DS-GEN-07")

    assert actual["DS-GEN-07"] is Outcome.WARN


class CleanedUp(Sharing):
    """A server that rewrote one file without a change of rows, and deleted the removed files."""

    def __call__(self, method: str, target: str, body: bytes) -> Answer:
        return (
            (404, {}, b"")
            if "X-Amz-Signature" in target
            else super().__call__(method, target, body)
        )

    def version(self, query: dict[str, list[str]]) -> Answer:
        return 200, {"delta-table-version": "0" if query.get("startingTimestamp") else "2"}, b""

    def route(
        self, method: str, parts: list[str], query: dict[str, list[str]], body: bytes
    ) -> Answer:
        if method == "POST" and parts[-1] == "query":
            lines = (
                self.changes
                if "startingVersion" in self.read(body)
                else [{"file": self.one("rewritten", 7)}]
            )
            return self.lines(PROTOCOL, METADATA, *lines)
        return super().route(method, parts, query, body)

    @property
    def changes(self) -> list[dict[str, Any]]:
        """Return the added and removed files, without the rewritten file."""
        return [
            {"add": self.one("first", 7, version=0, timestamp=1)},
            {"add": self.one("second", 9, version=0, timestamp=1)},
            {"remove": self.one("second", 9, version=1, timestamp=2)},
        ]

    def one(self, name: str, size: int, **more: int) -> dict[str, Any]:
        url = f"http://{self._heard.headers['host']}/{name}?X-Amz-Signature=1"
        return {"url": url, "id": name, "partitionValues": {}, "size": size, **more}


def test_deleted_and_rewritten_files_fail_nothing() -> None:
    actual = outcomes(CleanedUp(), "DS-REM-01", "DS-FIL-03")

    assert failures_of(actual) == set()
    assert actual["DS-FIL-03"] is Outcome.PASS


class Dead(Sharing):
    """A server that lost the only file of its table."""

    def __call__(self, method: str, target: str, body: bytes) -> Answer:
        if method == "POST" and target.endswith("/query"):
            url = f"http://{self._heard.headers['host']}/f?X-Amz-Signature=1"
            return self.lines(PROTOCOL, METADATA, {"file": {**FILE["file"], "url": url}})
        return (
            (404, {}, b"")
            if "X-Amz-Signature" in target
            else super().__call__(method, target, body)
        )


def test_size_of_a_lost_file_is_not_offered() -> None:
    actual = outcomes(Dead(), "DS-FIL-01", "DS-FIL-05")

    assert (actual["DS-FIL-01"], actual["DS-FIL-05"]) == (Outcome.FAIL, Outcome.NOT_OFFERED)


def test_timestamps_are_not_offered_without_history() -> None:
    assert outcomes(Sharing(), "DS-TSF-01") == {"DS-TSF-01": Outcome.NOT_OFFERED}


class Text401(Sharing):
    """A server behind a proxy that answers 401 in plain text, as the official server does."""

    def error(self, status: int) -> Answer:
        return (
            (401, {"Content-Type": "text/plain"}, b"401 Unauthorized")
            if status == 401
            else super().error(status)
        )


class Echo(Sharing):
    """A server that swaps the letter case of names in listings of schemas and tables."""

    def page(self, items: list[dict[str, Any]], query: dict[str, list[str]]) -> Answer:
        return super().page(
            [
                {**item, "name": item["name"].swapcase()} if "schema" in item else item
                for item in items
            ],
            query,
        )


class SmallPages(Sharing):
    """A server that refuses large pages, as the official server does."""

    def page(self, items: list[dict[str, Any]], query: dict[str, list[str]]) -> Answer:
        size = query.get("maxResults", ["0"])[0]
        if size.isdigit() and int(size) > 500:
            raise Refused(400)
        return super().page(items, query)


class Lenient(Sharing):
    """A server that reads every body as an empty object."""

    def read(self, body: bytes) -> Any:
        return {}


class Strict(Sharing):
    """A server that knows each name in one spelling only."""

    def names_in(self, parts: list[str]) -> list[str]:
        names_of_path = parts[1:6:2]
        if names_of_path != [self.share, self.schema, self.table][: len(names_of_path)]:
            raise Refused(404)
        return names_of_path


class Open(Sharing):
    """A server without authentication."""

    def authorize(self, authorization: str) -> None:
        pass


@pytest.mark.parametrize(
    ("server", "requirements"),
    [
        (Text401(), {"DS-GEN-07"}),
        (Echo(), set()),
        (SmallPages(), {"DS-PAG-07"}),
        (Lenient(), {"DS-GEN-08"}),
        (Strict(), {"DS-GEN-13"}),
        (Open(), {"DS-GEN-02", "DS-GEN-09"}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_single_deviation_fails_only_its_requirements(
    server: Sharing, requirements: set[str]
) -> None:
    assert failures_of(outcomes(server)) == requirements


@pytest.mark.parametrize(
    "body",
    [b"null", b"[]", b"{}", b'{"items": [{}]}', b'{"items": [null]}', b"<html>", b"", b"\xff"],
    ids=repr,
)
def test_nonsense_answers_cause_no_errors(body: bytes) -> None:
    with miniature(lambda *_: (200, {"Content-Type": "application/json"}, body)) as url:
        run = checked(url, of="delta_sharing")

    assert [v for v in run.verdicts if v.outcome is Outcome.ERROR] == []
