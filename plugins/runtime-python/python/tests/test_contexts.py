"""What the context of a handler does."""

import asyncio
from typing import Any

from treadle.errors import OperationError

from .applications import ApplicationTest, step


class Contexts(ApplicationTest):
    async def test_operations_are_awaited_in_coroutines_and_block_elsewhere(self) -> None:
        enqueues = ', "enqueues": ["t"]'
        application = await self.application({
            "lib.py": "from treadle import get_context\ndef deep(): return get_context().step_name\n",
            "steps/a_step.py": step("""
                import lib
                value = await ctx.state.get("g", "k")
                await ctx.streams.board.set("g", "1", {"a": (1, 2)})
                await ctx.state.compareAndSet("g", "k", 3, None)
                sent = await ctx.enqueue({"topic": "t", "data": 1, "delay_ms": 5})
                several = await ctx.enqueue([{"topic": "t", "data": 2}])
                return {"status": 200, "body": [value, sent, several, lib.deep()]}
            """, more=enqueues),
            "steps/b_step.py": f"""
                import asyncio, lib
                config = {{"name": "B", "triggers": [{{"type": "http"}}]{enqueues}}}
                async def inside(ctx): return await ctx.state.get("g", "k")
                def handler(input, ctx):
                    value = ctx.state.get("g", "k")
                    ctx.streams["board"].set("g", "1", {{"a": (1, 2)}})
                    ctx.state.compare_and_set("g", "k", 3, None)
                    sent = ctx.enqueue(topic="t", data=1, delayMs=5)
                    several = ctx.enqueue([{{"topic": "t", "data": 2}}])
                    assert asyncio.run(inside(ctx)) == value
                    return {{"status": 200, "body": [value, sent, several, lib.deep()]}}
            """,
        })
        application.host.answers = lambda op, args: [{"messageId": "m"}] if op == "queue.enqueue" else "v"
        expected = [
            ("state.get", {"group": "g", "key": "k"}), ("stream.set", {"stream": "board", "groupId": "g", "id": "1", "item": {"a": (1, 2)}}),
            ("state.compareAndSet", {"group": "g", "key": "k", "revision": 3, "value": None}),
            ("queue.enqueue", {"messages": [{"topic": "t", "data": 1, "delayMs": 5}]}), ("queue.enqueue", {"messages": [{"topic": "t", "data": 2}]}),
        ]
        for name in ("A", "B"):
            application.host.calls.clear()
            self.assertEqual(await application.body(name), ["v", {"messageId": "m"}, [{"messageId": "m"}], name])
            self.assertEqual(application.host.calls[:5], expected)

    async def test_operations_of_plugins_are_awaited_in_coroutines_and_block_elsewhere(self) -> None:
        application = await self.application({
            "lib.py": "from treadle import get_context\ndef deep(): return get_context().call('mqtt.topics')\n",
            "steps/a_step.py": step("""
                import lib
                sent = await ctx.call("mqtt.publish", topic="t", dry_run=True)
                return {"status": 200, "body": [sent, await ctx.call("mqtt.route", {"from": "t"}, to="u"), await lib.deep()]}
            """),
            "steps/b_step.py": """
                import lib
                config = {"name": "B", "triggers": [{"type": "http"}]}
                def handler(input, ctx):
                    sent = ctx.call("mqtt.publish", topic="t", dry_run=True)
                    return {"status": 200, "body": [sent, ctx.call("mqtt.route", {"from": "t"}, to="u"), lib.deep()]}
            """,
        })
        application.host.answers = lambda op, args: {"op": op, **args}
        expected = [
            {"op": "mqtt.publish", "topic": "t", "dry_run": True}, {"op": "mqtt.route", "from": "t", "to": "u"}, {"op": "mqtt.topics"},
        ]
        for name in ("A", "B"):
            self.assertEqual(await application.body(name), expected)

    async def test_operations_refuse_what_json_would_change_and_what_the_engine_refuses(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            from treadle import OperationError
            try: await eval(input.path)
            except OperationError as error: return {"status": 200, "body": f"{error.code}: {error}"}
        """, more=', "enqueues": ["t"]')})

        def refuse(op: str, args: Any) -> Any:
            raise OperationError("Stale", "too late")

        application.host.answers = refuse
        for source, message in {
            'ctx.state.set("g", "k", {"a": [float("nan")]})': "InvalidValue: the value is not JSON: nan is no JSON number at a.0",
            'ctx.state.set("g", "k", {1: 2})': "InvalidValue: the value is not JSON: the key 1 is no string",
            'ctx.state.set("g", "k", ' + "[" * 101 + "]" * 101 + ")":
                "InvalidValue: the value is not JSON: nested deeper than 100, or a cycle, below here at 0.0.0.0.0.0",
            'ctx.state.set("g", "k", ' + "[" * 100 + "]" * 100 + ")": "Stale: too late",
            'ctx.state.update("g", "k", [{"type": "set", "value": ' + "[" * 100 + "]" * 100 + "}])": "Stale: too late",
            'ctx.state.set("g", "k", {2})': "InvalidValue: the value is not JSON: a set",
            'ctx.state.set("g", "k", [[]] * 100_001)':
                "InvalidValue: the value has more than 100000 members and elements; store it in several parts, or as text",
            'ctx.enqueue({"topic": "t", "data": [{str(n): 1} for n in range(20_001)]})':
                'InvalidValue: the data for topic "t" has more than 20000 different keys; store it in several parts, or as text',
            'ctx.enqueue([{"topic": "t", "data": [0] * 50_001}] * 4)':
                "InvalidValue: the batch has more than 200000 members and elements; enqueue them in several batches",
            'ctx.enqueue([{"topic": "t", "data": {f"{m} {n}": 1 for n in range(10_001)}} for m in range(2)])':
                "InvalidValue: the batch has more than 20000 different keys; enqueue them in several batches",
            'ctx.enqueue([{"topic": "t", "data": [0] * 50_000}] * 4)': "Stale: too late",
            'ctx.state.set("g", "k", [{"a": n, "b": [n]} for n in range(33_000)])':
                "InvalidValue: the value has more than 100000 members and elements; store it in several parts, or as text",
            'ctx.state.set("g", "k", [{"a": n, "b": n} for n in range(33_000)])': "Stale: too late",
            'ctx.state.set("g", "k", 2**53)': "InvalidValue: the value is not JSON: the integer 9007199254740992 is too large; write it as a string",
            'ctx.state.set("g", "k", 1, ttl_ms=float("inf"))': "InvalidValue: an option is not JSON: inf is no JSON number at ttlMs",
            'ctx.state.update("g", "k", {"type": "set"})': "InvalidValue: update takes a list of ops, e.g. [{'type': 'increment', 'path': 'count'}]",
            'ctx.enqueue({"topic": "u", "data": 1})': 'TopicNotDeclared: Step "A" enqueues to "u", which its "enqueues" does not list',
            'ctx.enqueue({"topic": "t"})': 'InvalidValue: the message for topic "t" has no "data"',
            'ctx.state.get("g", "k")': "Stale: too late",
            'ctx.call("mqtt.publish", topic="t")': "Stale: too late",
            'ctx.call("queues.list")': "Stale: too late",
            'ctx.call("state.get", group="g", key="k")': 'OPERATION_UNAVAILABLE: "state.get" is not for call: use ctx.state',
            'ctx.call("queue.enqueue")': 'OPERATION_UNAVAILABLE: "queue.enqueue" is not for call: use ctx.enqueue',
            'ctx.call("")': 'InvalidValue: call takes the name of an operation, e.g. "mqtt.publish", and its arguments',
            'ctx.call("mqtt.publish", ["t"])': 'InvalidValue: call takes the arguments of "mqtt.publish" by keyword, or as one mapping',
            'ctx.call("mqtt.publish", n=float("nan"))': 'InvalidValue: what "mqtt.publish" is called with is not JSON: nan is no JSON number at n',
        }.items():
            with self.subTest(source):
                self.assertEqual(await application.body("A", {"path": source}), message)

    async def test_matches_with_as_many_arguments_as_a_function_takes(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            def nothing(): return "none"
            async def one(request): return request.path
            def both(request, context): return context is ctx
            return {"status": 200, "body": await ctx.match(http={"nothing": nothing, "one": one, "both": both}[input.path])}
        """)})
        self.assertEqual([await application.body("A", {"path": path}) for path in ("nothing", "one", "both")], ["none", "one", True])

    async def test_tells_what_started_the_handler(self) -> None:
        application = await self.application({"steps/a_step.py": """
            config = {"name": "A", "triggers": [{"type": "http"}, {"type": "queue"}]}
            async def slow(input): return "http"
            async def handler(input, ctx):
                kind = await ctx.match({"http": slow, "default": lambda input: "other"})
                ctx.logger.info(kind, {"trigger": ctx.trigger.type, "is": ctx.is_.http(), "data": ctx.getData(), "deadline": ctx.deadline > 0}, traced=ctx.traceId)
        """})
        await application.run("A", {"body": {"kind": "json", "value": 5}})
        await application.run("A", {"q": 1}, kind="queue", index=1)
        traced = {"deadline": True, "traced": "4bf92f3577b34da6a3ce929d0e0e4736"}
        self.assertEqual(application.logged(), [
            ("info", "http", {"trigger": "http", "is": True, "data": 5, **traced}), ("info", "other", {"trigger": "queue", "is": False, "data": {"q": 1}, **traced}),
        ])

    async def test_logs_exceptions_with_name_and_stack_and_dicts_as_fields(self) -> None:
        application = await self.application({"steps/a_step.py": """
            config = {"name": "A", "triggers": [{"type": "queue"}]}
            def handler(input, ctx):
                try: raise KeyError("gone")
                except KeyError as error:
                    ctx.logger.error(error, {"id": 1})
                    ctx.logger.error(error, "the order failed")
                ctx.logger.info({"message": "paid", "id": 2})
                ctx.logger.info({"id": 3}, "shipped")
        """})
        await application.run("A", {}, kind="queue")
        first, second, third, fourth = application.logged()
        self.assertEqual((first[1], first[2]["errorName"], first[2]["id"]), ("'gone'", "KeyError", 1))
        self.assertIn("a_step.py", first[2]["stack"])
        self.assertEqual((second[1], second[2]["error"]), ("the order failed", "'gone'"))
        self.assertEqual((third, fourth), (("info", "paid", {"message": "paid", "id": 2}), ("info", "shipped", {"id": 3})))

    async def test_outside_a_handler_is_refused(self) -> None:
        from treadle import getContext

        with self.assertRaisesRegex(RuntimeError, "outside a handler"):
            getContext()

    async def test_spans_are_noted_in_sampled_traces(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            ctx.trace.set_attribute("k", 1)
            ctx.trace.add_event("happened", {"why": "so"}, 5_000_000)
            assert ctx.trace.is_recording() is (input.path == "1")
        """)})
        for flag in ("1", "0"):
            outcome = await application.run("A", {"path": flag}, traceparent=f"00-{'a' * 32}-{'b' * 16}-0{flag}")
            self.assertEqual("ms" in outcome, flag == "1")
            said = {"attributes": {"k": 1}, "events": [{"name": "happened", "time": 5, "attributes": {"why": "so"}}]}
            self.assertEqual(outcome.get("span"), said if flag == "1" else None)
