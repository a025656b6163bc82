"""The suite reads and writes files of the target below the folder that the user shares alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lakepact.conformance.checks.iceberg_rest.suite import launch_settings
from lakepact.conformance.evidence.outcome import Blocked, NotOffered
from lakepact.conformance.evidence.shared_files import NO_FILES, SharedFiles
from lakepact.conformance.running import profiles


@pytest.mark.parametrize("form", ["file://{}", "file:{}", "{}", "file://localhost{}"])
def test_location_below_the_shared_folder_is_read(form: str, tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "a.json").write_bytes(b"{}")

    file = SharedFiles(tmp_path).at(form.format(tmp_path / "t" / "a.json"))

    assert (file.name, file.read()) == ("a.json", b"{}")


def test_either_spelling_of_a_linked_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_bytes(b"a")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    shared = SharedFiles(tmp_path / "link")

    assert [shared.at(str(tmp_path / name / "a")).read() for name in ("real", "link")] == [b"a"] * 2


@pytest.mark.parametrize(
    "location",
    ["s3://bucket/t", "memory:/t", "file://elsewhere/t", "data/t", "", "/etc/passwd", None, 7],
)
def test_location_elsewhere_is_not_offered(location: object, tmp_path: Path) -> None:
    with pytest.raises(NotOffered, match="is not below the folder of --shared-files"):
        SharedFiles(tmp_path).at(location)


@pytest.mark.parametrize("inner", ["", "/", "/../x", "/a/../../x", "/a\0"])
def test_folder_itself_and_steps_out_of_it_are_not_offered(inner: str, tmp_path: Path) -> None:
    with pytest.raises(NotOffered):
        SharedFiles(tmp_path / "shared").at(f"file://{tmp_path}/shared{inner}")


def test_nothing_is_offered_without_a_shared_folder(tmp_path: Path) -> None:
    with pytest.raises(NotOffered, match="only with --shared-files FOLDER"):
        NO_FILES.at(f"{tmp_path}/a")


def test_symbolic_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("secret")
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "folder").symlink_to(tmp_path / "outside")
    (shared / "file").symlink_to(tmp_path / "outside" / "secret")
    files = SharedFiles(shared)

    for name in ("folder/secret", "file"):
        with pytest.raises(NotOffered, match="the suite cannot read"):
            files.at(f"{shared}/{name}").read()
        with pytest.raises(Blocked, match="the suite cannot write"):
            files.at(f"{shared}/{name}").write(b"changed")
    with pytest.raises(Blocked):
        files.at(f"{shared}/folder/new/file").write(b"new")
    with pytest.raises(OSError, match="folder"):
        files.at(f"{shared}/folder/secret").remove()
    with pytest.raises(NotOffered, match="the suite cannot look at"):
        files.at(f"{shared}/folder/secret").exists()

    assert [path.name for path in (tmp_path / "outside").iterdir()] == ["secret"]
    assert (tmp_path / "outside" / "secret").read_text() == "secret"


def test_fifo_and_folder_and_large_file_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    with (tmp_path / "large").open("wb") as large:
        large.truncate(1 << 40)
    files = SharedFiles(tmp_path)

    for name, why in (
        ("fifo", "no regular file"),
        ("folder", "cannot read folder"),
        ("large", r"more than 16777216 bytes \(--max-body\)"),
    ):
        with pytest.raises(NotOffered, match=why):
            files.at(f"{tmp_path}/{name}").read()


def test_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("theirs")
    file = SharedFiles(tmp_path).at(f"{tmp_path}/a")

    with pytest.raises(Blocked, match="File exists"):
        file.write(b"ours")

    assert (tmp_path / "a").read_text() == "theirs"


def test_written_files_are_found_and_removed(tmp_path: Path) -> None:
    folder = SharedFiles(tmp_path).at(f"{tmp_path}/t")
    first, second = (SharedFiles(tmp_path).at(f"{tmp_path}/t/{name}") for name in ("a", "b/c"))
    first.write(b"1")
    second.write(b"2")

    assert folder.files() == {first, second}
    first.remove()
    first.remove()
    assert (first.exists(), folder.files()) == (False, {second})


def test_embedded_server_shares_its_tables(tmp_path: Path) -> None:
    embedded = launch_settings(tmp_path)

    assert embedded.features["readable-files"] is True
    assert embedded.shared_files == SharedFiles(tmp_path / "tables")
    assert embedded.settings["warehouse"] == str(tmp_path / "tables")


def test_profile_names_the_folder_and_the_command_line_replaces_it(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    profile = {"shared_files": str(tmp_path)}

    assert profiles.shared_files(None, profile) == tmp_path
    assert profiles.shared_files(other, profile) == other
    assert profiles.shared_files(None, {}) is None


def test_readable_files_without_a_shared_folder_are_refused(tmp_path: Path) -> None:
    for features in ({"features": {"readable-files": True}}, {}):
        with pytest.raises(ValueError, match="readable-files needs --shared-files FOLDER"):
            profiles.shared_files(None, features, {} if features else {"readable-files": True})
    with pytest.raises(ValueError, match=r"--shared-files: .*missing is not a folder"):
        profiles.shared_files(tmp_path / "missing", {})
