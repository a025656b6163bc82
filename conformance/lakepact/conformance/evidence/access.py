"""The settings that lead to a target: certificates, proxy and login."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Access:
    """Certificates, proxy and login of a target; none of them is a secret.

    Args:
        ca_file: certificates to trust (PEM) instead of those that the environment names.
        client_cert: certificate to present (PEM).
        client_key: its key, if that is in another file.
        proxy: `http://HOST:PORT` of a proxy; `none` ignores the proxies of the environment.
        credential_env: environment variable that holds `id:secret` of a client of OAuth2.
        token_endpoint: its token endpoint.
        scope: of its tokens.
        sigv4: service that requests are signed for, such as `glue`.
        region: region of the signatures.
    """

    ca_file: str = ""
    client_cert: str = ""
    client_key: str = ""
    proxy: str = ""
    credential_env: str = ""
    token_endpoint: str = ""
    scope: str = "catalog"
    sigv4: str = ""
    region: str = ""


DIRECT = Access()  #: no proxy but that of the environment, and no login
SETTINGS = tuple(one.name for one in fields(Access))  #: keys of a profile
