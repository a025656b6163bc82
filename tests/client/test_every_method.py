"""`every_method.py` calls every public method of every public class, so that `nox -s types` checks
all of their types.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import lakepact.client
from codegen.sync_twin import without_event_loop

SOURCE = Path(__file__).with_name("every_method.py").read_text("utf-8")
PROGRAMS = [ast.parse(SOURCE), ast.parse(without_event_loop(SOURCE))]


OURS = ("lakepact.client", "lakepact.reach")  #: packages of public classes


def imports_of(tree: ast.AST) -> dict[str, tuple[str, str]]:
    """Return the module and the name of what a module imports, by the name that it has there."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return {
        alias.asname or alias.name: (str(node.module), alias.name)
        for node in imports
        for alias in node.names
    }


def used_members() -> dict[type, set[str]]:
    """Return the members that the programs use, by the class that a function's parameter has."""
    members = dict[type, set[str]]()
    for names, function in [
        (imports_of(program), function) for program in PROGRAMS for function in program.body
    ]:
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and function.args.args:
            (parameter, *_) = function.args.args
            assert isinstance(parameter.annotation, ast.Name)
            module, name = names[parameter.annotation.id]
            used = {
                node.attr
                for node in ast.walk(function)
                if isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == parameter.arg
            }
            members.setdefault(getattr(importlib.import_module(module), name), set()).update(used)
    return members


def methods(kind: type) -> dict[str, object]:
    """Return the public methods and properties of a class."""
    members = inspect.getmembers(
        kind, lambda member: inspect.isroutine(member) or isinstance(member, property)
    )
    return {
        name: member
        for name, member in members
        if not name.startswith("_") and name not in dir(tuple)
    }


def public() -> set[type]:
    """Return the public classes, and those that their methods return."""
    classes = set[type]()
    todo = [
        value
        for value in (getattr(lakepact.client, name) for name in lakepact.client.__all__)
        if isinstance(value, type)
    ]
    while todo:
        kind = todo.pop()
        if kind not in classes and not issubclass(kind, Exception):
            classes.add(kind)
            todo += result_classes(kind)
    return classes


def result_classes(kind: type) -> Iterator[type]:
    """Yield the classes of the client that the public methods of a class return."""
    for base in kind.__mro__:
        if base.__module__.startswith(OURS):
            module = importlib.import_module(base.__module__)
            names = imports_of(ast.parse(inspect.getsource(module)))
            for member in vars(base).values():
                function = member.fget if isinstance(member, property) else member
                if inspect.isfunction(function) and not function.__name__.startswith("_"):
                    for word in re.findall(
                        r"\w+", str(inspect.signature(function).return_annotation)
                    ):
                        where, name = names.get(word, (base.__module__, word))
                        value = (
                            getattr(importlib.import_module(where), name, None)
                            if where.startswith(OURS)
                            else None
                        )
                        if isinstance(value, type):
                            yield value


def test_program_calls_every_public_method() -> None:
    program = used_members()
    missing = {
        f"{kind.__name__}.{name}"
        for kind in public()
        for name in methods(kind)
        if not any(name in used for base, used in program.items() if issubclass(kind, base))
    }

    assert sorted(missing) == []


def test_public_methods_need_at_most_three_positional_arguments() -> None:
    too_many = {
        f"{kind.__name__}.{name}"
        for kind in public()
        for name, member in methods(kind).items()
        if inspect.isfunction(member) and len(required(member)) > 3
    }

    assert sorted(too_many) == []


def required(function: object) -> list[str]:
    parameters = inspect.signature(function).parameters.values() if callable(function) else ()
    positional = [
        each
        for each in parameters
        if each.kind is each.POSITIONAL_OR_KEYWORD and each.default is each.empty
    ]
    return [each.name for each in positional if each.name != "self"]
