"""Folders of plans and runs that a stranger packed: nothing in them is executed, and nothing
outside them is read or written.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt

from campaigns import Here, command, few_cases, ran
from faulty import mutants
from lakepact.conformance.campaign import run_verdicts, tables
from lakepact.conformance.campaign.analysis import duckdb_analysis
from lakepact.data import campaigns as landing
from lakepact.data.campaigns.cli import campaign
from lakepact.reference_server import running

UNREACHABLE = "http://127.0.0.1:9"
CASE = "--case 0123456789 --target a"
#: Every verb that is given the folder of a run.
VERBS = (
    "judge --run RUN --engine local",
    "report --run RUN --engine local",
    "run --out RUN --resume --engine local",
    f"replay --run RUN {CASE}",
    f"minimize --run RUN {CASE}",
    "land --run RUN --as delta --to LAKE",
)


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a plan and a judged run."""
    folder = tmp_path_factory.mktemp("packed")
    with (
        running(warehouse="memory:") as server,
        running(warehouse="memory:", faults=mutants(["creation-is-201"])) as faulty,
    ):
        run = ran(
            few_cases(folder / "plan"), folder / "run", Here(), f"a={server.url}", f"b={faulty.url}"
        )
    run_verdicts.judge(run, Here())
    run_verdicts.analyse(run, Here())
    return folder


@pytest.fixture
def run(pack: Path, tmp_path: Path) -> Path:
    return shutil.copytree(pack / "run", tmp_path / "run")


def verb(words: str, run: Path) -> tuple[int, str]:
    folder = {
        "RUN": str(run),
        "LAKE": str(run.parent / "lake"),
        "PLAN": str(run.parent / "plan"),
        "NEW": str(run.parent / "new"),
    }
    result = CliRunner().invoke(campaign, [folder.get(word, word) for word in words.split()])
    assert result.exception is None or isinstance(result.exception, SystemExit), (
        words,
        repr(result.exception),
    )
    return result.exit_code, result.output


def accepting_verbs(run: Path, verbs: tuple[str, ...] = VERBS[1:2]) -> list[tuple[str, int, str]]:
    """Return the verbs that do more than to end with 2 and one sentence."""
    results = [(words, *verb(words, run)) for words in verbs]
    return [
        (words, code, text)
        for words, code, text in results
        if (code, text.count("\n"), len(text) < 800) != (2, 1, True)
    ]


def test_every_verb_refuses_a_folder_with_a_link(run: Path) -> None:
    (run / "report.md").symlink_to(run.parent / "outside")

    assert accepting_verbs(run, VERBS) == []


#: What a verb would write through, if it were a link.
LINKS = [
    "report.md",
    "report.html",
    ".run.json",
    ".lock",
    "_results",
    "_campaigns",
    "_coverage",
    "_judged",
    "journal/a.jsonl",
    "x/y",
]


@pytest.mark.parametrize("name", LINKS)
def test_folders_with_links_are_refused_and_nothing_is_written_through_them(
    name: str, run: Path
) -> None:
    outside = run.parent / "outside"
    outside.mkdir()
    (outside / "file").write_text("mine", "utf-8")
    place = run / name
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(outside if name.startswith("_") else outside / "file")

    assert accepting_verbs(run) == []
    assert {path.name: path.read_text("utf-8") for path in outside.iterdir()} == {"file": "mine"}


@pytest.mark.parametrize("name", ["exchanges", "results", "cases"])
def test_links_to_tables_and_pipes_are_refused(name: str, run: Path) -> None:
    os.mkfifo(run / name / "pipe.parquet")
    assert accepting_verbs(run) == []

    (run / name / "pipe.parquet").unlink()
    shutil.move(run / name, run.parent / "moved")
    (run / name).symlink_to(run.parent / "moved")
    assert accepting_verbs(run) == []


def test_plans_with_links_are_refused(pack: Path, run: Path) -> None:
    plan = shutil.copytree(pack / "plan", run.parent / "plan")
    (plan / "cases" / "secret.parquet").symlink_to("/etc/hostname")

    assert (
        accepting_verbs(
            run, (f"run --plan PLAN --target a={UNREACHABLE} --out NEW --engine local",)
        )
        == []
    )
    assert not (run.parent / "new").exists()


