"""The report as JUnit XML: a test suite per area, a test case per requirement."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from lakepact.conformance.evidence.escaping import xml
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.outline import Entry, Outline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.generated.report import Line

#: The JUnit element of each outcome; others count as passed.
ELEMENTS = {
    Outcome.ERROR: "error",
    Outcome.BLOCKED: "error",
    Outcome.FAIL: "failure",
    Outcome.UNEXPECTED_PASS: "failure",
    Outcome.KNOWN_FAIL: "skipped",
    Outcome.NOT_OFFERED: "skipped",
}


def junit(report: Sequence[Line]) -> str:
    """Return a report as JUnit XML."""
    outline, areas = Outline.of(report), defaultdict[str, list[Entry]](list)
    header, footer = outline.header, outline.footer
    for entry in outline.entries:
        areas[entry.result["area"]].append(entry)
    name = f"{header['contract']} {header['version']}"
    name += f", {outline.scope}" if outline.scope else ""
    root = ET.Element("testsuites", name=xml(name), time=str(footer["seconds"]))
    if "stopped" in footer:
        suite = _suite(root, "run", ["error"])
        case = _case(suite, f"{header['contract']}.run", "the target can be checked")
        ET.SubElement(case, "error", message=xml(next(outline.notices)))
    for area, entries in areas.items():
        kinds = [ELEMENTS.get(entry.outcome) for entry in entries]
        suite = _suite(root, area, kinds)
        for entry, kind in zip(entries, kinds, strict=True):
            result, verdict = entry.result, entry.verdict
            case = _case(
                suite,
                f"{header['contract']}.{area}",
                f"{result['requirement']} {result['sentence']}",
            )
            cause = f"cause {result['cause']}: " if "cause" in result else ""
            if kind is not None:
                is_failure = kind == "failure"
                message = f"{cause}{entry.line}" if is_failure else verdict.get("remark", "")
                element = ET.SubElement(case, kind, message=xml(message))
                element.text = xml(verdict.get("actual", ""))
            elif entry.outcome is Outcome.WARN:
                ET.SubElement(case, "system-out").text = xml(f"{cause}{entry.line}")
    ET.indent(root)
    document: bytes = ET.tostring(root, "utf-8", xml_declaration=True)
    return document.decode()


def _suite(root: ET.Element, name: str, kinds: Sequence[str | None]) -> ET.Element:
    return ET.SubElement(
        root,
        "testsuite",
        name=xml(name),
        tests=str(len(kinds)),
        failures=str(kinds.count("failure")),
        errors=str(kinds.count("error")),
        skipped=str(kinds.count("skipped")),
    )


def _case(suite: ET.Element, classname: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=xml(classname), name=xml(name))
