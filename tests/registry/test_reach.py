"""Modules with limits alone read the answers of servers."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("client", "conformance", "reference_server", "specs")
#: The functions that read whatever comes, and the modules that may call them.
PLACES = {
    "load_catalog": set[str](),  # the client opens catalogs: pyiceberg_catalog
    "urlopen": set[str](),
    **{
        f"httpx.{name}": {
            "programs/scripted_server.py",  # answers of clients' own servers
            "http/files.py",
        }
        for name in ("Client", "AsyncClient", "get", "post", "put", "request", "stream")
    },
}


def calls(module: Path) -> set[str]:
    """Return the functions of `PLACES` that a module names."""
    names: set[str] = set()
    tree = ast.parse(module.read_text("utf-8"))
    annotations = {
        inner
        for node in ast.walk(tree)
        for part in ("annotation", "returns")
        if (root := getattr(node, part, None)) is not None
        for inner in ast.walk(root)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node not in annotations:
            names |= {node.attr, ast.unparse(node)}
        if isinstance(node, ast.ImportFrom):
            names |= {each.name for each in node.names}
    return names & PLACES.keys()


def test_only_modules_with_limits_read_what_others_answer() -> None:
    uses = {
        (name, str(module.relative_to(ROOT)))
        for folder in FOLDERS
        for module in (ROOT / folder).rglob("*.py")
        for name in calls(module)
        if not any(str(module).endswith(place) for place in PLACES[name])
    }

    assert uses == set()
