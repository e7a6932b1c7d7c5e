import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TreadleError } from '@treadle/api';
import { expect } from 'chai';
import { startAdapter } from '../adapter-harness.js';
import { killedAfter } from './kill-writer.js';
import { NAMES, type StateTests, StateUnderTest } from './state-under-test.js';

/** What survives, as declared: both ways. */
export function durabilityTests({ suite, withState, declared }: StateTests): void {
  const { durable } = declared;
  suite.test(`keeps ${durable ? 'everything' : 'nothing'} over a restart`, () => withState(async (state) => {
    for (const name of NAMES) await state.set(name, name, { name });
    await state.set('expiring', 'k', 1, 60_000);
    await state.delete('axb', 'axb');
    await state.write('g', 'recorded', () => ({ action: 'set', value: 1 }), true);
    const changes = await state.adapter.pendingChanges(10);
    await state.restart();
    for (const name of NAMES) expect(await state.value(name, name)).to.deep.equal(durable && name !== 'axb' ? { name } : undefined);
    expect(await state.value('expiring', 'k')).to.equal(durable ? 1 : undefined);
    expect(await state.adapter.pendingChanges(10)).to.deep.equal(durable ? changes : []);
    if (!durable) return;
    await state.clock.advance(60_000);
    expect(await state.value('expiring', 'k')).to.equal(undefined);
    expect((await state.set('axb', 'axb', 2)).after?.revision).to.be.greaterThan(1);
  }));

  if (!durable) return;
  suite.test('loses no acknowledged write when its process is killed', () => withState(async (state) => {
    await state.stop();
    for (const round of [1, 2, 3]) {
      const acknowledged = await killedAfter(20 * round, { ...state.options, round });
      await state.start();
      for (let count = 1; count <= acknowledged; count++) {
        expect(await state.value(`round ${round}`, `${count}`), `write ${count} of round ${round}`).to.deep.equal({ count });
      }
      const counter = await state.value('counters', `${round}`) as number;
      expect(counter, 'updates').to.be.within(acknowledged, acknowledged + 1);
      await state.stop();
    }
  }));
}

/** Who may open a store, and what cannot be opened. */
export function openingTests({ suite, withState, declared }: StateTests): void {
  const { durable, multiEngine } = declared;
  if (!durable) return;
  suite.test(`${multiEngine ? 'lets' : 'does not let'} a second engine open the same store`, () => withState(async (state) => {
    await state.set('g', 'k', 1);
    const second = new StateUnderTest(state.options);
    const error = await second.start().then(() => undefined, (reason: unknown) => reason);
    if (multiEngine) expect(await second.value('g', 'k')).to.equal(1);
    else expect(error).to.be.instanceOf(TreadleError);
    await second.stop();
    expect(await state.value('g', 'k')).to.equal(1);
  }));

  suite.test('fails to start on a file that cannot be opened', () => withState(async (state) => {
    const { config, root } = state.options;
    if (!hasFile(config)) return;
    mkdirSync(join(root, 'data'), { recursive: true });
    writeFileSync(join(root, 'data', 'blocked'), 'a file, not a folder');
    for (const file_path of ['blocked/store.db', '.']) {
      const broken = startAdapter({ ...state.options, config: { ...config, file_path } });
      const error = await broken.then(() => undefined, (reason: unknown) => reason);
      expect(error, file_path).to.be.instanceOf(TreadleError);
    }
  }));
}

function hasFile(config: unknown): config is { readonly file_path: string } {
  return typeof config === 'object' && config !== null && 'file_path' in config;
}
