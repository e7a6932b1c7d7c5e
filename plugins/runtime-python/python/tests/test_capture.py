"""What stands in for standard output and logging."""

import contextlib
import io
import logging
import unittest
from typing import Any
from unittest.mock import patch

from treadle.worker.capture import CapturedStream, _LogHandler

from .applications import ApplicationTest, step


class Logging(ApplicationTest):
    async def test_that_cannot_be_written_is_told_as_python_tells_it_and_fails_no_handler(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            import logging, sys
            class Hostile(Exception):
                def __str__(self): raise ValueError("hostile")
            logging.getLogger("app").warning("%d items", "three")
            try: raise Hostile()
            except Hostile: logging.getLogger("app").exception("failed")
            logging.getLogger("app").warning("%d items", 3)
            return {"status": 200, "body": "whole"}
        """)})
        printed = io.StringIO()
        with patch.object(logging, "lastResort", _LogHandler(logging.WARNING)), patch.object(logging.getLogger(), "handlers", []):
            with contextlib.redirect_stderr(printed):
                self.assertEqual(await application.body("A"), "whole")
        self.assertEqual(printed.getvalue().count("--- Logging error ---"), 2)
        self.assertEqual([message for _, message, _ in application.logged()], ["3 items"])


class Output(unittest.TestCase):
    def test_has_what_the_stream_has_that_it_stands_for(self) -> None:
        original: Any = io.TextIOWrapper(io.BytesIO(), encoding="latin-1", write_through=True)
        captured: Any = CapturedStream("stdout", original, False)
        captured.reconfigure(encoding="utf-8", errors="replace")
        self.assertEqual((captured.encoding, captured.errors, captured.line_buffering), ("utf-8", "replace", False))
        captured.write("ä")
        self.assertEqual(original.buffer.getvalue(), b"\xc3\xa4")
        with self.assertRaisesRegex(AttributeError, "nothing_like_it"):
            captured.nothing_like_it
