"""What is loaded again when files are saved."""

import asyncio
import os

from .applications import ApplicationTest, step

HELPER = 'value = {value}\nlog = []\n'


class Swapping(ApplicationTest):
    async def test_a_saved_file_is_loaded_again_and_nothing_else(self) -> None:
        application = await self.application({
            "lib/shared.py": HELPER.format(value=1),
            "steps/a_step.py": "import lib.shared\nlib.shared.log.append('a')\n" + step('return {"status": 200, "body": [1, lib.shared.log]}'),
            "steps/b_step.py": "import lib.shared\nlib.shared.log.append('b')\n" + step('return {"status": 200, "body": lib.shared.log}', "B"),
        }, "development")
        self.assertEqual(await application.body("A"), [1, ["a", "b"]])
        application.write("steps/a_step.py", "import lib.shared\nlib.shared.log.append('c')\n" + step('return {"status": 200, "body": [2, lib.shared.log]}'))
        await application.load()
        self.assertEqual(await application.body("A"), [2, ["a", "b", "c"]])
        self.assertEqual(await application.body("B"), ["a", "b", "c"])

    async def test_a_saved_import_is_loaded_again_with_all_that_import_it(self) -> None:
        application = await self.application({
            "lib/__init__.py": "", "lib/deep.py": HELPER.format(value=1), "lib/middle.py": "from . import deep\ndef value(): return deep.value\n",
            "lib/other.py": "loads = []\n",
            "steps/orders/near.py": "from lib.middle import value\n",
            "steps/orders/a_step.py": "from .near import value\n" + step('return {"status": 200, "body": value()}'),
            "steps/b_step.py": "import lib.other\nlib.other.loads.append(1)\n" + step('return {"status": 200, "body": lib.other.loads}', "B"),
        }, "development")
        reports = await application.load()
        self.assertEqual(application.report(reports, "steps/orders/a_step.py")["imports"],
                         ["lib/__init__.py", "lib/deep.py", "lib/middle.py", "steps/orders/near.py"])
        # Within the same second and of the same size, which files of bytecode cannot tell apart.
        for value in (2, 3):
            application.write("lib/deep.py", HELPER.format(value=value))
            await application.load()
            self.assertEqual(await application.body("A"), value)
        self.assertEqual(await application.body("B"), [1])

    async def test_running_handlers_finish_on_the_old_version(self) -> None:
        def slow(version: int) -> str:
            return f"import asyncio\nversion = {version}\n" + step('await asyncio.sleep(0.1)\nreturn {"status": 200, "body": version}')

        application = await self.application({"steps/a_step.py": slow(1)}, "development")
        running = application.start("A")
        await asyncio.sleep(0.02)
        application.write("steps/a_step.py", slow(2))
        await application.load()
        self.assertEqual((await application.outcome(running))["http"]["body"]["value"], 1)
        self.assertEqual(await application.body("A"), 2)

    async def test_a_broken_version_leaves_the_last_good_one_serving_in_development_only(self) -> None:
        for mode in ("development", "production"):
            application = await self.application({"steps/a_step.py": step('return {"status": 200, "body": 1}')}, mode)
            application.write("steps/a_step.py", f"import nowhere_{mode}\n")
            (report,) = await application.load()
            self.assertEqual((report["steps"], report["problem"]["kind"]), ([], "import"))
            outcome = await application.run("A")
            self.assertEqual(outcome["type"], "result" if mode == "development" else "error")
            application.write(f"nowhere_{mode}.py", "")
            files = [{**file, "version": "retry"} for file in application.files()]
            (again,) = await application.catalog.load(files)
            self.assertEqual(again["problem"]["kind"], "missing_config")

    async def test_of_two_files_with_one_name_the_one_that_serves_goes_on(self) -> None:
        application = await self.application({"steps/b_step.py": step('return {"status": 200, "body": "b"}')})
        application.write("steps/a_step.py", step('return {"status": 200, "body": "a"}'))
        await application.load()
        self.assertEqual(await application.body("A"), "b")

    async def test_folders_are_packages_whatever_else_is_called_like_them(self) -> None:
        application = await self.application({
            "steps/http/store.py": "x = 5\n",
            "steps/http/a_step.py": "import http.client\nfrom .store import x\n" + step('return {"status": 200, "body": x}'),
            "steps/2-odd.name/b_step.py": "from .near import y\n" + step('return {"status": 200, "body": y}', "B"),
            "steps/2-odd.name/near.py": "y = 6\n",
            "src/steps/c_step.py": step('return {"status": 200, "body": __name__}', "C"),
        })
        self.assertEqual([await application.body(name) for name in "ABC"], [5, 6, "src.steps.c_step"])

    async def test_what_a_handler_imports_when_it_runs_is_watched_and_loaded_again(self) -> None:
        application = await self.application({
            "lib/late.py": HELPER.format(value=1), "lib/named.py": HELPER.format(value=1),
            "steps/a_step.py": "import importlib\n" + step(
                'from lib.late import value\nreturn {"status": 200, "body": [value, importlib.import_module("lib.named").value]}'),
            "steps/b_step.py": step('return {"status": 200, "body": 1}', "B"),
        }, "development")
        reports = await application.load()
        self.assertEqual(application.report(reports, "steps/a_step.py")["imports"], ["lib/late.py", "lib/named.py"])
        self.assertEqual(await application.body("A"), [1, 1])
        application.write("lib/late.py", HELPER.format(value=2))
        application.write("lib/named.py", HELPER.format(value=2))
        await application.load()
        self.assertEqual(await application.body("A"), [2, 2])

    async def test_a_file_that_was_removed_comes_back_with_another_content(self) -> None:
        files = {"lib/text.py": HELPER.format(value=1), "steps/a_step.py": "from lib.text import value\n" + step('return {"status": 200, "body": ["one", value]}')}
        application = await self.application({**files, "steps/b_step.py": step('return {"status": 200, "body": 1}', "B")}, "development")
        self.assertEqual(await application.body("A"), ["one", 1])
        os.remove(os.path.join(application.root, "steps/a_step.py"))
        await application.load()
        application.write("lib/text.py", HELPER.format(value=2))
        application.write("steps/a_step.py", files["steps/a_step.py"].replace("one", "two"))
        await application.load()
        self.assertEqual(await application.body("A"), ["two", 2])

    async def test_a_file_that_is_held_goes_on_whatever_was_written_to_it(self) -> None:
        application = await self.application({"steps/a_step.py": step('return {"status": 200, "body": 1}')}, "development")
        application.write("steps/a_step.py", "raise SystemExit(1)\n")
        (report,) = await application.catalog.load([{**file, "held": True} for file in application.files()])
        self.assertNotIn("problem", report)
        self.assertEqual(await application.body("A"), 1)
        self.assertEqual(await application.catalog.load([{"file": "steps/new_step.py", "version": "1", "held": True}]), [])
