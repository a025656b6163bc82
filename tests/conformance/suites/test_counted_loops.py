"""Checks count the loops that judge: an exception that leaves one keeps what it judged from
passing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from lakepact import conformance

ROOT = Path(conformance.__file__).parent
JUDGING = frozenset({"judge", "judge_each"})


def loops_without_count(tree: ast.Module) -> Iterator[int]:
    """Yield the lines of loops that judge, are not over `lab.each(…)`, and have no break."""
    judges = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and opens_judgement(node, frozenset())
    }
    for loop in (node for node in ast.walk(tree) if isinstance(node, ast.For)):
        is_counted = (
            isinstance(loop.iter, ast.Call)
            and isinstance(loop.iter.func, ast.Attribute)
            and loop.iter.func.attr == "each"
        )
        has_break = any(isinstance(node, ast.Break) for node in ast.walk(loop))
        if (
            not is_counted
            and not has_break
            and any(opens_judgement(node, judges) for node in loop.body)
        ):
            yield loop.lineno


def opens_judgement(node: ast.AST, judges: frozenset[str] | set[str]) -> bool:
    """Return whether a node begins a judgement, or calls a function of its module that does."""
    return any(
        (isinstance(call.func, ast.Attribute) and call.func.attr in JUDGING)
        or (isinstance(call.func, ast.Name) and call.func.id in judges)
        for call in calls(node)
    )


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def test_loops_that_judge_are_counted() -> None:
    paths = [
        path for folder in ("checks", "clients") for path in sorted((ROOT / folder).rglob("*.py"))
    ]

    assert [
        f"{path.relative_to(ROOT)}:{line}"
        for path in paths
        for line in loops_without_count(ast.parse(path.read_text("utf-8")))
    ] == []


def test_uncounted_loops_and_missing_places_are_noticed() -> None:
    source = """
def helper(lab):
    with lab.judge("A"):
        pass

def check(lab):
    for table in lab.tables():
        helper(lab)
    for table in lab.each(lab.tables()):
        helper(lab)
    for table in lab.tables():
        helper(lab)
        break
"""
    tree = ast.parse(source)
    assert [*loops_without_count(tree)] == [7]
