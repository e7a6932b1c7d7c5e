import type { LogRecord } from '@treadle/api';
import { expect } from 'chai';
import type { OutputStream } from '../engine-surroundings.js';
import { BoundedSink } from './bounded-sink.js';

const MIB = 1024 * 1024;
const record = (level: LogRecord['level'], message: string): LogRecord =>
  ({ timestamp: '2026-01-01T00:00:00.000Z', level, message, traceId: '', spanId: '', service: 'shop', stepName: '' });

describe('the log when nobody reads the output', () => {
  const written: LogRecord[] = [];
  let drained: (() => void) | undefined;
  let output: OutputStream & { writableLength: number };
  let sink: BoundedSink;
  beforeEach(() => {
    written.length = 0;
    drained = undefined;
    output = { write: () => false, writableLength: 0, once: (_event, listener) => { drained = listener; } };
    sink = new BoundedSink({ write: (each) => written.push(each) }, output);
  });

  it('drops lines, and says how many where they are missing, before the next line', () => {
    sink.write(record('info', 'one'));
    output.writableLength = 9 * MIB;
    sink.write(record('info', 'lost'));
    sink.write(record('error', 'kept'));
    sink.write(record('debug', 'lost'));
    output.writableLength = 0;
    sink.write(record('info', 'two'));
    expect(written.map(({ level, message, service, fields }) => [level, message, service, fields?.['lines']])).to.deep.equal([
      ['info', 'one', 'shop', undefined], ['error', 'kept', 'shop', undefined],
      ['warn', 'log lines were dropped: nobody read the output of the engine', 'shop', 2], ['info', 'two', 'shop', undefined],
    ]);
    expect(sink.dropped).to.equal(2);
  });

  it('says it when the output flows again, though no line follows', () => {
    output.writableLength = 17 * MIB;
    sink.write(record('error', 'lost'));
    output.writableLength = 0;
    drained?.();
    drained?.();
    expect(written.map(({ fields }) => fields)).to.deep.equal([{ lines: 1 }]);
  });
});
