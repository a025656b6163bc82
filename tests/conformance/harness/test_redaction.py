"""Redaction of secrets in headers, answers and URLs."""

from __future__ import annotations

import time

import pytest

from lakepact.conformance.checks.delta_sharing.access.recipients import NO_BEARER, UNKNOWN
from lakepact.conformance.evidence.limits import MIB
from lakepact.conformance.evidence.redaction import (
    INVENTED,
    REDACTED,
    redact,
    secrets_of,
    secrets_of_form,
)

UUID = "0c7f3d9f-a77b-4739-8702-530cf4766237"


@pytest.mark.parametrize(
    ("name", "value", "secrets"),
    [
        ("Authorization", "Bearer abcd", ("Bearer abcd", "abcd")),
        ("X-Api-Key", "main", ("main", "main")),
        ("X-Anything", "k3jh5kjh34k5jh3k", ("k3jh5kjh34k5jh3k", "k3jh5kjh34k5jh3k")),
        ("X-Tenant", "table", ()),
        ("X-Project", UUID, ()),
        ("X-Iceberg-Access-Delegation", "vended-credentials", ()),
    ],
)
def test_header_is_secret_by_its_name_or_its_value(
    name: str, value: str, secrets: tuple[str, ...]
) -> None:
    assert secrets_of([(name, value)]) == secrets


def test_made_up_tokens_hide_no_share_name_of_the_fixture_pack() -> None:
    hidden = secrets_of([("Authorization", value) for value in (*NO_BEARER, *UNKNOWN)])

    assert [
        name
        for name in ("lakepact", "second", "empty", "unnumbered")
        if any(secret in name for secret in hidden)
    ] == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"token":"abc"}', f'{{"token":"{REDACTED}"}}'),
        ('{"client_secret": "a b&c"}', f'{{"client_secret": "{REDACTED}"}}'),
        (
            '{"refresh_token":"a","id_token":"b"}',
            f'{{"refresh_token":"{REDACTED}","id_token":"{REDACTED}"}}',
        ),
        (
            '{"s3.secret-access-key":"ab\\/REST\\"x","a":"b"}',
            f'{{"s3.secret-access-key":"{REDACTED}","a":"b"}}',
        ),
        (
            '{"adls.connection-string.x":"AccountKey=a;b=c"}',
            f'{{"adls.connection-string.x":"{REDACTED}"}}',
        ),
        ('{"header.Authorization":"Bearer x"}', f'{{"header.Authorization":"{REDACTED}"}}'),
        (
            '"{\\"s3.session-token\\":\\"abc\\",\\"a\\":\\"b\\"}"',
            f'"{{\\"s3.session-token\\":\\"{REDACTED}\\",\\"a\\":\\"b\\"}}"',
        ),
        ("{'gcs.oauth2.token': 'abc'}", f"{{'gcs.oauth2.token': '{REDACTED}'}}"),
        ("https://a/b?X-Amz-Signature=abc&x=1", f"https://a/b?X-Amz-Signature={REDACTED}&x=1"),
        (
            "https://a/b?Expires=1&Signature=a~b&Key-Pair-Id=c",
            f"https://a/b?Expires=1&Signature={REDACTED}&Key-Pair-Id=c",
        ),
        ("https://a/b?sv=1&sig=a%2Bb", f"https://a/b?sv=1&sig={REDACTED}"),
    ],
)
def test_secret_of_a_target_is_redacted_whole(before: str, after: str) -> None:
    assert redact(before, ()) == after


@pytest.mark.parametrize(
    "text",
    [
        '{"next-page-token":"abc"}',
        '{"nextPageToken":"abc"}',
        '{"token_type":"bearer"}',
        '{"storage-credentials":[{"prefix":"s3"}]}',
        '{"token":null}',
    ],
)
def test_text_without_secrets_is_unchanged(text: str) -> None:
    assert redact(text, ()) == text


def test_null_token_is_not_a_secret() -> None:
    assert "null" not in secrets_of([("Authorization", "Bearer null")])


@pytest.mark.parametrize(
    "piece",
    ["a-", "a.", "token", '"token', "https:", "s3://a:", "%2F", ":%2F%2Fa", "&a_", "\\", "'"],
)
def test_hostile_body_is_searched_in_linear_time(piece: str) -> None:
    start = time.process_time()
    redact('"' + piece * (MIB // len(piece)) + "@ %40 token key", ())

    assert time.process_time() - start < 5


def test_invented_secret_is_shown_and_one_that_contains_it_is_not() -> None:
    for secret, text in ((INVENTED, INVENTED), (f"{INVENTED}1", REDACTED)):
        assert redact(f'{{"client_secret":"{secret}"}}', ()) == f'{{"client_secret":"{text}"}}'
    assert secrets_of_form(f"client_id=a&client_secret={INVENTED}".encode()) == ()
