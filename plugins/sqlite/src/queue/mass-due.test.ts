import type { NewMessage, QueueDelivery } from '@treadle/api';
import { expect } from 'chai';
import { LIMITS, message, put, queueTables, request } from './queue-table.fixture.js';

const COUNT = 25_000;
/** Deliveries of one portion: what was read last may go beyond what memory there is. */
const PORTION_BYTES = 256 * 400;

type Table = Awaited<ReturnType<ReturnType<typeof queueTables>>>;

function delayed(dueAt: (index: number) => number, group?: (index: number) => string): NewMessage[] {
  return Array.from({ length: COUNT }, (_, index) => ({ ...message(`m${index}`, group?.(index)), dueAt: dueAt(index) }));
}

/** Claims and settles until nothing is left. */
async function consumed({ queue, clock }: Table): Promise<QueueDelivery[]> {
  const all: QueueDelivery[] = [];
  for (let idle = 0; idle < 50;) {
    const claims = queue.claimMany(request(1_000));
    idle = claims.length === 0 ? idle + 1 : 0;
    if (claims.length > 0) await queue.settleMany(claims.map((claim) => ({ action: 'done', claim })));
    else await clock.advance(0);
    for (const claim of claims) all.push(claim);
  }
  return all;
}

const ascending = (deliveries: readonly QueueDelivery[]): boolean => deliveries.every(({ deliveryId }, index) => index === 0 || deliveryId > (deliveries[index - 1]?.deliveryId ?? 0));

describe('Many messages that become due', () => {
  const table = queueTables();
  const held = ({ lane }: Table): number => lane()['around'].memory.bytes;

  const orders = {
    'in their order': (index: number) => index,
    'the other way round': (index: number) => COUNT - index,
    'in one millisecond': () => 1,
  };
  for (const fifo of [false, true]) {
    for (const [name, at] of Object.entries(orders)) {
      it(`${name} wait on the disk when memory is full${fifo ? ', each in a fifo group of its own' : ''}`, async () => {
        const opened = await table();
        const { queue, clock, lane } = opened;
        await queue.changeSubscriptions([put(fifo)]);
        const start = clock.now() + 1_000;
        await queue.enqueueMany([delayed((index) => start + at(index), fifo ? (index) => `g${index}` : undefined)], LIMITS);
        expect(queue.claimMany(request()), 'before they are due').to.deep.equal([]);
        clock.shift = 3_600_000;
        let most = 0;
        await clock.advance(10_000);
        for (let turns = 0; turns < 2 * COUNT / 1_000; turns += 1) {
          await clock.advance(0);
          most = Math.max(most, held(opened));
        }
        expect(most).to.be.at.most(1_000_000 + PORTION_BYTES);
        expect(queue.statistics()[0]).to.include({ waiting: COUNT, delayed: 0 });
        const all = await consumed(opened);
        expect(new Set(all.map(({ messageId }) => messageId)).size).to.equal(COUNT);
        expect(all).to.have.length(COUNT);
        expect(ascending(all), 'in the order of their ids').to.equal(true);
        expect(queue.statistics()[0]).to.include({ waiting: 0, delayed: 0, active: 0 });
        expect(lane()['around'].memory.bytes).to.equal(0);
      });
    }
  }

  it('in one millisecond are told to each subscription that has some, tried or not, and to no other', async () => {
    const { queue, clock } = await table();
    const subscribe = (step: string, topic: string) => ({ action: 'put', subscription: { step, topic, application: 'x', fifo: false, delayMs: 0, settings: '' } } as const);
    await queue.changeSubscriptions([subscribe('a', 't'), subscribe('b', 't'), subscribe('c', 'other'), subscribe('d', 'tried')]);
    const at = clock.now() + 1_000;
    await queue.enqueueMany([delayed(() => at), [{ ...message('later'), topic: 'other', dueAt: at + 3_600_000 }, { ...message('tried'), topic: 'tried' }]], LIMITS);
    const [tried] = queue.claimMany([{ step: 'd', topic: 'tried', max: 1 }]);
    await queue.settleMany([{ action: 'return', claim: tried!, progress: { attempts: 2, deaths: 1, history: '[]' }, dueAt: at }]);
    const told = new Set<string>();
    queue.onDue(({ step }) => void told.add(step));
    await clock.advance(0);
    told.clear();
    clock.shift = 1_000;
    await clock.advance(10_000);
    expect([...told].sort()).to.deep.equal(['a', 'b', 'd']);
    expect(queue.statistics().map(({ waiting, delayed: later, retrying }) => [waiting, later, retrying])).to.deep.equal([[COUNT, 0, 0], [COUNT, 0, 0], [0, 1, 0], [1, 0, 0]]);
  });

  it('are told of a portion at a time, and the rest in the next turns', async () => {
    const { queue, clock, lane } = await table();
    await queue.changeSubscriptions([put(false)]);
    const start = clock.now() + 1_000;
    await queue.enqueueMany([delayed((index) => start + index)], LIMITS);
    clock.shift = 3_600_000;
    queue.claimMany(request(1));
    expect(lane().delayed).to.be.at.least(COUNT - 1_000);
    for (let turns = 0; turns < COUNT / 500; turns += 1) await clock.advance(0);
    expect(lane().delayed).to.equal(0);
  });

  it('count right when some of them are purged, claimed and enqueued while they become due', async () => {
    const opened = await table({ commits: 'thread' });
    const { queue, clock } = opened;
    await queue.changeSubscriptions([put(false)]);
    const at = clock.now() + 1_000;
    await queue.enqueueMany([delayed(() => at)], LIMITS);
    clock.shift = 3_600_000;
    const purged = queue.purge({ step: 'a', topic: 't' });
    const claims = queue.claimMany(request());
    const more = queue.enqueueMany([delayed(() => at + 1)], LIMITS);
    await queue.settleMany(claims.map((claim) => ({ action: 'return', claim, progress: { attempts: 1, deaths: 0, history: '' } })));
    await more;
    const gone = await purged;
    const all = await consumed(opened);
    expect(gone + all.length).to.equal(2 * COUNT);
    expect(queue.statistics()[0]).to.include({ waiting: 0, delayed: 0, retrying: 0, active: 0 });
  });
});
