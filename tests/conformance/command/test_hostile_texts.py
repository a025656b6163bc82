"""No output contains control characters, active markup or secrets that a target sends."""

from __future__ import annotations

import io
import json
import re
import subprocess
import tomllib
import unicodedata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

from campaigns import OPERATIONS, Here, exchanges, ran
from lakepact.cli import main
from lakepact.client.text import json_line
from lakepact.client.text import plain as client_plain
from lakepact.conformance.campaign import plans, run_verdicts
from lakepact.conformance.campaign.planning.generation import EFFECT
from lakepact.conformance.campaign.reporting import facts
from lakepact.conformance.campaign.reporting import html as campaign_html
from lakepact.conformance.campaign.reporting import markdown as campaign_markdown
from lakepact.conformance.campaign.reporting import text as campaign_text
from lakepact.conformance.evidence import escaping
from lakepact.conformance.report import (
    compatibility,
    filters,
    html,
    junit,
    lines,
    markdown,
    matrices,
    text,
)
from lakepact.conformance.report.outline import Outline
from lakepact.generated.contract import Contract
from lakepact.testing import requirements
from miniatures import Answer, answer, miniature

PASSWORD, SEAL, KEY = "pa55-w0rd-Xy", "5ea1edSignatureValue", "AKIAEXAMPLEKEY0"
SECRETS = (PASSWORD, SEAL, KEY)
SIGNED = f"https://data.test/f?X-Amz-Credential={KEY}%2F1&X-Amz-Signature={SEAL}&sig={SEAL}&token={SEAL}&X-Amz-Security-Token={SEAL}"
LOCATION = f"s3://user:{PASSWORD}@bucket/warehouse"
ATTACK = (
    "\x1b[2J\x1b]8;;http://evil.test\x07link\x1b]8;;\x07\x9b31m\x00\n\r# head\n```\n`x` | <script>alert(1)</script>"
    "<img src=x onerror=alert(1)>"
    "\u202egnp.exe\u2028]]>\"'[click](javascript:alert(1)) https://evil.test @everyone [red]"
)
ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff]"
)
TAGS = re.compile(r"<(?:script|img)|\]\]>", re.IGNORECASE)
OWN_SCRIPT = f"<script>{filters.SCRIPT}</script>"


ENDPOINTS = [
    f"{operation.method} {operation.path}"
    for operation in Contract("iceberg_rest").operations.values()
]


def hostile(_method: str, path: str, _body: bytes) -> Answer:
    """Answer as a server that puts an attack and secrets into every text."""
    text = f"{ATTACK} {SIGNED} {LOCATION}"
    if path.startswith("/v1/config"):
        return answer(
            200,
            {
                "defaults": {"warehouse": LOCATION, ATTACK: ATTACK},
                "overrides": {"prefix": "p"},
                "endpoints": ENDPOINTS,
            },
        )
    document = {
        "namespaces": [[text]],
        "identifiers": [{"namespace": [text], "name": text}],
        "namespace": [text],
        "properties": {text: text, "location": LOCATION},
        "metadata-location": f"{LOCATION}/m.json",
        "metadata": {"location": LOCATION, "table-uuid": text, "format-version": 2},
        "error": {"message": text, "type": text, "code": 404},
    }
    return answer(
        404 if "missing" in path else 200, document, ETag='"\x9b31m\xe2\x80\xae"', Location=SIGNED
    )


