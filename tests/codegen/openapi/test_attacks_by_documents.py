"""`lakepact generate` of documents that name other files and servers, or that grow when they are
read.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lakepact.cli import main
from lakepact.codegen.documents import from_yaml
from lakepact.codegen.openapi import package

SECONDS, BYTES = 30, 700 * 1024 * 1024  #: of processor time and memory
OPENAPI = 'openapi: 3.1.0\ninfo: {title: Bomb, version: "1"}\npaths: {}\n'
LEVELS = "contract.yaml: the document has more than 100 levels of objects and arrays; generate code from a smaller one"
VALUES = "the document has more than 1,000,000 values; generate code from a smaller one"
BITS = "the document has more than 1,024 bits in a number; generate code from a smaller one"


@pytest.fixture
def requests() -> Iterator[tuple[str, list[str]]]:
    """Yield the address of a server, and the paths that it was asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", paths
    server.shutdown()
    thread.join()
    server.server_close()


def refusal(result: Result) -> str:
    """Return the message of a document that is refused."""
    assert result.exit_code == 2, (result.output, result.exception)
    return re.sub(r"^Error: (/\S*/(?=contract))?", "", result.stderr.splitlines()[-1])


def generate(folder: Path, document: Any, file: str = "contract.json") -> Result:
    content = (
        document
        if isinstance(document, bytes)
        else document.encode()
        if isinstance(document, str)
        else json.dumps(document).encode()
    )
    (folder / file).write_bytes(content)
    return CliRunner().invoke(
        main, ["generate", str(folder / file), "--out", str(folder / "small")]
    )


def error_within_limits(folder: Path, text: str, file: str) -> str:
    """Run the command in a process with little memory and time, and return its last line."""
    (folder / file).write_text(text, "utf-8")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    command = [sys.executable, "-m", "lakepact.cli", "generate", file, "--out", "small"]
    ran = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, preexec_fn=limit
    )
    assert (ran.returncode, (folder / "small").exists()) == (2, False)
    return ran.stderr.splitlines()[-1].removeprefix("Error: ")


def document(schemas: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Small", "version": "1"},
        "paths": {},
        "components": {"schemas": schemas},
        **members,
    }


def naming(address: str) -> dict[str, Any]:
    """Return a document that names an address wherever OpenAPI and JSON Schema know one."""
    keywords = (
        "$schema",
        "$id",
        "$ref",
        "$dynamicRef",
        "$recursiveRef",
        "contentSchema",
        "$anchor",
    )
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "externalDocs": {"url": f"{address}/externalDocs"},
    }
    schemas: dict[str, Any] = {}
    for keyword in keywords:
        reference = {
            keyword: f"{address}/{keyword}"
            if keyword not in {"contentSchema", "$anchor"}
            else {"$ref": f"{address}/{keyword}"}
            if keyword == "contentSchema"
            else "a"
        }
        schemas[f"Beside{len(schemas)}"] = {**schema, **reference}
        schemas[f"Inside{len(schemas)}"] = {
            "properties": {"a": reference},
            "allOf": [reference],
            "oneOf": [reference, schema],
        }
    mapping = {"propertyName": "a", "mapping": {"x": f"{address}/mapping"}}
    answer = {
        "description": "x",
        "content": {
            "application/json": {"schema": {"$schema": f"{address}/answer", "type": "string"}}
        },
    }
    operation = {
        "externalDocs": {"url": f"{address}/operation"},
        "servers": [{"url": f"{address}/server"}],
        "parameters": [{"$ref": f"{address}/parameter"}],
        "requestBody": {"$ref": f"{address}/body"},
        "responses": {"200": answer, "404": {"$ref": f"{address}/response"}},
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Small",
            "version": "1",
            "termsOfService": f"{address}/terms",
            "license": {"name": "x", "url": f"{address}/license"},
        },
        "jsonSchemaDialect": f"{address}/dialect",
        "externalDocs": {"url": f"{address}/document"},
        "servers": [{"url": address}],
        "paths": {"/a": {"post": operation}, "/b": {"$ref": f"{address}/path"}},
        "components": {
            "schemas": {**schemas, "Tagged": {"oneOf": [schema], "discriminator": mapping}},
            "examples": {"example": {"externalValue": f"{address}/example"}},
            "securitySchemes": {
                "one": {"type": "openIdConnect", "openIdConnectUrl": f"{address}/identity"}
            },
        },
    }


