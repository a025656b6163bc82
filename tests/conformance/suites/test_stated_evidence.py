"""Checks state the place of each value that they judge, and count the loops that judge."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from lakepact import conformance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ROOT = Path(conformance.__file__).parent
TREES = {path: ast.parse(path.read_text("utf-8")) for folder in ("checks", "clients") for path in sorted((ROOT / folder).rglob("*.py"))}
PLACED = frozenset({"equal", "true", "contains", "lacks", "one_of", "unmet"})  #: expectations that take a place
JUDGING = frozenset({"judge", "judge_each"})


def without_place(tree: ast.AST) -> Iterator[int]:
    """Yield the lines of expectations that do not state a place."""
    for call in calls(tree):
        function = call.func
        is_placed = isinstance(function, ast.Attribute) and function.attr in PLACED and getattr(function.value, "id", "") == "expect"
        if is_placed and not any(keyword.arg == "at" for keyword in call.keywords):
            yield call.lineno


def uncounted(tree: ast.Module) -> Iterator[int]:
    """Yield the lines of loops that judge, are not over `lab.each(…)`, and have no break."""
    judges = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and opens_judgement(node, frozenset())}
    for loop in (node for node in ast.walk(tree) if isinstance(node, ast.For)):
        is_counted = isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Attribute) and loop.iter.func.attr == "each"
        has_break = any(isinstance(node, ast.Break) for node in ast.walk(loop))
        if not is_counted and not has_break and any(opens_judgement(node, judges) for node in loop.body):
            yield loop.lineno


def opens_judgement(node: ast.AST, judges: frozenset[str] | set[str]) -> bool:
    """Return whether a node begins a judgement, or calls a function of its module that does."""
    return any(
        (isinstance(call.func, ast.Attribute) and call.func.attr in JUDGING) or (isinstance(call.func, ast.Name) and call.func.id in judges)
        for call in calls(node)
    )


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def found(look: Callable[[ast.Module], Iterable[int]]) -> list[str]:
    return [f"{path.relative_to(ROOT)}:{line}" for path, tree in TREES.items() for line in look(tree)]


def test_expectations_state_a_place_or_that_there_is_none() -> None:
    assert found(without_place) == []


def test_loops_that_judge_are_counted() -> None:
    assert found(uncounted) == []


def test_uncounted_loops_and_missing_places_are_noticed() -> None:
    source = """
def helper(lab):
    with lab.judge("A"):
        expect.equal(1, 2, "n")

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
    assert ([*without_place(tree)], [*uncounted(tree)]) == ([4], [7])
