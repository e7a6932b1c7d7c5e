"""Middleware of files, which holds for the Steps around them."""

from .applications import Application, ApplicationTest

STEP = """
    config = {"name": "A", "triggers": [{"type": "http", "method": "GET", "path": "/api/a"}, {"type": "queue", "topic": "t"}]}
    def handler(input, ctx): return {"status": 200, "body": getattr(ctx, "seen", None)}
"""


def note(word: str) -> str:
    return f'async def middleware(request, ctx, next): return await next(seen=[*getattr(ctx, "seen", []), "{word}"])\n'


class MiddlewareFiles(ApplicationTest):
    async def test_run_outer_folders_first_and_are_swapped_while_the_step_stays(self) -> None:
        application = await self.application({
            "steps/in/a_step.py": STEP, "steps/in/inner_middleware.py": note("inner"), "steps/outer_middleware.py": note("outer"),
            "src/path_middleware.py": note("path") + 'config = {"path": ["/api"], "after": "validation"}\n',
            "src/other_middleware.py": note("other") + 'config = {"path": "/apis"}\n',
        })
        roles = {report["file"]: report["steps"][0].get("role") for report in await application.load()}
        self.assertEqual((roles["steps/in/a_step.py"], roles["steps/outer_middleware.py"]), (None, "middleware"))
        self.assertEqual(await application.body("A"), ["outer", "inner", "path"])
        application.write("steps/outer_middleware.py", note("changed"))
        await application.load()
        self.assertEqual(await application.body("A"), ["changed", "inner", "path"])
        self.assertNotIn("code", await application.run("A", {}, kind="queue", index=1))

    async def test_let_nothing_through_that_were_never_loaded(self) -> None:
        application = Application(self.root, "development")
        application.write("steps/a_step.py", STEP)
        application.write("steps/guard_middleware.py", "raise RuntimeError('no secret')")
        await application.load()
        self.assertEqual((await application.run("A"))["http"]["status"], 503)
        self.assertIn("steps/guard_middleware.py could not be loaded; the routes behind it answer 503", [message for _, message, _ in application.logged()])
        application.write("steps/guard_middleware.py", note("good"))
        await application.load()
        self.assertEqual(await application.body("A"), ["good"])
        application.write("steps/guard_middleware.py", "middleware = 7")
        reports = await application.load()
        self.assertIn("declares no middleware", next(report["problem"]["message"] for report in reports if "problem" in report))
        self.assertEqual(await application.body("A"), ["good"])

    async def test_let_nothing_through_that_may_not_be_loaded(self) -> None:
        application = Application(self.root, "production")
        application.write("steps/a_step.py", STEP)
        application.write("src/guard_middleware.py", 'config = {"path": "/"}')
        files = [file for file in application.files() if file["file"].endswith("_step.py")]
        await application.catalog.load([*files, {"file": "src/guard_middleware.py", "version": "x", "held": True}])
        self.assertEqual((await application.run("A"))["http"]["status"], 503)
