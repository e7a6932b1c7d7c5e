import type { StateAdapter, StreamAdapter, StreamEvent } from '@treadle/api';
import { errorOf, eventually } from '@treadle/testing';
import { expect } from 'chai';
import { startEngine, withServer } from '../testing/kit.fixture.js';
import { startNats } from '../testing/server.fixture.js';
import { NATS_DEFAULTS } from './store.config.js';

/** Kills of the server; the long form sets it. */
const ROUNDS = Number(process.env['TREADLE_NATS_KILLS'] ?? 2);
const GROUP = { stream: 's', groupId: 'g' };

/** Writers of two engines, and what they were told. */
class Work {
  readonly acknowledged = new Map<string, number>();
  ended = false;
  private count = 0;

  constructor(private readonly states: readonly StateAdapter[], private readonly streams: readonly StreamAdapter[]) {}

  async start(): Promise<void> {
    await Promise.all([...this.states.map((state) => this.writeState(state)), ...this.streams.map((streams) => this.writeItems(streams))]);
  }

  private writeState(state: StateAdapter): Promise<void> {
    return this.repeat('state', (count) => state.write({ group: 'g', key: `${count}`, recordChange: true, next: () => ({ action: 'set', value: count }) }));
  }

  private writeItems(streams: StreamAdapter): Promise<void> {
    return this.repeat('item', (count) => streams.write({ ...GROUP, id: `${count}`, next: () => ({ action: 'set', value: count }), change: () => ({ origin: 'o' }) }));
  }

  private async repeat(kind: string, write: (count: number) => Promise<unknown>): Promise<void> {
    while (!this.ended) {
      this.count += 1;
      const { count } = this;
      const done = await write(count).then(() => true, () => false);
      if (done) this.acknowledged.set(`${kind} ${count}`, count);
      else await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

withServer.describe('a NATS server that is killed under load', () => {
  withServer.it(`loses no value, item, change or event that was acknowledged, over ${ROUNDS} kills`, async () => {
    const server = await startNats();
    const config = { ...NATS_DEFAULTS, url: server.url };
    const states = await Promise.all([1, 2].map(() => startEngine<StateAdapter>('state', config)));
    const streams = await Promise.all([1, 2].map(() => startEngine<StreamAdapter>('stream', config)));
    const [state, stream] = [states[1]!.adapter, streams[1]!.adapter];
    const events: StreamEvent[] = [];
    stream.watch((event) => void events.push(event));
    await stream.shared?.follow(GROUP);
    const work = new Work(states.map(({ adapter }) => adapter), streams.map(({ adapter }) => adapter));
    try {
      const working = work.start();
      for (let round = 0; round < ROUNDS; round += 1) {
        const enough = work.acknowledged.size + 100;
        await eventually('acknowledged writes', () => work.acknowledged.size, (size) => size >= enough, 60_000);
        await server.crash();
        expect(await errorOf(state.get('g', 'x'))).to.have.property('code', 'StorageUnavailable');
        await server.resume();
      }
      const after = work.acknowledged.size;
      await eventually('writes after the last kill', () => work.acknowledged.size, (size) => size > after + 20, 60_000);
      work.ended = true;
      await working;
      // The writes may be of the other engines alone.
      const answers = (): Promise<boolean> => Promise.all([state.get('g', 'x'), stream.snapshot(GROUP)]).then(() => true, () => false);
      await eventually('answers to the engine that is asked', answers, Boolean, 60_000);
      await check(work, { state, stream, events });
    } finally {
      work.ended = true;
      await Promise.all([...states, ...streams].map((engine) => engine.stop()));
      await server.stop();
    }
  });
});

async function check(
  { acknowledged }: Work, { state, stream, events }: { readonly state: StateAdapter; readonly stream: StreamAdapter; readonly events: readonly StreamEvent[] },
): Promise<void> {
  const items = new Map((await stream.snapshot(GROUP)).items.map(({ id, value }) => [`item ${id}`, value]));
  const entries = new Map<string, unknown>();
  const keys = [...acknowledged].filter(([name]) => name.startsWith('state'));
  for (const [name, count] of keys) entries.set(name, (await state.get('g', `${count}`))?.value);
  const lost = [...acknowledged].filter(([name, count]) => (items.get(name) ?? entries.get(name)) !== count);
  expect(lost, 'lost').to.deep.equal([]);
  const changed = new Set([
    ...(await state.pendingChanges(100_000)).map(({ key }) => `state ${key}`), ...(await stream.pendingChanges(100_000)).map(({ itemId }) => `item ${itemId}`),
  ]);
  expect([...acknowledged.keys()].filter((name) => !changed.has(name)), 'without their change').to.deep.equal([]);
  expect(events.map(({ seq }) => seq), 'events without a gap').to.deep.equal(events.map((_, index) => index + 1));
  expect(events.length).to.be.at.least(items.size);
}
