"""All forms in which Steps and streams may be written."""

from .applications import Application, ApplicationTest, step

CONFIG = 'config = {"name": "A", "triggers": [{"type": "http", "method": "GET", "path": "/a"}]}\n'
TRIGGERS = '[http("GET", "/a")]'
FORMS = {
    "module level, async": CONFIG + 'async def handler(input, ctx): return {"status": 200, "body": 1}\n',
    "module level, sync": CONFIG + 'def handler(input, ctx): return {"status": 200, "body": 1}\n',
    "one argument": CONFIG + 'def handler(input): return {"status": 200, "body": 1}\n',
    "no argument": CONFIG + 'async def handler(): return {"status": 200, "body": 1}\n',
    "an object that can be called": CONFIG + 'class H:\n  async def __call__(self, input): return {"status": 200, "body": 1}\nhandler = H()\n',
    "a wrapped coroutine": CONFIG + "import functools\nasync def f(input, ctx): return {'status': 200, 'body': 1}\n"
    "handler = functools.wraps(f)(lambda *a: f(*a))\n",
    "step()": f'from treadle import http, step\nmade = step({{"name": "A", "triggers": {TRIGGERS}}}, lambda input: {{"status": 200, "body": 1}})\n',
    "step() without a name": f'from treadle import http, step\nstep({{"name": "A", "triggers": {TRIGGERS}}}, lambda input: {{"status": 200, "body": 1}})\n',
    "step() without a name for a handler with one": f'from treadle import http, step\ndef handler(input): return {{"status": 200, "body": 1}}\n'
    f'step({{"name": "A", "triggers": {TRIGGERS}}}, handler)\n',
    "step() taken apart": f'from treadle import http, step\nconfig, handler = step({{"name": "A", "triggers": {TRIGGERS}}}, lambda input: {{"status": 200, "body": 1}})\n',
    "step() as a decorator": f'from treadle import http, step\n@step({{"name": "A", "triggers": {TRIGGERS}}})\nasync def handler(input, ctx): return {{"status": 200, "body": 1}}\n',
    "a dataclass as result": CONFIG + "from dataclasses import dataclass\n@dataclass\nclass R:\n  status: int\n  body: int\n"
    "def handler(): return R(200, 1)\n",
}


class Forms(ApplicationTest):
    async def test_every_form_serves_the_same_step(self) -> None:
        for name, source in FORMS.items():
            with self.subTest(name):
                application = Application(self.root, "production")
                application.write("steps/a_step.py", source)
                (report,) = await application.load()
                self.assertNotIn("problem", report, name)
                self.assertEqual(report["steps"][0]["config"]["triggers"], [{"type": "http", "method": "GET", "path": "/a"}])
                self.assertEqual(report["steps"][0]["line"], source[: source.index("config" if "config" in source else "@step({" if "@" in source else "step({")].count("\n") + 1)
                self.assertEqual(await application.body("A"), 1)

    async def test_keys_may_be_written_both_ways(self) -> None:
        application = await self.application({
            "steps/a_step.py": """
                from treadle import cron, http, queue, state, stream, topic
                created = topic("created", {"type": "object"})
                config = {
                    "name": "A", "virtual_enqueues": ["x"], "enqueues": [created, "b"],
                    "triggers": [
                        http("POST", "/a", body_schema={"type": "object", "properties": {"snake_case": {}}}, responseSchema={201: True},
                             timeout_ms=5, cors={"max_age_seconds": 1}, middleware=[lambda req: None], condition=lambda input: True),
                        queue(created, config={"max_attempts": 3, "backoff": {"delay_ms": 5}}),
                        queue("b", {"input": {"type": "string"}}), cron("@daily", catch_up_window_ms=1), state(group="g"), stream("s", group_id="g"),
                    ],
                }
                def handler(): pass
            """
        })
        config = (await application.load())[0]["steps"][0]["config"]
        self.assertEqual(config, {
            "name": "A", "virtualEnqueues": ["x"], "enqueues": ["created", "b"],
            "triggers": [
                {
                    "type": "http", "method": "POST", "path": "/a", "bodySchema": {"type": "object", "properties": {"snake_case": {}}},
                    "responseSchema": {"201": True}, "timeoutMs": 5, "cors": {"maxAgeSeconds": 1}, "middleware": 1, "condition": True,
                },
                {"type": "queue", "topic": "created", "input": {"type": "object"}, "config": {"maxAttempts": 3, "backoff": {"delayMs": 5}}},
                {"type": "queue", "topic": "b", "input": {"type": "string"}}, {"type": "cron", "expression": "@daily", "catchUpWindowMs": 1},
                {"type": "state", "group": "g"}, {"type": "stream", "streamName": "s", "groupId": "g"},
            ],
        })


