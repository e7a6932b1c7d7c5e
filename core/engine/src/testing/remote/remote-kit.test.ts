import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { PROTOCOL_VERSION } from '@treadle/protocol';
import { KitBench } from '../kit/kit-bench.fixture.js';
import { RemoteKit } from './remote-kit.js';

type Members = Record<string, unknown>;

const WORKER = { protocol: PROTOCOL_VERSION, runtimeVersion: '3.12.0', sdkVersion: '0.1.0', pid: 1 };
const CONFIG = { name: 'Greet', triggers: [{ type: 'http', method: 'GET', path: '/greet' }, { type: 'queue', topic: 't' }] };

/** The process of a test, played by a function for each invocation. */
class Peer {
  readonly ended: Promise<void>;
  readonly times: unknown[] = [];
  private readonly input = new PassThrough();
  private readonly waiting = new Map<number, (line: Members) => void>();
  private last = 0;

  /** Gives the messages that answer an invocation; none: the handler goes on. */
  constructor(private readonly invoked: (message: Members) => readonly Members[]) {
    const output = new PassThrough();
    createInterface({ input: output }).on('line', (text) => this.take(JSON.parse(text) as Members));
    this.ended = new RemoteKit(this.input, (line) => void output.write(line)).run();
  }

  ask(name: string, args: Members = {}): Promise<Members> {
    const id = ++this.last;
    this.write({ id, do: name, args });
    return new Promise((resolve) => void this.waiting.set(id, resolve));
  }

  end(): void {
    this.input.end();
  }

  private write(line: Members): void {
    this.input.write(`${JSON.stringify(line)}\n`);
  }

  private take(line: Members): void {
    this.times.push(line['now']);
    if (line['id'] !== undefined) this.waiting.get(line['id'] as number)?.(line);
    if (line['alive'] !== undefined) this.write({ alive: line['alive'] });
    for (const message of (line['worker'] ?? []) as Members[]) this.answer(message);
  }

  private answer(message: Members): void {
    if (message['type'] === 'load') {
      const reports = (message['files'] as Members[]).map((file) => ({ ...file, steps: [{ name: CONFIG.name, config: CONFIG, line: 1 }] }));
      this.write({ worker: [{ type: 'register', reports, complete: true }] });
    }
    if (message['type'] === 'invoke') this.write({ worker: this.invoked(message) });
  }
}

describe('a test engine for another process', function () {
  this.timeout(180_000);
  const bench = new KitBench();
  let peer: Peer | undefined;
  const root = (): string => bench.folder({ 'steps/greet_step.py': '# read by nobody\n', 'steps/other.step.js': 'throw new Error();\n' });
  const start = async (invoked: (message: Members) => readonly Members[], options: Members = {}): Promise<Peer> => {
    peer = new Peer(invoked);
    const { error } = await peer.ask('start', { root: root(), worker: WORKER, env: {}, now: 1_000, ...options });
    expect(error).to.equal(undefined);
    return peer;
  };
  afterEach(async () => {
    peer?.end();
    await peer?.ended;
    await bench.end();
  });

  it('has its handlers there, and knows what they logged before it answers', async () => {
    const { ask } = bound(await start(({ id }) => [
      { type: 'log', id, time: 1_000, level: 'info', message: 'greeting' },
      { type: 'result', id, http: { status: 200, body: { kind: 'json', value: 'hello' } } },
    ]));
    const answer = (await ask('http', { method: 'GET', path: '/greet' }))['value'] as Members;
    expect([answer['status'], Buffer.from(answer['base64'] as string, 'base64').toString()]).to.deep.equal([200, '"hello"']);
    const [log] = (await ask('logs', { step: 'Greet' }))['value'] as Members[];
    expect([log?.['message'], log?.['traceId']]).to.deep.equal(['greeting', answer['traceId']]);
  });

  it('waits for them, tells its time with each line, and forgets all with a reset', async () => {
    const peer = await start(({ id }) => [{ type: 'result', id }]);
    const { ask } = bound(peer);
    await ask('enqueue', { topic: 't', data: 1, delayMs: 500 });
    await ask('advance', { ms: 2_000 });
    await ask('untilIdle');
    expect(peer.times).to.include.members([1_000, 1_500, 3_000]);
    expect((await ask('messages', { topic: 't' }))['value']).to.have.length(1);
    expect((await ask('operation', { op: 'state.set', args: { group: 'g', key: 'k', value: { n: 1 } } }))['error']).to.equal(undefined);
    await ask('reset');
    expect((await ask('messages'))['value']).to.deep.equal([]);
    expect((await ask('operation', { op: 'state.get', args: { group: 'g', key: 'k' } }))['value']).to.equal(null);
    expect(peer.times.at(-1)).to.equal(1_000);
  });

  it('says what is wrong, with the code of an operation', async () => {
    const { ask } = bound(await start(() => []));
    expect((await ask('operation', { op: 'state.get', args: { group: '', key: 'k' } }))['error']).to.include({ message: 'group must not be empty' }).and.to.have.property('code');
    expect((await ask('cron', { step: 'Greet' }))['error']).to.deep.equal({ message: 'no cron trigger of a Step "Greet"; there are none' });
    expect((await ask('dance'))['error']).to.deep.equal({ message: 'the test engine does not know "dance"' });
    expect((await ask('start', { root: root(), worker: { ...WORKER, protocol: 99 } }))['error']).to.have.property('message').that.includes('install the same version of both');
    await ask('enqueue', { topic: 't', data: 1 });
    expect((await ask('untilIdle', { timeoutMs: 50 }))['error']).to.deep.equal({ message: 'not idle after 50 ms: Step "Greet" runs (queue, attempt 1)' });
  });
});

function bound(peer: Peer): { ask: Peer['ask'] } {
  return { ask: (name, args) => peer.ask(name, args) };
}