def otherwise(method: str, path: str, body: bytes) -> Answer:
    """Answer as another server with the same configuration."""
    refusal = answer(404, {"error": {"message": ATTACK, "type": ATTACK, "code": 1}})
    return hostile(method, path, body) if path.startswith("/v1/config") else refusal


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Return the report of a check of the hostile server, after writing and reading it."""
    path = tmp_path_factory.mktemp("hostile") / "run.jsonl"
    with miniature(hostile) as url:
        CliRunner().invoke(main, ["check", url, "--only", "IRC-NS-*", "--report", f"jsonl={path}"])
    return lines.read(path)


def html_of(source: str) -> str:
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(source)


def output_of(*words: str) -> str:
    with miniature(hostile) as url:
        return CliRunner().invoke(main, [word.replace("URL", url) for word in words]).output


@pytest.mark.parametrize("option", ["--verbose", "--json"])
def test_check_prints_no_control_character_and_no_secret(option: str) -> None:
    output = output_of("check", "URL", "--only", "IRC-NS-*", option)

    assert "2J" in output
    assert ACTING.findall(output) == []
    assert [secret for secret in SECRETS if secret in output] == []


@pytest.mark.parametrize("words", [("--json",), ()], ids=["json", "text"])
def test_probe_prints_no_control_character_and_no_secret(words: tuple[str, ...]) -> None:
    output = output_of("probe", "URL", *words)

    assert "listNamespaces" in output
    assert ACTING.findall(output) == []
    assert [secret for secret in SECRETS if secret in output] == []


@pytest.mark.parametrize(
    "command",
    [
        ("ls", "URL"),
        ("ls", "URL", "--json"),
        ("show", "URL", "a.t"),
        ("show", "URL", "a.t", "--json"),
    ],
)
def test_client_commands_print_no_control_character(command: tuple[str, ...]) -> None:
    assert ACTING.findall(output_of(*command)) == []


def test_reports_hold_no_secret_and_no_active_content(
    report: list[dict[str, Any]], tmp_path: Path
) -> None:
    files = {kind: tmp_path / kind for kind in ("html", "junit", "md", "jsonl")}
    files["html"].write_text(html.html(report), "utf-8")
    files["junit"].write_text(junit.junit(report), "utf-8")
    files["md"].write_text(markdown.markdown(report), "utf-8")
    lines.write(report, files["jsonl"])
    documents = {kind: path.read_text(encoding="utf-8") for kind, path in files.items()}

    assert {kind: ACTING.findall(document) for kind, document in documents.items()} == {
        kind: [] for kind in files
    }
    assert {
        kind: [secret for secret in SECRETS if secret in document]
        for kind, document in documents.items()
    } == {kind: [] for kind in files}
    assert TAGS.findall(documents["html"].replace(OWN_SCRIPT, "")) == []
    assert TAGS.findall(html_of(documents["md"])) == []
    assert ET.fromstring(documents["junit"]).tag == "testsuites"


def test_matrix_and_pytest_evidence_hold_no_active_content(report: list[dict[str, Any]]) -> None:
    name = ATTACK.replace("=", "")
    grid = compatibility.matrix(
        {name: [{**report[0], "target": ATTACK}, *report[1:]]}, by="requirement"
    )
    output = io.StringIO()
    matrices.show(grid, Console(file=output, width=200, color_system=None))
    lines = [{**line, "sentence": ATTACK} if "sentence" in line else line for line in report]
    failure = next(entry for entry in Outline.of(lines).entries if entry.outcome == "fail")
    evidence = requirements._evidence(failure)

    assert (
        ACTING.findall(output.getvalue() + matrices.markdown(grid) + matrices.html(grid) + evidence)
        == []
    )
    assert TAGS.findall(matrices.html(grid) + html_of(matrices.markdown(grid))) == []


def test_texts_of_verdicts_are_escaped_in_every_report(
    report: list[dict[str, Any]], tmp_path: Path
) -> None:
    failure = next(line for line in report if line.get("outcome") == "fail")
    verdict = {
        **failure["verdicts"][0],
        "expected": ATTACK,
        "actual": ATTACK,
        "remark": f"{ATTACK} and more",
    }
    hostile_lines = [
        report[0] | {"target": ATTACK},
        failure | {"verdicts": [verdict], "reading": ATTACK, "sentence": ATTACK},
        report[-1],
    ]
    console = io.StringIO()
    text.show(hostile_lines, Console(file=console, width=200, color_system=None), verbose=True)
    (tmp_path / "md").write_text(markdown.markdown(hostile_lines), "utf-8")
    (tmp_path / "junit").write_text(junit.junit(hostile_lines), "utf-8")
    document = (tmp_path / "md").read_text(encoding="utf-8")

    assert (
        ACTING.findall(
            console.getvalue()
            + html.html(hostile_lines)
            + document
            + (tmp_path / "junit").read_text(encoding="utf-8")
        )
        == []
    )
    assert TAGS.findall(html.html(hostile_lines).replace(OWN_SCRIPT, "") + html_of(document)) == []
    assert 'href="javascript' not in html_of(document)


def test_campaign_pages_hold_no_secret_and_no_active_content(tmp_path: Path) -> None:
    with miniature(hostile) as one, miniature(otherwise) as other:
        plans.plan(
            "iceberg_rest", tmp_path / "plan", seeds=range(2), modes=(EFFECT,), only=OPERATIONS
        )
        run = ran(tmp_path / "plan", tmp_path / "run", Here(), f"one={one}", f"other={other}")
    run_verdicts.judge(run, Here())
    run_facts = facts.facts(run, run_verdicts.analyse(run, Here()), has_base=False)
    output = io.StringIO()
    campaign_text.show(run_facts, Console(file=output, width=200, color_system=None))
    pages = [
        campaign_html.html(run_facts),
        campaign_markdown.markdown(run_facts),
        output.getvalue(),
    ]

    assert run_facts.causes
    assert ACTING.findall("".join(pages)) == []
    assert TAGS.findall(pages[0] + html_of(pages[1])) == []
    texts = "".join(pages).encode() + b"".join(
        path.read_bytes() for path in run.rglob("*") if path.is_file() and path.suffix != ".parquet"
    )
    texts += str(exchanges(run)).encode()
    assert SIGNED.partition("?")[0].encode() in texts
    assert [secret for secret in SECRETS if secret.encode() in texts] == []


TEXTS = st.text(
    st.characters(codec=None) | st.sampled_from("\x1b\x9b\u202e\u2028\ud800`|<>&\\\"'[]*_\n\r\t\0")
)


@given(TEXTS)
def test_escaped_forms_hold_no_control_character(sample: str) -> None:
    forms = [
        escaping.plain(sample),
        client_plain(sample),
        escaping.html(sample),
        escaping.code(sample),
        escaping.markdown(sample),
        escaping.markdown_sentence(sample),
        escaping.html_sentence(sample),
        escaping.toml(sample),
    ]
    forms += [
        escaping.terminal(sample),
        escaping.shell(sample),
        escaping.json(sample),
        json_line(sample),
    ]

    assert [
        c
        for form in forms
        for c in form
        if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    ] == []


@given(st.text())
def test_escaped_json_and_toml_read_back_as_the_text(sample: str) -> None:
    assert json.loads(escaping.json(sample)) == sample
    assert tomllib.loads(f"a = {escaping.toml(sample)}") == {"a": sample}


@given(TEXTS)
def test_escaped_markdown_renders_no_markup(sample: str) -> None:
    document = f"a {escaping.markdown(sample)} {escaping.code(sample)} {escaping.markdown_sentence(sample)}"

    assert re.findall(r"<(?!/?p>|/?code>)\w+", MarkdownIt().render(document)) == []
    assert re.findall(r"<(?!/?code>)\w+", escaping.html_sentence(sample)) == []


def test_code_of_a_sentence_stays_code() -> None:
    sentence = "A body without `updates` is <refused>."

    assert escaping.markdown_sentence(sentence) == "A body without `updates` is &lt;refused&gt;."
    assert (
        escaping.html_sentence(sentence)
        == "A body without <code>updates</code> is &lt;refused&gt;."
    )


@pytest.mark.parametrize("word", [ATTACK.replace("\0", ""), "it's", "$(id) `id` $HOME", "\\"])
def test_escaped_shell_word_is_the_text(word: str) -> None:
    command = ["bash", "-c", f"printf %s {escaping.shell(word)}"]

    assert subprocess.run(command, capture_output=True, check=True).stdout == word.encode()
