"""The client works on catalog servers of others, except for what they cannot do, which is listed
with its reason.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from servers_matrix.sharing_servers import SHARING

from .catalogs import FOREIGN, OpenCatalog
from .limits import LIMITS, Limit
from .results import FAILS, WORKS, Results
from .sharing_things import SHARING_THINGS, Shared
from .things import THINGS


@pytest.mark.foreign
@pytest.mark.parametrize("thing", THINGS)
def test_thing_works_or_has_its_reason(
    foreign_catalog: OpenCatalog, thing: str, results: Results
) -> None:
    check(
        thing, foreign_catalog.foreign.server.name, results, partial(THINGS[thing], foreign_catalog)
    )


@pytest.mark.foreign
@pytest.mark.filterwarnings(  # Spark leaves sockets open
    "default::ResourceWarning", "default::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("thing", SHARING_THINGS)
def test_sharing_thing_works_or_has_its_reason(
    shared: Shared, thing: str, sharing_results: Results
) -> None:
    check(thing, SHARING[0].name, sharing_results, partial(SHARING_THINGS[thing], shared))


def check(thing: str, server: str, results: Results, run: Callable[[], list[str]]) -> None:
    limit = next((each for each in LIMITS if each.covers(server, thing)), None)
    results.add(thing, server, FAILS)

    failures = run()

    if limit is None:
        assert not failures, "\n".join(["fails without a reason in limits.toml:", *failures])
    else:
        complaint = limit.complaint(failures)
        assert not complaint, complaint
    results.add(thing, server, limit.reason if limit else WORKS)


def test_every_limit_is_about_a_server_and_a_thing() -> None:
    pairs = [(foreign.server.name, thing) for foreign in FOREIGN for thing in THINGS]
    pairs += [(SHARING[0].name, thing) for thing in SHARING_THINGS]

    assert not [limit for limit in LIMITS if not any(limit.covers(*each) for each in pairs)]


@pytest.mark.parametrize(
    ("failures", "complaint"),
    [
        (["step 1: 500 a", "step 2: b"], ""),
        ([], "works now"),
        (["step 1: 500 a"], "fails otherwise"),
        (["step 1: 501 a", "step 2: b"], "fails otherwise"),
        (["step 1: 500 a", "step 2: b", "step 3: c"], "fails otherwise"),
    ],
)
def test_limit_accepts_its_failures_and_no_others(failures: list[str], complaint: str) -> None:
    text = Limit("nessie", "views: *", "It has none.", ("500", "b")).complaint(failures)

    assert text.startswith(complaint)
    assert bool(text) == bool(complaint)


def test_page_shows_what_did_not_run_and_why() -> None:
    results = Results(not_run={"nessie": "no mvn on this machine"})
    servers = [foreign.server for foreign in FOREIGN]
    for server in servers:
        if server.name != "nessie":
            results.add("views: create", server.name, WORKS)

    page = results.page(servers)

    assert "| views: create | yes | not run (1) | yes |" in page
    assert "1. Nessie: no mvn on this machine" in page
    assert results.is_complete(["views: create"], servers)
    assert not results.is_complete(["views: create", "views: drop"], servers)
