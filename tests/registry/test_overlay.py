"""The overlay cites existing rulings, and its error types are named by the contract."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codegen import overlay
from lakepact.codegen.documents import read_yaml, resolve
from lakepact.codegen.passes import operations_of

FOLDER = Path(__file__).parents[2] / "specs/iceberg_rest/1.10.0"
SHARING = Path(__file__).parents[2] / "specs/delta_sharing/2026-02"
NAMED = re.compile(r"\b\w+(?:Exception)\b")


def test_rulings_cited_by_iceberg_corrections_exist() -> None:
    rulings = {
        interpretation["id"]
        for interpretation in read_yaml(FOLDER / "requirements/interpretations.yaml")[
            "interpretations"
        ]
    }
    citations = {
        ruling
        for correction in overlay.read(FOLDER / "overlay.yaml")
        for ruling in re.findall(r"A-\d\d", correction.why)
    }

    assert citations
    assert citations - rulings == set()


def test_rulings_cited_by_delta_sharing_corrections_exist() -> None:
    rulings = {
        interpretation["id"]
        for interpretation in read_yaml(SHARING / "requirements/interpretations.yaml")[
            "interpretations"
        ]
    }
    needs = {
        requirement["id"]
        for requirement in read_yaml(SHARING / "requirements/lines/interoperability.yaml")[
            "requirements"
        ]
    }
    reasons = [correction.why for correction in overlay.read(SHARING / "overlay.yaml")]

    assert {ruling for why in reasons for ruling in re.findall(r"\bD-\d\d", why)} <= rulings
    assert {f"DS-{need}" for why in reasons for need in re.findall(r"\bDF-\d\d", why)} <= needs


@pytest.mark.parametrize("folder", [FOLDER, SHARING], ids=lambda folder: folder.parent.name)
def test_correction_ids_have_their_form(folder: Path) -> None:
    assert [
        correction.id
        for correction in overlay.read(folder / "overlay.yaml")
        if not re.fullmatch(r"E\d\d", correction.id)
    ] == []


def descriptions() -> Iterator[tuple[str, str, str, Any]]:
    """Yield operation, status, shared response or none, and description of each answer."""
    document = read_yaml(FOLDER / "openapi.yaml")
    for _, method, operation in operations_of(document):
        for status, answer in operation["responses"].items():
            if method != "head" and status.isdecimal():
                shared = answer.get("$ref", "").removeprefix("#/components/responses/")
                yield (
                    operation["operationId"],
                    status,
                    shared,
                    resolve(document, answer).get("description", ""),
                )


def test_error_types_equal_those_named_by_the_contract() -> None:
    errors = read_yaml(FOLDER / "errors.yaml")
    in_file = {
        (o, s): errors["errors"].get(o, {}).get(s) or errors["shared"].get(shared, [])
        for o, s, shared, _ in descriptions()
    }

    in_contract = {
        (operation, status): list(dict.fromkeys(NAMED.findall(text)))
        for operation, status, _, text in descriptions()
    }
    assert in_file == in_contract
