"""The texts that every format shows of a result: the verdict that decided it, its request, its cases, and the settings of the run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

STATUS = re.compile(r"status (\d{3})")
SHOWN_ANSWER = 300  #: characters of an answer


def exchanges_of(report: Iterable[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """Return the exchanges of a report by number."""
    return {line["number"]: line for line in report if line["line"] == "exchange"}


def deciding(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the verdict that decided the outcome of a result."""
    verdict: Mapping[str, Any] = next(
        v for v in result["verdicts"] if v["outcome"] == result["outcome"]
    )
    return verdict


def of_cause(report: Iterable[Mapping[str, Any]], cause: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the results of a cause, each with the case that has this cause as its deciding verdict."""
    results = {line["requirement"]: line for line in report if line["line"] == "result"}
    cases = {item["requirement"]: item for item in cause.get("evidence", ())}
    return [_with_case(results[name], cases.get(name, {})) for name in cause["requirements"]]


def _with_case(result: Mapping[str, Any], case: Mapping[str, Any]) -> dict[str, Any]:
    if "exchanges" not in case:  # of an earlier release
        return dict(result)
    failing = [v for v in result["verdicts"] if v["outcome"] == result["outcome"]]
    verdict = next((v for v in failing if v["check"] == case.get("check")), failing[0])
    others = [v for v in result["verdicts"] if v is not verdict]
    replay = {"why": "the report has only its last requests"}
    shown = {"expected": "", "actual": "", "exchanges": [], "replay": replay, **case}
    return {**result, "verdicts": [{**verdict, **shown}, *others]}


def terms(result: Mapping[str, Any], exchanges: Mapping[int, Mapping[str, Any]]) -> dict[str, str]:
    """Return what was expected and what happened, by labels; a remark that the actual result repeats is left out."""
    verdict = deciding(result)
    shown = {
        "request": judged_request(verdict, exchanges),
        "expected": verdict.get("expected", ""),
        "actual": verdict.get("actual", ""),
        "answer": _answer(verdict, exchanges),
        "cases": cases(verdict),
        "remark": verdict.get("remark", ""),
    }
    repeated = {"remark"} if shown["actual"].startswith(shown["remark"]) else set[str]()
    return {name: text for name, text in shown.items() if text and name not in repeated}


def curls(verdict: Mapping[str, Any], exchanges: Mapping[int, Mapping[str, Any]]) -> list[str]:
    """Return the curl lines of the requests that lead to a verdict."""
    return [
        exchanges[number]["curl"] for number in verdict.get("exchanges", ()) if number in exchanges
    ]


def judged_request(verdict: Mapping[str, Any], exchanges: Mapping[int, Mapping[str, Any]]) -> str:
    """Return operation, method, path and status of the judged request: the last exchange of a verdict; empty if nothing was sent.

    Args:
        verdict: a verdict of a result line.
        exchanges: the exchange lines of the report, by number.
    """
    judged = _judged(verdict, exchanges)
    if judged is None:
        return ""
    url = urlsplit(judged["request"]["url"])
    path = f"{url.path or '/'}{'?' + url.query if url.query else ''}"
    status = judged["response"]["status"]
    operation = f"{judged['operation']}: " if judged["operation"] else ""
    return f"{operation}{judged['request']['method']} {path} {f'returned {status}' if status else 'got no answer'}"


def evidence_line(result: Mapping[str, Any], exchanges: Mapping[int, Mapping[str, Any]]) -> str:
    """Return in one line what shows that a requirement is broken: expected and actual result, and the exchange."""
    verdict = deciding(result)
    judged, request = _judged(verdict, exchanges), judged_request(verdict, exchanges)
    shown = f" (exchange {judged['number']}, {request})" if judged is not None else ""
    return f"expected {verdict.get('expected', '')}, got {verdict.get('actual', '')}{shown}"


def _judged(
    verdict: Mapping[str, Any], exchanges: Mapping[int, Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    return next(
        (exchanges[n] for n in reversed(verdict.get("exchanges", ())) if n in exchanges), None
    )


def _answer(verdict: Mapping[str, Any], exchanges: Mapping[int, Mapping[str, Any]]) -> str:
    """Return the beginning of the judged answer, unless the actual result shows it."""
    judged = _judged(verdict, exchanges)
    if judged is None or STATUS.search(verdict.get("actual", "")):
        return ""
    status, body = judged["response"]["status"], judged["response"].get("body", "")
    return f"status {status}  {body[:SHOWN_ANSWER]}" if body else ""


def offered(header: Mapping[str, Any]) -> str:
    """Return how the operations of a target are known: `declared`, or `served` where it declares none."""
    return "declared" if header["facts"].get("endpoints") == "declared" else "served"


def settings(header: Mapping[str, Any]) -> dict[str, str]:
    """Return the warehouse and the profile of a run, as far as it has them."""
    found = {
        "warehouse": header.get("parameters", {}).get("warehouse", ""),
        "profile": header.get("profile", ""),
    }
    return {name: value for name, value in found.items() if value}


def cases(verdict: Mapping[str, Any]) -> str:
    """Return how many cases of a verdict fail, and with which statuses; empty for a single case."""
    failures, judged = verdict.get("failures", ()), verdict.get("judged", 1)
    if judged == 1 or not failures:
        return ""
    statuses = Counter(
        found[1] if (found := STATUS.match(failure["actual"])) else "" for failure in failures
    )
    shown = ", ".join(
        f"{status} for {number}" for status, number in statuses.most_common() if status
    )
    failed = verdict.get("failed", len(failures))
    listed = f" of the {len(failures)} listed" if shown and failed > len(failures) else ""
    return f"{failed:,} of {judged:,} fail" + (f": status {shown}{listed}" if shown else "")
