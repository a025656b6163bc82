"""`lakepact generate` with documents and folders that it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lakepact.cli import main

INFO = {"title": "Small", "version": "1"}
EMPTY: dict[str, Any] = {"responses": {"204": {"description": "Nothing"}}}
SMALL = {"openapi": "3.0.3", "info": INFO, "paths": {"/a": {"get": {"operationId": "a", **EMPTY}}}}
WITH_CALLBACK = {
    **SMALL,
    "paths": {"/a": {"get": {"operationId": "a", **EMPTY, "callbacks": {"done": {}}}}},
}


def run_command(folder: Path, document: Any, *options: str, name: str = "contract.json") -> Result:
    """Run the command on a document, given as text or as what JSON it is."""
    (folder / name).write_text(
        document if isinstance(document, str) else json.dumps(document), "utf-8"
    )
    return CliRunner().invoke(
        main, ["generate", str(folder / name), "--out", str(folder / "small"), *options]
    )


def error_of(folder: Path, document: Any, name: str = "contract.json") -> str:
    """Return the error about a document that is refused."""
    result = run_command(folder, document, name=name)
    assert (result.exit_code, (folder / "small").exists()) == (2, False)
    return result.stderr.splitlines()[-1].removeprefix("Error: ").replace(f"{folder}/", "")


@pytest.mark.parametrize(
    ("document", "error"),
    [
        (
            "openapi: [",
            "contract.yaml:1: not YAML: expected the node content, but found '<stream end>'",
        ),
        ("- openapi", "contract.yaml is not an OpenAPI document: its root is not an object"),
        ("name: value", "contract.yaml is not an OpenAPI document: it has no member `openapi`"),
        ('swagger: "2.0"', "contract.yaml is Swagger 2.0; convert it to OpenAPI 3 first"),
        ("openapi: 4.0.0", "contract.yaml is OpenAPI 4.0.0; supported are 3.0 and 3.1"),
    ],
)
def test_document_of_another_kind_is_refused(tmp_path: Path, document: str, error: str) -> None:
    assert error_of(tmp_path, document, name="contract.yaml") == error


DANGLING = """openapi: 3.1.0
info: {title: Small, version: "1"}
paths:
  /a:
    get:
      responses:
        "200":
          $ref: "#/components/responses/None"
"""
A, B = ({"$ref": f"#/components/schemas/{name}"} for name in "AB")
TWICE = {"/a": {"get": {"operationId": "a", **EMPTY}}, "/b": {"get": {"operationId": "a", **EMPTY}}}


@pytest.mark.parametrize(
    ("document", "name", "error"),
    [
        (
            "{\n  oops\n}",
            "contract.json",
            "2: not JSON: Expecting property name enclosed in double quotes",
        ),
        (
            DANGLING,
            "contract.yaml",
            "8: #/paths/~1a/get/responses/200/$ref: #/components/responses/None points to nothing",
        ),
        (
            {**SMALL, "components": {"schemas": {"A": B, "B": A}}},
            "contract.json",
            "1: #/components/schemas/A/$ref: #/components/schemas/B leads back to itself",
        ),
        (
            {**SMALL, "paths": TWICE},
            "contract.json",
            "1: #/paths/~1b/get/operationId: operationId a is that of /paths/~1a/get too",
        ),
        (
            {**SMALL, "paths": {"/a": {"get": {"responses": []}}}},
            "contract.json",
            '1: #/paths/~1a/get/responses: [] is not of type "object"',
        ),
    ],
    ids=[
        "broken JSON",
        "dangling reference",
        "reference to itself",
        "two operations of one id",
        "member of a wrong type",
    ],
)
def test_broken_document_is_refused_with_its_place(
    tmp_path: Path, document: Any, name: str, error: str
) -> None:
    assert error_of(tmp_path, document, name=name) == f"{name}:{error}"


def test_missing_file_is_wrong_usage(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        main, ["generate", str(tmp_path / "none.yaml"), "--out", str(tmp_path / "small")]
    )

    assert (result.exit_code, "does not exist" in result.stderr) == (2, True)


def test_strict_writes_nothing_and_returns_1(tmp_path: Path) -> None:
    result = run_command(tmp_path, WITH_CALLBACK, "--strict")

    assert (result.exit_code, (tmp_path / "small").exists()) == (1, False)
    assert "#/paths/~1a/get/callbacks is left out" in result.stderr


def test_json_lists_the_findings(tmp_path: Path) -> None:
    summary = json.loads(run_command(tmp_path, WITH_CALLBACK, "--json").stdout)

    assert summary == {
        "title": "Small 1",
        "written": True,
        "operations": 1,
        "models": 0,
        "findings": [{"pointer": "/paths/~1a/get/callbacks", "line": 1, "sentence": "is left out"}],
    }


def test_folder_with_other_files_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "mine.txt").write_text("mine", "utf-8")

    assert [run_command(tmp_path, SMALL, *options).exit_code for options in ((), ("--force",))] == [
        2,
        2,
    ]
    assert [path.name for path in (tmp_path / "small").iterdir()] == ["mine.txt"]


def test_force_replaces_a_generated_package(tmp_path: Path) -> None:
    first = run_command(tmp_path, SMALL)
    (tmp_path / "small" / "stale.py").write_text("", "utf-8")

    again, with_force = run_command(tmp_path, SMALL), run_command(tmp_path, SMALL, "--force")

    assert (
        first.exit_code,
        again.exit_code,
        with_force.exit_code,
        (tmp_path / "small" / "stale.py").exists(),
    ) == (0, 2, 0, False)


def test_folder_that_cannot_be_imported_is_refused(tmp_path: Path) -> None:
    (tmp_path / "contract.json").write_text(json.dumps(SMALL), "utf-8")
    result = CliRunner().invoke(
        main, ["generate", str(tmp_path / "contract.json"), "--out", str(tmp_path / "my-package")]
    )

    assert (result.exit_code, "take a name such as 'my_package'" in result.stderr) == (2, True)
