"""What changed in a range of versions, as lines: the files that were added and removed, or those that the changed rows are read from."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from .answers import one_line
from .changes import METADATA, Heading, Page, Removed, headings, partition_columns
from .ends import ended
from .file_lists import links_of
from .formats import FORMATS
from .requests import Answer, explained_chunks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from .changes import Change, Range
    from .continuations import Continuations
    from .files import Files
    from .formats import Format, Links
    from .queries import Query
    from .requests import Request
    from .snapshots import Snapshots

    Rules = Mapping[str, Callable[..., Any]]

PIECE = 200  #: lines that are sent at once
VERSIONED = "delta"  #: the format in which metadata always says its version: clients build a log from it


class ChangeLists:
    """Answers with the changes of a range of versions.

    Args:
        snapshots: the versions of tables.
        files: makes the URLs of files.
        continuations: the tokens.
        rules: the decisions.
    """

    def __init__(self, snapshots: Snapshots, files: Files, continuations: Continuations, *, rules: Rules) -> None:
        self._snapshots, self._files, self._continuations = snapshots, files, continuations
        self._rules = rules

    def answer(self, request: Request, query: Query, held: Mapping[str, Any], *, wanted: Range, operation: str) -> Answer:
        """The changes of a range.

        Args:
            request: who asks for which table.
            query: what is asked for.
            held: what is held in its token.
            wanted: the range.
            operation: what the tokens of the answer are bound to.

        Raises:
            Problem: it cannot be answered.
            LogError: the log gives no answer.
        """
        found = headings(request.log, wanted.first, wanted.last)
        if wanted.of_rows:
            self._rules["feed-covers"](found, self._rules)
        response_format = self._negotiated(request, found)
        form = FORMATS[response_format]
        most = self._continuations.most(query, held)
        at = held.get("at")
        page = Page(request.log, wanted, self._rules, at=(at[0], at[1]) if at else None, most=most)
        links = links_of(request, self._files)
        lines = self._lines(request, page, form, links=links, found=found)

        def end() -> dict[str, Any]:
            said: dict[str, Any] = {"expires": links.expires} if page.files else {}
            if page.following is not None:
                follows = {"asked": held["asked"], "last": wanted.last, "at": page.following, "maxFiles": most}
                said["next_page_token"] = self._continuations.page(request, operation, **follows)
            document: dict[str, Any] = self._rules["end-of-stream"](**said)
            return document

        # The first lines of files are made with the head: what is wrong with them can still be refused.
        pieces = in_pieces(chain([self._head(request, found, wanted, response_format)], lines))
        asked_for_end = request.capabilities.end_stream
        chunks = ended(explained_chunks(request.table, pieces), end, asked=asked_for_end, rules=self._rules)
        return Answer(wanted.first, response_format, chunks=chunks, end_stream=asked_for_end)

    def _negotiated(self, request: Request, found: Iterable[Heading]) -> str:
        """The format that suffices for every version of a range."""
        needed: set[str] = set()
        for heading in found:
            needed |= self._rules["data-features"](heading.protocol, heading.metadata)
        chosen: str = self._rules["negotiate"](request.capabilities, needed)
        return chosen

    def _head(self, request: Request, found: Sequence[Heading], wanted: Range, response_format: str) -> bytes:
        """The first two lines: the protocol that covers the range, and the metadata that it starts with, or ends with if that is all."""
        form = FORMATS[response_format]
        heading: Heading = self._rules["metadata-of-head"](found, wanted)
        version = heading.version if wanted.with_metadata or response_format == VERSIONED else None
        metadata = form.metadata(heading.metadata, access=request.table.access, version=version)
        return b"%b\n%b\n" % (one_line(form.protocol(self._rules["protocol-of-head"](found))), one_line(metadata))

    def _lines(self, request: Request, page: Iterable[Change], form: Format, *, links: Links, found: Sequence[Heading]) -> Iterator[bytes]:
        removed = Removed(lambda version: self._snapshots.snapshot(request.table.folder, version))
        for change in page:
            version = change.version
            if change.kind == METADATA:
                document = form.metadata(change.action, access=request.table.access, version=version)
            else:
                columns, action = partition_columns(found, version), removed.complete(change)
                document = form.change(change.kind, action, links=links, columns=columns, version=version, timestamp=change.timestamp)
            yield one_line(document) + b"\n"


def in_pieces(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines, some at a time."""
    lines = iter(lines)
    while piece := b"".join(islice(lines, PIECE)):
        yield piece


def metadata_of_head(found: Sequence[Heading], wanted: Range) -> Heading:
    """The metadata at the head of an answer: where later ones follow that of the start, else the newest one."""
    return found[0] if wanted.with_metadata else Heading(wanted.last, found[-1].protocol, found[-1].metadata)


def protocol_of_head(found: Sequence[Heading]) -> Mapping[str, Any]:
    """The protocol at the head of an answer: the newest one, for protocols only grow."""
    return found[-1].protocol


#: Decisions about lists of changes that a fault may replace.
RULES: dict[str, Callable[..., Any]] = {"metadata-of-head": metadata_of_head, "protocol-of-head": protocol_of_head}
