"""Computes in a thread, because it is a plain function: requests go on meanwhile."""

from pathlib import Path

from treadle import Context, NonRetryableError, queue, step

from .ppm import read_ppm, shrink, write_png

FOLDER = Path("data/images")


@step({
    "name": "MakeThumbnail",
    "triggers": [queue("image.uploaded", config={"concurrency": 2, "max_attempts": 3})],
    "flows": ["images"],
})
def make_thumbnail(message: dict, ctx: Context) -> None:
    image_id = message["id"]
    try:
        thumbnail = shrink(read_ppm((FOLDER / f"{image_id}.ppm").read_bytes()), 64)
    except ValueError as error:
        ctx.state.set("images", image_id, {"status": "refused", "reason": str(error)})
        raise NonRetryableError(str(error)) from error
    # Written under another name first: nobody reads half a picture, and a repeat writes the same one.
    unfinished = FOLDER / f"{image_id}.part"
    unfinished.write_bytes(write_png(thumbnail))
    unfinished.rename(FOLDER / f"{image_id}.png")
    ctx.state.set("images", image_id, {"status": "ready", "width": thumbnail[0], "height": thumbnail[1]})
    ctx.logger.info("thumbnail made", {"id": image_id})
