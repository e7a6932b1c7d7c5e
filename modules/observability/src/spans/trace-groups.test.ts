import { expect } from 'chai';
import { REQUEST, span } from '../span.fixture.js';
import { SpanRing } from './span-ring.js';
import { groupTraces, type TraceGrouping, type TraceGroups } from './trace-groups.js';
import { TraceIndex } from './trace-index.js';

describe('groups of traces', () => {
  const ring = new SpanRing(1000, 1_000_000);
  const index = new TraceIndex(ring);
  before(() => {
    for (const one of REQUEST) ring.add(one);
    for (const [number, ms] of [[60, 4], [61, 8], [62, 40]] as const) {
      ring.add(span(number, {
        traceId: String(number).repeat(16), name: 'send', startTime: 100 + number, durationMs: ms, stepName: number === 62 ? 'Late' : 'Send',
        attributes: { tenant: 'acme', password: `hunter${number}`, ...number === 62 && { tags: ['a', 'b'] } }, ...number !== 60 && { error: { type: 'E', message: `no ${number}` } },
      }));
    }
  });
  const group = (grouping: Partial<TraceGrouping>): TraceGroups => groupTraces(ring, index, { by: 'step', limit: 10, ...grouping });
  const sends = ({ summary }: { readonly summary: { readonly name: string } }): boolean => summary.name === 'send';

  it('say how many there are, how many failed, how long they took and which is the latest', () => {
    expect(group({ asked: sends })).to.deep.equal({
      items: [
        { value: 'Send', count: 2, failed: 1, p50Ms: 8, p95Ms: 8, longestMs: 8, lastAt: 161, latest: '61'.repeat(16) },
        { value: 'Late', count: 1, failed: 1, p50Ms: 40, p95Ms: 40, longestMs: 40, lastAt: 162, latest: '62'.repeat(16) },
      ],
      total: 3, without: 0, omitted: 0,
    });
  });

  for (const [what, grouping, counts, without, omitted] of [
    ['by outcome', { by: 'status' }, [['error', 3], ['ok', 1]], 0, 0], ['by error, in which numbers make no groups', { by: 'error', asked: sends }, [['E: no <n>', 2]], 1, 0],
    ['by an attribute', { by: 'tenant' }, [['acme', 3]], 1, 0], ['by one with several values', { by: 'tags' }, [['a', 1], ['b', 1]], 3, 0], ['within a time', { by: 'tenant', from: 162 }, [['acme', 1]], 0, 0],
    ['no more than are wanted', { asked: sends, limit: 1 }, [['Send', 2]], 0, 1], ['by nothing that there is', { by: 'none' }, [], 4, 0],
  ] as const) {
    it(`count ${what}`, () => {
      const found = group(grouping);
      expect([found.items.map(({ value, count }) => [value, count]), found.without, found.omitted]).to.deep.equal([counts, without, omitted]);
    });
  }

  it('end a long value with a mark, behind what differs from one error to the next', () => {
    const many = new SpanRing(100, 1_000_000);
    const kept = new TraceIndex(many);
    const found = (by: string): readonly string[] => groupTraces(many, kept, { by, limit: 10 }).items.map(({ value }) => value);
    const ids = ['1b4e28ba-2fa1-11d2-883f-0016d3cca427', '9f1c2ab0-77d3-4a52-8f0e-5d8ce1bb9a01'];
    for (const [at, id] of ids.entries()) many.add(span(70 + at, { traceId: String(70 + at).repeat(16), attributes: { note: 'n'.repeat(250) }, error: { type: 'E', message: `${'m'.repeat(180)} ${id} ${'t'.repeat(50)}` } }));
    expect(found('note')).to.deep.equal([`${'n'.repeat(200)}…`]);
    expect(found('error')).to.deep.equal([`${`E: ${'m'.repeat(180)} <id> ${'t'.repeat(50)}`.slice(0, 200)}…`]);
  });

  it('tell no secret', () => {
    expect(JSON.stringify(group({ by: 'password' }))).not.to.contain('hunter');
  });
});
