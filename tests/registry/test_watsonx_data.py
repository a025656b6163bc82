"""The page about watsonx.data agrees with the registry, and its example runs."""

from __future__ import annotations

import contextlib
import io
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import yaml

from lakepact.generated.contract import Contract
from lakepact.reference_server import running

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "specs" / "watsonx_data" / "2026"
PAGE = (ROOT / "docs" / "watsonx-data.md").read_text("utf-8")
ROWS = {
    row[0]: row[1:]
    for row in (
        line.strip("| ").split(" | ")
        for line in PAGE.splitlines()
        if re.match(r"\| [CD]-\d\d \|", line)
    )
}
CONTRACT = Contract("watsonx_data")


def document(file: str) -> Any:
    return yaml.safe_load((SPEC / file).read_text("utf-8"))


def judged_by(identifier: str) -> str:
    own = [r for r in CONTRACT.requirements.values() if r.id.startswith("WXD-")]
    return (
        ", ".join(
            sorted(
                r.id
                for r in own
                if r.difference == identifier or r.interpretation.startswith(f"{identifier}:")
            )
        )
        or "·"
    )


def test_page_lists_every_difference_and_interpretation() -> None:
    known = [
        entry["id"]
        for entry in (
            *document("profile.yaml")["differences"],
            *document("requirements/interpretations.yaml")["interpretations"],
        )
    ]

    assert list(ROWS) == known


@pytest.mark.parametrize(
    "interpretation",
    document("requirements/interpretations.yaml")["interpretations"],
    ids=lambda interpretation: interpretation["id"],
)
def test_interpretation_is_published_with_ruling_and_checks(interpretation: dict[str, str]) -> None:
    assert ROWS[interpretation["id"]] == [
        interpretation["problem"],
        interpretation["ruling"],
        judged_by(interpretation["id"]),
    ]


@pytest.mark.parametrize(
    "difference", document("profile.yaml")["differences"], ids=lambda difference: difference["id"]
)
def test_difference_is_published_with_consequence_and_checks(difference: dict[str, Any]) -> None:
    assert ROWS[difference["id"]][:3] == [
        difference["sentence"],
        difference["taken"],
        judged_by(difference["id"]),
    ]


def test_requirements_are_inherited_unless_a_difference_drops_them() -> None:
    gone = {name for difference in CONTRACT.differences.values() for name in difference.without}
    others = Contract("iceberg_rest").requirements

    assert {
        name for name in CONTRACT.requirements if not name.startswith("WXD-")
    } == others.keys() - gone


def test_inherited_requirements_are_unchanged() -> None:
    others = Contract("iceberg_rest").requirements
    inherited = [r for name, r in CONTRACT.requirements.items() if name in others]

    assert [
        r.id
        for r in inherited
        if (r.sentence, r.level, r.clause)
        != (others[r.id].sentence, others[r.id].level, others[r.id].clause)
    ] == []


def test_every_own_requirement_names_a_difference() -> None:
    assert [
        r.id
        for r in CONTRACT.requirements.values()
        if r.id.startswith("WXD-") and r.difference not in CONTRACT.differences
    ] == []


def test_patterns_of_differences_do_not_overlap() -> None:
    patterns = [
        (d["id"], pattern)
        for d in document("profile.yaml")["differences"]
        for pattern in d.get("without", ())
    ]

    assert [
        (one, other)
        for one in patterns
        for other in patterns
        if one != other and fnmatchcase(one[1], other[1])
    ] == []


def test_example_prints_its_expected_output(tmp_path: Path) -> None:
    (example,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (credentials,) = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "credentials.yaml").write_text(credentials, "utf-8")

    with running(
        contract="watsonx_data",
        prefix="iceberg_data",
        warehouse="memory:",
        credentials=tmp_path / "credentials.yaml",
    ) as server:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(
                compile(
                    example.replace("http://127.0.0.1:8181", server.url),
                    "watsonx-data.md",
                    "exec",
                    dont_inherit=True,
                ),
                {},
            )

    assert printed.getvalue().splitlines() == re.findall(r"^#> (.*)$", example, re.MULTILINE)
