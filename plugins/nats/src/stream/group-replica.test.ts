import { expect } from 'chai';
import { decodeMessage, encodeMessage, type GroupMessage, type KeptEvent } from './group-message.js';
import { GroupReplica } from './group-replica.js';

const HOUR = 3_600_000;

/** One event in a message of its own. */
function message(first: number, event: Partial<KeptEvent>, prev = first - 1): GroupMessage {
  const kept = { id: 'a', kind: 'update', type: undefined, text: `${first}`, revision: first, born: 1, at: first, origin: undefined, ...event } as KeptEvent;
  return { first, prev, floor: 0, items: 1, events: [kept] };
}

function replicaOf(...messages: readonly GroupMessage[]): GroupReplica {
  const replica = new GroupReplica();
  messages.forEach((content, index) => replica.apply(index + 1, decodeMessage(encodeMessage(content))));
  return replica;
}

describe('what an engine knows of a group', () => {
  it('needs the last message, those that have items, and recent events; the rest may go', () => {
    const replica = replicaOf(message(1, { kind: 'create', id: 'kept' }), message(2, { kind: 'create' }), message(3, {}), message(4, { kind: 'event', id: undefined }));
    expect(replica.needless(10, 0), 'recent').to.deep.equal([]);
    expect(replica.needless(HOUR, 0)).to.deep.equal([2]);
    replica.forget(new Set([2]));
    expect(replica.eventsAfter(0, 10), 'a gap').to.equal(undefined);
    expect(replica.eventsAfter(2, 10)?.map(([seq]) => seq)).to.deep.equal([3, 4]);
  });

  it('needs a message whose change waits, and one that deletes while an older one would bring the item back', () => {
    const replica = replicaOf(message(1, { kind: 'create', origin: 'o' }), message(2, {}), message(3, { kind: 'delete' }), message(4, { kind: 'event', id: undefined }));
    expect(replica.needless(HOUR, 0)).to.deep.equal([2]);
    replica.forget(new Set([2]));
    expect(replica.needless(HOUR, 0), 'the deletion hides the first one').to.deep.equal([]);
    expect(replica.needless(HOUR, 1)).to.deep.equal([1, 3]);
  });

  it('keeps no more than a thousand events', () => {
    const replica = replicaOf(...Array.from({ length: 1_500 }, (_, index) => message(index + 1, { kind: 'event', id: undefined, at: HOUR })));
    const needless = replica.needless(HOUR, 0);
    expect([needless.length, needless.at(-1)]).to.deep.equal([500, 500]);
  });
});
