import { expect } from 'chai';
import fc from 'fast-check';
import type { Json, StateWriteResult } from '@treadle/api';
import type { ReferenceModel } from './reference-model.js';
import type { StateUnderTest } from './state-under-test.js';

type Command = fc.AsyncCommand<ReferenceModel, StateUnderTest>;

/* Few, so that operations meet. */
const GROUPS = ['a_b', 'axb', '__proto__'];
const KEYS = ['k', '%', '😀', '\uffff'];

const group = fc.constantFrom(...GROUPS);
const key = fc.constantFrom(...KEYS);
const value = fc.jsonValue({ maxDepth: 2 }).map((json) => JSON.parse(JSON.stringify(json)) as Json);

const WRITES: readonly fc.Arbitrary<Command>[] = [
  fc.tuple(group, key, value, fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined })).map(([g, k, v, ttl]) =>
    command(`set ${g}/${k} = ${JSON.stringify(v)} ttl ${ttl ?? '-'}`, async (model, state) => {
      const usesTtl = ttl !== undefined && state.capabilities.ttl !== 'none';
      const result = await state.set(g, k, v, usesTtl ? ttl * 1000 : undefined);
      written(model, [g, k], result, { value: v, expiresAt: usesTtl ? model.now + ttl * 1000 : Infinity });
    })),
  fc.tuple(group, key, fc.integer({ min: -3, max: 3 })).map(([g, k, by]) => command(`add ${by} to ${g}/${k}`, async (model, state) => {
    const old = model.get(g, k)?.value;
    const expiresAt = model.expiry(g, k);
    written(model, [g, k], await state.add(g, k, by), { value: (typeof old === 'number' ? old : 0) + by, expiresAt });
  })),
  fc.tuple(group, key).map(([g, k]) => command(`delete ${g}/${k}`, async (model, state) => {
    expect(await state.delete(g, k)).to.deep.equal({ before: model.get(g, k), after: undefined });
    model.delete(g, k);
  })),
];

const READS: readonly fc.Arbitrary<Command>[] = [
  fc.tuple(group, key).map(([g, k]) => command(`get ${g}/${k}`, async (model, state) => {
    expect(await state.adapter.get(g, k)).to.deep.equal(model.get(g, k));
  })),
  fc.tuple(group, fc.constantFrom('', 'k', '%'), fc.integer({ min: 1, max: 3 })).map(([g, prefix, limit]) =>
    command(`list ${g} "${prefix}" by ${limit}`, async (model, state) => {
      expect(await state.list(g, { prefix, limit })).to.deep.equal(model.list(g, prefix));
    })),
  fc.integer({ min: 1, max: 3 }).map((limit) => command(`groups by ${limit}`, async (model, state) => {
    expect(await state.groups({ limit })).to.deep.equal(model.groups());
  })),
];

const EVENTS: readonly fc.Arbitrary<Command>[] = [
  group.map((g) => command(`clear ${g}`, async (model, state) => {
    const items = model.list(g);
    expect(await state.adapter.clear(g)).to.equal(items.length);
    for (const item of items) model.delete(g, item.key);
  })),
  fc.constantFrom(1, 3, 90).map((seconds) => command(`wait ${seconds} s`, async (model, state) => {
    await state.clock.advance(seconds * 1000);
    model.now += seconds * 1000;
  })),
  fc.constant(command('restart', async (model, state) => {
    await state.restart();
    if (!state.capabilities.durable) model.forget();
  })),
];

/** Everything that can be done to a store, with arguments that get in each other's way; what wipes much comes seldom. */
export const COMMANDS: readonly fc.Arbitrary<Command>[] = [...WRITES, ...WRITES, ...WRITES, ...READS, ...READS, ...EVENTS];

function command(name: string, run: (model: ReferenceModel, state: StateUnderTest) => Promise<void>): Command {
  return { check: () => true, run, toString: () => name };
}

/** The write gave back what it should, with a revision that is allowed; the model does the same. */
function written(
  model: ReferenceModel, [g, k]: readonly [string, string], { before, after }: StateWriteResult,
  { value, expiresAt }: { readonly value: Json; readonly expiresAt: number },
): void {
  expect(before).to.deep.equal(model.get(g, k));
  expect(after?.value).to.deep.equal(value);
  const revision = after?.revision ?? 0;
  expect(model.allows(g, k, revision), `revision ${revision} of ${g}/${k}`).to.equal(true);
  model.set(g, k, { value, revision, expiresAt });
}
