import { expect } from 'chai';
import { nearestTopic } from './nearest-topic.js';

describe('nearestTopic', () => {
  const topics = ['ticket.created', 'ticket.closed', 'order.placed', 'order.placed.v2', 'invoice', 'a.b'];
  const cases: readonly [string, string | undefined][] = [
    ['ticket.craeted', 'ticket.created'], ['tickets.created', 'ticket.created'], ['ticket.create', 'ticket.created'],
    ['ticket-created', 'ticket.created'], ['ticketCreated', 'ticket.created'], ['ticketcreated', 'ticket.created'], ['TICKET_CREATED', 'ticket.created'],
    ['created.ticket', 'ticket.created'], ['support.ticket.created', 'ticket.created'], ['tickt.closd', 'ticket.closed'],
    ['order.placed.v3', 'order.placed'], ['invoices', 'invoice'], ['invioce', 'invoice'],
    // Another word is another topic.
    ['ticket.opened', undefined], ['order.created', undefined], ['invoice.paid', undefined], ['ticket', undefined], ['a.c', undefined], ['x', undefined], ['', undefined],
  ];
  for (const [topic, expected] of cases) {
    it(`takes ${String(expected)} for "${topic}"`, () => expect(nearestTopic(topic, [], topics)).to.equal(expected));
  }

  it('prefers one that lacks its own other end, and never names the topic itself', () => {
    expect(nearestTopic('ticket.creatd', ['ticket.create'], ['ticket.creates'])).to.equal('ticket.create');
    expect(nearestTopic('t', [], ['t'])).to.equal(undefined);
  });
});
