"""The index page of a server: its contracts, their contents, and lines that connect clients.

The page shows the contents that its caller gets from the contracts: without a token it shows
nothing of a catalog that authenticates callers.
"""

from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence

from lakepact.reference_server.http.index_entries import MOST_GROUPS, Ask, Group, NotListed
from lakepact.reference_server.http.service import Scope, Service

HTML = b"text/html; charset=utf-8"
NEVER_STORED = (
    (b"cache-control", b"no-store"),
    (
        b"content-security-policy",
        (
            b"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none';"
            b" frame-ancestors 'none'"
        ),
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
#: A host and port that can stand in a command line and in a string of any language.
HOST = re.compile(rb"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
STYLE = """
:root { color-scheme: light dark; --text: #1c1e21; --soft: #5d646d; --line: #dddfdb; --shade: #f2f2ef; --page: #fbfbfa; --link: #175cc2 }
@media (prefers-color-scheme: dark) { :root { --text: #e6e7e9; --soft: #9aa2ad; --line: #2e333b; --shade: #23272e; --page: #14161a;
  --link: #7fb2ff } }
* { box-sizing: border-box }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 1000px; margin: 0 auto;
  padding: 20px 16px 60px; overflow-wrap: anywhere }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2.5rem } h3 { font-size: 1rem; margin: 1.4rem 0 .4rem }
a { color: var(--link) } p { margin: .4rem 0 } small, td.soft { color: var(--soft) }
code, pre, td.path { font: .87em/1.5 ui-monospace, Menlo, "DejaVu Sans Mono", monospace }
pre { background: var(--shade); border-radius: 6px; padding: 8px 10px; margin: .3rem 0; overflow-x: auto; user-select: all }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: .9rem; min-width: 50% }
th, td { text-align: left; vertical-align: top; padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line) }
th, td.soft { overflow-wrap: normal } td.soft { white-space: nowrap } td.path { min-width: 16em }
th { color: var(--soft); font-weight: 500 } details { margin: .3rem 0 } summary { cursor: pointer; padding: 2px 0 }
"""


async def index_page(services: Sequence[Service], scope: Scope, *, ask: Ask) -> bytes:
    """Return the page.

    Args:
        services: the contracts.
        scope: the request for the page.
        ask: answers a GET of the contracts with the headers of that request.
    """
    base = _base(scope)
    parts = [
        (
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport"'
            ' content="width=device-width, initial-scale=1">'
        ),
        (
            f"<title>lakepact</title><style>{STYLE}</style></head><body><h1>lakepact's reference"
            " server</h1>"
        ),
        (
            "<p>It checks every request against the contracts below. <a"
            ' href="/healthz">/healthz</a> returns 200 while it is up.</p>'
        ),
    ]
    for service in services:
        parts += [
            *_heading(service),
            *await _contents(service, base, ask),
            *_clients(service, base),
            *_operations(service),
        ]
    return "".join([*parts, "</body></html>"]).encode()


def _base(scope: Scope) -> str:
    """Return the address of the server as the caller spelled it, or as the server knows it."""
    hosts = [value for name, value in scope["headers"] if name == b"host"]
    if len(hosts) == 1 and HOST.fullmatch(hosts[0]):
        return f"{scope['scheme']}://{hosts[0].decode()}"
    host, port = scope["server"]
    return f"{scope['scheme']}://{host}:{port}"


def _heading(service: Service) -> Iterator[str]:
    contract = service.contract
    yield f"<h2>{html.escape(contract.title)}, {html.escape(contract.version)}</h2>"
    further = "".join(
        f' · <a href="{path}">{html.escape(path.rpartition("/")[2].replace("-", " "))}</a>'
        for path in service.pages
    )
    yield (
        f"<p>{html.escape(' '.join(service.about))}</p><p><a"
        f' href="{service.document_path}">{service.document_path}</a>{further}</p>'
    )


async def _contents(service: Service, base: str, ask: Ask) -> list[str]:
    """Return the contents that the caller of the page may see."""
    if service.index is None:
        return []
    try:
        groups = [group async for group in _first(service.index.contents(ask))]
    except NotListed as refused:
        if service.authenticates and refused.status in {401, 403}:
            command = html.escape(f"curl -H 'Authorization: Bearer TOKEN' {base}/")
            return [
                (
                    "<h3>Contents</h3><p>Callers are authenticated. With a token this page lists"
                    " what the token may see:</p>"
                ),
                _copyable(command),
            ]
        return [f"<h3>Contents</h3><p>The contents cannot be listed: status {refused.status}.</p>"]
    if not groups:
        return ["<h3>Contents</h3><p>Nothing is there yet.</p>"]
    kinds = list(dict.fromkeys(kind for group in groups for kind in group.entries))
    rows = "".join(
        f"<tr><td>{_escape(group.name)}</td>"
        + "".join(f"<td>{_names(group.entries.get(kind, ()))}</td>" for kind in kinds)
        + ("" if group.is_whole else '<td class="soft">and more</td>')
        + "</tr>"
        for group in groups
    )
    more = (
        f"<p><small>The first {MOST_GROUPS} are shown.</small></p>"
        if len(groups) >= MOST_GROUPS
        else ""
    )
    head = "".join(f"<th>{kind}</th>" for kind in kinds)
    return [
        (
            "<h3>Contents</h3><div"
            f' class="wide"><table><tr><th></th>{head}</tr>{rows}</table></div>{more}'
        )
    ]


async def _first(groups: AsyncIterator[Group]) -> AsyncIterator[Group]:
    """Yield the groups that the page shows."""
    count = 0
    async for group in groups:
        yield group
        count += 1
        if count >= MOST_GROUPS:
            return


def _names(names: Iterable[str]) -> str:
    return _escape(", ".join(names))


def _escape(text: str) -> str:
    """Escape a text of a caller for HTML, with control and bidirectional characters spelled out."""
    return html.escape("".join(c if c.isprintable() else ascii(c)[1:-1] for c in text))


def _clients(service: Service, base: str) -> Iterator[str]:
    lines: Mapping[str, str] = service.index.clients(base) if service.index else {}
    if lines:
        yield "<h3>Connect</h3>"
    for name, text in lines.items():
        yield f"<details><summary>{html.escape(name)}</summary>{_copyable(html.escape(text.rstrip()))}</details>"


def _copyable(text: str) -> str:
    """Return lines that a click selects as a whole."""
    return f'<pre tabindex="0">{text}</pre>'


def _operations(service: Service) -> Iterator[str]:
    operations = service.operations()
    rows = "".join(
        f"<tr><td>{operation.method.upper()}</td><td"
        f' class="path">{html.escape(service.root + operation.path)}</td>'
        f"<td>{operation.id}</td></tr>"
        for operation in operations
    )
    yield f"<h3>Operations</h3><details><summary>{len(operations)} operations</summary>"
    yield (
        "<div"
        f' class="wide"><table><tr><th>method</th><th>path</th><th>operation</th></tr>{rows}</table></div></details>'
    )
    if service.unavailable:
        yield (
            "<p>Not offered, answered with status 406:"
            f" {', '.join(sorted(service.unavailable))}.</p>"
        )
