import type { StepRecord } from '@treadle/api';
import { expect } from 'chai';
import type { ErrorKind, Finding, StepActivity } from '../contract/index.js';
import { failingFindings } from './failing-findings.js';

const steps = new Map([['Order', { id: 'Order', file: 'steps/order.step.ts', line: 3 } as StepRecord]]);
const kind = (members: Partial<ErrorKind> = {}): ErrorKind => ({ trigger: 'http', type: 'E', message: 'no mail', count: 2, firstAt: 1, lastAt: 5, traceId: 'a', spanId: 'b', now: true, ...members });
const found = (errors: readonly ErrorKind[], step = 'Order'): readonly Finding[] => failingFindings({ spans: 1, items: [{ step, errors } as unknown as StepActivity] }, steps);

describe('findings about Steps that fail', () => {
  it('a line for each kind of error, with how often and since when', () => {
    expect(found([kind(), kind({ type: 'F', message: '', count: 1 })]).map(({ message, severity, count, firstAt, lastAt, path, file }) => [message, severity, count, firstAt, lastAt, path, file])).to.deep.equal([
      ['Order fails: E: no mail', 'error', 2, 1, 5, '/traces/a?span=b', 'steps/order.step.ts'], ['Order fails: F', 'error', 1, 1, 5, '/traces/a?span=b', 'steps/order.step.ts'],
    ]);
  });

  it('what is over once a run succeeded, as what was', () => {
    expect(found([kind({ now: false })])[0]).to.include({ message: 'Order failed: E: no mail', severity: 'info', was: true });
    expect(found([kind()])[0]).not.to.have.property('was');
  });

  it('nothing of a Step that is no longer there', () => {
    expect(found([kind()], 'Removed')).to.deep.equal([]);
  });

  it('few lines of one Step, those that fail now first', () => {
    const many = Array.from({ length: 8 }, (_, at) => kind({ message: `no ${'x'.repeat(at)}`, now: at > 0 }));
    expect(found(many).map(({ message, was }) => [message, was ?? false])).to.deep.equal([
      ...[1, 2, 3, 4, 5].map((at) => [`Order fails: E: no ${'x'.repeat(at)}`, false]), ['Order fails in 2 further ways', false],
    ]);
    expect(new Set(found(many).map(({ id }) => id)).size).to.equal(6);
  });
});
