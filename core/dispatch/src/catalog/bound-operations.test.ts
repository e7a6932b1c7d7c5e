import type { OperationContext, SpanRecord, Unsubscribe } from '@treadle/api';
import { OperationError } from '@treadle/api';
import { expect } from 'chai';
import { Dispatch } from '../dispatch.js';
import { failure, FakeSession, record, request } from '../dispatch.fixture.js';
import { ManualClock } from '../manual-clock.fixture.js';

const OPERATIONS = [
  { name: 'mqtt.publish', summary: 'Publishes', args: { type: 'object', required: ['topic'] } as const },
  { name: 'mqtt.topics', summary: 'Known topics' },
  { name: 'state.get', summary: 'A value', bare: true as const },
];

describe('an operation of a plugin', () => {
  let dispatch: Dispatch;
  let execute: (name: string, args?: unknown) => Promise<unknown>;
  let unwatch: Unsubscribe;
  const spans: SpanRecord[] = [];

  beforeEach(() => {
    spans.length = 0;
    dispatch = new Dispatch({
      clock: new ManualClock(), kinds: [], operations: OPERATIONS, service: 's', log: { write: () => undefined },
      checkArguments: (args, { required = [] }) => (required.every((key) => Object.hasOwn(args as object, key)) ? undefined : `"${required[0]}" is missing`),
    });
    unwatch = dispatch.sessions.watch({ ended: () => undefined, spans: (more) => void spans.push(...more), measurements: () => undefined });
    dispatch.catalog.publish([record('A')]);
    const session = new FakeSession('1');
    const handle = dispatch.sessions.attach(session);
    handle.serve(['A']);
    void dispatch.invoker.invoke(request({ timeoutMs: 60_000 }));
    execute = (name, args) => handle.execute(session.calls[0]!.id, name, args);
  });

  const refusal = async (name: string, args?: unknown): Promise<readonly unknown[]> => {
    const error = await failure(execute(name, args));
    return [error instanceof OperationError, error.code, error.message];
  };

  it('is not asked when its arguments do not fit', async () => {
    dispatch.operations.bind('mqtt.publish', () => Promise.reject(new Error('asked')));
    expect(await refusal('mqtt.publish', {})).to.deep.equal([true, 'InvalidValue', '"mqtt.publish" was refused: "topic" is missing']);
  });

  it('gets an object when it is called with nothing', async () => {
    dispatch.operations.bind('mqtt.topics', (args) => Promise.resolve(args));
    expect(await execute('mqtt.topics')).to.deep.equal({});
  });

  it('fails by name whatever it throws, and with its own code when it has one', async () => {
    const broken = new TypeError('no connection');
    dispatch.operations.bind('mqtt.topics', () => { throw broken; });
    const error = await failure(execute('mqtt.topics'));
    expect([error.code, error.message, error.cause]).to.deep.equal(['OPERATION_FAILED', '"mqtt.topics" failed: no connection', broken]);
    dispatch.operations.bind('mqtt.topics', () => Promise.reject(new OperationError('BrokerUnreachable', 'gone')));
    expect(await refusal('mqtt.topics')).to.deep.equal([true, 'BrokerUnreachable', 'gone']);
  });

  it('gives what JSON makes of its result, and fails when that is nothing', async () => {
    const kept = { at: new Date(0), none: undefined };
    dispatch.operations.bind('mqtt.topics', () => Promise.resolve(kept));
    const given = await execute('mqtt.topics');
    expect(given).to.deep.equal({ at: '1970-01-01T00:00:00.000Z' }).and.to.not.equal(kept);
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    for (const [result, text] of [[cycle, 'circular'], [1n, 'BigInt']] as const) {
      dispatch.operations.bind('mqtt.topics', () => Promise.resolve(result));
      const [, code, message] = await refusal('mqtt.topics');
      expect([code, String(message)]).to.satisfy(([first, second]: string[]) => first === 'UNWRITABLE_RESULT' && second?.includes(text));
    }
    for (const [result, expected] of [[null, null], [undefined, undefined], ['text', 'text'], [0, 0], [() => 1, undefined]] as const) {
      dispatch.operations.bind('mqtt.topics', () => Promise.resolve(result));
      expect(await execute('mqtt.topics')).to.equal(expected);
    }
  });

  it('has a span below the handler\'s, and what it causes is below that', async () => {
    let seen: OperationContext | undefined;
    dispatch.operations.bind('mqtt.topics', (_args, context) => { seen = context; return Promise.resolve([]); });
    await execute('mqtt.topics', {});
    dispatch.operations.bind('mqtt.topics', () => Promise.reject(new OperationError('Gone', 'gone')));
    await refusal('mqtt.topics');
    const [first, second] = spans;
    expect(spans.map(({ name, stepName, traceId, error }) => [name, stepName, traceId, error?.type])).to.deep.equal([
      ['mqtt.topics', 'A', 'a'.repeat(32), undefined], ['mqtt.topics', 'A', 'a'.repeat(32), 'Gone'],
    ]);
    expect(first?.attributes).to.deep.equal({ 'treadle.operation': 'mqtt.topics' });
    expect(first?.parentSpanId).to.equal(seen?.call.spanId).and.to.equal(second?.parentSpanId);
    expect(seen?.origin).to.deep.equal({ traceId: 'a'.repeat(32), spanId: first?.spanId, sampled: true, hops: 0 });
  });

  it('runs without a span where nobody writes any', async () => {
    unwatch();
    dispatch.operations.bind('mqtt.topics', (_args, { origin }) => Promise.resolve(origin?.traceId));
    expect(await execute('mqtt.topics')).to.equal('a'.repeat(32));
    expect(spans).to.deep.equal([]);
  });

  it('is found by the nearest name when it is misspelt, but not those behind a member of the context', async () => {
    const none = (name: string, hint = ''): readonly unknown[] => [true, 'OPERATION_UNAVAILABLE', `no loaded module serves operation "${name}"${hint}`];
    expect(await refusal('mqtt.publsh')).to.deep.equal(none('mqtt.publsh', '; did you mean "mqtt.publish"?'));
    expect(await refusal('stat.get')).to.deep.equal(none('stat.get'));
    expect(await refusal('kafka.send')).to.deep.equal(none('kafka.send'));
  });

  it('that is bare is passed through as it is', async () => {
    const kept = { at: 1 };
    dispatch.operations.bind('state.get', (args, { origin }) => Promise.resolve([args, origin, kept]));
    expect(await execute('state.get', 'anything')).to.deep.equal(['anything', undefined, kept]);
    expect(spans).to.deep.equal([]);
  });
});
