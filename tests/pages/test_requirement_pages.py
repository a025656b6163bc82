"""The generated pages of the docs site hold every requirement once, with its checks and mutants."""

from __future__ import annotations

import re

import pytest
import requirement_pages

from lakepact.generated.contract import Contract


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return requirement_pages.pages()


@pytest.mark.parametrize(("name", "version"), requirement_pages.VERSIONS)
def test_each_requirement_stands_on_one_page(
    pages: dict[str, str], name: str, version: str
) -> None:
    contract = Contract(name, version)
    place = contract.versions.index(version)
    older = Contract(name, contract.versions[place - 1]).requirements if place else {}
    texts = [
        text for path, text in pages.items() if path.startswith(f"requirements/{name}-{version}-")
    ]
    found = [
        identifier for text in texts for identifier in re.findall(r"^## (\S+)", text, re.MULTILINE)
    ]

    assert sorted(found) == sorted(contract.requirements.keys() - older.keys())


def test_entry_shows_clause_interpretation_checks_and_mutants(pages: dict[str, str]) -> None:
    page = pages["requirements/iceberg_rest-1.10.0-preconditions.md"]
    entry = page[page.index("## IRC-REQ-001 ") : page.index("## IRC-REQ-002 ")]
    expected = (
        "Clause: `openapi.yaml#/",
        "Interpretation: A-68",
        "`commits.create.commits_create_tables`",
        "`commits-create-nothing`",
    )

    assert [text for text in expected if text not in entry] == []


def test_every_page_links_the_index(pages: dict[str, str]) -> None:
    assert [
        path
        for path, text in pages.items()
        if path != "requirements/index.md" and "(index.md)" not in text
    ] == []


def test_index_links_every_page(pages: dict[str, str]) -> None:
    linked = {
        f"requirements/{path}"
        for path in re.findall(r"\]\(([^)]+)\)", pages["requirements/index.md"])
    }

    assert linked == pages.keys() - {"requirements/index.md"}