PROBLEMS = {
    "def handler(): pass\n": ("missing_config", 'the file declares no config; write "config = {…}" and "def handler(input, ctx)", or "step(config, handler)"', None),
    "config = [1]\ndef handler(): pass\n": ("missing_config", "config must be a dict, not a list", 1),
    "\n" + CONFIG: ("missing_handler", 'the file declares no handler; write "config = {…}" and "def handler(input, ctx)", or "step(config, handler)"', 2),
    CONFIG + "handler = 1\n": ("missing_handler", "handler must be a function, not an int", 1),
    "from treadle import step\na = step({}, print)\nb = step({}, print)\n": ("missing_config", "the file declares 2 Steps; one file is one Step", 2),
    "config = {\n": ("syntax", "'{' was never closed", 1),
    "x = 1\nimport nowhere\n": ("import", "ModuleNotFoundError: No module named 'nowhere'", 2),
    "\n\nraise Exception('mine')\n": ("import", "mine", 3),
    "import sys\nsys.exit(3)\n": ("import", "SystemExit: 3", 2),
    "import time\nwhile True: time.sleep(0.01)\n": ("timeout", "the file did not finish loading in 0.5 s", None),
    "try:\n  while True: pass\nexcept Exception: pass\n": ("timeout", "the file did not finish loading in 0.5 s", None),
    'config = {"triggers": [{"type": "http", "body_schema": 5}]}\ndef handler(): pass\n': (
        "schema", "triggers[0].bodySchema: a schema must be a JSON Schema dict or a pydantic model, not a int", 1),
    'config = {"triggers": [{"body_schema": True, "bodySchema": True}]}\ndef handler(): pass\n': (
        "schema", "triggers[0].bodySchema: it is written twice, also as bodySchema", 1),
    'a = []\na.append(a)\nconfig = {"name": a}\ndef handler(): pass\n': ("schema", "name: nested deeper than 100, or a cycle", 3),
}


class Problems(ApplicationTest):
    async def test_each_names_its_line_and_leaves_the_other_steps_serving(self) -> None:
        for source, (kind, message, line) in PROBLEMS.items():
            with self.subTest(source):
                application = Application(self.root, "production")
                application.write("steps/a_step.py", source)
                application.write("steps/b_step.py", step('return {"status": 200, "body": 2}', "B"))
                problem = application.report(await application.load(), "steps/a_step.py")["problem"]
                self.assertEqual((problem["kind"], problem["message"], problem.get("line")), (kind, message, line))
                self.assertEqual(await application.body("B"), 2)

    async def test_name_the_file_at_fault_when_it_is_another_one(self) -> None:
        application = Application(self.root, "production")
        application.write("lib/bad.py", "x = 1\ny = x / 0\n")
        application.write("lib/worse.py", "def f(:\n")
        application.write("steps/a_step.py", "import lib.bad\n")
        application.write("steps/b_step.py", "from lib import worse\n")
        problems = [report["problem"] for report in await application.load()]
        self.assertEqual([(problem["kind"], problem["at"], problem["line"]) for problem in problems],
                         [("import", "lib/bad.py", 2), ("syntax", "lib/worse.py", 1)])


class Declarations(ApplicationTest):
    async def test_tell_of_the_guards_among_their_middleware_by_the_trigger(self) -> None:
        application = await self.application({
            "steps/guard_middleware.py": "from treadle.auth import api_key\nmiddleware = [api_key(keys={'a': 'x'}), lambda request, ctx, next: next()]\n",
            "steps/a_step.py": """
                from treadle import cron, http, step
                from treadle.auth import basic
                users = basic(users={"ada": "x"})
                guards = [users.optional, {"run": users, "after": "validation"}]
                step({"name": "A", "triggers": [cron("@daily"), http("GET", "/a", middleware=guards), http("GET", "/b", middleware=users), http("GET", "/c")]}, lambda: None)
            """,
        })
        told = {report["file"]: report["steps"][0].get("guards") for report in await application.load()}
        user = {"schemes": [{"type": "http", "scheme": "basic"}]}
        self.assertEqual(told, {
            "steps/guard_middleware.py": [[{"schemes": [{"type": "apiKey", "in": "header", "name": "x-api-key"}]}]],
            "steps/a_step.py": [[], [{**user, "optional": True}, user], [user], []],
        })

    async def test_of_streams_answer_what_the_engine_asks(self) -> None:
        application = await self.application({
            "src/board_stream.py": """
                async def can_access(subscription, auth): return subscription.stream_name == "board" and auth["user"] == "u"
                config = {"name": "board", "schema": {"type": "object"}, "can_access": can_access, "onJoin": lambda subscription: "joined"}
            """,
            "src/x_stream_auth.py": "def authenticate(request): return {'user': request.headers['x']} if request.query else None\n",
        })
        reports = await application.load()
        self.assertEqual([report["steps"][0] for report in reports], [
            {"config": {"name": "board", "schema": {"type": "object"}, "canAccess": True, "onJoin": True}, "line": 3, "role": "stream"},
            {"config": {"authenticate": True}, "line": 1, "role": "stream-auth"},
        ])
        asked = {"subscription": {"streamName": "board", "groupId": "g"}, "auth": {"user": "u"}}

        async def hook(name: str) -> object:
            return await application.run("stream:board", {"hook": name, **asked}, kind="stream.declaration")

        self.assertEqual((await hook("canAccess"))["value"], True)
        self.assertEqual((await hook("onJoin"))["value"], "joined")
        self.assertEqual((await hook("onLeave"))["message"], 'stream "board" declares no function "onLeave"')
        for query, value in (({"a": "1"}, {"user": "me"}), ({}, None)):
            request = {"hook": "authenticate", "request": {"headers": {"x": "me"}, "query": query, "url": "/", "ip": "::1"}}
            outcome = await application.run("stream-auth", request, kind="stream.authentication")
            self.assertEqual((outcome["type"], outcome.get("value")), ("result", value))
