import { expect } from 'chai';
import fc from 'fast-check';
import type { Json, StreamGroup, StreamWriteResult } from '@treadle/api';
import type { StreamModel } from './stream-model.js';
import type { StreamsUnderTest } from './stream-under-test.js';

type Command = fc.AsyncCommand<StreamModel, StreamsUnderTest>;

/* Few, so that operations meet. */
const GROUPS: readonly StreamGroup[] = [{ stream: 's', groupId: 'a_b' }, { stream: 's', groupId: 'axb' }, { stream: '__proto__', groupId: 'a_b' }];
const IDS = ['k', '%', '😀', '\uffff'];

const group = fc.constantFrom(...GROUPS);
const id = fc.constantFrom(...IDS);
const value = fc.jsonValue({ maxDepth: 2 }).map((json) => JSON.parse(JSON.stringify(json)) as Json);

const WRITES: readonly fc.Arbitrary<Command>[] = [
  fc.tuple(group, id, value).map(([g, i, v]) => command(`set ${name(g)}/${i} = ${JSON.stringify(v)}`, async (model, streams) => {
    written(model, [g, i], await streams.set(i, v, g), v);
  })),
  fc.tuple(group, id, fc.integer({ min: -3, max: 3 })).map(([g, i, by]) => command(`add ${by} to ${name(g)}/${i}`, async (model, streams) => {
    const old = model.group(g).items.get(i)?.value;
    written(model, [g, i], await streams.add(i, by, g), (typeof old === 'number' ? old : 0) + by);
  })),
  fc.tuple(group, id).map(([g, i]) => command(`delete ${name(g)}/${i}`, async (model, streams) => {
    expect(await streams.delete(i, g)).to.deep.equal({ before: model.group(g).items.get(i), after: undefined });
    model.delete(g, i);
  })),
  fc.tuple(group, fc.option(id, { nil: undefined })).map(([g, i]) => command(`send to ${name(g)}/${i ?? ''}`, async (model, streams) => {
    await streams.adapter.send(g, { id: i, type: 'e', data: { i: i ?? null } });
    model.tell(g, i, { type: 'event', event: { type: 'e', data: { i: i ?? null } } });
  })),
  fc.tuple(group, fc.array(id, { minLength: 2, maxLength: 6 })).map(([g, ids]) => command(`set at once ${name(g)}/${ids.join()}`, async (model, streams) => {
    const results = await Promise.all(ids.map((i, index) => streams.set(i, index, g)));
    ids.forEach((i, index) => written(model, [g, i], results[index] as StreamWriteResult, index));
  })),
];

const READS: readonly fc.Arbitrary<Command>[] = [
  fc.tuple(group, id).map(([g, i]) => command(`get ${name(g)}/${i}`, async (model, streams) => {
    expect(await streams.adapter.get(g, i)).to.deep.equal(model.group(g).items.get(i));
  })),
  group.map((g) => command(`snapshot ${name(g)}`, async (model, streams) => {
    const { items, position } = await streams.adapter.snapshot(g);
    expect(items).to.deep.equal([...model.group(g).items].map(([i, item]) => ({ id: i, ...item })));
    expect(position.seq).to.equal(model.group(g).seq);
  })),
  fc.integer({ min: 1, max: 3 }).map((limit) => command(`groups by ${limit}`, async (model, streams) => {
    const expected = GROUPS.filter((g) => g.stream === 's' && model.group(g).items.size > 0).map(({ groupId }) => groupId);
    expect(await streams.groups('s', { limit })).to.deep.equal(expected);
  })),
  fc.constant(command('look at the events', async (model, streams) => {
    expect(streams.events.map(({ epoch: _epoch, timestamp: _timestamp, ...event }) => event)).to.deep.equal(model.events);
    return Promise.resolve();
  })),
];

const RESTART: fc.Arbitrary<Command> = fc.constant(command('restart', async (model, streams) => {
  await streams.restart();
  const { durable, resumes } = streams.capabilities;
  model.restart({ items: durable, positions: resumes !== 'never' });
}));

/** Everything that can be done to streams, with arguments that get in each other's way. */
export const STREAM_COMMANDS: readonly fc.Arbitrary<Command>[] = [...WRITES, ...WRITES, ...READS, RESTART];

function name({ stream, groupId }: StreamGroup): string {
  return `${stream}/${groupId}`;
}

function command(text: string, run: (model: StreamModel, streams: StreamsUnderTest) => Promise<void>): Command {
  return { check: () => true, run, toString: () => text };
}

/** The write gave back what it should, with a revision that is allowed; the model does the same. */
function written(model: StreamModel, [g, i]: readonly [StreamGroup, string], { before, after }: StreamWriteResult, value: Json): void {
  expect(before).to.deep.equal(model.group(g).items.get(i));
  expect(after?.value).to.deep.equal(value);
  const revision = after?.revision ?? 0;
  expect(model.allows(g, i, revision), `revision ${revision} of ${name(g)}/${i}`).to.equal(true);
  model.set(g, i, { value, revision });
}
