"""The report as JUnit XML: a test suite per area, a test case per requirement."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from lakepact.conformance.evidence.escaping import xml
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.badge import scope
from lakepact.conformance.report.requests import deciding, evidence_line, exchanges_of

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The JUnit element of each outcome; others count as passed.
ELEMENTS = {
    Outcome.ERROR: "error",
    Outcome.BLOCKED: "error",
    Outcome.FAIL: "failure",
    Outcome.UNEXPECTED_PASS: "failure",
    Outcome.KNOWN_FAIL: "skipped",
    Outcome.NOT_OFFERED: "skipped",
}


def junit(report: Sequence[dict[str, Any]]) -> str:
    """Return a report as JUnit XML."""
    header, footer = report[0], report[-1]
    exchanges, areas = exchanges_of(report), defaultdict[str, list[dict[str, Any]]](list)
    for line in report:
        if line["line"] == "result":
            areas[line["area"]].append(line)
    part = f", {scope(header)}" if header["only"] else ""
    root = ET.Element(
        "testsuites",
        name=xml(f"{header['contract']} {header['version']}{part}"),
        time=str(footer["seconds"]),
    )
    if "stopped" in footer:
        suite = ET.SubElement(
            root, "testsuite", name="run", tests="1", failures="0", errors="1", skipped="0"
        )
        case = ET.SubElement(
            suite,
            "testcase",
            classname=f"{header['contract']}.run",
            name="the target can be checked",
        )
        ET.SubElement(case, "error", message=xml(footer["stopped"]))
    for area, results in areas.items():
        kinds = [ELEMENTS.get(Outcome(r["outcome"])) for r in results]
        suite = ET.SubElement(
            root,
            "testsuite",
            name=xml(area),
            tests=str(len(results)),
            failures=str(kinds.count("failure")),
            errors=str(kinds.count("error")),
            skipped=str(kinds.count("skipped")),
        )
        for result, kind in zip(results, kinds, strict=True):
            case = ET.SubElement(
                suite,
                "testcase",
                classname=xml(f"{header['contract']}.{area}"),
                name=xml(f"{result['requirement']} {result['sentence']}"),
            )
            cause = f"cause {result['cause']}: " if "cause" in result else ""
            evidence = f"{cause}{evidence_line(result, exchanges)}"
            if kind is not None:
                verdict = deciding(result)
                message = evidence if kind == "failure" else verdict.get("remark", "")
                ET.SubElement(case, kind, message=xml(message)).text = xml(
                    verdict.get("actual", "")
                )
            elif result["outcome"] == Outcome.WARN:
                ET.SubElement(case, "system-out").text = xml(evidence)
    ET.indent(root)
    written: bytes = ET.tostring(root, "utf-8", xml_declaration=True)
    return written.decode()
