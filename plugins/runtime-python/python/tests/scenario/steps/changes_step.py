"""Writes down what state and stream triggers are told."""

from treadle import state, stream

config = {
    "name": "Changes",
    "triggers": [state(group="watched", prefix="a"), stream("board", events=["create", "delete"])],
}


async def handler(input, ctx):
    told = {key: input[key] for key in input}
    kind = ctx.trigger.type
    await ctx.state.update("changes", kind, [{"type": "append", "value": told}])
