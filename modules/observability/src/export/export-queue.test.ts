import { fakeClock, type FakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { BATCH, ExportQueue, MAX_WAITING } from './export-queue.js';

describe('the queue of an export', () => {
  let clock: FakeClock;
  let batches: number[][];
  let losses: [number, string][];
  let answer: () => Promise<void>;
  beforeEach(() => {
    [clock, batches, losses] = [fakeClock(), [], []];
    answer = () => Promise.resolve();
  });

  const queueOf = (bytes = 1): ExportQueue<number> => new ExportQueue<number>({
    clock, intervalMs: 1000, bytesOf: () => bytes, lost: (count, reason) => losses.push([count, reason]),
    send: (items) => {
      batches.push([...items]);
      return answer();
    },
  });
  const fill = (queue: ExportQueue<number>, count: number): void => {
    for (let item = 0; item < count; item += 1) queue.add(item);
  };
  const sizes = (): readonly number[] => batches.map(({ length }) => length);

  it('waits for company, and no longer when a batch is full', async () => {
    const queue = queueOf();
    fill(queue, 2);
    await clock.advance(999);
    expect(sizes()).to.deep.equal([]);
    await clock.advance(1);
    expect(batches).to.deep.equal([[0, 1]]);
    fill(queue, BATCH + 3);
    await clock.advance(0);
    expect(sizes()).to.deep.equal([2, BATCH]);
    await clock.advance(1000);
    expect(sizes()).to.deep.equal([2, BATCH, 3]);
    expect([queue.length, clock.pending, losses]).to.deep.equal([0, 0, []]);
  });

  it('sends one request at a time and loses, with a count, what is too much meanwhile', async () => {
    let release = (): void => undefined;
    answer = () => new Promise((resolve) => { release = resolve; });
    const queue = queueOf();
    fill(queue, BATCH);
    await clock.advance(0);
    fill(queue, MAX_WAITING + 10);
    await clock.advance(10_000);
    expect([sizes(), queue.length, losses.length]).to.deep.equal([[BATCH], MAX_WAITING, 10]);
    expect(losses[0]).to.deep.equal([1, 'too much waits for the collector']);
    answer = () => Promise.resolve();
    release();
    await clock.advance(1000);
    expect(queue.length).to.equal(0);
  });

  it('is bounded by bytes', () => {
    const queue = queueOf(10 * 1024 * 1024);
    fill(queue, 5);
    expect([queue.length, losses.length]).to.deep.equal([3, 2]);
  });

  it('loses a batch that is refused, and goes on', async () => {
    answer = () => Promise.reject(new Error('14 UNAVAILABLE'));
    const queue = queueOf();
    fill(queue, 3);
    await clock.advance(1000);
    expect(losses).to.deep.equal([[3, '14 UNAVAILABLE']]);
    answer = () => Promise.resolve();
    fill(queue, 1);
    await clock.advance(1000);
    expect(sizes()).to.deep.equal([3, 1]);
  });

  it('sends the rest when it is closed, as far as there is time', async () => {
    const queue = queueOf();
    fill(queue, BATCH + 1);
    await queue.close(new AbortController().signal);
    expect(sizes()).to.deep.equal([BATCH, 1]);
    queue.add(1);
    expect(losses).to.deep.equal([[1, 'the engine is stopping']]);
    const stuck = queueOf();
    answer = () => new Promise(() => undefined);
    fill(stuck, BATCH + 5);
    const end = new AbortController();
    const closed = stuck.close(end.signal);
    await clock.advance(0);
    expect(stuck.length).to.equal(5);
    end.abort();
    await closed;
    expect(losses.at(-1)).to.deep.equal([BATCH + 5, 'the engine stopped before they were sent']);
    expect(clock.pending).to.equal(0);
  });
});
