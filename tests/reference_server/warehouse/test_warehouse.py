"""A warehouse writes, reads and removes nothing outside of its root, for any spelling of a
location.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.reference_server.warehouse.local import (
    LARGEST_DOCUMENT,
    FileWarehouse,
    MemoryWarehouse,
    Outside,
    Unreadable,
    Unwritable,
    Warehouse,
    below,
    inside,
    overlap,
    tidy,
    warehouse,
)
from lakepact.reference_server.warehouse.objects import ObjectWarehouse

names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@pytest.fixture(params=["file", "memory"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Warehouse:
    return FileWarehouse(tmp_path / "warehouse") if request.param == "file" else MemoryWarehouse()


@pytest.fixture
def files(tmp_path: Path) -> FileWarehouse:
    return FileWarehouse(tmp_path / "warehouse")


@pytest.mark.parametrize("scheme", ["file:", "file://"])
def test_locations_have_the_form_of_the_warehouse(tmp_path: Path, scheme: str) -> None:
    kept = warehouse(f"{scheme}{tmp_path}")
    (tmp_path / "t").mkdir()
    kept.write(f"{kept.root}/t/a", b"body")

    assert kept.root == f"{scheme}{tmp_path}"
    assert (
        (tmp_path / "t" / "a").read_bytes()
        == b"body"
        == kept.read(f"file:{tmp_path}/t/a")
        == kept.read(f"file://{tmp_path}/t/a")
    )


def test_document_above_the_limit_is_not_read(files: FileWarehouse) -> None:
    large = Path(files.root.removeprefix("file://"), "large.json")
    large.touch()
    os.truncate(large, LARGEST_DOCUMENT + 1)  # a sparse file: nothing is written

    with pytest.raises(Unreadable, match=f"is larger than {LARGEST_DOCUMENT} bytes"):
        files.read(f"{files.root}/large.json")


def test_a_document_is_read_where_it_was_written(kept: Warehouse) -> None:
    location = below(kept.root, ["ns", "t", "metadata", "0.json"])
    kept.write(location, b"{}")

    assert kept.read(location) == b"{}"


def test_a_forgotten_document_cannot_be_read(kept: Warehouse) -> None:
    location = below(kept.root, ["ns", "0.json"])
    kept.write(location, b"{}")
    kept.forget(location)
    kept.forget(location)

    with pytest.raises(Unreadable):
        kept.read(location)


def test_purging_removes_everything_below_and_nothing_beside(kept: Warehouse) -> None:
    inside, beside = (
        below(kept.root, ["t1", "metadata", "0.json"]),
        below(kept.root, ["t10", "0.json"]),
    )
    kept.write(inside, b"1")
    kept.write(beside, b"2")
    kept.purge(below(kept.root, ["t1"]))

    assert kept.read(beside) == b"2"
    with pytest.raises(Unreadable):
        kept.read(inside)


@pytest.mark.parametrize(
    "location",
    [
        "{root}",
        "{root}/",
        "{root}/../x",
        "{root}/a/../../x",
        "{root}/%2e%2e/x",
        "{root}-next/x",
        "s3://bucket/x",
        "http://127.0.0.1/x",
        "relative/x",
        "",
        "file:",
        "file:///",
        "file:///etc/passwd",
        "file://host/etc/passwd",
        "memory:",
        "../x",
    ],
)
def test_location_outside_the_root_is_refused(kept: Warehouse, location: str) -> None:
    with pytest.raises(Outside):
        kept.check_location(location.format(root=kept.root))


@pytest.mark.parametrize(
    "spelled",
    [
        "file://{path}/t",
        "file:{path}/t",
        "{path}/t",
        "file://localhost{path}/t",
        "file://{path}//t",
        "file://{path}/t?#",
    ],
)
def test_spellings_of_a_folder_below_the_root_are_held(files: FileWarehouse, spelled: str) -> None:
    files.check_location(spelled.format(path=files.root.removeprefix("file://")))


def test_a_link_out_of_the_warehouse_is_not_followed(files: FileWarehouse, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "warehouse" / "out").symlink_to(tmp_path)

    with pytest.raises(Outside):
        files.read(f"{files.root}/out/secret")


def test_folder_replaced_by_a_link_out_is_not_written_into(
    files: FileWarehouse, tmp_path: Path
) -> None:
    files.write(f"{files.root}/t/metadata/0.json", b"{}")
    files.write(f"{files.root}/t/metadata/1.json", b"{}")
    (tmp_path / "warehouse" / "t" / "metadata").rename(tmp_path / "elsewhere")
    (tmp_path / "warehouse" / "t" / "metadata").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(Outside):
        files.write(f"{files.root}/t/metadata/2.json", b"{}")
    assert sorted(path.name for path in (tmp_path / "elsewhere").iterdir()) == ["0.json", "1.json"]


def test_a_document_that_is_a_link_out_of_the_warehouse_is_not_written(
    files: FileWarehouse, tmp_path: Path
) -> None:
    files.prepare(f"{files.root}/t")
    (tmp_path / "warehouse" / "t" / "0.json").symlink_to(tmp_path / "secret")

    with pytest.raises(Outside):
        files.write(f"{files.root}/t/0.json", b"{}")
    assert not (tmp_path / "secret").exists()


def test_links_within_the_warehouse_are_followed(files: FileWarehouse, tmp_path: Path) -> None:
    files.prepare(f"{files.root}/t")
    (tmp_path / "warehouse" / "u").symlink_to(tmp_path / "warehouse" / "t")
    files.write(f"{files.root}/u/0.json", b"{}")

    assert files.read(f"{files.root}/t/0.json") == b"{}"


@pytest.mark.parametrize(
    "location", ["{root}/.lakepact/0.json", "{root}/u/0.json", "{root}/t/../.lakepact/0.json"]
)
def test_nothing_is_written_into_what_the_server_keeps_for_itself(
    files: FileWarehouse, tmp_path: Path, location: str
) -> None:
    (tmp_path / "warehouse" / ".lakepact").mkdir()
    (tmp_path / "warehouse" / "u").symlink_to(tmp_path / "warehouse" / ".lakepact")

    with pytest.raises(Outside):
        files.write(location.format(root=files.root), b"{}")
    assert list((tmp_path / "warehouse" / ".lakepact").iterdir()) == []


def test_document_is_written_into_a_removed_folder(files: FileWarehouse) -> None:
    files.write(f"{files.root}/t/metadata/0.json", b"0")
    files.purge(f"{files.root}/t")
    files.write(f"{files.root}/t/metadata/1.json", b"1")

    assert files.read(f"{files.root}/t/metadata/1.json") == b"1"


def test_a_document_in_the_place_of_another_is_whole(files: FileWarehouse) -> None:
    files.write(f"{files.root}/t/0.json", b"[1, 2, 3]")
    files.write(f"{files.root}/t/0.json", b"[]")

    assert files.read(f"{files.root}/t/0.json") == b"[]"


@pytest.mark.parametrize("location", ["{root}/" + "x" * 300, "{root}" + "/x" * 3000])
def test_overlong_location_is_refused(files: FileWarehouse, location: str) -> None:
    with pytest.raises(Outside):
        files.check_location(location.format(root=files.root))


def test_a_folder_is_not_a_document(files: FileWarehouse) -> None:
    files.prepare(f"{files.root}/t")

    with pytest.raises(Unreadable):
        files.read(f"{files.root}/t")


def test_nothing_is_written_below_a_document(files: FileWarehouse) -> None:
    files.write(f"{files.root}/t", b"{}")

    with pytest.raises(Unwritable):
        files.write(f"{files.root}/t/metadata/0.json", b"{}")
    with pytest.raises(Unwritable):
        files.prepare(f"{files.root}/t/metadata")


def test_prepared_folders_are_there(files: FileWarehouse, tmp_path: Path) -> None:
    files.prepare(f"{files.root}/t", f"{files.root}/t/metadata")

    assert (tmp_path / "warehouse" / "t" / "metadata").is_dir()


@given(st.lists(names, min_size=1, max_size=4))
def test_names_become_a_location_below_the_root(levels: list[str]) -> None:
    location = below("memory:", levels)
    MemoryWarehouse().check_location(location)

    assert location.startswith("memory:")
    assert location.count("/") == len(levels)


@given(names, names)
def test_different_names_have_different_locations(one: str, other: str) -> None:
    assert (below("memory:", [one]) == below("memory:", [other])) == (one == other)


def test_any_name_can_be_a_folder(files: FileWarehouse) -> None:
    for name in ["..", ".", "a/b", "é" * 300, "x" * 1000, "a?b#c", "a b", "%2F"]:
        location = below(files.root, [name, "0.json"])
        files.write(location, name.encode())

        assert files.read(location) == name.encode()


def test_places_overlap_when_one_is_or_holds_the_other() -> None:
    pairs = [
        ("m:/a", "m:/a"),
        ("m:/a", "m:/a/b"),
        ("m:/a/b", "m:/a"),
        ("m:/a", "m:/ab"),
        ("m:/a/b", "m:/a/c"),
    ]

    assert [overlap(one, other) for one, other in pairs] == [True, True, True, False, False]
    assert [inside(one, other) for one, other in pairs] == [True, False, True, False, False]


@pytest.mark.parametrize(
    "spelled",
    [
        *(
            "file://{path}/t",
            "file:{path}/t",
            "{path}/t",
            "file://localhost{path}/t",
            "file:///{path}/t",
            "//{path}/t",
        ),
        *("file://{path}//t", "file://{path}/./t", "{path}/t/", "{path}/t/.", "{path}/link"),
    ],
)
def test_all_spellings_of_a_folder_have_one_place(files: FileWarehouse, spelled: str) -> None:
    path = files.root.removeprefix("file://")
    Path(path, "link").symlink_to(Path(path, "t"))
    before = files.places(spelled.format(path=path))
    files.prepare(f"{files.root}/t")

    assert before == files.places(spelled.format(path=path)) == (f"{path}/t",)


def test_percent_escapes_have_a_place_for_each_interpretation(kept: Warehouse) -> None:
    literal, decoded = kept.places(f"{kept.root}/%74")

    assert (literal, decoded) == (
        kept.places(kept.root)[0] + "/%74",
        *kept.places(f"{kept.root}/t"),
    )


def test_documents_are_read_at_all_spellings_of_their_location(kept: Warehouse) -> None:
    kept.write(f"{kept.root}/n/t/0.json", b"{}")

    assert kept.read(f"{kept.root}/n//./t/0.json") == b"{}"


@given(st.text(st.sampled_from("/.%2fFe m:")))
def test_places_are_tidy_whatever_the_text(location: str) -> None:
    for kept in (MemoryWarehouse(), ObjectWarehouse("s3://bucket/lake")):
        assert [tidy(place) for place in kept.places(location)] == list(kept.places(location))


def test_a_warehouse_is_made_from_its_location(tmp_path: Path) -> None:
    made = [
        warehouse(location).root
        for location in ("memory:", f"file://{tmp_path}/w/", f"{tmp_path}/w")
    ]

    assert made == ["memory:", f"file://{tmp_path}/w", f"file://{tmp_path}/w"]


def test_a_warehouse_elsewhere_is_refused() -> None:
    with pytest.raises(Outside):
        warehouse("s3://bucket/warehouse")


def test_other_locations_are_held_if_they_are_allowed(tmp_path: Path) -> None:
    kept = FileWarehouse(tmp_path / "warehouse", allowed=[tmp_path / "elsewhere"])
    location = f"file://{tmp_path}/elsewhere/t/0.json"
    kept.write(location, b"{}")

    assert kept.read(location) == b"{}"
    assert kept.root == f"file://{tmp_path}/warehouse"


@pytest.mark.parametrize(
    "outside", ["elsewhere", "elsewhere2/t", "elsewhere/../other/t", "elsewhere/link/t"]
)
def test_location_beside_an_allowed_location_is_refused(tmp_path: Path, outside: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "link").symlink_to(tmp_path)
    kept = FileWarehouse(tmp_path / "warehouse", allowed=[tmp_path / "elsewhere"])

    with pytest.raises(
        Outside, match=f"is not below the warehouse {kept.root} or {tmp_path}/elsewhere$"
    ):
        kept.check_location(f"file://{tmp_path}/{outside}")
