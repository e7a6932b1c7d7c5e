import { expect } from 'chai';
import type { LogFields, LogRecord } from '@treadle/api';
import { fakeClock, recordedLog } from '@treadle/testing';
import { createLogger } from './create-logger.js';
import { jsonLine, jsonSink } from './json-sink.js';
import { SafeSink, safeRecord } from './safe-record.js';
import { terminalSink } from './terminal-sink.js';

const base: LogRecord = {
  timestamp: '2026-01-01T00:00:00.000Z', level: 'info', message: 'hello', traceId: 'a'.repeat(32), spanId: 'b'.repeat(16),
  service: 'shop', stepName: 'greet',
};

function line(fields: unknown, message: unknown = 'hello'): Record<string, unknown> {
  return JSON.parse(jsonLine({ ...base, message: message as string, fields: fields as LogFields })) as Record<string, unknown>;
}

/** Own properties only; JSON.parse makes `__proto__` one of them. */
function field(value: unknown): unknown {
  return line({ value })['value'];
}

describe('a line of the log', () => {
  it('has exactly the seven fields in their order, then the caller\'s', () => {
    expect(jsonLine(base)).to.equal(
      `{"timestamp":"2026-01-01T00:00:00.000Z","level":"info","message":"hello","traceId":"${'a'.repeat(32)}",`
      + `"spanId":"${'b'.repeat(16)}","service":"shop","stepName":"greet"}`,
    );
    expect(Object.keys(line({ order: 7, user: 'x' })).slice(7)).to.deep.equal(['order', 'user']);
  });

  it('of the engine has the Step and the trace that its fields name', () => {
    const records: LogRecord[] = [];
    const logger = createLogger({ write: (record) => void records.push(record) }, { service: 's' }, 'info', fakeClock());
    logger.child({ part: 1 }).error('run failed', { stepName: 'A', traceId: 'c'.repeat(32), spanId: 'd'.repeat(16), attempt: 2 });
    logger.error('other', { stepName: 7 });
    expect(records[0]).to.deep.include({ stepName: 'A', traceId: 'c'.repeat(32), spanId: 'd'.repeat(16), fields: { part: 1, attempt: 2 } });
    expect(records[1]).to.include({ stepName: '', traceId: '0'.repeat(32), spanId: '0'.repeat(16) });
  });

  it('prefixes colliding fields', () => {
    const got = line({ level: 'mine', message: 'mine', other: 1 });
    expect(got).to.include({ level: 'info', message: 'hello', 'field.level': 'mine', 'field.message': 'mine', other: 1 });
  });

  it('ends with one line feed and holds no other, nor any control character', () => {
    const lines: string[] = [];
    jsonSink((text) => lines.push(text)).write({ ...base, message: 'a\nb\u001b[31m\u009b31m\u2028', fields: { 'k\r': '\u0000\u007f' } });
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*\n$/);
    expect((JSON.parse(lines[0]!) as LogRecord).message).to.equal('a\nb\u001b[31m\u009b31m\u2028');
  });

  it('keeps fields named like parts of objects as data', () => {
    const text = jsonLine({ ...base, fields: JSON.parse('{"__proto__":{"x":1},"constructor":"c"}') as LogFields });
    expect(text).to.contain('"__proto__":{"x":1}').and.contain('"constructor":"c"');
  });
});

