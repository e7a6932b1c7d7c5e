from typing import Any
from unittest import IsolatedAsyncioTestCase

from treadle.testing import TestEngine, create_test_engine


async def create(app: TestEngine, description: str) -> dict[str, Any]:
    answer = await app.http("POST", "/tasks", body={"description": description})
    assert answer.status == 201, answer
    return answer.body


class Tasks(IsolatedAsyncioTestCase):
    async def test_stores_a_task_and_reads_it_back(self) -> None:
        async with create_test_engine() as app:
            created = await create(app, "Buy milk")
            self.assertEqual((created["description"], created["completed"]), ("Buy milk", False))
            answer = await app.http("GET", f"/tasks/{created['id']}")
            self.assertEqual((answer.status, answer.body), (200, created))

    async def test_refuses_a_task_without_description(self) -> None:
        async with create_test_engine() as app:
            answer = await app.http("POST", "/tasks", body={"dueDate": "2030-01-01"})
            self.assertEqual((answer.status, answer.body["code"]), (400, "validation_failed"))

    async def test_lists_tasks_page_by_page(self) -> None:
        async with create_test_engine() as app:
            descriptions = ["one", "two", "three"]
            for description in descriptions:
                await create(app, description)
            pages = []
            for page in (1, 2, 3):
                answer = await app.http("GET", "/tasks", query={"page": str(page), "limit": "2"})
                pages.append([task["description"] for task in answer.body["items"]])
            self.assertEqual([len(page) for page in pages], [2, 1, 0])
            self.assertEqual(sorted(sum(pages, [])), sorted(descriptions))

    async def test_changes_a_task(self) -> None:
        async with create_test_engine() as app:
            created = await create(app, "Buy milk")
            answer = await app.http("PUT", f"/tasks/{created['id']}", body={"completed": True})
            self.assertEqual((answer.status, answer.body), (200, {**created, "completed": True}))

    async def test_deletes_a_task(self) -> None:
        async with create_test_engine() as app:
            path = f"/tasks/{(await create(app, 'Buy milk'))['id']}"
            self.assertEqual((await app.http("DELETE", path)).status, 204)
            self.assertEqual((await app.http("GET", path)).status, 404)
            self.assertEqual((await app.http("PUT", path, body={"completed": True})).status, 404)
