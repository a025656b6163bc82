"""The report: one JSON object per line, `header` first, `footer` last; a report without footer is
rejected.

| line       | says                                                                                              |
|------------|---------------------------------------------------------------------------------------------------|
| `header`   | report version, contract, target without secrets, what it declares, filters, start                |
| `result`   | one requirement: outcome, level, sentence, clause, and every judgement that led to it             |
| `cause`    | one cause of failures: severity, title and the requirements that it breaks                        |
| `client`   | a client that performed everyday tasks on the target: its outcome, and each task that did not work    |
| `exchange` | one request and its answer, redacted, for every judgement that is not a pass                      |
| `footer`   | counts by outcome, causes by severity, verdict, exit code, seconds, what could not be removed, why it ended early     |
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import orjson
from jsonschema_rs import Draft202012Validator

from lakepact.conformance.evidence.escaping import json
from lakepact.conformance.evidence.limits import MIB

if TYPE_CHECKING:
    from lakepact.generated.report import (
        Line,
    )

REPORT_VERSION: Final = 1
SCHEMA = resources.files("lakepact.conformance.report").joinpath(
    "report.schema.json"
)  #: of each line
LARGEST_REPORT, LARGEST_LINE = 256 * MIB, 16 * MIB
FOREIGN = "JSON, but not of `lakepact check --report jsonl=FILE`"
SHOWN = 300  #: characters of what is wrong with a line
GZIP = b"\x1f\x8b"  #: the first bytes of a gzip file


class UnreadableReport(ValueError):
    """A file that is not a complete report."""


def as_bytes(line: Line) -> bytes:
    """Return a line as it is written to a file."""
    return json(line).encode() + b"\n"


def write(report: Iterable[Line], path: Path) -> None:
    """Write report lines to a file."""
    with path.open("wb") as file:
        file.writelines(as_bytes(line) for line in report)


def read(path: Path) -> list[Line]:
    """Read report lines from a file, which may be compressed with gzip.

    Raises:
        UnreadableReport: the file is damaged or too large, a line is not as the schema says, or
            what a line names is missing.
    """
    report = [
        _line(line, f"{path}:{number}")
        for number, line in enumerate(_content(path).splitlines(), start=1)
    ]
    if not report or report[0]["line"] != "header" or report[-1]["line"] != "footer":
        raise UnreadableReport(
            f"{path}: header or footer is missing: the run that wrote it did not finish"
        )
    outcomes = {line["requirement"]: line["outcome"] for line in report if line["line"] == "result"}
    for number, line in enumerate(report, start=1):
        if line["line"] == "result" and line["outcome"] not in {
            verdict["outcome"] for verdict in line["verdicts"]
        }:
            raise UnreadableReport(f"{path}:{number}: no verdict has the outcome {line['outcome']}")
        if line["line"] == "cause" and not outcomes.keys() >= set(line["requirements"]):
            raise UnreadableReport(
                f"{path}:{number}: the report has no result of a requirement of the cause"
            )
    return report


def _line(content: bytes, where: str) -> Line:
    """Return a line that is as the schema says.

    Raises:
        UnreadableReport: it is not.
    """
    if len(content) > LARGEST_LINE:
        raise UnreadableReport(
            f"{where}: a line of {len(content)} bytes; lakepact reads lines of at most"
            f" {LARGEST_LINE}"
        )
    try:
        line: Any = orjson.loads(content)
        orjson.dumps(line)
    except orjson.JSONDecodeError as wrong:
        raise UnreadableReport(f"{where}: not JSON: {wrong}") from wrong
    except orjson.JSONEncodeError as wrong:
        raise UnreadableReport(f"{where}: nested too deeply") from wrong
    if not isinstance(line, dict) or not isinstance(line.get("line"), str):
        raise UnreadableReport(f"{where}: {FOREIGN}: no object with a text `line`")
    if (
        line["line"] == "header"
        and isinstance(number := line.get("report"), int)
        and number != REPORT_VERSION
    ):
        raise UnreadableReport(
            f"{where}: report version {number}, this lakepact reads {REPORT_VERSION}"
        )
    schema = _schemas().get(line["line"])  # a later release may write further lines
    flaw = next(schema.iter_errors(line), None) if schema else None
    if flaw is not None:
        place = "/".join(map(str, flaw.instance_path)) or line["line"]
        raise UnreadableReport(f"{where}: {FOREIGN}: {place[:SHOWN]}: {flaw.message[:SHOWN]}")
    return cast("Line", line)


@cache
def _schemas() -> dict[str, Draft202012Validator]:
    """Return the schemas of the lines by their kinds; members of later releases are allowed."""
    schema = orjson.loads(
        SCHEMA.read_text("utf-8").replace(
            '"additionalProperties": false', '"additionalProperties": true'
        )
    )
    names = [kind["$ref"].rpartition("/")[2] for kind in schema["oneOf"]]
    return {
        schema["$defs"][name]["properties"]["line"]["const"]: Draft202012Validator(
            {"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]}
        )
        for name in names
    }


def _content(path: Path) -> bytes:
    """Return the content of a file, decompressed if it is a gzip file.

    Raises:
        UnreadableReport: the compressed content is damaged, or there is too much.
    """
    try:
        with path.open("rb") as file:
            is_packed = file.read(len(GZIP)) == GZIP
            file.seek(0)
            content = (gzip.GzipFile(fileobj=file) if is_packed else file).read(LARGEST_REPORT + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as wrong:
        raise UnreadableReport(f"{path}: damaged gzip file: {wrong}") from wrong
    if len(content) > LARGEST_REPORT:
        raise UnreadableReport(
            f"{path}: lakepact reads reports of at most {LARGEST_REPORT // MIB} MiB"
        )
    return content
