"""Imports Step files, and imports them again when they or what they import have changed."""

from __future__ import annotations

import hashlib
import importlib.util
import linecache
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

from .import_graph import ImportGraph, local_modules
from .missing_secrets import forget_missing_secrets
from .problems import LoadTimeout, is_local, relative


class ModuleLoader:
    """
    Step files are modules named after their path, e.g. ``steps.orders.create_step``; the root is on ``sys.path``, and
    relative imports work. All imports happen on the main thread, one after the other.
    """

    def __init__(self, root: str, import_timeout_s: float = 10.0, renews: bool = True) -> None:
        """``renews``: files change while they are served."""
        self._root = root
        self._timeout_s = import_timeout_s
        self._graph = ImportGraph(root)
        self._hashes: dict[str, str] = {}
        if renews:
            sys.meta_path.insert(0, _Observer(self._remember))

    def load(self, path: str) -> ModuleType:
        """Imports the file at an absolute path anew. :raises BaseException: whatever the file raises"""
        with open(path, "rb") as file:
            content = file.read()
        name = self._name(path)
        package = name.rpartition(".")[0]
        self._graph.learn(name, content.decode("utf-8", "replace"), package)
        with _time_limit(self._timeout_s):
            self._ensure_package(package)
            return self._execute(name, path, content)

    def imports(self, path: str) -> list[str]:
        """Local files that a Step file imports, directly or not, or would when its code runs; absolute and sorted."""
        return sorted(self._graph.files(self._name(path)))

    def renew(self, step_files: Iterable[str]) -> set[str]:
        """
        Forgets modules whose content has changed since they were imported, and all that import them. Returns the Step files
        among these.
        """
        linecache.checkcache()
        importlib.invalidate_caches()
        local = local_modules(self._root)
        names = {self._name(path): path for path in step_files}
        changed = {
            name for name, module in local.items() if name not in names and self._has_changed(str(module.__file__))
        }
        if not changed:
            return set()
        stale = changed | {name for name in (*local, *names) if self._graph.reached(name) & changed}
        for name in stale - names.keys():
            _unload(name)
            self._hashes.pop(str(local[name].__file__), None)
            forget_missing_secrets(str(local[name].__file__))
        self._graph.forget(stale)
        return {names[name] for name in stale if name in names}

    def _execute(self, name: str, path: str, content: bytes) -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None:
            raise ImportError(f"{path} is no Python file")
        module = importlib.util.module_from_spec(spec)
        forget_missing_secrets(path)
        before = sys.modules.get(name)
        sys.modules[name] = module
        try:
            # Compiled here: files of bytecode are only as precise as a second.
            exec(compile(content, path, "exec", dont_inherit=True), module.__dict__)
        except BaseException:
            if before is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = before
            raise
        return module

    def _name(self, path: str) -> str:
        parts = relative(path, self._root)[: -len(".py")].split("/")
        return ".".join(re.sub(r"\W", "_", part) for part in parts)

    def _ensure_package(self, package: str) -> None:
        """Folders are packages, whatever else is called like them on ``sys.path``."""
        folder, name = self._root, ""
        for part in package.split(".") if package else ():
            name = f"{name}.{part}" if name else part
            folder = _folder_named(folder, part)
            module = sys.modules.get(name)
            if module is None or folder not in list(getattr(module, "__path__", ())):
                self._make_package(name, folder)

    def _make_package(self, name: str, folder: str) -> None:
        init = os.path.join(folder, "__init__.py")
        if os.path.isfile(init):
            spec = importlib.util.spec_from_file_location(name, init, submodule_search_locations=[folder])
            assert spec is not None and spec.loader is not None
            module = sys.modules[name] = importlib.util.module_from_spec(spec)
            self._remember(init)
            try:
                spec.loader.exec_module(module)
            except BaseException:
                sys.modules.pop(name, None)
                raise
        else:
            module = sys.modules[name] = ModuleType(name)
            module.__path__ = [folder]

    def _remember(self, file: str) -> None:
        if is_local(file, self._root):
            self._hashes[file] = _hash(file)

    def _has_changed(self, file: str) -> bool:
        known = self._hashes.get(file)
        if known is None:
            self._hashes[file] = _hash(file)
            return False
        return known != _hash(file)


class _Observer:
    """Sees what is imported right before it is: also what handlers import while they run."""

    def __init__(self, on_import: Callable[[str], None]) -> None:
        self._on_import = on_import

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin is not None:
            self._on_import(spec.origin)
        # Found again by those who would have found it anyway.
        return None


def _unload(name: str) -> None:
    """Its package holds it as well, and "from package import it" looks there first."""
    module = sys.modules.pop(name, None)
    package, _, own = name.rpartition(".")
    parent = sys.modules.get(package)
    if parent is not None and module is not None and vars(parent).get(own) is module:
        delattr(parent, own)


def _folder_named(parent: str, name: str) -> str:
    """The folder whose name, with everything odd replaced, is this one."""
    exact = os.path.join(parent, name)
    if os.path.isdir(exact):
        return exact
    for entry in sorted(os.listdir(parent)):
        if re.sub(r"\W", "_", entry) == name:
            return os.path.join(parent, entry)
    return exact


def _hash(file: str) -> str:
    try:
        with open(file, "rb") as source:
            return hashlib.sha256(source.read()).hexdigest()
    except OSError:
        return "missing"


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Ends what takes too long by an exception, where the system can: on the main thread, and not on Windows."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_: object) -> None:
        raise LoadTimeout(f"the file did not finish loading in {seconds:g} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
