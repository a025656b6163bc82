"""The registry of requirements is complete, well formed, and points into the contract."""

from __future__ import annotations

import json
import re
from collections import Counter
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import jsonschema_rs
import pytest
import yaml

from codegen.bundles import Bundle, bundled
from codegen.contracts import Source, all_sources
from lakepact.codegen.passes import operations_of

SPECS = Path(__file__).parents[2] / "specs"
ICEBERG = "iceberg_rest/1.10.0"
LATER_ICEBERG = "iceberg_rest/1.11.0"
SHARING = "delta_sharing/2026-02"
LATER_SHARING = "delta_sharing/2026-08"
WATSONX = "watsonx_data/2026"
SOURCES: dict[str, Source] = {s.folder.relative_to(SPECS).as_posix(): s for coded in all_sources() for s in (coded, *coded.beside)}
CONTRACTS = sorted(SOURCES)

#: The number of requirements of each contract, by the subject in their ids: no id is ever dropped.
HOW_MANY = {
    ICEBERG: {
        "CFG": 20,
        "CLI": 57,
        "COM": 34,
        "ERR": 21,
        "GEN": 33,
        "META": 19,
        "NS": 71,
        "OAU": 28,
        "PAG": 24,
        "REQ": 39,
        "SCAN": 67,
        "SCH": 158,
        "SEC": 16,
        "TBL": 162,
        "TXN": 18,
        "UPD": 91,
        "VIEW": 51,
    },
    LATER_ICEBERG: {"CET": 3, "IDEM": 22, "PLAN": 3, "RBY": 2, "SEP": 5, "SIGN": 9, "VIEW": 8, "WHS": 1},
    SHARING: {
        "ACC": 5,
        "ADD": 1,
        "CAP": 10,
        "CDC": 1,
        "CLI": 21,
        "CDF": 16,
        "DF": 20,
        "DFL": 8,
        "DMD": 7,
        "DPR": 1,
        "DWP": 2,
        "ESA": 7,
        "EST": 7,
        "FIL": 11,
        "FMT": 1,
        "GEN": 16,
        "GSH": 3,
        "HNT": 15,
        "JSP": 9,
        "LAT": 3,
        "LSC": 2,
        "LSH": 1,
        "LTB": 13,
        "MDT": 12,
        "MET": 5,
        "NAME": 8,
        "PAG": 15,
        "PRF": 5,
        "PRO": 3,
        "PV": 7,
        "QRY": 11,
        "RDF": 2,
        "REM": 2,
        "SCH": 6,
        "SHR": 6,
        "SQL": 4,
        "STA": 6,
        "STR": 3,
        "TMP": 16,
        "TSF": 3,
        "TTV": 14,
        "VER": 9,
        "WRP": 1,
    },
    LATER_SHARING: {"ASY": 8, "FIH": 4, "HPR": 3, "MTT": 4},
    WATSONX: {"CFG": 6, "COM": 2, "GEN": 4, "NAME": 5, "NS": 8, "PAG": 4, "SEC": 4, "TBL": 4, "VIEW": 2},
}

every_contract = pytest.mark.parametrize("contract", CONTRACTS)


@cache
def document(contract: str, file: str) -> Any:
    return yaml.safe_load((SPECS / contract / file).read_text())


@cache
def bundle(contract: str) -> Bundle:
    return bundled(SOURCES[contract])


def extended(contract: str) -> list[str]:
    """Return the version and all versions that it extends."""
    return [folder.relative_to(SPECS).as_posix() for folder in SOURCES[contract].folders]


def entries(contract: str, file: str, member: str) -> list[Any]:
    """Return the entries of a file in a version and in all versions that it extends."""
    there = [version for version in extended(contract) if (SPECS / version / file).exists()]
    return [entry for version in there for entry in document(version, file)[member]]


def requirement_files(contract: str) -> list[str]:
    return sorted(
        path.relative_to(SPECS / contract).as_posix()
        for path in (SPECS / contract / "requirements").rglob("*.yaml")
        if path.name != "interpretations.yaml"
    )


def requirements(contract: str) -> list[dict[str, Any]]:
    return [requirement for file in requirement_files(contract) for requirement in document(contract, file)["requirements"]]


def operations(contract: str) -> set[str]:
    return {operation["operationId"] for _, _, operation in operations_of(bundle(contract).written)}


def headings(contract: str) -> dict[str, str]:
    """Return the headings of the prose of a contract, by anchor."""
    there = [version for version in extended(contract) if (SPECS / version / "headings.yaml").exists()]
    return {anchor: title for version in there for anchor, title in document(version, "headings.yaml")["headings"].items()}


def resolves(pointer: str, contract: Any) -> bool:
    if not pointer.startswith("/"):
        return False
    here = contract
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(here, list):
            if not (name.isdecimal() and int(name) < len(here)):
                return False
            here = here[int(name)]
        elif isinstance(here, dict) and name in here:
            here = here[name]
        else:
            return False
    return True


