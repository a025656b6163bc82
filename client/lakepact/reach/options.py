"""The options of commands that lead to a server: certificates, proxy and login."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

F = TypeVar("F", bound="Callable[..., Any]")


def _by_name(_: click.Context, _option: click.Parameter, lines: Sequence[str]) -> dict[str, str]:
    """Return the values of `--header` by name; errors show none, since some are secrets."""
    split = [line.partition(":") for line in lines]
    if not all(colon for _, colon, _ in split):
        raise click.UsageError("--header: write 'NAME: VALUE'")
    return {name.strip(): value.strip() for name, _, value in split}


OPTIONS = (
    click.option(
        "--token-env", metavar="NAME", help="Environment variable that holds a bearer token."
    ),
    click.option(
        "--api-key-env",
        metavar="NAME",
        help=(
            "Environment variable that holds `user:key` of watsonx.data, or an API key of IBM"
            " Cloud."
        ),
    ),
    click.option(
        "--credential-env",
        metavar="NAME",
        help="Environment variable that holds `id:secret` of a client of OAuth2.",
    ),
    click.option(
        "--token-endpoint",
        metavar="URL",
        help=(
            "Token endpoint of --credential-env, or of --api-key-env.  "
            "[default: URL/v1/oauth/tokens, or that of IBM Cloud]"
        ),
    ),
    click.option("--scope", metavar="SCOPE", help="Scope of its tokens.  [default: catalog]"),
    click.option(
        "--sigv4",
        metavar="SERVICE",
        help="Sign requests for a service of AWS, such as `glue` or `s3tables`.",
    ),
    click.option(
        "--region",
        metavar="REGION",
        help="Region of the signatures.  [default: that of the AWS configuration]",
    ),
    click.option(
        "--ca-file",
        metavar="FILE",
        help="Certificates to trust, in PEM.  [default: SSL_CERT_FILE, REQUESTS_CA_BUNDLE]",
    ),
    click.option(
        "--client-cert",
        metavar="FILE",
        help="Certificate to present, in PEM, with its key or with --client-key.",
    ),
    click.option("--client-key", metavar="FILE", help="Key of --client-cert, in PEM."),
    click.option(
        "--proxy",
        metavar="URL",
        help=(
            "Proxy, http://HOST:PORT or socks5://HOST:PORT, or `none`.  "
            "[default: HTTPS_PROXY, HTTP_PROXY, NO_PROXY]"
        ),
    ),
    click.option(
        "--header",
        "headers",
        multiple=True,
        callback=_by_name,
        metavar="'NAME: VALUE'",
        help="Send a header with every request; reports and profiles do not show its value.",
    ),
)


def with_access(command: F) -> F:
    """Add the options; the command gets them by the names in `settings.OPTIONS`, and `headers`."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command
