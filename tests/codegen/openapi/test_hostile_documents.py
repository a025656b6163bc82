"""`lakepact generate` of documents whose strings are made to run as code: strings stay data."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lakepact.cli import main
from lakepact.codegen.documents import Broken
from lakepact.codegen.openapi.package import package, write_package

from .hostile_documents import EFFECT, Hostile

CALL = Path(__file__).parent / "call_everything.py"
TOGETHER = 4  #: documents of one process


def generate(
    folder: Path, document: Any, name: str = "made", *, file: str = "contract.json"
) -> Result:
    (folder / file).write_text(json.dumps(document), "utf-8")
    return CliRunner().invoke(main, ["generate", str(folder / file), "--out", str(folder / name)])


def call_packages(folder: Path, *packages: str) -> list[Any]:
    """Import packages in a fresh process and call all that they define; return what it printed."""
    command = [sys.executable, "-W", "error::SyntaxWarning", str(CALL), *packages]
    ran = subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": "."}, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr, (folder / "canary").exists()) == (0, "", False)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def assert_harmless(result: Result, folder: Path) -> None:
    """Assert that a document was refused with an error in words, or that calling its package does
    nothing.
    """
    assert result.exit_code in (0, 2), (result.output, result.exception)
    if result.exit_code == 0:
        call_packages(folder, "made")


def small(path: str = "/a", **members: Any) -> dict[str, Any]:
    operation = {"operationId": "a", "responses": {"204": {"description": "Nothing"}}, **members}
    return {
        "openapi": "3.0.3",
        "info": {"title": "Small", "version": "1"},
        "paths": {path: {"get": operation}},
    }


@pytest.mark.parametrize(
    "first",
    [0, *(pytest.param(n, marks=pytest.mark.nightly) for n in range(TOGETHER, 2000, TOGETHER))],
)
def test_strings_of_a_document_never_run(tmp_path: Path, first: int) -> None:
    documents = {
        f"made_{seed}": Hostile(seed).document() for seed in range(first, first + TOGETHER)
    }
    for name, document in documents.items():
        result = generate(tmp_path, document, name)
        assert result.exit_code == 0, (result.output, result.exception)

    for document, operations in zip(
        documents.values(), call_packages(tmp_path, *documents), strict=True
    ):
        assert {path for path, _ in operations} <= document["paths"].keys()
        names = [
            item[method]["operationId"]
            for item in document["paths"].values()
            if isinstance(item, dict)
            for method in ("get", "post")
        ]
        assert {name for _, name in operations} <= set(names)


@pytest.mark.parametrize(
    "path",
    [f'/a"""\n    {EFFECT}\n    """', f'/a"""; {EFFECT}; """', "/a\\", "/<int(max=1):a>|b", "/a:b"],
)
def test_path_never_runs(tmp_path: Path, path: str) -> None:
    assert generate(tmp_path, small(path)).exit_code == 0

    assert call_packages(tmp_path, "made") == [[[path, "a"]]]


@pytest.mark.parametrize(
    "file",
    [
        f"a\n{EFFECT.replace('/', '')}\n.json",
        "a\r\n# coding: utf-7.json",
        "coding: utf-7 .json",
        "vim: fileencoding=utf-7.json",
    ],
)
def test_file_name_never_runs(tmp_path: Path, file: str) -> None:
    assert generate(tmp_path, small(summary=f"+AAo-{EFFECT}+AAo-"), file=file).exit_code == 0

    call_packages(tmp_path, "made")


@pytest.mark.parametrize("name", ["A\n", f"A\n{EFFECT}"])
def test_component_of_a_hostile_name_is_refused_or_does_not_run(tmp_path: Path, name: str) -> None:
    components = {
        "schemas": {name: {"type": "object", "properties": {"a": {"type": "string"}}}},
        "securitySchemes": {name: {"type": "http", "scheme": "basic"}},
        "parameters": {name: {"name": "a", "in": "query", "schema": {"type": "string"}}},
        "responses": {name: {"description": "x"}},
    }
    assert_harmless(generate(tmp_path, {**small(), "components": components}), tmp_path)


@pytest.mark.parametrize("status", ["200\n", '2"""'])
def test_status_of_a_hostile_form_is_refused_or_does_not_run(tmp_path: Path, status: str) -> None:
    document = small(responses={status: {"description": "x"}, "204": {"description": "y"}})

    assert_harmless(generate(tmp_path, document), tmp_path)


def test_texts_of_a_document_reach_the_terminal_escaped(tmp_path: Path) -> None:
    hostile = "\x1b[2J\x9b2J\n::error::\u202e"
    document = small(callbacks={hostile: {}}, operationId=hostile)
    document["info"]["title"] = hostile
    document["paths"][f"/{hostile}"] = {"get": {"responses": {}, "callbacks": {}}}

    results = [generate(tmp_path, document, name) for name in ("made", "again")]
    failure = generate(
        tmp_path,
        {**document, "components": {"schemas": {"A": {"$ref": f"#/{hostile}"}}}},
        "refused",
    )

    for result in (*results, failure):
        assert all(line.isprintable() for line in result.output.split("\n")), result.output
        assert not any(line.startswith("::") for line in result.output.splitlines())


@pytest.mark.parametrize(
    ("module", "statement"),
    [
        ("models.py", f"x = {EFFECT}"),
        ("models.py", f"class A:\n    x: {EFFECT} = 1"),
        ("models.py", "import os"),
        ("models.py", "from os import system"),
        ("models.py", "from builtins import exec"),
        ("models.py", "from builtins import exec as Field"),
        ("models.py", "from typing import Any as Field"),
        ("models.py", "Field(default=1)"),
        ("models.py", "x = Field(default_factory=lambda: 1)"),
        ("models.py", "x = f'{Field}'"),
        ("models.py", "@Field\nclass A: ..."),
        ("models.py", "class A(metaclass=Field): ..."),
        ("models.py", "class A:\n    import os"),
        ("models.py", "x = Field.mro"),
        ("models.py", "Field.x = 1"),
        ("models.py", "x = [y for y in z]"),
        ("models.py", "del Field"),
        ("models.py", "if x: ..."),
        ("endpoints.py", "def f():\n    import os"),
        ("endpoints.py", "def f():\n    global x"),
        ("endpoints.py", f"def f(x={EFFECT}): ..."),
        ("endpoints.py", "async def f(): ..."),
        ("endpoints.py", "def f():\n    def g(): ..."),
        ("client.py", "x = 1"),
        ("wire.py", "x = 1"),
        ("models.py", "'"),
        ("models.py", "\0"),
    ],
)
def test_package_with_another_statement_is_not_written(
    tmp_path: Path, module: str, statement: str
) -> None:
    (tmp_path / "contract.json").write_text(json.dumps(small()), "utf-8")
    small_package = package(tmp_path / "contract.json")

    with pytest.raises(Broken, match=module):
        write_package(
            replace(
                small_package,
                modules={
                    **small_package.modules,
                    module: f"{small_package.modules[module]}\n{statement}\n",
                },
            ),
            tmp_path / "made",
        )

    assert not (tmp_path / "made").exists()


def test_package_in_another_encoding_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "contract.json").write_text(json.dumps(small()), "utf-8")
    small_package = package(tmp_path / "contract.json")
    hidden = f"# coding: utf-7\n+AAo-{EFFECT}+AAo-\n"

    with pytest.raises(Broken, match="endpoints"):
        write_package(
            replace(small_package, modules={**small_package.modules, "endpoints.py": hidden}),
            tmp_path / "made",
        )
