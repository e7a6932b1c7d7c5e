"""Takes a picture and leaves the work to a message."""

from pathlib import Path

from treadle import Context, HttpError, HttpInput, http, step

FOLDER = Path("data/images")


@step({
    "name": "UploadImage",
    "triggers": [http("POST", "/images", body_limit=20_000_000)],
    "enqueues": ["image.uploaded"],
    "flows": ["images"],
})
async def upload_image(request: HttpInput, ctx: Context) -> dict:
    image = next((file for file in request.files or [] if file.field == "image"), None)
    if image is None:
        raise HttpError(400, 'a file in the field "image" is needed')
    # The name of the file is ours: one that a client gives may be a path.
    image_id = ctx.trace_id
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{image_id}.ppm").write_bytes(image.read())
    await ctx.state.set("images", image_id, {"status": "uploaded"})
    await ctx.enqueue({"topic": "image.uploaded", "data": {"id": image_id}, "dedupe_key": image_id})
    return {"status": 202, "body": {"id": image_id}}