def test_no_address_in_a_document_is_requested(
    tmp_path: Path, requests: tuple[str, list[str]]
) -> None:
    address, paths = requests

    result = generate(tmp_path, naming(address))

    assert (result.exit_code, paths) == (0, []), (result.output, result.exception)


@pytest.mark.parametrize("scheme", ["file://", ""])
def test_no_file_in_a_document_is_opened(tmp_path: Path, scheme: str) -> None:
    document_text = json.dumps(naming(f"{scheme}{tmp_path}"))
    (tmp_path / "contract.json").write_text(document_text, "utf-8")
    for name in (
        "$schema",
        "$id",
        "$ref",
        "$dynamicRef",
        "dialect",
        "answer",
        "mapping",
        "path",
        "response",
        "parameter",
        "body",
    ):
        os.mkfifo(tmp_path / name)  # opening it waits for ever

    command = [sys.executable, "-m", "lakepact.cli", "generate", "contract.json", "--out", "small"]
    ran = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )

    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("keyword", ["$schema", "$id"])
def test_schema_of_another_dialect_is_checked_as_one_of_openapi(
    tmp_path: Path, keyword: str
) -> None:
    schemas = {"A": {keyword: "https://example.net/other", "type": 5}}

    assert "contract.json:1: #/components/schemas/A/type: 5 is not valid" in refusal(
        generate(tmp_path, document(schemas))
    )


def lists(number: int, item: str, form: str) -> str:
    """Return members; each repeats the one before it ten times."""
    first = f"x-0: &a0 {item}\n"
    return first + "".join(
        f"x-{n}: &a{n} {form % ', '.join([f'*a{n - 1}'] * 10)}\n" for n in range(1, number)
    )


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("contract.yaml", OPENAPI + lists(9, "[x, x, x, x, x, x, x, x, x, x]", "[%s]")),
        ("contract.yaml", OPENAPI + lists(9, "{x: 1}", "{<<: [%s]}")),
        ("contract.yaml", OPENAPI + lists(9, "{x: 1}", "{? [%s] : 1}")),
        ("contract.json", "[" + "1," * 1_000_000 + "1]"),
        ("contract.json", "[" + "[]," * 1_000_000 + "1]"),
    ],
)
def test_document_that_grows_is_refused_soon(tmp_path: Path, file: str, text: str) -> None:
    assert error_within_limits(tmp_path, text, file) == f"{file}: {VALUES}"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("x-a: &a [*a]", "contract.yaml: line 4: an alias repeats the value that it is in"),
        ("x-a: &a {<<: *a}", "contract.yaml: line 4: an alias repeats the value that it is in"),
        ("x-0: &a0 [x]\n" + "".join(f"x-{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 300)), LEVELS),
        ("x-a: " + "[" * 100_000, LEVELS),
        ("- " * 100_000, LEVELS),
        ("? " * 100_000, LEVELS),
        (
            "x-a: " + "9" * 5000,
            "contract.yaml: not YAML: Exceeds the limit (4300 digits) for integer string conversion",
        ),
        ("x-a: 0x" + "f" * 5000, f"contract.yaml: {BITS}"),
        ("x-a: 1" + ":59" * 300, f"contract.yaml: {BITS}"),
        ("x-a: .inf", "contract.yaml: inf is no value of JSON; write one"),
        ("x-a: !!binary aGk=", "contract.yaml: b'hi' is no value of JSON; write one"),
        ("x-a: !!set {b}", "contract.yaml: {'b'} is no value of JSON; write one"),
        (
            "x-a: !!python/object/apply:os.system [id]",
            "contract.yaml:4: not YAML: could not determine a constructor for the tag",
        ),
        ('x-a: "\\ud800"', "contract.yaml: '\\ud800' is no value of JSON; write one"),
        ("x-a: {b: 1, b: 2}", "contract.yaml: line 4: b stands here twice"),
        ('x-a: {1: 1, "1": 2}', "contract.yaml: line 4: 1 stands here twice"),
        ("? [a]\n: b", "contract.yaml:1: not YAML: "),
        (
            "x-a: " + "a" * (16 * 1024 * 1024),
            "the document has more than 16,777,216 bytes; generate code from a smaller one",
        ),
    ],
)
def test_yaml_beyond_a_limit_is_refused(tmp_path: Path, text: str, error: str) -> None:
    assert refusal(
        generate(tmp_path, (OPENAPI if text.startswith("x") else "") + text, "contract.yaml")
    ).startswith(error)


