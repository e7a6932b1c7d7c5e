import type { LogRecord } from '@treadle/api';
import { expect } from 'chai';
import { exportLogs } from './log-export.js';
import { LOG_FORMATS } from './log-format.js';
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

  it('comes as CSV that spreadsheets read and do not run, and as text with a line each', () => {
    const ring = new LogRing({ maxCount: 100, maxBytes: 1e9, retentionMs: 1e9 });
    ring.add({ ...record(1, 'two\nlines, "quoted"'), traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), stepName: 'Order', fields: { id: 'o-1', note: 'two words', n: 2 } });
    ring.add({ ...record(2, '=1+1'), traceId: '0'.repeat(32), fields: undefined as never });
    expect([...exportLogs(ring, {}, LOG_FORMATS.csv)].join('')).to.equal('timestamp,level,step,message,trace,span,fields\r\n'
      + `1970-01-01T00:00:01.000Z,error,Order,"two\nlines, ""quoted""",${'a'.repeat(32)},${'b'.repeat(16)},"{""id"":""o-1"",""note"":""two words"",""n"":2}"\r\n`
      + "1970-01-01T00:00:02.000Z,info,,'=1+1,,,\r\n");
    expect([...exportLogs(ring, {}, LOG_FORMATS.text)].join('')).to.equal(
      `1970-01-01T00:00:01.000Z ERROR [Order] two\\nlines, "quoted" id=o-1 note="two words" n=2 trace=${'a'.repeat(32)}\n1970-01-01T00:00:02.000Z INFO  =1+1\n`);
    expect([...exportLogs(ring, { text: 'nowhere' }, LOG_FORMATS.csv)].join('')).to.equal('timestamp,level,step,message,trace,span,fields\r\n');
  });

  it('ends when all that was there is let go', () => {
    const ring = ringOf(100, 'x'.repeat(10_000));
    const pieces = exportLogs(ring, {});
    const taken = parsed(String(pieces.next().value)).length;
    for (let at = 100; at < 300; at += 1) ring.add(record(at));
    expect(parsed([...pieces].join(''))).to.deep.equal([{ dropped: 100 - taken }]);
  });
});
