import { closeSync, openSync, readSync } from 'node:fs';
import { type AcknowledgedLog, KV_LOG_BEGINNING, kvLogSalt } from '@treadle/api';
import { FRAME_HEADER_BYTES, LOG_HEADER_BYTES } from '@treadle/api/write-ahead-log';

/** Follows the log of an open store, by the headers of its frames alone. */
export class LogFrames {
  private readonly descriptor: number;
  private readonly bytes = Buffer.alloc(FRAME_HEADER_BYTES);
  private header = '';
  private frameBytes = 0;
  /** Ends of the last transaction and of the one before. */
  private last = 0;
  private former = 0;

  constructor(log: string) {
    this.descriptor = openSync(log, 'r');
  }

  /** What is acknowledged now. `isIdle`: nobody is writing; else the last transaction is perhaps not whole yet. */
  acknowledged(isIdle: boolean): AcknowledgedLog {
    readSync(this.descriptor, this.bytes, 0, KV_LOG_BEGINNING, 0);
    const header = this.bytes.toString('hex');
    if (header !== this.header) [this.header, this.frameBytes, this.last, this.former] = [header, FRAME_HEADER_BYTES + this.bytes.readUInt32BE(8), 0, 0];
    const salt = kvLogSalt(header);
    for (let frame = this.last; this.read(frame) && this.bytes.toString('hex', 8, 16) === salt; frame += 1) {
      const endsTransaction = this.bytes.readUInt32BE(4) > 0;
      if (endsTransaction) [this.former, this.last] = [this.last, frame + 1];
    }
    return { header, frames: isIdle ? this.last : this.former };
  }

  /** Once. */
  close(): void {
    closeSync(this.descriptor);
  }

  private read(frame: number): boolean {
    return readSync(this.descriptor, this.bytes, 0, FRAME_HEADER_BYTES, LOG_HEADER_BYTES + frame * this.frameBytes) === FRAME_HEADER_BYTES;
  }
}
