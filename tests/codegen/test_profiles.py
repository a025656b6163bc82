"""A profile: a contract written as differences from another contract."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from codegen import versions
from codegen.contracts import Source, all_sources
from codegen.generate import generate
from lakepact.codegen.documents import Broken

BASE = "rack"  #: the contract that the profile extends
#: A profile of the contract for the tests of the generator: with another title, and with marks of
#: books.
DIFFERENCES = [
    {
        "id": "D-01",
        "sentence": "it is called otherwise, and books have marks",
        "taken": "A book has a mark.",
        "changes": [
            {"at": "/info/title", "expect": "Racks", "set": "Marked books"},
            {"at": "/components/schemas/Book/properties", "merge": {"mark": {"type": "string"}}},
        ],
    },
]


@pytest.fixture
def profile_folder(rack: Path) -> Path:
    """Return the folder of a profile beside the contract."""
    title = yaml.safe_load((rack / "contract.yaml").read_text("utf-8"))["title"]
    folder = rack.parents[1] / "marked" / "1"
    (folder / "requirements").mkdir(parents=True)
    DIFFERENCES[0]["changes"][0]["expect"] = title
    write(
        folder / "contract.yaml",
        {"title": "Marked books", "version": "1", "rank": 2, "extends": f"{BASE}/2"},
    )
    write(folder / "profile.yaml", {"differences": DIFFERENCES})
    return folder


def write(path: Path, document: object) -> None:
    path.write_text(yaml.safe_dump(document, sort_keys=False), "utf-8")


def profile(folder: Path) -> Source:
    return next(source for source in all_sources(folder.parents[1]) if source.name == "marked")


def spoil(folder: Path, **difference: object) -> None:
    write(folder / "profile.yaml", {"differences": [{**DIFFERENCES[0], **difference}]})


def requirements(folder: Path) -> list[str]:
    return [requirement.id for requirement in versions.read(profile(folder)).registry.requirements]


def test_profile_is_a_separate_contract(profile_folder: Path) -> None:
    source = profile(profile_folder)

    assert (source.name, source.version, source.title, source.rank) == (
        "marked",
        "1",
        "Marked books",
        2,
    )
    assert source.profile_of is not None
    assert source.profile_of.name == BASE


def test_profile_inherits_all_requirements(profile_folder: Path) -> None:
    others = next(
        source for source in all_sources(profile_folder.parents[1]) if source.name == BASE
    )

    assert requirements(profile_folder) == [
        requirement.id for requirement in versions.read(others).registry.requirements
    ]


def test_requirement_listed_under_without_is_dropped(profile_folder: Path) -> None:
    first, *others = requirements(profile_folder)
    spoil(profile_folder, without=[first])

    version = versions.read(profile(profile_folder))

    assert [requirement.id for requirement in version.registry.requirements] == others
    assert version.registry.differences[0].without == (first,)


def test_unknown_requirement_under_without_raises_broken(profile_folder: Path) -> None:
    spoil(profile_folder, without=["XYZ-*"])

    with pytest.raises(
        Broken, match=r"difference D-01 is without requirements that do not exist: XYZ-\*"
    ):
        versions.read(profile(profile_folder))


def test_requirement_without_operations_must_be_listed_under_without(profile_folder: Path) -> None:
    version = versions.read(profile(profile_folder))
    requirement = next(
        r
        for r in version.registry.requirements
        if len({version.operations[o].path for o in r.operations}) == 1
    )
    path = version.operations[requirement.operations[0]].path.replace("~", "~0").replace("/", "~1")
    spoil(
        profile_folder,
        changes=[
            *DIFFERENCES[0]["changes"],
            {"at": f"/paths/{path}", "expect": {}, "remove": True},
        ],
    )

    with pytest.raises(
        Broken, match=r"a difference has to say that it is without it|points to nothing"
    ):
        versions.read(profile(profile_folder))


@pytest.mark.parametrize(
    "wrong",
    [
        {"changes": [{"at": "/info/title", "expect": "Another", "set": "x"}]},
        {"because": "x"},
        {"sentence": None},
    ],
)
def test_invalid_difference_raises_broken(profile_folder: Path, wrong: dict[str, object]) -> None:
    spoil(profile_folder, **wrong)

    if wrong.get("sentence", "") is None:
        write(
            profile_folder / "profile.yaml",
            {
                "differences": [
                    {name: value for name, value in DIFFERENCES[0].items() if name != "sentence"}
                ]
            },
        )
    with pytest.raises(Broken, match="difference"):
        versions.read(profile(profile_folder))


@pytest.mark.parametrize("member", ["media", "adopted"])
def test_profile_with_members_of_its_base_raises_broken(profile_folder: Path, member: str) -> None:
    document = yaml.safe_load((profile_folder / "contract.yaml").read_text("utf-8"))
    write(profile_folder / "contract.yaml", {**document, member: {}})

    with pytest.raises(Broken, match=f"{member} are those of {BASE}"):
        all_sources(profile_folder.parents[1])


def test_profile_of_a_missing_contract_raises_broken(profile_folder: Path) -> None:
    shutil.rmtree(profile_folder.parents[1] / BASE)

    with pytest.raises(Broken, match=f"extends {BASE}/2, which is not there"):
        all_sources(profile_folder.parents[1])


def test_profile_has_tables_and_neither_models_nor_endpoints(
    profile_folder: Path, tmp_path: Path
) -> None:
    generate(tmp_path, all_sources(profile_folder.parents[1]))

    package = tmp_path / "lakepact" / "generated" / "marked"
    assert {path.name for path in package.glob("*.py")} == {"__init__.py", "op.py"}
    assert (package / "operations.json").exists()
