"""Addresses, credentials and wrong usage of the verbs, whose output holds no secret."""

from __future__ import annotations

import subprocess
import sys
from unittest.mock import Mock

import pytest

from fronts import certificate, proxy_front, tls_front
from lakepact.client import BearerToken, IcebergCatalog
from lakepact.extras import install
from lakepact.reference_server import running
from miniatures import answer, miniature

from .conftest import lakepact

SECRET = "s3cret-of-nobody"
SERVER_FILE = """
[principals.ann]
token = "token-of-ann"
client-id = "ann"
client-secret = "secret-of-ann"
[[grants]]
principal = "ann"
access = "admin"
"""


@pytest.fixture(scope="module")
def server_url(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guarded")
    (folder / "server.toml").write_text(SERVER_FILE, "utf-8")
    with running(
        contract="iceberg_rest",
        warehouse=(folder / "w").as_uri(),
        config=folder / "server.toml",
        auth="oauth",
    ) as server:
        with IcebergCatalog(server.url, auth=BearerToken("token-of-ann")) as catalog:
            catalog.create_namespace("hers")
        yield server.url


@pytest.mark.parametrize(
    ("option", "value"),
    [("--token-env", "token-of-ann"), ("--credential-env", "ann:secret-of-ann")],
    ids=["token", "credential"],
)
def test_credentials_are_read_from_the_environment(server_url, option, value):
    result = lakepact("ls", server_url, option, "WHO", WHO=value)

    assert (result.code, result.out, result.err) == (0, "namespace  hers\n", "")


@pytest.mark.parametrize("option", ["--token-env", "--credential-env"])
def test_refused_credentials_exit_with_3_and_hide_the_secret(server_url, option):
    result = lakepact("ls", server_url, option, "WHO", WHO=f"ann:{SECRET}")

    assert (result.code, result.out, result.err.count("\n")) == (3, "", 1)
    assert SECRET not in result.err


def test_error_of_an_unknown_caller_names_the_options():
    with miniature(lambda *_: (401, {}, b"")) as url:
        result = lakepact("ls", url)

    assert "--token-env NAME, --credential-env NAME, --sigv4 SERVICE or --header" in result.err


def test_refused_configuration_names_the_warehouse_option():
    error = {"error": {"message": "which one?", "type": "BadRequestException", "code": 400}}
    with miniature(lambda *_: answer(400, error)) as url:
        result = lakepact("ls", url)

    assert "which one?; --warehouse NAME names a warehouse" in result.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("ls", f"http://user:{SECRET}@127.0.0.1:1"),
        ("ls", f"user:{SECRET}@127.0.0.1"),
        ("ls", f"http://127.0.0.1:1/?token={SECRET}"),
        ("ls", f'{{"bearerToken": "{SECRET}"}}'),
        ("ls", "http://127.0.0.1:1", "--token-env", SECRET),
        ("ls", "http://127.0.0.1:1", "--credential-env", "NO_COLON"),
        (
            "ls",
            "http://127.0.0.1:1",
            "--credential-env",
            "GOOD",
            "--token-endpoint",
            f"nowhere:{SECRET}",
        ),
        ("ls", "http://127.0.0.1:1", "--token-env", "GOOD", "--credential-env", "GOOD"),
        ("ls", "http://127.0.0.1:1", "--token-env", "GOOD", "--sigv4", "glue"),
        ("ls", "http://127.0.0.1:1", "--client-key", "key.pem"),
        ("ls", "http://127.0.0.1:1", "--proxy", f"socks4://user:{SECRET}@127.0.0.1:1"),
        ("ls", "http://127.0.0.1:1/delta-sharing", "--warehouse", "w"),
        ("ls", "http://127.0.0.1:1/delta-sharing", "--trust-origin", "file:"),
        ("ls", "http://127.0.0.1:1", "--trust-origin", "catalog.example"),
        ("ls", "http://127.0.0.1:1/delta-sharing", "a.b.c"),
        ("ls", "http://127.0.0.1:1", "a..b"),
        ("show", "http://127.0.0.1:1", "t"),
        ("show", "http://127.0.0.1:1", 'n.".."'),
        ("cat", "http://127.0.0.1:1", 'n.".."'),
        ("cat", "http://127.0.0.1:1", "n.t", "--version", "1"),
        ("cat", "http://127.0.0.1:1/delta-sharing", "s.t"),
    ],
)
def test_wrong_usage_exits_with_2_and_one_line_without_secrets(arguments):
    result = lakepact(*arguments, GOOD=f"id:{SECRET}", NO_COLON=SECRET)

    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert SECRET not in result.err


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        (
            "--ca-file",
            "nowhere.pem",
            "--ca-file='nowhere.pem': No such file or directory; it must be a file in PEM",
        ),
        (
            "--client-cert",
            "nowhere.pem",
            "--client-cert='nowhere.pem': No such file or directory; it must be a file in PEM",
        ),
        (
            "--proxy",
            "socks4://proxy.test",
            "--proxy is socks4://…, and http, https, socks5 or socks5h is supported",
        ),
    ],
)
@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "http://127.0.0.1:1/delta-sharing"])
def test_wrong_access_names_the_option(address, option, value, why):
    assert why in lakepact("ls", address, option, value).err


