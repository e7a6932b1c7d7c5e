"""An application for tests of ``treadle.testing``."""

import datetime
import os
import tempfile
import textwrap
import unittest

NINE = datetime.datetime(2026, 5, 4, 7, 0, tzinfo=datetime.timezone.utc)


class KitTest(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.root = os.path.realpath(self._folder.name)
        self.write("package.json", "{}")

    def tearDown(self) -> None:
        self._folder.cleanup()

    def write(self, file: str, text: str) -> None:
        path = os.path.join(self.root, file)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as target:
            target.write(textwrap.dedent(text))

    def step(self, name: str, triggers: str, body: str, head: str = "async def handler(input, ctx):", more: str = "") -> None:
        source = f"from treadle import *\nconfig = {{'name': '{name}', 'triggers': [{triggers}]{more}}}\n\n{head}\n"
        self.write(f"steps/{name.lower()}_step.py", source + textwrap.indent(textwrap.dedent(body).strip(), "    ") + "\n")
