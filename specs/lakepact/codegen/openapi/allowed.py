"""The allow-list of generated modules: a module with any other statement is not written."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from lakepact.codegen.documents import Broken

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_IMPORTED = frozenset(
    {
        *("__future__", "datetime", "pydantic", "typing", "typing_extensions", "uuid"),
        *(".answers", ".contract", ".models", ".operations", ".wire", ".wsgi"),
    }
)
_TYPES = frozenset(
    {"bool", "bytes", "dict", "float", "int", "list", "str"}
)  #: those that models import from `builtins`
_CALLED = frozenset(
    {
        "Application",
        "Body",
        "Call",
        "ConfigDict",
        "Field",
        "Operation",
        "Parameter",
        "TypeAliasType",
        "types_of",
    }
)
_IN_BODIES: dict[type[ast.AST], tuple[type[ast.stmt], ...]] = {
    ast.Module: (
        ast.Expr,
        ast.ImportFrom,
        ast.Assign,
        ast.AnnAssign,
        ast.ClassDef,
        ast.FunctionDef,
    ),
    ast.ClassDef: (ast.Expr, ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.Pass),
    ast.FunctionDef: (ast.Expr, ast.AnnAssign, ast.Return),
}
_ANYWHERE = (
    *(ast.Name, ast.Load, ast.Store, ast.Constant, ast.Subscript, ast.Tuple, ast.List, ast.Dict),
    *(ast.BinOp, ast.BitOr, ast.UnaryOp, ast.USub, ast.arguments, ast.arg, ast.alias, ast.keyword),
    *(ast.Assign, ast.AnnAssign, ast.Return, ast.Pass),
)


def check(folder: Path, copies: Mapping[str, str]) -> None:
    """See that the modules of a package hold nothing but what the generator means.

    Args:
        folder: The package as it is written.
        copies: Modules that have to be equal to a source, by file name.

    Raises:
        Broken: One does; the message says which, and where.
    """
    for path in sorted(folder.glob("*.py")):
        try:
            tree = ast.parse(
                path.read_bytes()
            )  # as Python reads it: a comment may choose another encoding
        except (SyntaxError, ValueError, MemoryError, RecursionError) as problem:
            raise Broken(
                f"{path.name} would not be Python: {problem}; report the document as an error of"
                " lakepact"
            ) from None
        copy = copies.get(path.name)
        wrong = (
            _other(tree)
            if copy is None
            else None
            if ast.dump(tree) == ast.dump(ast.parse(copy))
            else tree
        )
        if wrong is not None:
            what = (
                f"{path.name}, line {getattr(wrong, 'lineno', 1)}, would hold code of the document"
            )
            raise Broken(
                f"{what} ({type(wrong).__name__}); nothing is written; report the document as an"
                " error of lakepact"
            )


def _other(tree: ast.Module) -> ast.AST | None:
    return next((node for node in ast.walk(tree) if not _allows(node)), None)


def _allows(node: Any) -> bool:
    if type(node) in _IN_BODIES:
        plain = not getattr(node, "decorator_list", ()) and not getattr(node, "keywords", ())
        return plain and all(
            isinstance(statement, _IN_BODIES[type(node)]) for statement in node.body
        )
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.ImportFrom):
        module = f"{'.' * node.level}{node.module or ''}"
        plain = all(
            name.asname in {None, f"{name.name}_aliased"} for name in node.names
        )  # of a type that a member is called like
        return plain and (
            module in _IMPORTED
            or (module == "builtins" and {name.name for name in node.names} <= _TYPES)
        )
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _CALLED
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return all(isinstance(target, ast.Name) for target in targets)
    return isinstance(node, _ANYWHERE)
