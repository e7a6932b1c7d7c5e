import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { TreadleError } from '@treadle/api';
import { expect } from 'chai';
import { acquireEngineLock } from './engine-lock.js';
import type { EngineDescription } from '@treadle/protocol/engine-record';

const FACTS: EngineDescription = {
  pid: process.pid, startedAt: '2026-01-01T00:00:00.000Z', version: '0.1.0', application: 'test', addresses: {},
};

describe('engine lock', () => {
  let folder: string;
  let data: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'treadle-lock-'));
    data = join(folder, 'data');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('makes the data directory and writes engine.json, both for the owner alone', async () => {
    const lock = await acquireEngineLock(data, FACTS);
    expect(statSync(data).mode & 0o777).to.equal(0o700);
    expect(statSync(join(data, 'engine.json')).mode & 0o777).to.equal(0o600);
    const record = JSON.parse(readFileSync(join(data, 'engine.json'), 'utf8')) as Record<string, unknown>;
    expect(record).to.include({ pid: process.pid, startedAt: FACTS.startedAt, version: '0.1.0', application: 'test' });
    expect(statSync(join(data, record['lock'] as string)).mode & 0o777).to.equal(0o600);
    lock.release();
  });

  it('publishes the addresses in one step and leaves nothing behind on release', async () => {
    const lock = await acquireEngineLock(data, FACTS);
    lock.publish(new Map([['http', 'http://127.0.0.1:3111']]));
    const record = JSON.parse(readFileSync(join(data, 'engine.json'), 'utf8')) as Record<string, unknown>;
    expect(record['addresses']).to.deep.equal({ http: 'http://127.0.0.1:3111' });
    lock.release();
    lock.release();
    expect(readdirSync(data)).to.deep.equal([]);
  });

  it('refuses a second engine with the pid of the first', async () => {
    const lock = await acquireEngineLock(data, { ...FACTS, pid: 4711 });
    const error = await refusal(data);
    expect(error.message).to.equal(`data directory "${data}" is in use by an engine with pid 4711`);
    expect(error.exitCode).to.equal(69);
    lock.release();
    (await acquireEngineLock(data, FACTS)).release();
  });

  it('uses the temp folder when the path of the socket would be too long', async () => {
    const deep = join(folder, 'd'.repeat(90));
    const lock = await acquireEngineLock(deep, FACTS);
    const { lock: path } = JSON.parse(readFileSync(join(deep, 'engine.json'), 'utf8')) as { lock: string };
    expect(path.startsWith(tmpdir())).to.equal(true);
    expect((await refusal(deep)).code).to.equal('DATA_DIR_LOCKED');
    lock.release();
    expect(existsSync(path)).to.equal(false);
  });

  it('replaces a file whose socket refuses, though its pid is alive', async () => {
    writeStale(data, 'a'.repeat(16));
    const lock = await acquireEngineLock(data, FACTS);
    expect(readdirSync(data)).to.have.length(2);
    lock.release();
  });

  it('replaces an engine.json that nobody can read', async () => {
    mkdirSync(data);
    writeFileSync(join(data, 'engine.json'), '{"pid": 1');
    const lock = await acquireEngineLock(data, FACTS);
    expect((await refusal(data)).code).to.equal('DATA_DIR_LOCKED');
    lock.release();
  });

  it('follows engines that died while they were taking over', async () => {
    writeStale(data, 'a'.repeat(16));
    writeStale(data, 'b'.repeat(16), `.engine.after-${'a'.repeat(16)}`);
    writeStale(data, 'c'.repeat(16), `.engine.after-${'b'.repeat(16)}`);
    const lock = await acquireEngineLock(data, FACTS);
    expect(readdirSync(data).filter((name) => name.startsWith('.'))).to.deep.equal([]);
    lock.release();
  });

  it('refuses while another engine is taking over', async () => {
    writeStale(data, 'a'.repeat(16));
    writeStale(data, 'b'.repeat(16), `.engine.after-${'a'.repeat(16)}`, 815);
    const server = createServer().listen(join(data, `engine-${'b'.repeat(16)}.sock`));
    expect((await refusal(data)).message).to.match(/pid 815$/);
    await new Promise((resolve) => server.close(resolve));
  });

  it('says why a data directory cannot be used', async () => {
    writeFileSync(join(folder, 'file'), '');
    const error = await refusal(join(folder, 'file', 'data'));
    expect(error.code).to.equal('DATA_DIR_UNUSABLE');
    expect(error.exitCode).to.equal(74);
    expect(error.message).to.match(/cannot be used: ENOTDIR/);
  });

  it('has exactly one winner when 20 engines start at the same moment', async function () {
    this.timeout(180_000);
    const contenders = Array.from({ length: 20 }, () => new Contender());
    try {
      for (let round = 0; round < 12; round++) {
        const dir = join(folder, `round-${round}`);
        if (round % 3 > 0) writeStale(dir, 'a'.repeat(16));
        if (round % 3 > 1) writeStale(dir, 'b'.repeat(16), `.engine.after-${'a'.repeat(16)}`);
        const answers = await Promise.all(contenders.map((contender) => contender.contend(dir)));
        expect(answers.filter((answer) => answer === 'won'), `round ${round}: ${answers.join()}`).to.have.length(1);
        expect(answers.filter((answer) => answer === 'DATA_DIR_LOCKED')).to.have.length(19);
      }
    } finally {
      await Promise.all(contenders.map((contender) => contender.kill()));
    }
  });

  it('lets the next one in after kill -9', async function () {
    this.timeout(180_000);
    const first = new Contender();
    expect(await first.contend(data)).to.equal('won');
    expect((await refusal(data)).message).to.match(new RegExp(`pid ${first.pid}$`));
    await first.kill();
    (await acquireEngineLock(data, FACTS)).release();
    expect(readdirSync(data)).to.deep.equal([]);
  });
});

async function refusal(dir: string): Promise<TreadleError> {
  try {
    (await acquireEngineLock(dir, FACTS)).release();
  } catch (error) {
    if (error instanceof TreadleError) return error;
    throw error;
  }
  throw new Error('the lock was given');
}

function writeStale(dir: string, id: string, name = 'engine.json', pid = process.pid): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, name), JSON.stringify({ ...FACTS, pid, id, lock: `engine-${id}.sock` }));
}

/** A process that goes for the lock of each folder that it is told, and keeps what it gets. */
class Contender {
  private readonly child: ChildProcessByStdio<Writable, Readable, null>;
  private readonly answers: AsyncIterator<string>;

  constructor() {
    const lock = new URL('../../dist/lock/engine-lock.js', import.meta.url).href;
    const program = `
      import { createInterface } from 'node:readline';
      import { acquireEngineLock } from ${JSON.stringify(lock)};
      const facts = { ...${JSON.stringify(FACTS)}, pid: process.pid };
      for await (const dir of createInterface({ input: process.stdin }))
        console.log(await acquireEngineLock(dir, facts).then(() => 'won', (error) => error.code));`;
    this.child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.answers = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  async contend(dir: string): Promise<string> {
    this.child.stdin.write(`${dir}\n`);
    return (await this.answers.next()).value as string;
  }

  kill(): Promise<unknown> {
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    return gone;
  }
}
