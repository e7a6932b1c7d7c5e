"""Triggers of a config: gathered from its keys, or written as they are called here."""

import ast
import re

from source import elements_of, entries, text_of, topic_text

KINDS = {"api": "http", "http": "http", "event": "queue", "queue": "queue", "cron": "cron", "noop": ""}
HTTP_KEYS = {
    "method", "path", "bodySchema", "body_schema", "responseSchema", "response_schema", "querySchema", "query_schema", "queryParams", "query_params",
    "headersSchema", "headers_schema", "middleware", "condition",
}
MOVED = {"http": HTTP_KEYS, "queue": {"input", "config", "infrastructure", "condition"}, "cron": {"cron", "expression", "timezone", "condition"}}
QUEUE_KEYS = {"type", "maxRetries", "max_retries", "visibilityTimeout", "visibility_timeout", "delaySeconds", "delay_seconds"}
WIDTH = 110


def gather_trigger(source, node, config, kind):
    moved = [one for key, one in config.items() if key in MOVED[kind]]
    topics = elements_of(config["subscribes"].value) if "subscribes" in config else None
    if kind == "queue" and topics is None:
        source.note(node, "the topics that the Step consumes are not written as a list", 'write "triggers" with {"type": "queue", "topic": …, "input": …} for each')
        return
    gone = [one for key, one in config.items() if key in ("type", "subscribes") or one in moved]
    first = next((one for one in gone if one.key != "type"), gone[0])
    quote = source.text[first.start]
    indent = source.indent(first.start)
    type_text = f"{quote}type{quote}: {quote}{kind}{quote}"
    pieces = [(piece, comment_behind(source, one)) for one in moved for piece in [piece_of(source, one, quote)] if piece]
    kind_piece = (type_text, "")
    triggers = [[kind_piece, (f"{quote}topic{quote}: {topic_text(source, topic)}", ""), *pieces] for topic in topics] if kind == "queue" else [[kind_piece, *pieces]]
    text = triggers_text(triggers, indent, quote, "\n" not in source.of(node))
    for one in gone:
        start, end = one.removal(source)
        whole = source.text[start - 1] == "\n" and source.text[end - 1] == "\n"
        source.replace(start, end, "" if one is not first else f"{indent}{text},\n" if whole else f"{text}, ")


def triggers_text(triggers, indent, quote, flat):
    short = f"{quote}triggers{quote}: [" + ", ".join("{" + ", ".join(text for text, _ in pieces) + "}" for pieces in triggers) + "]"
    is_tall = "\n" in short or any(comment for pieces in triggers for _, comment in pieces)
    if flat or (not is_tall and len(indent) + len(short) <= WIDTH):
        return short
    unit = "\t" if "\t" in indent else "    "
    deep = indent + unit * 2
    lines = [["%s%s,%s\n" % (deep, text.replace("\n" + indent, "\n" + deep), comment) for text, comment in pieces] for pieces in triggers]
    blocks = [f"{indent}{unit}{{\n{''.join(one)}{indent}{unit}}},\n" for one in lines]
    return f"{quote}triggers{quote}: [\n{''.join(blocks)}{indent}]"


def comment_behind(source, entry):
    """A comment at the end of a key's line, with the space in front of it."""
    found = re.match(r"[ \t]*,?([ \t]*#[^\n]*)\r?\n", source.text[entry.end:])
    return found.group(1) if found else ""


def piece_of(source, entry, quote):
    """What a key of the config becomes in a trigger; nothing for one that says nothing."""
    if entry.key == "cron":
        return f"{quote}expression{quote}: {source.of(entry.value)}"
    if entry.key == "input" and isinstance(entry.value, ast.Constant) and entry.value.value is None:
        return None
    if entry.key in ("queryParams", "query_params"):
        return query_schema(source, entry, quote)
    if entry.key == "infrastructure":
        return queue_config(source, entry, quote)
    return source.text[entry.start:entry.end]


def query_schema(source, entry, quote):
    name = "querySchema" if entry.key == "queryParams" else "query_schema"
    properties = []
    for element in elements_of(entry.value) or []:
        parameter = entries(source, element) if isinstance(element, ast.Dict) else {}
        if "name" not in parameter or text_of(parameter["name"].value) is None:
            source.note(entry.node, f'"{entry.key}" is put together elsewhere', f'write a "{name}"')
            return source.text[entry.start:entry.end]
        described = f", {quote}description{quote}: {source.of(parameter['description'].value)}" if "description" in parameter else ""
        properties.append(f"{source.of(parameter['name'].value)}: {{{quote}type{quote}: {quote}string{quote}{described}}}")
    return f"{quote}{name}{quote}: {{{quote}type{quote}: {quote}object{quote}, {quote}properties{quote}: {{{', '.join(properties)}}}}}"


def queue_config(source, entry, quote):
    parts = entries(source, entry.value) if isinstance(entry.value, ast.Dict) else None
    queue = parts.get("queue") if parts is not None else None
    if parts is None or (queue and not isinstance(queue.value, ast.Dict)):
        source.note(entry.node, '"infrastructure" is put together elsewhere', 'write "config" of the queue trigger')
        return source.text[entry.start:entry.end]
    if "handler" in parts:
        source.note(parts["handler"].node, "size and time limit of a handler are not part of a queue", 'remove it; a time limit is "timeout_ms" of the trigger\'s "config"')
    kept = []
    for key, one in (entries(source, queue.value) if queue else {}).items():
        if key in QUEUE_KEYS:
            kept.append(source.text[one.start:one.end])
        else:
            source.note(one.node, f'a queue\'s config has no "{key}"', "name the group with each message: message_group_id" if "roup" in key else "see docs/queue.md for what it has")
    return f"{quote}config{quote}: {{{', '.join(kept)}}}" if kept else None


def rewrite_triggers(source, node):
    for element in elements_of(node) or []:
        if not isinstance(element, ast.Dict):
            continue
        trigger = entries(source, element)
        kind = text_of(trigger["type"].value) if "type" in trigger else None
        if kind in KINDS and KINDS[kind]:
            quote = source.of(trigger["type"].value)[0]
            source.put(trigger["type"].value, f"{quote}{KINDS[kind]}{quote}")
        for key in ("queryParams", "query_params", "infrastructure"):
            if key in trigger:
                one = trigger[key]
                text = piece_of(source, one, source.text[one.start])
                source.replace(*((one.start, one.end) if text else one.removal(source)), text or "")
