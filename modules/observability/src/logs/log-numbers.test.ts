import type { LogRecord } from '@treadle/api';
import { expect } from 'chai';
import { firstNumber, LogRing } from './log-ring.js';

const RECORD: LogRecord = { timestamp: '1970-01-01T00:00:00.000Z', level: 'info', message: 'm', traceId: '0'.repeat(32), spanId: '0'.repeat(16), service: 'shop', stepName: '' };
const LIMITS = { maxCount: 3, maxBytes: 1_000_000, retentionMs: 60_000 };

function begunAt(now: number, records: number): LogRing {
  const ring = new LogRing(LIMITS);
  ring.begin(firstNumber(now));
  for (let at = 0; at < records; at += 1) ring.add({ ...RECORD, message: `m${at}` });
  return ring;
}

describe('numbers of log records', () => {
  it('are above those of every former run, and exact', () => {
    const [former, next] = [begunAt(5_000, 50), begunAt(5_001, 0)];
    expect(next.oldest).to.be.greaterThan(former.end);
    expect(next.origin).to.equal(next.oldest);
    expect(firstNumber(Date.parse('2200-01-01'))).to.be.lessThan(Number.MAX_SAFE_INTEGER / 10);
  });

  it('stay the same in a ring that takes others over', () => {
    const former = begunAt(5_000, 5);
    const next = begunAt(9_000, 0);
    next.adopt(former);
    expect([next.origin, next.oldest, next.end]).to.deep.equal([former.origin, former.oldest, former.end]);
    expect([former.oldest, former.end - 1].map((id) => next.record(id).message)).to.deep.equal(['m2', 'm4']);
    expect(() => next.begin(1)).to.throw('has records');
  });
});
