import { expect } from 'chai';
import type { RunRecord } from '../contract/index.js';
import { RunHistory } from './run-history.js';

let ids = 0;

function record(target: string, body = ''): RunRecord {
  ids += 1;
  return {
    id: `r${ids}`, at: '2026-01-01T00:00:00.000Z', who: 'ada', request: { kind: 'http', method: 'POST', path: `${target}?n=${ids}`, body }, durationMs: 1,
    outcome: { kind: 'http', status: 204, headers: [], body: '', base64: false, bytes: 0, truncated: false, firstByteMs: 1 },
  };
}

function filled(...records: readonly RunRecord[]): RunHistory {
  const history = new RunHistory();
  for (const one of records) history.add(one);
  return history;
}

const count = (history: RunHistory): number => history.page({ limit: 10_000 })?.items.length ?? 0;

describe('what was run through the console', () => {
  it('is found by its id and by the path of its route, the latest first', () => {
    const [a, b, c] = [record('/orders/1'), record('/orders/2'), record('/users/1')];
    const history = filled(a, b, c);
    expect(history.get(b.id)).to.deep.equal(b);
    expect(history.page({ kind: 'http', target: 'POST /orders/:id', limit: 1 })).to.deep.equal({ items: [b], cursor: b.id });
    expect(history.page({ target: 'POST /orders/:id', limit: 1, cursor: b.id })).to.deep.equal({ items: [a] });
    expect(history.page({ limit: 1, cursor: 'none' })).to.equal(undefined);
  });

  it('is the last 200 of a target, and 2,000 in all', () => {
    expect(count(filled(...Array.from({ length: 201 }, () => record('/same'))))).to.equal(200);
    const all = Array.from({ length: 2_001 }, (_, index) => record(`/${index}`));
    const history = filled(...all);
    expect([count(history), history.get(all[0]?.id ?? ''), history.get(all[1]?.id ?? '')]).to.deep.equal([2_000, undefined, all[1]]);
  });

  it('is 32 MiB in all', () => {
    const large = Array.from({ length: 40 }, (_, index) => record(`/${index}`, 'x'.repeat(1_000_000)));
    const history = filled(...large);
    expect(count(history)).to.equal(33);
    expect(history.get(large.at(-1)?.id ?? '')).to.deep.equal(large.at(-1));
  });
});
