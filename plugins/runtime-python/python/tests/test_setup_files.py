"""Setups and declared variables of files."""

import asyncio
import os
import unittest

from treadle.worker.schemas import has_pydantic
from treadle.worker.setup.variables import check_variables, unusable_variables

from .applications import Application, ApplicationTest

STEP = """
    config = {"name": "A", "triggers": [{"type": "http", "method": "GET", "path": "/a"}]}
    async def handler(input, ctx): return {"status": 200, "body": ctx.setup.db}
"""


def setup(value: str, before: str = "pass", head: str = "async def") -> str:
    return f"""
        told = __import__("builtins").__dict__.setdefault("told", [])
        {head} setup(context):
            told.append("open {value}")
            {before}
            yield "{value}"
            told.append("close {value}")
    """


class SetupFiles(ApplicationTest):
    def setUp(self) -> None:
        super().setUp()
        import builtins

        self.told: list[str] = builtins.__dict__.setdefault("told", [])
        self.told.clear()

    async def faulty(self, files: dict[str, str]) -> Application:
        application = Application(self.root, "development")
        for file, text in files.items():
            application.write(file, text)
        await application.load()
        return application

    async def test_are_opened_before_the_first_handler_and_closed_once(self) -> None:
        for head in ("async def", "def"):
            self.told.clear()
            application = await self.application({"steps/a_step.py": STEP, "steps/db_setup.py": setup("pool", head=head)})
            self.assertEqual(await application.body("A"), "pool")
            await application.runner.close()
            await application.runner.close()
            self.assertEqual(self.told, ["open pool", "close pool"])

    async def test_hold_the_steps_that_they_are_for_until_they_can_be_opened(self) -> None:
        broken = setup("pool", 'if len(told) == 1: raise OSError("no route to the database")')
        application = await self.faulty({
            "steps/a_step.py": STEP, "steps/shop/b_step.py": STEP.replace('"A"', '"B"').replace("/a", "/b"), "steps/shop/db_setup.py": broken,
        })
        renewed = asyncio.get_running_loop().create_future()
        application.runner.on_reports = lambda reports: renewed.done() or renewed.set_result(reports)
        outcome = await application.run("B")
        self.assertEqual((outcome["code"], outcome["message"]), ("no_worker", 'the setup "db" (steps/shop/db_setup.py) is not open: no route to the database'))
        self.assertEqual((await application.run("A"))["http"]["status"], 503)
        reports = await asyncio.wait_for(renewed, 10)
        self.assertEqual([(report.get("held"), report.get("problem")) for report in reports], [(None, None)] * 3)
        self.assertEqual(await application.body("B"), "pool")
        await application.runner.close()

    async def test_change_while_handlers_run(self) -> None:
        waiting = STEP.replace("return", "await asyncio.sleep(0.3); return").replace("config =", "import asyncio; config =")
        application = await self.application({"steps/a_step.py": waiting, "steps/db_setup.py": setup("old")})
        first = application.start("A")
        await asyncio.sleep(0.05)
        application.write("steps/db_setup.py", setup("new"))
        await application.load()
        self.assertEqual(self.told, ["open old", "open new"])
        self.assertEqual((await application.outcome(first))["http"]["body"]["value"], "old")
        self.assertEqual(await application.body("A"), "new")
        self.assertEqual(self.told, ["open old", "open new", "close old"])
        application.write("steps/db_setup.py", setup("broken", 'raise ValueError("wrong")'))
        reports = await application.load()
        self.assertEqual([report.get("problem", {}).get("message") for report in reports], [None, "setup(): wrong"])
        self.assertEqual(await application.body("A"), "new")
        await application.runner.close()
        self.assertEqual(self.told[3:], ["open broken", "close new"])

    async def test_are_held_to_their_form(self) -> None:
        application = await self.faulty({
            "steps/a_setup.py": "setup = 1", "steps/b_setup.py": "x = 1", "steps/c_setup.py": "def setup(context): return 1\nconfig = {'timeout': 1}",
            "steps/d_setup.py": "async def setup(context):\n    if False: yield", "steps/e_setup.py": "import sys\ndef setup(): sys.exit(1)",
        })
        problems = [report["problem"]["message"].split(";")[0] for report in await application.load()]
        self.assertEqual(problems, ["setup must be a function", "the file declares no setup", 'the config of a setup has no key "timeout"', "setup(): setup() yields nothing", "setup(): it raised SystemExit"])
        await application.runner.close()


class DeclaredVariables(ApplicationTest):
    def tearDown(self) -> None:
        for name in ("T_PORT", "T_URL"):
            os.environ.pop(name, None)
        super().tearDown()

    STEP = STEP.replace("ctx.setup.db", "dict(ctx.env)")

    async def test_are_what_handlers_read(self) -> None:
        os.environ.update(T_PORT="80", T_URL="http://db")
        schema = """env = {"properties": {"T_PORT": {"type": "integer"}, "T_URL": {"format": "uri"}, "T_MODE": {"default": "fast"}}, "required": ["T_PORT"]}"""
        application = await self.application({"steps/a_step.py": self.STEP, "steps/app_env.py": schema})
        self.assertEqual(await application.body("A"), {"T_PORT": 80, "T_URL": "http://db", "T_MODE": "fast"})

    @unittest.skipUnless(has_pydantic(), "pydantic is not installed")
    async def test_are_made_by_pydantic(self) -> None:
        os.environ["T_PORT"] = "80"
        model = "from pydantic import BaseModel\nclass env(BaseModel):\n    T_PORT: int\n    T_MODE: str = 'fast'\n"
        application = await self.application({"steps/a_step.py": self.STEP, "steps/app_env.py": model})
        self.assertEqual(await application.body("A"), {"T_PORT": 80, "T_MODE": "fast"})
        os.environ["T_PORT"] = "abc"
        application.write("steps/app_env.py", model + "    T_URL: str\n")
        (step, declared) = await application.load()
        self.assertTrue(step["held"])
        self.assertRegex(declared["problem"]["message"], r"^T_PORT: .*; T_URL is not set$")
        self.assertNotIn("abc", declared["problem"]["message"])

    def test_are_texts_numbers_and_booleans(self) -> None:
        schema = {"properties": {"A": {"type": "boolean"}, "B": {"type": "number", "minimum": 2}, "C": {"enum": ["x"]}, "D": {}}, "required": ["D"]}
        self.assertEqual(check_variables(schema, {"A": "1", "B": "2.5", "C": "x", "D": ""}), ({"A": True, "B": 2.5, "C": "x", "D": ""}, []))
        self.assertEqual(check_variables(schema, {"A": "yes", "B": "1", "C": "y"}).faults, [
            "A must be true or false", "B must be 2 or more", 'C must be one of "x"', "D is not set",
        ])
        self.assertRegex(unusable_variables({"properties": {"A": {"multipleOf": 2}}}) or "", '^A: "multipleOf" is not checked')
        self.assertRegex(unusable_variables({}) or "", "no \"properties\"")
