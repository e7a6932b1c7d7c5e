"""Where a name of a module is used."""

import ast


def uses(source, name):
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Name) and node.id == name and not shadowed(node, name):
            yield node


def shadowed(node, name):
    """A parameter or a variable of a function around it has the same name."""
    while hasattr(node, "parent"):
        node = node.parent
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            args = node.args
            if name in [one.arg for one in [*args.posonlyargs, *args.args, *args.kwonlyargs]]:
                return True
            if any(isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store) for one in ast.walk(node)):
                return True
    return False
