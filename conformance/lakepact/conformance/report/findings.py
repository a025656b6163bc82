"""The findings of the HTML report: each cause folded, each requirement with its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lakepact.conformance.evidence.escaping import html as escape
from lakepact.conformance.evidence.escaping import html_lines, html_sentence
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.report import harm
from lakepact.conformance.report.blocked import grouped, reason
from lakepact.conformance.report.causes import plural
from lakepact.conformance.report.looks import LOOKS
from lakepact.conformance.report.page import chip
from lakepact.conformance.report.requests import deciding, exchanges_of, of_cause, terms

SHOWN_BODY = 4200  #: characters of a body; the rest is in the JSON lines
SHOWN_CURLS = 20  #: requests shown before a finding; earlier ones are in the JSON lines


class Findings:
    """The findings of one report.

    Args:
        report: its lines.
    """

    def __init__(self, report: Sequence[dict[str, Any]]) -> None:
        self._header = report[0]
        self._causes = [line for line in report if line["line"] == "cause"]
        self._exchanges = exchanges_of(report)
        self._anchored: set[str] = set()

    def by_cause(self, findings: Sequence[dict[str, Any]]) -> Iterator[str]:
        """Yield some results by cause, the gravest first; results without a cause come last, blocked ones by their reason."""
        by_id = {result["requirement"]: result for result in findings}
        for cause in self._causes:
            here = [name for name in cause["requirements"] if name in by_id]
            if here:
                yield self._cause(cause, of_cause(findings, {**cause, "requirements": here}))
        for cause in self._causes:
            for name in cause["requirements"]:
                by_id.pop(name, None)
        for group in grouped(by_id.values()):
            look = LOOKS[Outcome(group[0]["outcome"])]
            mark, title = (
                (look.sign, reason(group[0]))
                if len(group) > 1
                else (f"{look.sign} {escape(group[0]['level'])}", "")
            )
            yield _folded(
                mark,
                look.style,
                title or group[0]["sentence"],
                group,
                self._parts(group, "", "blocked for this reason"),
            )

    def _parts(self, shown: Sequence[Mapping[str, Any]], severity: str, common: str) -> list[str]:
        """Return the first finding, and the others folded."""
        first, *further = [self._finding(result, severity) for result in shown]
        more = f"<summary>{plural(len(further), 'further requirement')} {common}</summary>{''.join(further)}"
        return [first, f'<details class="more">{more}</details>'] if further else [first]

    def _cause(self, cause: Mapping[str, Any], shown: Sequence[Mapping[str, Any]]) -> str:
        terms = "".join(
            f"<dt>{name}</dt><dd>{escape(text)}</dd>"
            for name, text in harm.terms(self._header, cause).items()
        )
        parts = [
            f"<dl>{terms}</dl>" if terms else "",
            *self._parts(shown, cause["severity"], "with this cause"),
        ]
        style = LOOKS[Outcome(shown[0]["outcome"])].style
        mark = f"{cause['number']} · {escape(cause['severity'])}"
        is_here = any(
            result["outcome"] == cause["outcome"] for result in shown
        )  # its warnings stand elsewhere
        anchor = f"cause-{cause['number']}" if is_here else ""
        return _folded(mark, style, cause["title"], shown, parts, anchor=anchor)

    def _finding(self, result: Mapping[str, Any], severity: str) -> str:
        header, look = self._header, LOOKS[Outcome(result["outcome"])]
        listed = "".join(
            f"<dt>{name}</dt><dd>{said}</dd>" for name, said in self._terms(result).items()
        )
        verdict = deciding(result)
        sent = [self._exchanges[n] for n in verdict.get("exchanges", ()) if n in self._exchanges]
        return (
            f'<article class="{look.style}"{self._anchor(result)} {marks(result, severity)}>'
            f"<h3>{escape(result['requirement'])} {chip(look, result['level'])}</h3>"
            f"<p>{html_sentence(result['sentence'])}</p>"
            f'<p class="clause">{escape(header["contract"])} {escape(header["version"])} {escape(result["clause"])}'
            f" · {escape(result['area'])}</p><dl>{listed}</dl>{_evidence(sent)}</article>"
        )

    def _anchor(self, result: Mapping[str, Any]) -> str:
        """Return the id of a requirement's first article: it may have several causes."""
        if result["requirement"] in self._anchored:
            return ""
        self._anchored.add(result["requirement"])
        return f' id="{escape(result["requirement"])}"'

    def _terms(self, result: Mapping[str, Any]) -> dict[str, str]:
        """Return the terms of a finding, as HTML."""
        verdict = deciding(result)
        again = sum(v["outcome"] == result["outcome"] for v in result["verdicts"]) - 1
        found = {
            name: f"<code>{escape(text)}</code>"
            for name, text in terms(result, self._exchanges).items()
        }
        if "remark" in found:
            found["remark"] = escape(verdict["remark"])
        if result["interpretation"]:
            found["interpretation"] = html_sentence(result["interpretation"])
        for correction in result["corrections"]:
            found[f"correction {escape(correction['id'])}"] = (
                f"{html_sentence(correction['sentence'])} ({escape(correction['effect'])})"
            )
        found["check"] = f"<code>{escape(verdict['check'])}</code>" + (
            f", and {again} more" if again else ""
        )
        return found


def marks(result: Mapping[str, Any], severity: str = "") -> str:
    """Return the attributes of an element for one requirement, by which the filters find it."""
    return f'data-outcome="{escape(result["outcome"])}" data-area="{escape(result["area"])}" data-severity="{escape(severity)}"'


def _folded(
    mark: str,
    style: str,
    title: str,
    shown: Sequence[Mapping[str, Any]],
    parts: Sequence[str],
    *,
    anchor: str = "",
) -> str:
    """Return a group of findings that is folded: its mark, title, ids of requirements and the sentence of the clearest are shown."""
    ids = escape(shown[0]["requirement"]) + (
        f" and {len(shown) - 1} more" if len(shown) > 1 else ""
    )
    if title != shown[0]["sentence"]:
        ids += f": {html_sentence(shown[0]['sentence'])}"
    summary = (
        f'<span class="v {style}">{mark}</span> <span>{escape(title)}</span> <small>{ids}</small>'
    )
    name = f' id="{anchor}"' if anchor else ""
    return (
        f'<details class="group cause"{name}><summary>{summary}</summary>{"".join(parts)}</details>'
    )


def _evidence(sent: Sequence[Mapping[str, Any]]) -> str:
    """Return the requests that lead to a finding, the last one with its answer."""
    if not sent:
        return ""
    last, before = sent[-1], sent[:-1]
    left_out = len(before) - SHOWN_CURLS
    curls = f"# {left_out} earlier requests are in the JSON lines\n" if left_out > 0 else ""
    curls += "\n".join(exchange["curl"] for exchange in before[-SHOWN_CURLS:])
    many = "the request" if len(before) == 1 else f"{len(before)} requests"
    requests = (
        f'<details><summary>{many} before it</summary><pre tabindex="0">{html_lines(curls)}</pre></details>'
        if before
        else ""
    )
    requests += f'<pre tabindex="0">{escape(last["curl"])}</pre>'
    status = last["response"]["status"] or "none came"
    body = (
        f'<pre tabindex="0">{html_lines(_beginning(last["response"]["body"]))}</pre>'
        if last["response"]["body"]
        else "<p>No body.</p>"
    )
    return f"{requests}<details><summary>the last answer: {status}</summary>{body}</details>"


def _beginning(body: str) -> str:
    return body if len(body) <= SHOWN_BODY else f"{body[:SHOWN_BODY]}…"
