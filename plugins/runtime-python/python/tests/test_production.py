"""What the Step process of a build serves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from typing import Any

from treadle.worker.build_lock import BuildLockError, read_build_lock
from treadle.worker.production import work_of_build

STEP: dict[str, Any] = {"name": "A", "file": "steps/a_step.py", "line": 3, "hash": "h1", "runtime": "python", "module": "steps/a_step.py", "config": {"name": "A"}}
OTHER: dict[str, Any] = {**STEP, "name": "B", "file": "steps/b.step.ts", "hash": "h2", "runtime": "node", "config": {"name": "B"}}
AUTH: dict[str, Any] = {"file": "steps/c.stream-auth.ts", "role": "stream-auth", "hash": "h3", "runtime": "node", "module": "c", "config": {}}
LOCK: dict[str, Any] = {"format": 1, "name": "shop", "build": "b1", "steps": [OTHER, STEP], "streams": [AUTH], "sources": {}}


class BuildTest(unittest.TestCase):
    def test_serves_its_own_files_and_tells_of_all_others(self) -> None:
        work = work_of_build("/app/dist", LOCK)
        self.assertEqual(work.root, "/app/dist")
        self.assertEqual(work.files, [{"file": "steps/a_step.py", "version": "h1"}])
        self.assertTrue(work.whole)
        self.assertEqual(work.hello, {"root": "/app", "application": "shop", "build": "b1"})
        self.assertEqual(
            work.elsewhere,
            [
                {"file": "steps/b.step.ts", "version": "h2", "elsewhere": True, "steps": [{"config": {"name": "B"}, "line": 3}]},
                {"file": "steps/c.stream-auth.ts", "version": "h3", "elsewhere": True, "steps": [{"config": {}, "role": "stream-auth"}]},
            ],
        )

    def test_says_what_is_wrong_with_a_lock_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "treadle.lock.json")
            self.assertRegex(self._refusal(folder), r"treadle\.lock\.json is missing; .*treadle build")
            parts = [{**LOCK, "name": ""}, {**LOCK, "steps": [{}]}, {**LOCK, "streams": None}, {**LOCK, "steps": [{**STEP, "runtime": "perl"}]}]
            cases = [("[", "not a JSON object"), ("[]", "not a JSON object"), ('{"format": 2}', "has format 2, not 1")]
            for text, expected in [*cases, *((json.dumps(part), "does not say what the build consists of") for part in parts)]:
                with open(file, "w", encoding="utf-8") as target:
                    target.write(text)
                self.assertIn(expected, self._refusal(folder))
            with open(file, "w", encoding="utf-8") as target:
                json.dump(LOCK, target)
            self.assertEqual(read_build_lock(folder), LOCK)

    def test_ends_when_the_address_of_the_engine_can_be_none(self) -> None:
        env = {**os.environ, "ENGINE_URL": "engine.example:3110", "ENGINE_TOKEN": "x"}
        ended = subprocess.run([sys.executable, "-m", "treadle.worker"], env=env, capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual(ended.returncode, 64)
        self.assertEqual(ended.stderr, 'treadle-worker: ENGINE_URL "engine.example:3110" is no ws, wss, http or https URL\n')

    def _refusal(self, folder: str) -> str:
        with self.assertRaises(BuildLockError) as caught:
            read_build_lock(folder)
        return str(caught.exception)
