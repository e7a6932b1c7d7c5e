import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { until, type WireClient, World } from './stream.fixture.js';

const GROUP = { stream: 'board', groupId: 'g' };
/** A store that both engines have, by the root that they share. */
const ADAPTER = { class: 'testing::stream::adapters::MapStreams', config: { flaw: 'shared' } };
const FIXTURE = new URL('../../../core/testing/src/stream-suite/map-streams.fixture.ts', import.meta.url).href;

describe('clients of two engines on one store', function () {
  this.timeout(180_000);
  let root: string;
  let worlds: World[];
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'treadle-stream-two-'));
    worlds = [];
  });
  afterEach(async () => {
    for (const world of worlds) await world.stop();
    rmSync(root, { recursive: true, force: true });
  });

  const engine = async (config: object = {}): Promise<World> => {
    const world = await World.start({ adapter: ADAPTER, root, config, plugins: [FIXTURE] });
    worlds.push(world);
    return world;
  };
  const two = async (config: object = {}): Promise<[World, World]> => [await engine(config), await engine(config)];
  const seqs = ({ messages }: WireClient): (number | undefined)[] => messages.map(({ seq, event }) => (event.type === 'sync' ? -seq : seq));
  const upTo = (count: number, from = 1): number[] => Array.from({ length: count - from + 1 }, (_, index) => from + index);

  it('get what is written and sent through either of them, in one order', async () => {
    const worlds = await two();
    const clients = await Promise.all(worlds.map((world) => world.connect()));
    for (const client of clients) await client.join('g');
    for (let count = 0; count < 20; count += 1) {
      await Promise.all(worlds.map((world, index) => (count % 4 === 0 ? world.port.send(GROUP, { type: 'e', data: count }) : world.port.set(GROUP, `i${index}`, { count }))));
    }
    await until(() => clients.every(({ messages }) => messages.length === 41));
    expect(clients.map(seqs)).to.deep.equal([[-0, ...upTo(40)], [-0, ...upTo(40)]]);
    expect(clients[0]?.brief()).to.deep.equal(clients[1]?.brief());
  });

  it('resume at the other one without a gap and without a double, while both write', async () => {
    const [first, second] = await two();
    let writing = true;
    let written = 0;
    const write = async (world: World, id: string): Promise<void> => {
      while (writing) {
        written += 1;
        await (written % 5 === 0 ? world.port.send(GROUP, { type: 'e', data: written }) : world.port.set(GROUP, id, { written }));
        await new Promise((resolve) => setTimeout(resolve, written % 7));
      }
    };
    const writers = [write(first, 'a'), write(second, 'b')];
    const client = await first.connect();
    const { epoch, seq } = await client.join('g');
    const got: { seq: number; timestamp: number }[] = [];
    let [at, last] = [client, seq];
    for (let move = 1; move <= 12; move += 1) {
      const { length } = at.messages;
      await until(() => at.messages.length > length + 5);
      at.socket.terminate();
      const events = at.messages.filter(({ event }) => event.type !== 'sync');
      got.push(...events);
      last = events.at(-1)?.seq ?? last;
      at = await (move % 2 === 0 ? first : second).connect();
      await at.join('g', { epoch, lastSeq: last });
      expect(at.messages[0]?.event.type, `move ${move}`).to.not.equal('sync');
    }
    writing = false;
    await Promise.all(writers);
    expect(got.map((event) => event.seq)).to.deep.equal(upTo(last, seq + 1));
    got.forEach(({ timestamp }, index) => expect(timestamp).to.be.above(got[index - 1]?.timestamp ?? 0));
  });

  it('may follow one item, and resume with it at the other one', async () => {
    const [first, second] = await two();
    const client = await first.connect();
    const { epoch, seq } = await client.join('g', { id: 'a' });
    for (const [world, id] of [[second, 'b'], [second, 'a'], [first, 'b'], [first, 'a']] as const) await world.port.set(GROUP, id, { n: 1 });
    await until(() => client.messages.length === 3);
    const moved = await second.connect();
    await moved.join('g', { id: 'a', epoch, lastSeq: seq });
    await second.port.set(GROUP, 'a', { n: 2 });
    await until(() => moved.messages.length === 3);
    expect(seqs(moved)).to.deep.equal([2, 4, 5]);
  });

  it('get everything anew where too much has happened', async () => {
    const [first, second] = await two({ retained_events: 5 });
    const client = await first.connect();
    const { epoch } = await client.join('g');
    for (let count = 1; count <= 8; count += 1) await first.port.set(GROUP, 'a', { count });
    const [far, near, strange] = [await second.connect(), await second.connect(), await second.connect()];
    await far.join('g', { epoch, lastSeq: 2 });
    await near.join('g', { epoch, lastSeq: 3 });
    await strange.join('g', { epoch, lastSeq: 99 });
    await until(() => near.messages.length === 5);
    expect([seqs(far), seqs(near), seqs(strange)]).to.deep.equal([[-8], upTo(8, 4), [-8]]);
  });
});
