import { type CronRun, OperationError } from '@treadle/api';
import { errorOf } from '@treadle/testing';
import { expect } from 'chai';
import type { Entry, JetLog, Stored } from '../store/jet-log.js';
import type { NatsStore } from '../store/nats-store.js';
import { CronTable } from './cron-table.js';

const LEASE_MS = 15_000;
const RULE = { unlessRunning: false };

function runOf(id: string): CronRun {
  return { step: 'report', trigger: '* * * * * UTC', id, scheduledAt: 1_000, firedAt: 1_000, attempt: 1, manual: false, missed: false, status: 'running', traceId: 't' };
}

/** One message a subject, as the server has it; the next write may get no answer. */
class Records {
  private readonly kept = new Map<string, Stored>();
  /** `lost`: it is stored; `late`: not before `arrive`. */
  answer: 'there' | 'lost' | 'late' = 'there';
  arrive: () => void = () => undefined;

  async append(subject: string, entry: Entry): Promise<number | undefined> {
    const { answer } = this;
    this.answer = 'there';
    if (answer === 'there') return Promise.resolve(this.store(subject, entry));
    this.arrive = () => void this.store(subject, entry);
    if (answer === 'lost') this.arrive();
    throw new OperationError('StorageUnavailable', 'no answer');
  }

  async last(subject: string): Promise<Stored | undefined> {
    return Promise.resolve(this.kept.get(subject));
  }

  async *read(): AsyncGenerator<Stored> {
    yield* await Promise.resolve([...this.kept.values()]);
  }

  private store(subject: string, { text, headers = {}, after }: Entry): number | undefined {
    const seq = this.kept.get(subject)?.seq ?? 0;
    if (after !== seq) return undefined;
    this.kept.set(subject, { seq: seq + 1, subject, text, header: (name) => headers[name] });
    return seq + 1;
  }
}

describe('cron runs of a NATS store that does not answer', () => {
  let records: Records;
  let table: CronTable;
  let other: CronTable;
  beforeEach(async () => {
    records = new Records();
    const store = {
      prefix: 'treadle.test', engine: 'engine', time: { now: () => 1_000_000 }, grace: { judges: () => true }, listen: () => () => undefined,
      records: () => Promise.resolve(records as unknown as JetLog),
    } as unknown as NatsStore;
    [table, other] = [await CronTable.open(store), await CronTable.open(store)];
  });

  it('are given back when the answer to their claim was lost', async () => {
    const run = runOf('claimed');
    records.answer = 'lost';
    await errorOf(table.claim([run], LEASE_MS, RULE));
    expect(await other.orphans(), 'until it is given back').to.deep.equal([]);
    await table.finish([{ ...run, attempt: 0 }]);
    expect(await other.takeOver({ ...run, attempt: 0 }, LEASE_MS)).to.deep.equal(run);
  });

  it('are given back when the answer to their takeover was lost', async () => {
    const run = runOf('taken');
    await other.claim([run], LEASE_MS, RULE);
    await other.finish([run]);
    records.answer = 'lost';
    await errorOf(table.takeOver(run, LEASE_MS));
    expect(await other.takeOver({ ...run, attempt: 2 }, LEASE_MS)).to.equal(undefined);
    await table.finish([run]);
    expect(await table.takeOver(run, LEASE_MS)).to.deep.equal({ ...run, attempt: 2 });
  });

  it('are free at once for the one that gave them back before they were stored', async () => {
    const run = runOf('late');
    records.answer = 'late';
    await errorOf(table.claim([run], LEASE_MS, RULE));
    await table.finish([run]);
    records.arrive();
    expect([await table.orphans(), await other.orphans()]).to.deep.equal([[run], []]);
    expect(await table.takeOver(run, LEASE_MS)).to.deep.equal({ ...run, attempt: 2 });
  });

  it('are not this one\'s when they are refused', async () => {
    const run = runOf('refused');
    await other.claim([run], LEASE_MS, RULE);
    expect(await table.claim([{ ...run }], LEASE_MS, RULE)).to.deep.equal(['taken']);
    expect(await table.takeOver(run, LEASE_MS)).to.equal(undefined);
    expect([await table.renew([run.id], LEASE_MS), await other.renew([run.id], LEASE_MS)]).to.deep.equal([[], [run.id]]);
  });
});
