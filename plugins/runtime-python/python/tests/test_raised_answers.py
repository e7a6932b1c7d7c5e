"""What handlers may raise in the place of an answer."""

from typing import Any

from .applications import ApplicationTest, step

ERRORS: dict[str, Any] = {
    "HttpError(404)": {"status": 404, "thrown": "Not Found"},
    "HttpError(404, 'no such ticket')": {"status": 404, "thrown": "no such ticket"},
    "HttpError(429, 'later', {'retry-after': 7})": {"status": 429, "headers": {"retry-after": "7"}, "thrown": "later"},
    "HttpError(409, {'taken': 'a'})": {"status": 409, "body": {"kind": "json", "value": {"taken": "a"}}, "thrown": "Conflict"},
    "HttpError(410, '<p>', {'Content-Type': 'text/html'})": {
        "status": 410, "headers": {"Content-Type": "text/html"}, "body": {"kind": "text", "value": "<p>"}, "thrown": "<p>"},
    "foreign(status=404)": {"status": 404, "thrown": ""},
    "foreign(status_code=403)": {"status": 403, "thrown": ""},
    "foreign(status=401, headers={'set-cookie': 'a'})": {"status": 401, "thrown": ""},
    "foreign(status=401, expose=True, headers={'www-authenticate': 'Basic'})": {
        "status": 401, "headers": {"www-authenticate": "Basic"}, "thrown": "secret"},
    "foreign(status=503, expose=True)": {"status": 503, "thrown": "secret"},
}
NO_ANSWERS = ("foreign()", "foreign(status=500)", "foreign(status='404')", "foreign(status=True)", "foreign(status=302)", "foreign(code=404)")
RAISING = """
    from treadle import HttpError
    def foreign(**members):
        error = Exception("secret")
        for name, value in members.items(): setattr(error, name, value)
        return error
"""


class RaisedAnswers(ApplicationTest):
    async def test_are_honoured_as_the_table_says(self) -> None:
        application = await self.application({
            "steps/a_step.py": f'{RAISING}    config = {{"name": "A", "triggers": [{{"type": "http"}}]}}\n    async def handler(input): raise eval(input.path)\n',
            "steps/b_step.py": f'{RAISING}    config = {{"name": "B", "triggers": [{{"type": "http"}}]}}\n    def handler(input): raise eval(input.path)\n',
        })
        for name in ("A", "B"):
            for source, expected in ERRORS.items():
                with self.subTest(source):
                    self.assertEqual((await application.run(name, {"path": source}))["http"], expected)
            for source in NO_ANSWERS:
                with self.subTest(source):
                    self.assertEqual((await application.run(name, {"path": source}))["code"], "unhandled_exception")

    async def test_are_logged_from_500_on_only(self) -> None:
        application = await self.application({"steps/a_step.py": step("""
            from treadle import HttpError
            raise HttpError(int(input.path), "not now")
        """)})
        for path in ("422", "503"):
            await application.run("A", {"path": path})
        self.assertEqual([(level, message, fields["error"]) for level, message, fields in application.logged()], [("error", "a handler failed", "not now")])

    async def test_may_come_from_middleware_and_conditions_and_are_errors_elsewhere(self) -> None:
        application = await self.application({"steps/a_step.py": """
            from treadle import HttpError
            def refuse(*_): raise HttpError(401, "who are you?")
            config = {"name": "A", "triggers": [{"type": "http", "middleware": refuse}, {"type": "http", "condition": refuse}, {"type": "queue", "topic": "t"}]}
            handler = refuse
        """})
        for index in (0, 1):
            self.assertEqual((await application.run("A", index=index))["http"], {"status": 401, "thrown": "who are you?"})
        outcome = await application.run("A", {}, kind="queue", index=2)
        self.assertEqual((outcome["code"], outcome["name"]), ("unhandled_exception", "HttpError"))
