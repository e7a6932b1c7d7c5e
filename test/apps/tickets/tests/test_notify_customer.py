from unittest import IsolatedAsyncioTestCase

from treadle.testing import TestEngine, create_test_engine

ID = "0b6e3c1e-7d0f-4c3b-9a51-6f2d8f1f6a10"
TICKET = {
    "id": ID, "title": "The printer is on fire", "priority": "high", "status": "triaged", "dueAt": "2026-05-01T16:00:00.000Z",
    "customer": {"id": "c1", "email": "ada@example.com"},
}


async def triage(app: TestEngine, ticket: object = None) -> None:
    """As TriageTicket ends."""
    if ticket is not None:
        await app.state.set("tickets", ID, ticket)
    await app.enqueue("ticket.triaged", {"ticketId": ID, "priority": "high"})
    await app.until_idle()


class NotifyCustomer(IsolatedAsyncioTestCase):
    async def test_writes_the_mail(self) -> None:
        async with create_test_engine() as app:
            await triage(app, TICKET)
            self.assertEqual(await app.state.get("outbox", ID), {
                "to": "ada@example.com", "subject": "We are on it: The printer is on fire", "dueAt": "2026-05-01T16:00:00.000Z",
            })
            (log,) = app.logs(step="NotifyCustomer")
            self.assertEqual((log.message, log.fields, log.trace_id), ("customer notified", {"ticketId": ID}, app.messages()[0].trace_id))

    async def test_gives_up_after_three_attempts_without_an_email(self) -> None:
        async with create_test_engine() as app:
            await triage(app, {**TICKET, "customer": {"id": "c2"}})
            self.assertEqual(app.dead_letters(), [])
            await app.clock.advance(10_000)
            (letter,) = app.dead_letters(step="NotifyCustomer")
            self.assertEqual((letter.topic, letter.reason, letter.attempts), ("ticket.triaged", "max_attempts", 3))
            self.assertEqual([error["message"] for error in letter.errors], ['customer "c2" has no email'] * 3)
            self.assertIsNone(await app.state.get("outbox", ID))

    async def test_is_told_in_time_when_the_email_is_added_meanwhile(self) -> None:
        async with create_test_engine() as app:
            await triage(app, {**TICKET, "customer": {"id": "c2"}})
            await app.state.set("tickets", ID, TICKET)
            await app.clock.advance(10_000)
            self.assertEqual((await app.state.get("outbox", ID))["to"], "ada@example.com")
            self.assertEqual(app.dead_letters(), [])

    async def test_says_nothing_of_a_ticket_that_was_deleted(self) -> None:
        async with create_test_engine() as app:
            await triage(app)
            self.assertEqual((await app.state.list("outbox"))["items"], [])
            self.assertEqual((app.logs(), app.dead_letters()), ([], []))

    async def test_refuses_a_message_without_a_ticket(self) -> None:
        async with create_test_engine() as app:
            await app.enqueue("ticket.triaged", {"priority": "high"})
            await app.until_idle()
            (letter,) = app.dead_letters(step="NotifyCustomer")
            self.assertEqual(letter.reason, "invalid_input")
