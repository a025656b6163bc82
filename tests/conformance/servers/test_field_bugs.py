"""Servers with bugs that people met in the field: each is found by a requirement that was written
for its class.

A row names the thread in which the bug was reported. `UNSEEN` lists those that no server shows to
its callers.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from faulty import unnamed
from faulty_servers import checked, outcomes_of, refuses
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.running import suite as suites
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Fault, Install, all_of, on_answer, on_wire, wrap_rule
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.wire import Wire
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants import fault_named
from mutants.hunting import served
from mutants.iceberg_rest.operators.races import FAILURE
from sampling import some

BROKEN = {Outcome.FAIL, Outcome.WARN}
WHILE = 0.05  #: seconds for which a request is under way
ENVELOPE = "storage-credentials"
EXPIRY, REFRESH = "s3.session-token-expires-at-ms", "client.refresh-credentials-endpoint"


@dataclass(frozen=True)
class Row:
    """A bug of the field: where it was reported, the server that has it, and the requirements that
    find it.
    """

    where: str
    fault: str | Install  #: the name of a mutant that is this bug, or the bug itself
    requirements: tuple[str, ...]
    contract: str = "iceberg_rest"
    version: str = ""

    @property
    def about(self) -> tuple[str, str]:
        """The contract and its version."""
        return self.contract, self.version

    def built(self) -> Fault:
        """Return the fault of the server."""
        return (
            fault_named(self.fault, self.contract, self.version or None)
            if isinstance(self.fault, str)
            else unnamed(self.fault)
        )


# -- bugs that are no mutant of the suite ----------------------------------------------------------


def creation_fails_beside_a_drop() -> Install:
    """Return 500 for the creation of a table in whose namespace another is being dropped."""
    dropping: Counter[bytes] = Counter()

    async def drop(wire: Wire, reply: Reply) -> None:
        home = wire.scope["raw_path"].rpartition(b"/")[0]
        dropping[home] += 1
        await asyncio.sleep(WHILE)
        dropping[home] -= 1
        await wire.answer(reply)

    async def create(wire: Wire, reply: Reply) -> None:
        await asyncio.sleep(WHILE / 4)
        await wire.answer(FAILURE if dropping[wire.scope["raw_path"]] else reply)

    return all_of(on_wire(op.drop_table, drop), on_wire(op.create_table, create))


def _configs(document: Document) -> list[dict[str, str]]:
    return (
        [document["config"], *(one["config"] for one in document[ENVELOPE])]
        if document.get(ENVELOPE)
        else []
    )


def credentials_for_an_hour_alone(document: Document) -> None:
    """Send a session token in `config` alone, without its expiry and without an endpoint that
    refreshes it.
    """
    for config in _configs(document):
        config.pop(EXPIRY, None)
        config.pop(REFRESH, None)
    document.pop(ENVELOPE, None)


def _other_credentials(change: Callable[[dict[str, str]], dict[str, str]]) -> Install:
    def wrap(usual: Callable[..., list[Document]]) -> Callable[..., list[Document]]:
        def credentials(*arguments: Any, **options: Any) -> list[Document]:
            return [
                {**one, "config": change(one["config"])} for one in usual(*arguments, **options)
            ]

        return credentials

    return wrap_rule("storage_credentials", wrap)


def sas_token(config: dict[str, str]) -> dict[str, str]:
    """Return a SAS token whose expiry has the account in front."""
    account = "lake.dfs.core.windows.net"
    return {
        f"adls.sas-token.{account}": "sv=1",
        f"adls.{account}.sas-token-expires-at-ms": config[EXPIRY],
    }


def region_and_endpoint(config: dict[str, str]) -> dict[str, str]:
    """Return settings of a bucket, and no secret."""
    return {
        "s3.region": config.get("client.region", "eu-central-1"),
        "s3.endpoint": "http://127.0.0.1:9",
    }


def signs_by_remote_alone(arguments: dict[str, Any]) -> bool:
    return list(arguments.get("x_iceberg_access_delegation", ())) == ["remote-signing"]


TABLES = (op.create_table, op.load_table)

ROWS = (
    Row(
        "delta-io/delta-sharing#715", "failures-have-another-name", ("DS-EST-07",), "delta_sharing"
    ),
    Row(
        "delta-io/delta-sharing#159",
        "everything-is-shared-from-the-start",
        ("DS-TTV-14",),
        "delta_sharing",
    ),
    Row("delta-io/delta-sharing#437", "replicas-lag-behind", ("DS-VER-09",), "delta_sharing"),
    Row("apache/polaris#1989", "simultaneous-updates-fail", ("IRC-NS-PROP-019",)),
    Row("apache/polaris#4408", creation_fails_beside_a_drop(), ("IRC-TBL-CREATE-034",)),
    Row("apache/polaris#5138", "stale-snapshots-are-bad-requests", ("IRC-UPD-091",)),
    Row("apache/iceberg#10369", "stages-start-at-version-two", ("IRC-TBL-STAGE-015",)),
    Row("lakekeeper/lakekeeper#780", "locations-that-begin-alike-overlap", ("IRC-TBL-CREATE-033",)),
    Row("apache/polaris#2177", "credentials-without-refresh-endpoint", ("IRC-TBL-CRED-012",)),
    Row("apache/polaris#2633", _other_credentials(sas_token), ("IRC-TBL-CRED-011",)),
    Row("apache/polaris#2713", "stages-without-credentials", ("IRC-TBL-CRED-014",)),
    Row(
        "apache/polaris#5473",
        refuses(TABLES, signs_by_remote_alone, 400),
        ("IRC-TBL-CREATE-032", "IRC-TBL-LOAD-019"),
    ),
    Row(
        "lakekeeper/lakekeeper#1923", _other_credentials(region_and_endpoint), ("IRC-TBL-CRED-013",)
    ),
    Row(
        "unitycatalog/unitycatalog#1885",
        on_answer(TABLES, credentials_for_an_hour_alone),
        ("IRC-TBL-CRED-011", "IRC-TBL-CRED-012", "IRC-TBL-CRED-017"),
    ),
    Row("apache/polaris#4941", "purges-leave-delete-files", ("IRC-TBL-DROP-013",)),
    Row("lakekeeper/lakekeeper#923", "purges-what-begins-alike", ("IRC-TBL-DROP-012",)),
    Row("apache/polaris#4404", "limited-without-a-body", ("IRC-ERR-019",)),
    Row("lakekeeper/lakekeeper#1862", "tags-outlive-credentials", ("IRC-TBL-ETAG-013",)),
    Row(
        "lakekeeper/lakekeeper#1947",
        "credentials-say-nothing-of-caches",
        ("IRC-TBL-CRED-015", "IRC-TBL-ETAG-014"),
    ),
    Row(
        "lakekeeper/lakekeeper#1952",
        "lifetime-of-keys-is-an-override",
        ("IRC-IDEM-021", "IRC-IDEM-022"),
        version="1.11.0",
    ),
    Row("apache/polaris#5551", "overwriting-reads-what-it-replaces", ("IRC-TBL-REG-015",)),
    Row("apache/polaris#4920", "refused-transactions-forget-files", ("IRC-TXN-018",)),
    Row("apache/polaris#5145", "applied-commits-are-refused", ("IRC-COM-033",)),
)

#: Rows that are found elsewhere, or not at all, and why.
UNSEEN = {
    "apache/polaris#4884": "test_credential_scope.py rebuilds it, because it takes a bucket that enforces policies (IRC-TBL-CRED-016)",
    "apache/iceberg#14881": "no clause says that metadata tables can be planned, and clients resolve their names themselves",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("field-bugs")


def outcomes(
    about: tuple[str, str], requirements: Sequence[str], folder: Path, *faults: Fault
) -> dict[str, Outcome]:
    """Return the outcomes of requirements against a server of a contract and version with these
    faults.
    """
    contract, version = about
    suite = suites.load(contract, version or None)
    own = folder / f"{contract}-{version}"  # servers of different versions have different settings
    own.mkdir(exist_ok=True)
    with served(suite, str(own), faults=faults) as target:
        by_requirement = outcomes_of(checked(target, *requirements, of=suite))
    return {
        requirement: outcome
        for requirement, outcome in by_requirement.items()
        if requirement in requirements
    }


@pytest.mark.parametrize("row", some(ROWS, 2), ids=lambda row: row.where)
def test_bug_of_the_field_breaks_the_requirement_of_its_class(row: Row, folder: Path) -> None:
    actual = outcomes(row.about, row.requirements, folder, row.built())

    assert {
        requirement: outcome for requirement, outcome in actual.items() if outcome not in BROKEN
    } == {}


@pytest.mark.parametrize("about", sorted({row.about for row in ROWS}), ids="-".join)
def test_server_without_bugs_keeps_the_requirements(about: tuple[str, str], folder: Path) -> None:
    requirements = sorted(
        {requirement for row in ROWS if row.about == about for requirement in row.requirements}
    )

    assert set(outcomes(about, requirements, folder).values()) == {Outcome.PASS}
