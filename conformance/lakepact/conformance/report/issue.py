"""Issues for the maintainers of a server: one for each of the gravest causes, with the requests that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.evidence.escaping import code, code_block
from lakepact.conformance.evidence.escaping import markdown as md
from lakepact.conformance.evidence.outcome import Outcome
from servers_matrix.page import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from servers_matrix.servers import CatalogServer

WRITTEN = 3  #: causes of a server that get an issue
SHOWN_REQUESTS = 6  #: of a finding that its requests do not repeat
SHOWN_TEXT = 120  #: characters of an expectation in a title
SHOWN_ALSO = 12  #: further requirements that an issue lists


def issues(server: CatalogServer, report: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the texts of the issues of a server, the gravest cause first, in Markdown.

    Args:
        server: the server.
        report: the lines of its report.
    """
    results = {line["requirement"]: line for line in report if line["line"] == "result"}
    exchanges = {line["number"]: line for line in report if line["line"] == "exchange"}
    causes = [line for line in report if line["line"] == "cause" and line["outcome"] == Outcome.FAIL]
    for cause in causes[:WRITTEN]:
        yield "\n".join(_issue(server, cause, results, exchanges)) + "\n"


def _issue(
    server: CatalogServer, cause: dict[str, Any], results: dict[str, dict[str, Any]], exchanges: dict[int, dict[str, Any]]
) -> Iterator[str]:
    first, *others = (results[requirement] for requirement in cause["requirements"])
    verdict = next(v for v in first["verdicts"] if v["outcome"] == first["outcome"])
    shown = exchanges.get(next(reversed(verdict.get("exchanges", ())), None))
    yield f"# {md(_title(first, verdict, shown))}\n"
    yield f"{md(server.title)} {md(server.version)}, severity: {md(cause['severity'])}.\n"
    yield f"The contract demands: {md(first['sentence'])}\n"
    yield f"Clause: {code(first['clause'])} of the Iceberg REST contract. Requirement of lakepact: {md(first['requirement'])}.\n"
    yield "## Steps\n"
    requests = [exchanges[n]["curl"] for n in verdict.get("exchanges", ()) if n in exchanges]
    if why := verdict.get("replay", {}).get("why"):
        yield f"Run `lakepact check URL --only {first['requirement']}` against a fresh server."
        yield f"Its requests alone do not repeat the finding: {md(why)}. The last requests of this run were:\n"
        requests = requests[-SHOWN_REQUESTS:]
    else:
        yield "Send these requests to a fresh server, in this order:\n"
    yield from (*code_block(requests, "sh"), "")
    if not why:
        yield f"`lakepact reproduce report.jsonl {first['requirement']}` writes a script that sends them and checks the result.\n"
    expected, actual = (" ".join(verdict[side].split()) for side in ("expected", "actual"))
    yield f"Expected: {code(expected)}\n"
    yield f"Actual: {code(actual)}"
    if others:
        yield "\nThe same cause breaks:\n"
        yield from (f"- {md(r['requirement'])}: {md(r['sentence'])}" for r in others[:SHOWN_ALSO])
        if len(others) > SHOWN_ALSO:
            yield f"- and {len(others) - SHOWN_ALSO} more"


def _title(first: dict[str, Any], verdict: dict[str, Any], exchange: dict[str, Any] | None) -> str:
    """Return what the server does wrong, in one line: a wrong status, or the broken requirement."""
    failure = next(iter(verdict.get("failures", ())), verdict)
    sentence = first["sentence"].rstrip(".")
    if exchange is None or not failure.get("expected_status"):
        return f'{next(iter(first.get("operations", ())), "The server")} breaks the contract: "{sentence}"'
    subject = exchange["operation"] or exchange["request"]["method"]
    wanted = NAME.sub("…", " ".join(failure["expected"].split()))[:SHOWN_TEXT].removeprefix("status ")
    title = f"{subject} returns {exchange['response']['status']}, expected {wanted}"
    return title if " for " in wanted or " when " in wanted else f"{title}: {sentence}"
