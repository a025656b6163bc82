"""The shares file, also that of the official server, is read; mistakes are reported with their
line.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from lakepact.reference_server.cli import serve
from lakepact.reference_server.delta_sharing.places import BadShares
from lakepact.reference_server.delta_sharing.shares import SharedTable, Shares
from lakepact.reference_server.delta_sharing.shares_file import read_shares

#: As its authors show it, with locations of this machine.
OFFICIAL = """
# The format version of this config file
version: 1
shares:
- name: "share1"
  schemas:
  - name: "schema1"
    tables:
    - name: "table1"
      location: "file:///data/table%201"
      id: "00000000-0000-0000-0000-000000000000"
    - name: "table2"
      location: "file:/data/table2"
      id: "00000000-0000-0000-0000-000000000001"
      historyShared: true
      startVersion: 1
- name: "share2"
  schemas: []
authorization:
  bearerToken: "tok"
ssl:
  selfSigned: false
  certificateFile: /x
  certificateKeyFile: /y
host: "localhost"
port: 8080
endpoint: "/sharing/v1"
preSignedUrlTimeoutSeconds: 900
deltaTableCacheSize: 10
stalenessAcceptable: false
evaluatePredicateHints: false
evaluateJsonPredicateHints: true
evaluateJsonPredicateHintsV2: true
requestTimeoutSeconds: 30
queryTablePageSizeLimit: 10000
queryTablePageTokenTtlMs: 259200000
refreshTokenTtlMs: 7200000
"""


def read(folder: Path, text: str) -> Shares:
    file = folder / "shares.yaml"
    file.write_text(text, encoding="utf-8")
    return read_shares(file)


def table(folder: Path, **members: Any) -> SharedTable:
    document = {
        "shares": [{"name": "s", "schemas": [{"name": "d", "tables": [{"name": "t", **members}]}]}],
        "authorization": {"bearerToken": "x"},
    }
    (found,) = read(folder, yaml.safe_dump(document, sort_keys=False)).tables()
    return found


def test_the_official_servers_file_is_read(tmp_path: Path) -> None:
    shares = read(tmp_path, OFFICIAL)
    one, two = shares.tables()

    assert (str(one.folder), str(two.folder)) == ("/data/table 1", "/data/table2")
    assert (one.history_shared, two.history_shared, two.start_version) == (False, True, 1)
    assert (shares.root, shares.url_seconds, shares.refresh_seconds, shares.predicate_hints) == (
        "/sharing/v1",
        900,
        7200,
        False,
    )
    assert [(r.bearer_token, r.shares, r.expires) for r in shares.recipients] == [
        ("tok", None, None)
    ]
    assert set(shares.unused) == {
        *("ssl", "host", "port"),
        *(
            "deltaTableCacheSize",
            "stalenessAcceptable",
            "requestTimeoutSeconds",
            "evaluateJsonPredicateHintsV2",
        ),
    }


def test_the_file_of_the_guide_is_read(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "run-the-server.md").read_text(encoding="utf-8")
    shares = read(tmp_path, page.partition("```yaml\n")[2].partition("```")[0])

    assert [(table.name, table.start_version) for table in shares.tables()] == [("orders", 3)]
    assert [recipient.shares for recipient in shares.recipients] == [{"sales"}]


@pytest.mark.parametrize(
    ("location", "folder"),
    [
        ("file:///data/a%20b%3F", "/data/a b?"),
        ("file:/data/t", "/data/t"),
        ("file://localhost/data/t", "/data/t"),
        ("FILE:///data/t", "/data/t"),
        ("/data/a%20b", "/data/a%20b"),
    ],
)
def test_a_location_is_a_uri_that_is_decoded_or_a_path_that_is_not(
    tmp_path: Path, location: str, folder: str
) -> None:
    assert str(table(tmp_path, location=location).folder) == folder


def test_a_relative_location_begins_where_the_file_is(tmp_path: Path) -> None:
    assert table(tmp_path, location="tables/t").folder == tmp_path / "tables" / "t"


def test_expiration_time_keeps_its_zone(tmp_path: Path) -> None:
    shares = read(
        tmp_path,
        "shares: []\nrecipients: [{name: a, bearerToken: x, expirationTime: 2027-01-01T02:00:00+02:00}]",
    )

    assert shares.recipients[0].expires == datetime(2027, 1, 1, tzinfo=UTC)


def test_generated_ids_do_not_depend_on_the_location(tmp_path: Path) -> None:
    one = table(tmp_path, location="/x")

    assert one.id == table(tmp_path, location="/y").id
    assert one.id != one.share_id


def test_no_token_is_shown(tmp_path: Path) -> None:
    shares = read(tmp_path, "shares: []\nrecipients: [{name: a, bearerToken: very-secret}]")

    assert "very-secret" not in repr(shares)


HEAD = "authorization: {bearerToken: x}\nshares:\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("shares: [", ":1: this is not YAML"),
        ("[]", ":1: the file must be a mapping, but is a list"),
        ("version: 1", "says nothing under `shares`"),
        ("shares: []", "gives no recipient access"),
        ("version: 2\nshares: []", ":1: version must be 1"),
        ("shares: []\nrecipient: []", ":2: recipient is not known here; did you mean recipients?"),
        ("shares: []\nshares: []", ":2: shares is given twice"),
        ("shares: {}\nauthorization: {bearerToken: x}", "shares must be a list, but is a mapping"),
        (HEAD + "- {comment: x}", ":3: shares[0] has no name"),
        (
            HEAD + "- name: 12",
            "shares[0].name must be a text, but YAML reads '12' as something else; put it in quotes",
        ),
        (HEAD + "- name: ''", "shares[0].name must not be empty"),
        (
            HEAD + "- name: a b",
            "shares[0].name must be without spaces, slashes and control characters, but 'a b' has ' '",
        ),
        (HEAD + "- name: a/b", "has '/'"),
        (HEAD + '- name: "a\\x7f"', "has '\\x7f'"),
        (HEAD + f"- name: {'x' * 256}", "must have at most 255 characters, but has 256"),
        (HEAD + "- name: ..", "shares[0].name must not be '..'"),
        (
            HEAD + "- name: a\n  schemas: [{name: a.b}]",
            "shares[0].schemas[0].name must be without full stops",
        ),
        (HEAD + "- name: Ä\n- name: ä", ":4: shares[1] is called 'ä', but 'Ä' is there already"),
        (HEAD + "- name: a\n  id: x\n- name: b\n  id: x", "gives 'a' and 'b' the same id"),
        (
            HEAD + "- name: a\n  displayName: " + "x" * 256,
            "shares[0].displayName must have at most 255 characters",
        ),
        (HEAD + "- name: a\n  properties: {a: 1}", "shares[0].properties.a must be a text"),
        (HEAD + "- name: a\n  properties: {a: " + "x" * 1001 + "}", "values of at most 1000"),
        (
            HEAD + "- name: a\n  schemas: [{name: b, tables: [{name: t}]}]",
            "tables[0] must have either a location or",
        ),
        (
            "shares: []\nauthorization: {bearerToken: 'a b'}",
            "authorization.bearerToken must be of letters, digits and",
        ),
        ("shares: []\nauthorization: {}", "has no bearerToken"),
        (
            "shares: []\nendpoint: /a b\nauthorization: {bearerToken: x}",
            ":2: endpoint must be a path",
        ),
        (
            "shares: []\npreSignedUrlTimeoutSeconds: 0\nauthorization: {bearerToken: x}",
            "must be a whole number from 1 to",
        ),
        (
            "shares: []\nevaluatePredicateHints: 1\nauthorization: {bearerToken: x}",
            "must be true or false",
        ),
        (
            "shares: []\nrecipients: [{name: a, bearerToken: x, shares: [b]}]",
            "recipients[0].shares[0] names no share of this file: 'b'",
        ),
        (
            "shares: []\nrecipients: [{name: a, bearerToken: x}, {name: A, bearerToken: y}]",
            "'a' is there already",
        ),
        (
            "shares: []\nrecipients: [{name: a, bearerToken: x}, {name: b, bearerToken: x}]",
            "the same token; give each its own",
        ),
        (
            "shares: []\nauthorization: {bearerToken: x}\nrecipients: [{name: Authorization, bearerToken: y}]",
            "authorization is a recipient of its own; call the one of `recipients` something else than 'authorization'",
        ),
        (
            "shares: []\nrecipients: [{name: a, bearerToken: x, expirationTime: soon}]",
            "must be a time with its zone",
        ),
        (
            "shares: []\nrecipients: [{name: a, bearerToken: x, expirationTime: 2027-01-01}]",
            "must be a time with its zone",
        ),
    ],
)
def test_mistake_in_the_file_is_reported_with_its_place(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(BadShares) as refused:
        read(tmp_path, text)

    assert said in str(refused.value)
    assert str(refused.value).startswith(str(tmp_path / "shares.yaml"))


@pytest.mark.parametrize(
    ("members", "said"),
    [
        (
            {"location": "s3a://bucket/t"},
            "is on s3a:, but this server reads tables from local folders",
        ),
        (
            {"location": "file://host/t"},
            "names the host 'host'; a file: location has none, write file:///t",
        ),
        ({"location": "file:t"}, "without a path from the root"),
        ({"location": "../t"}, "must not have .. in it"),
        ({"location": "file:///a/%2e%2e/t"}, "must not have .. in it"),
        ({"location": "/t", "iceberg": "a.b"}, "must have either a location or"),
        (
            {"iceberg": "a.b"},
            "no Iceberg catalog that keeps its files in a folder is served beside",
        ),
        ({"iceberg": "a"}, "must be a namespace and a table"),
        ({"location": "/t", "accessModes": []}, "must not be empty"),
        ({"location": "/t", "accessModes": ["URL"]}, "must be url or dir, but is 'URL'"),
        ({"location": "/t", "startVersion": -1}, "must be a whole number from 0 to"),
        (
            {"location": "/t", "startVersion": 1, "accessModes": ["dir", "url"]},
            "startVersion hides nothing from recipients that read the directory",
        ),
        ({"location": "/t", "historyShared": "yes please"}, "must be true or false"),
    ],
)
def test_invalid_table_entry_is_refused_with_the_reason(
    tmp_path: Path, members: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadShares) as refused:
        table(tmp_path, **members)

    assert said in str(refused.value)


def test_no_message_repeats_a_token(tmp_path: Path) -> None:
    for recipients in (
        "[{name: a, bearerToken: 's3cret token'}]",
        "[{name: a, bearerToken: [s3cret]}]",
        "[{name: a, bearerToken: 53}]",
    ):
        with pytest.raises(BadShares) as refused:
            read(tmp_path, f"shares: []\nrecipients: {recipients}")

        assert not {"s3cret", "53"} & set(str(refused.value).replace("'", " ").split())


@pytest.mark.parametrize(
    "text",
    [
        "authorization: s3cret",
        "authorization: {s3cret: x}",
        "authorization: {bearerToken: *s3cret}",
        "authorization: {bearerToken: [&s3cret a, &s3cret b]}",
        "recipients: s3cret",
        "recipients: [s3cret]",
        "recipients: [{? {bearerToken: s3cret} : x}]",
        "recipients: [{? [s3cret] : x}]",
        "recipients: [{name: a, bearerToken: 's3cret token'}]",
        'recipients: [{name: a, bearerToken: "s3cret\\ud800"}]',
        "authorization: {bearerToken: x}\ntemporaryCredentials: s3cret",
    ],
)
def test_a_token_in_the_wrong_place_is_not_repeated(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadShares) as refused:
        read(tmp_path, f"shares: []\n{text}")

    assert "s3cret" not in str(refused.value)
    assert ":2: " in str(refused.value) or ":3: " in str(refused.value)


LET_IN = "shares: []\nauthorization: {bearerToken: x}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("shares: " + "[" * 5000 + "]" * 5000, "is nested too deeply"),
        ("".join(" " * depth + "a:\n" for depth in range(1500)), "is nested too deeply"),
        (
            "shares: &a [*a]\nauthorization: {bearerToken: x}",
            "shares[0] must be a mapping, but is a list",
        ),
        (LET_IN + "preSignedUrlTimeoutSeconds: " + "9" * 5000, "must be a whole number from 1 to"),
        (LET_IN + "preSignedUrlTimeoutSeconds: " + "9" * 30, "must be a whole number from 1 to"),
        (LET_IN + "preSignedUrlTimeoutSeconds: !!int abc", "must be a whole number from 1 to"),
        (HEAD + '- name: "a\\ud800"', "half of a surrogate pair"),
        (
            "shares: []\nrecipients: [{name: a, bearerToken: x, expirationTime: '0001-01-01T00:00:00+23:59'}]",
            "must be a time",
        ),
        (
            LET_IN
            + "".join(
                f"{letter}: &{letter} [{f'*{chr(ord(letter) - 1)},' * 9}]\n"
                for letter in "bcdefghij"
            ),
            "not YAML",
        ),
        (
            LET_IN
            + "a: &a [x]\n"
            + "".join(f"{x}: &{x} [{f'*{chr(ord(x) - 1)},' * 9}]\n" for x in "bcdefghij"),
            ":3: a is not known",
        ),
    ],
    ids=[
        "lists",
        "mappings",
        "itself",
        "digits",
        "large",
        "tag",
        "surrogate",
        "early",
        "alias",
        "bomb",
    ],
)
def test_malicious_file_is_refused_in_a_short_message(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadShares) as refused:
        read(tmp_path, text)

    assert said in str(refused.value)
    assert len(str(refused.value)) < 1000


def test_the_command_refuses_a_wrong_file_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "shares.yaml").write_text("shares: []", encoding="utf-8")
    result = CliRunner().invoke(serve, ["--port", "0", "--shares", str(tmp_path / "shares.yaml")])

    assert (result.exit_code, "gives no recipient access" in result.output) == (2, True)
