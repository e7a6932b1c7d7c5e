import { expect } from 'chai';
import { CallTable } from './pending-call.js';
import { request } from '../dispatch.fixture.js';
import { PendingCall } from './pending-call.js';

const call = (id: number): PendingCall => {
  const made = new PendingCall(0, request(), { settled: () => undefined }, { succeeded: () => undefined, failed: () => undefined });
  return Object.assign(made, { id });
};

describe('CallTable', () => {
  it('finds calls by id, also those whose slots are taken', () => {
    const table = new CallTable();
    const calls = [1, 2, 1 + 2048, 1 + 4096].map(call);
    for (const each of calls) table.add(each);
    expect(calls.map(({ id }) => table.get(id))).to.deep.equal(calls);
    expect([table.get(3), table.get(2 + 2048), table.size]).to.deep.equal([undefined, undefined, 4]);
    expect(table.all()).to.have.members(calls);
  });

  it('forgets what is deleted, once', () => {
    const table = new CallTable();
    const [early, late] = [call(7), call(7 + 2048)];
    table.add(early);
    table.add(late);
    expect([table.delete(early), table.delete(early), table.get(7), table.get(late.id), table.size]).to.deep.equal([true, false, undefined, late, 1]);
    const next = call(7 + 4096);
    table.add(next);
    expect([table.delete(late), table.delete(next), table.size, table.all()]).to.deep.equal([true, true, 0, []]);
  });
});
