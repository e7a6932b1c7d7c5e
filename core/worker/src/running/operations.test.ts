import { expect } from 'chai';
import type { OperationError } from 'treadle';
import { callOperation, enqueue, stateClient } from './operations.js';

const BY = { step: 'A', enqueues: new Set(['t']) };

describe('what a handler asks of the engine', () => {
  const sent: { op: string; args: unknown }[] = [];
  const operate = (op: string, args: unknown): Promise<unknown> => Promise.resolve((sent.push({ op, args }), [{ messageId: 'm' }]));
  beforeEach(() => void sent.splice(0));
  const refusal = (act: () => Promise<unknown>): Promise<string> => act()
    .then(() => 'it was not refused', ({ code, message }: OperationError) => `${code}: ${message}`);
  const one = (message: object): Promise<string> => refusal(() => enqueue({ topic: 't', data: {}, ...message }, BY, operate));

  it('is sent as it was written', async () => {
    await enqueue({ topic: 't', data: { a: 1 }, delayMs: 5, dedupeKey: 'd' }, BY, operate);
    await enqueue({ topic: 't', data: 1, at: new Date(0) }, BY, operate);
    await stateClient(operate).set('g', 'k', 1, { ttlMs: 5 });
    expect(sent).to.deep.equal([
      { op: 'queue.enqueue', args: { messages: [{ topic: 't', data: { a: 1 }, delayMs: 5, dedupeKey: 'd' }] } },
      { op: 'queue.enqueue', args: { messages: [{ topic: 't', data: 1, at: '1970-01-01T00:00:00.000Z' }] } },
      { op: 'state.set', args: { group: 'g', key: 'k', value: 1, ttlMs: 5 } },
    ]);
  });

  it('goes to operations of plugins under their names, as a copy', async () => {
    const given = { topic: 't', at: new Date(0), none: undefined };
    await callOperation('mqtt.publish', given, operate);
    await callOperation('mqtt.topics', undefined, operate);
    await callOperation('queues.list', {}, operate);
    expect(sent).to.deep.equal([
      { op: 'mqtt.publish', args: { topic: 't', at: '1970-01-01T00:00:00.000Z' } }, { op: 'mqtt.topics', args: {} }, { op: 'queues.list', args: {} },
    ]);
    expect((sent[0]?.args as object)).to.not.equal(given);
  });

  it('does not go to operations behind members of the context, nor with what is no object of JSON', async () => {
    const call = (name: unknown, args?: unknown): Promise<string> => refusal(() => callOperation(name, args, operate));
    expect(await call('state.get', { group: 'g', key: 'k' })).to.equal('OPERATION_UNAVAILABLE: "state.get" is not for call: use ctx.state');
    expect(await call('queue.enqueue', {})).to.equal('OPERATION_UNAVAILABLE: "queue.enqueue" is not for call: use ctx.enqueue');
    expect(await call('stream.set', {})).to.equal('OPERATION_UNAVAILABLE: "stream.set" is not for call: use ctx.streams');
    for (const name of [undefined, '', 7]) expect(await call(name)).to.equal('InvalidValue: call takes the name of an operation, e.g. "mqtt.publish", and its arguments');
    for (const args of ['t', ['t'], 7]) expect(await call('mqtt.publish', args)).to.equal('InvalidValue: call takes the arguments of "mqtt.publish" as one object');
    expect(await call('mqtt.publish', { n: Number.NaN })).to.equal('InvalidValue: what "mqtt.publish" is called with is not JSON: NaN is no JSON number at n');
    expect(sent).to.deep.equal([]);
  });

  it('is refused when JSON would make something else of an option', async () => {
    expect(await one({ delayMs: Number.NaN })).to.equal('InvalidValue: an option for topic "t" is not JSON: NaN is no JSON number at delayMs');
    expect(await one({ at: Number.NaN })).to.equal('InvalidValue: "at" for topic "t" is not JSON: NaN is no JSON number');
    expect(await one({ at: new Date('soon') })).to.equal('InvalidValue: "at" for topic "t" is not JSON: NaN is no JSON number');
    expect(await refusal(() => stateClient(operate).set('g', 'k', 1, { ttlMs: Number.NaN })))
      .to.equal('InvalidValue: an option is not JSON: NaN is no JSON number at ttlMs');
    const { list, listGroups } = stateClient(operate);
    for (const listing of [() => list('g', { limit: Number.NaN }), () => listGroups({ limit: Number.NaN })]) {
      expect(await refusal(listing)).to.equal('InvalidValue: an option is not JSON: NaN is no JSON number at limit');
    }
    expect(sent).to.deep.equal([]);
  });

  it('is refused below the 100th level of what is stored', async () => {
    const nested = (levels: number): unknown => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 1);
    const { set, update } = stateClient(operate);
    await set('g', 'k', nested(100));
    await update('g', 'k', [{ type: 'set', value: nested(100) }]);
    expect(sent).to.have.length(2);
    expect(await refusal(() => set('g', 'k', nested(101))))
      .to.equal('InvalidValue: the value is not JSON: nested deeper than 100, or a cycle, below here at 0.0.0.0.0.0');
    expect(await refusal(() => update('g', 'k', [{ type: 'set', value: nested(101) }])))
      .to.equal('InvalidValue: an op is not JSON: nested deeper than 100, or a cycle, below here at 0.value.0.0.0.0');
  });

  it('is refused when JSON would make an empty object of a value', async () => {
    expect(await one({ data: { m: new Map([[1, 2]]) } })).to.equal('InvalidValue: the data for topic "t" is not JSON: a Map at m');
    expect(await refusal(() => stateClient(operate).set('g', 'k', new Set([1])))).to.equal('InvalidValue: the value is not JSON: a Set');
  });
});
