import { expect } from 'chai';
import { Admission, type Admitted, type AdmissionOptions } from './admission.js';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { call, openRaw, until } from '../raw-client.fixture.js';

/** Time that a test moves. */
class ManualClock {
  time = 0;
  private readonly tasks: { at: number; task: () => void }[] = [];
  now(): number {
    return this.time;
  }
  monotonic(): number {
    return this.time;
  }
  after(ms: number, task: () => void): { cancel(): void } {
    const entry = { at: this.time + ms, task };
    this.tasks.push(entry);
    return { cancel: () => void this.tasks.splice(this.tasks.indexOf(entry), 1) };
  }
  every(): { cancel(): void } {
    return { cancel: () => undefined };
  }
  advance(ms: number): void {
    this.time += ms;
    for (const due of this.tasks.filter(({ at }) => at <= this.time)) {
      this.tasks.splice(this.tasks.indexOf(due), 1);
      due.task();
    }
  }
}

class Visitor implements Admitted {
  state: 'waiting' | 'running' | 'refused' = 'waiting';
  run(): void {
    this.state = 'running';
  }
  refuseOverloaded(): void {
    this.state = 'refused';
  }
}

describe('Admission', () => {
  let clock: ManualClock;
  const make = (more: Partial<AdmissionOptions> = {}): Admission => {
    clock = new ManualClock();
    return new Admission({ clock, limit: 2, waiting: 1, waitMs: 1000, maxDelayMs: 200, ...more });
  };
  const enter = (admission: Admission, count: number): Visitor[] => Array.from({ length: count }, () => {
    const visitor = new Visitor();
    admission.enter(visitor);
    return visitor;
  });
  const states = (visitors: readonly Visitor[]): string => visitors.map(({ state }) => state).join(' ');

  it('runs up to its limit, lets some wait and refuses the rest', () => {
    const admission = make();
    expect(states(enter(admission, 4))).to.equal('running running waiting refused');
    expect(admission.refuses()).to.equal(true);
  });

  it('lets the waiting in, first come first served', () => {
    const admission = make({ waiting: 2 });
    const visitors = enter(admission, 4);
    admission.leave();
    expect(states(visitors)).to.equal('running running running waiting');
    expect(admission.running).to.equal(2);
  });

  it('refuses who waited too long, each at its own time', () => {
    const admission = make({ waiting: 2 });
    const visitors = enter(admission, 3);
    clock.advance(600);
    visitors.push(...enter(admission, 1));
    clock.advance(400);
    expect(states(visitors)).to.equal('running running refused waiting');
    clock.advance(600);
    expect(states(visitors)).to.equal('running running refused refused');
  });

  it('forgets who left', () => {
    const admission = make();
    const visitors = enter(admission, 3);
    expect(admission.forget(visitors[2]!)).to.equal(true);
    expect(admission.forget(visitors[0]!)).to.equal(false);
    admission.leave();
    expect(states(visitors)).to.equal('running running waiting');
    expect(admission.refuses()).to.equal(false);
  });

  const refusedOf100 = (admission: Admission): number => Array.from({ length: 100 }, () => admission.refuses()).filter(Boolean).length;

  it('takes one slow window for a hiccup and sheds more with every further one', () => {
    const admission = make();
    admission.judge(500);
    expect(refusedOf100(admission)).to.equal(0);
    admission.judge(500);
    expect(refusedOf100(admission)).to.equal(50);
    admission.judge(500);
    expect(refusedOf100(admission)).to.equal(75);
  });

  it('never shuts everybody out and recovers in good windows', () => {
    const admission = make();
    for (let i = 0; i < 20; i++) admission.judge(1000);
    expect(refusedOf100(admission)).to.be.within(96, 98);
    for (let i = 0; i < 3; i++) admission.judge(200);
    expect(refusedOf100(admission)).to.equal(0);
    admission.judge(500);
    expect(refusedOf100(admission)).to.equal(0);
  });
});

