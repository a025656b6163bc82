"""The files of a version of a table: all, those that hints select, one page, or those of a refresh
token.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import chain
from typing import Any

from lakepact.reference_server.delta_sharing.answers import one_line
from lakepact.reference_server.delta_sharing.files import Files
from lakepact.reference_server.delta_sharing.formats import FORMATS, Links
from lakepact.reference_server.delta_sharing.hints import select
from lakepact.reference_server.delta_sharing.log import Snapshot
from lakepact.reference_server.delta_sharing.queries import capabilities
from lakepact.reference_server.delta_sharing.queries.continuations import Continuations
from lakepact.reference_server.delta_sharing.queries.ends import end_of_stream, with_end
from lakepact.reference_server.delta_sharing.queries.queries import Query, malformed
from lakepact.reference_server.delta_sharing.queries.requests import (
    Answer,
    Request,
    explain_in_chunks,
)
from lakepact.reference_server.delta_sharing.shares import Shares
from lakepact.reference_server.delta_sharing.snapshots import Snapshots
from lakepact.reference_server.http.service import Rules as ServiceRules

OPERATION = "query"  #: what tokens of these answers are bound to


def page_of_files(
    places: Sequence[int], start: int, most: int | None
) -> tuple[Sequence[int], int | None]:
    """Return the files of the page that begins at `start`, and where the next page begins, if there
    is one.
    """
    end = len(places) if most is None else start + most
    return places[start:end], end if end < len(places) else None


class FileLists:
    """Answers with the files of a version.

    Args:
        snapshots: the versions of tables.
        files: makes the URLs of files.
        continuations: the tokens.
        shares: which hints count.
        rules: the decisions about lists of files.
        capabilities: the decisions about capabilities.
    """

    def __init__(
        self,
        snapshots: Snapshots,
        files: Files,
        continuations: Continuations,
        *,
        shares: Shares,
        rules: Rules,
        capabilities: capabilities.Rules,
    ) -> None:
        self._snapshots, self._files, self._continuations = snapshots, files, continuations
        self._shares, self._rules, self._capabilities = shares, rules, capabilities

    def metadata(self, request: Request, parameters: Mapping[str, Any]) -> Answer:
        """Protocol and metadata of a table, without its files."""
        snapshot, response_format = self._read(request, request.versions.point(parameters))
        head = self._head(request, snapshot, response_format, with_time=bool(parameters))
        return Answer(snapshot.version, response_format, head)

    def answer(self, request: Request, query: Query, content: Mapping[str, Any]) -> Answer:
        """Return the files that a query asks for.

        Raises:
            Problem: it cannot be answered.
            LogError: the log gives no answer.
        """
        parameters: Mapping[str, Any] = content["asked"]
        version = content["version"] if "version" in content else request.versions.point(parameters)
        snapshot, response_format = self._read(request, version)
        indexes = self._indexes(snapshot, parameters)
        places: Sequence[int] = range(len(snapshot.files)) if indexes is None else indexes
        start: int = content.get("from", 0)
        if start:
            _check_mark(snapshot, places, start, content["mark"])
        most = self._continuations.most(query, content)
        page, following = self._rules.page_of_files(places, start, most)
        with_time = "version" in parameters or "timestamp" in parameters
        links = links_of(request, self._files)
        whole = indexes is None and len(page) == len(places)
        lines = self._snapshots.lines(
            snapshot, response_format, links, numbers=None if whole else page, with_time=with_time
        )
        head = self._head(request, snapshot, response_format, with_time=with_time)

        def end() -> dict[str, Any]:
            members: dict[str, Any] = {"expires": links.expires} if page else {}
            state = {"asked": parameters, "version": version}
            if following is not None:
                mark = {
                    "from": following,
                    "mark": _mark(snapshot, places, following),
                    "maxFiles": most,
                }
                members["next_page_token"] = self._continuations.page(
                    request, OPERATION, **state, **mark
                )
            if query.refreshable:
                members["refresh_token"] = self._continuations.refresh(request, OPERATION, **state)
            return end_of_stream(**members)

        end_stream = request.capabilities.end_stream
        chunks = with_end(
            explain_in_chunks(request.table, chain([head], lines)),
            end,
            on_request=end_stream,
            rules=self._capabilities,
        )
        return Answer(version, response_format, chunks=chunks, prompt=True, end_stream=end_stream)

    def _read(self, request: Request, version: int) -> tuple[Snapshot, str]:
        """Return a version, and the format in which it is answered."""
        snapshot = self._snapshots.snapshot(request.table.source, version)
        features = self._capabilities.data_features(snapshot.protocol, snapshot.metadata)
        return snapshot, self._capabilities.negotiate(request.capabilities, features)

    def _head(
        self, request: Request, snapshot: Snapshot, response_format: str, *, with_time: bool
    ) -> bytes:
        form = FORMATS[response_format]
        metadata = form.metadata(
            snapshot.metadata,
            access=request.table.access,
            version=snapshot.version if with_time else None,
            size=snapshot.files.size(),
            num_files=len(snapshot.files),
        )
        return b"%b\n%b\n" % (one_line(form.protocol(snapshot.protocol)), one_line(metadata))

    def _indexes(self, snapshot: Snapshot, parameters: Mapping[str, Any]) -> Sequence[int] | None:
        """Return the files that the hints of a query leave, None for all."""
        hints = {
            "predicateHints": self._shares.predicate_hints,
            "jsonPredicateHints": self._shares.json_predicate_hints,
        }
        counting = {
            name: parameters.get(name) if counts else None for name, counts in hints.items()
        }
        # The rows of a limit are rows that match, and which do is not known where a predicate is
        # passed over.
        ignores_hints = any(name in parameters and not counts for name, counts in hints.items())
        return self._rules.select(
            snapshot,
            predicate_hints=counting["predicateHints"],
            json_predicate_hints=counting["jsonPredicateHints"],
            limit=None if ignores_hints else parameters.get("limitHint"),
        )


def links_of(request: Request, files: Files) -> Links:
    """Return the URLs of one answer."""
    table, expires = request.table, files.until()
    return Links(
        files.keyer(table),
        files.address(table, request.caller.base),
        files.signature(table, expires),
        expires,
    )


def _mark(snapshot: Snapshot, places: Sequence[int], start: int) -> str:
    """Return the id of the file before a page: a version that is read again may list its files in
    another order.
    """
    return blake2b(snapshot.files[places[start - 1]]["path"].encode(), digest_size=9).hexdigest()


def _check_mark(snapshot: Snapshot, places: Sequence[int], start: int, mark: str) -> None:
    if start > len(places) or _mark(snapshot, places, start) != mark:
        raise malformed(
            "pageToken cannot be used any more: the files of that version are now listed in another"
            " order; ask for the first page"
        )


class Rules(ServiceRules):
    """Decisions about lists of files that a fault may replace."""

    select = staticmethod(select)
    page_of_files = staticmethod(page_of_files)
