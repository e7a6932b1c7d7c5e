"""Which files of the application a module imports."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable
from types import ModuleType

from .problems import is_local


def local_modules(root: str) -> dict[str, ModuleType]:
    """Modules of the application that are loaded, by name."""
    return {name: module for name, module in list(sys.modules.items()) if is_local(getattr(module, "__file__", None), root)}


class ImportGraph:
    """Reads imports from sources, since a module that was imported before says nothing when it is imported again."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._imports: dict[str, frozenset[str]] = {}

    def learn(self, name: str, source: str, package: str) -> None:
        """Reads what a module imports, by the names that it may have in ``sys.modules``."""
        try:
            self._imports[name] = frozenset(_imported(ast.parse(source), package))
        except (SyntaxError, ValueError):
            self._imports[name] = frozenset()

    def forget(self, names: Iterable[str]) -> None:
        """Modules that are loaded anew."""
        for name in names:
            self._imports.pop(name, None)

    def reached(self, name: str) -> set[str]:
        """Local modules that a module imports, directly or not."""
        local = local_modules(self._root)
        seen: set[str] = set()
        waiting = [name]
        while waiting:
            for imported in self._direct(waiting.pop(), local):
                if imported in local and imported not in seen:
                    seen.add(imported)
                    waiting.append(imported)
        return seen - {name}

    def files(self, name: str) -> set[str]:
        """Local files that a module imports, directly or not, whether or not they are loaded yet."""
        local = local_modules(self._root)
        names = {name, *self.reached(name)}
        found = {str(local[each].__file__) for each in names - {name} if each in local}
        for imported in {other for each in names for other in self._direct(each, local)} - local.keys() - {""}:
            path = os.path.join(self._root, *imported.split("."))
            found |= {file for file in (f"{path}.py", os.path.join(path, "__init__.py")) if os.path.isfile(file)}
        return found

    def _direct(self, name: str, local: dict[str, ModuleType]) -> frozenset[str]:
        if name not in self._imports:
            module = local.get(name)
            file = getattr(module, "__file__", None)
            if module is None or file is None:
                return frozenset()
            self.learn(name, _read(file), module.__package__ or "")
        return self._imports[name]


def _read(file: str) -> str:
    try:
        with open(file, encoding="utf-8") as source:
            return source.read()
    except (OSError, UnicodeDecodeError):
        return ""


def _imported(tree: ast.AST, package: str) -> Iterable[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _with_parents(alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, package)
            yield from _with_parents(base)
            yield from (f"{base}.{alias.name}" if base else alias.name for alias in node.names)
        elif isinstance(node, ast.Call):
            yield from _with_parents(_called(node))


def _called(node: ast.Call) -> str:
    """What ``importlib.import_module("name")`` or ``__import__("name")`` imports, when the name is written out."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
    first = node.args[0] if node.args else None
    if called not in ("import_module", "__import__") or not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        return ""
    return first.value


def _base(node: ast.ImportFrom, package: str) -> str:
    if node.level == 0:
        return node.module or ""
    parents = package.split(".")[: len(package.split(".")) - node.level + 1]
    return ".".join([*parents, *([node.module] if node.module else [])])


def _with_parents(name: str) -> Iterable[str]:
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
