"""The registry of requirements is complete, well formed, and points into the contract."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from codegen import versions
from codegen.bundles import Bundle, read_bundle
from codegen.contracts import Source, all_sources
from lakepact.codegen.passes import operations_of

SPECS = Path(__file__).parents[2] / "specs"
ICEBERG = "iceberg_rest/1.10.0"
SHARING = "delta_sharing/2026-02"
WATSONX = "watsonx_data/2026"
SOURCES: dict[str, Source] = {
    s.folder.relative_to(SPECS).as_posix(): s
    for source in all_sources()
    for s in (source, *source.beside)
}
CONTRACTS = sorted(SOURCES)

every_contract = pytest.mark.parametrize("contract", CONTRACTS)


@cache
def document(contract: str, file: str) -> Any:
    return yaml.load((SPECS / contract / file).read_text("utf-8"), yaml.CSafeLoader)


@cache
def bundle(contract: str) -> Bundle:
    return read_bundle(SOURCES[contract])


def version_chain(contract: str) -> list[str]:
    """Return the version and all versions that it extends."""
    return [folder.relative_to(SPECS).as_posix() for folder in SOURCES[contract].folders]


def requirement_files(contract: str) -> list[str]:
    return sorted(
        path.relative_to(SPECS / contract).as_posix()
        for path in (SPECS / contract / "requirements").rglob("*.yaml")
        if path.name != "interpretations.yaml"
    )


def requirements(contract: str) -> list[dict[str, Any]]:
    return [
        requirement
        for file in requirement_files(contract)
        for requirement in document(contract, file)["requirements"]
    ]


def operations(contract: str) -> set[str]:
    return {
        operation["operationId"]
        for _, _, operation in operations_of(bundle(contract).source_document)
    }


def headings(contract: str) -> dict[str, str]:
    """Return the headings of the prose of a contract, by anchor."""
    there = [
        version
        for version in version_chain(contract)
        if (SPECS / version / "headings.yaml").exists()
    ]
    return {
        anchor: title
        for version in there
        for anchor, title in document(version, "headings.yaml")["headings"].items()
    }


@every_contract
def test_files_match_the_registry_schema(contract: str) -> None:
    schema = json.loads((SPECS / "requirement.schema.json").read_text())
    others = {
        f"{kind}.yaml": kind
        for kind in ("features", "headings", "uncovered", "additions", "profile")
    } | {"requirements/interpretations.yaml": "interpretations"}
    kinds = dict.fromkeys(requirement_files(contract), "requirements")
    kinds |= {file: kind for file, kind in others.items() if (SPECS / contract / file).exists()}
    faults = []
    for file, kind in kinds.items():
        validator = jsonschema_rs.validator_for(
            {"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]}
        )
        faults += [
            f"{file} {error.instance_path}: {error.message}"
            for error in validator.iter_errors(document(contract, file))
        ]

    assert faults == []


@every_contract
def test_registry_names_what_exists_once(contract: str) -> None:
    """The generator refuses twins, and unknown clauses, operations, features, corrections and
    interpretations.
    """
    registry = versions.read(SOURCES[contract]).registry

    assert {requirement["id"] for requirement in requirements(contract)} <= {
        requirement.id for requirement in registry.requirements
    }


@every_contract
def test_every_requirement_file_holds_requirements(contract: str) -> None:
    empty = [
        file for file in requirement_files(contract) if not document(contract, file)["requirements"]
    ]

    assert requirement_files(contract)
    assert empty == []


@every_contract
def test_numbers_of_a_series_have_no_gap(contract: str) -> None:
    series: dict[str, list[int]] = {}
    for requirement in requirements(contract):
        name, _, number = requirement["id"].rpartition("-")
        if number.isdecimal():
            series.setdefault(name, []).append(int(number))

    assert {name: sorted(numbers) for name, numbers in series.items()} == {
        name: list(range(1, len(numbers) + 1)) for name, numbers in series.items()
    }


def test_every_schema_of_the_iceberg_contract_has_its_requirement() -> None:
    names = {
        requirement["id"].removeprefix("IRC-SCH-")
        for requirement in document(ICEBERG, "requirements/protocol/schemas.yaml")["requirements"]
    }

    assert names == set(document(ICEBERG, "openapi.yaml")["components"]["schemas"])


def test_anchors_are_derived_from_the_headings() -> None:
    counts: Counter[str] = Counter()
    anchors: dict[str, str] = {}
    for title in headings(SHARING).values():
        anchor = re.sub(r"[^a-z0-9 -]", "", title.casefold()).replace(" ", "-")
        anchors[f"{anchor}-{counts[anchor]}" if counts[anchor] else anchor] = title
        counts[anchor] += 1

    assert anchors == headings(SHARING)


@every_contract
def test_every_operation_has_a_requirement(contract: str) -> None:
    with_requirement = {
        operation
        for version in version_chain(contract)
        for r in requirements(version)
        for operation in r["operations"]
    }

    assert operations(contract) - with_requirement == set()


@every_contract
def test_features_are_declared_and_used(contract: str) -> None:
    declared = [feature["name"] for feature in document(contract, "features.yaml")["features"]]
    inherited = {
        feature["name"]
        for version in version_chain(contract)[:-1]
        for feature in document(version, "features.yaml")["features"]
    }
    used = {
        feature
        for requirement in requirements(contract)
        for feature in requirement.get("features", [])
    }

    assert declared == sorted(declared)
    assert set(declared) - inherited == used - inherited


@every_contract
def test_sentences_differ(contract: str) -> None:
    sentences = [
        requirement["sentence"]
        for version in version_chain(contract)
        for requirement in requirements(version)
    ]
    counts = Counter(re.sub(r"\W+", " ", sentence).casefold() for sentence in sentences)

    assert [sentence for sentence, times in counts.items() if times > 1] == []
