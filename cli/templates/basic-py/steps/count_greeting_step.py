"""Runs once for each message; when it raises, it is tried again."""

from treadle import Context, queue, step

from .greeted import Greeted, greeted


@step({
    "name": "CountGreeting",
    "description": "Counts how often each name was greeted.",
    "triggers": [queue(greeted)],
    "flows": ["greetings"],
})
async def count_greeting(message: Greeted, ctx: Context) -> None:
    name = message["name"]
    counted = await ctx.state.update("greetings", name, [{"type": "increment", "path": "count"}])
    ctx.logger.info("counted", {"name": name, "count": counted["value"]["count"]})
