"""Measurements of a page in a browser, in a frame of any width, light or dark."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
QUIETLY = (
    *(
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
    ),
    *(
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--enable-logging=stderr",
        "--virtual-time-budget=5000",
    ),
)
#: A window has at least 500 px; a frame can be narrower.
FRAME = """<!doctype html><html style="color-scheme: light dark"><title></title><body>
<script>addEventListener("message", event => { document.title = event.data })</script>
<iframe src="page.html" width="WIDTH" height="900" style="border: 0; color-scheme: light dark"></iframe>"""
NEEDS_BROWSER = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium here: apt-get install chromium"
)
LEAST_CONTRAST = 4.5  #: of text to its background, WCAG level AA

#: Measures the page in the frame, and sends the measurements to the outer page.
LOOK = """<script>
const light = c => c.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
const rgba = text => text.match(/[\\d.]+/g).map(Number);
function behind(one) {
  for (; one; one = one.parentElement) {
    const c = rgba(getComputedStyle(one).backgroundColor);
    if (c.length < 4 || c[3] === 1) return c.slice(0, 3);
  }
  return [255, 255, 255];
}
function contrast(one) {
  const [a, b] = [light(rgba(getComputedStyle(one).color).slice(0, 3)), light(behind(one))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}
addEventListener("load", () => {
  const seen = [...document.querySelectorAll(".v, a, p, li, td:not(.zero):not(.heat), th, summary, dt, dd, code, span")]
    .filter(one => one.checkVisibility() && [...one.childNodes].some(n => n.nodeType === 3 && n.data.trim()));
  const worst = seen.map(one => [contrast(one), one.className + " " + one.textContent.slice(0, 40)]).sort((a, b) => a[0] - b[0])[0];
  const main = document.querySelector("MAIN").getBoundingClientRect();
  parent.postMessage(JSON.stringify({
    width: innerWidth, needs: document.documentElement.scrollWidth, size: [main.width, main.height],
    rows: [...document.querySelectorAll("MAIN tbody tr")].filter(one => one.checkVisibility()).length,
    dark: matchMedia("(prefers-color-scheme: dark)").matches, page: light(rgba(getComputedStyle(document.body).backgroundColor)), worst,
  }), "*");
});
</script>"""


#: The policy of a page, which would forbid the scripts of these tests.
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')


def loaded(html: str, *, folder: Path, script: str = "", fragment: str = "") -> str:
    """Return the document of a page as a browser has it after running the page's script, and then
    another one.

    Args:
        html: the page.
        folder: an empty folder.
        script: runs after the script of the page; if it is empty, the page keeps its own policy.
        fragment: the part of the address after `#`.
    """
    changed = (
        POLICY.sub("", html).replace("</body>", f"<script>{{{script}}}</script></body>")
        if script
        else html
    )
    (folder / "page.html").write_text(changed, encoding="utf-8")
    address = (folder / "page.html").as_uri() + (f"#{fragment}" if fragment else "")
    return _browsed(["--dump-dom", address], folder)


def _browsed(how: list[str], folder: Path) -> str:
    """Return what the browser prints; fail if the page writes to its console."""
    assert BROWSER
    command = [BROWSER, *QUIETLY, f"--user-data-dir={folder / 'browser'}", *how]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode < 0:  # killed by a signal: Chromium crashes in one of thousands of starts
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    done.check_returncode()
    assert "CONSOLE" not in done.stderr, done.stderr
    return done.stdout


def seen(html: str, main: str, *, width: int, dark: bool, folder: Path) -> dict[str, Any]:
    """Return the measurements of a page in a browser.

    Args:
        html: the page.
        main: selector of the main part, whose size and table rows are measured.
        width: of the frame.
        dark: whether the color scheme is dark.
        folder: an empty folder.
    """
    (folder / "page.html").write_text(
        POLICY.sub("", html).replace("</body>", LOOK.replace("MAIN", main) + "</body>"),
        encoding="utf-8",
    )
    frame = folder / "frame.html"
    frame.write_text(FRAME.replace("WIDTH", str(width)), encoding="utf-8")
    how = ["--window-size=1400,1000", f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
    title = re.search(
        r"<title>(.*?)</title>", _browsed([*how, "--dump-dom", frame.as_uri()], folder)
    )
    assert title
    found: dict[str, Any] = json.loads(
        title[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    )
    return found
