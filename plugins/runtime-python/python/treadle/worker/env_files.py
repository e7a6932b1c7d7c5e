"""Variables of ``.env`` files, as Node.js reads them; see env-files.ts of @treadle/worker."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, MutableMapping

_LINE = re.compile(
    r"""^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*(?:'([^']*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`|([^\n#]*))""", re.MULTILINE
)


def read_env_files(folder: str, mode: str) -> dict[str, str]:
    """
    What the files ``.env``, ``.env.<mode>``, ``.env.local`` and ``.env.<mode>.local`` say; the later one wins. A test leaves ``.env.local`` out.

    :raises OSError: for a file that cannot be read
    """
    names = [".env", f".env.{mode}", *([] if mode == "test" else [".env.local"]), f".env.{mode}.local"]
    found: dict[str, str] = {}
    for name in names:
        found.update(parse_env(_text_of(os.path.join(folder, name))))
    return found


def apply_env_files(env: MutableMapping[str, str], folder: str, by_default: str = "production") -> None:
    """Gives an environment the variables of the files that it does not set."""
    for name, value in read_env_files(folder, env.get("NODE_ENV") or by_default).items():
        env.setdefault(name, value)


def parse_env(text: str) -> Mapping[str, str]:
    """``NAME=value`` in each line, with or without quotes; ``#`` begins a comment."""
    found = {}
    for match in _LINE.finditer(text.replace("\r\n", "\n")):
        name, single, double, tick, bare = match.groups()
        quoted = single if single is not None else tick
        found[name] = quoted if quoted is not None else double.replace("\\n", "\n") if double is not None else bare.strip()
    return found


def _text_of(file: str) -> str:
    """Nothing where there is no such file; ``.env`` may be the folder of a virtual environment."""
    try:
        with open(file, encoding="utf-8") as source:
            return source.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ""
