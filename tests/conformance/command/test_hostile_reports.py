"""Reports that a stranger wrote: every verb shows them escaped or refuses them in one sentence, and
writes nothing else.
"""

from __future__ import annotations

import copy
import gzip
import json
import re
import subprocess
import sys
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt

from faulty import mutants
from lakepact.cli import main
from lakepact.conformance.evidence import escaping
from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.judging import known_failures
from lakepact.conformance.report import lines
from lakepact.generated.contract import Contract
from lakepact.reference_server import running
from miniatures import answer, miniature
from sampling import some

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from miniatures import Answer

    Report = list[dict[str, Any]]

ID = "IRC-NS-DROP-005"
GONE = object()  #: instead of a value: the member is removed
VERBS = (
    "report REPORT -v",
    "baseline REPORT",
    f"reproduce REPORT {ID}",
    "matrix REPORT --by requirement",
    "matrix REPORT --json",
)
WRITING = (
    "report REPORT",
    *(f"--report {kind}=OUT.{kind}" for kind in ("html", "junit", "md", "badge", "jsonl")),
)
COMMANDS = (
    *VERBS,
    " ".join(WRITING),
    "matrix REPORT --by operation --report html=OUT.1 --report md=OUT.2 --report json=OUT.3",
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Return a short report with a finding that a script repeats."""
    path = tmp_path_factory.mktemp("report") / "report.jsonl"
    with running(warehouse="memory:", faults=mutants(["drops-what-has-children"])) as server:
        lakepact("check", server.url, "--only", "IRC-NS-DROP-00*", "--report", f"jsonl={path}")
    report_lines = lines.read(path)
    first = next(
        line for line in report_lines if line.get("outcome") == "fail" and line["line"] == "result"
    )
    assert (first["requirement"], "exchanges" in first["verdicts"][0]["replay"]) == (ID, True)
    return report_lines


def lakepact(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, words)
    return result.exit_code, result.output


def write(report: Report, folder: Path) -> Path:
    path = folder / "report.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in report), "utf-8")
    return path


#: How a browser sees a file, by its suffix; it takes JSON for no page.
PAGES: dict[str, Callable[[str], str]] = {
    **dict.fromkeys([".md", ".2"], MarkdownIt("commonmark", {"html": True}).enable("table").render),
    **dict.fromkeys([".jsonl", ".3"], lambda text: text.replace("<", "")),
}


def outputs(path: Path) -> dict[str, tuple[int, str, str]]:
    """Run every verb that reads a report, and return exit codes, outputs, and pages that were
    written.
    """
    by_command = {}
    for command in COMMANDS:
        words = command.replace("REPORT", "\0").replace("OUT", str(path.with_name("out"))).split()
        code, text = lakepact(
            *(word.replace("\0", str(path)) for word in words if not word.startswith("--report\0"))
        )
        files = sorted(path.parent.glob("out.*"))
        pages = "".join(PAGES.get(file.suffix, str)(file.read_text("utf-8")) for file in files)
        by_command[command] = code, text, pages
        for file in files:
            file.unlink()
    return by_command


def with_value(report: Report, kind: str, place: str, value: Any) -> Report:
    """Return a report in which all lines of a kind have another value at a place, such as
    `request/url`.
    """
    copy_of_report = copy.deepcopy(report)
    *parents, last = [int(step) if step.isdigit() else step for step in place.split("/")]
    for line in copy_of_report:
        holder: Any = line
        if line["line"] == kind:
            for step in parents:
                holder = (
                    holder[step] if holder and (isinstance(holder, list) or step in holder) else {}
                )
            if isinstance(holder, dict) or holder:
                holder[last] = value
                if value is GONE:
                    del holder[last]
    return copy_of_report


def places(value: Any, place: str = "") -> Iterator[str]:
    """Yield the places of all members of a JSON value, and of the first item of each array."""
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value[:1])
        if isinstance(value, list)
        else ()
    )
    for name, member in inside:
        yield f"{place}{name}"
        yield from places(member, f"{place}{name}/")


@pytest.mark.parametrize("value", some([GONE, None, {"a": []}, -1, "x", []], 6))
def test_reports_with_missing_or_mistyped_members_are_refused_or_written(
    report: Report, tmp_path: Path, value: Any
) -> None:
    failing = [line for line in report if line.get("requirement") == ID]
    short = [
        report[0],
        *failing,
        *(line for line in report if line["line"] in {"cause", "exchange"}),
        report[-1],
    ]
    kinds = {line["line"]: line for line in reversed(short)}
    mistakes = []
    for kind, line in kinds.items():
        for place in places(line):
            path = write(with_value(short, kind, place, value), tmp_path)
            try:
                lines.read(path)
            except lines.UnreadableReport as refused:
                mistakes += [(kind, place, str(refused))] if len(str(refused)) > 600 else []
            else:
                mistakes += [
                    (kind, place, verb)
                    for verb, (_, text, _) in outputs(path).items()
                    if "Traceback (most recent" in text
                ]

    assert mistakes == []


def _nested(levels: int) -> str:
    return "[" * levels + "]" * levels


REFUSED: dict[str, Callable[[Report], bytes]] = {
    "array": lambda _: b"[]\n[]",
    "text": lambda _: b'"header"\n"footer"',
    "not a number": lambda report: _lines(report[0], b'{"line":"x","a":NaN}', report[-1]),
    "infinity": lambda report: _lines(report[0], b'{"line":"x","a":1e999}', report[-1]),
    "lone surrogate": lambda report: _lines(report[0], b'{"line":"x","a":"\\ud800"}', report[-1]),
    "deep": lambda report: _lines(report[0] | {"more": json.loads(_nested(400))}, report[-1]),
    "deeper": lambda report: _lines(
        report[0], b'{"line":"x","a":' + _nested(5000).encode() + b"}", report[-1]
    ),
    "huge number": lambda report: _lines(report[0] | {"all_operations": 10**400}, report[-1]),
    "long line": lambda report: _lines(report[0] | {"title": "x" * (20 << 20)}, report[-1]),
    "gzip bomb": lambda report: gzip.compress(
        _lines(report[0], b"\n" * (300 << 20), report[-1]), 1
    ),
    "result without its verdict": lambda report: _lines(
        report[0], _result(report) | {"outcome": "error"}, report[-1]
    ),
    "cause without its result": lambda report: _lines(
        *(line for line in report if line["line"] != "result")
    ),
    "cause of nothing": lambda report: _lines(*with_value(report, "cause", "requirements", [])),
    "only a header": lambda report: _lines(report[0]),
}


def _lines(*parts: dict[str, Any] | bytes) -> bytes:
    return b"\n".join(
        part if isinstance(part, bytes) else json.dumps(part).encode() for part in parts
    )


def _result(report: Report) -> dict[str, Any]:
    return next(line for line in report if line["line"] == "result")


@pytest.mark.parametrize("name", REFUSED)
def test_damaged_reports_are_refused_in_one_sentence(
    name: str, report: Report, tmp_path: Path
) -> None:
    path = tmp_path / "report.jsonl"
    path.write_bytes(REFUSED[name](report))

    by_command = {
        command: (code, text.partition("Error: ")[2] or text)
        for command, (code, text, _) in outputs(path).items()
    }

    assert {command: code for command, (code, _) in by_command.items()} == dict.fromkeys(
        COMMANDS, 2
    )
    assert [
        text for _, text in by_command.values() if text.count("\n") != 1 or len(text) > 700
    ] == []


def test_report_of_a_later_release_is_shown(report: Report, tmp_path: Path) -> None:
    more = [line | {"later": [1]} for line in report]

    by_command = outputs(write([more[0], {"line": "later"}, *more[1:]], tmp_path))

    assert {code for code, *_ in by_command.values()} == {0}


#: What must not be active wherever it stands: terminal sequences, markup, links, formulas, and ends
#: of blocks.
ATTACK = "\x1b[2J\x9b1m\u202e\n# x\r```\n<script>alert(1)</script><img src=x onerror=y>]]>'\"[a](javascript:b) ![c](http://d) [red]@all"
ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff]"
)
MARKUP = re.compile(r"<img|<script>alert|href=.javascript", re.IGNORECASE)
FREE = [
    "header/target",
    "header/title",
    "header/profile",
    "header/lakepact",
    "header/contract",
    "header/version",
    "header/ended",
]
FREE += [
    "result/requirement",
    "result/area",
    "result/sentence",
    "result/clause",
    "result/interpretation",
    "result/verdicts/0/check",
]
FREE += [f"result/verdicts/0/{name}" for name in ("expected", "actual", "remark")]
FREE += [
    "cause/title",
    "cause/severity",
    "exchange/operation",
    "exchange/check",
    "exchange/curl",
    "exchange/response/body",
]
FREE += ["exchange/request/url", "exchange/request/method", "footer/stopped"]


@pytest.mark.parametrize("place", FREE)
def test_texts_of_reports_are_inert_in_every_output(
    place: str, report: Report, tmp_path: Path
) -> None:
    kind, _, member = place.partition("/")
    by_command = outputs(write(with_value(report, kind, member, ATTACK), tmp_path))

    assert {
        command: ACTING.findall(text + pages) for command, (_, text, pages) in by_command.items()
    } == {command: [] for command in COMMANDS}
    assert {command: MARKUP.findall(pages) for command, (_, _, pages) in by_command.items()} == {
        command: [] for command in COMMANDS
    }


@pytest.mark.parametrize("curl", ["```", "````\n", " ```", "~~~"])
def test_curl_lines_stay_within_their_block_of_markdown(
    curl: str, report: Report, tmp_path: Path
) -> None:
    path, markdown = (
        write(with_value(report, "exchange", "curl", curl + "\n<img src=x>"), tmp_path),
        tmp_path / "report.md",
    )
    lakepact("report", str(path), "--report", f"md={markdown}")
    fences = write(with_value(report, "exchange", "curl", curl), tmp_path)
    assert "<img" not in MarkdownIt("commonmark", {"html": True}).render(
        markdown.read_text("utf-8")
    )

    lakepact("report", str(fences), "--report", f"md={markdown}")
    blocks = [
        token
        for token in MarkdownIt("commonmark").parse(markdown.read_text("utf-8"))
        if token.type == "fence"
    ]

    assert {block.info for block in blocks} == {"sh"}


HOSTILE_LINES = ["IRC-X\nIRC-*  all", "IRC-*  all", "*"]


@pytest.mark.parametrize(
    "place",
    ["header/version", "header/contract", "header/ended", "header/lakepact", "result/requirement"],
)
@pytest.mark.parametrize("attack", HOSTILE_LINES)
def test_baseline_lists_no_pattern_of_a_hostile_report(
    place: str, attack: str, report: Report, tmp_path: Path
) -> None:
    kind, _, member = place.partition("/")
    out = tmp_path / "known.txt"
    lakepact(
        "baseline",
        str(write(with_value(report, kind, member, attack), tmp_path)),
        "--out",
        str(out),
    )
    entries = (
        known_failures.read(out, Contract("iceberg_rest").requirements) if out.exists() else ()
    )

    assert {line.pattern for line in entries} <= {ID}


# -- scripts ---------------------------------------------------------------------------------------


def script(report: Report, folder: Path) -> Path | None:
    """Write the script of a finding; None if it is refused."""
    out = folder / "finding.py"
    code, text = lakepact("reproduce", str(write(report, folder)), ID, "--out", str(out))
    assert "Traceback" not in text
    return out if code == 0 else None


def ran(script: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(script), *arguments]
    return subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=script.parent,
    )


def by_lakepact(report: Report) -> Report:
    """Return a report whose finding is repeated by `lakepact check`."""
    copy_of_report = copy.deepcopy(report)
    for line in copy_of_report:
        for verdict in line.get("verdicts", ()):
            if "replay" in verdict:
                verdict["replay"] = {"why": "the check compares more than one value"}
    return copy_of_report


LAKEPACT = """#!/usr/bin/env python3
import json, os, pathlib, sys
profile = pathlib.Path(sys.argv[sys.argv.index("--profile") + 1]).read_text()
pathlib.Path(os.environ["SEEN"]).write_text(json.dumps({"words": sys.argv[1:], "profile": profile}))
verdict = {"outcome": "fail", "expected": "\\x1b[2J\\u202e", "actual": "\\x9b1m", "remark": ""}
print(json.dumps({"line": "result", "requirement": "ID", "outcome": "fail", "verdicts": [verdict]}))
""".replace("ID", ID)


def call_of_lakepact(report: Report, folder: Path) -> tuple[dict[str, Any], str]:
    """Run the script of a report with a program in place of lakepact; return what the program was
    given, and the output.
    """
    program, record = folder / "bin" / "lakepact", folder / "seen.json"
    program.parent.mkdir(exist_ok=True)
    program.write_text(LAKEPACT, "utf-8")
    program.chmod(0o755)
    file = script(report, folder)
    if file is None:
        return {"words": [], "profile": ""}, ""
    names = {"AUTHORIZATION": "x", "SEEN": str(record), "PATH": f"{program.parent}:/usr/bin:/bin"}
    process = ran(
        file,
        "http://127.0.0.1:9",
        **names,
        SECRET_OF_MINE="s3cret",
        LAKEPACT_SECRET_OF_MINE="other",
    )
    return json.loads(record.read_text("utf-8")) if record.exists() else {
        "words": [],
        "profile": "",
    }, process.stdout + process.stderr


@pytest.mark.parametrize(
    "name", ['a" = "b"\n"X', 'a"\n[parameters]\n"warehouse', "a\\", "\x1b[2J", "a b", "é", ""]
)
def test_header_names_of_a_report_add_nothing_to_a_profile(
    name: str, report: Report, tmp_path: Path
) -> None:
    call, _ = call_of_lakepact(
        with_value(by_lakepact(report), "header", "own_headers", [name]), tmp_path
    )

    assert call["profile"].count("\n") in {0, 2}
    assert "[parameters]" not in call["profile"].splitlines()


@pytest.mark.parametrize(
    "option",
    [
        "--report=html=/tmp/x",
        "--report",
        "--profile=x",
        "--header=A: b",
        "--no-cleanup",
        "x",
        "--fuzz=1;id",
    ],
)
def test_options_of_a_report_are_those_of_random_requests_alone(
    option: str, report: Report, tmp_path: Path
) -> None:
    call, _ = call_of_lakepact(
        with_value(by_lakepact(report), "header", "options", [option]), tmp_path
    )

    assert option not in call["words"]


def test_script_prints_no_control_characters_of_reports_and_servers(
    report: Report, tmp_path: Path
) -> None:
    hostile = by_lakepact(report)
    for place in ("sentence", "clause", "verdicts/0/expected", "verdicts/0/actual"):
        hostile = with_value(hostile, "result", place, ATTACK)
    call, text = call_of_lakepact(with_value(hostile, "header", "target", ATTACK), tmp_path)

    assert (ID in call["words"], ACTING.findall(text)) == (True, [])


class Listening:
    """A server that records the headers of requests."""

    def __init__(self) -> None:
        self.heard: list[dict[str, str]] = []
        self.listen = self.heard.append

    def __call__(self, *_: object) -> Answer:
        return answer(200, {})


def test_script_sends_no_variable_that_a_report_names(report: Report, tmp_path: Path) -> None:
    hostile = with_value(report, "header", "own_headers", ["Secret-Of-Mine"])
    hostile = with_value(hostile, "exchange", "request/headers", [["Secret-Of-Mine", "<redacted>"]])
    file, server = script(hostile, tmp_path), Listening()
    assert file is not None
    with miniature(server) as url:
        ran(file, url, SECRET_OF_MINE="s3cret", LAKEPACT_SECRET_OF_MINE="meant")

    assert ("meant" in str(server.heard), "s3cret" in str(server.heard)) == (True, False)


@pytest.mark.parametrize("place", ["header/url", "header/target", "header/parameters/warehouse"])
def test_help_of_a_script_shows_percent_signs(place: str, report: Report, tmp_path: Path) -> None:
    kind, _, member = place.partition("/")
    file = script(with_value(report, kind, member, "http://127.0.0.1:9/%(x)s%d%"), tmp_path)
    assert file is not None

    process = ran(file, "--help")

    assert (process.returncode, process.stderr) == (0, "")


def deep(_method: str, _path: str, _body: bytes) -> Answer:
    return 200, {"Content-Type": "application/json"}, b"[" * 100_000


def endless(_method: str, _path: str, _body: bytes) -> Answer:
    return 200, {"Content-Type": "application/json"}, b" " * (80 << 20)


@pytest.mark.parametrize("server", [deep, endless], ids=["deep", "80 MB"])
def test_script_survives_bodies_of_a_hostile_server(
    server: Callable[..., Answer], report: Report, tmp_path: Path
) -> None:
    file = script(report, tmp_path)
    assert file is not None
    with miniature(server) as url:
        process = ran(file, url)

    assert (process.returncode in {1, 3}, "Traceback" in process.stderr) == (True, False), (
        process.stderr
    )


# -- curl lines ------------------------------------------------------------------------------------

HOSTILE_BODIES = [
    b"$(touch pwned)", b"`touch pwned`", b"'; touch pwned; '", b'"; touch pwned; "', b"\n touch pwned \n", b"!!", b"-o pwned",
    b"@/etc/hostname", b"\x00\x1b[2J", "\u202e\u2028".encode(), b"\xff'\\", b"$AUTHORIZATION", b"&& touch pwned",
    b'{"password":"ab\'cd $(touch pwned)"}', b'{"token":"\'$(touch pwned)\'x"}', b"{'password':'a'$(touch pwned)'b'}",
    b'{"token":"a\'$(touch pwned)\'","token":"a\'$(touch pwned)\'"}',
    b'{"u":"https://u:p\'$(touch pwned)\'@h/?sig=a\'$(touch pwned)"}',
]  # fmt: skip
FAKE_CURL = '#!/bin/sh\nfor word in "$@"; do printf "%s\\0" "$word"; done > words\n'


def exchange(
    url: str = "http://127.0.0.1:9/", body: bytes = b"", headers: tuple[tuple[str, str], ...] = ()
) -> Exchange:
    return Exchange(1, None, "check", "POST", url, headers, body, 200, {}, b"", 0.1)  # type: ignore[arg-type]


def words_of(curl: str, folder: Path) -> list[bytes]:
    """Run a curl line with a program in place of curl, and return the words that it was given."""
    program = folder / "bin" / "curl"
    program.parent.mkdir(exist_ok=True)
    program.write_text(FAKE_CURL, "utf-8")
    program.chmod(0o755)
    subprocess.run(
        ["bash", "-c", curl],
        check=True,
        cwd=folder,
        env={"PATH": f"{program.parent}:/usr/bin:/bin", "AUTHORIZATION": "mine"},
    )
    assert {path.name for path in folder.iterdir()} == {"bin", "words"}
    return (folder / "words").read_bytes().split(b"\0")[:-1]


@pytest.mark.parametrize("body", HOSTILE_BODIES)
def test_body_of_a_curl_line_is_one_word_that_curl_sends_as_it_is(
    body: bytes, tmp_path: Path
) -> None:
    words = words_of(exchange(body=body).curl(), tmp_path)
    word = words[words.index(b"--data-raw") + 1]

    assert word == body.partition(b"\0")[0] or b"<redacted>" in word
    assert (words[-1], words.count(b"--data-raw"), len(words)) == (b"http://127.0.0.1:9/", 1, 9)


@pytest.mark.parametrize(
    "text",
    [
        "$(touch pwned)",
        "`touch pwned`",
        "'; touch pwned; '",
        '"$(touch pwned)"',
        "[1-9]{a,b}",
        "\x9b\u202e",
    ],
)
def test_url_and_header_of_a_curl_line_are_one_word_each(text: str, tmp_path: Path) -> None:
    words = words_of(
        exchange(
            f"http://127.0.0.1:9/{text}", headers=(("X-Odd", text), ("Authorization", text))
        ).curl(),
        tmp_path,
    )

    assert [words[at + 1].decode() for at, word in enumerate(words) if word == b"-H"] == [
        f"X-Odd: {text}",
        "Authorization: mine",
    ]
    assert (words[-1].decode(), b"--globoff" in words) == (f"http://127.0.0.1:9/{text}", True)


def test_block_of_markdown_holds_every_line() -> None:
    texts = ["```", "a ````` b", "\x1b[2J", "", "~~~"]

    (block,) = MarkdownIt("commonmark").parse("\n".join(escaping.code_block(texts, "sh")))

    assert block.content == "".join(f"{escaping.plain(text)}\n" for text in texts)
    assert not [c for c in block.content if unicodedata.category(c) == "Cf"]


def test_outcomes_are_those_of_the_schema() -> None:
    schema = json.loads(lines.SCHEMA.read_bytes())

    assert schema["$defs"]["OutcomeName"]["enum"] == [outcome.value for outcome in Outcome]
