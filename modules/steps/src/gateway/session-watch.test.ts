import { expect } from 'chai';
import { fakeClock, type FakeClock } from '@treadle/testing';
import { type Pulse, SessionWatch } from './session-watch.js';

describe('SessionWatch', () => {
  let clock: FakeClock;
  let watch: SessionWatch;
  let events: string[];
  let session: { ping(): void; unresponsive(reason: string): void; blocked(reason: string): void };
  let pulse: Pulse;

  beforeEach(() => {
    clock = fakeClock();
    watch = new SessionWatch(clock);
    events = [];
    session = { ping: () => void events.push('ping'), unresponsive: (reason) => void events.push(reason), blocked: (reason) => void events.push(reason) };
    pulse = watch.add(session);
  });

  it('asks a session without heartbeat every 5 s', async () => {
    for (let i = 0; i < 4; i++) {
      await clock.advance(5000);
      pulse.heard = true;
    }
    expect(events).to.deep.equal(['ping', 'ping', 'ping', 'ping']);
  });

  it('gives up on a session that is silent for 15 s, within 15.5 s and once', async () => {
    watch.heartbeat(session, 1);
    await clock.advance(14_900);
    expect(events).to.deep.equal([]);
    await clock.advance(600);
    expect(events).to.deep.equal(['unresponsive for 15 s']);
    await clock.advance(60_000);
    expect(events).to.have.length(1);
    expect(clock.pending).to.equal(0);
  });

  it('leaves a session alone whose heartbeat says that it lives', async () => {
    watch.heartbeat(session, 1);
    for (let i = 0; i < 10; i++) {
      await clock.advance(5000);
      watch.alive(session, 20);
    }
    expect(events).to.deep.equal([]);
  });

  it('gives up on a session whose event loop is blocked for 15 s, though its heartbeat goes on', async () => {
    watch.heartbeat(session, 1);
    await clock.advance(5000);
    watch.alive(session, 5000);
    await clock.advance(5000);
    watch.alive(session, 10_000);
    await clock.advance(4900);
    expect(events).to.deep.equal(['ping', 'ping']);
    await clock.advance(600);
    expect(events).to.deep.equal(['ping', 'ping', 'event loop blocked for 15 s']);
  });

  it('forgives a block that was over in time, as the answer to a ping shows', async () => {
    watch.heartbeat(session, 1);
    watch.alive(session, 14_000);
    pulse.heard = true;
    for (let i = 0; i < 4; i++) {
      await clock.advance(5000);
      watch.alive(session, 10);
    }
    expect(events).to.deep.equal(['ping']);
  });

  it('asks again once the heartbeat connection has gone', async () => {
    watch.heartbeat(session, 1);
    watch.heartbeat(session, -1);
    await clock.advance(5_500);
    expect(events).to.deep.equal(['ping']);
  });

  it('blames nobody when the engine itself was stopped for a while', () => {
    let now = 0;
    let tick = (): void => undefined;
    const sleepy = {
      now: () => now, monotonic: () => now, after: () => ({ cancel: () => undefined }),
      every: (_ms: number, task: () => void) => { tick = task; return { cancel: () => undefined }; },
    };
    const late = new SessionWatch(sleepy);
    late.add(session);
    now = 60_000;
    tick();
    expect(events.filter((event) => event !== 'ping')).to.deep.equal([]);
  });

  it('keeps no timer when there is nobody to watch', () => {
    watch.remove(session);
    expect(clock.pending).to.equal(0);
  });
});
