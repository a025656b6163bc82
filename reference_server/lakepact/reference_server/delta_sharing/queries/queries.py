"""Requests about a table: parsed from bodies and parameters, and compared with the token that they
carry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lakepact.reference_server.delta_sharing.answers import refusal
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.service import Rules as ServiceRules

#: Members that make out what is asked; the rest of a request says how it is to be sent.
ASKED = (
    "predicateHints",
    "jsonPredicateHints",
    "limitHint",
    "version",
    "timestamp",
    "startingVersion",
    "endingVersion",
)
HISTORICAL_PROTOCOL = "includeHistoricalProtocol"  #: of version 2026-08
WHOLE_NUMBERS = frozenset({"limitHint", "version", "startingVersion", "endingVersion", "maxFiles"})
POINTS = ("version", "timestamp", "startingVersion")  #: where to look, each in its own way
REFRESHES = ("includeRefreshToken", "refreshToken")


def malformed(message: str) -> Problem:
    """Return the refusal of a request that asks for what there cannot be."""
    return refusal(400, message)


@dataclass(frozen=True, slots=True)
class Query:
    """The content of a query.

    Args:
        parameters: the parameters by the contract's names; equal ones mean the same query.
        max_files: the maximum number of files in the answer.
        page_token: the position to continue at.
        refresh_token: the earlier answer to repeat.
        refreshable: whether to send a refresh token.
    """

    parameters: Mapping[str, Any]
    max_files: int | None = None
    page_token: str | None = None
    refresh_token: str | None = None
    refreshable: bool = False


def points_exclude_each_other(parameters: Mapping[str, Any], points: tuple[str, ...]) -> None:
    """Check that a request selects a version in only one way."""
    names = [name for name in points if name in parameters]
    if len(names) > 1:
        raise malformed(f"{' and '.join(names)} exclude each other; send one of them")


def refreshes_begin_at_the_latest_version(body: Mapping[str, Any]) -> None:
    """Check that a query with a refresh token names no version and is the first page.

    The official server refuses these combinations.
    """
    refresh = [name for name in REFRESHES if body.get(name)]
    others = [name for name in (*POINTS, "pageToken") if name in body]
    if refresh and others:
        raise malformed(f"{refresh[0]} and {others[0]} exclude each other; leave {refresh[0]} out")


def limit_is_not_negative(limit: int) -> None:
    """Check that a limit is not negative."""
    if limit < 0:
        raise malformed(f"limitHint must be at least 0, but is {limit}")


def range_is_in_order(first: int, last: int | None) -> None:
    """Check that a range does not end before it starts."""
    if last is not None and last < first:
        raise malformed(
            f"the range ends with version {last}, before it starts with version {first}"
        )


def range_ends_with_a_version(last: int | None, newest: int) -> None:
    """Check that a range does not end after the current version, as the official server does."""
    if last is not None and last > newest:
        raise malformed(f"endingVersion {last} is after the current version {newest}")


def read_query(
    body: Mapping[str, Any], rules: Rules, *, historical_protocol: bool = False
) -> Query:
    """Return the query of a body; null and unknown members count as absent.

    Args:
        body: the body.
        rules: the decisions.
        historical_protocol: whether `includeHistoricalProtocol` is a known member.

    Raises:
        Problem: 400, members exclude each other or are out of range.
    """
    values: dict[str, Any] = {
        name: int(value) if name in WHOLE_NUMBERS else value
        for name, value in body.items()
        if value is not None
    }
    rules.points_exclude_each_other(values, POINTS)
    rules.refreshes_begin_at_the_latest_version(values)
    if "limitHint" in values:
        rules.limit_is_not_negative(values["limitHint"])
    if "startingVersion" not in values:
        values.pop("endingVersion", None)
    if not values.get("predicateHints"):
        values.pop("predicateHints", None)
    parameters = {name: values[name] for name in ASKED if name in values}
    if historical_protocol and "startingVersion" in values and values.get(HISTORICAL_PROTOCOL):
        parameters[HISTORICAL_PROTOCOL] = True
    return Query(
        parameters,
        max_files=values.get("maxFiles"),
        page_token=values.get("pageToken"),
        refresh_token=values.get("refreshToken"),
        refreshable=values.get("includeRefreshToken", False),
    )


def query_of_token(
    parameters: Mapping[str, Any], content: Mapping[str, Any], *, member: str, whole: bool
) -> Mapping[str, Any]:
    """Return the query that a token was issued for.

    Args:
        parameters: the members of the request.
        content: the members in the token.
        member: the name of the token's member or parameter.
        whole: whether the request has to repeat all members; otherwise those that it has must be
            equal.

    Raises:
        Problem: 400, the request differs.
    """
    for name in parameters.keys() | (content.keys() if whole else ()):
        if name not in content or name not in parameters or content[name] != parameters[name]:
            raise malformed(
                f"{member} was made for another query: {name} is not what it was then; repeat the"
                " query with the token"
            )
    return content


class Rules(ServiceRules):
    """Decisions about what requests ask for that a fault may replace."""

    points_exclude_each_other = staticmethod(points_exclude_each_other)
    refreshes_begin_at_the_latest_version = staticmethod(refreshes_begin_at_the_latest_version)
    limit_is_not_negative = staticmethod(limit_is_not_negative)
    range_is_in_order = staticmethod(range_is_in_order)
    range_ends_with_a_version = staticmethod(range_ends_with_a_version)
    query_of_token = staticmethod(query_of_token)
