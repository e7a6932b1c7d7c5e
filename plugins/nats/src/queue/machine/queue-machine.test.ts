import { expect } from 'chai';
import type { Command, LogEntry } from './commands.js';
import { type Claimed, QueueMachine } from './queue-machine.js';

const KEY = { step: 'a', topic: 't' };
const subscription = { ...KEY, application: 'x', fifo: false, delayMs: 0, settings: '' };
const SUBSCRIBE: Command = { op: 'subscriptions', changes: [{ action: 'put', subscription }] };
const CLAIM: Command = { op: 'claim', requests: [{ ...KEY, max: 10 }], leaseMs: 60_000 };

/** A log of entries, which may be cut off and go on differently. */
class Log {
  private readonly entries: LogEntry[] = [];

  constructor(readonly machine = new QueueMachine()) {}

  write([member, number, at]: readonly [string, number, number], commands: readonly Command[], rest: Partial<LogEntry> = {}): unknown {
    const seq = this.entries.length + 1;
    const entry: LogEntry = { seq, at, member, number, seen: seq - 1, joins: [], commands, bodies: [[seq, 0, 10]], ...rest };
    this.entries.push(entry);
    const outcome = this.machine.apply(entry);
    return 'results' in outcome ? outcome.results : outcome.refused;
  }

  /** The log as a power cut leaves it. */
  cut(length: number): Log {
    const log = new Log();
    for (const { member, number, at, commands } of this.entries.slice(0, length)) log.write([member, number, at], commands);
    return log;
  }
}

function enqueue(id: string): Command {
  return { op: 'enqueue', messages: [{ id, topic: 't', enqueuedAt: 1, body: 0 }], max: 10 };
}

function claimOf(results: unknown): { readonly id: number; readonly epoch: string } {
  const [[claimed]] = results as readonly [readonly [Claimed]];
  const [taken] = claimed.taken;
  return { id: taken?.id ?? 0, epoch: taken?.held?.epoch ?? '' };
}

describe('the queue that the log makes', () => {
  it('refuses a claim of an entry that a power cut took, also where another entry came in its place', () => {
    const before = new Log();
    before.write(['e', 1, 1_000], [SUBSCRIBE]);
    before.write(['e', 2, 1_000], [enqueue('lost')]);
    const lost = claimOf(before.write(['e', 3, 1_000], [CLAIM]));
    const after = before.cut(1);
    after.write(['e', 4, 1_000], [enqueue('other')]);
    const claim = claimOf(after.write(['e', 5, 1_000], [CLAIM]));
    expect(lost.id).to.equal(claim.id);
    expect(after.write(['e', 6, 1_000], [{ op: 'settle', settlements: [{ action: 'done', claim: { ...KEY, ...lost } }] }])).to.deep.equal([[false]]);
    expect(after.write(['e', 7, 1_000], [{ op: 'settle', settlements: [{ action: 'done', claim: { ...KEY, ...claim } }] }])).to.deep.equal([[true]]);
  });

  it('lets a copy in where another one was killed, and where its own first entry had come', () => {
    const log = new Log();
    const copies = { copies: true } as const;
    expect(log.write(['killed', 1, 1_000], [], copies)).to.deep.equal([]);
    expect(log.write(['copy', 1, 2_000], [], copies)).to.equal('used');
    expect(log.write(['engine', 1, 5_500], [])).to.equal('copying');
    expect(log.write(['copy', 2, 5_500], [], copies)).to.deep.equal([]);
    expect(log.write(['copy', 3, 5_600], [], copies)).to.deep.equal([]);
    expect(log.write(['killed', 2, 5_700], [], { joins: undefined })).to.equal('gone');
    expect(log.write(['engine', 2, 20_700], [])).to.deep.equal([]);
  });

  it('takes a member for silent also where the time has gone back', () => {
    const log = new Log();
    log.write(['dead', 1, 10_000_000], []);
    log.write(['living', 1, 1_000], []);
    expect(log.write(['copy', 1, 4_000], [], { copies: true })).to.equal('used');
    log.write(['living', 2, 5_500], [{ op: 'leave' }]);
    expect(log.write(['copy', 2, 5_600], [], { copies: true })).to.deep.equal([]);
  });
});
