"""A text of Python, the tree that says what is where, and the changes of its text: comments and layout stay."""

import ast
import re


class Source:
    """A text, its tree, and the changes so far."""

    def __init__(self, name, text):
        self.name, self.text = name, text
        self.tree = ast.parse(text)
        self.lines = [line + "\n" for line in text.split("\n")]
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.edits, self.notes = [], []
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                child.parent = node

    def offset(self, line, column):
        """Columns of ``ast`` count bytes."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node):
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def of(self, node):
        start, end = self.span(node)
        return self.text[start:end]

    def replace(self, start, end, text):
        if any(a < end and start < b for a, b, _ in self.edits) or (start, end) in [(a, b) for a, b, _ in self.edits]:
            return
        if self.text[start:end] != text:
            self.edits.append((start, end, text))

    def put(self, node, text):
        self.replace(*self.span(node), text)

    def note(self, node, reason, remedy):
        self.notes.append({"line": node.lineno, "reason": reason, "remedy": remedy})

    def indent(self, at):
        line = self.text[self.text.rfind("\n", 0, at) + 1:at]
        return re.match(r"[ \t]*", line).group()

    def result(self):
        text = self.text
        for start, end, new in sorted(self.edits, reverse=True):
            text = text[:start] + new + text[end:]
        return text


class Entry:
    """One key of a dict that is written out."""

    def __init__(self, source, key, value):
        self.key, self.value, self.node = key.value, value, key
        self.start, self.end = source.span(key)[0], source.span(value)[1]
        while self.end < len(source.text) and source.text[self.end] == ")" and source.text.count("(", self.start, self.end) > source.text.count(")", self.start, self.end):
            self.end += 1

    def removal(self, source):
        """With its comma, and with the whole line where it stands alone on it."""
        text = source.text
        end = self.end + len(re.match(r"\s*,|", text[self.end:]).group())
        line = text.rfind("\n", 0, self.start) + 1
        rest = re.match(r"[ \t]*(?:#[^\n]*)?\r?\n", text[end:])
        if text[line:self.start].strip() == "" and rest:
            return line, end + rest.end()
        return self.start, end + len(re.match(r"[ \t]*", text[end:]).group())


def entries(source, node):
    return {key.value: Entry(source, key, value) for key, value in zip(node.keys, node.values) if isinstance(key, ast.Constant) and isinstance(key.value, str)}


def text_of(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def elements_of(node):
    return node.elts if isinstance(node, (ast.List, ast.Tuple)) and not any(isinstance(one, ast.Starred) for one in node.elts) else None


def config_of(source):
    """The dict of ``config = {...}``, or the first argument of ``step(...)``."""
    for statement in source.tree.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target if isinstance(statement, ast.AnnAssign) else None
        if isinstance(target, ast.Name) and target.id in ("config", "step_config") and isinstance(statement.value, ast.Dict):
            return statement.value
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "step" and node.args and isinstance(node.args[0], ast.Dict):
            return node.args[0]
    return None


def topic_text(source, element):
    topic = entries(source, element).get("topic") if isinstance(element, ast.Dict) else None
    return source.of(topic.value if topic else element)
