"""Changes of a range of versions as lines: added and removed files, or the files with changed
rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from lakepact.reference_server.delta_sharing.answers import one_line
from lakepact.reference_server.delta_sharing.files import Files
from lakepact.reference_server.delta_sharing.formats import FORMATS, Links
from lakepact.reference_server.delta_sharing.queries import capabilities, changes
from lakepact.reference_server.delta_sharing.queries.continuations import Continuations
from lakepact.reference_server.delta_sharing.queries.ends import end_of_stream, with_end
from lakepact.reference_server.delta_sharing.queries.file_lists import links_of
from lakepact.reference_server.delta_sharing.queries.queries import Query
from lakepact.reference_server.delta_sharing.queries.requests import (
    Answer,
    Request,
    explain_in_chunks,
)
from lakepact.reference_server.delta_sharing.snapshots import Snapshots

PIECE = 200  #: lines that are sent at once
VERSIONED = (
    "delta"  #: the format in which metadata always says its version: clients build a log from it
)


class ChangeLists:
    """Answers with the changes of a range of versions.

    Args:
        snapshots: the versions of tables.
        files: makes the URLs of files.
        continuations: the tokens.
        rules: the decisions about changes.
        capabilities: the decisions about capabilities.
    """

    def __init__(
        self,
        snapshots: Snapshots,
        files: Files,
        continuations: Continuations,
        *,
        rules: changes.Rules,
        capabilities: capabilities.Rules,
    ) -> None:
        self._snapshots, self._files, self._continuations = snapshots, files, continuations
        self._rules, self._capabilities = rules, capabilities

    def answer(
        self,
        request: Request,
        query: Query,
        content: Mapping[str, Any],
        *,
        span: changes.Range,
        operation: str,
    ) -> Answer:
        """Return the changes of a range.

        Args:
            request: the request.
            query: the query.
            content: the content of its token.
            span: the range.
            operation: what the tokens of the answer are bound to.

        Raises:
            Problem: it cannot be answered.
            LogError: the log gives no answer.
        """
        log, at = request.log, content.get("at")
        survey = (
            changes.survey(log, span, self._rules, self._capabilities)
            if at is None
            else changes.survey_of_token(log, content)
        )
        response_format = self._capabilities.negotiate(request.capabilities, survey.features)
        most = self._continuations.most(query, content)
        page = changes.Page(
            log,
            span,
            self._rules,
            commits=survey.commits,
            at=None if at is None else (at[0], at[1]),
            most=most,
        )
        links = links_of(request, self._files)

        def end() -> dict[str, Any]:
            members: dict[str, Any] = {"expires": links.expires} if page.files else {}
            if page.following is not None:
                follows = {
                    "asked": content["asked"],
                    "last": span.last,
                    "at": page.following,
                    "maxFiles": most,
                    **survey.content(),
                }
                members["next_page_token"] = self._continuations.page(request, operation, **follows)
            return end_of_stream(**members)

        # The first lines of files are made with the head: what is wrong with them can still be
        # refused.
        head = self._head(request, survey, span, response_format)
        pieces = in_pieces(chain([head], self._lines(request, page, response_format, links)))
        end_stream = request.capabilities.end_stream
        chunks = with_end(
            explain_in_chunks(request.table, pieces),
            end,
            on_request=end_stream,
            rules=self._capabilities,
        )
        return Answer(span.first, response_format, chunks=chunks, end_stream=end_stream)

    def _head(
        self, request: Request, survey: changes.Survey, span: changes.Range, response_format: str
    ) -> bytes:
        """Return the first two lines."""
        form = FORMATS[response_format]
        version = (
            survey.metadata.version if span.with_metadata or response_format == VERSIONED else None
        )
        metadata = form.metadata(
            survey.metadata.metadata, access=request.table.access, version=version
        )
        protocol = form.protocol(
            survey.protocol.protocol,
            version=survey.protocol.version if span.with_protocol else None,
        )
        return b"%b\n%b\n" % (one_line(protocol), one_line(metadata))

    def _lines(
        self, request: Request, page: Iterable[changes.Change], response_format: str, links: Links
    ) -> Iterator[bytes]:
        form = FORMATS[response_format]
        removals = changes.Removed(
            lambda version: self._snapshots.snapshot(request.table.source, version)
        )
        for change in page:
            kind, action, version, timestamp, columns = change
            if kind == changes.PROTOCOL:
                if response_format != VERSIONED:
                    continue
                document = form.protocol(action, version=version)
            elif kind == changes.METADATA:
                document = form.metadata(action, access=request.table.access, version=version)
            else:
                action = removals.complete(change)
                document = form.change(
                    kind, action, links=links, columns=columns, version=version, timestamp=timestamp
                )
            yield one_line(document) + b"\n"


def in_pieces(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines, some at a time."""
    lines = iter(lines)
    while piece := b"".join(islice(lines, PIECE)):
        yield piece
