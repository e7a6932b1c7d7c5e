import { expect } from 'chai';
import fc from 'fast-check';
import type { SeriesPoint } from './metric-history.js';
import { metricLines } from './metric-lines.js';
import { labelsKey } from './series.js';

const key = (labels: Readonly<Record<string, string>>): string => labelsKey(labels);
const [A, B, C] = [key({ step: 'a', status: 'ok' }), key({ step: 'a', status: 'error' }), key({ step: 'b', status: 'ok' })];
const isThere = (): boolean => true;
const point = (time: number, of: string, value: number): SeriesPoint => ({ time, key: of, value });
const shown = (by: readonly string[], points: readonly SeriesPoint[], choice = {}): readonly unknown[] => metricLines(points, { by, from: -Infinity, isThere, ...choice })
  .map(({ labels, points: own }) => [Object.values(labels).join(' '), own.map(({ time, value }) => [time, value])]);

describe('lines of metrics', () => {
  const points = [point(1, A, 1), point(1, C, 5), point(2, B, 2), point(3, A, 4), point(3, B, 3)];

  it('are added up by labels, and a series that does not change counts with what it was', () => {
    expect(shown(['step'], points)).to.deep.equal([['a', [[1, 1], [2, 3], [3, 7]]], ['b', [[1, 5]]]]);
    expect(shown(['status'], points)).to.deep.equal([['ok', [[1, 6], [3, 9]]], ['error', [[2, 2], [3, 3]]]]);
    expect(shown([], points)).to.deep.equal([['', [[1, 6], [2, 8], [3, 12]]]]);
    expect(shown(['*'], points).length).to.equal(3);
    expect(shown(['nothing'], points)).to.deep.equal(shown([], points));
  });

  it('begin where they are asked for, with all that was before', () => {
    expect(shown([], points, { from: 3 })).to.deep.equal([['', [[3, 12]]]]);
    expect(shown(['step'], points, { from: 4 })).to.deep.equal([]);
  });

  it('lose a series that is no longer there after its last change', () => {
    expect(shown([], points, { isThere: (of: string) => of !== C })).to.deep.equal([['', [[1, 6], [2, 3], [3, 7]]]]);
  });

  it('add buckets up', () => {
    const [line] = metricLines([{ ...point(1, A, 2), sum: 0.5, counts: [1, 1] }, { ...point(2, C, 1), sum: 0.25, counts: [0, 1] }, { ...point(3, A, 3), sum: 1, counts: [1, 2] }], { by: [], from: 0, isThere });
    expect(line?.points).to.deep.equal([{ time: 1, value: 2, sum: 0.5, counts: [1, 1] }, { time: 2, value: 3, sum: 0.75, counts: [1, 2] }, { time: 3, value: 4, sum: 1.25, counts: [1, 3] }]);
  });

  it('are together what all series are, however they are grouped', () => {
    const some = fc.array(fc.record({ time: fc.nat(20), key: fc.constantFrom(A, B, C), value: fc.nat(100) }), { minLength: 1, maxLength: 30 });
    fc.assert(fc.property(some, fc.subarray(['step', 'status']), (given, by) => {
      const ordered = [...given].sort((a, b) => a.time - b.time);
      const last = new Map(ordered.map((one) => [one.key, one.value]));
      const total = metricLines(ordered, { by, from: -Infinity, isThere }).reduce((sum, { points: own }) => sum + (own.at(-1)?.value ?? 0), 0);
      expect(total).to.equal([...last.values()].reduce((sum, value) => sum + value, 0));
    }));
  });
});
