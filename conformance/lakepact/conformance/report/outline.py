"""The content of a report in the order of every format: causes with evidence, blocked requirements,
areas, verdict.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lakepact.conformance.evidence.outcome import ENDED_EARLY, Outcome
from lakepact.conformance.report.causes import Severity, plural
from lakepact.conformance.report.looks import by_area

if TYPE_CHECKING:
    from lakepact.generated.report import (
        CauseLine,
        ClientLine,
        ExchangeLine,
        FooterLine,
        HeaderLine,
        Line,
        ReplayPart,
        ResultLine,
        VerdictPart,
    )

#: Outcomes of requirements that are shown with evidence, the worst first.
EVIDENCE = (Outcome.ERROR, Outcome.FAIL, Outcome.UNEXPECTED_PASS, Outcome.BLOCKED, Outcome.WARN)
PROSE = frozenset({"interpretation", "correction"})  #: terms that are sentences
#: The requirement of the step that failed.
STEP = re.compile(r"(?:blocked by |a set-up step failed \()([A-Z][\w-]+)")
STATUS = re.compile(r"status (\d{3})")
SHOWN_ANSWER = 300  #: characters of an answer
QUICK = "--quick"  #: among the patterns of `--only` in a report
VARIABLE = "In the curl lines, $AUTHORIZATION replaces the value of the Authorization header."
SHOWN_PATTERNS = 2  #: of `--only`


@dataclass(frozen=True)
class Entry:
    """One requirement, with the verdict that shows its outcome.

    Args:
        result: its line.
        verdict: the verdict.
        requests: those that lead to it, as far as the report has them; the last one shows it.
    """

    result: ResultLine
    verdict: VerdictPart
    requests: Sequence[ExchangeLine]

    @property
    def outcome(self) -> Outcome:
        """The outcome of the requirement."""
        return Outcome(self.result["outcome"])

    @property
    def request(self) -> str:
        """Operation, method, path and status of the judged request; empty if nothing was sent."""
        if not self.requests:
            return ""
        last = self.requests[-1]
        url = urlsplit(last["request"]["url"])
        path = f"{url.path or '/'}{'?' + url.query if url.query else ''}"
        status = last["response"]["status"]
        operation = f"{last['operation']}: " if last["operation"] else ""
        answer = f"returned {status}" if status else "got no answer"
        return f"{operation}{last['request']['method']} {path} {answer}"

    @property
    def line(self) -> str:
        """Expected and actual result, and the judged request, in one line."""
        expected, actual = self.verdict.get("expected", ""), self.verdict.get("actual", "")
        request = (
            f" (exchange {self.requests[-1]['number']}, {self.request})" if self.request else ""
        )
        return f"expected {expected}, got {actual}{request}"

    @property
    def terms(self) -> Sequence[tuple[str, str]]:
        """Expected and actual result, request, clause, corrections and check, by labels."""
        actual, remark = self.verdict.get("actual", ""), self.verdict.get("remark", "")
        again = sum(v["outcome"] == self.result["outcome"] for v in self.result["verdicts"]) - 1
        return [
            (label, text)
            for label, text in (
                ("request", self.request),
                ("expected", self.verdict.get("expected", "")),
                ("actual", actual),
                ("answer", self._answer),
                ("cases", cases(self.verdict)),
                ("remark", "" if actual.startswith(remark) else remark),
                ("clause", self.result["clause"]),
                ("interpretation", self.result["interpretation"]),
                *(
                    (
                        "correction",
                        f"{correction['id']} ({correction['effect']}): {correction['sentence']}",
                    )
                    for correction in self.result["corrections"]
                ),
                ("check", self.verdict["check"] + (f", and {again} more" if again else "")),
            )
            if text
        ]

    def curls(self, most: int) -> list[str]:
        """Return the last commands that repeat the requests, below a line about those left out."""
        left_out = len(self.requests) - most
        before = [f"# {left_out} earlier requests are in the JSON lines"] if left_out > 0 else []
        return [*before, *(exchange["curl"] for exchange in self.requests[-most:])]

    @property
    def _answer(self) -> str:
        """The beginning of the judged answer, unless the actual result shows it."""
        response = self.requests[-1]["response"] if self.requests else None
        if response is None or STATUS.search(self.verdict.get("actual", "")):
            return ""
        body = response["body"][:SHOWN_ANSWER]
        return f"status {response['status']}  {body}" if body else ""

    @property
    def reason(self) -> str:
        """Why the requirement is blocked."""
        return self.verdict.get("actual") or self.step

    @property
    def step(self) -> str:
        """The requirement whose step blocks this one, or else the reason."""
        why = self.verdict.get("remark", "").removeprefix(ENDED_EARLY)
        step = STEP.match(why)
        return step[1] if step else why


@dataclass(frozen=True)
class Group:
    """The requirements that one cause breaks, or that one reason blocks; otherwise a single one.

    Args:
        entries: the requirements; the first explains the others.
        title: the title of the cause, or the reason; empty for a single requirement.
        cause: its line.
    """

    entries: Sequence[Entry]
    title: str = ""
    cause: CauseLine | None = None

    @property
    def outcome(self) -> Outcome:
        """The outcome of the cause, or of the requirements."""
        return Outcome(self.cause["outcome"]) if self.cause else self.entries[0].outcome


@dataclass(frozen=True)
class Outline:
    """The lines of a report by their kinds, and what they say together."""

    header: HeaderLine
    results: Sequence[ResultLine]
    causes: Sequence[CauseLine]
    exchanges: Mapping[int, ExchangeLine]
    footer: FooterLine
    clients: Sequence[ClientLine] = ()

    @classmethod
    def of(cls, report: Iterable[Line]) -> Outline:
        """Return the outline of the lines of a report."""
        lines = list(report)
        return cls(
            next(line for line in lines if line["line"] == "header"),
            [line for line in lines if line["line"] == "result"],
            [line for line in lines if line["line"] == "cause"],
            {line["number"]: line for line in lines if line["line"] == "exchange"},
            next(line for line in lines if line["line"] == "footer"),
            [line for line in lines if line["line"] == "client"],
        )

    @cached_property
    def entries(self) -> Sequence[Entry]:
        """The requirements, each with the verdict that decided its outcome."""
        return [
            self._entry(line, next(v for v in line["verdicts"] if v["outcome"] == line["outcome"]))
            for line in self.results
        ]

    @cached_property
    def groups(self) -> Sequence[Group]:
        """The causes, the gravest first; then requirements without one, the worst outcome first."""
        lone = [entry for entry in self.entries if "cause" not in entry.result]
        return [
            *(self.of_cause(cause) for cause in self.causes),
            *by_reason(entry for o in EVIDENCE for entry in lone if entry.outcome is o),
        ]

    def of_cause(self, cause: CauseLine) -> Group:
        """Return a cause with the requirements that it breaks, each with the case that has it."""
        results = {line["requirement"]: line for line in self.results}
        cases = {case["requirement"]: case for case in cause.get("evidence", ())}
        entries = []
        for name in cause["requirements"]:
            result, case = results[name], cases.get(name)
            failing = [v for v in result["verdicts"] if v["outcome"] == result["outcome"]]
            if case is None or "exchanges" not in case:  # of an earlier release
                entries.append(self._entry(result, failing[0]))
                continue
            verdict = next((v for v in failing if v["check"] == case.get("check")), failing[0])
            replay: ReplayPart = {"why": "the report has only its last requests"}
            judgement: VerdictPart = {
                **verdict,
                "check": case.get("check", verdict["check"]),
                "expected": case["expected"],
                "actual": case["actual"],
                "exchanges": case["exchanges"],
                "replay": case.get("replay", replay),
            }
            others = [each for each in result["verdicts"] if each is not verdict]
            entries.append(self._entry({**result, "verdicts": [judgement, *others]}, judgement))
        return Group(entries, cause["title"], cause)

    def _entry(self, result: ResultLine, verdict: VerdictPart) -> Entry:
        numbers = verdict.get("exchanges", ())
        return Entry(result, verdict, [self.exchanges[n] for n in numbers if n in self.exchanges])

    @property
    def areas(self) -> Mapping[str, Counter[str]]:
        """The counts of outcomes in each area, and in all."""
        return by_area(self.results) | {"all": Counter(line["outcome"] for line in self.results)}

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """The outcomes that the report has, the worst first."""
        present = {line["outcome"] for line in self.results}
        return [outcome for outcome in Outcome if outcome in present]

    @property
    def scope(self) -> str:
        """The part of the contract that was judged, such as "only IRC-CFG-001"."""
        only = self.header["only"]
        if only == [QUICK]:
            return QUICK.removeprefix("--")
        more = f" and {len(only) - SHOWN_PATTERNS} more" if len(only) > SHOWN_PATTERNS else ""
        return f"only {', '.join(only[:SHOWN_PATTERNS])}{more}" if only else ""

    @property
    def verdict(self) -> str:
        """The verdict with its scope."""
        return ", ".join(filter(None, (self.footer["verdict"], self.scope)))

    @property
    def contract(self) -> str:
        """Title and version of the contract."""
        return f"{self.header['title']} {self.header['version']}"

    @property
    def is_of_a_server(self) -> bool:
        """Whether a server was checked rather than a client."""
        return self.header["side"] == "server"

    @property
    def settings(self) -> Mapping[str, str]:
        """The target, the time of the run, and its warehouse and profile if it has them."""
        header = self.header
        settings = {
            "target": header["target"],
            "checked": header["ended"].replace("T", " ").replace("+00:00", " UTC"),
            "warehouse": header.get("parameters", {}).get("warehouse", ""),
            "profile": header.get("profile", ""),
        }
        return {name: value for name, value in settings.items() if value}

    @property
    def coverage(self) -> str:
        """How many of the planned requirements were judged."""
        silent = {Outcome.BLOCKED, Outcome.NOT_OFFERED}
        number = sum(line["outcome"] not in silent for line in self.results)
        return f"{number:,} of {self.footer.get('planned', len(self.results)):,}"

    @property
    def figures(self) -> Mapping[str, str]:
        """How much was declared, judged and sent."""
        header, footer = self.header, self.footer
        is_declared = header["facts"].get("endpoints") == "declared"
        operations = f"operations {'declared' if is_declared else 'served'}"
        share = f"{len(header['operations'])} of {header['all_operations']}"
        return {
            "requirements": self.coverage if "stopped" in footer else f"{len(self.results):,}",
            **({operations: share} if self.is_of_a_server else {}),
            "checks": f"{footer['checks']:,}",
            "invariants": f"{footer['invariants']:,}",
            "requests": f"{footer['requests']:,}",
            "seconds": f"{footer['seconds']:.1f}",
        }

    @property
    def figures_line(self) -> str:
        """The figures in one line."""
        return ", ".join(
            f"{value} {name.removesuffix('s') if value == '1' else name}"
            for name, value in self.figures.items()
        )

    @property
    def notices(self) -> Iterator[str]:
        """Why the run ended early, its limits, and leftovers."""
        if reason := self.footer.get("stopped"):
            yield f"{self.coverage} requirements were judged: {reason}"
        if self.header["only"]:
            yield f"Part of the contract: limited to {', '.join(self.header['only'])}."
        if self.header["strict"]:
            yield "Strict: a broken SHOULD counts like a broken MUST."
        if leftovers := self.footer["leftovers"]:
            yield (
                f"{plural(len(leftovers), 'object')} created by the checks are still on the target;"
                f" their names begin with lp. The first: {leftovers[0]}"
            )

    @property
    def summary(self) -> str:
        """How many causes and requirements there are, by severity; empty without failures."""
        failures = Counter(c["severity"] for c in self.causes if c["outcome"] == Outcome.FAIL)
        requirements = sum(line["outcome"] == Outcome.FAIL for line in self.results)
        warnings = len(self.causes) - failures.total()
        kinds = ", ".join(f"{failures[each]} {each}" for each in Severity if each in failures)
        causes = (
            f"{plural(failures.total(), 'cause')}, {plural(requirements, 'requirement')}: {kinds}"
        )
        also = f"{plural(warnings, 'cause')} of warnings"
        return "; ".join(filter(None, (causes if failures else "", also if warnings else "")))


def by_reason(entries: Iterable[Entry]) -> Iterator[Group]:
    """Yield entries that are blocked for the same reason together, and every other alone."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        key = entry.step if entry.outcome is Outcome.BLOCKED else entry.result["requirement"]
        groups.setdefault(key, []).append(entry)
    return (Group(group, group[0].reason if group[1:] else "") for group in groups.values())


def cases(verdict: VerdictPart) -> str:
    """Return how many cases of a verdict fail, and with which statuses; empty for a single case."""
    failures, cases = verdict.get("failures", ()), verdict.get("judged", 1)
    if cases == 1 or not failures:
        return ""
    matches = (STATUS.match(failure["actual"]) for failure in failures)
    statuses = Counter(match[1] for match in matches if match)
    text = ", ".join(f"{status} for {number}" for status, number in statuses.most_common())
    failing = verdict.get("failed", len(failures))
    part = f" of the {len(failures)} listed" if text and failing > len(failures) else ""
    return f"{failing:,} of {cases:,} fail" + (f": status {text}{part}" if text else "")
