"""The output of the generator, which is always the same.

The expected documents are in `generated`;
`python -m codegen --specs tests/codegen/contracts --out DIR` writes them again, to review.
`nox -s generate_check` compares the Python code, that of the real contracts.
"""

from __future__ import annotations

import json
import re
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from codegen.compare import differences
from codegen.contracts import all_sources
from codegen.generate import generate
from generating import CONTRACTS, generated
from lakepact.codegen.documents import Broken

EXPECTED = Path(__file__).parent / "generated"


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_generated_documents_equal_the_expected_documents(output: Path) -> None:
    assert [
        line for line in differences(EXPECTED / "rack", output / "rack") if line.endswith(".json")
    ] == []


def test_two_runs_write_the_same_bytes(output: Path, tmp_path: Path) -> None:
    ran = generated(tmp_path, hash_seed=21)

    assert (ran.returncode, differences(output, tmp_path / "lakepact" / "generated")) == (0, [])


def test_every_module_begins_with_its_origin(output: Path) -> None:
    first_lines = [
        path.read_text("utf-8").partition("\n")[0] for path in files(output) if path.suffix == ".py"
    ]

    assert first_lines
    assert [
        line
        for line in first_lines
        if not (line.startswith("# Made by ") and line.endswith(". Do not edit: nox -s generate"))
    ] == []


def test_manifest_lists_every_output_with_its_hash(output: Path) -> None:
    manifest = json.loads((output / "MANIFEST.json").read_bytes())

    present = {
        path.relative_to(output).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in files(output)
    }
    del present["MANIFEST.json"]
    assert manifest["outputs"] == present


def test_manifest_lists_every_input_with_its_hash(output: Path) -> None:
    manifest = json.loads((output / "MANIFEST.json").read_bytes())

    present = {
        version: {
            f"specs/{path.relative_to(CONTRACTS).as_posix()}": sha256(path.read_bytes()).hexdigest()
            for path in files(CONTRACTS / "rack" / version)
        }
        for version in ("2", "3")
    }
    assert manifest["contracts"]["rack"] == {
        "title": "Rack",
        "version": "2",
        "inputs": present["2"],
        "beside": {"3": present["3"]},
    }


def test_invalid_contract_keeps_the_previous_output(rack: Path, tmp_path: Path) -> None:
    before = tmp_path / "out" / "lakepact" / "generated" / "rack" / "models.py"
    before.parent.mkdir(parents=True)
    before.write_text("before")
    (rack / "overlay.yaml").write_text("corrections: [{}]", "utf-8")

    ran = generated(tmp_path / "out", specs=tmp_path)

    assert (ran.returncode, before.read_text()) == (1, "before")


def test_newest_version_becomes_code(rack: Path) -> None:
    newer = Path(shutil.copytree(rack, rack.with_name("10")))
    contract = newer / "contract.yaml"
    contract.write_text(contract.read_text("utf-8").replace("version: 2", "version: 10"), "utf-8")

    assert [
        (source.folder, [other.folder for other in source.beside])
        for source in all_sources(rack.parents[1])
    ] == [(newer, [rack])]


def test_warning_of_a_tool_fails_and_names_the_tool(rack: Path, tmp_path: Path) -> None:
    contract = rack / "openapi.yaml"
    contract.write_text(
        contract.read_text().replace(
            "format: int64}",
            "format: int64}\n        lent: {type: string, format: uuid, pattern: a}",
        )
    )

    ran = generated(tmp_path / "out", specs=tmp_path)

    assert ran.returncode == 1
    assert ran.stderr.startswith(f"{rack.parent.name} 2: datamodel-code-generator:")


@pytest.mark.parametrize(
    ("file", "old", "new", "complaint"),
    [
        (
            "contract.yaml",
            "version: 2",
            "version: 3",
            "contract.yaml says version 3, its folder says 2",
        ),
        (
            "contract.yaml",
            "title: Rack",
            "title: Racks",
            "contract.yaml is about 'Racks', openapi.yaml about 'Rack'",
        ),
        (
            "contract.yaml",
            "  application/x-www-form-urlencoded: form",
            "",
            "does not say how application/x-www-form-urlencoded is written",
        ),
        (
            "openapi.yaml",
            "#/components/responses/Books",
            "#/components/responses/Boks",
            "there is no 'Boks'",
        ),
        (
            "openapi.yaml",
            "operationId: getKey",
            "operationId: rackExists",
            "there are two operations called rackExists",
        ),
        ("openapi.yaml", "name: pageSize", "name: page-token", "two arguments would have one name"),
        ("openapi.yaml", "title: Rack,", "title: Rack, title: Rack,", "title stands here twice"),
        (
            "openapi.yaml",
            "application/x-ndjson: {schema: {$ref: '#/components/schemas/Key'}}",
            "application/x-ndjson: {schema: {$ref: '#/components/schemas/Book'}}",
            "one body, but several schemas, by media type: application/json, application/x-ndjson",
        ),
        (
            "openapi.yaml",
            "content: {application/x-www-form-urlencoded: {schema: {$ref: '#/components/schemas/KeyRequest'}}}",
            "content: {a/b: {schema: {$ref: '#/components/schemas/Key'}}, text/plain: {schema: {$ref: '#/components/schemas/Key'}}}",
            "getKey: a request has one media type, not also text/plain",
        ),
        (
            "contract.yaml",
            "  application/x-ndjson: lines\n",
            "",
            "does not say how application/x-ndjson is written",
        ),
        (
            "contract.yaml",
            "version: 2",
            "version: 2\nclient: {without: [listBoks]}",
            "unknown operations that the client does not call: listBoks",
        ),
        (
            "contract.yaml",
            "version: 2",
            "version: 2\nserver: {without: [listBoks, listBooks]}",
            "unknown operations or parameters that have no handlers: listBoks",
        ),
        (
            "errors.yaml",
            "listBooks",
            "listBoks",
            "errors.yaml speaks of what the contract does not have: listBoks 404",
        ),
        (
            "errors.yaml",
            "404",
            "410",
            "errors.yaml speaks of what the contract does not have: listBooks 410",
        ),
    ],
)
def test_invalid_contract_raises_broken(
    rack: Path, tmp_path: Path, file: str, old: str, new: str, complaint: str
) -> None:
    text = (rack / file).read_text("utf-8")
    (rack / file).write_text(text.replace(old, new), "utf-8")

    with pytest.raises(Broken, match=re.escape(complaint)):
        generate(tmp_path / "out", all_sources(tmp_path))
