"""Test engines: side by side, one after the other, and those that cannot start."""

import asyncio
import os
import signal
import unittest
import unittest.mock

from treadle import OperationError
from treadle.testing import ApplicationError, create_test_engine

from .kit_application import KitTest


class Engines(KitTest):
    async def test_run_side_by_side_each_with_a_world_of_its_own(self) -> None:
        self.step("Put", "http('PUT', '/put')", "await ctx.state.set('g', 'k', input.body); return {'status': 204}")
        async with create_test_engine(self.root) as one, create_test_engine(self.root) as other:
            await asyncio.gather(one.http("PUT", "/put", body=1), other.http("PUT", "/put", body=2))
            self.assertEqual((await one.state.get("g", "k"), await other.state.get("g", "k")), (1, 2))

    async def test_read_the_configuration_and_the_environment(self) -> None:
        self.step("Large", "http('POST', '/large')", "return {'status': 204}")
        self.write("small.yaml", """
            modules:
              - class: modules::http::HttpModule
                config: { body_limit_bytes: "${LIMIT}" }
              - class: modules::steps::StepsModule
        """)
        async with create_test_engine(self.root, config="small.yaml", env={"LIMIT": "10"}) as app:
            self.assertEqual((await app.http("POST", "/large", body="x" * 11)).status, 413)
            with self.assertRaisesRegex(OperationError, "key must not be empty"):
                await app.state.get("g", "")
        with self.assertRaisesRegex(ApplicationError, "LIMIT"):
            await create_test_engine(self.root, config="small.yaml", env={})

    async def test_have_functions_stand_in_for_operations_of_plugins(self) -> None:
        self.step("Send", "http('POST', '/send')", """
            try:
                return {'status': 200, 'body': await ctx.call('mqtt.publish', topic=input.body, n=1)}
            except OperationError as error:
                return {'status': 502, 'body': f'{error.code}: {error}'}
        """)
        self.step("Block", "http('POST', '/block')", "return {'status': 200, 'body': ctx.call('mqtt.topics')}", head="def handler(input, ctx):")
        publish = unittest.mock.AsyncMock(return_value={"sent": True})
        async with create_test_engine(self.root, operations={"mqtt.publish": publish, "mqtt.topics": lambda: ["t"]}) as app:
            answer = await app.http("POST", "/send", body="t")
            self.assertEqual((answer.status, answer.body), (200, {"sent": True}))
            publish.assert_awaited_once_with(topic="t", n=1)
            self.assertIn("mqtt.publish", [span["name"] for span in app.spans(answer.trace_id)])
            self.assertEqual((await app.http("POST", "/block")).body, ["t"])
            publish.side_effect = OperationError("BrokerUnreachable", "gone")
            self.assertEqual((await app.http("POST", "/send", body="t")).body, "BrokerUnreachable: gone")
            publish.side_effect = KeyError("gone")
            self.assertEqual((await app.http("POST", "/send", body="t")).body, "OPERATION_FAILED: \"mqtt.publish\" failed: 'gone'")
            publish.side_effect = None
            await app.reset()
            self.assertEqual((await app.http("POST", "/send", body="t")).body, {"sent": True})
        async with create_test_engine(self.root) as app:
            answer = await app.http("POST", "/send", body="t")
            self.assertEqual(answer.body, 'OPERATION_UNAVAILABLE: no loaded module serves operation "mqtt.publish"')

    async def test_that_have_ended_say_so_and_are_replaced_by_the_next(self) -> None:
        self.step("One", "http('GET', '/one')", "return {'status': 200, 'body': 1}")
        self.step("Wait", "http('GET', '/wait')", "await ctx.signal.wait()")
        app = await create_test_engine(self.root)
        request = asyncio.ensure_future(app.http("GET", "/wait"))
        await asyncio.sleep(0)
        os.kill(app._process._process.pid, signal.SIGKILL)
        for call in (lambda: request, lambda: app.until_idle()):
            with self.assertRaisesRegex(RuntimeError, "the engine's process has ended with exit code -9"):
                await call()
        with self.assertRaisesRegex(RuntimeError, "has ended"):
            app.logs()
        await app.stop()
        async with create_test_engine(self.root) as another:
            self.assertEqual((await another.http("GET", "/one")).body, 1)

    async def test_whose_start_was_given_up_are_not_used_again(self) -> None:
        self.step("Slow", "http('GET', '/')", "return {'status': 204}")
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(create_test_engine(self.root), 0.001)
        async with create_test_engine(self.root) as app:
            self.assertEqual((await app.http("GET", "/")).status, 204)

    async def test_that_are_not_installed_or_cannot_start_name_the_remedy(self) -> None:
        with unittest.mock.patch.dict(os.environ, {"PATH": self.root}):
            with self.assertRaisesRegex(ApplicationError, "needs Node.js 20.19 or newer: there is no \"node\" on the PATH"):
                await create_test_engine(self.root)
        self.write("bin/node", "#!/bin/sh\nexit 69\n")
        os.chmod(os.path.join(self.root, "bin/node"), 0o755)
        with unittest.mock.patch.dict(os.environ, {"PATH": f"{self.root}/bin{os.pathsep}{os.environ['PATH']}"}):
            with self.assertRaisesRegex(ApplicationError, "could not be started: the engine's process has ended with exit code 69"):
                await create_test_engine(self.root)
        with unittest.mock.patch("treadle.testing.find_engine._PROGRAM", "nowhere.js"):
            with self.assertRaisesRegex(ApplicationError, f"not installed in {self.root}: npm install --save-dev @treadle/engine"):
                await create_test_engine(self.root)

    def test_serve_one_loop_after_the_other(self) -> None:
        self.step("One", "http('GET', '/one')", "return {'status': 200, 'body': 1}")

        async def run(stops: bool) -> int:
            app = await create_test_engine(self.root)
            self.assertEqual((await app.http("GET", "/one")).body, 1)
            if stops:
                await app.stop()
            return app._process._process.pid

        first, second = asyncio.run(run(True)), asyncio.run(run(False))
        self.assertEqual(first, second)
        # One that was not stopped is not used again.
        self.assertNotEqual(asyncio.run(run(True)), second)
