"""What a contract needs at home reaches the server, and its address with what belongs to it reaches the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lakepact.conformance import suite as suites
from lakepact.conformance.embedded import Misused, embedded
from lakepact.conformance.embedded_target import EmbeddedTarget
from lakepact.conformance.lab import Lab
from lakepact.conformance.outcome import Blocked
from lakepact.conformance.suite import Suite
from lakepact.conformance.target import Offer
from lakepact.conformance.wire import Wire
from lakepact.generated.contract import contracts

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "a-token-of-nobody"


def suite_at(home: EmbeddedTarget) -> Suite[Lab]:
    return Suite("iceberg_rest", lab=Lab, discover=lambda *_: Offer(frozenset()), launch_settings=lambda _: home)


def test_settings_are_options_of_the_command() -> None:
    home = EmbeddedTarget(settings={"shares": "/a b", "max_body": 1024})

    assert home.arguments == ("--shares", "/a b", "--max-body", "1024")


def test_target_lies_below_the_root_and_has_what_belongs_to_it() -> None:
    home = EmbeddedTarget(root="/delta-sharing", headers={"Authorization": TOKEN}, parameters={"a": "b"}, features={"c": True})
    target = home.target("http://127.0.0.1:1/")

    assert target.url == "http://127.0.0.1:1/delta-sharing"
    assert (target.headers, target.parameters, target.features) == ({"Authorization": TOKEN}, {"a": "b"}, {"c": True})
    assert TOKEN not in repr(home) + repr(target)


def test_embedded_server_is_started_with_what_it_needs() -> None:
    with embedded(suite_at(EmbeddedTarget(settings={"prefix": "some/where"}))) as target, Wire(target.url) as wire:
        assert wire.send("GET", "/v1/some/where/namespaces").status == 200


def test_a_server_that_is_told_nonsense_is_not_blamed_on_its_start() -> None:
    with (
        pytest.raises(Misused, match=r"rejected its options: .*prefix"),
        embedded(suite_at(EmbeddedTarget(settings={"prefix": "?"}))),
    ):
        pass


def test_what_keeps_the_server_from_starting_is_said(tmp_path: Path) -> None:
    nowhere = tmp_path / "file"
    nowhere.write_text("not a folder")
    with (
        pytest.raises(Blocked, match="did not start"),
        embedded(suite_at(EmbeddedTarget(settings={"store": nowhere / "store", "warehouse": nowhere / "warehouse"}))),
    ):
        pass


@pytest.mark.parametrize("contract", contracts())
def test_every_contract_has_a_home(contract: str, tmp_path: Path) -> None:
    suite = suites.load(contract)
    target = suite.launch_settings(tmp_path).target("http://127.0.0.1:1")

    assert set(target.features) <= set(suite.contract.features)
    assert all(isinstance(value, str) for value in target.parameters.values())
