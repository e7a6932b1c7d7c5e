import type { OperationContext } from '@treadle/api';
import { expect } from 'chai';
import { stateOperations, type WritingState } from './state-operations.js';

describe('operations of ctx.state', () => {
  const calls: unknown[][] = [];
  const state = new Proxy({}, { get: (_target, name) => async (...args: unknown[]) => { calls.push([name, ...args]); return null; } }) as WritingState;
  const operations = new Map(stateOperations(state));
  const context = { call: { request: { step: 'S', hops: 0 } } } as unknown as OperationContext;
  const run = (name: string, args: unknown): Promise<unknown> => operations.get(name)!(args, context);
  beforeEach(() => { calls.length = 0; });

  const refused: readonly [string, object, string][] = [
    ['state.set', { group: 'g', key: 'k', value: 1, ttl: 5 }, 'state.set has no option "ttl"; it takes ttlMs'],
    ['state.set', { group: 'g', key: 'k', value: 1, ttlms: 5 }, 'state.set has no option "ttlms"; it takes ttlMs'],
    ['state.list', { group: 'g', limits: 5 }, 'state.list has no option "limits"; it takes prefix, limit, cursor'],
    ['state.listGroups', { group: 'g' }, 'state.listGroups has no option "group"; it takes prefix, limit, cursor'],
  ];
  for (const [name, args, message] of refused) {
    it(`refuse: ${message}`, async () => {
      const error: unknown = await run(name, args).catch((thrown: unknown) => thrown);
      expect(error).to.include({ code: 'StateInvalidArgument', message });
      expect(calls, 'nothing is written').to.deep.equal([]);
    });
  }

  it('take the options that there are', async () => {
    await run('state.set', { group: 'g', key: 'k', value: 1, ttlMs: 5 });
    await run('state.list', { group: 'g', prefix: 'a', limit: 1, cursor: 'c' });
    await run('state.listGroups', {});
    expect(calls.map(([name]) => name)).to.deep.equal(['put', 'list', 'listGroups']);
  });
});
