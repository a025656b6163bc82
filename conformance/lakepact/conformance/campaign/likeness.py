"""What makes two exchanges alike: they differ in nothing but names of a campaign, UUIDs, when things happened, where they are, and words.

What is said of an exchange looks at none of these but for whether two of them are equal, or how far two times lie apart; both stay as they
are. Words are what stands in a message, and in a property that nobody but who sets it knows: one whose name is a single word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lakepact.conformance.campaign.evidence import SENT_BY_US

if TYPE_CHECKING:
    from collections.abc import Sequence

OWN = re.compile(rb"lp_[0-9a-fr]+_\d+_")
#: A UUID but for its first eight digits: a hyphen is found sooner than a digit.
UUID = re.compile(rb"-(?<=[0-9a-f]{8}-)[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{12}")
TIME = re.compile(rb'-ms": ?(\d{13})\b')
#: Texts of a document that say where something is kept, and what a target has added to tell it from all else.
PLACE = re.compile(rb'(?<!\\)"[a-z][a-z0-9+.-]*:/[^"\\]*"(?!\s*:)')
ADDED = re.compile(rb"-(?<=\w-)(?=\d*[a-f])([0-9a-f]{12})(?!\w)")
MANY = 16
LONG_AGO = 1_600_000_000_000

#: A text of a document that is sound JSON whatever stands in it, and neither empty nor too long for anything.
_TEXT = rb'"((?:[^"\\\x00-\x1f\x7f-\xff]|\\["\\/bfnrt]){1,1000})"'
MESSAGE = re.compile(rb'"message"\s*:\s*' + _TEXT)
PROPERTIES = re.compile(rb'"properties"\s*:\s*\{')
PROPERTY = re.compile(rb'\s*"([^"\\\x00-\x1f]*)"\s*:\s*' + _TEXT + rb"\s*[,}]")
ONE_WORD = re.compile(rb"[A-Za-z0-9_]+")
WORDS = b"some words, and these are those of number "  #: what stands for words, before their number
WORDED = re.compile(rb'"%b(\d+)"' % WORDS)

DATE = re.compile(r"(?<=\ndate: )\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$", re.MULTILINE | re.IGNORECASE)
TAG = re.compile(r'(?<=\netag: )(W/)?"[^"\n]+"$', re.MULTILINE | re.IGNORECASE)
LENGTH = re.compile(r"(?<=\ncontent-length: )\d+$", re.MULTILINE | re.IGNORECASE)


def told_apart(content: bytes) -> bytes:
    """Bytes with names, UUIDs and times replaced by others: the same for the same, in the order in which they are met.

    Args:
        content: of an answer, or of a request and its answer.
    """
    if b"lp_" in content:
        names: dict[bytes, bytes] = {}
        content = OWN.sub(lambda met: names.setdefault(met[0], b"lp_0_%d_" % len(names)), content)
    times = [int(time) for time in TIME.findall(content)] if b"-ms" in content else []
    if times:
        first = min(times)
        content = TIME.sub(lambda met: b'-ms":%d' % (LONG_AGO + int(met[1]) - first), content)
    return _without_places(_without_uuids(content))


def _without_places(content: bytes) -> bytes:
    """The same for what was added to places, if it stands nowhere else: of a place, no more is said than whether two are equal."""
    inside: dict[bytes, int] = {}
    for met in ADDED.finditer(content):
        quote = content.rfind(b'"', 0, met.start())
        place = PLACE.match(content, quote) if quote >= 0 else None
        inside[met[1]] = inside.get(met[1], 0) + (place is not None and place.end() > met.end())
    if not inside or b"a0000000000" in content:
        return content
    for number, (word, times) in enumerate(inside.items()):
        if number < MANY and content.count(word) == times:
            content = content.replace(word, b"a0000000000%x" % number)
    return content


def _without_uuids(content: bytes) -> bytes:
    seen: dict[bytes, bytes] = {}
    pieces, at = [], 0
    for met in UUID.finditer(content):
        start, end = met.start() - 8, met.end()
        if start >= at:
            # Of its digits, those stay that say what kind of UUID it is.
            kept = seen.setdefault(content[start:end], b"%08x-0000-%b000-%b000-000000000000" % (len(seen), met[1], met[2]))
            pieces += [content[at:start], kept]
            at = end
    return b"".join((*pieces, content[at:])) if pieces else content


def without_words(content: bytes) -> tuple[bytes, list[bytes]]:
    """A document with numbers for words, the same for the same; and the words, as JSON has them.

    Args:
        content: of an answer; one that may repeat a secret stays what it is.
    """
    places = []
    if b'"message"' in content:
        places += [met.span(1) for met in MESSAGE.finditer(content) if content[met.start() - 1 : met.start()] != b"\\"]
    if b'"properties"' in content:
        places += _in_properties(content)
    if not places or SENT_BY_US.encode() in content or WORDS in content:
        return content, []
    words: dict[bytes, int] = {}
    pieces, at = [], 0
    for start, end in sorted(places):
        if start >= at:
            pieces += [content[at:start], b"%b%d" % (WORDS, words.setdefault(content[start:end], len(words)))]
            at = end
    return b"".join((*pieces, content[at:])), list(words)


def _in_properties(content: bytes) -> list[tuple[int, int]]:
    """Where the words of properties stand."""
    places = []
    for opened in PROPERTIES.finditer(content):
        if content[opened.start() - 1 : opened.start()] == b"\\":
            continue
        met = PROPERTY.match(content, opened.end())
        while met is not None:
            if ONE_WORD.fullmatch(met[1]) and b":/" not in met[2]:
                places.append(met.span(2))
            met = PROPERTY.match(content, met.end()) if content[met.end() - 1] == ord(",") else None
    return places


def anywhere(url: bytes, others: Sequence[bytes]) -> tuple[bytes, ...]:
    """What an exchange consists of, as if its target were somewhere else, unless anything but its URL tells where it is.

    Args:
        url: that was asked for.
        others: headers and bodies; the last is only looked at.
    """
    scheme, _, rest = url.partition(b"://")
    place, slash, path = rest.partition(b"/")
    told = not place or any(place in other for other in others)
    return (url if told else b"%b://target%b%b" % (scheme, slash, path), *others[:-1])


def plain_headers(headers: str, length: int) -> str:
    """Headers, each on a line, without what differs in exchanges that are alike; a length stays if it is not that of the body."""
    plain = TAG.sub('"tag"', DATE.sub("then", headers))
    return LENGTH.sub(lambda met: "its" if int(met[0]) == length else met[0], plain)
