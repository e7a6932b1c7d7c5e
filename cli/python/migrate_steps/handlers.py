"""What handlers take, and what they call."""

import ast
import re

from source import config_of, elements_of, entries, text_of

CONTEXT_MEMBERS = {"logger", "emit", "enqueue", "state", "streams", "trace_id", "traceId", "trigger"}
CHANGES = {"new_value": "new_value", "old_value": "old_value", "group_id": "group", "item_id": "key"}


def functions(source):
    return [node for node in ast.walk(source.tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def rewrite_handler(source):
    """``handler(context)`` of a cron Step gets the input that it did not have."""
    node = config_of(source)
    config = entries(source, node) if node else {}
    triggers = elements_of(config["triggers"].value) if "triggers" in config else None
    is_cron = triggers and all(
        (isinstance(one, ast.Dict) and "type" in entries(source, one) and text_of(entries(source, one)["type"].value) == "cron")
        or (isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "cron") for one in triggers)
    if not is_cron:
        return
    for function in source.tree.body:
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) or function.name != "handler" or len(function.args.args) != 1:
            continue
        only = function.args.args[0]
        used = {one.attr for one in ast.walk(function) if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == only.arg}
        if used & CONTEXT_MEMBERS:
            source.replace(source.span(only)[0], source.span(only)[0], "_input, ")


def contexts(source):
    """Names of parameters that are contexts."""
    found = {"ctx", "context"}
    for function in functions(source):
        if function.name == "handler" and len(function.args.args) > 1:
            found.add(function.args.args[1].arg)
        for one in function.args.args:
            if one.annotation is not None and re.search(r"\b(?:Flow)?Context\b", source.of(one.annotation)):
                found.add(one.arg)
    return found


def rewrite_calls(source, of_family):
    names = contexts(source)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute) and node.attr == "emit" and (isinstance(node.value, ast.Name) and node.value.id in names or emits_topic(node)):
            end = source.span(node)[1]
            source.replace(end - len("emit"), end, "enqueue")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            rewrite_listing(source, node, of_family)


def emits_topic(node):
    call = node.parent
    return isinstance(call, ast.Call) and call.func is node and bool(call.args) and isinstance(call.args[0], ast.Dict) \
        and any(text_of(key) == "topic" for key in call.args[0].keys if key is not None)


def rewrite_listing(source, call, of_family):
    receiver, name = source.of(call.func.value), call.func.attr
    is_old = name in ("get_group", "getGroup")
    if is_old and re.search(r"(?:^|\.)streams(?:\.\w+|\[[^\]]*\])$", receiver):
        end = source.span(call.func)[1]
        source.replace(end - len(name), end, "list")
    elif re.search(r"(?:^|\.)(?:state|stateManager|state_manager)$", receiver) and call.args and (is_old or (of_family and name == "list" and len(call.args) == 1 and not call.keywords)):
        listed = f"{receiver}.list({source.of(call.args[0])}, limit=1000)"
        if isinstance(call.parent, ast.Await):
            source.put(call.parent, f'[entry["value"] for entry in (await {listed})["items"]]')
        else:
            source.put(call, f'[entry["value"] for entry in {listed}["items"]]')
        source.note(call, "state lists at most 1,000 entries of a group at once", 'where a group may be larger, go on with "cursor" of the answer')
    elif is_old:
        source.note(call, f'it cannot be told whose "{name}" this is', 'of a stream it is "list"; of state, (await state.list(group))["items"]')


def rewrite_changes(source):
    """Input of a Step that state starts."""
    if not re.search(r"""["']type["']:\s*["']state["']|\bstate\(""", source.text):
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute) and CHANGES.get(node.attr, node.attr) != node.attr:
            end = source.span(node)[1]
            source.replace(end - len(node.attr), end, CHANGES[node.attr])
        key = node.args[0] if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args else None
        key = node.slice if isinstance(node, ast.Subscript) else key
        if key is not None and CHANGES.get(text_of(key), text_of(key)) != text_of(key):
            quote = source.of(key)[0]
            source.put(key, f"{quote}{CHANGES[text_of(key)]}{quote}")
