import { epochOf, type QueueDelivery } from '@treadle/api';
import { fakeClock, type FakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { ClaimAhead } from './claim-ahead.js';

const SUB = 7;

/** A store that has deliveries without end, each of so many characters. */
class Rig {
  readonly clock: FakeClock = fakeClock();
  readonly asked: number[] = [];
  readonly back: QueueDelivery[] = [];
  readonly told: number[] = [];
  away = false;
  member = 1;
  readonly ahead = new ClaimAhead({
    clock: this.clock,
    member: () => this.member,
    claim: (_sub, most) => Promise.resolve(this.claimed(most)),
    giveBack: (deliveries) => {
      if (this.away) return Promise.reject(new Error('away'));
      this.back.push(...deliveries);
      return Promise.resolve();
    },
    more: (sub) => this.told.push(sub),
  });
  private last = 0;

  constructor(private readonly characters = 100) {}

  claimed(count: number): readonly QueueDelivery[] {
    this.asked.push(count);
    return Array.from({ length: count }, () => {
      this.last += 1;
      return { deliveryId: this.last, epoch: epochOf({ member: this.member, seq: 1 }, this.last), data: 'x'.repeat(this.characters) } as QueueDelivery;
    });
  }

  /** As a claim of a consumer goes, with all that the store is asked for. */
  consume(max: number): readonly number[] {
    const { ahead } = this;
    const there = ahead.take(SUB, max);
    const got = there.length > 0 ? there : ahead.keep(SUB, max, this.claimed(ahead.wish(SUB, max)));
    return got.map(({ deliveryId }) => deliveryId);
  }
}

const ids = (deliveries: readonly QueueDelivery[]): readonly number[] => deliveries.map(({ deliveryId }) => deliveryId);
const from = (first: number, last: number): readonly number[] => Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('claims ahead', () => {
  it('are made for who takes many within moments, and handed out in their order', () => {
    const rig = new Rig();
    expect(rig.consume(100)).to.deep.equal(from(1, 100));
    expect(rig.consume(100)).to.deep.equal(from(101, 200));
    expect(rig.asked).to.deep.equal([100, 400]);
    expect(rig.consume(100)).to.deep.equal(from(201, 300));
    expect(rig.asked).to.have.length(2);
  });

  it('are made for who has room for few at a time and takes many, too', () => {
    const rig = new Rig();
    for (let n = 0; n < 4; n += 1) rig.consume(30);
    expect(rig.asked).to.deep.equal([30, 30, 330]);
  });

  it('are not made for who takes few, comes back late, or did not get all that it had asked for', async () => {
    const rig = new Rig();
    rig.consume(24);
    rig.consume(24);
    rig.consume(1);
    await rig.clock.advance(51);
    rig.consume(100);
    await rig.clock.advance(51);
    rig.consume(100);
    rig.ahead.keep(SUB, 100, []);
    rig.consume(100);
    expect(rig.asked).to.deep.equal([24, 24, 1, 100, 100, 100]);
  });

  it('are claimed while the last ones are handled, and told', async () => {
    const rig = new Rig();
    rig.consume(100);
    rig.consume(100);
    rig.consume(100);
    rig.consume(100);
    await Promise.resolve();
    expect(rig.asked).to.deep.equal([100, 400, 300]);
    expect(rig.told).to.include(SUB);
    expect(rig.consume(100)).to.deep.equal(from(401, 500));
  });

  it('are fewer of large deliveries', () => {
    const rig = new Rig(20_000);
    rig.consume(100);
    rig.consume(100);
    expect(rig.asked).to.deep.equal([100, 150]);
  });

  it('go back when nobody asks for them', async () => {
    const rig = new Rig();
    rig.consume(100);
    rig.consume(100);
    await rig.clock.advance(100);
    expect(ids(rig.back)).to.deep.equal(from(201, 500));
    expect(rig.consume(100)).to.deep.equal(from(501, 600));
    expect(rig.clock.pending).to.equal(0);
  });

  it('are not handed out after the engine stood still, also before its timers know', async () => {
    const rig = new Rig();
    rig.consume(100);
    rig.consume(100);
    const slept = rig.clock.sleep(60_000);
    expect(rig.consume(100)).to.deep.equal(from(501, 600));
    await slept;
    expect(ids(rig.back)).to.deep.equal(from(201, 500));
  });

  it('are not handed out when they were claimed long ago, however often somebody asks', async () => {
    const rig = new Rig();
    rig.consume(100);
    rig.consume(100);
    for (let asked = 0; asked < 30; asked += 1) {
      await rig.clock.advance(40);
      rig.consume(1);
    }
    expect(ids(rig.back)).to.deep.equal(from(226, 500));
    expect(rig.asked).to.deep.equal([100, 400, 1, 1, 1, 1, 1]);
  });

  it('are not handed out when others took the engine for gone', async () => {
    const rig = new Rig();
    rig.consume(100);
    rig.consume(100);
    rig.member = 2;
    expect(rig.consume(100)).to.deep.equal(from(501, 600));
    await Promise.resolve();
    expect(ids(rig.back)).to.deep.equal(from(201, 500));
  });

  it('go back at once when the engine stops, also those that come then', async () => {
    const rig = new Rig();
    for (let round = 0; round < 4; round += 1) rig.consume(100);
    const closed = rig.ahead.close();
    await closed;
    await rig.clock.advance(0);
    expect(rig.asked).to.deep.equal([100, 400, 300]);
    expect(ids(rig.back)).to.deep.equal(from(401, 800));
    expect(rig.clock.pending).to.equal(0);
  });

  it('go back by who cannot wait for those that are on their way', async () => {
    const rig = new Rig();
    rig.consume(100);
    rig.consume(100);
    rig.away = true;
    void rig.ahead.clear();
    const now: QueueDelivery[] = [];
    await rig.ahead.clear((deliveries) => Promise.resolve(now.push(...deliveries)));
    expect(ids(now)).to.deep.equal(from(201, 500));
    rig.away = false;
    await rig.ahead.retry();
    expect(rig.back).to.deep.equal([]);
  });

  it('go back later while the store is away', async () => {
    const rig = new Rig();
    rig.consume(100);
    rig.consume(100);
    rig.away = true;
    await rig.ahead.clear();
    rig.away = false;
    await rig.ahead.retry();
    expect(ids(rig.back)).to.deep.equal(from(201, 500));
    await rig.ahead.retry();
    expect(rig.back).to.have.length(300);
  });
});