describe('the fields of a record', () => {
  it('are shown as plain JSON whatever they are', () => {
    const circle: Record<string, unknown> = { name: 'x' };
    circle['self'] = circle;
    const table: readonly (readonly [unknown, unknown])[] = [
      [circle, { name: 'x', self: '[Circular]' }],
      [{ get secretly() { throw new Error('never run'); } }, { secretly: '[Getter]' }],
      [10n ** 20n, '100000000000000000000'],
      [new Proxy({}, { ownKeys: () => { throw new Error('never run'); } }), '[Proxy]'],
      [new Proxy(() => 1, {}), '[Proxy]'],
      [{ toJSON: () => { throw new Error('never run'); } }, { toJSON: '[Function]' }],
      [Number.NaN, 'NaN'], [Number.POSITIVE_INFINITY, 'Infinity'], [null, null], [true, true],
      [Symbol('s'), 'Symbol(s)'],
      [new Date(0), '1970-01-01T00:00:00.000Z'], [new Date(Number.NaN), 'Invalid Date'],
      [/x/, '[RegExp]'], [Promise.resolve(), '[Promise]'], [new Map(), '[Map]'], [new Set(), '[Set]'],
      [Buffer.from('abc'), '[3 bytes]'], [new ArrayBuffer(4), '[4 bytes]'],
      [[1, [2, [3]]], [1, [2, [3]]]],
      [{ a: { b: { c: { d: { e: { f: 1 } } } } } }, { a: { b: { c: { d: { e: '[Object]' } } } } }],
      [[[[[[[1]]]]]], [[[[['[Array]']]]]]],
    ];
    for (const [value, shown] of table) expect(field(value)).to.deep.equal(shown);
    expect(line({ value: undefined })).to.not.have.property('value');
  });

  it('show an error with its cause, and run none of its code', () => {
    const error = Object.assign(new TypeError('no'), { code: 'E_NO', cause: new Error('deeper'), status: 500 });
    const shown = field(error) as Record<string, unknown>;
    expect(shown).to.include({ name: 'TypeError', message: 'no', code: 'E_NO', status: 500 });
    expect(shown['stack']).to.be.a('string');
    expect(shown['cause']).to.include({ message: 'deeper' });
    const sly = new Error('x');
    Object.defineProperty(sly, 'message', { get: () => { throw new Error('never run'); } });
    expect(field(sly)).to.include({ name: 'Error', message: '[Getter]' });
    const stackless = new Error('x');
    Object.defineProperty(stackless, 'stack', { get: () => { throw new Error('never run'); } });
    expect(field(stackless)).to.deep.equal({ name: 'Error', message: 'x' });
  });

  it('are bounded: 8 KB in all, however they are made', () => {
    const sizes: readonly unknown[] = [
      'x'.repeat(1_000_000), Array.from({ length: 100_000 }, () => null), Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i])),
      { ['k'.repeat(100_000)]: 1 }, { a: 'x'.repeat(5_000), b: 'y'.repeat(5_000), c: 'z'.repeat(5_000), d: 1 }, new Array(1_000_000),
    ];
    for (const value of sizes) {
      const text = JSON.stringify(field(value));
      expect(text.length).to.be.lessThan(20_000);
      expect(text).to.match(/\[truncated\]|…/);
    }
    expect(field('x'.repeat(9_000))).to.equal(`${'x'.repeat(8_192 - 'value'.length)}… [truncated]`);
  });

  it('may be no object at all', () => {
    expect(line('just text')).to.include({ value: 'just text' });
    expect(line([1, 2])['value']).to.deep.equal([1, 2]);
    expect(line(null)['value']).to.equal(null);
  });
});

describe('secrets in the log', () => {
  it('are redacted by the key\'s words', () => {
    for (const key of ['password', 'DB_PASSWORD', 'apiKey', 'api-key', 'Authorization', 'set-cookie', 'accessToken', 'client_secret', 'tokens', 'dsn']) {
      expect(line({ [key]: 'hunter2' })[key], key).to.equal('[redacted]');
    }
    for (const key of ['tokenizer', 'secretary', 'cookieless', 'name']) expect(line({ [key]: 'hunter2' })[key], key).to.equal('hunter2');
    expect(field({ deep: [{ password: { nested: 'hunter2' } }] })).to.deep.equal({ deep: [{ password: '[redacted]' }] });
  });

  it('are redacted by their shape, in the message too', () => {
    const jwt = `eyJhbGciOiJIUzI1NiJ9.${'a'.repeat(20)}.${'b'.repeat(20)}`;
    const text = `postgres://user:hunter2@db/x Bearer abcdefghijk ${jwt} -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----`;
    for (const shown of [line({ value: text })['value'], line({}, text)['message']]) {
      expect(shown).to.equal('postgres://[redacted]@db/x Bearer [redacted] [redacted] [redacted]');
    }
  });
});

describe('a message of the log', () => {
  it('is a bounded text whatever a handler passes', () => {
    expect(line({}, { a: 1 })['message']).to.equal('{"a":1}');
    expect(jsonLine({ ...base, message: undefined as unknown as string })).to.contain('"message":"undefined"');
    expect(line({}, 'x'.repeat(20_000))['message']).to.equal(`${'x'.repeat(8_192)}… [truncated]`);
  });
});

