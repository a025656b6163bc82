"""A hint for a missing library installs nothing that a stranger can register as lakepact."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import lakepact.extras
from lakepact.extras import install

ROOT = Path(__file__).parents[2]
#: With an address behind @ it is not from an index.
HINT = re.compile(r"pip install [^\n&|;`]*(?<!/)\blakepact\b(?!-)(?![^\n]* @ )")
FOLDERS = ("client", "conformance", "docs", "examples", "generated", "reference_server", "specs")
KINDS = {".py", ".md", ".sh", ".yml", ".yaml", ".toml", ".go", ".java", ".rs", ".mjs", ".json"}


def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: object) -> None:
    """Make this process see one lakepact, with the record of an installer."""
    folder = tmp_path / "lakepact-0.1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: lakepact\nVersion: 0.1.0\n")
    (folder / "INSTALLER").write_text("pip\n")
    if origin is not None:
        (folder / "direct_url.json").write_text(json.dumps(origin))
    monkeypatch.setattr("sys.path", [str(tmp_path)])


COMMIT = "0123456789012345678901234567890123456789"


@pytest.mark.parametrize(
    ("origin", "here", "elsewhere"),
    [
        (None, "lakepact[delta]", "lakepact[delta]"),
        ({"url": "file:///clone", "dir_info": {"editable": True}}, "/clone[delta]", ".[delta]"),
        ({"url": "file:///a%20b/x.whl", "archive_info": {}}, "/a b/x.whl[delta]", ".[delta]"),
        (
            {"url": "https://h/x.whl", "archive_info": {}},
            "lakepact[delta] @ https://h/x.whl",
            ".[delta]",
        ),
        (
            {"url": "https://h/p", "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
            f"lakepact[delta] @ git+https://h/p@{COMMIT}",
            ".[delta]",
        ),
    ],
)
def test_hint_installs_from_where_lakepact_came(
    origin: object, here: str, elsewhere: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, monkeypatch, origin)

    assert install("delta") == f"pip install '{here}'"
    assert install("delta", elsewhere=True) == f"pip install '{elsewhere}'"


def test_hint_in_a_clone_names_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    installed(tmp_path, monkeypatch, {"url": tmp_path.as_uri(), "dir_info": {}})

    assert install("arrow", "server") == "pip install '.[arrow,server]'"


def test_hint_without_a_record_of_the_installer_is_for_a_clone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [str(tmp_path)])

    assert install("delta") == "pip install '.[delta]'"


def test_no_other_place_installs_lakepact_by_its_name() -> None:
    own = Path(lakepact.extras.__file__)
    hits = [
        str(path.relative_to(ROOT))
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.suffix in KINDS
        and path != own
        and "matrix" not in path.parts
        and HINT.search(path.read_text("utf-8"))
    ]

    assert hits == []
