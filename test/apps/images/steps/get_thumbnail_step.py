"""Serves the thumbnail once it is there; until then says how far it is."""

from pathlib import Path

from treadle import Context, HttpError, HttpInput, http, step

FOLDER = Path("data/images")


@step({"name": "GetThumbnail", "triggers": [http("GET", "/images/:id")], "flows": ["images"]})
async def get_thumbnail(request: HttpInput, ctx: Context) -> dict:
    image_id = request.path_params["id"]
    image = await ctx.state.get("images", image_id)
    if image is None:
        raise HttpError(404, f"there is no image {image_id}")
    if image["status"] != "ready":
        return {"status": 202 if image["status"] == "uploaded" else 422, "body": image}
    # Only ids that are in the state get here, so this is no path of a client's choice.
    return {"status": 200, "headers": {"content-type": "image/png"}, "body": (FOLDER / f"{image_id}.png").read_bytes()}
