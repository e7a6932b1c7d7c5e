"""The test engine does what the engine does: both play the same scenario, and both know the same ticks."""

import json
import os
import unittest

from treadle.testing import create_test_engine
from treadle.testing.schedule.schedule import Schedule

from .agreement_run import FOLDER, play, scenario


class Agreement(unittest.IsolatedAsyncioTestCase):
    async def test_with_the_scenario_that_the_engine_plays_as_well(self) -> None:
        async with create_test_engine(FOLDER) as app:
            for act in scenario():
                with self.subTest(json.dumps({key: value for key, value in act.items() if key != "expect"})):
                    self.assertEqual(await play(app, act), act.get("expect"))

    def test_with_years_in_expressions(self) -> None:
        schedule, found, after = Schedule("0 0 12 1 1 ? 2027-2028", "UTC"), [], 1_767_225_600_000.0
        while (tick := schedule.next(after)) is not None:
            found.append(tick)
            after = tick
        self.assertEqual(found, [1_798_804_800_000.0, 1_830_340_800_000.0])

    def test_with_ticks_that_the_engine_computes_around_changes_of_the_clocks(self) -> None:
        with open(os.path.join(FOLDER, "ticks.json"), encoding="utf-8") as source:
            cases = json.load(source)
        self.assertGreater(len(cases), 150)
        for case in cases:
            with self.subTest(case["expression"], zone=case["zone"], after=case["after"]):
                schedule, at, found = Schedule(case["expression"], case["zone"]), case["after"], []
                while len(found) < len(case["ticks"]):
                    at = schedule.next(at)
                    found.append(at)
                self.assertEqual(found, case["ticks"])
