import { expect } from 'chai';
import { span } from '../span.fixture.js';
import { SpanRing } from './span-ring.js';
import { stepActivity } from './step-activity.js';

describe('what spans show of Steps', () => {
  it('names topics, and takes no change of state or a stream for one', () => {
    const ring = new SpanRing(10, Infinity);
    const consumed = (number: number, topic: string): void => ring.add(span(number, { kind: 'consumer', stepName: 'A', attributes: { 'messaging.destination.name': topic } }));
    consumed(1, 'orders.placed');
    consumed(2, 'state changes');
    consumed(3, 'stream changes');
    ring.add(span(4, { kind: 'producer', stepName: 'A', attributes: { 'messaging.destination.name': 'mails' } }));
    expect(stepActivity(ring).items).to.have.length(1);
    expect(stepActivity(ring).items[0]).to.deep.include({ consumed: { 'orders.placed': 1 }, enqueued: { mails: 1 } });
  });
});
