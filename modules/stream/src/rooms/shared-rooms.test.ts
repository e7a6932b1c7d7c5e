import type { SharedStreams, StreamAdapter, StreamEvent, StreamItem, StreamPosition } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { Rooms } from './rooms.js';
import type { Subscriber } from './subscribers.js';

const GROUP = { stream: 's', groupId: 'g' };
const OPTIONS = { retained_events: 10, retained_ms: 60_000, max_retained_bytes: 100_000 };

/** A store that other engines write to. What happens there is told here when the test says so. */
class Store {
  events: StreamEvent[] = [];
  following = 0;
  fault: Error | undefined;
  readings = 0;
  time = 5_000;
  epoch = 'e';
  anew: ((epoch: string) => void) | undefined;
  private told = 0;
  private listener: (event: StreamEvent) => void = () => undefined;

  readonly shared: SharedStreams = {
    now: () => this.time,
    follow: async (_group, anew) => {
      if (this.fault) throw this.fault;
      this.anew = anew;
      this.following += 1;
      return () => { this.following -= 1; };
    },
    eventsAfter: async (_group, { epoch, seq }, limit) => {
      this.readings += 1;
      return epoch === 'e' && seq <= this.events.length ? this.events.slice(seq, seq + limit) : undefined;
    },
    changes: { lead: async () => true, onChanges: () => () => undefined },
  };

  watch(listener: (event: StreamEvent) => void): () => void {
    this.listener = listener;
    return () => undefined;
  }

  async snapshot(): Promise<{ items: readonly StreamItem[]; position: StreamPosition }> {
    return { items: [], position: { epoch: this.epoch, seq: this.events.length } };
  }

  happen(count = 1): void {
    for (let more = count; more > 0; more -= 1) {
      this.time += 1;
      const seq = this.events.length + 1;
      this.events.push({ ...GROUP, id: seq % 2 === 0 ? 'even' : undefined, epoch: 'e', seq, timestamp: this.time, event: { type: 'event', event: { type: 'e', data: seq } } });
    }
  }

  /** @param first those before it went missing */
  tell(first = this.told): void {
    for (const event of this.events.slice(first)) this.listener(event);
    this.told = this.events.length;
  }
}

