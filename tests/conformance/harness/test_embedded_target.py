"""The settings of an embedded target reach the server, and its address, headers and parameters
reach the run.
"""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from lakepact.conformance.evidence.target import Offer
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.judging.lab import Lab
from lakepact.conformance.running import suite as suites
from lakepact.conformance.running.embedded_server import Misused, embedded
from lakepact.conformance.running.embedded_target import EmbeddedTarget
from lakepact.conformance.running.suite import Suite
from lakepact.generated.contract import contracts

TOKEN = "a-token-of-nobody"


def suite_with(embedding: EmbeddedTarget) -> Suite[Lab]:
    return Suite(
        "iceberg_rest",
        lab=Lab,
        discover=lambda *_: Offer(frozenset()),
        launch_settings=lambda _: embedding,
    )


def test_settings_become_options_of_the_command() -> None:
    embedding = EmbeddedTarget(settings={"shares": "/a b", "max_body": 1024})

    assert embedding.arguments == ("--shares", "/a b", "--max-body", "1024")


def test_target_has_the_root_headers_parameters_and_features() -> None:
    embedding = EmbeddedTarget(
        root="/delta-sharing",
        headers={"Authorization": TOKEN},
        parameters={"a": "b"},
        features={"c": True},
    )
    target = embedding.target("http://127.0.0.1:1/")

    assert target.url == "http://127.0.0.1:1/delta-sharing"
    assert (target.headers, target.parameters, target.features) == (
        {"Authorization": TOKEN},
        {"a": "b"},
        {"c": True},
    )
    assert TOKEN not in repr(embedding) + repr(target)


def test_embedded_server_gets_its_settings() -> None:
    with (
        embedded(suite_with(EmbeddedTarget(settings={"prefix": "some/where"}))) as target,
        Wire(target.url) as wire,
    ):
        assert wire.send("GET", "/v1/some/where/namespaces").status == 200


@pytest.mark.parametrize(
    ("settings", "error", "complaint"),
    [
        ({"prefix": "?"}, Misused, r"rejected its options: .*prefix"),
        (
            {"store": "FILE/store", "warehouse": "FILE/w"},
            Misused,
            "rejected its options: cannot use",
        ),
    ],
)
def test_unusable_setting_raises_its_error(
    settings: dict[str, str], error: type[Exception], complaint: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("not a folder")
    embedded_settings = {
        name: value.replace("FILE", str(tmp_path / "file")) for name, value in settings.items()
    }
    with (
        pytest.raises(error, match=complaint),
        embedded(suite_with(EmbeddedTarget(settings=embedded_settings))),
    ):
        pass


@pytest.mark.parametrize("contract", contracts())
def test_every_contract_has_an_embedded_target(contract: str, tmp_path: Path) -> None:
    suite = suites.load(contract)
    target = suite.launch_settings(tmp_path).target("http://127.0.0.1:1")

    assert set(target.features) <= set(suite.contract.features)
    assert all(isinstance(value, str) for value in target.parameters.values())


def test_embedded_principals_are_called_like_the_parameters(tmp_path: Path) -> None:
    suite = suites.load("iceberg_rest")
    principals = orjson.loads(
        Path(suite.launch_settings(tmp_path).parameters["principals"]).read_bytes()
    )

    assert {f"{name}-env" for name in principals} <= suite.parameters.keys()
