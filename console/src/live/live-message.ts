/** Most bytes of a message; a frame that is longer is one alone. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Frames that are sent as one message, as JSON texts. */
export class LiveMessage {
  private readonly frames: string[] = [];
  /** With the brackets. */
  private bytes = 2;

  get isEmpty(): boolean {
    return this.frames.length === 0;
  }

  /** Bytes that are left. */
  get room(): number {
    return MAX_MESSAGE_BYTES - this.bytes;
  }

  /** False: it would become too long, and is left as it is. */
  add(frame: string): boolean {
    const bytes = Buffer.byteLength(frame) + 1;
    if (!this.isEmpty && bytes > this.room) return false;
    this.frames.push(frame);
    this.bytes += bytes;
    return true;
  }

  text(): string {
    return `[${this.frames.join(',')}]`;
  }
}
