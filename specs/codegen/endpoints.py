"""The endpoints: one pure function for each operation, made by openapi-python-client from templates
of ours.

The tool sees every schema as an opaque object, so that it writes endpoints and nothing else; what
its templates need to know beyond that, another template tells them.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codegen.bundles import opaque
from codegen.contracts import TEMPLATES, Source
from codegen.registry import check_names
from codegen.server import summary
from codegen.templates.contract import Operation, OperationId
from lakepact.codegen.documents import Broken, Document, json_bytes
from lakepact.codegen.passes import operations_of
from lakepact.codegen.python_source import code_for, source

FLAGS = ["--meta=none", "--overwrite", "--fail-on-warning"]
CONFIGURATION: dict[str, Any] = {"literal_enums": True, "post_hooks": []}


def endpoints(
    of: Source, document: Document, operations: Mapping[OperationId, Operation], header: str
) -> dict[str, str]:
    """Return the source of each module of endpoints, by file name.

    Raises:
        Broken: The tool warned, or the modules are not those of the operations.
    """
    check_names("operations that the client does not call", of.without_endpoints, operations)
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder)
        templates = Path(shutil.copytree(TEMPLATES / "endpoints", there / "templates"))
        (templates / "contract.jinja").write_text(
            _contract(of, document, operations, header), "utf-8"
        )
        (there / "contract.json").write_bytes(json_bytes(_one_tag(_one_content(opaque(document)))))
        (there / "configuration.json").write_text(json.dumps(CONFIGURATION), "utf-8")
        files = [
            f"--path={there / 'contract.json'}",
            f"--config={there / 'configuration.json'}",
            f"--output-path={there / 'made'}",
        ]
        command = [
            sys.executable,
            "-m",
            "openapi_python_client",
            "generate",
            *FLAGS,
            *files,
            f"--custom-template-path={templates}",
        ]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode or ran.stderr.strip():
            raise Broken(f"openapi-python-client:\n{ran.stdout}{ran.stderr}")
        modules = {
            path.name: path.read_text("utf-8")
            for path in sorted((there / "made" / "api" / "endpoints").glob("*.py"))
        }
    del modules["__init__.py"]
    expected = {f"{operation.function}.py" for operation in operations.values()}
    if set(modules) != expected:
        raise Broken(
            f"openapi-python-client made {', '.join(sorted(set(modules) ^ expected))} of its own or"
            " not at all"
        )
    for operation in of.without_endpoints:
        del modules[f"{operations[OperationId(operation)].function}.py"]
    return modules


def _one_tag(document: Document) -> Document:
    # Tags become folders; all endpoints are to lie in one.
    for _, _, operation in operations_of(document):
        operation["tags"] = ["endpoints"]
    return document


def _one_content(document: Document) -> Document:
    # Of an answer that may come in several media types, or in one that it does not know, the tool
    # makes nothing.
    responses = document["components"].get("responses", {})
    for answers in (
        responses,
        *(operation["responses"] for _, _, operation in operations_of(document)),
    ):
        for answer in answers.values():
            if answer.get("content"):
                answer["content"] = {"application/json": next(iter(answer["content"].values()))}
    return document


def _contract(
    of: Source, document: Document, operations: Mapping[OperationId, Operation], header: str
) -> str:
    operation_documents = {
        operation["operationId"]: operation for _, _, operation in operations_of(document)
    }
    facts = {
        operation.function: _facts(of, operation, operation_documents[operation.id])
        for operation in operations.values()
    }
    variables: dict[str, Any] = {
        "HEADER": header.rstrip(),
        "MODELS": f"lakepact.generated.{of.name}.models",
        "MEDIA": of.media,
        "OPERATIONS": facts,
    }
    return "".join(f"{{% set {name} = {source(value)} %}}\n" for name, value in variables.items())


def _facts(of: Source, operation: Operation, documents: Document) -> dict[str, Any]:
    answers = operation.answers.values()
    media_types = [
        operation.body_media_type,
        *(media_type for answer in answers for media_type in (answer.media_type, *answer.also)),
    ]
    unknown = [
        media_type
        for media_type in media_types
        if media_type is not None and media_type not in of.media
    ]
    if unknown:
        raise Broken(
            f"{operation.id}: contract.yaml does not say how {', '.join(unknown)} is written"
        )
    names = {answer.schema for answer in operation.answers.values()} | {operation.body}
    arguments = {parameter.name: parameter.argument for parameter in operation.parameters}
    return {
        "id": operation.id,
        "method": operation.method,
        "path": operation.path,
        "path_expression": re.sub(
            r"{([^}]+)}", lambda step: f"{{segment({arguments[step[1]]})}}", operation.path
        ),
        "returns": operation.answers[str(operation.success)].schema or "None",
        "sentence": str(code_for(summary(documents), "docstring")),
        "lines": sorted(answer.status for answer in answers if answer.lines),
        "models": sorted(name for name in names if name is not None),
    }
