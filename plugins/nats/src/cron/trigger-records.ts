import type { CronKey } from '@treadle/api';
import { inPortions } from '../store/in-portions.js';
import type { JetLog, Stored } from '../store/jet-log.js';
import { Lanes } from '../store/lanes.js';
import type { NatsStore } from '../store/nats-store.js';
import { textAt, tokenOf } from '../store/subjects.js';
import { isRunning, NO_RECORD, type TriggerRecord } from './trigger-record.js';

/** Header of a record that has runs which go on: how many. */
const RUNNING = 'Treadle-Running';
const READ_AT_ONCE = 16;

/** What is to become of a record; without `record` it stays. */
export interface RecordChange<T> {
  readonly record?: TriggerRecord | undefined;
  readonly result: T;
}

/** A trigger and its record. */
export interface FoundRecord {
  readonly key: CronKey;
  readonly record: TriggerRecord;
}

/** The records of all triggers, each the one message of its subject. */
export class TriggerRecords {
  private readonly head: string;
  private readonly lanes = new Lanes();

  constructor(store: NatsStore, private readonly log: JetLog) {
    this.head = `${store.prefix}.m.cron.`;
  }

  async read(key: CronKey): Promise<TriggerRecord> {
    return recordOf(await this.log.last(this.subjectOf(key)));
  }

  /** Goes by the record that is the last one when the change is stored: `next` is asked again when another one came first. */
  change<T>(key: CronKey, next: (record: TriggerRecord) => RecordChange<T>): Promise<T> {
    const subject = this.subjectOf(key);
    return this.lanes.run(subject, async () => {
      for (;;) {
        const found = await this.log.last(subject);
        const { record, result } = next(recordOf(found));
        if (record === undefined || await this.store(subject, record, found)) return result;
      }
    });
  }

  /** Those with runs that go on. */
  async running(): Promise<readonly FoundRecord[]> {
    const subjects: string[] = [];
    for await (const message of this.log.read({ filter: `${this.head}>`, from: 1, headersOnly: true })) {
      if (message.header(RUNNING) !== undefined) subjects.push(message.subject);
    }
    return inPortions(subjects, READ_AT_ONCE, async (subject) => ({
      key: { step: textAt(subject, this.head, 0), trigger: textAt(subject, this.head, 1) }, record: recordOf(await this.log.last(subject)),
    }));
  }

  private async store(subject: string, record: TriggerRecord, found: Stored | undefined): Promise<boolean> {
    const running = record.runs.filter(isRunning).length;
    const headers = { [RUNNING]: running === 0 ? undefined : String(running) };
    return await this.log.append(subject, { text: JSON.stringify(record), headers, after: found?.seq ?? 0 }) !== undefined;
  }

  private subjectOf({ step, trigger }: CronKey): string {
    return `${this.head}${tokenOf(step)}.${tokenOf(trigger)}`;
  }
}

function recordOf(found: Stored | undefined): TriggerRecord {
  return found ? JSON.parse(found.text) as TriggerRecord : NO_RECORD;
}
