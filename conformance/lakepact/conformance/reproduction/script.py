"""The script that repeats one finding of a report."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

from lakepact.conformance.evidence.links import Templates, of_request, places_in
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.redaction import REDACTED
from lakepact.conformance.evidence.shared_files import READABLE_FILES
from lakepact.extras import install
from lakepact.generated.contract import Contract, OperationId, contracts

if TYPE_CHECKING:
    from lakepact.generated.report import HeaderLine, Line, ReplayPart, ResultLine, VerdictPart

BROKEN = (Outcome.FAIL, Outcome.WARN, Outcome.KNOWN_FAIL, Outcome.UNEXPECTED_PASS)
BASE = "/v1"
FUTURE = "from __future__ import annotations\n"
NO_FAILURE = "no requirement fails in it"
WIDTH = 132  #: characters of a line of a script


class NotReproducible(LookupError):
    """A report has no failing verdict about a requirement."""


def script(
    report: Sequence[Line],
    requirement: str,
    *,
    check: str | None = None,
    url: str | None = None,
) -> str:
    """Return a Python script that repeats the clearest failing verdict of a requirement on a fresh
    server.

    Args:
        report: the lines of a report.
        requirement: its id.
        check: the check whose verdict is repeated; by default the clearest one's.
        url: the address that the script uses by default; else that of the report.

    Raises:
        NotReproducible: the report has no such verdict.
    """
    header = _header(report)
    if header["side"] != "server":
        options = f"--contract {header['contract']} --only {requirement}"
        raise NotReproducible(
            "the report is about a client, which only its program repeats: run "
            f"`lakepact check-client {options} -- COMMAND`, or --hold {requirement} for a debugger"
        )
    result, verdict = _verdict(report, requirement, check)
    if header["contract"] not in contracts():
        raise NotReproducible(f"this lakepact does not know the contract {header['contract']}")
    recipe = _recipe(report, verdict)
    case: dict[str, Any] = {
        "requirement": requirement,
        "sentence": result["sentence"],
        "clause": f"{header['contract']} {header['version']} {result['clause']}",
        "expected": recipe.get("expected", verdict.get("expected", "")),
        "target": url or header.get("url") or header["target"],
        "warehouse": header.get("parameters", {}).get("warehouse", ""),
        "prefix": header["facts"].get("prefix", ""),
        "given_prefix": header.get("parameters", {}).get("prefix", ""),
        "has_prefix": False,
        "secrets": {name.lower(): variable(name) for name in header.get("own_headers", ())},
        "options": _options(header),
        "why": recipe.get("why", ""),
        "install": install("conformance", elsewhere=True),
    }
    if "exchanges" in recipe:
        case |= _steps(report, recipe, verdict["check"], case["prefix"])
        case |= {"at": recipe["at"], "every_answer": recipe["every_answer"]}
        names = {
            name.lower()
            for step in case["steps"]
            for name, value in step["headers"]
            if value == REDACTED
        }
        case["secrets"] = {name: var for name, var in case["secrets"].items() if name in names}
    return _text(case, header, verdict)


def _header(report: Sequence[Line]) -> HeaderLine:
    return next(line for line in report if line["line"] == "header")


def finding_lines(report: Sequence[Line]) -> Iterator[str]:
    """Yield a line for each finding that has a script: its requirement, and what the script
    needs.
    """
    for result in report:
        if result["line"] == "result" and any(
            verdict["outcome"] in BROKEN for verdict in result["verdicts"]
        ):
            _, verdict = _verdict(report, result["requirement"], None)
            why = _recipe(report, verdict).get("why", "")
            yield (
                f"{result['requirement']}  needs {f'lakepact: {why}' if why else 'Python alone'}\n"
            )


def _recipe(report: Sequence[Line], verdict: VerdictPart) -> ReplayPart:
    """Return how to repeat a verdict, or `why` its requests do not suffice."""
    recipe = verdict.get("replay", {})
    numbers = {
        line["number"]
        for line in report
        if line["line"] == "exchange" and {"sent_at", "needed"} <= line.keys()
    }
    return (
        recipe
        if recipe and numbers.issuperset(recipe.get("exchanges", ()))
        else {"why": "the report does not hold its requests"}
    )


def variable(header: str) -> str:
    """Return the environment variable that holds the value of a secret header; no other secret has
    such a name.
    """
    name = re.sub(r"\W", "_", header).upper()
    return name if name == "AUTHORIZATION" else f"LAKEPACT_{name}"


def _verdict(
    report: Sequence[Line], requirement: str, check: str | None
) -> tuple[ResultLine, VerdictPart]:
    result = next(
        (
            line
            for line in report
            if line["line"] == "result" and line["requirement"] == requirement
        ),
        None,
    )
    if result is None:
        raise NotReproducible(f"the report has no requirement {requirement}")
    failing = [
        verdict
        for verdict in result["verdicts"]
        if verdict["outcome"] in BROKEN and check in (None, verdict["check"])
    ]
    if not failing:
        by = f" by {check}" if check else ""
        raise NotReproducible(
            f"{requirement}{by}: {result['outcome']}; only a finding that breaks it can be repeated"
        )
    return result, min(failing, key=_obscurity)


def _obscurity(verdict: VerdictPart) -> tuple[int, bool, bool, int]:
    """Return the rank of a verdict: the clearest is the worst, repeated by its requests alone, not
    random, and by the fewest.
    """
    replay = verdict.get("replay", {"why": ""})
    is_random = (
        "." not in verdict["check"]
    )  # stateful tests and fuzzing: another server may refuse their requests
    return (
        Outcome(verdict["outcome"]).weight,
        "why" in replay,
        is_random,
        len(replay.get("exchanges", ())),
    )


def _options(header: HeaderLine) -> list[str]:
    """Return the options with which `lakepact check` judges the target as in the report."""
    options = ["--contract", header["contract"], "--contract-version", header["version"]]
    options += [
        f"--parameter={name}={value}"
        for name, value in header.get("parameters", {}).items()
        if name != "warehouse"
    ]
    options += [
        f"--feature={name}={'on' if on else 'off'}"
        for name, on in header.get("set_features", {}).items()
        if name != READABLE_FILES  # the script has an option for the folder
    ]
    return [*options, *header.get("options", [])]


def _steps(report: Sequence[Line], recipe: ReplayPart, check: str, prefix: str) -> dict[str, Any]:
    """Return the requests of a script, with names for what a fresh server returns differently."""
    lines = {line["number"]: line for line in report if line["line"] == "exchange"}
    last = recipe["exchanges"][-1]
    of_check = lines[last]["check"] if last in lines else check
    own = [
        line
        for number, line in sorted(lines.items())
        if line["check"] == of_check and number <= last
    ]
    header = _header(report)
    contract = Contract(header["contract"], header["version"])
    base = header.get("url", header["target"]).rstrip("/")
    lines_to_send = [line for line in own if line["number"] in recipe["exchanges"]]
    templates = Templates(lines_to_send, int(lines_to_send[0]["sent_at"]))
    texts = [of_request(templates, line) for line in lines_to_send]
    schema = templates.text(recipe["schema"], "json", last)
    steps: list[dict[str, Any]] = []
    for line, (url, headers, body) in zip(lines_to_send, texts, strict=True):
        operation = contract.operations.get(OperationId(line["operation"] or ""))
        path = url.removeprefix(base)
        steps.append(
            {
                "method": line["request"]["method"],
                "path": _with_prefix(
                    path, prefix, own="{prefix}" in (operation.path if operation else "")
                ),
                "headers": headers,
                "body": line["request"].get("bytes") or body,
                "status": line["response"]["status"],
                "needed": line["needed"],
                "keep": places_in(templates.used, line["number"]),
            }
        )
    has_prefix = any("<<prefix>>" in step["path"] for step in steps)
    return {"began": templates.began, "schema": schema, "steps": steps, "has_prefix": has_prefix}


def _with_prefix(path: str, prefix: str, *, own: bool) -> str:
    """Return a path with a name for the prefix of the catalog."""
    if prefix and path.startswith(f"{BASE}/{prefix}/"):
        return f"{BASE}<<prefix>>{path.removeprefix(f'{BASE}/{prefix}')}"
    return (
        f"{BASE}<<prefix>>{path.removeprefix(BASE)}"
        if own and not prefix and path.startswith(f"{BASE}/")
        else path
    )


def _text(case: Mapping[str, Any], header: HeaderLine, verdict: VerdictPart) -> str:
    source = (
        resources.files("lakepact.conformance.evidence").joinpath("replaying.py").read_text("utf-8")
    )
    _, _, body = source.partition(FUTURE)
    needs = "a fresh server; Python 3.9 or later, nothing else to install"
    if case["why"]:
        needs = f"a fresh server; it runs the command lakepact: {case['install']}"
    about = [
        *(
            [
                (
                    "THIS SCRIPT NEEDS LAKEPACT: its requests alone do not repeat the finding"
                    f" ({case['why']})."
                )
            ]
            if case["why"]
            else []
        ),
        f"{case['requirement']}: {case['sentence']}",
        f"Clause: {case['clause']}",
        f"Found on {header['target']} on {header['ended'][:10]} by the check {verdict['check']}.",
        f"Expected: {verdict.get('expected', '')}",
        f"Actual: {verdict.get('actual', '')}",
        f"Usage: python3 THIS_FILE [URL] [--warehouse NAME] [--shared-files FOLDER]   ({needs})",
        (
            f"The requests need secrets: set {', '.join(case['secrets'].values())}."
            if case["secrets"]
            else "For a server that wants a token, set AUTHORIZATION to the value of that header."
        ),
        "Exit code: 0 the fault is gone, 1 it is present, 2 wrong usage, 3 it cannot be judged.",
    ]
    comments = "\n".join(f"# {' '.join(_plain(line).split())}" for line in about)
    parts = (
        f"#!/usr/bin/env python3\n{comments}\n",
        FUTURE + body,
        f"CASE = {_literal(case, '')}\n",
        "sys.exit(main(CASE))\n",
    )
    return "\n".join(parts)


def _plain(text: str) -> str:
    """Return a text in ASCII, without control characters."""
    return ascii(text)[1:-1].replace("\\'", "'")


def _literal(value: Any, indent: str) -> str:
    """Return a JSON value as a Python literal in ASCII, one member a line where it is long."""
    short = ascii(value)
    if len(short) + len(indent) <= WIDTH or not isinstance(value, (dict, list)):
        return short
    deeper = indent + "    "
    if isinstance(value, dict):
        return (
            "{\n"
            + "".join(
                f"{deeper}{name!a}: {_literal(inside, deeper)},\n" for name, inside in value.items()
            )
            + indent
            + "}"
        )
    return (
        "[\n" + "".join(f"{deeper}{_literal(inside, deeper)},\n" for inside in value) + indent + "]"
    )
