import type { JetLog, Stored } from './jet-log.js';
import type { NatsStore } from './nats-store.js';

interface LeaseRecord {
  readonly engine: string;
  /** By the store's time. */
  readonly until: number;
}

const FREE: LeaseRecord = { engine: '', until: 0 };

/** One of several engines has a task for a time: a record that is replaced only by who has seen it. */
export class Lease {
  private readonly subject: string;
  private taken = false;

  /** @param task a token of a subject */
  constructor(private readonly store: NatsStore, private readonly records: JetLog, task: string) {
    this.subject = `${store.prefix}.m.lease.${task}`;
  }

  /** True when this engine has the task for so long from now; false while another one has. @throws an `OperationError` */
  async take(leaseMs: number): Promise<boolean> {
    const found = await this.records.last(this.subject);
    const { engine, until } = recordOf(found);
    const now = this.store.time.now();
    if (engine !== this.store.engine && until > now) return false;
    const text = JSON.stringify({ engine: this.store.engine, until: now + Math.ceil(leaseMs) } satisfies LeaseRecord);
    if (await this.records.append(this.subject, { text, after: found?.seq ?? 0 }) === undefined) return this.take(leaseMs);
    this.taken = true;
    return true;
  }

  /** Gives it back, if this engine may have it. */
  async release(): Promise<void> {
    if (!this.taken) return;
    const found = await this.records.last(this.subject);
    if (found && recordOf(found).engine === this.store.engine) await this.records.append(this.subject, { text: JSON.stringify(FREE), after: found.seq });
  }
}

function recordOf(found: Stored | undefined): LeaseRecord {
  return found ? JSON.parse(found.text) as LeaseRecord : FREE;
}