describe('safeRecord', () => {
  it('leaves a record that it has made as it is', () => {
    const safe = safeRecord({ ...base, fields: { password: 'x' } });
    expect(safe.fields).to.deep.include({ password: '[redacted]' });
    expect(safeRecord(safe)).to.equal(safe);
  });

  it('goes to whoever taps the sink as well, at the level and for the service that were set last', () => {
    const log = recordedLog();
    const sink = new SafeSink(log, 'warn');
    const heard: LogRecord[] = [];
    const leave = sink.tap((record) => heard.push(record));
    const logger = createLogger(sink, { service: 'shop' }, 'warn', fakeClock());
    logger.info('unheard');
    const restore = [sink.setLevel('debug'), sink.setService('store')];
    logger.debug('heard', { token: 'x', key: 'AKIAABCDEFGHIJKLMNOP' });
    for (const undo of restore) undo();
    logger.info('unheard again');
    leave();
    logger.error('after');
    expect(heard.map(({ message, service, fields }) => ({ message, service, fields: { ...fields } })))
      .to.deep.equal([{ message: 'heard', service: 'store', fields: { token: '[redacted]', key: '[redacted]' } }]);
    expect(log.records.map(({ message, service }) => `${message} of ${service}`)).to.deep.equal(['heard of store', 'after of shop']);
  });

  it('is heard with what comes to the inner sink from elsewhere, and set for both', () => {
    const log = recordedLog();
    const program = new SafeSink(log, 'info');
    const engine = new SafeSink(program, 'info');
    const heard: string[] = [];
    const leave = engine.tap(({ message }) => heard.push(message));
    const undo = [engine.setLevel('warn'), engine.setService('store')];
    for (const sink of [program, engine]) {
      createLogger(sink, { service: 'shop' }, 'info', fakeClock()).info('unheard');
      createLogger(sink, { service: 'shop' }, 'info', fakeClock()).warn('heard');
    }
    for (const one of [leave, ...undo]) one();
    createLogger(program, { service: 'shop' }, 'info', fakeClock()).info('after');
    expect(heard).to.deep.equal(['heard', 'heard']);
    expect(log.records.map(({ message, service }) => `${message} of ${service}`)).to.deep.equal(['heard of store', 'heard of store', 'after of shop']);
  });

  it('is what SafeSink passes on, from its level up', () => {
    const log = recordedLog();
    const sink = new SafeSink(log, 'warn');
    for (const level of ['debug', 'info', 'warn', 'error'] as const) sink.write({ ...base, level, fields: { token: 'x' } });
    expect(log.records.map(({ level }) => level)).to.deep.equal(['warn', 'error']);
    expect(log.text()).to.not.contain('"x"');
  });
});

describe('createLogger', () => {
  it('writes from its level up, with the fields of all its parents', () => {
    const log = recordedLog();
    const logger = createLogger(log, { service: 'shop' }, 'info', fakeClock(0));
    const child = logger.child({ instance: 'a' }).child({ part: 'b' });
    child.debug('not written');
    child.info('one', { part: 'own' });
    child.warn('two');
    logger.error('three');
    expect(log.records).to.deep.equal([
      { timestamp: '1970-01-01T00:00:00.000Z', level: 'info', message: 'one', traceId: '0'.repeat(32), spanId: '0'.repeat(16), service: 'shop', stepName: '', fields: { instance: 'a', part: 'own' } },
      { timestamp: '1970-01-01T00:00:00.000Z', level: 'warn', message: 'two', traceId: '0'.repeat(32), spanId: '0'.repeat(16), service: 'shop', stepName: '', fields: { instance: 'a', part: 'b' } },
      { timestamp: '1970-01-01T00:00:00.000Z', level: 'error', message: 'three', traceId: '0'.repeat(32), spanId: '0'.repeat(16), service: 'shop', stepName: '' },
    ]);
    createLogger(log, { service: 'shop' }, 'debug', fakeClock(0)).debug('written');
    expect(log.records).to.have.length(4);
  });
});

describe('terminalSink', () => {
  function shown(record: Partial<LogRecord>, color = false): string {
    let text = '';
    terminalSink({ write: (part) => { text += part; }, color }).write({ ...base, ...record });
    return text;
  }

  it('shows time, level, Step, message and fields', () => {
    expect(shown({ fields: { id: 7, name: 'two words', path: '/x', deep: { a: [1] } } }))
      .to.equal('00:00:00.000 INFO  [greet] hello id=7 name="two words" path=/x deep={"a":[1]}\n');
    expect(shown({ stepName: '', level: 'warn' })).to.equal('00:00:00.000 WARN  hello\n');
    expect(shown({ fields: { none: undefined } })).to.equal('00:00:00.000 INFO  [greet] hello none=undefined\n');
  });

  it('prints a stack below the line', () => {
    expect(shown({ fields: { error: { name: 'E', message: 'm', stack: 'E: m\n    at f (x.js:1)' } } }))
      .to.equal('00:00:00.000 INFO  [greet] hello error="{\\"name\\":\\"E\\",\\"message\\":\\"m\\"}"\n    E: m\n        at f (x.js:1)\n'.replaceAll('\\"', '"').replace('"{', '{').replace('}"', '}'));
    expect(shown({ fields: { stack: 'one' } })).to.equal('00:00:00.000 INFO  [greet] hello\n    one\n');
  });

  it('lets no control character through', () => {
    expect(shown({ message: 'a\nb\t\u001b[2J', stepName: '\u009bx', fields: { 'k\u0007': 'v\u0007' } }))
      .to.equal('00:00:00.000 INFO  [\\u009bx] a\\nb\\t\\u001b[2J k\\u0007=v\\u0007\n');
  });

  it('colours when asked to', () => {
    expect(shown({ level: 'error' }, true)).to.equal('\u001b[90m00:00:00.000\u001b[0m \u001b[31mERROR\u001b[0m [greet] hello\n');
  });
});