def test_keys_of_yaml_are_text_as_written() -> None:
    assert from_yaml(b"{on: 1, 1.10: 2, 200: 3, ~: 4, 0x10: 5, '<<': 6}") == {
        "on": 1,
        "1.10": 2,
        "200": 3,
        "~": 4,
        "0x10": 5,
        "<<": 6,
    }


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[" * 100_000, "schemas refer to each other too deeply"),
        ("[" * 102 + "]" * 102, LEVELS.replace("yaml", "json")),
        ('{"a": 1, "a": 2}', "contract.json: an object: a stand there twice"),
        ('{"a": NaN}', "contract.json: nan is no value of JSON; write one"),
        ('{"a": 1e999}', "contract.json: inf is no value of JSON; write one"),
        (f'{{"a": {"9" * 5000}}}', "contract.json: not JSON: Exceeds the limit (4300 digits)"),
        ('{"a": "\\ud800"}', "contract.json: '\\ud800' is no value of JSON; write one"),
        (b"\xff\xff", "contract.json: not JSON: "),
    ],
)
def test_json_beyond_a_limit_is_refused(tmp_path: Path, text: str | bytes, error: str) -> None:
    assert refusal(generate(tmp_path, text)).startswith(error)


def chain(number: int, **members: Any) -> dict[str, Any]:
    """Return schemas; the parts of each are the next one."""
    schemas: dict[str, Any] = {
        f"A{number}": {"type": "object", "properties": {"x": {"type": "string"}}}
    }
    for n in range(number):
        reference = {"$ref": f"#/components/schemas/A{n + 1}"}
        schemas[f"A{n}"] = {key: make(reference) for key, make in members.items()}
    return schemas


def two(reference: Any) -> list[Any]:
    return [reference, reference]


def with_own_properties(reference: Any) -> dict[str, Any]:
    own = {
        "allOf": [reference],
        "properties": {"own": {"type": "object", "properties": {"a": {"type": "string"}}}},
    }
    return {"a": own, "b": own}


CYCLE = "#/components/schemas/A"
DEEP = (
    "schemas refer to each other too deeply, or to themselves inside allOf; describe fewer levels"
)


@pytest.mark.parametrize(
    ("contents", "error"),
    [
        (
            document({"A": {"allOf": [{"$ref": CYCLE}, {"type": "object"}]}}),
            f"{CYCLE}: allOf leads back to itself",
        ),
        (
            document(
                {"A": {"properties": {"b": {"allOf": [{"$ref": CYCLE}], "properties": {"c": {}}}}}}
            ),
            DEEP,
        ),
        (
            document({"default": {"$ref": "#/components/schemas/default"}}),
            "contract.json:1: #/components/schemas/default/$ref: ",
        ),
        (
            document({"A": {"$ref": "#/x-a"}}, **{"x-a": {"properties": []}}),
            "contract.json:1: #/x-a/properties: [] is not of type",
        ),
        (
            document(chain(40, properties=with_own_properties)),
            "the document has more than 20,000 schemas or operations, those inside others included;",
        ),
        (document(chain(900, allOf=lambda reference: [reference, {}])), DEEP),
    ],
)
def test_schemas_without_end_are_refused(
    tmp_path: Path, contents: dict[str, Any], error: str
) -> None:
    assert refusal(generate(tmp_path, contents)).startswith(error)


def test_long_generation_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "LONGEST", 0.5)
    start = time.process_time()

    message = refusal(generate(tmp_path, document(chain(60, allOf=two))))

    assert message.startswith("it takes longer than 0.5 s to generate code from the document")
    assert time.process_time() - start < 5


PATTERNS = [
    "(a+)+$",
    "(a|a)*b" * 50,
    "(((a{100}){100}){100}){100}",
    "a" * 100_000,
    "(" * 50 + ")" * 50,
    "(?<=x)y",
    "[",
    "(?P<a>b)(?P=a)",
    "\\p{L}" * 1000,
]


def test_patterns_take_no_time(tmp_path: Path) -> None:
    start = time.process_time()
    properties = {
        f"p{n}": {"type": "string", "pattern": pattern} for n, pattern in enumerate(PATTERNS)
    }

    result = generate(tmp_path, document({"A": {"type": "object", "properties": properties}}))

    assert (result.exit_code, time.process_time() - start < 10) == (0, True), result.output
