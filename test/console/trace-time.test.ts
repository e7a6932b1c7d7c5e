import { expect } from 'chai';
import fc from 'fast-check';
import { HEIGHT, minimapPaths, WIDTH } from '../../console/app/src/views/traces/minimap-paths.js';
import { brushed, scaleOf } from '../../console/app/src/views/traces/scatter-points.js';
import { foldable, gapsOf, scaleTicks, timeScale } from '../../console/app/src/views/traces/time-scale.js';
import { panned, stretchText, zoomedBy } from '../../console/app/src/views/traces/zoom.js';
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
    const { spans, errors } = minimapPaths(rows, timeScale(extentOf(rows)));
    expect(errors.match(/M/g)?.length).to.equal(1);
    expect(spans.length).to.be.below(600_000);
    for (const [, x, y] of spans.matchAll(/M([\d.]+) ([\d.]+)/g)) expect(Number(x) <= WIDTH && Number(y) < HEIGHT).to.equal(true);
    expect(minimapPaths([row({})], timeScale(whole))).to.have.property('errors', '');
  });

  it('is drawn without its long idle stretches: each moment has a place, in order, and goes back to the same moment', () => {
    const spans = fc.array(fc.record({ after: fc.oneof(fc.double({ min: 0, max: 50, noNaN: true }), fc.double({ min: 500, max: 1e7, noNaN: true })), ms: fc.double({ min: 0, max: 80, noNaN: true }) }), { minLength: 1, maxLength: 20 });
    fc.assert(fc.property(spans, fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }), (given, a, b) => {
      let at = 1000;
      const rows = given.map(({ after, ms }, index) => {
        at += after;
        const one = row({ spanId: String(index), startTime: at, durationMs: ms });
        at += ms;
        return one;
      });
      const extent = extentOf(rows);
      const gaps = gapsOf(rows, extent);
      expect(gaps.reduce((sum, { lengthMs }) => sum + lengthMs, 0) + rows.reduce((sum, { durationMs }) => sum + durationMs, 0)).to.be.closeTo(Math.max(extent.lengthMs, 0), 0.05);
      const scale = timeScale(extent, foldable(gaps, extent));
      const times = [a, b].sort((one, other) => one - other).map((part) => extent.from + part * extent.lengthMs) as [number, number];
      const [first, second] = times.map(scale.part) as [number, number];
      expect(scale.part(extent.from)).to.be.closeTo(0, 1e-9);
      expect(scale.part(extent.from + extent.lengthMs)).to.be.closeTo(1, 1e-6);
      expect(first <= second + 1e-9).to.equal(true);
      for (const time of times) expect(scale.timeAt(scale.part(time))).to.be.closeTo(time, 0.01);
      const ticks = scaleTicks(scale);
      expect(ticks.every(({ part }, index) => part >= -1e-6 && part <= 1 + 1e-6 && part >= (ticks[index - 1]?.part ?? 0) - 1e-6)).to.equal(true);
    }));
  });

  it('folds what would leave nothing to see, the longest stretch first, and no short one', () => {
    const at = (startTime: number, durationMs: number, spanId = String(startTime)) => row({ startTime: 1000 + startTime, durationMs, spanId });
    const folds = (...rows: readonly SpanRow[]): readonly number[] => foldable(gapsOf(rows, extentOf(rows)), extentOf(rows)).map(({ lengthMs }) => lengthMs);
    expect(folds(at(0, 100), at(1100, 400))).to.deep.equal([1000]);
    expect(folds(at(0, 10), at(100, 10)), 'a short wait').to.deep.equal([]);
    expect(folds(at(0, 1000), at(1900, 1000)), 'one that leaves enough to see').to.deep.equal([]);
    expect(folds(at(0, 10), at(1010, 10), at(3020, 10), at(10_803_030, 10)), 'longer and longer waits').to.deep.equal([1000, 2000, 10_800_000]);
    expect(folds(at(0, 10_000), at(100, 5)), 'covered by a span').to.deep.equal([]);
    const rows = [at(0, 100), at(10_800_100, 100)];
    const scale = timeScale(extentOf(rows), foldable(gapsOf(rows, extentOf(rows)), extentOf(rows)));
    expect(scaleTicks(scale).map(({ text }) => text)).to.deep.equal(['0', '50.0 ms', '3 h 0 min', '+50.0 ms', '+100 ms']);
    expect([scale.part(1050), scale.part(10_801_150)].map((part) => Number(part.toFixed(3)))).to.deep.equal([0.235, 0.765]);
  });

  it('zooms around the pointer and moves to the sides without leaving the trace', () => {
    const scale = timeScale(whole);
    const text = zoomedBy(scale, scale, { factor: 0.5, around: 0.2 });
    expect(text).to.equal('10-60');
    expect(panned(scale, timeScale(zoomed(whole, text ?? '')), 1)).to.equal('22.5-72.5');
    expect(panned(scale, timeScale(zoomed(whole, '40-90')), 9)).to.equal('50-100');
    expect(zoomedBy(scale, timeScale(zoomed(whole, '40-60')), { factor: 9 })).to.equal(null);
    fc.assert(fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0.1, max: 10, noNaN: true }), (around, factor) => {
      const shown = zoomed(whole, zoomedBy(scale, timeScale(zoomed(whole, '30-70')), { factor, around }) ?? '');
      expect(shown.offsetMs >= 0 && shown.offsetMs + shown.lengthMs <= whole.lengthMs + 1e-9).to.equal(true);
      if (factor < 1) expect(timeScale(shown).part(whole.from + 30 + 40 * around), 'the moment below the pointer stays there').to.be.closeTo(around, 0.001);
    }));
    expect(stretchText(scale, [0, 1])).to.equal(null);
  });

  it('stays where it is when it cannot be shown any larger', () => {
    const scale = timeScale(whole);
    fc.assert(fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0.1, max: 0.9, noNaN: true }), (around, factor) => {
      let shown = timeScale(zoomed(whole, '30-70'));
      for (let at = 0; at < 120; at += 1) {
        const next = timeScale(zoomed(whole, zoomedBy(scale, shown, { factor, around }) ?? ''));
        expect(next.lengthMs).to.be.at.most(shown.lengthMs + 0.0011);
        shown = next;
      }
      expect(shown.lengthMs).to.be.below(0.05);
      expect(timeScale(zoomed(whole, panned(scale, shown, 1) ?? '')).lengthMs, 'it still moves').to.be.below(0.05);
    }));
    expect(zoomedBy(scale, scale, { factor: 2 })).to.equal(null);
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
