"""Each round of a loop in a judgement is a case of its own, so that the first failure does not hide
the others; no case ends before it has expected something, because it would pass.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import lakepact.conformance

HOME = Path(lakepact.conformance.__file__).parent


def loops_without_cases(source: str) -> list[int]:
    """Return the lines of loops in a judgement that expect something outside of any
    `with case():`.
    """
    judgements = [
        node for node in ast.walk(ast.parse(source)) if _enters(node, "judge", "judge_each")
    ]
    loops = (
        loop for block in judgements for loop in _outside_cases(block) if isinstance(loop, ast.For)
    )
    return [
        loop.lineno for loop in loops if any(_is_expectation(node) for node in _outside_cases(loop))
    ]


def ends_without_expectations(source: str) -> list[int]:
    """Return the lines of `continue` and `return` in a judgement before its first expectation."""
    blocks = (n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.With))
    return [
        end.lineno
        for block in blocks
        if _enters(block, "judge", "case")
        for end in _outside_cases(block, ast.For, ast.FunctionDef)
        if isinstance(end, ast.Continue | ast.Return)
        and not any(
            isinstance(node, ast.Call) and _is_expectation(node) and node.lineno < end.lineno
            for node in ast.walk(block)
        )
    ]


def _outside_cases(node: ast.AST, *others: type[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes below a node, without those in a case of their own or in nodes of these
    types.
    """
    for child in ast.iter_child_nodes(node):
        if not _enters(child, "case") and not isinstance(child, others):
            yield child
            yield from _outside_cases(child, *others)


def _is_expectation(node: ast.AST) -> bool:
    function = node.func if isinstance(node, ast.Call) else None
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "expect"
        and function.attr != "excerpt"
    )


def _enters(node: ast.AST, *names: str) -> bool:
    """Return whether a node is a `with` block of a call to one of these functions."""
    calls = (item.context_expr for item in node.items) if isinstance(node, ast.With) else ()
    functions = (call.func for call in calls if isinstance(call, ast.Call))
    return any(
        (each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "")) in names
        for each in functions
    )


@pytest.mark.parametrize("wrong_lines", [loops_without_cases, ends_without_expectations])
def test_judgements_of_checks_have_cases_that_expect_something(
    wrong_lines: Callable[[str], list[int]],
) -> None:
    paths = [
        path for folder in ("checks", "clients") for path in sorted((HOME / folder).rglob("*.py"))
    ]

    assert [
        f"{path.relative_to(HOME)}:{line}"
        for path in paths
        for line in wrong_lines(path.read_text("utf-8"))
    ] == []


def test_loop_without_cases_is_found() -> None:
    source = "with lab.judge(R):\n    for one in many:\n        expect.status(one, 200)\n"

    assert loops_without_cases(source) == [2]


def test_end_of_a_case_without_expectation_is_found() -> None:
    source = (
        "for one in many:\n    with case():\n        if one.status == 400:\n            continue\n"
        "        expect.status(one, 200)\n"
    )

    assert ends_without_expectations(source) == [4]
