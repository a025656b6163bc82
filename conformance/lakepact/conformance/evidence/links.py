"""Values of earlier answers in later requests: a fresh server gives other ones, so a script takes
them from its own answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from lakepact.conformance.evidence.differences import pointer
from lakepact.conformance.evidence.replaying import answer_of

if TYPE_CHECKING:
    from lakepact.generated.report import ExchangeLine

#: Members and headers whose value a server invents, however short it is.
INVENTED = frozenset({"next-page-token", "nextPageToken", "plan-id", "etag"})
LEAST_TEXT = 8  #: characters of any other text that is recognized
LEAST_NUMBER = 2**31  #: smaller numbers count something, and are the same on every server
VARIES = re.compile(
    r"[\d/:]"
)  #: in texts that differ between servers; words of the contract have none of these
LOCATION = re.compile(r"\A[a-z][a-z0-9+.-]*:/+[^/]")
PARENTS = 4  #: folders above a location that requests may name
RUN = re.compile(r"lp[_x]([0-9a-f]{6})[_x]\d+[_x]\d+")
DAY = 24 * 60 * 60 * 1000
MOMENT = re.compile(r"(?<![\w.\"-])\d{13}(?![\w.\"])")


@dataclass(frozen=True)
class Link:
    """A value of an answer.

    Args:
        value: a text or a number.
        number: of the exchange that has it.
        pointer: its place in the answer.
        levels: path segments that are cut off at its end.
    """

    value: Any
    number: int
    pointer: str
    levels: int = 0

    @property
    def name(self) -> str:
        """The name of the value in a script."""
        words = [step for step in self.pointer.split("/") if step and not step.isdigit()]
        stem = re.sub(r"[^A-Za-z0-9]+", "-", words[-1]).strip("-") or "value"
        return f"{stem}-{self.number}" + (f"-up{self.levels}" if self.levels else "")

    def pattern(self, form: str) -> str:
        """Return a regular expression that finds the value in a text of a form."""
        if not isinstance(self.value, str):
            return rf"(?<![\w.\"-]){self.value}(?![\w.\"])"
        text = re.escape(encode(self.value, form))
        if len(self.value) >= LEAST_TEXT:
            return text
        return {"url": rf"(?<=[=/]){text}(?=[&/?]|\Z)", "json": rf'(?<="){text}(?=")'}.get(
            form, rf"\A{text}\Z"
        )


@dataclass
class Templates:
    """The texts of a script, and the links that they use.

    Args:
        lines: all exchanges of the check up to the judged one, in the order of their numbers.
        began: when the first of them was sent, in milliseconds.
    """

    lines: Sequence[ExchangeLine]
    began: int
    used: dict[str, Link] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [
            RUN.search(unquote(line["request"]["url"]) + line["request"]["body"])
            for line in self.lines
        ]
        self._run = next((match[1] for match in names if match), "")
        self._links = list(_links(self.lines))

    def text(self, source: str, form: str, before: int) -> str:
        """Return a text with names for the values of earlier answers, for moments and for the id of
        the run.

        Args:
            source: the text of the report.
            form: `json`, `url` or `text`.
            before: number of the exchange that the text belongs to.
        """
        earlier = {
            encode(link.value, form): link for link in reversed(self._links) if link.number < before
        }
        present = sorted((text for text in earlier if text in source), key=len, reverse=True)
        if present:
            links = [earlier[text] for text in present]
            pattern = re.compile("|".join(f"({link.pattern(form)})" for link in links))
            source = pattern.sub(lambda match: self._use(links[(match.lastindex or 1) - 1]), source)
        if form == "json":
            source = MOMENT.sub(
                lambda match: (
                    f"<<ms {match[0]}>>" if abs(int(match[0]) - self.began) < DAY else match[0]
                ),
                source,
            )
        if not self._run:
            return source
        source = re.sub(
            rf"(?<=[_x]){self._run}(?=[_x])|(?<=%5F){self._run}(?=%5F)", "<<run>>", source
        )
        return re.sub(rf"(?<=[_X]){self._run.upper()}(?=[_X])", "<<RUN>>", source)

    def _use(self, link: Link) -> str:
        self.used[link.name] = link
        return f"<<{link.name}>>"


def encode(value: Any, form: str) -> str:
    """Return a value as it is written in a URL, in JSON, or elsewhere."""
    if not isinstance(value, str):
        return str(value)
    return (
        quote(value, safe="")
        if form == "url"
        else json.dumps(value, ensure_ascii=False)[1:-1]
        if form == "json"
        else value
    )


def form_of(body: str) -> str:
    """Return the form of a request body."""
    return "json" if body.lstrip()[:1] in {"{", "[", '"'} else "text"


def sources(lines: Sequence[ExchangeLine], numbers: Sequence[int], schema: str) -> list[int]:
    """Return these exchanges and those whose answers they need, by number.

    Args:
        lines: all exchanges of the check up to the judged one.
        numbers: those to be sent again; the last one is judged.
        schema: what the judged answer must match, as JSON.
    """
    selection = set(numbers)
    while True:
        templates = Templates(lines, 0)
        for line in lines:
            if line["number"] in selection:
                of_request(templates, line)
        templates.text(schema, "json", max(selection))
        more = {link.number for link in templates.used.values()} - selection
        if not more:
            return sorted(selection)
        selection |= more


def of_request(templates: Templates, line: ExchangeLine) -> tuple[str, list[list[str]], str]:
    """Return URL, headers and body of a request as templates."""
    request, number = line["request"], line["number"]
    headers = [[name, templates.text(value, "text", number)] for name, value in request["headers"]]
    return (
        templates.text(request["url"], "url", number),
        headers,
        templates.text(request["body"], form_of(request["body"]), number),
    )


def _links(lines: Sequence[ExchangeLine]) -> Iterator[Link]:
    """Yield the values that answers gave and no request had named before."""
    requests = ""
    values: set[Any] = set()
    for line in lines:
        request, response = line["request"], line["response"]
        requests += unquote(request["url"]) + "\n" + request["body"] + "\n"
        answer = answer_of(
            response["status"],
            [(name, value) for name, value in response["headers"]],
            response["body"].encode(),
        )
        places = {
            "headers": {"etag": answer["headers"]["etag"]} if "etag" in answer["headers"] else {},
            "body": answer.get("body"),
        }
        for place, value in scalars(places, ""):
            for link in _recognizable(value, line["number"], place):
                if link.value not in values and encode(link.value, "json") not in requests:
                    values.add(link.value)
                    yield link


def _recognizable(value: Any, number: int, place: str) -> Iterator[Link]:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return
    if isinstance(value, int):
        if value >= LEAST_NUMBER:
            yield Link(value, number, place)
        return
    if (value and place.rpartition("/")[2] in INVENTED) or (
        len(value) >= LEAST_TEXT and VARIES.search(value)
    ):
        yield Link(value, number, place)
    if LOCATION.match(value):
        for levels in range(1, PARENTS + 1):
            parent = value.rsplit("/", levels)[0]
            if not LOCATION.match(parent):
                return
            yield Link(parent, number, place, levels)


def scalars(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Yield the texts, numbers and constants within a JSON value, with their JSON pointers."""
    if isinstance(value, dict):
        for name, inside in value.items():
            yield from scalars(inside, place + pointer(name))
    elif isinstance(value, list):
        for index, inside in enumerate(value):
            yield from scalars(inside, f"{place}/{index}")
    else:
        yield place, value


def places_in(used: Mapping[str, Link], number: int) -> dict[str, tuple[str, int]]:
    """Return the places of the values that a script keeps of one answer, by their names."""
    return {
        name: (link.pointer, link.levels)
        for name, link in sorted(used.items())
        if link.number == number
    }
