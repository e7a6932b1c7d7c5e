import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { KV_LOG_BEGINNING, type KvLog, kvLogLoss, type KvRecord } from '@treadle/api';
import { type LogHeader, readLogHeader, walkLog } from '@treadle/api/write-ahead-log';

/** Length of the log of a database; 0 when there is none. */
export function logBytesOf(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** What is wrong with the log of a database by the record that was left; undefined when all that was acknowledged is there. */
export function faultOf(file: string, former: KvRecord): string | undefined {
  const log = new LeftLog(file, former.log.frames);
  try {
    switch (kvLogLoss(former, log)) {
      case 'bytes': return `${former.logBytes} bytes of "${log.path}" were acknowledged, and ${log.bytes} of them are there`;
      case 'header': return `the header of "${log.path}" is not what was written`;
      case 'frames': return `${former.log.frames} frames of "${log.path}" were acknowledged, and frame ${log.frames + 1} is not what was written`;
      default: return undefined;
    }
  } finally {
    log.close();
  }
}

/** A log that nobody has open; read from when something of its content is asked until it is closed. */
class LeftLog implements KvLog {
  readonly path: string;
  readonly bytes: number;
  private descriptor: number | undefined;

  /** @param most frames that are read */
  constructor(file: string, private readonly most: number) {
    this.path = `${file}-wal`;
    this.bytes = logBytesOf(file);
  }

  get beginning(): Buffer {
    const bytes = Buffer.alloc(KV_LOG_BEGINNING);
    readSync(this.opened(), bytes, 0, KV_LOG_BEGINNING, 0);
    return bytes;
  }

  get isSound(): boolean {
    return this.header !== undefined;
  }

  get frames(): number {
    const { header } = this;
    let sound = 0;
    if (header) walkLog(this.opened(), header, ({ number }) => { sound = number; }, { to: this.most });
    return sound;
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
  }

  private get header(): LogHeader | undefined {
    return readLogHeader(this.opened());
  }

  private opened(): number {
    return this.descriptor ??= openSync(this.path, 'r');
  }
}
