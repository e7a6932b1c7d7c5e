"""Steps in Python in the form of this runtime: a list of {name, text} on stdin, a list of {text, notes} on stdout. Python 3.10, no packages.

The tree of ``ast`` says what is where, and only those places of the text are changed, so that comments and layout stay.
"""

import json
import sys

from config import rewrite_config
from handlers import rewrite_calls, rewrite_changes, rewrite_handler
from imports import imports_family, rewrite_imports
from source import Source


def migrate(name, text):
    notes, of_family = [], False
    passes = [rewrite_config, rewrite_handler, lambda source: rewrite_calls(source, of_family), lambda source: of_family and rewrite_changes(source), rewrite_imports]
    current = text
    for index, rewrite in enumerate(passes):
        source = Source(name, current)
        if index == 0:
            of_family = imports_family(source)
        rewrite(source)
        notes += [{**note, "before": current} for note in source.notes]
        current = source.result()
    return {"text": current, "notes": notes}


def main():
    answers = []
    # Of bytes it knows the encoding; that of a text would be the machine's.
    for one in json.load(sys.stdin.buffer):
        try:
            answers.append(migrate(one["name"], one["text"]))
        except SyntaxError as error:
            note = {"line": error.lineno or 1, "reason": f"the file cannot be parsed: {error.msg}", "remedy": "mend it, then run the command again", "before": one["text"]}
            answers.append({"text": one["text"], "notes": [note]})
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
