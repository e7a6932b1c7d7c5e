import type { StreamAdapter, StreamEvent, StreamItem, StreamPosition } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import type { Subscriber } from './subscribers.js';
import { Rooms } from './rooms.js';

const GROUP = { stream: 's', groupId: 'g' };
const OPTIONS = { retained_events: 10, retained_ms: 60_000, max_retained_bytes: 100_000 };

/** An adapter that is told what to say. */
class Script {
  seq = 0;
  epoch = 'e';
  snapshots = 0;
  /** Snapshots wait until it is called. */
  let: (() => void) | undefined;
  waits = false;
  private listener: (event: StreamEvent) => void = () => undefined;

  watch(listener: (event: StreamEvent) => void): () => void {
    this.listener = listener;
    return () => undefined;
  }

  async snapshot(): Promise<{ items: readonly StreamItem[]; position: StreamPosition }> {
    this.snapshots += 1;
    const position = { epoch: this.epoch, seq: this.seq };
    if (this.waits) await new Promise<void>((resolve) => void (this.let = resolve));
    return { items: [], position };
  }

  tell(data: string | number = 0, groupId = 'g'): void {
    this.seq += 1;
    this.listener({ stream: 's', groupId, epoch: this.epoch, seq: this.seq, timestamp: 1, event: { type: 'event', event: { type: 'e', data } } });
  }
}

/** What it was given: positions, a sync with a minus. */
function follower(): Subscriber & { over: boolean; readonly got: number[] } {
  const got: number[] = [];
  const read = (frame: Buffer): void => {
    const text = frame.toString();
    const seq = Number(/"seq":(\d+)/.exec(text)?.[1]);
    got.push(text.includes('"type":"sync"') ? -seq : seq);
  };
  return { subscriptionId: 'x', over: false, got, deliver: read, catchUp: (frames) => frames.forEach(read), startOver: () => void got.push(NaN) };
}

