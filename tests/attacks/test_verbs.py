"""No verb runs code, opens files, sends tokens elsewhere, or takes endless memory or time for a
hostile catalog or share.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import httpx
import pytest
from click.testing import CliRunner
from pyiceberg.catalog import load_catalog

from attacks.verb_runs import MOST_MIB, MOST_SECONDS, opened_files, run_verb
from campaigns import Here, few_cases, ran
from faulty import mutants
from lakepact.cli import main
from lakepact.cli.verbs import VERBS
from lakepact.conformance.campaign import run_verdicts, tables
from lakepact.reference_server.running import running
from sampling import some
from server_doubles import hostile_peers
from server_doubles.hostile_peers import OWN
from two_catalogs import ROWS, create, served

CATALOG, SHARE, SUITE = "catalog", "share", "suite"
MODES = {
    CATALOG: ("code", "moved", "files", "same-page", "endless", "bomb"),
    SHARE: ("moved", "same-page", "endless", "bomb"),
    SUITE: ("endless", "bomb"),
}
TOKEN = ("--token-env", "LAKEPACT_TOKEN")
OF_CATALOG = ("--catalog", "URL", *TOKEN)
#: The arguments of each verb that takes an address, by the kind of its peer.
VERBS_WITH_ADDRESS: dict[str, dict[str, tuple[str, ...]]] = {
    "campaign land": {CATALOG: ("--run", "RUN", "--as", "iceberg", *OF_CATALOG)},
    "campaign minimize": {
        SUITE: ("--run", "RUN", "--case", "CASE", "--target", "a", "--url", "URL")
    },
    "campaign replay": {SUITE: ("--run", "RUN", "--case", "CASE", "--target", "a", "--url", "URL")},
    "campaign run": {
        SUITE: ("--plan", "PLAN", "--target", "a=URL", "--out", "OUT", "--engine", "local"),
    },
    "campaign trends": {CATALOG: OF_CATALOG},
    "cat": {CATALOG: ("URL", "ns.t", *TOKEN, "--limit", "1"), SHARE: ("PROFILE", "s.ns.t")},
    "check": {SUITE: ("URL", "--only", "IRC-CFG-*", "--timeout", "2", "--max-wait", "5")},
    "clean": {SUITE: ("URL",)},
    "data compare": {
        CATALOG: ("URL", "URL", "--table", "ns.*", "--token-env-a", "LAKEPACT_TOKEN"),
        SHARE: ("PROFILE#s", "PROFILE#s", "--table", "*"),
    },
    "data verify": {
        CATALOG: ("WRITTEN", *OF_CATALOG),
        SHARE: ("WRITTEN", "--sharing", "URL", "--sharing-token-env", "LAKEPACT_TOKEN"),
    },
    "data write": {
        CATALOG: ("OUT", "--rows", "10", "--shape", "narrow", "--as", "iceberg", *OF_CATALOG)
    },
    "diff": {SUITE: ("URL", "URL", "--only", "getConfig", "--seeds", "1")},
    "ls": {CATALOG: ("URL", "ns", *TOKEN), SHARE: ("PROFILE", "s")},
    "probe": {SUITE: ("URL", "--timeout", "2")},
    "show": {CATALOG: ("URL", "ns.t", *TOKEN), SHARE: ("PROFILE", "s.ns.t")},
}
#: Verbs that send no request: they read files of their user, or start servers and clients.
VERBS_WITHOUT_ADDRESS = {
    "baseline",
    "campaign judge",
    "campaign plan",
    "campaign report",
    "check-client",
    "completion",
    "contracts diff",
    "contracts list",
    "explain",
    "fixtures delta",
    "generate",
    "issue",
    "list",
    "matrix",
    "report",
    "reproduce",
    "serve",
    "store accept-loss",
    "store check",
}
CASES = [
    (verb, kind, mode)
    for verb, kinds in VERBS_WITH_ADDRESS.items()
    for kind in kinds
    for mode in MODES[kind]
]


def leaves(command: click.Command, name: str) -> Iterator[str]:
    if isinstance(command, click.Group):
        for each, inner in command.commands.items():
            yield from leaves(inner, f"{name} {each}")
    else:
        yield name


def test_every_verb_is_attacked_or_named_as_without_address() -> None:
    verbs = {leaf for name, verb in VERBS.items() for leaf in leaves(verb.load(), name)}

    assert verbs == VERBS_WITH_ADDRESS.keys() | VERBS_WITHOUT_ADDRESS
    assert not VERBS_WITH_ADDRESS.keys() & VERBS_WITHOUT_ADDRESS


@dataclass(frozen=True)
class Local:
    """Things of the caller's machine: folders of verbs, and a table that a hostile catalog gives as
    its own.
    """

    folder: Path
    case: str  #: one that breaks a requirement
    table: dict[str, Any]
    created: dict[str, Any]

    def words(self, words: tuple[str, ...], url: str, out: Path) -> list[str]:
        """Return arguments with their names replaced."""
        profile = out / "hostile.share"
        document = {"shareCredentialsVersion": 1, "endpoint": url, "bearerToken": "of-the-profile"}
        profile.write_text(json.dumps(document))
        places = {
            "PROFILE": str(profile),
            "URL": url,
            "OUT": str(out / "out"),
            "CASE": self.case,
            "RUN": str(self.folder / "run"),
            "PLAN": str(self.folder / "plan"),
            "WRITTEN": str(self.folder / "written"),
        }
        for name, place in places.items():
            words = tuple(word.replace(name, place) for word in words)
        return list(words)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Local:
    folder = tmp_path_factory.mktemp("local")
    few_cases(folder / "plan")
    with running(warehouse="memory:", faults=mutants(("creation-is-201",))) as server:
        ran(folder / "plan", folder / "run", Here(), f"a={server.url}")
    run_verdicts.judge(folder / "run", Here())
    run_verdicts.analyse(folder / "run", Here())
    written = ["data", "write", str(folder / "written"), "--rows", "10", "--shape", "narrow"]
    assert CliRunner().invoke(main, written).exit_code == 0
    with served(folder / "secret") as url:
        with load_catalog("own", type="rest", uri=url) as catalog:
            catalog.create_namespace("ns")
            create(catalog, "ns.t", ROWS)
            create(catalog, "ns.empty", [])
        answers = [
            httpx.get(f"{url}/v1/namespaces/ns/tables/{name}").json() for name in ("t", "empty")
        ]
    chosen = folder / "chosen"
    chosen.mkdir()
    created = {**answers[1], "metadata": {**answers[1]["metadata"], "location": chosen.as_uri()}}
    results = tables.read(folder / "run" / "results", tables.RESULTS).to_pylist()
    case = next(row["case_id"] for row in results if row["verdict"] == "fail")
    return Local(folder, case, answers[0], created)


@pytest.mark.parametrize(("verb", "kind", "mode"), some(CASES, 12))
def test_verb_withstands_a_hostile_peer(
    verb: str, kind: str, mode: str, local: Local, tmp_path: Path
) -> None:
    peer = (
        hostile_peers.share(mode)
        if kind == SHARE
        else hostile_peers.catalog(mode, local.table, local.created)
    )
    with (
        hostile_peers.serving(peer),
        opened_files(local.folder / "secret", local.folder / "chosen") as opened,
    ):
        # As a proxy it is the server of every host, and no loopback address.
        proxy = {"HTTP_PROXY": peer.url, "http_proxy": peer.url, "NO_PROXY": "", "no_proxy": ""}
        url = peer.url if kind == SUITE else f"http://{OWN}"
        words = [*verb.split(), *local.words(VERBS_WITH_ADDRESS[verb][kind], url, tmp_path)]
        done = run_verb(words, tmp_path, {} if kind == SUITE else proxy)

    assert not done.ran_code
    assert opened == []
    assert [*(local.folder / "chosen").iterdir()] == []
    assert peer.requests
    assert peer.tokens_elsewhere == []
    assert peer.void_tokens == []
    assert done.seconds < MOST_SECONDS, done.output[-500:]
    assert done.mib < MOST_MIB, done.output[-500:]
    assert "Traceback" not in done.output


def test_catalog_without_authentication_gets_no_authorization(local: Local, tmp_path: Path) -> None:
    peer = hostile_peers.catalog("files", local.table, local.created)
    with hostile_peers.serving(peer):
        words = ["data", "compare", peer.url, peer.url, "--table", "ns.*", "--sample", "0"]
        done = run_verb(words, tmp_path, {})

    assert done.code == 0, done.output
    assert {token for _, _, token in peer.requests} == {None}


def test_password_in_a_property_is_not_shown(local: Local, tmp_path: Path) -> None:
    tables = [
        {**local.table, "metadata": {**local.table["metadata"], "properties": {"store": url}}}
        for url in ("jdbc://user:hunter2@one", "jdbc://user:hunter3@two")
    ]
    with (
        hostile_peers.serving(hostile_peers.catalog("", tables[0], {})) as a,
        hostile_peers.serving(hostile_peers.catalog("", tables[1], {})) as b,
    ):
        words = ["data", "compare", a.url, b.url, "--table", "ns.*", "--sample", "0"]
        done = run_verb([*words, "--count", "property", "--json"], tmp_path, {})

    assert "property store" in done.output
    assert "hunter" not in done.output
