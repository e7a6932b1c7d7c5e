from unittest import IsolatedAsyncioTestCase

from treadle.testing import create_test_engine


class Greetings(IsolatedAsyncioTestCase):
    async def test_greets_by_name(self) -> None:
        async with create_test_engine() as app:
            answer = await app.http("GET", "/hello", query={"name": "Ada"})
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.body, {"message": "Hello, Ada!"})

    async def test_greets_the_world_without_a_name(self) -> None:
        async with create_test_engine() as app:
            answer = await app.http("GET", "/hello")
            self.assertEqual(answer.body, {"message": "Hello, world!"})

    async def test_counts_greetings(self) -> None:
        async with create_test_engine() as app:
            await app.http("GET", "/hello", query={"name": "Grace"})
            await app.http("GET", "/hello", query={"name": "Grace"})
            await app.until_idle()
            self.assertEqual(await app.state.get("greetings", "Grace"), {"count": 2})
