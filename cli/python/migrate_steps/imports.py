"""What is imported from the family, and what is done with it."""

import ast
import re

from source import text_of
from uses import uses

FAMILY = re.compile(r"^(?:motia|motiadev)(?:\.|$)")
TYPES = {
    "FlowContext": "Context", "ApiRequest": "HttpInput", "Logger": "Logger", "Context": "Context", "StateManager": "State",
    "StateTriggerInput": "Record", "StreamTriggerInput": "Record",
}
HELPERS = {"step": "step", "http": "http", "api": "http", "queue": "queue", "event": "queue", "cron": "cron", "state": "state", "stream": "stream"}
FROM_CONTEXT = {"logger": "logger", "enqueue": "enqueue", "emit": "enqueue", "stateManager": "state", "state_manager": "state"}


def rewrite_imports(source):
    for statement in ast.walk(source.tree):
        if isinstance(statement, ast.Import):
            for name in statement.names:
                if FAMILY.match(name.name):
                    source.note(statement, "the import takes the whole package", "import from treadle what is used, by name")
        if isinstance(statement, ast.ImportFrom) and statement.module and FAMILY.match(statement.module):
            rewrite_import(source, statement)


def rewrite_import(source, statement):
    wanted = []
    for name in statement.names:
        local = name.asname or name.name
        if name.name in FROM_CONTEXT:
            wanted.append("get_context")
            take_from_context(source, local, FROM_CONTEXT[name.name])
        elif name.name in HELPERS or name.name in TYPES:
            new = HELPERS.get(name.name) or TYPES[name.name]
            wanted.append(new if not name.asname else f"{new} as {name.asname}")
            if not name.asname and new != local:
                rename_uses(source, local, new)
        elif name.name == "ApiResponse":
            rename_uses(source, local, "dict")
        elif name.name == "Stream" and take_streams(source, local):
            wanted.append("get_context")
        else:
            wanted.append(source.of(name))
            reason = "treadle has no class Stream" if name.name == "Stream" else f'treadle has no "{name.name}"'
            source.note(statement, reason, "use get_context().streams.<name>" if name.name == "Stream" else "remove the name and what uses it")
    names = list(dict.fromkeys(wanted))
    start, end = source.span(statement)
    if names:
        source.put(statement, f"from treadle import {', '.join(names)}")
    else:
        rest = re.match(r"[ \t]*\r?\n", source.text[end:])
        source.replace(start, end + (rest.end() if rest else 0), "")


def take_streams(source, name):
    """``board = Stream("board")`` goes, and what is done with it is done with the context's; false where the name stands elsewhere, too."""
    made = []
    for statement in source.tree.body:
        value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
        target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
        call = value if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == name else None
        if call and isinstance(target, ast.Name) and len(call.args) == 1 and (text_of(call.args[0]) or "").isidentifier():
            made.append((statement, target.id, text_of(call.args[0])))
    within = [node for statement, _, _ in made for node in ast.walk(statement)]
    if not made or any(node not in within for node in uses(source, name)):
        return False
    for statement, variable, stream in made:
        start, end = source.span(statement)
        source.replace(start, end + len(re.match(r"[ \t]*\r?\n?", source.text[end:]).group()), "")
        for node in uses(source, variable):
            if node not in within:
                source.put(node, f"get_context().streams.{stream}")
    return True


def rename_uses(source, name, new):
    for node in uses(source, name):
        subscript = node.parent if isinstance(node.parent, ast.Subscript) and node.parent.value is node else None
        source.put(subscript or node, new)


def take_from_context(source, name, member):
    for node in uses(source, name):
        source.put(node, f"get_context().{member}")
        outer = node
        while hasattr(outer, "parent") and not isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            outer = outer.parent
        if isinstance(outer, ast.Module):
            source.note(node, f'"{name}" is used while the file is loaded, where no Step runs', "use it within the handler")


def imports_family(source):
    return any(isinstance(one, ast.ImportFrom) and one.module and FAMILY.match(one.module) for one in ast.walk(source.tree))
