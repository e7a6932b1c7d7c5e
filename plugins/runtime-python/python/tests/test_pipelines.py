"""Middleware, conditions and models around a handler."""

import asyncio
import unittest
from typing import Any

from treadle.worker.schemas import has_pydantic

from .applications import ApplicationTest


class Pipelines(ApplicationTest):
    async def test_run_middleware_condition_and_handler_in_order(self) -> None:
        application = await self.application({"steps/a_step.py": """
            async def outer(req, ctx, next):
                result = await next()
                return {**result, "headers": {"x": "outer"}}
            def inner(req, ctx, next): ctx.logger.info("inner"); next()
            def only_get(input, ctx): ctx.logger.info("condition"); return input.method == "GET"
            config = {"name": "A", "triggers": [{"type": "http", "middleware": [outer, inner], "condition": only_get}]}
            def handler(input, ctx): ctx.logger.info("handler"); return {"status": 200, "body": 1}
        """})
        outcome = await application.run("A")
        self.assertEqual(outcome["http"], {"status": 200, "headers": {"x": "outer"}, "body": {"kind": "json", "value": 1}})
        self.assertEqual([message for _, message, _ in application.logged()], ["inner", "condition", "handler"])
        blocked = await application.run("A", {"method": "PUT"})
        self.assertEqual((blocked["code"], blocked["message"]), ("condition_not_met", 'the condition of Step "A" is not met'))

    async def test_give_the_context_what_middleware_hands_to_next(self) -> None:
        application = await self.application({"steps/a_step.py": """
            async def signed(req, ctx, next): return await next(auth={"user": "ada"})
            def named(req, ctx, next): return next(full_name=ctx.auth["user"].upper())
            def wrong(req, ctx, next): return next(stepName=1)
            config = {"name": "A", "triggers": [
                {"type": "http", "middleware": [signed, {"run": named, "after": "validation"}], "condition": lambda input, ctx: ctx.full_name == "ADA"},
                {"type": "http", "middleware": wrong},
            ]}
            def handler(input, ctx): return {"status": 200, "body": [ctx.auth, ctx.fullName, hasattr(ctx, "other")]}
        """})
        self.assertEqual(await application.body("A"), [{"user": "ada"}, "ADA", False])
        outcome = await application.run("A", index=1)
        self.assertEqual(outcome["message"], 'next() was given "stepName", which every context has; choose another name')

    async def test_of_blocking_middleware_do_not_wait_for_each_other(self) -> None:
        application = await self.application({"steps/a_step.py": """
            config = {"name": "A", "triggers": [{"type": "http", "middleware": lambda req, ctx, next: next()}]}
            def handler(): return {"status": 200, "body": 1}
        """})
        outcomes = await asyncio.gather(*(application.body("A") for _ in range(50)))
        self.assertEqual(outcomes, [1] * 50)

    @unittest.skipUnless(has_pydantic(), "pydantic is not installed")
    async def test_pydantic_models_check_and_make_the_input(self) -> None:
        application = await self.application({"steps/a_step.py": """
            from pydantic import BaseModel, Field, field_validator
            class Ticket(BaseModel):
                title: str = Field(min_length=1)
                tags: list[str] = []
                @field_validator("title")
                @classmethod
                def shout(cls, value):
                    if value == "no": raise ValueError("not this one")
                    return value.upper()
            config = {"name": "A", "triggers": [{"type": "http", "body_schema": Ticket}, {"type": "queue", "topic": "t", "input": list[int]}]}
            def handler(input, ctx): return {"status": 200, "body": input.body} if ctx.is_.http() else ctx.logger.info(repr(input))
        """})
        config = (await application.load())[0]["steps"][0]["config"]
        self.assertEqual(config["triggers"][0]["bodySchema"]["required"], ["title"])
        self.assertEqual(config["triggers"][1]["input"], {"type": "array", "items": {"type": "integer"}, "x-treadle-library": "pydantic"})
        self.assertEqual(await application.body("A", {"body": {"kind": "json", "value": {"title": "a"}}}), {"title": "A", "tags": []})
        refused = await application.run("A", {"body": {"kind": "json", "value": {"title": "no"}}})
        self.assertEqual(refused["issues"], [{"in": "body", "path": "title", "message": "Value error, not this one", "code": "value_error"}])
        await application.run("A", ["1"], kind="queue", index=1)
        self.assertEqual([message for _, message, _ in application.logged()], ["[1]"])

    @unittest.skipUnless(has_pydantic(), "pydantic is not installed")
    async def test_read_json_as_strict_models_read_it(self) -> None:
        application = await self.application({"steps/a_step.py": """
            from datetime import datetime
            from uuid import UUID
            from pydantic import BaseModel, ConfigDict
            class Strict(BaseModel):
                model_config = ConfigDict(strict=True)
                at: datetime
                id: UUID
                tags: set[str] = set()
                n: int = 0
            class Around(BaseModel):
                inner: list[Strict]
            config = {"name": "A", "triggers": [
                {"type": "http", "body_schema": Strict}, {"type": "http", "body_schema": Around}, {"type": "queue", "topic": "t", "input": Strict}]}
            def handler(input, ctx):
                if not ctx.is_.http(): return ctx.logger.info(repr(input.at.year))
                model = input.body if isinstance(input.body, Strict) else input.body.inner[0]
                return {"status": 200, "body": [model.at.year, model.id.version, len(model.tags)]}
        """})
        good = {"at": "2026-01-02T03:04:05Z", "id": "6d1f3a52-6a3c-4f43-9a54-0f2a8f0d9a11", "tags": ["a", "b"]}
        for index, value in ((0, good), (1, {"inner": [good]})):
            self.assertEqual(await application.body("A", {"body": {"kind": "json", "value": value}}, index=index), [2026, 4, 2])
        await application.run("A", good, kind="queue", index=2)
        self.assertEqual([message for _, message, _ in application.logged()], ["2026"])
        refused = await application.run("A", {"body": {"kind": "json", "value": {**good, "n": "5"}}})
        self.assertEqual([(issue["path"], issue["code"]) for issue in refused["issues"]], [("n", "int_type")])
        refused = await application.run("A", {"body": {"kind": "base64", "value": "AAAA"}})
        self.assertEqual([issue["in"] for issue in refused["issues"]], ["body"])

    @unittest.skipUnless(has_pydantic(), "pydantic is not installed")
    async def test_look_for_strict_parts_without_writing_out_what_a_schema_holds(self) -> None:
        application = await self.application({"steps/a_step.py": """
            from datetime import datetime
            from typing import Optional
            from pydantic import BaseModel, Field
            class Unwritable(BaseModel):
                def __repr__(self): raise AttributeError("not written")
            class Around(BaseModel):
                n: int
                by_default: Unwritable = Unwritable()
                within: Optional["Around"] = None
            class Strict(Around):
                at: datetime = Field(strict=True)
            config = {"name": "A", "triggers": [{"type": "http", "body_schema": Around}, {"type": "http", "body_schema": Strict}]}
            def handler(input, ctx): return {"status": 200, "body": input.body.n}
        """})
        for index, more, wrong in ((0, {}, ["n"]), (1, {"at": "2026-01-02T03:04:05Z"}, ["n"])):
            self.assertEqual(await application.body("A", {"body": {"kind": "json", "value": {"n": 1, **more}}}, index=index), 1)
            refused = await application.run("A", {"body": {"kind": "json", "value": {"n": "x", **more}}}, index=index)
            self.assertEqual([issue["path"] for issue in refused.get("issues", [])], wrong, refused)

    @unittest.skipUnless(has_pydantic(), "pydantic is not installed")
    async def test_judges_items_of_streams_while_all_threads_wait_for_that(self) -> None:
        application = await self.application({
            "board_stream.py": """
                def can_access(subscription, auth): return True
                config = {"name": "board", "schema": list[int], "can_access": can_access}
            """,
            "steps/a_step.py": """
                config = {"name": "A", "triggers": [{"type": "http"}]}
                def handler(input, ctx): return {"status": 200, "body": ctx.streams.board.set("g", "1", [input.path])}
            """,
        })

        async def judged(item: Any) -> Any:
            return (await application.run("stream:board", {"hook": "schema", "item": item}, kind="stream.declaration"))["type"]

        application.host.begin_operation = lambda _, op, args: asyncio.ensure_future(judged(args["item"]))  # type: ignore[method-assign]
        asked = [application.start("A", {"path": path}) for path in ("1", "2", "3", "x")]  # the runner has four threads
        answers = [(await application.outcome(each))["http"]["body"]["value"] for each in asked]
        self.assertEqual(answers, ["result", "result", "result", "error"])
