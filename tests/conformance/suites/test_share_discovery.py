"""Discovery of shares tolerates wrong answers and sends no more requests than needed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from faulty_servers import checked
from lakepact.conformance.checks.delta_sharing.suite import discover
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.evidence.target import Detected, Offer, Target
from lakepact.conformance.http.wire import Wire
from miniatures import Answer, Answerer, answer, miniature

METADATA = {
    "id": "m",
    "format": {"provider": "parquet"},
    "schemaString": "{}",
    "partitionColumns": [],
}


def lines(*documents: Any) -> Answer:
    return (
        200,
        {"Content-Type": "application/x-ndjson"},
        b"".join(json.dumps(d).encode() + b"\n" for d in documents),
    )


class Shares:
    """A server with tables by share and schema, and one item per page."""

    def __init__(self, tables: dict[tuple[str, str], list[str]], **metadata: Any) -> None:
        self.tables = tables
        self.metadata = metadata
        self.asked: list[str] = []

    def __call__(self, method: str, target: str, _: bytes) -> Answer:
        self.asked.append(f"{method} {target}")
        split = urlsplit(target)
        match [unquote(part) for part in split.path.split("/")[2:]]:
            case []:
                items = [
                    {"name": share} for share in dict.fromkeys(share for share, _ in self.tables)
                ]
            case [share, "schemas"]:
                items = [
                    {"name": schema, "share": share}
                    for other, schema in self.tables
                    if other == share
                ]
            case [share, "all-tables"]:
                names_of_tables = [
                    (schema, name)
                    for (other, schema), names in self.tables.items()
                    if other == share
                    for name in names
                ]
                items = [
                    {"name": name, "schema": schema, "share": share}
                    for schema, name in names_of_tables
                ]
            case [*_, "metadata"]:
                return lines(
                    {"protocol": {"minReaderVersion": 1}},
                    {"metaData": {**METADATA, **self.metadata}},
                )
            case [*_, "query" | "changes" | "temporary-table-credentials"]:
                return answer(404)
            case _:
                return answer(405)
        at = int(parse_qs(split.query).get("pageToken", ["0"])[0])
        token = {"nextPageToken": str(at + 1)} if at + 1 < len(items) else {}
        return answer(200, {"items": items[at : at + 1], **token})


def offer_of(answerer: Answerer, **parameters: str) -> Offer:
    with miniature(answerer) as url, Wire(url) as wire:
        offer = discover(wire, Target(url, parameters=parameters))
        return replace(
            offer,
            features=dict(offer.features),
            results={name: offer.result(name) for name in offer.results},
        )


def test_discovery_follows_pages_to_every_table() -> None:
    offer = offer_of(Shares({("s.1", "a"): ["t", "Ü t"], ("s.1", "b"): [], ("s2", "a"): ["t"]}))
    catalogue = offer.results["catalogue"]

    assert [s["name"] for s in catalogue.shares] == ["s.1", "s2"]
    assert catalogue.schemas == (("s.1", "a"), ("s.1", "b"), ("s2", "a"))
    assert [tuple(t.address.values()) for t in catalogue.readable] == [
        ("s.1", "a", "t"),
        ("s.1", "a", "Ü t"),
        ("s2", "a", "t"),
    ]
    assert catalogue.whole


def test_discovery_asks_for_metadata_of_one_table_before_the_first_check() -> None:
    server = Shares({("s", "a"): [f"t{n}" for n in range(30)]})
    with miniature(server) as url, Wire(url) as wire:
        offer = discover(wire, Target(url))
        early = [one for one in server.asked if one.endswith("metadata")]
        offer.result("catalogue")

    assert len(early) == 1
    assert len({one for one in server.asked if one.endswith("metadata")}) == 30


@pytest.mark.parametrize("requirement", ["DS-GSH-01", "DS-LSC-02", "DS-LAT-01", "DS-PAG-14"])
def test_checks_of_listings_ask_for_metadata_of_one_table(requirement: str) -> None:
    server = Shares({("s", "a"): [f"t{n}" for n in range(9)]})
    with miniature(server) as url:
        checked(Target(url), requirement, of="delta_sharing")

    assert len({one for one in server.asked if one.endswith("metadata")}) == 1


def test_detected_features_are_asked_for_at_their_first_use() -> None:
    detections: list[str] = []

    def detect() -> bool:
        detections.append("a")
        return True

    offer = Offer(frozenset(), features=Detected({"a": detect, "b": detect}))

    assert offer.unused == {"a", "b"}
    assert [offer.features["a"], offer.features["a"]] == [True, True]
    assert (offer.unused, detections) == ({"b"}, ["a"])


def test_missing_operation_is_not_offered() -> None:
    operations = offer_of(Shares({("s", "a"): ["t"]})).operations

    assert operations.isdisjoint(
        {"headTableVersion", "queryTableChanges", "generateTemporaryTableCredentials"}
    )
    assert {"listShares", "listAllTables", "queryTable"} <= operations


def test_access_modes_are_offered_and_forwarded_settings_are_not() -> None:
    offer = offer_of(
        Shares(
            {("s", "a"): ["t"]},
            configuration={"enableChangeDataFeed": "true"},
            accessModes=["url", "dir"],
        )
    )

    assert "generateTemporaryTableCredentials" in offer.operations
    assert "queryTableChanges" not in offer.operations
    assert not offer.features["change-data-feed"]


def test_large_catalogue_is_sampled() -> None:
    server = Shares({(f"s{n}", "a"): [f"t{m}" for m in range(30)] for n in range(40)})
    catalogue = offer_of(server).results["catalogue"]

    assert catalogue.readable
    assert not catalogue.whole
    assert len(server.asked) < 300


@pytest.mark.parametrize(
    "body",
    [
        b"null",
        b"[]",
        b"{}",
        b'{"items": 1}',
        b'{"items": [1, {"name": 2}], "nextPageToken": "a"}',
        b"<html>",
        b"",
    ],
)
def test_nonsense_answers_have_no_tables(body: bytes) -> None:
    offer = offer_of(lambda *_: (200, {"Content-Type": "application/json"}, body))

    assert offer.results["catalogue"].tables == ()


@pytest.mark.parametrize(
    ("status", "hint"),
    [(401, "--token-env"), (403, "--token-env"), (404, "the endpoint of a profile")],
)
def test_refusal_of_every_request_is_blocked_with_a_hint(status: int, hint: str) -> None:
    with pytest.raises(Blocked, match=hint):
        offer_of(lambda *_: answer(status))


def test_missing_fixture_pack_is_blocked(tmp_path: Path) -> None:
    with pytest.raises(Blocked, match="holds no fixture pack"):
        offer_of(Shares({}), fixtures=str(tmp_path))


def test_fixtures_feature_is_off_without_a_fixture_pack() -> None:
    assert offer_of(Shares({})).features["fixtures"] is False
