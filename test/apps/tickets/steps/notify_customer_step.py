from typing import TypedDict

from treadle import Context, queue, step


class Triaged(TypedDict):
    ticketId: str


#: What this Step reads of a triaged ticket.
triaged = {"type": "object", "required": ["ticketId"], "properties": {"ticketId": {"type": "string"}}}


@step({
    "name": "NotifyCustomer",
    "description": "Tells the customer when the ticket will be solved; fails for a customer without an email",
    "triggers": [queue("ticket.triaged", input=triaged, config={"max_attempts": 3, "backoff": {"delay_ms": 500}})],
    "flows": ["tickets"],
})
async def notify_customer(message: Triaged, ctx: Context) -> None:
    ticket_id = message["ticketId"]
    ticket = await ctx.state.get("tickets", ticket_id)
    if ticket is None:
        return
    customer = ticket["customer"]
    if "email" not in customer:
        raise ValueError(f'customer "{customer["id"]}" has no email')
    mail = {"to": customer["email"], "subject": f'We are on it: {ticket["title"]}', "dueAt": ticket["dueAt"]}
    await ctx.state.set("outbox", ticket_id, mail)
    ctx.logger.info("customer notified", {"ticketId": ticket_id})
