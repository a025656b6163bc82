"""The canonical form of exchanges: without names of a campaign, UUIDs, times, places and free text.

Verdicts depend on these only by equality, or by the distance of two times; both are kept. Free text is the content of
messages, and of properties with single-word names, which have no meaning to the target.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lakepact.conformance.campaign.execution.evidence import SENT_BY_US

if TYPE_CHECKING:
    from collections.abc import Sequence

OWN = re.compile(rb"lp_[0-9a-fr]+_\d+_")
#: Hints of UUIDs, times and places: a hyphen is found sooner than a digit.
TOLD = re.compile(
    rb"-(?:(?<=[0-9a-f]{8}-)[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{12}"
    rb'|ms": ?(\d{13})\b'
    rb"|(?<=\w-)(?=\d*[a-f])([0-9a-f]{12})(?!\w))"
)
#: A text of a document that says where something is kept.
PLACE = re.compile(rb'(?<!\\)"[a-z][a-z0-9+.-]*:/[^"\\]*"(?!\s*:)')
MANY = 16
UUID_BEGINS = 8  #: digits before its first hyphen
LONG_AGO = 1_600_000_000_000

#: A character of more than one byte, as UTF-8 has it.
_WIDE = (
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}"
)
#: A text of a document that is sound JSON whatever stands in it, and not empty.
_TEXT = rb'"((?:[^"\\\x00-\x1f\x80-\xff]++|\\["\\/bfnrt]|' + _WIDE + rb')++)"'
FEW = 1_000  #: bytes that are not too long for anything
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
    """Return bytes with names, UUIDs and times replaced by others: the same for the same, in the order in which they are met.

    Args:
        content: of an answer, or of a request and its answer.
    """
    if b"lp_" in content:
        names: dict[bytes, bytes] = {}
        content = OWN.sub(lambda met: names.setdefault(met[0], b"lp_0_%d_" % len(names)), content)
    return _one_by_one(content) if b"-" in content else content


def _one_by_one(content: bytes) -> bytes:
    """Return the same for all that follows a hyphen."""
    found = list(TOLD.finditer(content))
    if not found:
        return content
    first = min((int(met[3]) for met in found if met[3]), default=0)
    uuids: dict[bytes, bytes] = {}
    added: dict[bytes, int] = {}
    pieces, at = [], 0
    for met in found:
        start, end = met.span()
        if met[1]:
            start -= UUID_BEGINS
            if start < at:
                continue
            # Of its digits, those stay that say what kind of UUID it is.
            kept = uuids.setdefault(content[start:end], b"%08x-0000-%b000-%b000-000000000000" % (len(uuids), met[1], met[2]))
        elif met[3]:
            kept = b'-ms":%d' % (LONG_AGO + int(met[3]) - first)
        else:
            added[met[4]] = added.get(met[4], 0) + _is_in_place(content, start, end)
            continue
        pieces += [content[at:start], kept]
        at = end
    return _without_added(b"".join((*pieces, content[at:])) if pieces else content, added)


def _is_in_place(content: bytes, start: int, end: int) -> bool:
    quote = content.rfind(b'"', 0, start)
    place = PLACE.match(content, quote) if quote >= 0 else None
    return place is not None and place.end() > end


def _without_added(content: bytes, added: dict[bytes, int]) -> bytes:
    """Return the same for what was added to places, if it stands nowhere else: of a place, no more is said than whether two are equal."""
    if not added or b"a0000000000" in content:
        return content
    for number, (word, times) in enumerate(added.items()):
        if number < MANY and content.count(word) == times:
            content = content.replace(word, b"a0000000000%x" % number)
    return content


def without_words(content: bytes) -> tuple[bytes, list[bytes]]:
    """Return a document with numbers for words, the same for the same; and the words, as JSON has them.

    Args:
        content: of an answer; one that may repeat a secret stays what it is.
    """
    places = []
    if b'"message"' in content:
        places += [met.span(1) for met in MESSAGE.finditer(content) if not _is_escaped(content, met)]
    if b'"properties"' in content:
        places += _in_properties(content)
    if not places or SENT_BY_US.encode() in content or WORDS in content:
        return content, []
    words: dict[bytes, int] = {}
    pieces, at = [], 0
    for start, end in sorted(places):
        if start >= at and end - start <= FEW:
            pieces += [content[at:start], b"%b%d" % (WORDS, words.setdefault(content[start:end], len(words)))]
            at = end
    return b"".join((*pieces, content[at:])), list(words)


def _is_escaped(content: bytes, met: re.Match[bytes]) -> bool:
    return content[met.start() - 1 : met.start()] == b"\\"


def _in_properties(content: bytes) -> list[tuple[int, int]]:
    """Return the places of properties' texts."""
    places = []
    for opened in PROPERTIES.finditer(content):
        if _is_escaped(content, opened):
            continue
        met = PROPERTY.match(content, opened.end())
        while met is not None:
            if ONE_WORD.fullmatch(met[1]) and b":/" not in met[2]:
                places.append(met.span(2))
            met = PROPERTY.match(content, met.end()) if content[met.end() - 1] == ord(",") else None
    return places


def anywhere(url: bytes, others: Sequence[bytes]) -> tuple[bytes, ...]:
    """Return an exchange as if its target had another address, unless parts other than the URL reveal it.

    Args:
        url: the requested URL.
        others: headers and bodies, which are only searched.
    """
    scheme, _, rest = url.partition(b"://")
    place, slash, path = rest.partition(b"/")
    told = not place or any(place in other for other in others)
    return (url if told else b"%b://target%b%b" % (scheme, slash, path), *others[:-1])


def plain_headers(headers: str, length: int) -> str:
    """Headers, each on a line, without what differs in exchanges that are alike; a length stays if it is not that of the body."""
    plain = TAG.sub('"tag"', DATE.sub("then", headers))
    return LENGTH.sub(lambda met: "its" if int(met[0]) == length else met[0], plain)
