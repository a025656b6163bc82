"""Checks of concurrent operations on one table or name: no acknowledged operation undoes another.

The second operation starts a little later in each repetition, so that it meets the first in another
phase.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from lakepact.conformance.checks.iceberg_rest.api import (
    Blocked,
    CatalogLab,
    Kind,
    Namespace,
    Place,
    Reply,
    Table,
    Wrong,
    check,
    expect,
    op,
    set_properties,
    states,
)
from lakepact.conformance.checks.iceberg_rest.kit.concurrency import send_after, side_by_side
from lakepact.conformance.checks.iceberg_rest.kit.renames import (
    identifier,
    rename_table,
    rename_view,
)
from lakepact.conformance.checks.iceberg_rest.kit.views import create
from lakepact.conformance.checks.iceberg_rest.tables.rename import expect_no_table, rename_and_load

Send = Callable[[], Reply]
Contender = Callable[[str], Reply]

ROUNDS = 8  #: of each race
STEP = 0.0005  #: seconds by which what comes second comes later in each round
COMMITS = 6  #: that meet one rename, or one drop


def _met(lab: CatalogLab, first: Send, *others: Send, turn: int) -> list[Reply]:
    """Return the answers to a request and to others that come more or less later, in each second
    turn sooner.
    """
    delay = STEP * (turn % ROUNDS)
    if turn % 2:
        return side_by_side(lab, [partial(send_after, first, delay), *others], what="requests")
    behind = [partial(send_after, send, delay + STEP * place) for place, send in enumerate(others)]
    return side_by_side(lab, [first, *behind], what="requests")


def _commits(lab: CatalogLab, table: Table) -> dict[str, Send]:
    """Return commits that set a property each."""
    keys = [f"lakepact.racing.{number}" for number in range(COMMITS)]
    return {key: partial(lab.try_commit, table, set_properties(**{key: key})) for key in keys}


def _require_absence(lab: CatalogLab, table: Table, requirement: str) -> None:
    """Check that no table has the name after a request alone, by the requirement that promises it.

    Raises:
        StepFailed: there is one.
    """
    with lab.step(requirement):
        expect_no_table(lab, table.namespace, table.name)


@check("IRC-TBL-REN-014", alone=True)
def commits_during_renames_are_kept(lab: CatalogLab) -> None:
    """Commits accepted while their table is renamed are in the renamed table, and the old name
    returns 404.
    """
    home = lab.make_namespace()
    first = lab.make_table(home)
    rename_and_load(lab, first, lab.name())
    _require_absence(lab, first, "IRC-TBL-REN-001")
    for turn in lab.each(lab.repeat(ROUNDS)):
        table, name = lab.make_table(home), lab.name()
        commits = _commits(lab, table)
        rename, *replies = _met(
            lab,
            partial(rename_table, lab, table.identifier, identifier(home, name)),
            *commits.values(),
            turn=turn,
        )
        if rename.status != 204:
            continue
        load = lab.send(op.load_table, namespace=home, table=name)
        with lab.judge("IRC-TBL-REN-014"):
            expect.status(load, 200)
            properties = states.properties_of(Table(home, name, load))
            missing = [
                key
                for key, reply in zip(commits, replies, strict=True)
                if reply.status == 200 and properties.get(key) != key
            ]
            expect.equal(
                [],
                missing,
                "properties of accepted commits that the table lacks:",
                at=load.place("metadata", "properties"),
                kind=Kind.LOST,
            )
            expect_no_table(lab, home, table.name)


@check("IRC-TBL-DROP-011", alone=True)
def dropped_tables_stay_dropped(lab: CatalogLab) -> None:
    """A table whose drop returned 204 returns 404, whatever concurrent commits or renames were
    accepted.
    """
    home, purge_values = lab.make_namespace(), lab.ways_to_drop()
    first = lab.make_table(home)
    lab.drop_table(**first.at)
    _require_absence(lab, first, "IRC-TBL-DROP-001")
    for turn in lab.each(lab.repeat(ROUNDS)):
        table, name = lab.make_table(home), lab.name()
        drop = partial(lab.send, op.drop_table, purge_requested=purge_values[0], **table.at)
        drop_reply, *_ = _met(lab, drop, *_commits(lab, table).values(), turn=turn)
        if drop_reply.status == 204:
            with lab.judge("IRC-TBL-DROP-011"):
                expect_no_table(lab, home, table.name)
        if not lab.offers(op.rename_table):
            continue
        table = lab.make_table(home)
        drop = partial(lab.send, op.drop_table, purge_requested=purge_values[0], **table.at)
        drop_reply, rename = _met(
            lab,
            drop,
            partial(rename_table, lab, table.identifier, identifier(home, name)),
            turn=turn,
        )
        if drop_reply.status == 204:
            with lab.judge("IRC-TBL-DROP-011"):
                rename_texts = (
                    "no rename of a table that was dropped at the same moment",
                    rename.summary,
                )
                expect.true(
                    rename.status != 204, *rename_texts, at=Place(rename.exchange, "/status")
                )
                expect_no_table(lab, home, table.name)
                expect_no_table(lab, home, name)


@check("IRC-TBL-CREATE-030", alone=True)
def concurrent_requests_for_a_name_have_one_winner(lab: CatalogLab) -> None:
    """When a table or view is created or renamed to one name concurrently with another, exactly one
    request succeeds.
    """
    home = lab.make_namespace()
    renames, views = _keep_names_apart(lab, home)
    if not renames and not views:
        raise Blocked(
            "neither a renamed table nor a new view is refused the name of a table, so that nothing"
            " can race for one"
        )
    for turn in lab.each(lab.repeat(ROUNDS)):
        for contenders in lab.each(_contenders(lab, home, renames=renames, views=views)):
            name = lab.name()
            lab.drop_afterwards(home, name)
            first, second = (partial(contender, name) for contender in contenders)
            replies = _met(lab, first, second, turn=turn)
            with lab.judge("IRC-TBL-CREATE-030") as case:
                for reply in replies:
                    with case():
                        expect.status(reply, 200, 204, 409, mutation=Wrong.PRESENT("table or view"))
                operations = " and ".join(reply.exchange.operation or "" for reply in replies)
                successes = [reply.status for reply in replies if reply.status < 300]
                expect.equal(
                    1,
                    len(successes),
                    f"successful requests among {operations} for one name:",
                    at=None,
                )


def _keep_names_apart(lab: CatalogLab, home: Namespace) -> tuple[bool, bool]:
    """Return whether names of tables are refused to renames and views; IRC-TBL-REN and
    IRC-VIEW-CREATE judge that.
    """
    table, other = lab.make_table(home), lab.make_table(home)
    renames = (
        lab.offers(op.rename_table)
        and rename_table(lab, table.identifier, other.identifier).status == 409
    )
    views = lab.offers(op.create_view) and create(lab, home, other.name).status == 409
    return renames, views


def _contenders(
    lab: CatalogLab, home: Namespace, *, renames: bool, views: bool
) -> Iterator[tuple[Contender, Contender]]:
    """Pairs of what wants a name."""

    def table(name: str) -> Reply:
        return lab.try_create_table(home, name)

    def renaming() -> Contender:
        source = lab.make_table(home).identifier
        return lambda name: rename_table(lab, source, identifier(home, name))

    if renames:
        yield table, renaming()
    if views:
        yield table, partial(create, lab, home)
    if views and renames:
        yield partial(create, lab, home), renaming()
    if views and lab.offers(op.rename_view):
        source = identifier(home, lab.make_view(home))
        yield table, lambda name: rename_view(lab, source, identifier(home, name))
