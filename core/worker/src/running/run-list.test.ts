import { expect } from 'chai';
import type { Run } from './run.js';
import { RunList } from './run-list.js';

describe('the runs under way', () => {
  const cancelled: string[] = [];
  const list = new RunList();
  const run = (id: number): Run => ({ place: -1, invoke: { id }, cancel: (reason: string) => void cancelled.push(`${id} ${reason}`) }) as unknown as Run;
  const all = (): string[] => {
    list.cancelAll('all');
    return cancelled.splice(0).sort();
  };

  it('are found again, in whatever order they end', () => {
    const runs = [1, 2, 3, 4].map(run);
    for (const each of runs) list.add(each);
    for (const [index, left] of [[1, 3], [3, 2], [0, 1]] as const) {
      list.remove(runs[index] as Run);
      expect(list.size).to.equal(left);
    }
    expect(all()).to.deep.equal(['3 all']);
    list.add(runs[0] as Run);
    list.cancel('one', 1);
    expect(cancelled.splice(0)).to.deep.equal(['1 one']);
    list.remove(runs[2] as Run);
    expect(all()).to.deep.equal(['1 all']);
  });

  it('are told apart by the session that asked for them', () => {
    const ended: number[] = [];
    const [former, next] = [{ operation: () => Promise.resolve() }, { operation: () => Promise.resolve() }];
    const both = new RunList();
    for (const [id, caller] of [[1, former], [2, next]] as const) {
      both.add({ place: 0, invoke: { id }, isFor: (of: unknown) => of === caller, cancel: () => void ended.push(id) } as unknown as Run);
    }
    both.cancelAll('engine_lost', former);
    expect(ended).to.deep.equal([1]);
  });

  it('may end while they are cancelled', () => {
    const ending = new RunList();
    const runs = [5, 6, 7].map((id) => ({ place: 0, invoke: { id }, cancel: () => { ending.remove(runs[id - 5] as Run); } }) as unknown as Run);
    for (const each of runs) ending.add(each);
    ending.cancelAll('all');
    expect(ending.size).to.equal(0);
  });
});