def _with_value(place: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    def change(document: dict[str, Any]) -> Any:
        *parents, last = [int(step) if step.isdigit() else step for step in place.split("/")]
        holder: Any = document
        for step in parents:
            holder = holder[step]
        holder[last] = value
        return document

    return change


DOCUMENTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "array": lambda _: [],
    "text": lambda _: "x",
    "empty": lambda _: {},
    "deep": lambda _: "DEEP",
    **{f"{place} is {value!r}": _with_value(place, value) for place, value in [
        ("run_id", "../../x"), ("run_id", "x' OR '1'='1"), ("run_id", "x\n"), ("run_id", 3), ("status", None), ("starts", {}),
        ("starts/0/word", "../x"), ("starts/0/workers", "x"), ("targets", "a"), ("targets/0/name", "a'\x1b[2J"),
        ("targets/0/url", "file:///etc/passwd"), ("targets/0/url", 3), ("targets/0/headers", []), ("targets/0/contract", "../x"),
        ("targets/0/operations", {"a": 1}), ("targets/0/features", {"a": "x"}), ("targets/0/more", "x"), ("plan", []),
        ("plan/contracts", {"../x": {}}), ("plan/contracts", {"os": 3}),
    ]},
}  # fmt: skip


@pytest.mark.parametrize("name", DOCUMENTS)
def test_damaged_run_document_is_refused_in_one_sentence(name: str, run: Path) -> None:
    document = DOCUMENTS[name](json.loads((run / "run.json").read_bytes()))
    (run / "run.json").write_text(
        "[" * 100_000 if document == "DEEP" else json.dumps(document), "utf-8"
    )

    assert accepting_verbs(run) == []


def _table(**columns: list[Any]) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return bytes(sink.getvalue())


PARTS = {
    "text": b"no table",
    "empty": b"",
    "magic alone": b"PAR1PAR1",
    "other columns": _table(a=[1]),
    "other types": _table(case_id=[1]),
}
PARTS["numbers"] = _table(**{name: [1] for name in tables.RESULTS.names})


@pytest.mark.parametrize("content", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("name", ["results", "exchanges", "cases"])
def test_damaged_table_is_refused_in_one_sentence(name: str, content: bytes, run: Path) -> None:
    (run / name / "evil.parquet").write_bytes(content)
    (run / name / "folder.parquet").mkdir()
    code, text = verb("report --run RUN --engine local", run)

    assert (code in {2, 3}, text.count("\n"), "Traceback" in text) == (True, 1, False), text


ATTACK = "\x1b[2J\x9b1m\u202e\n# x\r```\n<script>alert(1)</script><img src=x onerror=y>'\"[a](javascript:b) ![c](http://d)"
ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff]"
)
TEXTS = [
    ("results", name)
    for name in ("case_id", "operation_id", "mode", "check_id", "expected", "observed", "level")
]
TEXTS += [
    ("answers", name)
    for name in ("operation_id", "status", "error_type", "header", "state", "mode")
]
TEXTS += [("exchanges", name) for name in ("url", "method", "word", "reason", "operation_id")]


def test_texts_of_tables_are_inert_in_terminal_and_pages(run: Path) -> None:
    for table, column in TEXTS:
        schema = landing.TABLES[table]
        rows = tables.read(run / table, schema).to_pylist()
        tables.write_part(
            tables.table_of([row | {column: ATTACK} for row in rows], schema),
            run.parent / "kept",
            "part-00000",
        )
        shutil.copytree(run, run.parent / "changed")
        shutil.rmtree(run.parent / "changed" / table)
        shutil.move(run.parent / "kept", run.parent / "changed" / table)
        code, text = verb("report --run RUN --engine local", run.parent / "changed")
        page, document = (
            (run.parent / "changed" / f"report.{kind}").read_text("utf-8")
            for kind in ("html", "md")
        )
        html = MarkdownIt("commonmark", {"html": True}).enable("table").render(document)
        shutil.rmtree(run.parent / "changed")

        assert (table, column, code in {0, 3}, ACTING.findall(text + page + document)) == (
            table,
            column,
            True,
            [],
        )
        assert (table, column, re.findall(r"<img|<script|href=.javascript", page + html)) == (
            table,
            column,
            [],
        )


