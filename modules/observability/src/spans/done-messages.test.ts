import { queryTest } from '@treadle/api';
import { expect } from 'chai';
import { span } from '../span.fixture.js';
import { doneMessages, doneTarget } from './done-messages.js';
import { SpanRing } from './span-ring.js';

const NOW = 100_000;

describe('messages that were done', () => {
  const ring = new SpanRing(1_000, 1_000_000);
  const delivery = (id: number, given: Readonly<Record<string, string | number>> = {}): void => ring.add(span(id, {
    name: 'queue.consume', kind: 'consumer', stepName: id % 2 === 0 ? 'Mail' : 'Audit', startTime: 1_000 * id, durationMs: 10 * id,
    attributes: { 'messaging.destination.name': 'mail', 'messaging.message.id': `m-${id}`, 'queue.outcome': 'done', 'step.attempt': id, ...given },
  }));
  before(() => {
    delivery(1);
    delivery(2, { 'queue.outcome': 'skipped', note: 'Zürich' });
    delivery(3, { 'queue.outcome': 'dead' });
    delivery(4, { 'messaging.destination.name': 'other' });
    delivery(5, { password: 'hunter2' });
  });
  const find = (q = '', more: { readonly limit?: number; readonly before?: number } = {}) =>
    doneMessages(ring, { topics: ['mail'], fits: queryTest(q, doneTarget(NOW)).test, limit: 10, before: undefined, ...more });

  it('are those whose delivery ended well, the latest first', () => {
    const { items, examined, cursor } = find();
    expect([items.map(({ messageId }) => messageId), examined, cursor]).to.deep.equal([['m-5', 'm-2', 'm-1'], 3, undefined]);
    expect(items[1]).to.deep.include({ step: 'Mail', topic: 'mail', outcome: 'skipped', attempt: 2, durationMs: 20, doneAt: 2_020 });
  });

  const cases: readonly (readonly [q: string, found: readonly string[]])[] = [
    ['id:m-1', ['m-1']], ['state:skipped', ['m-2']], ['step:Audit', ['m-5', 'm-1']], ['attempt:>1', ['m-5', 'm-2']], ['duration:>=20ms', ['m-5', 'm-2']], ['age:<96s', ['m-5']], ['note:z*', ['m-2']], ['zürich', ['m-2']],
    ['time:<1970-01-01T00:00:02Z', ['m-1']], ['hunter2', []], ['password:hunter2', []],
  ];
  for (const [q, found] of cases) it(`are found by ${q}`, () => expect(find(q).items.map(({ messageId }) => messageId)).to.deep.equal(found));

  it('come page by page', () => {
    const first = find('', { limit: 2 });
    expect(first.items.map(({ messageId }) => messageId)).to.deep.equal(['m-5', 'm-2']);
    expect(find('', { limit: 2, before: Number(first.cursor) }).items.map(({ messageId }) => messageId)).to.deep.equal(['m-1']);
  });
});
