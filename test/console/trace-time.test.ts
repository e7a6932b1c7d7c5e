import { expect } from 'chai';
import fc from 'fast-check';
import { HEIGHT, minimapPaths, WIDTH } from '../../console/app/src/views/traces/minimap-paths.js';
import { brushed, scaleOf } from '../../console/app/src/views/traces/scatter-points.js';
import { extentOf, ticksOf, zoomed, zoomText } from '../../console/app/src/views/traces/timeline.js';
import type { SpanRow, TraceSummary } from '../../console/src/contract/index.js';

const row = (members: Partial<SpanRow>): SpanRow => ({
  traceId: 'a'.repeat(32), spanId: '1', name: 'POST /orders', kind: 'server', startTime: 1000, durationMs: 10, stepName: '', attributes: {}, depth: 0, children: 0, critical: false, ...members,
});

describe('the time of a trace', () => {
  const whole = extentOf([row({ startTime: 1000, durationMs: 100 })]);

  it('is shown as a part that stands in the address, and as a whole when that cannot be', () => {
    fc.assert(fc.property(fc.double({ min: -20, max: 120, noNaN: true }), fc.double({ min: -20, max: 120, noNaN: true }), (a, b) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const shown = zoomed(whole, zoomText(whole, from, to) ?? '');
      expect(shown.offsetMs >= 0 && shown.offsetMs + shown.lengthMs <= whole.lengthMs + 1e-9 && shown.from === whole.from + shown.offsetMs).to.equal(true);
      if (to - from > 0.01 && from > 0 && to < 100) expect([shown.offsetMs, shown.offsetMs + shown.lengthMs]).to.satisfy(([begin, end]: [number, number]) => Math.abs(begin - from) < 0.001 && Math.abs(end - to) < 0.001);
    }));
    for (const text of ['', 'x', '5', '9-3', '-5', '1e9-2e9', '50-50']) expect(zoomed(whole, text), text).to.equal(whole);
  });

  it('has marks that are told apart, however far one has zoomed', () => {
    fc.assert(fc.property(fc.double({ min: 0, max: 100_000, noNaN: true }), fc.double({ min: 0.01, max: 10_000, noNaN: true }), (offsetMs, lengthMs) => {
      const ticks = ticksOf({ offsetMs, lengthMs });
      expect(ticks.length).to.be.within(1, 12);
      expect(new Set(ticks.map(({ text }) => text)).size, ticks.map(({ text }) => text).join()).to.equal(ticks.length);
      for (const { at } of ticks) expect(at >= offsetMs - 1e-6 && at <= offsetMs + lengthMs + 1e-6).to.equal(true);
    }));
  });

  it('is drawn small: every span has its place, what failed a mark, and 20,000 spans cost little', () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => row({ spanId: String(at), startTime: 1000 + at / 200, durationMs: at % 7, ...at === 19_999 && { error: { type: 'E', message: 'no' } } }));
    const { spans, errors } = minimapPaths(rows, extentOf(rows));
    expect(errors.match(/M/g)?.length).to.equal(1);
    expect(spans.length).to.be.below(600_000);
    for (const [, x, y] of spans.matchAll(/M([\d.]+) ([\d.]+)/g)) expect(Number(x) <= WIDTH && Number(y) < HEIGHT).to.equal(true);
    expect(minimapPaths([row({})], whole)).to.have.property('errors', '');
  });

  it('becomes a query when a part of the scatter is chosen', () => {
    const summary = (startTime: number, durationMs: number): TraceSummary => ({ traceId: '', name: '', kind: 'server', startTime, durationMs, replyMs: 0, spans: 1, steps: [], errors: 0, retries: 0, partial: false });
    const scale = scaleOf([summary(0, 1), summary(1000, 1000)]);
    expect(brushed({ left: 0, right: 1, top: 0, bottom: 1 }, scale, 'step:A')).to.deep.equal({ q: 'step:A', from: '1970-01-01T00:00:00.000Z', to: '1970-01-01T00:00:01.001Z' });
    const { q } = brushed({ left: 0, right: 0.5, top: 0.25, bottom: 0.5 }, scale, 'step:A duration:<5s');
    expect(q).to.match(/^step:A duration:>=\d+(\.\d+)?ms duration:<=\d+(\.\d+)?m?s$/);
    expect(brushed({ left: 0, right: 1, top: 0.5, bottom: 0.6 }, scale, 'a OR b').q).to.match(/^\(a OR b\) duration:>=/);
  });
});
