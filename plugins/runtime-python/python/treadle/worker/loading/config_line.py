"""Where a config begins."""

from __future__ import annotations

import ast


def config_line(source: str) -> int | None:
    """Line of a Step's config in its source, from 1; None when it is written in no usual way."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    for finds in (_is_config, _is_authenticate, _makes_step):
        for node in tree.body:
            if finds(node):
                return _first_line(node)
    return None


def _first_line(node: ast.stmt) -> int:
    decorators = node.decorator_list if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _is_config(node: ast.stmt) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    names = {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return "config" in names


def _is_authenticate(node: ast.stmt) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == "authenticate"


def _makes_step(node: ast.stmt) -> bool:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return any(_calls_step(decorator) for decorator in node.decorator_list)
    value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Expr)) else None
    return value is not None and _calls_step(value)


def _calls_step(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    name = called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""
    return name == "step"