def test_certificates_and_proxy_of_options_reach_the_server(server_url, tmp_path):
    server, (crt, key) = certificate(tmp_path, "server"), certificate(tmp_path, "caller")
    with tls_front(server_url, server, callers=crt) as front, proxy_front() as proxy:
        access = (
            "--ca-file",
            server[0],
            "--client-cert",
            crt,
            "--client-key",
            key,
            "--proxy",
            proxy.url,
        )
        result = lakepact("ls", front.url, "--token-env", "WHO", *access, WHO="token-of-ann")
        unknown = lakepact("ls", front.url)

    assert (result.code, result.out, len(proxy.heads)) == (0, "namespace  hers\n", 1)
    assert (unknown.code, "verify= or --ca-file names certificates to trust" in unknown.err) == (
        3,
        True,
    )


def test_requests_are_signed_for_the_service():
    handler = Mock(return_value=answer(200, {"namespaces": []}))
    with miniature(handler) as url:
        lakepact(
            "ls",
            url,
            "--sigv4",
            "glue",
            "--region",
            "eu-west-1",
            AWS_ACCESS_KEY_ID="AKID",
            AWS_SECRET_ACCESS_KEY=SECRET,
        )

    assert "/eu-west-1/glue/aws4_request" in handler.listen.call_args[0][0]["authorization"]


@pytest.mark.parametrize("path", ["", "/nowhere"])
def test_unreachable_server_exits_with_3(place, path):
    result = lakepact("ls", place.url + path if path else "http://127.0.0.1:1")

    assert (result.code, result.out, result.err.count("\n")) == (3, "", 1)


def test_broken_profile_exits_with_2(tmp_path):
    (tmp_path / "a.share").write_text(f'["{SECRET}"]', "utf-8")

    result = lakepact("ls", str(tmp_path / "a.share"))

    assert (result.code, result.err) == (
        2,
        "lakepact ls: the profile cannot be read: a profile is a JSON object\n",
    )


@pytest.mark.parametrize("verb", ["ls", "show", "cat"])
def test_every_verb_has_an_example(verb):
    assert f"Example: lakepact {verb} " in lakepact(verb, "--help").out


def test_missing_click_prints_the_pip_command():
    code = "import sys; sys.modules['click'] = None; from lakepact.cli import main; main()"

    process = subprocess.run(
        [sys.executable, "-c", code, "ls", "http://127.0.0.1:1"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (process.returncode, process.stdout) == (2, "")
    assert (
        process.stderr
        == f"the command lakepact needs click, which is not installed: {install('server')}\n"
    )


@pytest.mark.parametrize(
    ("contract", "advice"),
    [
        ("iceberg_rest", "the address of a catalog ends before /v1"),
        ("delta_sharing", "is the endpoint of its profile"),
    ],
)
def test_address_of_another_server_exits_with_3_and_says_where_addresses_end(contract, advice):
    with miniature(lambda *_: (404, {"Content-Type": "text/html"}, b"<html></html>")) as url:
        result = lakepact("ls", url, "--contract", contract)

    assert (result.code, result.out, result.err.count("\n"), advice in result.err) == (
        3,
        "",
        1,
        True,
    )
