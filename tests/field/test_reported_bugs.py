"""Bugs of published clients, each rebuilt as a fault of a small client, and the requirement whose
check finds it.

The first column is the public thread in which the bug was reported. `test_clients_under_test` runs
every fault. The page docs/from-a-bug-to-a-check.md tells how a report gets here.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from client_faults import FAULTS
from lakepact.conformance.clients.command import check_client

ROWS = (
    ("duckdb/duckdb-iceberg#1353", "iceberg_rest", "always-asks-for-credentials", "IRC-CLI-036"),
    ("apache/iceberg#11539", "iceberg_rest", "joins-parents-by-dots", "IRC-CLI-010"),
    ("apache/iceberg-python#995", "iceberg_rest", "repeats-the-parent", "IRC-CLI-010"),
    ("apache/iceberg-go#1832", "iceberg_rest", "needs-an-error-body", "IRC-CLI-018"),
    ("apache/iceberg-rust#1234", "iceberg_rest", "needs-an-error-body", "IRC-CLI-018"),
    ("apache/iceberg#17250", "iceberg_rest", "config-of-views-is-an-object", "IRC-CLI-029"),
    ("apache/iceberg#17756", "iceberg_rest", "gives-up-after-a-failed-refresh", "IRC-CLI-026"),
    ("apache/iceberg-go#794", "iceberg_rest", "never-refreshes", "IRC-CLI-025"),
    ("apache/iceberg-rust#1393", "iceberg_rest", "asks-for-tokens-in-json", "IRC-CLI-024"),
    ("apache/iceberg-go#1484", "iceberg_rest", "never-ends", "IRC-CLI-009"),
    ("apache/iceberg-python#3348", "iceberg_rest", "does-not-page", "IRC-CLI-007"),
    ("apache/iceberg-rust#1096", "iceberg_rest", "does-not-page", "IRC-CLI-007"),
    (
        "apache/iceberg-go#624",
        "iceberg_rest",
        "registers-by-a-commit",
        "IRC-SCH-CommitTableRequest",
    ),
    ("delta-io/delta#7562", "iceberg_rest", "ignores-delete-files", "IRC-CLI-034"),
    ("ClickHouse/ClickHouse#89206", "iceberg_rest", "drops-without-prefix", "IRC-CLI-013"),
    ("ClickHouse/ClickHouse#89206", "iceberg_rest", "drops-twice", "IRC-CLI-017"),
    ("apache/iceberg-go#633", "iceberg_rest", "takes-204-for-an-error", "IRC-CLI-017"),
    ("apache/iceberg-python#1363", "iceberg_rest", "knows-204-only", "IRC-CLI-016"),
    ("Altinity/ClickHouse#2003", "iceberg_rest", "sends-lost-commits-again", "IRC-CLI-019"),
    (
        "ClickHouse/ClickHouse#115580",
        "iceberg_rest",
        "deletes-metadata-of-unknown-commits",
        "IRC-CLI-020",
    ),
    (
        "duckdb/duckdb-iceberg#1120",
        "iceberg_rest",
        "deletes-files-of-unknown-commits",
        "IRC-CLI-020",
    ),
    ("apache/iceberg#14881", "iceberg_rest", "plans-metadata-tables", "IRC-CLI-051"),
    ("apache/iceberg-python#2823", "iceberg_rest", "signs-with-the-first-token", "IRC-CLI-050"),
    ("apache/iceberg-go#935", "iceberg_rest", "counts-columns-of-the-schema", "IRC-CLI-060"),
    (
        "MaterializeInc/materialize#38333",
        "iceberg_rest",
        "appends-again-after-a-lost-answer",
        "IRC-CLI-064",
    ),
    (
        "redpanda-data/connect#4591",
        "iceberg_rest",
        "appends-again-after-a-lost-answer",
        "IRC-CLI-064",
    ),
    (
        "Altinity/ClickHouse#1982",
        "iceberg_rest",
        "takes-its-own-commit-for-a-conflict",
        "IRC-CLI-020",
    ),
    (
        "apache/iceberg-rust#1247",
        "iceberg_rest",
        "takes-404-of-a-creation-for-any-error",
        "IRC-CLI-054",
    ),
    ("hyparam/icebird#33", "iceberg_rest", "appends-to-minus-one", "IRC-CLI-031"),
    ("duckdb/duckdb-iceberg#631", "iceberg_rest", "appends-without-a-head", "IRC-CLI-044"),
    ("duckdb/duckdb-iceberg#333", "iceberg_rest", "writes-seconds", "IRC-CLI-063"),
    ("duckdb/duckdb-iceberg#1121", "iceberg_rest", "counts-too-many", "IRC-CLI-070"),
    ("apache/iceberg-python#392", "iceberg_rest", "renumbers-columns-alone", "IRC-CLI-062"),
    ("Altinity/ClickHouse#1935", "iceberg_rest", "forgets-sort-orders", "IRC-CLI-062"),
    ("apache/iceberg-python#804", "iceberg_rest", "forgets-uuids", "IRC-CLI-072"),
    ("apache/iceberg-rust#3075", "iceberg_rest", "forgets-uuids", "IRC-CLI-072"),
    ("duckdb/duckdb-iceberg#958", "iceberg_rest", "forgets-uuids", "IRC-CLI-072"),
    ("apache/iceberg-go#1829", "iceberg_rest", "expires-heads-of-branches", "IRC-CLI-080"),
    ("duckdb/duckdb-iceberg#925", "iceberg_rest", "splits-transactions", "IRC-CLI-081"),
    ("duckdb/duckdb-iceberg#982", "iceberg_rest", "reads-what-it-had-loaded", "IRC-CLI-082"),
    ("StarRocks/starrocks#76422", "iceberg_rest", "reads-what-it-had-loaded", "IRC-CLI-082"),
    ("duckdb/duckdb-iceberg#1052", "iceberg_rest", "loses-the-third-change", "IRC-CLI-082"),
    ("Eventual-Inc/Daft#7445", "iceberg_rest", "ignores-name-mapping", "IRC-CLI-083"),
    ("apache/iceberg-rust#2780", "iceberg_rest", "deletes-null-by-any-key", "IRC-CLI-075"),
    ("StarRocks/starrocks#67321", "iceberg_rest", "deletes-no-null", "IRC-CLI-075"),
    ("duckdb/duckdb-iceberg#691", "iceberg_rest", "forgets-deletes-under-filters", "IRC-CLI-075"),
    (
        "duckdb/duckdb-iceberg#1240",
        "iceberg_rest",
        "applies-deletes-to-all-partitions",
        "IRC-CLI-075",
    ),
    ("StarRocks/starrocks#70348", "iceberg_rest", "ignores-initial-defaults", "IRC-CLI-078"),
    ("apache/iceberg-rust#2390", "iceberg_rest", "forgets-former-totals", "IRC-CLI-070"),
    ("apache/iceberg-python#954", "iceberg_rest", "deletes-rows-with-null", "IRC-CLI-079"),
    ("ClickHouse/ClickHouse#109838", "iceberg_rest", "leaves-rows-of-older-specs", "IRC-CLI-079"),
    ("apache/paimon#9349", "iceberg_rest", "registers-again-after-a-lost-answer", "IRC-CLI-076"),
    ("delta-io/delta#7646", "delta_sharing", "remembers-versions", "DS-CLI-16"),
    ("delta-io/delta-sharing#646", "delta_sharing", "splits-names-at-dots", "DS-CLI-23"),
    ("delta-io/delta-sharing#30", "delta_sharing", "needs-stats", "DS-CLI-04"),
    ("delta-io/delta#4004", "delta_sharing", "asks-for-delta-and-reads-parquet", "DS-CLI-14"),
    ("delta-io/delta-sharing#219", "delta_sharing", "needs-200", "DS-CLI-09"),
    ("delta-io/delta-sharing#224", "delta_sharing", "takes-version-0-for-none", "DS-CLI-06"),
    ("delta-io/delta-sharing#488", "delta_sharing", "sends-local-times", "DS-CLI-07"),
    ("delta-io/delta-sharing#634", "delta_sharing", "partition-values-are-text", "DS-CLI-10"),
    ("delta-io/delta-sharing#745", "delta_sharing", "asks-for-features-it-lacks", "DS-CLI-12"),
)


@pytest.mark.parametrize(
    ("thread", "contract", "fault", "requirement"),
    ROWS,
    ids=[row[0] + "-" + row[2] for row in ROWS],
)
def test_field_bug_is_a_fault_of_a_small_client(
    thread: str, contract: str, fault: str, requirement: str
) -> None:
    assert FAULTS[contract][fault] == requirement, thread


@pytest.mark.parametrize(
    ("argument", "code", "outcome"), [("", 1, "FAIL  IRC-CLI-060"), ("fixed", 0, "conformant")]
)
def test_check_of_the_page_fails_the_rebuilt_client_and_passes_the_fixed_one(
    argument: str, code: int, outcome: str
) -> None:
    program = [sys.executable, str(Path(__file__).with_name("dropped_column_client.py")), argument]
    ended = CliRunner().invoke(
        check_client, ["--only", "IRC-CLI-06[01]", "--", *program], catch_exceptions=False
    )

    assert ended.exit_code == code, ended.output
    assert outcome in ended.output