describe('rooms', () => {
  const made = (more: Partial<typeof OPTIONS> = {}) => {
    const [script, clock] = [new Script(), fakeClock()];
    const rooms = new Rooms(script as unknown as StreamAdapter, clock, { ...OPTIONS, ...more });
    rooms.open();
    return { script, clock, rooms, join: async (from?: number, epoch = 'e') => {
      const one = follower();
      await rooms.join(GROUP, one, from === undefined ? undefined : { epoch, lastSeq: from });
      return one;
    } };
  };

  it('add events that come while a snapshot is on its way, and read it again when too many came', async () => {
    const { script, rooms } = made();
    script.waits = true;
    const one = follower();
    const joining = rooms.join(GROUP, one, undefined);
    for (let count = 0; count < 3; count++) script.tell();
    script.let?.();
    await joining;
    expect(one.got).to.deep.equal([-0, 1, 2, 3]);
    const two = follower();
    const again = rooms.join(GROUP, two, undefined);
    for (let count = 0; count < 20; count++) script.tell();
    script.let?.();
    script.waits = false;
    await again;
    expect(two.got).to.deep.equal([-23]);
    script.tell();
    expect([one.got.at(-1), two.got.at(-1)]).to.deep.equal([24, 24]);
  });

  it('share one snapshot among joins while nothing happens', async () => {
    const { script, join } = made();
    await Promise.all([join(), join(), join()]);
    await join();
    expect(script.snapshots).to.equal(1);
    script.tell();
    await join();
    expect(script.snapshots).to.equal(2);
  });

  it('keep as many events as configured, for as long', async () => {
    const { script, clock, join } = made();
    await join();
    for (let count = 0; count < 15; count++) script.tell();
    expect((await join(5)).got).to.deep.equal([6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    expect((await join(4)).got).to.deep.equal([-15]);
    await clock.advance(66_000);
    expect((await join(14)).got).to.deep.equal([-15]);
    expect((await join(15)).got).to.deep.equal([]);
  });

  it('forget the largest groups when all of them together are too large', async () => {
    const { script, rooms, join } = made({ retained_events: 100_000, max_retained_bytes: 50_000 });
    await join();
    for (let count = 0; count < 500; count++) {
      script.tell('x'.repeat(500));
      expect(rooms.retainedBytes).to.be.at.most(50_000);
    }
    expect((await join(499)).got).to.deep.equal([500]);
  });

  it('forget groups that nobody came back to', async () => {
    const { script, clock, rooms, join } = made();
    const one = await join();
    script.tell();
    expect(rooms.size('s')).to.equal(1);
    rooms.leave(GROUP, one);
    for (let count = 0; count < 20; count++) {
      await clock.advance(5_000);
      script.tell();
    }
    expect(rooms.retainedBytes).to.equal(0);
    expect(one.got).to.deep.equal([-0, 1]);
  });

  it('remember no more deserted groups than there is use for', async () => {
    const { clock, rooms } = made();
    for (let count = 0; count < 10_100; count++) {
      const one = follower();
      const group = { stream: 's', groupId: `${count}` };
      await rooms.join(group, one, undefined);
      rooms.leave(group, one);
    }
    expect(rooms.count).to.equal(10_100);
    await clock.advance(5_000);
    expect(rooms.count).to.equal(10_000);
    await clock.advance(60_000);
    expect(rooms.count).to.equal(0);
  });

  it('begin anew when the epoch changes', async () => {
    const { script, join } = made();
    const one = await join();
    script.tell();
    script.epoch = 'f';
    script.seq = 0;
    script.tell();
    expect(one.got, 'who has to join once more').to.deep.equal([-0, 1, NaN]);
    expect((await join(0, 'e')).got).to.deep.equal([-1]);
    expect((await join(0, 'f')).got).to.deep.equal([1]);
  });

  it('begin anew when a snapshot is of another epoch, which no event has told', async () => {
    const { script, clock, rooms, join } = made();
    const one = await join();
    script.tell();
    script.epoch = 'f';
    // The snapshot is not kept for long.
    await clock.advance(5_000);
    const two = await join();
    expect([one.got, two.got]).to.deep.equal([[-0, 1, NaN], [-1]]);
    expect([rooms.size('s'), rooms.retainedBytes], 'what is left of the old epoch').to.deep.equal([1, 0]);
    expect((await join(0, 'e')).got, 'what the old epoch had').to.deep.equal([-1]);
    script.tell();
    expect([one.got.length, two.got.at(-1)]).to.deep.equal([3, 2]);
  });

  it('do not go back to the epoch of a snapshot that events of the next one overtook', async () => {
    const { script, clock, rooms, join } = made();
    const one = await join();
    script.tell();
    await clock.advance(5_000);
    script.waits = true;
    const two = follower();
    const joining = rooms.join(GROUP, two, undefined);
    script.epoch = 'f';
    script.tell();
    script.waits = false;
    script.let?.();
    await joining;
    expect([one.got, two.got]).to.deep.equal([[-0, 1, NaN], [-2]]);
    script.tell();
    expect(two.got).to.deep.equal([-2, 3]);
  });

  it('give each message of a group a higher time than those before, whatever the clock does', async () => {
    const { script, clock, rooms } = made();
    const times: number[] = [];
    const read = (frame: Buffer): void => void times.push(Number(/"timestamp":(\d+)/.exec(frame.toString())?.[1]));
    const join = (): Promise<void> => rooms.join(GROUP, { subscriptionId: 'x', over: false, deliver: read, catchUp: (frames) => frames.forEach(read), startOver: () => void join() }, undefined);
    await join();
    script.tell();
    script.tell();
    clock.now = () => 1_000;
    script.tell();
    script.epoch = 'f';
    script.tell();
    await clock.advance(0);
    const told = [...times];
    await join();
    expect(told).to.deep.equal([...new Set(told)].sort((a, b) => a - b));
    expect(times.at(-1), 'a sync repeats what is known').to.be.at.least(told.at(-1) ?? Infinity);
    script.tell();
    expect(times.at(-1)).to.be.above(times[told.length] ?? Infinity);
  });

  it('do not go back in time with a group that was forgotten', async () => {
    const { script, clock, rooms, join } = made();
    const began = clock.now();
    const one = await join();
    script.tell();
    rooms.leave(GROUP, one);
    await clock.advance(120_000);
    expect(rooms.count).to.equal(0);
    clock.now = () => 1_000;
    let sync = 0;
    await rooms.join(GROUP, { ...follower(), catchUp: ([frame]) => void (sync = Number(/"timestamp":(\d+)/.exec(`${frame}`)?.[1])) }, undefined);
    expect(sync).to.be.above(began);
  });
});
