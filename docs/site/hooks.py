"""Hooks of MkDocs: pages of the repository's root, generated pages, and links between them."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]
sys.path[:0] = [
    str(Path(__file__).parent),
    str(ROOT / "tests"),
]  # MkDocs loads this file alone; the mutants are among the tests

import requirement_pages

from lakepact.conformance.report import lines
from lakepact.conformance.report.html import html
from lakepact.conformance.report.site import Published, site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

#: Pages of the root, by their path in the site; the readme is the first page.
ROOT_PAGES = {
    "README.md": "index.md",
    "examples/README.md": "examples/index.md",
    **{
        name: name
        for name in (
            "ARCHITECTURE.md",
            "CONTRIBUTING.md",
            "CHANGELOG.md",
            "SECURITY.md",
            "CODE_OF_CONDUCT.md",
        )
    },
}
LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)([^)#\s]+)(?=[)#])")
NOTE = re.compile(r"^<!-- not run: [^>]+ -->\n", re.MULTILINE)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages of the root, the files that pages link to, and the generated pages."""
    for name, path in ROOT_PAGES.items():
        files.append(
            File.generated(
                config,
                path,
                content=_linked((ROOT / name).read_text("utf-8"), (ROOT / name).parent),
            )
        )
    for page in sorted((ROOT / "docs").glob("*.md")):
        for linked in LINK.findall(page.read_text("utf-8")):
            _add_file(files, config, (page.parent / linked).resolve())
    for name in ROOT_PAGES:
        for linked in LINK.findall((ROOT / name).read_text("utf-8")):
            _add_file(files, config, ((ROOT / name).parent / linked).resolve())
    for path, text in requirement_pages.pages().items():
        files.append(File.generated(config, path, content=text))
    for path, text in _results():
        files.append(File.generated(config, path, content=text))
    return files


def _results() -> Iterator[tuple[str, str]]:
    """Yield the site of results and the page of each published report, with their paths."""
    reports = []
    files = (ROOT / "docs" / "matrix").rglob("*.jsonl.gz")
    for file in sorted(files, key=lambda each: (len(each.parts), each)):  # servers, then clients
        report, path = lines.read(file), _place(file).replace(".jsonl.gz", ".html")
        name = file.with_name("name.txt").read_text("utf-8").strip()
        published = Published.of(name, report, path.removeprefix("matrix/"))
        reports.append(published)
        up = "../" * (path.count("/") - 1)
        yield path, html(report, site=f"{up}results.html#/{published.group}/requirement")
    yield "matrix/results.html", site(reports)


def _add_file(files: Files, config: MkDocsConfig, source: Path) -> None:
    """Add a file of the repository that is no page, so that links to it work."""
    if (
        source.suffix != ".md"
        and source.is_file()
        and files.get_file_from_path(_place(source)) is None
    ):
        files.append(File.generated(config, _place(source), content=source.read_text("utf-8")))


def _place(source: Path) -> str:
    """Return the path in the site of a file of the repository; extensionless files are shown as text."""
    inside = source.relative_to(ROOT)
    if inside.parts[0] == "docs":
        return Path(*inside.parts[1:]).as_posix()
    path = ROOT_PAGES.get(inside.as_posix(), inside.as_posix())
    return path if Path(path).suffix else f"{path}.txt"


def _linked(text: str, folder: Path) -> str:
    """Return a page with links as they are in the site, and without notes for tests."""

    def link(found: re.Match[str]) -> str:
        source = (folder / found[1]).resolve()
        return (
            os.path.relpath(_place(source), Path(_place(folder / "page.md")).parent)
            if source.is_file()
            else found[1]
        )

    return LINK.sub(link, NOTE.sub("", text))


def on_page_markdown(markdown: str, *, page: object, **_: object) -> str:
    """Return the text of a page of `docs/` as the site shows it: the site has the HTML pages of published reports."""
    source = Path(
        str(getattr(getattr(page, "file", None), "abs_src_path", None) or ROOT / "generated")
    )
    if source.parent == ROOT / "docs" / "matrix":
        return markdown.replace("/report.jsonl.gz)", "/report.html)")
    return _linked(markdown, source.parent) if source.parent == ROOT / "docs" else markdown
