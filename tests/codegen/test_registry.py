"""Requirements that name unknown things raise Broken."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from codegen import versions
from codegen.contracts import all_sources
from codegen.registry import Registry
from lakepact.codegen.documents import Broken


def read(rack: Path) -> Registry:
    (source,) = all_sources(rack.parents[1])
    return versions.read(source).registry


@pytest.mark.parametrize(
    ("file", "old", "new", "complaint"),
    [
        (
            "requirements/books.yaml",
            "operations: [getKey]",
            "operations: [getKeys]",
            "books.yaml, SH-KEY-001: unknown operations: getKeys",
        ),
        (
            "requirements/books.yaml",
            "features: [paging]",
            "features: [pages]",
            "SH-BOOK-002: unknown features: pages",
        ),
        (
            "requirements/books.yaml",
            "interpretation: R-1",
            "interpretation: R-2",
            "SH-BOOK-001: unknown interpretations: R-2",
        ),
        (
            "requirements/books.yaml",
            "interpretation: R-1",
            "corrections: [S03]",
            "SH-BOOK-001: unknown corrections: S03",
        ),
        (
            "requirements/books.yaml",
            "responses/404",
            "responses/410",
            "SH-BOOK-001: .* points to nothing: there is no '410'",
        ),
        (
            "requirements/books.yaml",
            "clause: '#keys'",
            "clause: '#locks'",
            "SH-KEY-001: #locks points to nothing: the prose has no such",
        ),
        (
            "requirements/books.yaml",
            "level: MAY",
            "level: MIGHT",
            "SH-KEY-001: unknown level: MIGHT",
        ),
        (
            "requirements/books.yaml",
            "basis: implied",
            "basis: hearsay",
            "SH-BOOK-002: unknown basis: hearsay",
        ),
        ("requirements/books.yaml", "side: client", "side: both", "SH-KEY-001: unknown side: both"),
        (
            "requirements/books.yaml",
            "interpretation: R-1",
            "note: x",
            "SH-BOOK-001: unknown members: note",
        ),
        (
            "requirements/books.yaml",
            "SH-BOOK-002",
            "SH-BOOK-001",
            "requirements: SH-BOOK-001 stand there twice",
        ),
        (
            "requirements/books.yaml",
            "area: books",
            "area: loans",
            "books.yaml says that it is about loans",
        ),
        (
            "uncovered.yaml",
            "SH-KEY-*",
            "SH-LOCK-*",
            "uncovered.yaml speaks of requirements that do not exist: SH-LOCK-",
        ),
    ],
)
def test_typing_error_raises_broken_with_its_name(
    rack: Path, file: str, old: str, new: str, complaint: str
) -> None:
    (rack / file).write_text((rack / file).read_text("utf-8").replace(old, new), "utf-8")

    with pytest.raises(Broken, match=complaint):
        read(rack)


def test_requirement_lists_the_corrections_of_its_clause(rack: Path) -> None:
    corrections = {
        requirement.id: requirement.corrections for requirement in read(rack).requirements
    }

    assert corrections == {
        "SH-BOOK-001": (),
        "SH-BOOK-002": (),
        "SH-BOOK-003": ("S01",),
        "SH-KEY-001": (),
    }


def test_requirement_carries_problem_and_ruling(rack: Path) -> None:
    (entry,) = yaml.safe_load((rack / "requirements" / "interpretations.yaml").read_text("utf-8"))[
        "interpretations"
    ]

    interpretation = next(
        r.interpretation for r in read(rack).requirements if r.id == "SH-BOOK-001"
    )
    assert interpretation == f"{entry['id']}: {entry['problem']} {entry['ruling']}"


def test_uncovered_pattern_gives_its_reason_to_requirements(rack: Path) -> None:
    reasons = {requirement.id: requirement.uncovered for requirement in read(rack).requirements}

    assert reasons == {
        "SH-BOOK-001": "",
        "SH-BOOK-002": "",
        "SH-BOOK-003": "",
        "SH-KEY-001": "there are no keys yet",
    }


def test_prose_requirement_lists_the_corrections_that_it_names(rack: Path) -> None:
    books = rack / "requirements" / "books.yaml"
    books.write_text(books.read_text("utf-8") + "    corrections: [S01]\n", "utf-8")

    assert next(r.corrections for r in read(rack).requirements if r.id == "SH-KEY-001") == ("S01",)


def test_contract_without_a_registry_is_read(rack: Path) -> None:
    for path in [
        *(rack / "requirements").iterdir(),
        *(rack / f"{name}.yaml" for name in ("features", "headings", "uncovered", "overlay")),
    ]:
        path.unlink()

    assert read(rack) == Registry((), (), (), None, ())
