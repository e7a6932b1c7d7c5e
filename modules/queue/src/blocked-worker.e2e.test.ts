import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { QueueApplication } from './queue-engine.fixture.js';

/** Message 0 holds up its whole process until the test lets go of it, and -1, right before it, needs no time; the others note their attempt and process. */
const WORK = (released: string): string => `
import { existsSync } from 'node:fs';
export const config = { name: 'work', triggers: [{ type: 'queue', topic: 't', config: { timeoutMs: 3000, maxAttempts: 1 } }] };
export const handler = async (input: any, ctx: any) => {
  if (input === 0) while (!existsSync(${JSON.stringify(released)}));
  else if (input > 0) await ctx.state.update('runs', String(input), [{ type: 'append', value: [ctx.attempt, process.pid] }]);
};
`;
/** A Step that harms nobody notes its process. */
const OTHER = `
export const config = { name: 'other', triggers: [{ type: 'queue', topic: 'u' }] };
export const handler = async (input: any, ctx: any) => ctx.state.update('runs', String(input), [{ type: 'append', value: [ctx.attempt, process.pid] }]);
`;
type Runs = Readonly<Record<string, readonly (readonly [attempt: number, pid: number])[]>>;

describe('a handler that blocks its process for longer than its time', function () {
  this.timeout(90_000);
  let app: QueueApplication;
  afterEach(() => app.end());

  const begin = async (workers: number): Promise<() => void> => {
    app = new QueueApplication({});
    const released = join(app.root, 'released');
    app.write('work', WORK(released));
    app.write('other', OTHER);
    await app.start({ workers });
    await enqueue(100);
    await app.until(async () => '100' in await runs() && await app.active() === 0, 'the end of a first message');
    await enqueue(-1, 0, 1, 2, 3);
    return () => writeFileSync(released, '');
  };
  const enqueue = (...data: number[]): Promise<unknown> => app.queue.enqueue(data.map((n) => ({ topic: 't', data: n })));
  const runs = async (): Promise<Runs> => await app.notes('runs') as Runs;
  const haveRun = async (...data: number[]): Promise<boolean> => { const all = await runs(); return data.every((n) => String(n) in all); };
  const attempts = async (): Promise<readonly number[][]> => {
    const all = await runs();
    return [1, 2, 3].map((n) => (all[n] ?? []).map(([attempt]) => attempt));
  };

  it('loses its own attempt, and the messages before and behind it none: they run once it lets go', async () => {
    const release = await begin(1);
    await app.until(async () => (await app.letters()).length > 0, 'the dead letter');
    release();
    await app.until(() => haveRun(1, 2, 3), 'the others');
    expect(await attempts()).to.deep.equal([[1], [1], [1]]);
    expect((await app.letters()).map(({ data, reason }) => [data, reason])).to.deep.equal([[0, 'max_attempts']]);
  });

  it('leaves the messages behind it to another process, does not run them later, and is kept apart from other Steps', async () => {
    const release = await begin(2);
    await app.until(() => haveRun(1, 2, 3), 'the others');
    await app.until(async () => (await app.letters()).length > 0, 'the dead letter');
    release();
    const others = Array.from({ length: 20 }, (_, n) => 300 + n);
    await app.queue.enqueue(others.map((n) => ({ topic: 'u', data: n })));
    await app.until(() => haveRun(...others), 'the other Step');
    const pidsOf = async (wanted: (n: number) => boolean): Promise<ReadonlySet<number | undefined>> =>
      new Set(Object.entries(await runs()).filter(([n]) => wanted(Number(n))).map(([, [run]]) => run?.[1]));
    const [pid, ...more] = await pidsOf((n) => n >= 300);
    expect(more, 'processes of the other Step').to.deep.equal([]);
    const own = Array.from({ length: 20 }, (_, n) => 200 + n);
    await app.until(async () => {
      const pids = await pidsOf((n) => n >= 200 && n < 300);
      const isThere = [...pids].some((each) => each !== pid);
      if (!isThere) await enqueue(...own.splice(0, 2));
      return isThere;
    }, 'the process that was blocked');
    expect(await attempts()).to.deep.equal([[1], [1], [1]]);
    expect((await app.letters()).map(({ data, reason }) => [data, reason])).to.deep.equal([[0, 'max_attempts']]);
  });
});
