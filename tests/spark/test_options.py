"""Options of the data source: what they mean, and the message about those that are wrong."""

from __future__ import annotations

import json

import pytest

from lakepact.client import BearerToken, ClientCredentials, NoAuth
from lakepact.spark.options import LATEST, CatalogTable, OptionError, SharedTable, table_options

SECRET = "planted-Token.0123456789"
PROFILE = json.dumps(
    {"shareCredentialsVersion": 1, "endpoint": "https://sharing.test", "bearerToken": SECRET}
)
SHARED = {"profile": PROFILE, "path": "share.schema.table"}
CATALOG = {"catalog": "https://catalog.test", "path": "sales.emea.orders"}


def test_shared_table_is_named_by_load_or_by_an_option():
    named = SharedTable(profile=PROFILE, share="share", schema="schema", name="table")

    assert (
        table_options(SHARED)
        == table_options({"profile": PROFILE, "table": "share.schema.table"})
        == named
    )


def test_profile_is_read_from_its_file(tmp_path):
    (tmp_path / "p.share").write_text(PROFILE)

    assert table_options(
        {"profile": str(tmp_path / "p.share"), "path": "share.schema.table"}
    ) == table_options(SHARED)
    assert table_options({"path": f"{tmp_path / 'p.share'}#share.schema.table"}) == table_options(
        SHARED
    )


def test_names_of_options_are_case_insensitive():
    given = table_options(
        SHARED | {"VERSIONASOF": "3", "readchangefeed": "TRUE", "startingversion": "latest"}
    )

    assert isinstance(given, SharedTable)
    assert (given.version, given.reads_changes, given.starting_version) == (3, True, LATEST)


def test_catalog_table_is_named_with_its_namespace():
    named = CatalogTable(
        catalog="https://catalog.test",
        namespace=("sales", "emea"),
        name="orders",
        storage=(("s3.endpoint", "e"),),
    )

    assert table_options(CATALOG | {"s3.endpoint": "e"}) == named


def test_trusted_origins_are_separated_by_commas():
    table = table_options(CATALOG | {"trustedOrigins": "file:, https://signer.test"})

    assert isinstance(table, CatalogTable)
    assert table.trusted_origins == ("file:", "https://signer.test")


@pytest.mark.parametrize(
    ("given", "auth"),
    [
        ({}, NoAuth),
        ({"token": SECRET}, BearerToken),
        ({"clientId": "me", "clientSecret": SECRET}, ClientCredentials),
    ],
)
def test_options_choose_the_authorization(given, auth):
    table = table_options(CATALOG | given)

    assert isinstance(table, CatalogTable)
    assert type(table.auth()) is auth


@pytest.mark.parametrize(
    "given",
    [
        SHARED,
        CATALOG | {"token": SECRET},
        CATALOG | {"clientId": "me", "clientSecret": SECRET, "s3.k": SECRET},
    ],
)
def test_repr_shows_no_secret(given):
    assert SECRET not in repr(table_options(given))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "name a profile of Delta Sharing"),
        ({"profile": PROFILE}, r'\.load\("share\.schema\.table"\)'),
        ({"profile": PROFILE, "path": "schema.table"}, r'\.load\("share\.schema\.table"\)'),
        (
            {"profile": "missing.share", "path": "a.b.c"},
            "profile missing.share cannot be read on the driver: No such file",
        ),
        (SHARED | {"table": "a.b.c"}, "options path and table exclude each other"),
        (
            SHARED | {"versionAsOff": "1"},
            "option versionasoff is not known here; known are .*versionAsOf",
        ),
        (SHARED | {"versionAsOf": "one"}, "option versionAsOf is an integer from 0 on, not 'one'"),
        (
            SHARED | {"versionAsOf": "1", "timestampAsOf": "2024-01-01T00:00:00Z"},
            "versionAsOf and timestampAsOf exclude each other",
        ),
        (SHARED | {"readChangeFeed": "yes"}, "option readChangeFeed is true or false, not 'yes'"),
        (
            SHARED | {"responseFormat": "orc"},
            "option responseFormat is parquet or delta, not 'orc'",
        ),
        (SHARED | {"maxPartitionBytes": "0"}, "option maxPartitionBytes is an integer from 1 on"),
        (SHARED | {"snapshot-id": "1"}, "option snapshot-id is not known here"),
        (CATALOG | {"path": "orders"}, r'\.load\("namespace\.table"\)'),
        (
            CATALOG | {"snapshot-id": "1", "branch": "b"},
            "options snapshot-id and branch exclude each other",
        ),
        (CATALOG | {"clientId": "me"}, "clientId and clientSecret go together"),
    ],
)
def test_wrong_options_are_refused(given, message):
    with pytest.raises(OptionError, match=message):
        table_options(given)


def test_message_about_an_unknown_option_shows_no_value():
    with pytest.raises(OptionError) as refused:
        table_options(CATALOG | {"tokn": SECRET})

    assert SECRET not in str(refused.value)
