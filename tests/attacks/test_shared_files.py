"""A server that names files of the machine of the suite gets none of them read or written."""

from __future__ import annotations

import gzip
import json
import os
import sys
import time
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from faulty import unnamed
from faulty_servers import checked, outcomes_of
from lakepact.conformance.commands.check import check
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.shared_files import SharedFiles
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.report.run_lines import lines_of
from lakepact.conformance.running import suite as suites
from lakepact.conformance.running.embedded_server import embedded
from lakepact.reference_server import running
from lakepact.reference_server.faults import Fault, on_answer

TABLES = ("createTable", "loadTable", "updateTable", "registerTable")
SECRET = "canary-0123456789"
#: Requirements whose checks look at files.
WITH_FILES = (
    *("IRC-TBL-LOAD-001", "IRC-TBL-DROP-003", "IRC-TBL-DROP-004", "IRC-TBL-DROP-013"),
    *("IRC-TBL-REG-001", "IRC-TBL-REG-011", "IRC-COM-032", "IRC-SCAN-PLAN-008"),
    *("IRC-VIEW-LOAD-001", "IRC-UPD-003"),
)
FILE_EVENTS = {"open", "os.mkdir", "os.remove", "os.listdir", "os.scandir", "os.rename"}
_watched: list[tuple[Path, list[str]]] = []


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _watched and event in FILE_EVENTS and isinstance(arguments[0], str):
        folder, opened = _watched[-1]
        if arguments[0].startswith(str(folder)):
            opened.append(f"{event} {arguments[0]}")


@pytest.fixture
def opened(tmp_path: Path) -> Generator[list[str]]:
    """Yield the files that this process opens, makes, lists or removes below a folder."""
    if not getattr(sys, "_lakepact_audit", False):
        sys.addaudithook(_audit)
        sys._lakepact_audit = True  # type: ignore[attr-defined]
    found: list[str] = []
    _watched.append((tmp_path, found))
    yield found
    _watched.clear()


def naming(file: Path, **members: Any) -> Fault:
    """Return a fault that places tables and their metadata at a location of the machine."""

    def change(document: dict[str, Any]) -> None:
        document["metadata-location"] = file.as_uri()
        document["metadata"].update(members)

    return unnamed(on_answer(TABLES, change))


@pytest.mark.parametrize("kind", ["a file", "a FIFO", "/dev/zero"])
def test_file_that_a_server_names_is_not_opened(
    kind: str, tmp_path: Path, opened: list[str]
) -> None:
    named = tmp_path / "named.json"
    if kind == "a file":
        named.write_text(json.dumps({"note": SECRET}))
    elif kind == "a FIFO":
        os.mkfifo(named)
    else:
        named = Path(kind)
    opened.clear()
    fault = naming(named, location=(tmp_path / "made").as_uri(), **{"table-uuid": None})
    with running(contract="iceberg_rest", warehouse="memory:", faults=[fault]) as server:
        run = checked(server.url, *WITH_FILES)

    assert (opened, (tmp_path / "made").exists()) == ([], False)
    assert SECRET not in json.dumps(list(lines_of(run)))
    assert outcomes_of(run)["IRC-TBL-DROP-013"] is Outcome.NOT_OFFERED


def test_files_of_a_server_stay_closed_without_consent(opened: list[str], tmp_path: Path) -> None:
    with running(contract="iceberg_rest", warehouse="memory:") as memory:
        assert outcomes_of(checked(memory.url, "IRC-TBL-DROP-013"))
    with embedded(suites.load("iceberg_rest")) as shared:
        _watched[-1] = (Path(shared.shared_files.folder or ""), opened)
        alone = {name: on for name, on in shared.features.items() if name != "readable-files"}
        target = Target(
            shared.url, headers=shared.headers, parameters=shared.parameters, features=alone
        )
        run = checked(target, *WITH_FILES)

        assert opened == []
        assert {run.results()[r].outcome for r in ("IRC-TBL-DROP-013", "IRC-COM-032")} == {
            Outcome.NOT_OFFERED
        }
        assert "--shared-files FOLDER" in run.results()["IRC-TBL-DROP-013"].verdicts[0].remark
        again = checked(replace(shared, name="shared"), "IRC-TBL-DROP-013", "IRC-COM-032")
        assert set(outcomes_of(again).values()) == {Outcome.PASS}
        assert opened


def test_command_reads_files_below_the_named_folder(tmp_path: Path) -> None:
    with running(contract="iceberg_rest", warehouse=str(tmp_path)) as server:

        def called(*options: str) -> str:
            arguments = [server.url, "--only", "IRC-TBL-DROP-013", "--verbose", *options]
            return " ".join(CliRunner().invoke(check, arguments).output.split())

        assert "--shared-files FOLDER" in called()
        assert "conformant" in called("--shared-files", str(tmp_path))
        assert "needs --shared-files FOLDER" in called("--feature", "readable-files=on")
    assert "the embedded one has its own" in CliRunner().invoke(
        check, ["--shared-files", str(tmp_path)]
    ).output.replace("\n", " ")


def test_compressed_metadata_file_is_read_within_the_limit(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.gz.metadata.json"
    bomb.write_bytes(gzip.compress(b" " * (64 * 1024 * 1024)))
    with running(
        contract="iceberg_rest", warehouse=str(tmp_path / "tables"), faults=[naming(bomb)]
    ) as server:
        target = Target(
            server.url, features={"readable-files": True}, shared_files=SharedFiles(tmp_path)
        )
        before = time.monotonic()
        run = checked(target, "IRC-TBL-LOAD-001")

    verdict = run.results()["IRC-TBL-LOAD-001"].verdicts[0]
    assert verdict.outcome is Outcome.FAIL
    assert "larger than 16 MiB" in verdict.actual
    assert time.monotonic() - before < 30
