"""`lakepact contracts`: the known versions, and the differences between two of them."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from lakepact.cli import main
from lakepact.generated.contract import Contract, contracts

COMPARED = [
    (name, Contract(name).version, other)
    for name in contracts()
    for other in Contract(name).other_versions
]


def output_of(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["contracts", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_every_contract_is_listed_in_every_version() -> None:
    rows = [(row["contract"], row["version"]) for row in json.loads(output_of("list", "--json"))]

    assert rows == [
        (name, version)
        for name in contracts()
        for version in (Contract(name).version, *Contract(name).other_versions)
    ]


def test_list_names_the_support_of_each_version() -> None:
    rows = {
        (row["contract"], row["version"]): row["is"]
        for row in json.loads(output_of("list", "--json"))
    }

    assert rows["iceberg_rest", "1.11.0"] == "client, server and suite"
    assert rows["delta_sharing", "2026-08"] == "client, server and suite"


def test_diff_to_a_newer_version_lists_additions_and_requirements() -> None:
    text = output_of("diff", "iceberg_rest", "1.10.0", "1.11.0")

    assert "  a view can be registered from a metadata file\n" in text
    assert "  + registerView\n" in text
    assert "  ~ loadTable: parameters/query referenced-by added\n" in text
    assert (
        "  IRC-VIEW-REG-004   MUST   Registering a view by the name of an existing view returns 409"
        in text
    )


@pytest.mark.parametrize(("contract", "main_version", "other"), COMPARED)
def test_diff_has_a_sentence_for_each_added_or_changed_requirement(
    contract: str, main_version: str, other: str
) -> None:
    difference = json.loads(output_of("diff", contract, main_version, other, "--json"))

    sentences = [demand["id"] for demand in difference["demands"] if demand["sentence"]]
    assert sorted(sentences) == sorted(
        [*difference["requirements"]["added"], *difference["requirements"]["changed"]]
    )


@pytest.mark.parametrize(("contract", "main_version", "other"), COMPARED)
def test_reversed_diff_swaps_additions_and_removals(
    contract: str, main_version: str, other: str
) -> None:
    there = json.loads(output_of("diff", contract, main_version, other, "--json"))
    back = json.loads(output_of("diff", contract, other, main_version, "--json"))

    for part in ("operations", "schemas", "requirements", "features"):
        assert (back[part]["added"], back[part]["removed"]) == (
            there[part]["removed"],
            there[part]["added"],
        )


def test_unknown_version_exits_with_2_and_names_the_known_versions() -> None:
    result = CliRunner().invoke(main, ["contracts", "diff", "iceberg_rest", "1.10.0", "2.0"])

    assert result.exit_code == 2
    assert "1.10.0 can be compared with 1.11.0" in result.output
