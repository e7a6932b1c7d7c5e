import { expect } from 'chai';
import fc from 'fast-check';
import { foldedBy, withBelow, withTurned } from '../../console/app/src/views/traces/folds.js';
import { descendants, replyOf } from '../../console/app/src/views/traces/timeline.js';
import { happenings } from '../../console/app/src/views/traces/happenings.js';
import { notedOf } from '../../console/app/src/views/state/written.js';
import type { SpanRow, StateChange } from '../../console/src/contract/index.js';

const row = (members: Partial<SpanRow>): SpanRow => ({
  traceId: 'a'.repeat(32), spanId: '1', name: 'POST /orders', kind: 'server', startTime: 1000, durationMs: 10, stepName: '', attributes: {}, depth: 0, children: 0, critical: false, ...members,
});

describe('a trace in the page of the console', () => {
  it('has a reply when it began with a request, as the critical path of the engine has it', () => {
    expect(replyOf([row({ durationMs: 7 }), row({ depth: 1, durationMs: 3 })])).to.equal(7);
    expect(replyOf([row({ kind: 'internal' }), row({ depth: 1, durationMs: 3 })]), 'a request on the way').to.equal(undefined);
  });

  it('has in its address what is folded, whatever was folded and unfolded before', () => {
    const tree = fc.array(fc.nat(3), { minLength: 1, maxLength: 12 }).map((ups) => {
      let depth = -1;
      const depths = ups.map((up) => (depth = Math.max(0, depth + 1 - up)));
      return depths.map((own, at) => row({ spanId: `span${at}`, depth: own, children: (depths[at + 1] ?? 0) > own ? 1 : 0 }));
    });
    const act = fc.record({ kind: fc.constantFrom('turn', 'fold', 'open', 'level'), at: fc.nat(11) });
    fc.assert(fc.property(tree, fc.array(act, { maxLength: 12 }), (rows, acts) => {
      let [text, expected] = ['', new Set<string>()];
      for (const { kind, at } of acts) {
        const { spanId } = rows[at % rows.length] ?? row({});
        const below = descendants(rows, spanId).filter(({ children }) => children > 0).map((one) => one.spanId);
        if (kind === 'level') [text, expected] = [String(at % 9 + 1), new Set(rows.filter((one) => one.children > 0 && one.depth >= at % 9).map((one) => one.spanId))];
        else if (kind === 'turn') [text, expected] = [withTurned(text, spanId), new Set(expected.has(spanId) ? [...expected].filter((one) => one !== spanId) : [...expected, spanId])];
        else [text, expected] = [withBelow(text, spanId, { folded: kind === 'fold', rows }), new Set(kind === 'fold' ? [...expected, ...below] : [...expected].filter((one) => !below.includes(one)))];
        expect([...foldedBy(text, rows)].sort()).to.deep.equal([...expected].sort());
      }
    }));
    expect(foldedBy('3.nobody.*nobody', [row({ spanId: 'a', children: 1 })]).has('a')).to.equal(false);
  });

  it('has in its story what was written, which is looked up by the trace and the revision', () => {
    const state = (operation: string, revision?: number, more: Partial<SpanRow> = {}): SpanRow => row({
      name: `state.${operation}`, kind: 'internal', attributes: { 'state.operation': operation, 'state.group': 'g', 'state.key': 'k', ...revision !== undefined && { 'state.rev.after': revision } }, ...more,
    });
    const [set, gone] = [state('set', 2), state('delete')];
    const told = happenings([set, gone, state('get', 2), state('set', 3, { error: { type: 'Error', message: 'full' } })], []);
    expect(told.map(({ write }) => write)).to.deep.equal([set, gone, undefined, undefined, undefined]);
    const change = (change: number, traceId: string, before?: number, after?: number): StateChange => ({
      id: change, group: 'g', key: 'k', at: new Date(2000).toISOString(), traceId, ...before !== undefined && { before: { value: before, revision: before } }, ...after !== undefined && { after: { value: after, revision: after } },
    });
    const items = [change(3, set.traceId, 2), change(2, set.traceId, 1, 2), change(1, 'other', 0, 1)];
    const since = new Date(500).toISOString();
    expect([notedOf({ items, since }, set), notedOf({ items, since }, gone)]).to.deep.equal([{ is: 'noted', change: items[1] }, { is: 'noted', change: items[0] }]);
    expect(notedOf({ items: [change(2, 'other', 1, 2)], since }, set)).to.deep.equal({ is: 'absent' });
    expect(notedOf({ items: [], since: new Date(1500).toISOString() }, set)).to.deep.equal({ is: 'before' });
  });
});
