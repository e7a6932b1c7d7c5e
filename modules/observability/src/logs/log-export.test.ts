import type { LogRecord } from '@treadle/api';
import { expect } from 'chai';
import { exportLogs } from './log-export.js';
import { LogRing } from './log-ring.js';

const record = (at: number, message = 'm'): LogRecord => ({
  timestamp: new Date(at * 1000).toISOString(), level: at % 2 === 0 ? 'info' : 'error', message, traceId: '', spanId: '', service: 's', stepName: '', fields: { at },
});

function ringOf(count: number, message?: string): LogRing {
  const ring = new LogRing({ maxCount: 100, maxBytes: 1e9, retentionMs: 1e9 });
  for (let at = 0; at < count; at += 1) ring.add(record(at, message));
  return ring;
}

const parsed = (text: string): readonly unknown[] => text.trimEnd().split('\n').map((line) => JSON.parse(line) as unknown);

describe('an export of the log', () => {
  it('has all that pass, one JSON object on each line, the oldest first', () => {
    const text = [...exportLogs(ringOf(6, 'two\nlines'), { level: 'error', from: 1000, to: 5000 })].join('');
    expect(text.endsWith('}\n')).to.equal(true);
    expect(parsed(text)).to.deep.equal([{ id: 1, ...record(1, 'two\nlines') }, { id: 3, ...record(3, 'two\nlines') }]);
    expect([...exportLogs(ringOf(6), { text: 'nowhere' })]).to.deep.equal([]);
  });

  it('comes in pieces of bounded size, and says what was let go between two of them', () => {
    const ring = ringOf(100, 'x'.repeat(10_000));
    const pieces = exportLogs(ring, {});
    const first = String(pieces.next().value);
    expect(first.length).to.be.within(64 * 1024, 80 * 1024);
    const taken = parsed(first).length;
    for (let at = 100; at < 130; at += 1) ring.add(record(at));
    const rest = parsed([...pieces].join(''));
    expect(rest[0]).to.deep.equal({ dropped: 30 - taken });
    expect(rest.slice(1).map((one) => (one as { readonly id: number }).id)).to.deep.equal(Array.from({ length: 70 }, (_, at) => 30 + at));
  });

  it('ends when all that was there is let go', () => {
    const ring = ringOf(100, 'x'.repeat(10_000));
    const pieces = exportLogs(ring, {});
    const taken = parsed(String(pieces.next().value)).length;
    for (let at = 100; at < 300; at += 1) ring.add(record(at));
    expect(parsed([...pieces].join(''))).to.deep.equal([{ dropped: 100 - taken }]);
  });
});
