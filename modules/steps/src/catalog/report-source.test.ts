import type { StepFileReport } from '@treadle/api';
import { expect } from 'chai';
import { ReportSource } from './report-source.js';

const reportOf = (schema: object, version = '1'): StepFileReport =>
  ({ file: 'steps/a.step.ts', version, steps: [{ role: 'step', config: { name: 'a', triggers: [{ type: 'http', bodySchema: schema }] } }] }) as unknown as StepFileReport;

describe('ReportSource', () => {
  const taken = (source: ReportSource): StepFileReport | undefined => source.reports()[0]?.report;

  it('keeps a report that comes again as it was, because its schemas are compiled', () => {
    const source = new ReportSource(false);
    const first = reportOf({ type: 'string' });
    expect(source.take({ report: first, order: 1 })).to.equal(true);
    expect(source.take({ report: reportOf({ type: 'string' }), order: 2 }), 'nothing new').to.equal(false);
    expect(taken(source)).to.equal(first);
    expect(source.reports()[0]?.order).to.equal(2);
  });

  it('takes one that differs, also when its version is the same', () => {
    const source = new ReportSource(false);
    source.take({ report: reportOf({ type: 'string' }), order: 1 });
    const second = reportOf({ type: 'number' });
    source.take({ report: second, order: 2 });
    expect(taken(source)).to.equal(second);
  });

  it('refuses another version than the one that is wanted and known', () => {
    const source = new ReportSource(false);
    const wanted = reportOf({}, '2');
    source.take({ report: wanted, order: 1 }, '2');
    source.take({ report: reportOf({}, '1'), order: 2 }, '2');
    expect(taken(source)).to.equal(wanted);
  });
});