def test_folder_whose_name_is_a_pattern_is_analysed(pack: Path, tmp_path: Path) -> None:
    run, other = tmp_path / "a[bc]*?", tmp_path / "ab12"
    shutil.copytree(pack / "run", run)
    shutil.copytree(pack / "run" / "results", other / "results")

    actual, expected = (duckdb_analysis.analyse(f) for f in (run, pack / "run"))

    assert actual == expected


def test_names_of_folders_are_no_columns(run: Path) -> None:
    before = duckdb_analysis.analyse(run)
    shutil.move(run / "results", run / "moved")
    shutil.move(run / "moved", run / "results" / "target=evil" / "verdict=fail")

    assert duckdb_analysis.analyse(run) == before


def test_landing_a_hostile_run_leaves_the_rows_of_others(run: Path) -> None:
    lake = run.parent / "lake"
    version = [
        sys.executable,
        "-c",
        f"import deltalake; print(deltalake.DeltaTable({str(lake / 'cases')!r}).version())",
    ]
    land = command(
        "land", "--run", str(run), "--as", "delta", "--to", str(lake)
    )  # in a process of its own: deltalake sets up its logging
    subprocess.run(land, check=True, capture_output=True)
    document = json.loads((run / "run.json").read_bytes())
    (run / "run.json").write_text(json.dumps(document | {"run_id": "x' OR '1'='1"}), "utf-8")

    code = subprocess.run(land, check=False, capture_output=True).returncode

    assert (code, subprocess.run(version, check=True, capture_output=True).stdout) == (2, b"0\n")


WATCHED = """
import sys
events = []
run = sys.argv[1]
def watch(event, given):
    if event in {"pickle.find_class", "marshal.loads", "socket.connect", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"}:
        events.append((event, str(given)[:200]))
    if event == "import" and given[1] and str(given[1]).startswith(run):
        events.append((event, str(given)[:200]))
    if event == "open" and given[1] and set(given[1]) & set("wax+") and not str(given[0]).startswith((run, "/tmp/lakepact-", "/dev/null")):
        events.append((event, str(given)[:200]))
from lakepact.conformance.campaign import run_verdicts
from lakepact.conformance.campaign.reporting import facts, html, markdown
from campaigns import Here
from pathlib import Path
run_verdicts.judge(Path(run), Here())  # imports what it needs
run_verdicts.analyse(Path(run), Here())
sys.addaudithook(watch)
run_verdicts.judge(Path(run), Here())
found = facts.facts(Path(run), run_verdicts.analyse(Path(run), Here()), has_base=False)
html.html(found), markdown.markdown(found)
watching = list(events)
print(watching)
"""


def test_judging_and_reporting_execute_unpickle_and_connect_nothing(run: Path) -> None:
    evil = "import pathlib; pathlib.Path('pwned').touch()"
    for name in (
        "sitecustomize.py",
        "campaigns/__init__.py",
        "results/duckdb.py",
        "duckdb.py",
        "results/x.pkl",
        "exchanges/load.sql",
    ):
        (run / name).write_text(evil, "utf-8")
    (run / "exchanges" / ".duckdbrc").write_text(f".shell {sys.executable} -c '{evil}'", "utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.run(
        [sys.executable, "-c", WATCHED, str(run)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd="/",
    )

    assert process.stdout == "[]\n"


HOSTILE_CASES = [
    ("request", '[{"operation":"@evil.test/","arguments":{},"body":null,"query":[]}]'),
    ("request", "[" * 50_000),
    ("setup", '[{"$bytes":"?"}]'),
    ("mode", "check"),
]


@pytest.mark.parametrize(("column", "value"), HOSTILE_CASES)
def test_hostile_case_ends_without_a_traceback(
    column: str, value: Any, pack: Path, run: Path
) -> None:
    plan = shutil.copytree(pack / "plan", run.parent / "plan")
    rows = tables.read(plan / "cases", tables.CASES).to_pylist()[:3]
    tables.write_part(
        tables.table_of([row | {column: value} for row in rows], tables.CASES),
        plan / "cases",
        "part-00000",
    )
    with running(warehouse="memory:") as server:
        code, text = verb(f"run --plan PLAN --target a={server.url} --out NEW --engine local", run)

    assert (code in {0, 2, 3}, "Traceback" in text) == (True, False), text
