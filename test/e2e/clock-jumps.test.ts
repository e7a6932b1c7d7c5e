import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { canFakeClocks, FakedClock } from '../support/faked-clock.js';
import { request } from '../support/http-client.js';
import { requireOrSkip } from '../support/requirement.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const HOUR_S = 3_600;
/** What waits for the wall clock after a jump of an hour waits far longer than this; milliseconds. */
const SOON_MS = 60_000;
/** Long enough that the clock jumps meanwhile. */
const WAIT_MS = 3_000;
/** Long enough that the engine ends meanwhile. */
const STORED_MS = 10_000;

/** A machine that is busy with other tests sheds no load. */
const HTTP = { port: 0, max_event_loop_delay_ms: 60_000 };

const cronStep = (name: string, expression: string, work = ''): string => `import { appendFileSync } from 'node:fs';
export const config = { name: '${name}', triggers: [{ type: 'cron', expression: '${expression}', overlap: 'allow' }] };
export const handler = async ({ scheduledAt }, { streams }) => {
  appendFileSync('${name}.txt', scheduledAt + '\\n');
  ${work}
};
`;
const httpStep = (name: string, path: string, body: string): string => `export const config = {
  name: '${name}', enqueues: ['work'], triggers: [{ type: 'http', method: 'POST', path: '${path}' }],
};
export const handler = async ({ body }, { enqueue, state }) => ({ status: 200, body: { value: ${body} } });
`;
/** A message is noted at its end; \`twice\` fails once, \`long\` takes its time. */
const WORK = `import { appendFileSync } from 'node:fs';
export const config = {
  name: 'Work', triggers: [{ type: 'queue', topic: 'work', config: { backoff: { type: 'fixed', delayMs: ${WAIT_MS}, jitter: 0 } } }],
};
export const handler = async ({ id, kind }, { attempt }) => {
  if (kind === 'twice' && attempt === 1) throw new Error('once');
  if (kind === 'long') await new Promise((resolve) => setTimeout(resolve, ${2 * WAIT_MS}));
  appendFileSync('Work.txt', id + '\\n');
};
`;

function application(): string {
  const modules = ['http::HttpModule', 'stream::StreamModule', 'state::StateModule', 'queue::QueueModule', 'cron::CronModule', 'steps::StepsModule'];
  return tempApplication({
    'steps/second.step.js': cronStep('Second', '* * * * * *', "await streams.board.set('g', 'item', { scheduledAt });"),
    'steps/third.step.js': cronStep('Third', '*/3 * * * * *'), 'steps/work.step.js': WORK,
    'steps/board.stream.js': "export const config = { name: 'board', canAccess: () => true };\n",
    'steps/send.step.js': httpStep('Send', '/send', "await enqueue({ ...body, topic: 'work' })"),
    'steps/set.step.js': httpStep('Set', '/set', "await state.set('g', body.key, 1, { ttlMs: body.ttlMs })"),
    'steps/get.step.js': httpStep('Get', '/get', "await state.get('g', body.key)"),
    'steps/now.step.js': httpStep('Now', '/now', 'Date.now()'),
    'config.yaml': JSON.stringify({
      engine: { implicit_modules: false },
      modules: modules.map((name) => ({ class: `modules::${name}`, config: name.startsWith('http') ? HTTP : name.startsWith('stream') ? { port: 0 } : name.startsWith('steps') ? { port: false } : {} })),
    }),
  });
}

