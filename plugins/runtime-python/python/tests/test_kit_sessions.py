"""What a test's session with its engine says once that has gone."""

import asyncio

from treadle.errors import OperationError
from treadle.testing.session import TestSession

from .applications import ApplicationTest, step


class ClosedSessions(ApplicationTest):
    async def test_operations_fail_at_once_and_name_what_to_wait_for(self) -> None:
        application = await self.application({"steps/a_step.py": step("return 1")})
        written: list[str] = []
        session = TestSession(application.runner, written.append)
        under_way = session.begin_operation(1, "state.set", {})
        session.close("the engine stopped")
        with self.assertRaises(OperationError) as lost:
            await asyncio.wait_for(under_way, 5)
        with self.assertRaises(OperationError) as late:
            session.begin_operation(1, "state.get", {})
        self.assertEqual([lost.exception.code, late.exception.code], ["EngineLost", "EngineLost"])
        self.assertRegex(str(late.exception), "^state.get was called after the engine of its test was closed")

    async def test_streams_are_over_from_the_start(self) -> None:
        application = await self.application({"steps/a_step.py": step("return 1")})
        session = TestSession(application.runner, lambda line: None)
        session.close("the engine stopped")
        ends: list[bool] = []
        session.open_stream(ends.append)
        self.assertEqual(ends, [False])