describe('An overloaded engine', () => {
  let run: RunningModule;
  const waiting: (() => void)[] = [];
  before(async () => {
    run = await runModule({ config: { concurrency_request_limit: 4, waiting_request_limit: 2, wait_timeout_ms: 300 } });
    run.hub.add({ method: 'GET', path: '/slow' }, () => new Promise((resolve) => {
      waiting.push(() => resolve({ status: 200 }));
    }));
    run.hub.add({ method: 'GET', path: '/fast' }, () => ({ status: 200 }));
  });
  after(() => run.stop());

  it('refuses what it cannot run, quickly and without a worker, and answers health', async () => {
    const calls = Array.from({ length: 4 }, () => call(`${run.url}/slow`));
    await until(() => waiting.length === 4);
    const waited = Array.from({ length: 2 }, () => call(`${run.url}/fast`));
    await new Promise((resolve) => setTimeout(resolve, 30));
    const before = run.hub.requests.length;
    const refused = await call(`${run.url}/fast`);
    expect(refused.status).to.equal(503);
    expect(refused.json).to.include({ code: 'overloaded' });
    expect(Number(refused.headers['retry-after'])).to.be.within(1, 5);
    expect(run.hub.requests.length).to.equal(before);
    expect((await call(`${run.url}/health`)).text).to.equal('{"status":"ok"}');
    expect((await Promise.all(waited)).map(({ status }) => status)).to.deep.equal([503, 503]);
    for (const release of waiting.splice(0)) release();
    expect((await Promise.all(calls)).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    expect((await call(`${run.url}/fast`)).status).to.equal(200);
  });

  it('answers health beyond the limit of connections, and refuses anything else there in words', async () => {
    const full = await runModule({ config: { max_connections: 3 } });
    full.hub.add({ method: 'GET', path: '/fast' }, () => ({ status: 200 }));
    const open = await Promise.all(Array.from({ length: 3 }, () => openRaw(full.port)));
    const refused = await call(`${full.url}/fast`);
    expect([refused.status, refused.headers['connection']]).to.deep.equal([503, 'close']);
    expect(refused.json).to.include({ code: 'overloaded' });
    const health = await call(`${full.url}/health?probe`);
    expect([health.status, health.headers['connection']]).to.deep.equal([200, 'close']);
    for (const socket of open) socket.destroy();
    await until(async () => (await call(`${full.url}/fast`)).status === 200);
    await full.stop();
  });

  it('lets a request wait for a place', async () => {
    const patient = await runModule({ config: { concurrency_request_limit: 1, waiting_request_limit: 1, wait_timeout_ms: 60_000 } });
    let release: (() => void) | undefined;
    patient.hub.add({ method: 'GET', path: '/slow' }, () => new Promise((resolve) => { release = () => resolve({ status: 200 }); }));
    patient.hub.add({ method: 'GET', path: '/fast' }, () => ({ status: 200 }));
    const slow = call(`${patient.url}/slow`);
    await until(() => release !== undefined);
    const waited = [call(`${patient.url}/fast`), call(`${patient.url}/fast`)];
    // The one that comes second finds no place to wait at.
    expect((await Promise.race(waited)).status).to.equal(503);
    release?.();
    expect((await Promise.all(waited)).map(({ status }) => status).sort()).to.deep.equal([200, 503]);
    expect((await slow).status).to.equal(200);
    await patient.stop();
  });

  it('does not count requests whose body is still on its way', async () => {
    run.hub.add({ method: 'POST', path: '/post' }, () => ({ status: 200 }));
    const slow = await Promise.all(Array.from({ length: 10 }, () => openRaw(run.port)));
    for (const socket of slow) socket.write('POST /post HTTP/1.1\r\nHost: x\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n\r\nhalf');
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect((await call(`${run.url}/fast`)).status).to.equal(200);
    for (const socket of slow) socket.destroy();
  });

  it('sheds while the event loop is slow and recovers', async function () {
    this.timeout(180_000);
    const slow = await runModule({ config: { max_event_loop_delay_ms: 250 } });
    slow.hub.add({ method: 'GET', path: '/fast' }, () => ({ status: 200 }));
    slow.hub.add({ method: 'GET', path: '/block' }, () => {
      const end = Date.now() + 350;
      while (Date.now() < end) { /* the point of this handler */ }
      return { status: 200 };
    });
    const statuses = async (path: string): Promise<readonly number[]> => (await Promise.all(Array.from({ length: 4 }, () => call(`${slow.url}${path}`)))).map(({ status }) => status);
    await until(async () => (await statuses('/block')).includes(503));
    await until(async () => (await statuses('/fast')).every((status) => status === 200));
    await slow.stop();
  });
});