@every_contract
def test_files_match_the_registry_schema(contract: str) -> None:
    schema = json.loads((SPECS / "requirement.schema.json").read_text())
    others = {f"{kind}.yaml": kind for kind in ("features", "headings", "uncovered", "additions", "profile")} | {
        "requirements/interpretations.yaml": "interpretations"
    }
    kinds = dict.fromkeys(requirement_files(contract), "requirements")
    kinds |= {file: kind for file, kind in others.items() if (SPECS / contract / file).exists()}
    faults = []
    for file, kind in kinds.items():
        validator = jsonschema_rs.validator_for({"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]})
        faults += [f"{file} {error.instance_path}: {error.message}" for error in validator.iter_errors(document(contract, file))]

    assert faults == []


@every_contract
def test_each_file_is_named_after_its_area(contract: str) -> None:
    areas = [document(contract, file)["area"] for file in requirement_files(contract)]

    assert areas == [PurePosixPath(file).stem for file in requirement_files(contract)]


@every_contract
def test_ids_are_unique(contract: str) -> None:
    seen = Counter(requirement["id"] for requirement in requirements(contract))

    assert [identifier for identifier, times in seen.items() if times > 1] == []


@every_contract
def test_every_subject_has_its_number_of_requirements(contract: str) -> None:
    found = Counter(requirement["id"].split("-")[1] for requirement in requirements(contract))

    assert dict(sorted(found.items())) == HOW_MANY[contract]


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
    named = {
        requirement["id"].removeprefix("IRC-SCH-")
        for requirement in document(ICEBERG, "requirements/protocol/schemas.yaml")["requirements"]
    }

    assert named == set(document(ICEBERG, "openapi.yaml")["components"]["schemas"])


@every_contract
def test_clauses_resolve_in_the_contract(contract: str) -> None:
    openapi = bundle(contract).written
    anchors = {f"#{anchor}" for anchor in headings(contract)}
    clauses = {r["id"]: r["clause"] for r in requirements(contract)}

    assert {i: clause for i, clause in clauses.items() if clause not in anchors and not resolves(clause, openapi)} == {}


def test_anchors_are_derived_from_the_headings() -> None:
    seen: Counter[str] = Counter()
    made: dict[str, str] = {}
    for title in headings(SHARING).values():
        anchor = re.sub(r"[^a-z0-9 -]", "", title.casefold()).replace(" ", "-")
        made[f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor] = title
        seen[anchor] += 1

    assert made == headings(SHARING)


@every_contract
def test_corrections_exist(contract: str) -> None:
    known = {correction["id"] for correction in entries(contract, "overlay.yaml", "corrections")}
    unknown = {
        r["id"]: sorted(set(r["corrections"]) - known) for r in requirements(contract) if not known.issuperset(r.get("corrections", ()))
    }

    assert unknown == {}


@every_contract
def test_operations_of_requirements_exist(contract: str) -> None:
    known = operations(contract)
    unknown = {r["id"]: sorted(set(r["operations"]) - known) for r in requirements(contract) if not known.issuperset(r["operations"])}

    assert unknown == {}


@every_contract
def test_every_operation_has_a_requirement(contract: str) -> None:
    concerned = {operation for version in extended(contract) for r in requirements(version) for operation in r["operations"]}

    assert operations(contract) - concerned == set()


@every_contract
def test_features_are_declared_and_used(contract: str) -> None:
    declared = [feature["name"] for feature in document(contract, "features.yaml")["features"]]
    inherited = {feature["name"] for version in extended(contract)[:-1] for feature in document(version, "features.yaml")["features"]}
    used = {feature for requirement in requirements(contract) for feature in requirement.get("features", [])}

    assert declared == sorted(declared)
    assert set(declared) - inherited == used - inherited


@every_contract
def test_interpretations_of_requirements_exist(contract: str) -> None:
    known = {interpretation["id"] for interpretation in entries(contract, "requirements/interpretations.yaml", "interpretations")}
    unknown = {r["id"]: r["interpretation"] for r in requirements(contract) if "interpretation" in r and r["interpretation"] not in known}

    assert unknown == {}


@every_contract
def test_interpretation_ids_are_unique(contract: str) -> None:
    seen = Counter(interpretation["id"] for interpretation in entries(contract, "requirements/interpretations.yaml", "interpretations"))

    assert [identifier for identifier, times in seen.items() if times > 1] == []


@every_contract
def test_sentences_differ(contract: str) -> None:
    said = [requirement["sentence"] for version in extended(contract) for requirement in requirements(version)]
    seen = Counter(re.sub(r"\W+", " ", sentence).casefold() for sentence in said)

    assert [sentence for sentence, times in seen.items() if times > 1] == []


@every_contract
def test_uncovered_patterns_match_requirements(contract: str) -> None:
    ids = [requirement["id"] for version in extended(contract) for requirement in requirements(version)]
    patterns = [entry["requirement"] for entry in entries(contract, "uncovered.yaml", "uncovered")]

    assert [pattern for pattern in patterns if not any(fnmatchcase(identifier, pattern) for identifier in ids)] == []
