import { setImmediate as nextTurn } from 'node:timers/promises';
import { EARLY, TURN_PHASES } from '@treadle/api';
import { expect } from 'chai';
import { EngineTurn } from './turn.js';

function onTime(): { readonly turn: EngineTurn; readonly clock: { now: number } } {
  const clock = { now: 0, monotonic: () => clock.now };
  return { clock, turn: new EngineTurn(clock) };
}

describe('EngineTurn', () => {
  it('runs the phases in their order, whatever the order of asking, and frames once more when what is awaited of a commit has arrived', async () => {
    const { turn } = onTime();
    const events: string[] = [];
    const askFrames = turn.at('frames', () => events.push('frames'));
    const committed = new Promise<void>((resolve) => {
      turn.at('commit', () => {
        events.push('commit');
        resolve();
      })();
    });
    for (const phase of ['claim', 'settle', 'enqueue'] as const) turn.at(phase, () => events.push(phase))();
    askFrames();
    const answered = committed.then(() => undefined).then(() => {
      events.push('answer');
      askFrames();
    });
    await nextTurn();
    await answered;
    expect(events).to.deep.equal(['claim', 'enqueue', 'settle', 'frames', 'commit', 'answer', 'frames']);
  });

  it('runs a part once a turn, and in the next one what is asked for in a phase that is over', async () => {
    const { turn } = onTime();
    const events: string[] = [];
    const askEnqueue = turn.at('enqueue', () => events.push('enqueue'));
    const askCommit = turn.at('commit', () => {
      events.push('commit');
      if (events.length < 3) {
        askEnqueue();
        askCommit();
      }
    });
    askEnqueue();
    askEnqueue();
    askCommit();
    await nextTurn();
    expect(events).to.deep.equal(['enqueue', 'commit']);
    await nextTurn();
    expect(events).to.deep.equal(['enqueue', 'commit', 'enqueue', 'commit']);
  });

  it('claims early until the time for it is over, then at the end of the turn', async () => {
    const { turn, clock } = onTime();
    let claims = 0;
    const ask = turn.at('claim', () => claims++);
    for (let round = 1; round <= 3; round++) {
      ask();
      await Promise.resolve();
      expect(claims).to.equal(round);
    }
    clock.now += EARLY.claimMs;
    ask();
    await Promise.resolve();
    expect(claims).to.equal(3);
    await nextTurn();
    expect(claims).to.equal(4);
    ask();
    await Promise.resolve();
    expect(claims).to.equal(5);
  });

  it('runs the others when one throws, and does not hide what it threw', async () => {
    const { turn } = onTime();
    const thrown: unknown[] = [];
    const before = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.once('uncaughtException', (error) => thrown.push(error));
    try {
      let ran = 0;
      for (const phase of TURN_PHASES) {
        turn.at(phase, () => { if (phase === 'settle') throw new Error('broken'); })();
        turn.at(phase, () => ran++)();
      }
      await nextTurn();
      expect(ran).to.equal(TURN_PHASES.length);
      expect(String(thrown)).to.equal('Error: broken');
    } finally {
      for (const listener of before) process.on('uncaughtException', listener);
    }
  });

  it('is of one engine: the end of one turn runs nothing of another', async () => {
    const [{ turn: one }, { turn: other }] = [onTime(), onTime()];
    const events: string[] = [];
    const askOther = other.at('frames', () => events.push('frames of the other'));
    one.at('commit', () => {
      events.push('commit');
      askOther();
    })();
    one.at('frames', () => events.push('frames'))();
    await new Promise<void>((resolve) => setImmediate(() => queueMicrotask(() => process.nextTick(resolve))));
    expect(events).to.deep.equal(['frames', 'commit']);
    await nextTurn();
    expect(events.at(-1)).to.equal('frames of the other');
  });
});
