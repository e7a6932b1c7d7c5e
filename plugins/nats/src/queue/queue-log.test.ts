import type { JsMsg } from '@nats-io/jetstream';
import { expect } from 'chai';
import type { JetLog } from '../store/jet-log.js';
import type { NatsStore } from '../store/nats-store.js';
import { encodeEntry } from './log-entry.js';
import { QueueLog } from './queue-log.js';

const MOST = 1_000;
const [DATA = Buffer.alloc(0)] = encodeEntry({ member: 'e', number: 1, seen: 0, commands: [] }, []);

/** A log that never runs out of entries, and how to stop it; so many come before it says how many there were. */
function busyLog(pending: number, early: number): { readonly log: JetLog; stop(): void } {
  let stopped = false;
  const log = {
    follow: (_range: unknown, told: (message: JsMsg) => void) => {
      let sent = 0;
      const send = (): void => {
        sent += 1;
        told({ seq: sent, data: DATA, timestampNanos: 0n, info: { deliverySequence: sent, pending: 1 } } as unknown as JsMsg);
      };
      const goOn = (): void => {
        if (stopped || sent === MOST) return;
        send();
        setImmediate(goOn);
      };
      while (sent < early) send();
      setImmediate(goOn);
      return Promise.resolve({ pending, stop: () => { stopped = true; } });
    },
  } as unknown as JetLog;
  return { log, stop: () => { stopped = true; } };
}

describe('the log of the queue on NATS', () => {
  for (const early of [0, 3, 5]) {
    it(`is read when what was there has come, however much is written meanwhile, also when ${early} come before their number is known`, async () => {
      const { log, stop } = busyLog(3, early);
      const told: number[] = [];
      const lost: string[] = [];
      const following = await new QueueLog({ prefix: 'p' } as NatsStore, log).follow(1, ({ seq }) => void told.push(seq), () => void lost.push('lost'));
      await following.read;
      const count = told.length;
      stop();
      following.stop();
      expect(told.slice(0, 3)).to.deep.equal([1, 2, 3]);
      expect(count).to.be.below(MOST);
      expect(lost).to.deep.equal([]);
    });
  }
});