describe('rooms on a store of several engines', () => {
  const made = () => {
    const [store, clock] = [new Store(), fakeClock()];
    const rooms = new Rooms(store as unknown as StreamAdapter, clock, OPTIONS);
    rooms.open();
    return { store, clock, rooms, join: async (from?: number, id?: string) => {
      const got: number[] = [];
      const times: number[] = [];
      const read = (frame: Buffer): void => {
        const text = frame.toString();
        const seq = Number(/"seq":(\d+)/.exec(text)?.[1]);
        times.push(Number(/"timestamp":(\d+)/.exec(text)?.[1]));
        got.push(text.includes('"type":"sync"') ? -seq : seq);
      };
      const one: Subscriber & { readonly got: number[]; readonly times: number[] } = { subscriptionId: 'x', over: false, got, times, ...id !== undefined && { id }, deliver: read, catchUp: (frames) => frames.forEach(read), startOver: () => void rooms.join(GROUP, one, undefined) };
      await rooms.join(GROUP, one, from === undefined ? undefined : { epoch: 'e', lastSeq: from });
      return one;
    } };
  };

  it('tell everything anew when events went missing on their way here', async () => {
    const { store, clock, join } = made();
    store.happen(3);
    const [one, of] = [await join(), await join(undefined, 'even')];
    store.happen(2);
    store.tell(3);
    store.happen(300);
    store.tell(298);
    await clock.advance(0);
    store.happen(2);
    store.tell();
    expect([one.got, of.got]).to.deep.equal([[-3, 4, 5, -305, 306, 307], [-3, 4, -305, 306]]);
    expect((await join(200)).got, 'of what this engine does not have').to.deep.equal([-307]);
  });

  it('tell everything anew when the store goes on in another epoch, once', async () => {
    const { store, clock, join } = made();
    store.happen(3);
    const one = await join();
    store.tell();
    store.epoch = 'f';
    store.anew?.('f');
    await clock.advance(0);
    const two = await join();
    store.anew?.('f');
    await clock.advance(0);
    expect([one.got, two.got]).to.deep.equal([[-3, -3], [-3]]);
  });

  it('read a group again when it goes on in another epoch while it is read, whether it was known before or not', async () => {
    for (const isKnown of [true, false]) {
      const { store, clock, join } = made();
      store.happen(3);
      if (isKnown) await join();
      // The snapshot is not kept for long.
      await clock.advance(5_000);
      const { snapshot } = store;
      let go = (): void => undefined;
      store.snapshot = async () => {
        const old = await snapshot.call(store);
        await new Promise<void>((resolve) => { go = resolve; });
        return old;
      };
      const joining = join();
      await clock.advance(0);
      store.snapshot = snapshot;
      store.epoch = 'f';
      store.events.pop();
      store.anew?.('f');
      go();
      const one = await joining;
      expect([one.got, (await join()).got], `known: ${isKnown}`).to.deep.equal([[-2], [-2]]);
    }
  });

  it('let nobody resume from a past that was asked for before the group went on in another epoch', async () => {
    const { store, clock, join } = made();
    store.happen(5);
    const { eventsAfter } = store.shared;
    let go = (): void => undefined;
    store.shared.eventsAfter = async (...asked) => {
      const past = await eventsAfter(...asked);
      await new Promise<void>((resolve) => { go = resolve; });
      return past;
    };
    const before = join(2);
    await clock.advance(0);
    store.epoch = 'f';
    store.events.pop();
    store.shared.eventsAfter = async () => undefined;
    store.anew?.('f');
    const after = join(2);
    go();
    expect([(await before).got, (await after).got]).to.deep.equal([[-4], [-4]]);
  });

  it('give nobody an event twice that a snapshot has already and that is told afterwards', async () => {
    const { store, clock, join } = made();
    store.happen(3);
    const one = await join();
    store.tell();
    // The snapshot is not kept for long.
    await clock.advance(5_000);
    store.happen(2);
    const two = await join();
    store.happen(1);
    store.tell();
    expect([one.got, two.got]).to.deep.equal([[-3, 4, 5, 6], [-5, 6]]);
  });

  it('let one resume that knows more than was told here yet', async () => {
    const { store, join } = made();
    await join();
    store.happen(4);
    const [all, even] = [await join(2), await join(3, 'even')];
    expect([all.got, even.got]).to.deep.equal([[3, 4], [4]]);
    store.happen(2);
    store.tell();
    expect([all.got, even.got]).to.deep.equal([[3, 4, 5, 6], [4, 6]]);
  });

  it('join the past of the store and what is told without a gap, also while it is read', async () => {
    const { store, join } = made();
    store.happen(20);
    await join();
    store.happen(3);
    store.tell();
    const { eventsAfter } = store.shared;
    store.shared.eventsAfter = async (...asked) => {
      const past = await eventsAfter(...asked);
      store.happen(4);
      store.tell();
      return past;
    };
    const one = await join(15);
    expect(one.got).to.deep.equal([16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27]);
    expect(one.times).to.deep.equal([...new Set(one.times)].sort((a, b) => a - b));
  });

  it('do not keep one that has left while it knew more than was told', async () => {
    const { store, rooms, join } = made();
    await join();
    store.happen(4);
    const one = await join(4);
    expect(rooms.size('s')).to.equal(2);
    rooms.leave(GROUP, one);
    rooms.leave(GROUP, one);
    expect(rooms.size('s')).to.equal(1);
    store.happen(1);
    store.tell();
    expect(one.got).to.deep.equal([]);
  });

  it('read the past once for many that come at once with one position', async () => {
    const { store, join } = made();
    store.happen(8);
    const many = await Promise.all(Array.from({ length: 50 }, () => join(5)));
    expect(new Set(many.map(({ got }) => got.join()))).to.deep.equal(new Set(['6,7,8']));
    expect(store.readings).to.equal(1);
  });

  it('give everything anew where more was missed than is kept', async () => {
    const { store, join } = made();
    store.happen(30);
    expect((await join(19)).got).to.deep.equal([-30]);
    expect((await join(20)).got).to.deep.equal([21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
  });

  it('tell what there is at the time of the store', async () => {
    const { store, join } = made();
    store.happen(1);
    expect((await join()).times).to.deep.equal([store.time]);
  });

  it('follow a group once, until nobody comes back to it', async () => {
    const { store, clock, rooms, join } = made();
    const all = await Promise.all([join(), join(), join()]);
    expect(store.following).to.equal(1);
    for (const one of all) rooms.leave(GROUP, one);
    await clock.advance(30_000);
    expect(store.following).to.equal(1);
    await clock.advance(60_000);
    expect([store.following, rooms.count]).to.deep.equal([0, 0]);
    await join();
    expect(store.following).to.equal(1);
    rooms.close();
    expect(store.following).to.equal(0);
  });

  it('refuse a join while the group cannot be followed, and say which', async () => {
    const { store, join } = made();
    store.fault = new Error('the connection is gone');
    const refusal = await join().then(() => 'it was let in', (error: Error) => error.message);
    expect(refusal).to.equal('group "g" of stream "s" cannot be followed: the connection is gone');
    store.happen(2);
    store.tell();
    store.fault = undefined;
    const one = await join();
    store.happen(1);
    store.tell();
    expect(one.got).to.deep.equal([-2, 3]);
  });

  it('end a use that begins after they were closed', async () => {
    const { store, rooms, join } = made();
    let go = (): void => undefined;
    const { follow } = store.shared;
    store.shared.follow = async (group) => {
      await new Promise<void>((resolve) => { go = resolve; });
      return follow(group);
    };
    const joining = join();
    rooms.close();
    go();
    await joining;
    expect(store.following).to.equal(0);
  });
});
