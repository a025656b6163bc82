"""Commands that install extras of lakepact, for messages about a missing library."""

from __future__ import annotations

import json
import shlex


def install(*extras: str, elsewhere: bool = False) -> str:
    """Return the command that installs extras from where this lakepact came.

    A name that is on no index must not be installed from one: whoever registers it would be run.

    Args:
        extras: their names.
        elsewhere: whether the command is for another machine, which has no files of this one.
    """
    names = f"[{','.join(extras)}]"
    return f"pip install {shlex.quote(_origin(names, elsewhere=elsewhere))}"


def _origin(extras: str, *, elsewhere: bool) -> str:
    """Return what pip installs: a name, the folder of a clone, or a file or address (PEP 610)."""
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - slow
    from pathlib import Path  # noqa: PLC0415
    from urllib.request import url2pathname  # noqa: PLC0415

    clone = f".{extras}"
    try:
        package = distribution("lakepact")
        origin = json.loads(package.read_text("direct_url.json") or "{}")
        url = origin.get("url", "")
    except (PackageNotFoundError, ValueError, AttributeError):
        return clone
    if not url:
        return f"lakepact{extras}" if package.read_text("INSTALLER") else clone
    if elsewhere:
        return clone
    if url.startswith("file:"):
        path = Path(url2pathname(url.removeprefix("file://")))
        return clone if path == Path.cwd() else f"{path}{extras}"
    vcs = origin.get("vcs_info")
    address = f"{vcs['vcs']}+{url}@{vcs['commit_id']}" if vcs else url
    return f"lakepact{extras} @ {address}"
