"""The exchange that an error keeps, without secrets."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus

from lakepact.reach.wire import Reply

if TYPE_CHECKING:
    from lakepact.reach.wire import Headers, Lost, Request

HIDDEN = "[hidden]"
#: Longest piece of a body that an exchange keeps, in characters.
EXCERPT = 2_000
#: Bytes of a body that are searched for it: masking may shrink the text, and longer searches are
#: slow.
EXCERPT_SOURCE = 10 * EXCERPT

#: Parts of names whose values are secret.
_TELLING = r"(?:authoriz|x-auth|cookie|credential|passw|secret|session|signature|token|api-?key|access-?key|subscription-?key|sas-)"
_SECRET_HEADER = re.compile(_TELLING, re.IGNORECASE)
# Names are taken to be short: a search for long ones would take its time over hostile bodies.
#: `"some.secret-name": "value"`, the value possibly cut off.
_SECRET_MEMBER = re.compile(
    rf'("[^"\\]{{0,80}}{_TELLING}[^"\\]{{0,80}}"\s*:\s*)"(?:[^"\\]|\\.)*"?',
    re.IGNORECASE | re.DOTALL,
)
#: `some_secret=value`, in forms and query strings; `sig` is what Azure calls the signature of a
#: URL.
_SECRET_FIELD = re.compile(
    rf'(?<![\w.%-])((?:[\w.%-]{{0,80}}{_TELLING}[\w.%-]{{0,80}}|(?:u0026)?sig)=)[^&\s"<\\]+',
    re.IGNORECASE,
)
#: `scheme://user:password@`, also where JSON escapes the slashes, and of the web also a user alone.
_USERINFO = re.compile(
    r"""(\b(?:[a-z][a-z0-9+.-]{0,20}:(?:\\*/){2}(?=[^\s/?#"'<>\\]*:)|https?:(?:\\*/){2}))[^\s/?#"'<>\\]+@""",
    re.IGNORECASE,
)
#: The same inside of a query string.
_ENCODED_USERINFO = re.compile(
    r"""((?:%3A|:)%2F%2F)(?:(?!%2F|%3F|%40)[^\s/?#&"'<>\\@])+(?:%40|@)""", re.IGNORECASE
)
#: Fields of the forms of token endpoints.
_FORM_SECRETS = frozenset({"apikey", "client_secret", "subject_token", "actor_token"})
#: A shorter credential would blot out innocent text.
_SHORTEST_CREDENTIAL = 4


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and the reply to it, if there was one, without their secrets; long bodies are
    cut.
    """

    method: str
    url: str
    request_headers: Headers
    request_body: str
    status: int | None
    reply_headers: Headers
    reply_body: str


class Redactor:
    """Takes out of any text what `request` presented as a credential, and whatever is called a
    secret.
    """

    def __init__(self, request: Request) -> None:
        secrets = (value for name, value in request.headers if _SECRET_HEADER.search(name))
        # "Bearer x" is secret as a whole and without its scheme.
        words = {
            word
            for value in secrets
            for word in (value, value.rpartition(" ")[2], *_secrets_in(value))
        } | _in_form(request)
        self._credentials = sorted(
            (word for word in words if len(word) >= _SHORTEST_CREDENTIAL), key=len, reverse=True
        )

    def text(self, text: str) -> str:
        """Return the text without credentials."""
        for credential in self._credentials:
            text = text.replace(credential, HIDDEN)
        if "@" in text or "%40" in text:
            text = _ENCODED_USERINFO.sub(rf"\1{HIDDEN}@", _USERINFO.sub(rf"\1{HIDDEN}@", text))
        return _SECRET_FIELD.sub(rf"\1{HIDDEN}", _SECRET_MEMBER.sub(rf'\1"{HIDDEN}"', text))

    def body(self, content: bytes | None) -> str:
        """Return the beginning of a body as text without credentials."""
        text = self.text((content or b"")[:EXCERPT_SOURCE].decode("utf-8", "replace"))
        return text if len(text) <= EXCERPT else f"{text[:EXCERPT]}…"

    def headers(self, headers: Headers) -> Headers:
        """Return the headers, the secret ones without their values."""
        return tuple(
            (name, HIDDEN if _SECRET_HEADER.search(name) else self.text(value))
            for name, value in headers
        )


def is_secret(name: str) -> bool:
    """Return whether a name says that what it names is a secret."""
    return _SECRET_HEADER.search(name) is not None


def without_query(url: str) -> str:
    """Return a URL without its query, where signatures stand."""
    address, mark, _ = url.partition("?")
    return f"{address}?{HIDDEN}" if mark else address


def _secrets_in(header: str) -> tuple[str, ...]:
    """Return the secret inside a header that holds a name, a colon and a secret in base64 form."""
    scheme, _, content = header.partition(" ")
    if scheme.lower() not in {"basic", "zenapikey"}:
        return ()
    try:
        return (base64.b64decode(content).decode().partition(":")[2],)
    except ValueError:
        return ()


def _in_form(request: Request) -> set[str]:
    """Return the secrets in the fields of a form, as they are and as they are spelled there."""
    kind = next((value for name, value in request.headers if name.lower() == "content-type"), "")
    if not request.content or not kind.startswith("application/x-www-form-urlencoded"):
        return set()
    fields = (field.partition("=") for field in request.content.decode("latin-1").split("&"))
    values = {value for name, _, value in fields if name in _FORM_SECRETS}
    return values | {unquote_plus(value) for value in values}


def redact(request: Request, answer: Reply | Lost) -> Exchange:
    """Return the exchange of `request` and `answer` as it may be shown."""
    redactor = Redactor(request)
    reply = answer if isinstance(answer, Reply) else None
    return Exchange(
        method=request.method,
        url=redactor.text(request.url),
        request_headers=redactor.headers(request.headers),
        request_body=redactor.body(request.content),
        status=reply.status if reply else None,
        reply_headers=redactor.headers(reply.headers) if reply else (),
        reply_body=redactor.body(reply.content) if reply else "",
    )
