"""The report as Markdown, for a ticket or a repository."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from lakepact.conformance.evidence.escaping import code, code_block
from lakepact.conformance.evidence.escaping import markdown as md
from lakepact.conformance.evidence.escaping import markdown_sentence as sentence
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report.blocked import grouped, reason
from lakepact.conformance.report.causes import summary
from lakepact.conformance.report.requests import cases, judged_request
from lakepact.conformance.report.text import EVIDENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


def write(report: Sequence[dict[str, Any]], path: Path) -> None:
    """Write a report as Markdown."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(_document(report)) + "\n", encoding="utf-8")


def _document(report: Sequence[dict[str, Any]]) -> Iterator[str]:
    header, footer = report[0], report[-1]
    results = [line for line in report if line["line"] == "result"]
    exchanges = {line["number"]: line for line in report if line["line"] == "exchange"}
    yield f"# {md(header['title'])} {md(header['version'])}: {md(footer['verdict'])}\n"
    yield f"{code(header['target'])}, checked {md(header['ended'])} by lakepact {md(header['lakepact'])}: "
    yield f"{len(results)} requirements, {footer['checks']} checks, {footer['requests']} requests, {footer['seconds']:.1f} s.\n"
    if "stopped" in footer:
        yield f"{'Not everything was' if results else 'Nothing could be'} checked: {code(footer['stopped'])}\n"
    if not results:
        return
    if summary(report):
        yield f"{md(summary(report))}.\n"
    yield from _areas(results)
    yield from _causes(report, exchanges)
    for outcome in EVIDENCE:
        listed = [r for r in results if r["outcome"] == outcome and "cause" not in r]
        if listed:
            yield f"\n## {outcome.value}\n"
        for group in grouped(listed):
            yield from _evidence(group[0], exchanges) if len(group) == 1 else _blocked(group, exchanges)


def _causes(report: Sequence[dict[str, Any]], exchanges: dict[int, dict[str, Any]]) -> Iterator[str]:
    """Yield a section for each cause: the evidence of its first requirement, and the others by their sentences."""
    by_id = {line["requirement"]: line for line in report if line["line"] == "result"}
    for cause in (line for line in report if line["line"] == "cause"):
        first, *others = (by_id[requirement] for requirement in cause["requirements"])
        yield f"\n## Cause {cause['number']} ({md(cause['outcome'])}): {md(cause['severity'])}\n"
        yield f"{md(cause['title'])}\n"
        yield from _evidence(first, exchanges)
        if others:
            yield "\nAlso broken:\n"
        yield from (f"- {md(r['requirement'])} ({md(r['level'])}): {sentence(r['sentence'])}" for r in others)


def _blocked(results: Sequence[dict[str, Any]], exchanges: dict[int, dict[str, Any]]) -> Iterator[str]:
    """Yield requirements that one reason blocks: the reason, the request that shows it, and their sentences."""
    verdict = next(v for v in results[0]["verdicts"] if v["outcome"] == Outcome.BLOCKED)
    yield f"### {len(results)} requirements\n"
    yield f"- reason: {code(reason(results[0]))}"
    request = judged_request(verdict, exchanges)
    if request:
        yield f"- request: {code(request)}"
    yield ""
    yield from (f"- {md(r['requirement'])} ({md(r['level'])}): {sentence(r['sentence'])}" for r in results)


def _areas(results: Sequence[dict[str, Any]]) -> Iterator[str]:
    shown = [o for o in Outcome if o in {r["outcome"] for r in results}]
    yield "| area | " + " | ".join(o.value for o in shown) + " |"
    yield "|---|" + "---:|" * len(shown)
    areas: dict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        areas[result["area"]][result["outcome"]] += 1
    for area, seen in areas.items():
        yield f"| {md(area)} | " + " | ".join(str(seen[o]) for o in shown) + " |"


def _evidence(result: dict[str, Any], exchanges: dict[int, dict[str, Any]]) -> Iterator[str]:
    verdict = next(v for v in result["verdicts"] if v["outcome"] == result["outcome"])
    yield f"### {md(result['requirement'])} ({md(result['level'])})\n"
    yield f"{sentence(result['sentence'])}\n"
    request = judged_request(verdict, exchanges)
    if request:
        yield f"- request: {code(request)}"
    shown = ("expected", "actual") if verdict.get("actual", "").startswith(verdict.get("remark", "")) else ("expected", "actual", "remark")
    yield from (f"- {label}: {code(verdict[label])}" for label in shown if label in verdict)
    if cases(verdict):
        yield f"- cases: {md(cases(verdict))}"
    yield f"- clause: {code(result['clause'])}"
    if result["interpretation"]:
        yield f"- interpretation: {md(result['interpretation'])}"
    yield from (f"- correction {md(e['id'])} ({md(e['effect'])}): {sentence(e['sentence'])}" for e in result["corrections"])
    curls = [exchanges[n]["curl"] for n in verdict.get("exchanges", ()) if n in exchanges]
    if curls:
        yield from ("", *code_block(curls, "sh"), "")
