import os
import tempfile
from unittest import IsolatedAsyncioTestCase

from treadle.testing import create_test_engine

PICTURE = b"P6 200 100 255\n" + bytes([255, 0, 0]) * 20_000


class Images(IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        root, folder = os.getcwd(), tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, root)
        self.root = root
        os.chdir(folder.name)

    async def upload(self, app, content):
        answer = await app.http("POST", "/images", files={"image": content})
        self.assertEqual(answer.status, 202)
        await app.until_idle()
        return await app.http("GET", f"/images/{answer.body['id']}")

    async def test_makes_a_thumbnail(self) -> None:
        async with create_test_engine(self.root) as app:
            answer = await self.upload(app, PICTURE)
            self.assertEqual((answer.status, answer.headers["content-type"]), (200, "image/png"))

    async def test_gives_up_what_is_no_picture(self) -> None:
        async with create_test_engine(self.root) as app:
            answer = await self.upload(app, b"no picture")
            self.assertEqual((answer.status, answer.body["status"]), (422, "refused"))
            (letter,) = app.dead_letters(step="MakeThumbnail")
            self.assertEqual(letter.reason, "non_retryable")
