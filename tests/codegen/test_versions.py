"""Versions that extend another version, and differences between versions."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen import versions
from codegen.contracts import Source, all_sources
from codegen.generate import generate
from generating import CONTRACTS
from lakepact.codegen.documents import Broken, at
from sampling import by_day

JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.dictionaries(st.text(max_size=2), inner, max_size=4),
)
DOCUMENTS = st.dictionaries(st.text(max_size=2), JSON, max_size=4)


@pytest.fixture
def later(rack: Path) -> Path:
    """Return a copy of the later version, next to a copy of the version that it extends."""
    shutil.copytree(CONTRACTS / "rack" / "3", rack.with_name("3"))
    return rack.with_name("3")


def beside(later: Path) -> Source:
    (source,) = all_sources(later.parents[1])
    (other,) = source.beside
    return other


def spoilt(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_version_without_code_leaves_the_code_to_the_newest_other(later: Path) -> None:
    assert [source.version for source in all_sources(later.parents[1])] == ["2"]


def test_later_version_adds_operations_to_those_it_extends(later: Path) -> None:
    before = versions.read(all_sources(later.parents[1])[0])

    assert set(versions.read(beside(later)).operations) - set(before.operations) == {"clearRack"}


def test_adopted_corrections_are_dropped(later: Path) -> None:
    version = versions.read(beside(later))

    assert [correction.id for correction in version.bundle.corrections] == ["S02", "S03"]
    assert "discriminator" in version.bundle.source_document["components"]["schemas"]["Change"]


def test_requirement_of_a_later_version_overrides_the_earlier(later: Path) -> None:
    levels = {
        requirement.id: requirement.level
        for requirement in versions.read(beside(later)).registry.requirements
    }

    assert levels == {
        "SH-BOOK-001": "MUST",
        "SH-BOOK-002": "MUST",
        "SH-BOOK-003": "MUST",
        "SH-CLR-001": "MUST",
        "SH-KEY-001": "MAY",
    }


def test_later_prose_has_its_own_address_and_headings(later: Path) -> None:
    prose = versions.read(beside(later)).registry.prose

    assert prose is not None
    assert (prose.address, list(prose.headings)) == (
        "https://example.org/later/RACKS.md",
        ["keys", "clearing"],
    )


def test_errors_of_a_later_version_override_the_earlier(later: Path) -> None:
    operations = versions.read(beside(later)).operations.values()

    assert {
        (o.id, a.status): a.errors for o in operations for a in o.answers.values() if a.errors
    } == {
        ("listBooks", "404"): ("NoRack",),
        ("changeRack", "409"): ("Conflict",),
    }


@pytest.mark.parametrize(
    ("file", "old", "new", "complaint"),
    [
        ("contract.yaml", "extends: 2", "extends: 1", r"^\w+ 3: extends 1, which is not there"),
        ("contract.yaml", "extends: 2", "extends: 3", r"^\w+ 3: extends 3, which is not there"),
        (
            "contract.yaml",
            "extends: 2",
            "extends: 2\ntitle: Rack",
            r"^\w+ 3: title are those of 2, which it extends",
        ),
        (
            "contract.yaml",
            "adopted: [S01]",
            "adopted: [S09]",
            "contract.yaml speaks of corrections that do not exist: S09",
        ),
        (
            "contract.yaml",
            "adopted: [S01]",
            "adopted: []",
            r"correction S01 .*points to nothing: there is no 'anyOf'",
        ),
        (
            "additions.yaml",
            "since: abc",
            "until: abc",
            "an addition has sentence, since and changes, but this one has sentence, until, changes",
        ),
        (
            "additions.yaml",
            "Book/properties",
            "Buch/properties",
            r"addition \(\w+ can be cleared\): .* there is no 'Buch'",
        ),
        ("overlay.yaml", "id: S03", "id: S02", "overlay.yaml: S02 stand there twice"),
        (
            "requirements/clearing.yaml",
            "corrections: [S03]",
            "corrections: [S09]",
            "SH-BOOK-002: unknown corrections: S09",
        ),
        (
            "requirements/clearing.yaml",
            "SH-BOOK-002",
            "SH-CLR-001",
            "requirements: SH-CLR-001 stand there twice",
        ),
        (
            "errors.yaml",
            "listBooks",
            "listBoks",
            "errors.yaml speaks of what the contract does not have: listBoks 404",
        ),
    ],
)
def test_invalid_later_version_raises_broken(
    later: Path, file: str, old: str, new: str, complaint: str
) -> None:
    spoilt(later / file, old, new)

    with pytest.raises(Broken, match=complaint):
        versions.read(beside(later))


def test_requirement_can_name_an_adopted_correction(later: Path) -> None:
    spoilt(
        later.with_name("2") / "requirements" / "books.yaml",
        "    side: client",
        "    side: client\n    corrections: [S01]",
    )

    corrections = {
        requirement.id: requirement.corrections
        for requirement in versions.read(beside(later)).registry.requirements
    }
    assert corrections["SH-KEY-001"] == ()


def test_contract_without_code_raises_broken(later: Path) -> None:
    spoilt(later.with_name("2") / "contract.yaml", "version: 2", "version: 2\ncode: false")

    with pytest.raises(Broken, match=f"{later.parent.name}: no version becomes code"):
        all_sources(later.parents[1])


def test_adopting_without_extending_raises_broken(rack: Path) -> None:
    spoilt(rack / "contract.yaml", "version: 2", "version: 2\nadopted: [S01]")

    with pytest.raises(
        Broken,
        match=f"{rack.parent.name} 2: what is adopted is a correction of a version that it extends, but it extends none",
    ):
        all_sources(rack.parents[1])


def test_separate_version_is_compared(rack: Path) -> None:
    older = shutil.copytree(rack, rack.with_name("1"))
    spoilt(older / "contract.yaml", "version: 2", "version: 1")
    spoilt(older / "features.yaml", "default: true", "default: false")
    (source,) = all_sources(rack.parents[1])

    difference = versions.difference(versions.read(source), versions.read(source.beside[0]))
    assert (difference["from"], difference["to"], difference["features"]) == (
        "2",
        "1",
        {"added": [], "removed": [], "changed": {"paging": {"/default": "changed"}}},
    )


def test_version_has_no_difference_from_itself(rack: Path) -> None:
    (source,) = all_sources(rack.parents[1])
    same = versions.read(replace(source, version="same"))

    difference = versions.difference(versions.read(source), same)
    nothing: dict[str, Any] = {"added": [], "removed": [], "changed": {}}
    assert [difference[part] for part in ("operations", "schemas", "requirements", "features")] == [
        nothing
    ] * 4


OTHERS = [other for source in all_sources() for other in source.beside]


@pytest.mark.parametrize(
    "other", by_day(OTHERS, ()), ids=lambda other: f"{other.name}-{other.version}"
)
def test_other_version_can_become_code(other: Source, tmp_path: Path) -> None:
    generate(tmp_path, (other,))

    assert (tmp_path / "lakepact" / "generated" / other.name / "models.py").exists()


@given(DOCUMENTS, DOCUMENTS)
def test_reversed_comparison_is_the_inverse(old: dict[str, Any], new: dict[str, Any]) -> None:
    there, back = versions.comparison(old, new), versions.comparison(new, old)
    contrary = {"added": "removed", "removed": "added", "changed": "changed"}

    assert (sorted(there["added"]), sorted(there["removed"])) == (
        sorted(back["removed"]),
        sorted(back["added"]),
    )
    assert {
        name: {place: contrary[what] for place, what in places.items()}
        for name, places in there["changed"].items()
    } == back["changed"]


@given(DOCUMENTS, DOCUMENTS)
def test_differing_places_exist_in_the_documents(old: dict[str, Any], new: dict[str, Any]) -> None:
    for name, places in versions.comparison(old, new)["changed"].items():
        for place, what in places.items():
            assert what == "added" or at(old[name], place) is not ...
            assert what == "removed" or at(new[name], place) is not ...
            if what == "changed":
                assert at(old[name], place) != at(new[name], place)


def test_unknown_code_value_raises_broken(later: Path) -> None:
    spoilt(later / "contract.yaml", "code: false", "code: some")

    with pytest.raises(Broken, match="code is true, false, tables or client, not some"):
        all_sources(later.parents[1])
