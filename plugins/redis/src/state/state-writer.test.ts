import type { StateAdapter, StateWrite } from '@treadle/api';
import { expect } from 'chai';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';

withServer.describe('writes of state', () => {
  async function withEngines(body: (one: StateAdapter, other: StateAdapter) => Promise<void>): Promise<void> {
    const { config, cleanup } = await freshConfig();
    const engines = await Promise.all([1, 2].map(() => startEngine<StateAdapter>('state', config)));
    try {
      await body(engines[0]!.adapter, engines[1]!.adapter);
    } finally {
      await Promise.all(engines.map((engine) => engine.stop()));
      await cleanup();
    }
  }
  const add = (key: string): StateWrite => ({
    group: 'g', key, recordChange: true, next: (current) => ({ action: 'set', value: Number(current?.value ?? 0) + 1 }),
  });

  withServer.it('that keep what they see decide again when that was never written', () => withEngines(async (one, other) => {
    for (let round = 0; round < 20; round += 1) {
      const seen: unknown[] = [];
      const look: StateWrite = { ...add('k'), recordChange: false, next: (current) => { seen.push(current?.value); return { action: 'keep' }; } };
      const [, kept] = await Promise.all([one.write(add('k')), one.write(look), other.write(add('k'))]);
      expect(kept.after?.value).to.equal(seen.at(-1));
      expect(kept.after?.value).to.be.oneOf([2 * round + 1, 2 * round + 2]);
    }
  }));

  withServer.it('and reads of many large values go portion by portion, in their order', () => withEngines(async (one, other) => {
    const value = (index: number): string => String.fromCharCode(97 + index).repeat(900_000);
    const keys = Array.from({ length: 6 }, (_, index) => `k${String.fromCharCode(97 + index)}`);
    const set = (key: string, text: string): StateWrite => ({ group: 'g', key, recordChange: true, next: () => ({ action: 'set', value: text }), always: { action: 'set', value: text } });
    await Promise.all(keys.map((key, index) => one.write(set(key, value(index)))));
    const again = await Promise.all(keys.map((key, index) => one.write(set(key, value(index + 1)))));
    again.forEach(({ before, after }, index) => expect([before?.value === value(index), after?.value === value(index + 1), after?.revision]).to.deep.equal([true, true, 2]));
    const found = await Promise.all(keys.map((key) => other.get('g', key)));
    found.forEach((entry, index) => expect(entry?.value === value(index + 1)).to.equal(true));
    const listed: string[] = [];
    let pages = 0;
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const page = await other.list('g', { limit: 1_000, ...cursor !== undefined && { cursor } });
      listed.push(...page.items.map(({ key }) => key));
      pages += 1;
      cursor = page.cursor;
    }
    expect([listed, pages > 1]).to.deep.equal([keys, true]);
    const changes = await other.pendingChanges(1_000);
    expect([changes.length > 0, changes.length < 12, changes[0]?.newValue === value(0)]).to.deep.equal([true, true, true]);
    expect(await other.clear('g')).to.equal(6);
  }));
});
