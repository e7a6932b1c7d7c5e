"""Configs of Steps and streams."""

import ast
import re

from source import config_of, elements_of, entries, text_of, topic_text
from triggers import KINDS, gather_trigger, rewrite_triggers

RENAMED = {
    "emits": "enqueues", "virtualEmits": "virtualEnqueues", "virtual_emits": "virtual_enqueues",
    "virtualSubscribes": "virtualSubscribes", "virtual_subscribes": "virtual_subscribes",
}


def kind_of(config):
    kind = text_of(config["type"].value) if "type" in config else None
    if kind in KINDS:
        return KINDS[kind]
    if "subscribes" in config:
        return "queue"
    if "cron" in config:
        return "cron"
    return "http" if "path" in config and "method" in config else None


def rewrite_config(source):
    node = config_of(source)
    if node is None:
        return
    config = entries(source, node)
    if re.search(r"[._]stream\.py$", source.name):
        rewrite_stream(source, config)
        return
    kind = kind_of(config) if "triggers" not in config else None
    if "triggers" in config:
        rewrite_triggers(source, config["triggers"].value)
    elif kind == "":
        source.replace(*config["type"].removal(source), "")
    elif kind is not None:
        gather_trigger(source, node, config, kind)
    for old, name in RENAMED.items():
        if old in config:
            rename_topics(source, config[old], name)
    for key in ("includeFiles", "include_files"):
        if key in config:
            source.note(config[key].node, f'"{key}" is not there: a build does not gather files', "read the files from the application's folder, and deploy them with it")
            source.replace(*config[key].removal(source), "")


def rewrite_stream(source, config):
    for key in ("baseConfig", "base_config"):
        if key in config:
            base = entries(source, config[key].value) if isinstance(config[key].value, ast.Dict) else {}
            kind = next((text_of(base[name].value) for name in ("storageType", "storage_type") if name in base), None)
            if kind == "default":
                source.replace(*config[key].removal(source), "")
            else:
                source.note(config[key].node, "a stream has no storage of its own", f'remove "{key}"; config.yaml says where streams are kept')


def rename_topics(source, entry, name):
    quote = source.text[entry.start]
    source.put(entry.node, f"{quote}{name}{quote}")
    elements = elements_of(entry.value)
    if elements is None:
        source.note(entry.node, f'"{name}" is put together elsewhere', "see that it is a list of topics by name, without labels")
        return
    for element in elements:
        if isinstance(element, ast.Dict):
            source.put(element, topic_text(source, element))
