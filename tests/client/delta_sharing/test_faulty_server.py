"""Clients of a faulty server raise an error and never read wrong rows."""

from __future__ import annotations

import asyncio
import contextlib

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from faulty import mutants
from lakepact.client import BadReply, DamagedData, QueryFailed, errors
from lakepact.client.retries import NO_RETRIES
from lakepact.generated.contract import Contract
from lakepact.reference_server import running
from lakepact.reference_server.faults import ANSWERS

from .serving import KINDS, Driven
from .test_round_trip import shared

CONTRACT = "delta_sharing"
OPERATIONS = sorted(Contract(CONTRACT).operations)
#: A call of each operation.
CALLS = [
    lambda client, _: client.share("s"),
    lambda _, table: table.metadata(),
    lambda _, table: table.version(),
    lambda client, _: client.all_tables("s"),
    lambda client, _: client.schemas("s"),
    lambda client, _: client.shares(page_size=1),
    lambda client, _: client.tables("s", "d"),
    lambda _, table: table.to_arrow(),
    lambda _, table: [file.facts for file in table.files()],
    lambda _, table: table.changes(starting_version=0).to_arrow(),
]
IDS = [1, 2, 3, 4]


@pytest.fixture(scope="module")
def shares(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faulty")
    for ids in (IDS[:2], IDS[2:]):
        table = pa.table({"id": ids, "part": [str(number) for number in ids]})
        write_deltalake(
            str(folder / "t"),
            table,
            mode="append",
            partition_by=["part"],
            configuration={"delta.enableChangeDataFeed": "true"},
        )
    return shared(folder)


@contextlib.contextmanager
def facing(shares, *faults, kind="sync"):
    """Yield a client of a server with these faults, and its table."""
    with (
        running(shares=shares, contract=CONTRACT, faults=mutants(faults, CONTRACT)) as server,
        asyncio.Runner() as runner,
    ):
        profile = {
            "shareCredentialsVersion": 1,
            "endpoint": server.address(CONTRACT),
            "bearerToken": "tok",
        }
        client = Driven(KINDS[kind](profile, retries=NO_RETRIES), runner)
        yield client, client.table("s", "d", "t")
        client.close()


@pytest.mark.parametrize("fault", sorted(set(ANSWERS) - {"slow"}))
@pytest.mark.parametrize("kind", KINDS)
def test_calls_to_a_faulty_server_return_or_raise_a_lakepact_error(shares, fault, kind):
    with facing(shares, *(f"{operation}.{fault}" for operation in OPERATIONS), kind=kind) as (
        client,
        table,
    ):
        returns = 0
        for call in CALLS:
            with contextlib.suppress(errors.LakepactError):
                call(client, table)
            returns += 1

        assert returns == len(CALLS)


@pytest.mark.parametrize(
    "name",
    [
        "columns-have-other-names",
        "files-are-not-wrapped",
        "partition-columns-are-not-in-the-schema",
    ],
)
def test_wrong_rows_raise_an_error(shares, name):
    with facing(shares, name) as (_, table), pytest.raises((BadReply, DamagedData, QueryFailed)):
        table.to_arrow()


def test_rows_of_a_correct_server_are_read(shares):
    with facing(shares) as (_, table):
        assert sorted(table.to_arrow()["id"].to_pylist()) == IDS
