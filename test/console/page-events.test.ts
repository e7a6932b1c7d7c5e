import { expect } from 'chai';
import { beforeOf, type Shown } from '../../console/app/src/views/streams/before-event.js';
import type { StreamEvent, StreamGroupPage } from '../../console/src/contract/index.js';

const event = (seq: number, type: 'create' | 'update' | 'delete', data: number, id = 'a'): StreamEvent => ({ streamName: 's', groupId: 'g', epoch: 'e', seq, id, event: { type, data }, timestamp: seq });
const KNOWN: StreamGroupPage = { items: [{ id: 'a', value: 1, revision: 1 }], epoch: 'e', seq: 4 };

describe('the version of an item before an event', () => {
  it('is that of the event before, else that which was read', () => {
    const [first, other, second] = [event(5, 'update', 2), event(6, 'update', 9, 'b'), event(7, 'delete', 2)];
    const events: readonly Shown[] = [second, other, first];
    expect(beforeOf(second, events, KNOWN)).to.deep.equal({ value: 2 });
    expect(beforeOf(first, events, KNOWN)).to.deep.equal({ value: 1 });
    expect(beforeOf(event(8, 'create', 3), events, KNOWN), 'there was none').to.deep.equal({});
  });

  it('is not known where it was not seen', () => {
    const [first, second] = [event(5, 'update', 2), event(9, 'update', 3)];
    expect(beforeOf(second, [second, { missing: 'some', key: 'gap' }, first], KNOWN)).to.equal(undefined);
    expect(beforeOf(first, [first], undefined)).to.equal(undefined);
    expect(beforeOf(first, [first], { ...KNOWN, seq: 5 }), 'it was read later').to.equal(undefined);
    expect(beforeOf(first, [first], { ...KNOWN, epoch: 'f' })).to.equal(undefined);
    expect(beforeOf(event(5, 'update', 9, 'b'), [], KNOWN), 'beyond what was read').to.equal(undefined);
  });
});