describe('a wall clock that jumps', function () {
  this.timeout(300_000);
  let clock: FakedClock;
  let cwd: string;
  let engine: EngineProcess;
  let url: string;
  before(function () { requireOrSkip(this, canFakeClocks(), 'needs libfaketime'); });
  beforeEach(async () => {
    clock = new FakedClock();
    cwd = application();
    await start();
  });
  afterEach(stopAllEngines);

  const start = async (): Promise<void> => {
    engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env: clock.env });
    url = await engine.ready();
    await lines('Second', 1);
  };
  /** The lines of a Step's file, once there are so many. */
  const lines = (name: string, count: number): Promise<readonly string[]> => waitUntil(`${count} lines of ${name}`, () => {
    const file = join(cwd, `${name}.txt`);
    const all = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    return all.length >= count && all;
  }, SOON_MS);
  const post = async (path: string, body: object): Promise<unknown> => {
    const { status, json, text } = await request('POST', url + path, body);
    expect(status, text).to.equal(200);
    return (json as { value?: unknown }).value;
  };
  const send = (id: string, { kind, ...more }: { kind?: string; [member: string]: unknown } = {}): Promise<unknown> => post('/send', { data: { id, kind }, ...more });
  /** The time that Steps are shown, as hours beside the true one. */
  const hoursOff = async (): Promise<number> => Math.round((Number(await post('/now', {})) - Date.now()) / (HOUR_S * 1000));

  it('stops no schedule, repeats no tick, and lets the timestamps of a stream rise', async () => {
    const timestamps = await follow(await engine.address('stream'));
    for (const hours of [0, -1, 0, 1, 0]) {
      clock.set(hours * HOUR_S);
      expect(await hoursOff()).to.equal(hours);
      const before = { second: (await lines('Second', 1)).length, third: (await lines('Third', 1)).length };
      await lines('Second', before.second + 4);
      await lines('Third', before.third + 1);
    }
    for (const name of ['Second', 'Third']) {
      const ticks = await lines(name, 1);
      expect(new Set(ticks).size, `ticks of ${name}: ${ticks.join(' ')}`).to.equal(ticks.length);
    }
    expect(timestamps.length).to.be.above(15);
    expect(timestamps.filter((at, index) => index > 0 && at <= (timestamps[index - 1] ?? 0)), 'timestamps that do not rise').to.deep.equal([]);
  });

  for (const [name, hours] of [['back', -1], ['forward', 1]] as const) {
    it(`holds up no delay, no retry and no time to live when it is put ${name}, and ends nothing before its time`, async () => {
      await Promise.all([
        send('late', { delayMs: WAIT_MS }), send('twice', { kind: 'twice' }), send('long', { kind: 'long' }), send('an hour', { delayMs: HOUR_S * 1000 }),
        post('/set', { key: 'short', ttlMs: WAIT_MS }), post('/set', { key: 'an hour', ttlMs: HOUR_S * 1000 }),
      ]);
      const { messageId } = await send('once', { dedupeKey: 'k' }) as { messageId: string };
      clock.set(hours * HOUR_S);
      expect(await hoursOff()).to.equal(hours);
      await send('at', { at: Date.now() + hours * HOUR_S * 1000 + WAIT_MS });
      await waitUntil('the end of a time to live', async () => await post('/get', { key: 'short' }) === null, SOON_MS);
      const done = await lines('Work', 5);
      expect([...done].sort()).to.deep.equal(['at', 'late', 'long', 'once', 'twice']);
      expect(await post('/get', { key: 'an hour' })).to.equal(1);
      expect(await send('once', { dedupeKey: 'k' })).to.deep.equal({ messageId });
    });
  }

  for (const [name, signal] of [['while no engine runs', 'SIGTERM'], ['before an engine is killed', 'SIGKILL']] as const) {
    it(`holds up nothing that is stored, nor takes a stream back, when it is put back ${name}`, async () => {
      if (signal === 'SIGKILL') clock.set(-HOUR_S);
      await send('late', { delayMs: STORED_MS });
      const before = await follow(await engine.address('stream'));
      await waitUntil('events', () => before.length > 2);
      await engine.stop(signal);
      clock.set(-HOUR_S);
      await start();
      expect(await hoursOff()).to.equal(-1);
      const after = await follow(await engine.address('stream'));
      await waitUntil('events of the next engine', () => after.length > 3);
      // A message that is due just before a kill may come again after it.
      const work = await lines('Work', 1);
      expect(signal === 'SIGKILL' ? [...new Set(work)] : work).to.deep.equal(['late']);
      // A kill may cost the second in which the time was not written down.
      expect(after.at(-1)).to.be.above(Math.max(...before));
    });
  }
});

/** Timestamps of what comes of the group, from now on. */
async function follow(address: string): Promise<number[]> {
  const timestamps: number[] = [];
  const socket = new WebSocket(address);
  socket.on('error', () => undefined).on('message', (data: Buffer) => {
    const { timestamp, event } = JSON.parse(data.toString()) as { timestamp: number; event?: { type: string } };
    if (event !== undefined && event.type !== 'sync') timestamps.push(timestamp);
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.send(JSON.stringify({ type: 'join', data: { subscriptionId: 's', streamName: 'board', groupId: 'g' } }));
  return timestamps;
}
